"""Names that a server is asked by, and pages' origins, each in one spelling: else the same place looks like two, or two like one.

Case, one dot at the end, brackets and the many ways to write an IPv6 address are no differences; a port that is no
number, a user name or anything else beside a name and a port is no name.
"""

from __future__ import annotations

import ipaddress
import re
from typing import NamedTuple

USUAL_PORTS = {"http": 80, "https": 443}

_PLACE = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^\[\]:@/\\?#%,\s\x00-\x20\x7f]+)(?::([0-9]{0,5}))?")


class HostAndPort(NamedTuple):
    """Where something is: a name or an address, and the port if one is told."""

    name: str
    port: int | None


def place_of(written: str) -> HostAndPort | None:
    """What stands in a Host header, or behind the scheme of an origin; None where it is no such thing."""
    found = _PLACE.fullmatch(written)
    port = int(found[2]) if found and found[2] else None
    if found is None or (port or 0) > 65_535:
        return None
    name = found[1].casefold()
    if name.startswith("["):
        try:
            return HostAndPort(str(ipaddress.IPv6Address(name[1:-1])), port)
        except ValueError:
            return None
    name = name.removesuffix(".")
    return HostAndPort(name, port) if name and not name.startswith(".") and ".." not in f"{name}." else None


def host_name(host: str) -> str | None:
    """The name in a Host header, without its port; None where it is no such header."""
    place = place_of(host)
    return None if place is None else place.name


def is_loopback_address(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Not of an IPv4 address that is written as one of IPv6, of which versions of Python think differently."""
    return address.is_loopback and getattr(address, "ipv4_mapped", None) is None


def given_name(name: str) -> str | None:
    """A name or an address as somebody writes it on the command line: without a port, an IPv6 address as it is."""
    try:
        return str(ipaddress.ip_address(name))
    except ValueError:
        place = place_of(name)
        return place.name if place is not None and ":" not in name.rpartition("]")[2] else None


def origin_of(written: str) -> str | None:
    """A page's origin with its port, whether it is told or not; None for `null` and whatever else is none."""
    scheme, separator, rest = written.casefold().partition("://")
    place = place_of(rest) if separator and scheme in USUAL_PORTS else None
    return None if place is None else f"{scheme}://{place.name}:{place.port or USUAL_PORTS[scheme]}"


def same_place(origin: str, host: str) -> bool:
    """Whether a page's origin is the host it asks. Its scheme is not ours to know: a proxy may have spoken TLS for us."""
    scheme, separator, rest = origin.casefold().partition("://")
    if not separator or scheme not in USUAL_PORTS:
        return False
    page, asked = place_of(rest), place_of(host)
    if page is None or asked is None or page.name != asked.name:
        return False
    usual = USUAL_PORTS[scheme]
    return (page.port or usual) == (asked.port or usual)
