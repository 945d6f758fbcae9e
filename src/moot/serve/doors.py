"""The door of a served team: which requests come from where they say, before anything of them is read.

A browser lets every page send requests to this machine. So a request must name this server (a name that was bound anew
to our address does not), must come from the server's own page or from none, and must have a content type that no
foreign page may send unasked. Where there is no key, the page has a token of its own in its place.
"""

from __future__ import annotations

import hmac
import ipaddress
import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from moot.config.type_words import told
from moot.openai_form.body import BodyTooLarge
from moot.openai_form.refusal import Refused, refusal_response
from moot.serve.log_words import where_it_broke
from moot.serve.names import given_name, host_name, is_loopback_address, origin_of, same_place
from moot.serve.refusal import as_refusal

_log = logging.getLogger(__name__)

PAGE_HEADER = "x-moot-page"
API = ("/v1/", "/metrics", "/openapi.json")
"""What programs use. The page itself and the reports are also reached by links."""

ALONE = ("host", "origin", "content-type", "authorization", "sec-fetch-site", PAGE_HEADER)
"""What the door goes by: none of it may come twice."""

UTF_8 = ("utf-8", "utf8")
"""As JSON is written. Another would be read as letters that nobody sent."""

_ON_ALL = ((b"x-content-type-options", b"nosniff"), (b"cross-origin-resource-policy", b"same-origin"))


class Door:
    """Which names the server answers to, and which pages may use it."""

    def __init__(
        self, *, hosts: Iterable[str] = (), origins: Iterable[str] = (), any_address: bool = False, token: str | None
    ) -> None:
        """`any_address`: it listens on every address of the machine, and so answers to each that is written in digits.

        `token`: what the server's own page must show; None where a key is asked for instead.
        """
        self.hosts = {given_name(host) for host in hosts} - {None}
        self.origins = {origin_of(origin.rstrip("/")) for origin in origins} - {None}
        self._any_address = any_address
        self._token = token

    def check(self, method: str, path: str, headers: Mapping[str, str]) -> str | None:
        """`Refused`, or the allowed origin that the answer is for, if it is for one."""
        host = headers.get("host", "")
        self._check_host(host)
        origin = headers.get("origin")
        if origin is not None and origin_of(origin) in self.origins:
            self._check_type(method, headers)
            return origin
        if origin is not None and not same_place(origin, host):
            words = f"Pages of {told(origin)} may not use this server; --allow-origin lets them."
            raise Refused(403, words, code="origin_not_allowed")
        site = headers.get("sec-fetch-site", "none")
        if path.startswith(API):
            if site in ("cross-site", "same-site"):
                raise Refused(403, "Pages of other sites may not use this server.", code="origin_not_allowed")
            if self._token is not None and (origin is not None or site != "none"):
                self._check_token(headers.get(PAGE_HEADER, ""))
        self._check_type(method, headers)
        return None

    def _check_host(self, host: str) -> None:
        name = host_name(host)
        if (name is not None and name in self.hosts) or name == "localhost":
            return
        try:
            address = ipaddress.ip_address(name or "")
        except ValueError:
            pass
        else:
            if is_loopback_address(address) or self._any_address:
                return
        words = f"This server does not answer to the name {told(host)}; start it with --allow-host to let it."
        raise Refused(421, words, code="host_not_allowed")

    def _check_token(self, shown: str) -> None:
        if not hmac.compare_digest(shown.encode(), (self._token or "").encode()):
            raise Refused(403, "The page is of another start of this server: load it again.", code="page_token")

    @staticmethod
    def _check_type(method: str, headers: Mapping[str, str]) -> None:
        if method != "POST":
            return
        kind, *parameters = headers.get("content-type", "").casefold().split(";")
        if kind.strip() != "application/json":
            words = f"Expected Content-Type: application/json, found {told(kind.strip() or 'none')}."
            raise Refused(415, words, code="unsupported_media_type")
        for name, _, charset in (parameter.partition("=") for parameter in parameters):
            if name.strip() == "charset" and charset.strip(' \t"') not in UTF_8:
                words = f"Expected a body in UTF-8, found charset={told(charset.strip())}."
                raise Refused(415, words, code="unsupported_media_type")


class Doors:
    """The door before an application; whom it refuses gets the usual error form."""

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self.app, self.door = app, door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
        try:
            _refuse_several(headers)
            origin = self.door.check(scope["method"], scope["path"], dict(headers))
        except Refused as refusal:
            await refusal_response(refusal, {"X-Content-Type-Options": "nosniff"})(scope, receive, send)
            return
        more = [*_ON_ALL] if origin is None else [_ON_ALL[0], *_shared_with(origin)]
        if origin is not None and scope["method"] == "OPTIONS":
            await send({"type": "http.response.start", "status": 204, "headers": [*more, *_leave(dict(headers))]})
            await send({"type": "http.response.body", "body": b""})
            return

        started = False

        async def marked(message: Message) -> None:
            nonlocal started
            started = True
            if message["type"] == "http.response.start":
                present = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [*message["headers"], *(pair for pair in more if pair[0] not in present)]
            await send(message)

        try:
            await self.app(scope, receive, marked)
        except BodyTooLarge:
            raise
        except ClientDisconnect:
            return  # whoever breaks off what it sends breaks nothing, and nobody is there to be told
        except Exception as error:  # noqa: BLE001  raised on, uvicorn would log it with its words
            _log.error("a request broke the server\n%s", where_it_broke(error))
            if started:  # uvicorn ends what is not whole
                return
            await refusal_response(as_refusal(error))(scope, receive, marked)


def _refuse_several(headers: Sequence[tuple[str, str]]) -> None:
    """Of two that differ one would be looked at here, and perhaps the other by whoever stands before us."""
    told = Counter(name for name, _ in headers)
    for name in ALONE:
        if told[name] > 1:
            code = "host_not_allowed" if name == "host" else "several_headers"
            raise Refused(400, f"Expected one {name.title()} header.", code=code)


def _shared_with(origin: str) -> list[tuple[bytes, bytes]]:
    return [(b"access-control-allow-origin", origin.encode("latin-1")), (b"vary", b"Origin")]


def _leave(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    """The answer to a browser that asks beforehand, for a page that is allowed: any header, but no cookies."""
    wanted = headers.get("access-control-request-headers", "content-type")
    return [
        (b"access-control-allow-methods", b"GET, POST, DELETE"),
        (b"access-control-allow-headers", wanted.encode("latin-1")),
        (b"access-control-max-age", b"600"),
    ]
