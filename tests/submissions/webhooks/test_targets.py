"""Where a webhook may lead: nowhere but to the public internet."""

from __future__ import annotations

import ipaddress

import pytest
from django.conf import LazySettings

from submissions.webhooks.targets import BadTarget, Target, is_public, parse, resolve


def test_a_good_address_in_parts() -> None:
    assert parse("https://hooks.example.org/a/b?c=d") == Target("https", "hooks.example.org", 443, "/a/b?c=d")
    assert parse("http://example.org:8080") == Target("http", "example.org", 8080, "/")
    assert parse("https://[2606:4700::1111]/") == Target("https", "2606:4700::1111", 443, "/")


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("ftp://example.org/", "https:// or http://"),
        ("file:///etc/passwd", "https:// or http://"),
        ("//example.org/", "https:// or http://"),
        ("https://", "https:// or http://"),
        ("https://name:secret@example.org/", "Leave user name"),
        ("https://example.org/#part", "from # on"),
        ("https://example.org:25/", "Port 25"),
        ("https://example.org:99999/", "no URL"),
        ("https://[::1/", "no URL"),
        ("https://example.org/a b", "without spaces"),
        ("https://example.org/\r\nHost: other", "without spaces"),
        ("https://bücher.example/", "ASCII"),
        ("https://example.org/" + "x" * 500, "characters"),
        ("http://localhost:8000/", "public internet"),
        ("http://db.internal/", "public internet"),
        ("http://127.0.0.1:8000/", "public internet"),
        ("http://10.1.2.3/", "public internet"),
        ("http://169.254.169.254/latest/meta-data/", "public internet"),
        ("http://[::1]/", "public internet"),
        ("http://[fe80::1]/", "public internet"),
        ("http://[::ffff:127.0.0.1]/", "public internet"),
    ],
)
def test_a_bad_address_is_refused_with_the_reason(url: str, why: str) -> None:
    with pytest.raises(BadTarget, match=why):
        parse(url)


@pytest.mark.parametrize("host", ["localhost", "127.1", "0x7f000001", "2130706433", "0.0.0.0", "::", "::1"])
def test_however_it_is_written_what_leads_inside_is_not_connected_to(host: str) -> None:
    with pytest.raises(BadTarget):
        resolve(Target("http", host, 8000, "/"))


def test_a_name_that_does_not_exist_is_said() -> None:
    with pytest.raises(BadTarget, match="could not be looked up"):
        resolve(Target("http", "nowhere.invalid", 80, "/"))


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0", "10.0.0.1", "100.64.0.1", "127.0.0.1", "169.254.1.1", "172.16.0.1", "192.168.1.1", "198.18.0.1", "224.0.0.1",
        "240.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fe80::1%eth0",
        "fec0::1", "fc00::1", "ff02::1", "::ffff:10.0.0.1", "2002:7f00:1::",
        "2002:0a00:0001::1", "64:ff9b::7f00:1", "64:ff9b::a00:1", "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    ],
)  # fmt: skip
def test_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", ["1.1.1.1", "93.184.215.14", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"])
def test_addresses_that_are_public(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


def test_a_site_for_its_own_network_may_allow_every_address(settings: LazySettings) -> None:
    settings.WEBHOOKS_PRIVATE = True

    assert set(resolve(parse("http://localhost:81/"))) <= {"127.0.0.1", "::1"}
