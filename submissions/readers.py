"""Who reads: somebody signed in or nobody, and whether that is staff. All that decides on access begins with these."""

from __future__ import annotations

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

Reader = AbstractBaseUser | AnonymousUser


def is_staff(user: Reader) -> bool:
    return user.is_authenticated and bool(getattr(user, "is_staff", False))
