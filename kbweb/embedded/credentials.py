"""The embedded server's random passwords, kept in one file that only the owner of the data directory can read."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import quote

FILE = "database.json"
ROLE = "kbweb"
DATABASE = "kbweb"
SUPERUSER = "postgres"


@dataclass(frozen=True, slots=True)
class Credentials:
    """How to reach the server. The superuser is for provisioning alone; the site uses the role `kbweb`, which owns one database."""

    superuser_password: str
    password: str
    socket_dir: str

    def url(self, *, superuser: bool = False, database: str = DATABASE) -> str:
        user, password = (SUPERUSER, self.superuser_password) if superuser else (ROLE, self.password)
        return f"postgresql://{user}:{quote(password, safe='')}@/{database}?host={quote(self.socket_dir, safe='')}"


def generate(socket_dir: Path) -> Credentials:
    return Credentials(secrets.token_urlsafe(32), secrets.token_urlsafe(32), str(socket_dir))


def read(data_dir: Path) -> Credentials | None:
    """The stored credentials, or None when there are none that can be used."""
    try:
        return Credentials(**json.loads((data_dir / FILE).read_text()))
    except (FileNotFoundError, NotADirectoryError, ValueError, TypeError):
        return None


def database_url(data_dir: Path) -> str | None:
    """URL of the site's database in the embedded server of `data_dir`; None when that directory holds none."""
    known = read(data_dir)
    return known.url() if known else None


def write(data_dir: Path, credentials: Credentials) -> None:
    """Replace the file in one step (mode 0600), so that a crash leaves the old one or the new one."""
    write_private(data_dir / FILE, json.dumps(asdict(credentials)))


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.unlink(missing_ok=True)
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
