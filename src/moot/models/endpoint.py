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
import time
from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import urlsplit

from multidict import CIMultiDict
from yarl import URL

from moot.errors import CallError, ConnectionFailed, RequestRejected, TimedOut, TransportError, UsageError
from moot.later import aiohttp
from moot.models import border
from moot.models.address_advice import connection_advice, says_it_all
from moot.models.filtered import FILTERED, filter_words
from moot.models.folded import folded
from moot.models.intake import ACCEPTED, Intake
from moot.models.json_mode import schema_key
from moot.models.model import messages_json
from moot.models.network import Network as Network
from moot.models.overheard import who_listens
from moot.models.proxy import environment_proxy
from moot.models.rejected import FormRefused, Rejected, said_words, told_usage
from moot.models.retry_after import asked_pause_s
from moot.models.secrets import Secrets, parts_of_header, secret_headers, secrets_of_proxy
from moot.models.stream import StreamSoFar, give_up, read_stream
from moot.models.stream_way import StreamRefused, StreamWay, Way
from moot.models.taken_params import ParamRefused, TakenParams
from moot.models.wire import bill_in_part, cost_of, read_completion, read_usage
from moot.types import Price, Reply, Request, dense_json

JsonMode = Literal["auto", "schema", "object", "off"]
SystemRole = Literal["send", "fold"]
Mode = Literal["schema", "object", "off"]
_MODES: tuple[Mode, ...] = ("schema", "object", "off")
_LESSER: Mapping[Mode, Mode] = {"schema": "object", "object": "off"}
MOST_DISLIKED = 1_000
"""Schemas that a server did not like are remembered, so many of them."""


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
        system: SystemRole = "send",
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
            (api_key, *hidden_headers(self.network)),
            passwords=secrets_of_proxy(proxied),
            in_messages=(*self.network.headers.values(), proxied.username),
        )
        self.system = system
        named = {**(params or {}), **(extra or {})}
        self._ours = frozenset(("temperature",)) - named.keys()
        self._taken = TakenParams()
        self._body = {"model": model, **with_temperature(named)}
        self._json_mode = json_mode
        self._mode: Mode = "schema" if json_mode == "auto" else json_mode
        self._disliked: set[str] = set()
        self._url = self._address("chat/completions")
        self._headers = CIMultiDict(self._headers_sent())  # as aiohttp wants them: else it makes one for each request
        self._session: aiohttp.ClientSession | None = None

    def _address(self, path: str) -> URL:
        address = URL(f"{self.base_url}/{path}")
        return address.with_query(dict(self.network.query)) if self.network.query else address

    def shape(self, request: Request) -> Mapping[str, Any]:
        """The address and the body. How the form was asked for in the end (`auto`) is the server's doing, not ours."""
        return {
            "provider": "endpoint",
            "base_url": self.base_url,
            **({"query": dict(self.network.query)} if self.network.query else {}),
            **({"system": "fold"} if self.system == "fold" else {}),
            "json_mode": self._json_mode,
            "schema": request.schema,
            "messages": self._messages(request),
            "body": self._sent(request),
        }

    def _messages(self, request: Request) -> list[dict[str, str]]:
        if self.system == "send":
            return messages_json(request)
        return [{"role": message.role, "content": message.content} for message in folded(request.messages)]

    async def generate(self, request: Request) -> Reply:
        try:
            if request.schema is None or self._json_mode != "auto":
                return await self._post(request, self._mode)
            return await self._in_some_mode(request, request.schema)
        except (FormRefused, ParamRefused) as error:
            raise RequestRejected(str(error), status=error.status) from None

    async def _in_some_mode(self, request: Request, schema: Mapping[str, Any]) -> Reply:
        mode = self._mode
        if mode == "schema" and self._disliked and schema_key(schema) in self._disliked:
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
                    self._disliked.add(schema_key(schema))
                mode = _LESSER[mode]
                continue
            if learnt != self._mode and request.form_is_ours and _MODES.index(learnt) > _MODES.index(self._mode):
                self._mode = learnt
            return reply

    @property
    def json_support(self) -> str:
        """How the form is asked for at present: schema, object or off."""
        return self._mode

    @property
    def adapted(self) -> tuple[str, ...]:
        """What is asked for in another way than the file says, because the server does not take it so."""
        return (*self._taken.words(), *self._way.words())

    @property
    def not_applied(self) -> tuple[str, ...]:
        """What of that may change the replies, or what is known of their costs."""
        return (*self._taken.not_applied(), *self._way.words())

    async def versions(self) -> list[str]:
        """What GET /models lists: is the endpoint there, and does it know the model?"""
        try:
            async with self._in_time(), self._exchange("GET", self._address("models"), None) as response:
                raw = await self.intake.whole(response)
        except (TimeoutError, aiohttp.ClientError, OSError) as error:
            raise self._lost(error) from None
        self._raise_for_status(response, raw)
        try:
            listed = json.loads(raw)["data"]
            return [border.words(self._secrets.hidden_in(entry["id"]), border.LONGEST_NAME) for entry in listed]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
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
            from moot.models.connection import BoundedConnector

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
        return {**headers, **self.network.all_headers}

    def _sent(self, request: Request) -> dict[str, Any]:
        """Model and parameters, those of the request over the model's own."""
        return {**self._body, **request.params}

    def body(self, request: Request, mode: str) -> dict[str, Any]:
        body: dict[str, Any] = {**self._sent(request), "messages": self._messages(request)}
        if request.schema is not None and "response_format" not in body:
            if mode == "schema":
                named = {"name": "reply", "schema": request.schema, "strict": True}
                body["response_format"] = {"type": "json_schema", "json_schema": named}
            elif mode == "object":
                body["response_format"] = {"type": "json_object"}
        return body

    async def _post(self, request: Request, mode: str) -> Reply:
        taken, ours = self._taken, self._ours - request.params.keys()
        while True:
            try:
                reply = await self._post_once(request, mode, taken)
            except StreamRefused:
                continue
            except ParamRefused as error:
                # What somebody else brought with a request says nothing about other calls.
                if (less := taken.after(error, ours)) is None:
                    raise
                taken = less
                continue
            if taken != self._taken and not request.params:
                self._taken = self._taken.joined(taken)
            return reply

    async def _post_once(self, request: Request, mode: str, taken: TakenParams) -> Reply:
        listener = who_listens()
        body = self.body(request, mode)
        if not taken.is_everything:
            body = taken.applied(body, self._ours - request.params.keys())
        way = self._way.body(body, listens=listener is not None)
        data = dense_json(body).encode()
        started = time.perf_counter()
        heard: StreamSoFar | None = None
        came: Reply | None = None
        if way != "whole":
            tell = None if listener is None else self._secrets.untold_to(listener.voice())
            heard = StreamSoFar(tell=tell, secrets=self._secrets)
        try:
            async with self._in_time(), self._exchange("POST", self._url, data) as response:
                came = await self._read(response, started, heard, way, body)
            self._way.learn(way, came)
            return await self._secrets.taken_from(came)
        except (TimeoutError, aiohttp.ClientError, OSError) as error:
            lost = self._lost(error)
            if heard is not None:
                heard.tell_bill(lost, self.price)
            raise lost from None
        except CallError as error:
            error.args = (self._secrets.hidden_in(str(error)),)
            raise
        except BaseException:
            give_up(came, heard, self.price)
            raise

    async def _read(
        self,
        response: aiohttp.ClientResponse,
        started: float,
        heard: StreamSoFar | None,
        way: Way,
        sent: Mapping[str, Any],
    ) -> Reply:
        if not 200 <= response.status < 300:
            raw = await self.intake.beginning(response)
            if not told_usage(raw):
                self._way.check(way, response.status, said_words(raw, self._secrets))
            if (refused := self._refused(response, raw, time.perf_counter() - started)) is not None:
                return refused
            self._raise_for_status(response, raw, sent)
        # Nearly no reply has one of these, and to go through all headers takes longer than this look.
        headers = response.headers
        pause_s = asked_pause_s(headers) if "Retry-After" in headers or "Retry-After-Ms" in headers else None
        if way != "whole" and response.status == 200:
            return await read_stream(
                response, self.intake, started=started, price=self.price, pause_s=pause_s, heard=heard
            )
        raw = await self.intake.whole(response)
        self.intake.check_values(raw)
        latency_s = time.perf_counter() - started
        return read_completion(raw, latency_s=latency_s, price=self.price, pause_s=pause_s, secrets=self._secrets)

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
        usage = read_usage(told := told_usage(raw))
        cost_usd = cost_of(told, usage, self.price)
        in_part = None if cost_usd is not None else bill_in_part(told, usage, self.price)
        cost_usd = 0.0 if cost_usd is None and in_part is None and self.price is not None else cost_usd
        told_words = border.storable(self._secrets.shortened(words, border.LONGEST_WORDS))
        return Reply(told_words, FILTERED, usage=usage, latency_s=latency_s, cost_usd=cost_usd, in_part=in_part)

    def _raise_for_status(
        self, response: aiohttp.ClientResponse, raw: bytes | bytearray, sent: Mapping[str, Any] | None = None
    ) -> None:
        if 200 <= response.status < 300:
            return
        asked = Rejected(self.base_url, self.model, self._secrets, self.price)
        raise asked.error(response.status, response.headers, raw, sent or {}, default_temperature=self._ours)


def with_temperature(params: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters over a temperature of 0: who wants replies to vary says so, and null leaves it to the server."""
    named = {"temperature": 0, **params}
    return {name: value for name, value in named.items() if name != "temperature" or value is not None}


def hidden_headers(network: Network) -> list[str]:
    """What nobody may read of the headers: those that are named for a secret, and those that come from the environment."""
    from_environment = (each for value in network.secret_headers.values() for each in parts_of_header(value))
    return [*secret_headers(network.headers), *from_environment]
