"""Signing in by GitHub: offered only where it is configured, and complete against a server that answers as GitHub does."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.providers.github.views import GitHubOAuth2Adapter
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.test import Client

from tests.pages.markup import faults

BUTTON = "Continue with GitHub"
APP = {"client_id": "an-id", "secret": "a-secret", "key": ""}


@pytest.fixture
def configured(settings: LazySettings) -> None:
    settings.GITHUB_CLIENT_ID = "an-id"
    settings.SOCIALACCOUNT_PROVIDERS = {"github": {"APPS": [APP], "SCOPE": ["read:user", "user:email"]}}


@pytest.fixture
def github(configured: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Speaks the three calls that a sign-in makes; the adapter is pointed at it."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            right = sent["code"] == ["the-code"] and sent["client_secret"] == ["a-secret"]
            self._say({"access_token": "t", "token_type": "bearer"} if right else {"error": "bad_verification_code"})

        def do_GET(self) -> None:
            address = {"email": "octo@example.org", "primary": True, "verified": True}
            self._say([address] if self.path.endswith("/emails") else {"id": 7, "login": "octo", "name": "Octo", "email": None})

        def _say(self, document: object) -> None:
            body = json.dumps(document).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_request(self, code: object = "-", size: object = "-") -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setattr(GitHubOAuth2Adapter, "access_token_url", f"{url}/token")
    monkeypatch.setattr(GitHubOAuth2Adapter, "profile_url", f"{url}/user")
    monkeypatch.setattr(GitHubOAuth2Adapter, "emails_url", f"{url}/user/emails")
    yield url
    server.shutdown()
    server.server_close()


def go_there(client: Client, path: str) -> str:
    """Press the button; gives the state that GitHub would bring back."""
    address = urlsplit(client.post(path).headers["Location"])
    assert (address.hostname, address.path) == ("github.com", "/login/oauth/authorize")
    return parse_qs(address.query)["state"][0]


@pytest.mark.parametrize("path", ["/accounts/login/", "/accounts/signup/"])
def test_it_is_not_offered_where_it_is_not_configured(client: Client, path: str) -> None:
    assert BUTTON not in client.get(path).content.decode()


@pytest.mark.parametrize("path", ["/accounts/github/login/", "/accounts/github/login/callback/?code=x&state=y"])
def test_its_addresses_are_not_found_where_it_is_not_configured(client: Client, path: str) -> None:
    answer = client.get(path)

    assert answer.status_code == 404
    assert "This site does not offer it." in answer.content.decode()


@pytest.mark.parametrize("path", ["/accounts/login/", "/accounts/signup/"])
def test_it_is_offered_where_it_is(client: Client, configured: None, path: str) -> None:
    page = client.get(path).content.decode()

    assert BUTTON in page
    assert not faults(page)


def test_a_first_sign_in_makes_an_account_without_a_password(client: Client, github: str) -> None:
    state = go_there(client, "/accounts/github/login/?process=login")

    client.get(f"/accounts/github/login/callback/?code=the-code&state={state}")

    user = User.objects.get()
    assert (user.username, user.email, user.has_usable_password()) == ("octo", "octo@example.org", False)
    page = client.get("/me/account/").content.decode()
    assert "octo" in page and "Set one" in page
    assert not faults(client.get("/accounts/3rdparty/").content.decode())


def test_an_account_is_connected_and_disconnected(as_alice: Client, alice: User, github: str) -> None:
    as_alice.post("/accounts/reauthenticate/", {"password": "a long enough password"})
    page = as_alice.get("/accounts/3rdparty/").content.decode()
    assert not faults(page) and "Not connected" in page
    path = re.search(r'action="([^"]*github[^"]*)"', page)
    assert path

    state = go_there(as_alice, path[1].replace("&amp;", "&"))
    as_alice.get(f"/accounts/github/login/callback/?code=the-code&state={state}")
    account = SocialAccount.objects.get()
    assert account.user == alice
    as_alice.post("/accounts/3rdparty/", {"account": account.pk})

    assert not SocialAccount.objects.exists()


@pytest.mark.parametrize("query", ["error=access_denied", "code=wrong&state={state}", "code=the-code&state=made-up"])
def test_what_goes_wrong_at_github_is_said_in_our_own_look(client: Client, github: str, query: str) -> None:
    state = go_there(client, "/accounts/github/login/?process=login")

    answer = client.get(f"/accounts/github/login/callback/?{query.format(state=state)}", follow=True)

    assert not faults(answer.content.decode())
    assert "GitHub" in answer.content.decode()
    assert not User.objects.exists()
