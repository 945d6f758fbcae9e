"""Whatever LiteLLM can reach, as a Model: a thin adapter, for providers without an OpenAI-compatible API (extra `litellm`)."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from moot.errors import (
    CallError,
    ConnectionFailed,
    RateLimited,
    ReplyBroken,
    RequestRejected,
    ServerFailed,
    TimedOut,
    UsageError,
)
from moot.models import border
from moot.models.endpoint import with_temperature
from moot.models.filtered import FILTERED, filter_words
from moot.models.hiccups import PASSING_STATUSES, failed_end, failure_of
from moot.models.litellm_ends import CallEnd, Overheard
from moot.models.litellm_params import NO_KEY, problem_with, problem_with_address, problem_with_model
from moot.models.litellm_stream import LitellmStream
from moot.models.model import messages_json
from moot.models.overheard import who_listens
from moot.models.retry_after import asked_pause_s
from moot.models.secrets import Secrets
from moot.models.stream import StreamSoFar, give_up
from moot.models.stream_way import StreamRefused, StreamWay, Way
from moot.models.wire import bill_in_part, cost_of, read_completion, read_usage
from moot.types import Price, Reply, Request

_FRAMES = re.compile(r"Traceback \(most recent call last\):(?:\n[ \t][^\n]*+)*+\s?")
"""Of an error that LiteLLM has put into the words of its own: where in its code that was says nothing of the reply."""


class LitellmModel:
    """One model behind LiteLLM. Its own retries and cache are off: ours are the ones that keep the record."""

    def __init__(
        self,
        name: str,
        *,
        model: str,
        api_key: str | None = None,
        base_url: str | None = None,
        params: Mapping[str, Any] | None = None,
        price: Price | None = None,
        timeout_s: float = 300.0,
    ) -> None:
        address = problem_with_address(model) if base_url is not None else None
        if problem := problem_with_model(model) or address or problem_with(params or {}):
            raise UsageError(f"{name}: {problem}")
        self.name = name
        self.model = model
        self.base_url = base_url.rstrip("/") if base_url is not None else None
        self.price = price
        self._api_key = api_key
        self._secrets = Secrets((api_key,))
        self._params = with_temperature(params or {})
        self._timeout_s = timeout_s
        self._way = StreamWay(always=False, price=price)
        # Nothing but the model is to be called: no price list from elsewhere, no telemetry, no advertising on stdout.
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        try:
            import litellm
        except ImportError:
            raise UsageError('provider litellm needs the extra of that name: pip install "moot[litellm]"') from None
        litellm.telemetry = False
        litellm.suppress_debug_info = True
        self._litellm = litellm

    def shape(self, request: Request) -> Mapping[str, Any]:
        return {
            "provider": "litellm",
            **({"base_url": self.base_url} if self.base_url is not None else {}),
            "model": self.model,
            "params": {**self._params, **request.params},
            "schema": request.schema,
            "messages": messages_json(request),
        }

    async def generate(self, request: Request) -> Reply:
        while True:
            with suppress(StreamRefused):
                return await self._generate_once(request)

    async def _generate_once(self, request: Request) -> Reply:
        body: dict[str, Any] = {**self._params, **request.params}
        if request.schema is not None and "response_format" not in body:
            named = {"name": "reply", "schema": request.schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        if problem := problem_with(request.params):
            raise RequestRejected(f"{self.name}: {problem}", status=400)
        listener = who_listens()
        way = self._way.body(body, listens=listener is not None)
        heard = StreamSoFar(
            tell=None if listener is None or way == "whole" else self._secrets.untold_to(listener.voice()),
            secrets=self._secrets,
        )
        key = NO_KEY if self._api_key is None and self.base_url is not None else self._api_key
        started = time.perf_counter()
        overheard, before = Overheard(), sys.exc_info()[1]
        stream: LitellmStream | None = None
        try:
            response = await self._litellm.acompletion(
                model=self.model,
                messages=messages_json(request),
                api_key=key,
                api_base=self.base_url,
                timeout=self._timeout_s,
                num_retries=0,
                max_retries=0,
                drop_params=False,
                logger_fn=overheard,
                **body,
            )
            if way != "whole":
                stream = LitellmStream(response, heard)
                await stream.hear()
        except Exception as error:  # noqa: BLE001  its errors share no base; every one of them becomes ours
            end = CallEnd(error, before, overheard)
            if stream is not None and stream.whole is not None and not end.sent_or_lost:
                return await self._in_place_of_a_stream(stream.whole, started)
            if (
                not heard.chosen and not end.usage
            ):  # to ask in a lesser way is part of the same attempt, which has one bill
                self._check_way(way, error, end)
            if (words := self._filter_words(error, end)) is not None:
                latency_s = time.perf_counter() - started
                return await self._secrets.taken_from(self._refused(words, end, latency_s))
            ours = self._ours(error, end)
            if heard.chosen or heard.usage is not None:
                heard.tell_bill(ours, self.price)
            raise ours from None
        except BaseException as error:
            if heard.usage is None and (usage := CallEnd(error, before, overheard).usage) is not None:
                heard.usage, heard.finish = usage, "stop"  # it came whole, and is not handed over yet
            give_up(None, heard, self.price)
            raise
        if stream is not None:
            if stream.whole is not None:
                return await self._in_place_of_a_stream(stream.whole, started)
            return await self._streamed(heard, way, time.perf_counter() - started)
        try:
            completion = overheard.failed or _written(response)
        except Exception as error:  # noqa: BLE001  a reply that its own classes cannot write down
            raise self._ours(error, CallEnd(error, before, overheard)) from None
        return await self._read(completion, started)

    async def _in_place_of_a_stream(self, came: bytes, started: float) -> Reply:
        """The server took no notice that a stream was asked for. What it sent is paid for: it is read, where it can be."""
        try:
            return await self._read(came, started)
        except ReplyBroken:
            self._way.heard_nothing()
            raise

    async def _read(self, completion: bytes | str, started: float) -> Reply:
        """A whole completion."""
        came: Reply | None = None
        latency_s = time.perf_counter() - started
        try:
            came = read_completion(completion, latency_s=latency_s, price=self.price, secrets=self._secrets)
            return await self._secrets.taken_from(came)
        except CallError as error:
            error.args = (self._secrets.hidden_in(str(error)),)
            raise
        except BaseException:
            give_up(came, None, self.price)
            raise

    async def close(self) -> None:
        pass

    def _check_way(self, way: Way, error: Exception, end: CallEnd) -> None:
        status = end.status or getattr(error, "status_code", None)
        if isinstance(status, int):
            self._way.check(way, status, self._words_of(error))

    async def _streamed(self, heard: StreamSoFar, way: Way, latency_s: float) -> Reply:
        """The reply that a stream was, put together again."""
        if heard.why_filtered is None and (heard.error or heard.finish is None or heard.failed):
            told = heard.error or (failed_end(heard.failed) if heard.failed else None)
            words = f"{self.model}: the reply ended before it was whole"
            broken = failure_of(told, secrets=self._secrets) if told else ReplyBroken(words)
            broken.args = (self._secrets.hidden_in(str(broken)),)
            heard.tell_bill(broken, self.price)
            if not heard.size and not told:
                self._way.heard_nothing()
            raise broken
        reply = heard.reply(latency_s=latency_s, price=self.price)
        self._way.learn(way, reply)
        try:
            return await self._secrets.taken_from(reply)
        except BaseException:
            give_up(reply, None, self.price)
            raise

    def _filter_words(self, error: Exception, end: CallEnd) -> str | None:
        """What a filter says: an error of its own with LiteLLM, or another one whose code or words say so."""
        words = self._words_of(error)
        if isinstance(error, self._litellm.exceptions.ContentPolicyViolationError):
            return words
        status = end.status or getattr(error, "status_code", None)
        if not isinstance(status, int):
            return None
        return filter_words(end.sent, status) or filter_words(words, status)

    def _refused(self, words: str, end: CallEnd, latency_s: float) -> Reply:
        """The reply that a filter's refusal is. One that came as a status is not on the bill, but for what it says."""
        usage = read_usage(end.usage)
        cost_usd = cost_of(end.usage, usage, self.price)
        in_part = None if cost_usd is not None else bill_in_part(end.usage, usage, self.price)
        if self.price is not None and cost_usd is None and in_part is None and end.status is not None:
            cost_usd = 0.0
        words = border.storable(self._secrets.shortened(words, border.LONGEST_WORDS))
        return Reply(words, FILTERED, usage=usage, latency_s=latency_s, cost_usd=cost_usd, in_part=in_part)

    def _ours(self, error: Exception, end: CallEnd) -> CallError:
        """LiteLLM's many exceptions by what became of the request, else by the status they carry."""
        message = self._message(error)
        status = end.status or getattr(error, "status_code", None)
        pause_s = asked_pause_s(end.headers)
        ours: CallError
        if end.status is None and isinstance(error, self._litellm.exceptions.Timeout):
            ours = TimedOut(message)
        elif end.lost:
            ours = ConnectionFailed(message, sent=not end.nobody_there, nobody_there=end.nobody_there)
        elif status == 429:
            ours = RateLimited(message, retry_after_s=pause_s)
        elif isinstance(status, int) and (status >= 500 or status in PASSING_STATUSES):
            ours = ServerFailed(message, status=status, retry_after_s=pause_s)
        elif isinstance(status, int) and status >= 300:
            ours = RequestRejected(message, status=status)
        else:
            ours = ReplyBroken(message)
        end.tell_bill(ours, self.price, kept_back=end.kept_back(status))
        return ours

    def _message(self, error: Exception) -> str:
        return self._secrets.hidden_in(f"{self.model}: {type(error).__name__}: {self._words_of(error)}")

    def _words_of(self, error: Exception) -> str:
        words = _FRAMES.sub("", border.printed(error))
        return border.storable(self._secrets.shortened(words, border.LONGEST_WORDS))


def _written(response: Any) -> str:
    """What LiteLLM has made of a completion, as JSON. Its own way does not write half of a surrogate pair."""
    try:
        return str(
            response.model_dump_json(warnings=False)
        )  # which would repeat what is in another form than it should
    except ValueError:
        return json.dumps(response.model_dump(warnings=False), default=str)
