"""The system's Chromium, quiet: no update, no sync, nothing in the background."""

from __future__ import annotations

import os
import shutil

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def executable() -> str | None:
    """Where Chromium is, None when there is none. `KB_CHROMIUM` names another one."""
    given = os.environ.get("KB_CHROMIUM")
    return given or next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)
