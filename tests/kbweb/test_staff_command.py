"""Who moderates is said on the command line."""

from __future__ import annotations

import io

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command


def said(*arguments: str) -> str:
    out = io.StringIO()
    call_command("staff", *arguments, stdout=out)
    return out.getvalue()


@pytest.mark.django_db
def test_staff_are_made_listed_and_ended() -> None:
    User.objects.create_user("dora")
    User.objects.create_superuser("root1")

    assert said("dora") == "dora is staff now\n"
    assert said() == "dora\nroot1 (administrator)\n"
    assert said("dora", "--no") == "dora is not staff any more\n"
    assert not User.objects.get(username="dora").is_staff
    with pytest.raises(CommandError, match="no account 'nobody'"):
        said("nobody")
