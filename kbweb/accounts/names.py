"""Which user names may be taken."""

from __future__ import annotations

from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError

DELETED = "deleted-"
"""Authors who deleted their accounts are called so, with six characters behind it."""


def is_no_deleted_author(name: str) -> None:
    if name.lower().startswith(DELETED):
        raise ValidationError(f"Names that begin with {DELETED} stand for deleted accounts. Choose another one.")


validators = [UnicodeUsernameValidator(), is_no_deleted_author]
