"""Commands that work on the site's own database instead of over HTTP."""

from __future__ import annotations

import os

from kbweb.cli.output import Failure
from kbweb.cli.up_command import data_dir


def set_up() -> None:
    """Have Django's models. Needs DATABASE_URL, or the data directory of a running kb up."""
    os.environ.setdefault("KB_DATA_DIR", str(data_dir()))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kbweb.settings")
    import django

    django.setup()


def unusable(error: Exception) -> Failure:
    """What to say of a `DatabaseError`."""
    return Failure(f"The database cannot be used: {str(error).strip()}. Is it running (kb up)?", exit_code=3)
