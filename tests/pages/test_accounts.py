"""Sign up, in, out and password reset through the pages."""

from __future__ import annotations

import re

from django.contrib.auth.models import User
from django.core import mail
from django.test import Client

PASSWORD = "a long enough password"


def test_sign_up_then_out_then_in(client: Client) -> None:
    client.post("/accounts/signup/", {"username": "dora", "password1": PASSWORD, "password2": PASSWORD})
    assert User.objects.filter(username="dora").exists()
    assert "dora" in client.get("/").content.decode()

    client.post("/accounts/logout/")
    assert "Sign in" in client.get("/").content.decode()

    client.post("/accounts/login/", {"login": "dora", "password": PASSWORD})
    assert "dora" in client.get("/").content.decode()


def test_a_wrong_password_is_said_and_the_name_kept(client: Client, alice: User) -> None:
    page = client.post("/accounts/login/", {"login": "alice", "password": "wrong"}).content.decode()

    assert "alert" in page
    assert 'value="alice"' in page


def test_a_forgotten_password_is_reset_by_mail(client: Client, alice: User) -> None:
    client.post("/accounts/password/reset/", {"email": "alice@example.org"})
    link = re.search(r"https?://[^/]+(/accounts/password/reset/key/\S+)", mail.outbox[0].body)
    assert link

    form = client.get(link[1], follow=True)
    new = "another long password"
    client.post(form.request["PATH_INFO"], {"password1": new, "password2": new})

    assert client.login(username="alice", password=new)
