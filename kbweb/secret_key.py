"""Django's secret key on a machine where nobody gave one: made once, kept in the data directory."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from kbweb.env import EnvError

FILE = "secret_key"


def stored_key(data_dir: Path) -> str:
    """The key in `data_dir`, made (mode 0600) when missing. Two processes that start together get the same one."""
    path = data_dir / FILE
    try:
        if not path.exists():
            data_dir.mkdir(parents=True, exist_ok=True)
            temporary = data_dir / f".{FILE}.{os.getpid()}"
            with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
                file.write(secrets.token_urlsafe(50))
            try:
                os.link(temporary, path)
            except FileExistsError:
                pass
            finally:
                temporary.unlink()
        if key := path.read_text().strip():
            return key
    except OSError as error:
        raise EnvError(f"Cannot keep a secret key in {path} ({error.strerror}): set KB_SECRET_KEY or KB_DATA_DIR") from error
    raise EnvError(f"{path} is empty: remove it (everyone is then signed out) or set KB_SECRET_KEY")
