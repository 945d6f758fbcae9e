"""The proxy that the environment names, for a model whose entry says ``proxy: env``.

Only where it is asked for: the variables are often set for something else, and an experiment should do what its file
says. aiohttp could read them too, but it would read `~/.netrc` along with them.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from moot.errors import UsageError

ENV = "env"
"""What stands in a file in place of an address."""


def environment_proxy(url: str) -> str | None:
    """The address that HTTPS_PROXY, HTTP_PROXY or ALL_PROXY has for this one; None where NO_PROXY names its host."""
    from urllib.request import getproxies_environment, proxy_bypass  # a client of its own, and a slow one to load

    parts = urlsplit(url)
    named = getproxies_environment()
    proxy = named.get(parts.scheme) or named.get("all")
    if not proxy or proxy_bypass(parts.netloc):
        return None
    address = proxy if "://" in proxy else f"http://{proxy}"
    if not _usable(address):  # it may hold a password, so it is not shown
        variable = f"{parts.scheme.upper()}_PROXY" if named.get(parts.scheme) else "ALL_PROXY"
        raise UsageError(f"the environment's {variable}: expected an address such as http://proxy.example.org:3128")
    return address


def _usable(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
