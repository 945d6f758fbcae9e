"""Any OpenAI-compatible chat API, on aiohttp.

Parameters and `extra` go through untouched, because only the user knows what the server understands; the one default is
a temperature of 0, and null leaves it out. A filter that refuses by an HTTP error has refused, as one that says so in a
reply: see `filtered`. Structured output
is asked for in the best way that the server supports: a JSON schema, else JSON mode, else the words of the prompt. A
server that rejects the way is asked in the lesser one; that is remembered only where the server says that it does not know
the way, and only from forms of our own: a client's odd schema, or one bad reply, says nothing about other calls.
"""

from __future__ import annotations

import asyncio
import json
import re
import ssl
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import aiohttp
from yarl import URL

from moot.errors import (
    CallError,
    ConnectionFailed,
    GenerationFailed,
    RateLimited,
    RequestRejected,
    ServerFailed,
    TimedOut,
    TransportError,
    UsageError,
)
from moot.models import border
from moot.models.address_advice import connection_advice, path_advice, says_it_all
from moot.models.connection import BoundedConnector
from moot.models.filtered import FILTERED, filter_words
from moot.models.hiccups import PASSING_STATUSES, preview
from moot.models.intake import ACCEPTED, Intake
from moot.models.json_mode import complaint, schema_key
from moot.models.model import messages_json
from moot.models.overheard import Tell, who_listens
from moot.models.proxy import environment_proxy
from moot.models.retry_after import retry_after_s
from moot.models.secrets import Secrets, secret_headers
from moot.models.stream import StreamSoFar, read_stream
from moot.models.stream_way import StreamRefused, StreamWay, Way
from moot.models.wire import read_completion, read_usage, tell_bill
from moot.types import Price, Reply, Request, dense_json

JsonMode = Literal["auto", "schema", "object", "off"]
Mode = Literal["schema", "object", "off"]
_MODES: tuple[Mode, ...] = ("schema", "object", "off")
_LESSER: Mapping[Mode, Mode] = {"schema": "object", "object": "off"}
MOST_DISLIKED = 1_000
"""Schemas that a server did not like are remembered, so many of them."""


class FormRefused(RequestRejected):
    """A rejection that is about the form. `mode`: the server does not know the mode at all."""

    def __init__(self, message: str, *, status: int, mode: bool) -> None:
        super().__init__(message, status=status)
        self.mode = mode


@dataclass(frozen=True, slots=True)
class Network:
    """How to reach an endpoint. TLS is always verified; `ca_file` adds trust, it never switches checking off."""

    timeout_s: float = 300.0
    proxy: str | None = field(default=None, repr=False)
    ca_file: Path | None = None
    client_cert: Path | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    def ssl_context(self) -> ssl.SSLContext | None:
        if self.ca_file is None and self.client_cert is None:
            return None
        try:
            context = ssl.create_default_context()
            if self.ca_file is not None:
                context.load_verify_locations(cafile=self.ca_file)
            if self.client_cert is not None:
                context.load_cert_chain(self.client_cert)
        except (OSError, ssl.SSLError) as error:
            raise UsageError(f"cannot load the certificate {self.ca_file or self.client_cert}: {error}") from None
        return context


class EndpointModel:
    """One model behind a chat-completions address."""

    def __init__(
        self,
        name: str,
        *,
        base_url: str,
        model: str,
        api_key: str | None = None,
        params: Mapping[str, Any] | None = None,
        extra: Mapping[str, Any] | None = None,
        json_mode: JsonMode = "auto",
        stream: bool = False,
        price: Price | None = None,
        network: Network | None = None,
        intake: Intake | None = None,
    ) -> None:
        self.name = name
        self.price = price
        self.base_url = base_url.rstrip("/")
        self.model = model
        self.network = network or Network()
        self.intake = intake or Intake()
        self._way = StreamWay(always=stream, price=price)
        self._api_key = api_key
        proxied = urlsplit(self.network.proxy or "")
        self._secrets = Secrets(
            (api_key, proxied.password, *secret_headers(self.network.headers)),
            in_messages=(*self.network.headers.values(), proxied.username),
        )
        named = {**(params or {}), **(extra or {})}
        self._temperature_named = "temperature" in named
        self._body = {"model": model, **with_temperature(named)}
        self._json_mode = json_mode
        self._mode: Mode = "schema" if json_mode == "auto" else json_mode
        self._disliked: set[str] = set()
        self._url = URL(f"{self.base_url}/chat/completions")
        self._headers = self._headers_sent()
        self._session: aiohttp.ClientSession | None = None

    def shape(self, request: Request) -> Mapping[str, Any]:
        """The address and the body. How the form was asked for in the end (`auto`) is the server's doing, not ours."""
        return {
            "provider": "endpoint",
            "base_url": self.base_url,
            "json_mode": self._json_mode,
            "schema": request.schema,
            "messages": messages_json(request),
            "body": self._sent(request),
        }

    async def generate(self, request: Request) -> Reply:
        try:
            return await self._in_some_mode(request)
        except FormRefused as error:
            raise RequestRejected(str(error), status=error.status) from None

    async def _in_some_mode(self, request: Request) -> Reply:
        if request.schema is None or self._json_mode != "auto":
            return await self._post(request, self._mode)
        mode = self._mode
        if mode == "schema" and self._disliked and schema_key(request.schema) in self._disliked:
            mode = "object"
        learnt = self._mode
        while True:
            try:
                reply = await self._post(request, mode)
            except FormRefused as error:
                if mode not in _LESSER:
                    raise
                if error.mode:
                    learnt = _LESSER[mode] if mode == learnt else learnt
                elif mode == "schema" and request.form_is_ours and len(self._disliked) < MOST_DISLIKED:
                    self._disliked.add(schema_key(request.schema))
                mode = _LESSER[mode]
                continue
            if request.form_is_ours and _MODES.index(learnt) > _MODES.index(self._mode):
                self._mode = learnt
            return reply

    @property
    def json_support(self) -> str:
        """How the form is asked for at present: schema, object or off."""
        return self._mode

    async def versions(self) -> list[str]:
        """What GET /models lists: is the endpoint there, and does it know the model?"""
        try:
            async with self._in_time(), self._exchange("GET", URL(f"{self.base_url}/models"), None) as response:
                raw = await self.intake.whole(response)
        except (TimeoutError, aiohttp.ClientError, OSError) as error:
            raise self._lost(error) from None
        self._raise_for_status(response, raw)
        try:
            listed = json.loads(raw)["data"]
            return [border.words(entry["id"], border.LONGEST_NAME) for entry in listed]
        except (ValueError, KeyError, TypeError, RecursionError):
            return []

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _in_time(self) -> asyncio.Timeout:
        return asyncio.timeout(self.network.timeout_s)

    def _exchange(self, method: str, url: URL, data: bytes | None) -> Any:
        session = self._session
        if session is None:
            # A redirect could carry the key to another host: none is followed.
            session = self._session = aiohttp.ClientSession(
                connector=BoundedConnector(limit=0, ssl=self.network.ssl_context() or True),
                auto_decompress=False,  # unpacked where it is bounded
                # The whole has a clock of ours (`_in_time`): aiohttp's is not looked at while a server sends without a pause.
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=min(30, self.network.timeout_s)),
            )
        # Headers of the session, the key among them, would go to the proxy too when it is asked for a tunnel.
        return session.request(
            method, url, data=data, headers=self._headers, allow_redirects=False, proxy=self.network.proxy
        )

    def _headers_sent(self) -> dict[str, str]:
        from moot import __version__

        headers = {
            "Content-Type": "application/json",
            "User-Agent": f"moot/{__version__}",
            "Accept-Encoding": ACCEPTED,
        }
        if self._api_key:
            headers["Authorization"] = f"Bearer {self._api_key}"
        return {**headers, **self.network.headers}

    def _sent(self, request: Request) -> dict[str, Any]:
        """Model and parameters, those of the request over the model's own."""
        return {**self._body, **request.params}

    def body(self, request: Request, mode: str) -> dict[str, Any]:
        body: dict[str, Any] = {**self._sent(request), "messages": messages_json(request)}
        if request.schema is not None and "response_format" not in body:
            if mode == "schema":
                named = {"name": "reply", "schema": request.schema, "strict": True}
                body["response_format"] = {"type": "json_schema", "json_schema": named}
            elif mode == "object":
                body["response_format"] = {"type": "json_object"}
        return body

    async def _post(self, request: Request, mode: str) -> Reply:
        while True:
            with suppress(StreamRefused):
                return await self._post_once(request, mode)

    async def _post_once(self, request: Request, mode: str) -> Reply:
        listener = who_listens()
        body = self.body(request, mode)
        way = self._way.body(body, listens=listener is not None)
        data = dense_json(body).encode()
        started = time.perf_counter()
        heard = StreamSoFar(tell=None if listener is None or way == "whole" else self._unsecret(listener.voice()))
        try:
            async with self._in_time(), self._exchange("POST", self._url, data) as response:
                reply = await self._read(response, started, heard, way)
        except (TimeoutError, aiohttp.ClientError, OSError) as error:
            lost = self._lost(error)
            heard.tell_bill(lost, self.price)
            raise lost from None
        except CallError as error:
            error.args = (self._secrets.hidden_in(str(error)),)
            raise
        self._way.learn(way, reply)
        return self._secrets.without(reply)

    def _unsecret(self, tell: Tell) -> Tell:
        words_so_far = self._secrets.words_so_far()
        return lambda words: tell(told) if (told := words_so_far.take(words)) else None

    async def _read(self, response: aiohttp.ClientResponse, started: float, heard: StreamSoFar, way: Way) -> Reply:
        if not 200 <= response.status < 300:
            raw = await self.intake.beginning(response)
            if not _told_usage(raw):
                self._way.check(way, response.status, _error_message(raw))
            if (refused := self._refused(response, raw, time.perf_counter() - started)) is not None:
                return refused
            self._raise_for_status(response, raw)
        pause_s = retry_after_s(response.headers.get("Retry-After"))
        if way != "whole" and response.status == 200:
            return await read_stream(
                response, self.intake, started=started, price=self.price, pause_s=pause_s, heard=heard
            )
        raw = await self.intake.whole(response)
        self.intake.check_values(raw)
        return read_completion(raw, latency_s=time.perf_counter() - started, price=self.price, pause_s=pause_s)

    def _lost(self, error: Exception) -> TransportError:
        """Why no whole reply came. Only where no connection was made is it sure that nothing is on the bill."""
        if isinstance(error, TimeoutError):
            return TimedOut(f"no whole reply from {self.base_url} within {self.network.timeout_s:g} s")
        # aiohttp's own words name the proxy with its password.
        words = f"status {error.status}" if isinstance(error, aiohttp.ClientResponseError) else str(error)
        reason = f"{type(error).__name__}: {words}" if words else type(error).__name__
        sent = not isinstance(error, aiohttp.ClientConnectorError | aiohttp.ClientHttpProxyError)
        if isinstance(error, aiohttp.ClientConnectorError) and self._passes_a_proxy_by():
            reason += " (the environment names a proxy; with proxy: env it is used)"
        elif (advice := connection_advice(error)) is not None:
            reason = advice if says_it_all(error) else f"{reason} ({advice})"
        nobody_there = isinstance(error, aiohttp.ClientConnectorError)
        words = f"{self.base_url}: {self._secrets.hidden_in(reason)}"
        return ConnectionFailed(words, sent=sent, nobody_there=nobody_there)

    def _passes_a_proxy_by(self) -> bool:
        try:
            return self.network.proxy is None and environment_proxy(self.base_url) is not None
        except UsageError:
            return False

    def _refused(self, response: aiohttp.ClientResponse, raw: bytes | bytearray, latency_s: float) -> Reply | None:
        """The reply that a filter's refusal is, where it comes as an error; nothing is on the bill then but what it says."""
        if response.status < 400 or response.status in (401, 402, 404, 408, 429):
            return None
        try:
            body = json.loads(raw)
        except (ValueError, RecursionError):
            body = raw.decode("utf-8", "replace") if len(raw) < border.LONGEST_WORDS else None
        words = filter_words(body, response.status)
        if words is None:
            return None
        usage = read_usage(_told_usage(raw))
        cost_usd = None if self.price is None else self.price.cost_usd(usage) or 0.0
        return Reply(border.words(words), FILTERED, usage=usage, latency_s=latency_s, cost_usd=cost_usd)

    def _raise_for_status(self, response: aiohttp.ClientResponse, raw: bytes | bytearray) -> None:
        status = response.status
        if 200 <= status < 300:
            return
        message = f"{self.base_url} answered {status}: {self._secrets.hidden_in(_error_message(raw))}"
        if status in (400, 422) and not self._temperature_named and "temperature" in message:
            message += " (a temperature of 0 is sent unless params says otherwise; temperature: null leaves it out)"
        advice = (
            path_advice(self.base_url, self.model, _error_message(raw), _error_code(raw))
            if status in (404, 405)
            else None
        )
        if advice is not None:
            message += f" ({advice})"
        pause_s = retry_after_s(response.headers.get("Retry-After"))
        error: CallError
        if status == 429:
            error = RateLimited(message, retry_after_s=pause_s)
        elif (status >= 500 and status != 501) or status in PASSING_STATUSES:
            error = ServerFailed(message, status=status, retry_after_s=pause_s)
        elif 300 <= status < 400:
            location = re.split(r"[?#]", response.headers.get("Location", ""), maxsplit=1)[0]  # the rest may be a key
            place = border.words(self._secrets.hidden_in(location or "?"), border.LONGEST_NAME)
            error = RequestRejected(f"{self.base_url} redirects to {place}; set base_url to it", status=status)
        elif (about := complaint(status, raw)) == "generation":
            error = GenerationFailed(message)
        elif about is not None:
            error = FormRefused(message, status=status, mode=about == "mode")
        else:
            error = RequestRejected(message, status=status, no_such_path=advice is not None)
        tell_bill(error, _told_usage(raw), self.price, generated=False)
        if isinstance(error, FormRefused) and error.billed_tokens is not None:
            # To ask in a lesser way is part of the same attempt, whose one bill would not hold this one.
            error = RequestRejected(message, status=status)
            tell_bill(error, _told_usage(raw), self.price, generated=False)
        raise error


def with_temperature(params: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters over a temperature of 0: who wants replies to vary says so, and null leaves it to the server."""
    named = {"temperature": 0, **params}
    return {name: value for name, value in named.items() if name != "temperature" or value is not None}


def _told_usage(raw: bytes | bytearray) -> object:
    """The count of tokens in a failure, which is billed where there is one."""
    try:
        return json.loads(raw).get("usage")
    except (ValueError, AttributeError, RecursionError):
        return None


def _error_code(raw: bytes | bytearray) -> str:
    """The server's word for what went wrong, such as `model_not_found`; empty where it gives none."""
    try:
        return str(json.loads(raw)["error"].get("code") or "")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return ""


def _error_message(raw: bytes | bytearray) -> str:
    """The server's own words, in whichever of the usual places they stand."""
    try:
        error = json.loads(raw).get("error")
        words = error.get("message") if isinstance(error, dict) else error
        if isinstance(words, str) and words:
            return preview(words, 300)
    except (ValueError, AttributeError, RecursionError):
        pass
    return preview(raw, 300) if raw else "no words"
