"""A bound on the size of a request, kept before anything is read into memory; and a count of how requests end."""

from __future__ import annotations

from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from moot.openai_form.refusal import Refused, refusal_response

KNOWN = ("/v1/chat/completions", "/v1/responses", "/v1/models", "/v1/feedback", "/v1/moot", "/healthz", "/metrics")


class BodyTooLarge(Exception):
    """Raised through the application, whatever it makes of a body that breaks off; `BodyLimit` answers it."""


class BodyLimit:
    """Refuses bodies past `most` bytes, whether they say their length beforehand or not."""

    def __init__(self, app: ASGIApp, most: int, count: Callable[[str, int], None] = lambda path, status: None) -> None:
        self.app, self.most, self.count = app, most, count

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path = next((prefix for prefix in KNOWN if scope["path"].startswith(prefix)), "other")
        taken = 0

        async def bounded() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self.most:
                raise BodyTooLarge
            return message

        async def counted(message: Message) -> None:
            if taken > self.most:
                raise BodyTooLarge  # whatever the application makes of the body that broke off
            if message["type"] == "http.response.start":
                self.count(path, message["status"])
            await send(message)

        declared = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        try:
            if declared.isascii() and declared.isdigit() and int(declared) > self.most:
                raise BodyTooLarge
            await self.app(scope, bounded, counted)
        except BodyTooLarge:
            self.count(path, 413)
            refusal = Refused(413, f"The body is larger than {self.most} bytes.", code="body_too_large")
            await refusal_response(refusal, {"Connection": "close"})(scope, receive, send)
