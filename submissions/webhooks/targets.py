"""Where a webhook may lead: http or https, to public addresses only, so that nobody reaches into the site's own network through it.

What a name leads to is looked up anew at every delivery, and the connection goes to the very address that was checked: a name that led
elsewhere a moment ago changes nothing. `KB_WEBHOOKS_PRIVATE=true` allows every address.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings

MAX_URL = 500
PORTS = {"http": 80, "https": 443}
FIRST_FREE_PORT = 1024
"""Ports below are those of other protocols: mail, files, names."""
MOST_ADDRESSES = 4
EMBEDS_IPV4 = ipaddress.ip_network("64:ff9b::/96")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class BadTarget(ValueError):
    """This address is not used. The text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Target:
    """A URL in parts. `path` holds the query, too."""

    scheme: str
    host: str
    port: int
    path: str


def parse(url: str) -> Target:
    """The parts of a webhook's URL. Raises `BadTarget` for what is wrong with it as it is written."""
    if len(url) > MAX_URL:
        raise BadTarget(f"The address has {len(url)} characters; at most {MAX_URL} are taken.")
    if not re.fullmatch(r"[!-~]+", url):
        raise BadTarget(
            "Write the address without spaces and in ASCII: a name with other letters in its xn-- form, other characters as %XX."
        )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise BadTarget("This is no URL. Write https://host/path.") from None
    if parts.scheme not in PORTS or not parts.hostname:
        raise BadTarget("The address must start with https:// or http:// and name a host.")
    if parts.username is not None or parts.password is not None:
        raise BadTarget("Leave user name and password out of the address: every delivery is signed, check the signature instead.")
    if parts.fragment:
        raise BadTarget("Leave the part from # on out: it is never sent.")
    target = Target(
        parts.scheme, parts.hostname, port or PORTS[parts.scheme], (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    )
    if private_allowed():
        return target
    if target.port not in PORTS.values() and target.port < FIRST_FREE_PORT:
        raise BadTarget(f"Port {target.port} is not used. Take 80, 443, or one from {FIRST_FREE_PORT} on.")
    literal = _literal(target.host)
    if target.host == "localhost" or target.host.endswith((".localhost", ".local", ".internal")) or (literal and not is_public(literal)):
        raise BadTarget("This address is not on the public internet. A webhook must be reachable from there.")
    return target


def resolve(target: Target) -> list[str]:
    """The IP addresses to connect to, looked up now, at most four. Raises `BadTarget` unless every address of the host is public."""
    try:
        found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise BadTarget(f"The name {target.host} could not be looked up.") from None
    addresses = [str(sockaddr[0]) for *_, sockaddr in found]
    if not private_allowed() and not all((literal := _literal(address)) and is_public(literal) for address in addresses):
        raise BadTarget(f"{target.host} leads to an address that is not on the public internet.")
    return list(dict.fromkeys(addresses))[:MOST_ADDRESSES]


def is_public(address: Address) -> bool:
    """Whether the address belongs to the public internet, also where an IPv6 address only wraps an IPv4 one."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = (
            address.ipv4_mapped
            or address.sixtofour
            or (ipaddress.IPv4Address(int(address) & 0xFFFFFFFF) if address in EMBEDS_IPV4 else None)
        )
        if inner is not None:
            return is_public(inner)
        if address.teredo is not None or address.scope_id is not None or address.is_site_local:
            return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified or address.is_loopback)


def private_allowed() -> bool:
    return bool(settings.WEBHOOKS_PRIVATE)


def _literal(host: str) -> Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
