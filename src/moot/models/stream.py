"""A streamed reply (server-sent events), put together again into one `Reply`."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from moot.errors import CallError, ConnectionFailed, ReplyBroken
from moot.models import border
from moot.models.attempt import GivenUp, bill_of_reply, who_pays
from moot.models.error_forms import error_fields
from moot.models.filtered import FILTERED, block_reason
from moot.models.finish_words import failed_end_of
from moot.models.hiccups import error_of, failed_end, failure_of, preview
from moot.models.idle_lines import IdleLines
from moot.models.intake import STREAM_TIMES, Holding, Intake
from moot.models.overheard import TellInSteps
from moot.models.secrets import NO_SECRETS, Secrets
from moot.models.turns import TURN_S, in_turns
from moot.models.wire import build_reply, filtered_by, read_completion, tell_bill, version_of
from moot.types import Price, Reply


@dataclass(slots=True)
class StreamSoFar:
    """What has come through so far."""

    text: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    refusal: list[str] = field(default_factory=list)
    logprobs: dict[str, list[Any]] = field(default_factory=dict)
    finish: str | None = None
    failed: str | None = None
    """The word by which it says that it ended in a failure."""
    usage: object = None
    error: object = None
    """What was said of a failure, beside the words or after them."""
    filtered: str | None = None
    """Why a filter broke it off, after however many words."""
    blocked: str | None = None
    """Why a filter did not let it begin: where there are words it did."""
    model: str | None = None
    fingerprint: str | None = None
    size: int = 0
    """About how many bytes of it are kept."""
    chosen: bool = False
    """Whether there was a choice at all."""
    tell: TellInSteps | None = None
    """Told the words of the reply as they come."""
    untold: list[str] = field(default_factory=list)
    """Words that have come and are not told yet, which may take a while."""
    secrets: Secrets = NO_SECRETS
    """Hidden in what is cut."""

    def take(self, event: Mapping[str, Any], size: int) -> None:
        """`size`: how long it was on the wire."""
        self.usage = event.get("usage") or self.usage
        self.model = border.uncut_name(event.get("model")) or self.model
        self.fingerprint = border.uncut_name(event.get("system_fingerprint")) or self.fingerprint
        self.blocked = self.blocked or block_reason(event, {})
        choices = event.get("choices")
        ours = [  # one was asked for: others are not its words
            choice
            for choice in (choices if isinstance(choices, list) else ())
            if isinstance(choice, Mapping) and not choice.get("index")
        ]
        for choice in ours or ({},):
            self.error = error_of(event, choice) or self.error
            self.filtered = self.filtered or filtered_by(self.error) or block_reason({}, choice)
        for choice in ours:
            self._take_choice(choice)
            self.size += size if choice.get("logprobs") else 0

    def _take_choice(self, choice: Mapping[str, Any]) -> None:
        self.chosen = True
        delta = choice.get("delta")
        if isinstance(delta, Mapping):
            self._add(self.text, words := delta.get("content"))
            if self.tell is not None and isinstance(words, str) and words:
                self.untold.append(words)
            self._add(self.refusal, delta.get("refusal"))
            self._add(self.thoughts, delta.get("reasoning_content") or delta.get("reasoning"))
        logprobs = choice.get("logprobs")
        for field_name, tokens in logprobs.items() if isinstance(logprobs, Mapping) else ():
            if isinstance(tokens, list):
                self.logprobs.setdefault(str(field_name), []).extend(tokens)
        self.finish = border.uncut_name(choice.get("finish_reason")) or self.finish
        self.failed = self.failed or failed_end_of(choice, self.finish)

    async def tell_untold(self) -> None:
        """Whoever listens hears what has come. An event may be long: others have their turn in between."""
        words = "".join(self.untold)
        self.untold.clear()
        if self.tell is not None:
            await in_turns(self.tell(words))

    def _add(self, words: list[str], word: object) -> None:
        if isinstance(word, str) and word:
            words.append(word)
            self.size += 64 + len(word)  # a text of one letter takes as much as that

    @property
    def why_filtered(self) -> str | None:
        return self.filtered or (self.blocked if not self.text else None)

    def reply(self, *, latency_s: float, price: Price | None) -> Reply:
        text, finish = "".join(self.text), self.finish or "stop"
        if (why := self.why_filtered) is not None:
            text, finish = text or self.secrets.shortened(why, border.LONGEST_WORDS), FILTERED
        return build_reply(
            text=text,
            refusal="".join(self.refusal),
            finish=finish,
            thoughts="".join(self.thoughts),
            usage=self.usage,
            version=version_of(self.model, self.fingerprint, self.secrets),
            logprobs=self.logprobs or None,
            latency_s=latency_s,
            price=price,
            broken_off=bool(self.text),
            secrets=self.secrets,
        )

    def tell_bill(self, error: CallError, price: Price | None) -> None:
        """Put what was billed until now onto the failure that ends it. Where no end was said the count may not be the last."""
        tell_bill(error, self.usage, price, generated=self.chosen, unfinished=self.finish is None)


def give_up(came: Reply | None, heard: StreamSoFar | None, price: Price | None) -> None:
    """Nobody waits for a reply any more: what was billed until now is left for whoever pays. `came`: it was whole by then."""
    if (attempt := who_pays()) is None:
        return
    if came is not None:
        attempt.give_up(bill_of_reply(came))
    elif heard is not None and heard.usage is not None:
        heard.tell_bill(bill := GivenUp("a stream that was not heard to its end"), price)
        attempt.give_up(bill)


async def read_stream(
    response: Any,
    intake: Intake,
    *,
    started: float,
    price: Price | None,
    pause_s: float | None = None,
    heard: StreamSoFar | None = None,
) -> Reply:
    """Read `data:` lines until `[DONE]`. A stream that ends before that and before its finish reason was cut.

    `heard` is for whoever wants to know what has come where the connection is lost.
    """
    heard = StreamSoFar() if heard is None else heard
    try:
        return await _read_stream(response, intake, heard, started=started, price=price, pause_s=pause_s)
    except CallError as error:
        if error.billed_tokens is None:  # else it came whole, and has told
            heard.tell_bill(error, price)
        raise


async def _read_stream(
    response: Any, intake: Intake, heard: StreamSoFar, *, started: float, price: Price | None, pause_s: float | None
) -> Reply:
    done = False
    idle = IdleLines(started)
    with intake.holding() as holding:
        async for line in _lines(response, intake, holding, heard):
            idle.count()
            if not line.startswith(b"data:"):
                if line.startswith((b"{", b"[")):  # asked to stream, the server answered whole
                    intake.check_values(line)
                    latency_s = time.perf_counter() - started
                    return read_completion(
                        line, latency_s=latency_s, price=price, pause_s=pause_s, secrets=heard.secrets
                    )
                continue
            data = line[5:].strip()
            if done := data == b"[DONE]":
                break
            intake.check_values(data)
            event = _event(data, pause_s, heard.secrets)
            before = heard.size
            heard.take(event, len(data))
            if heard.untold:
                await heard.tell_untold()
            if heard.size > before:
                idle.brought_a_word()
            if heard.error and not heard.filtered:
                raise failure_of(heard.error, pause_s, heard.secrets)
    filtered = heard.why_filtered is not None
    if heard.finish is None and not done and not filtered:
        raise ConnectionFailed("the stream was cut before its end", sent=True)
    if heard.failed is not None and not filtered:
        raise failure_of(failed_end(heard.failed), pause_s, heard.secrets)
    if not heard.chosen and not filtered:
        raise ReplyBroken("the stream held no reply", retry_after_s=pause_s)
    return heard.reply(latency_s=time.perf_counter() - started, price=price)


def _event(data: bytes, pause_s: float | None, secrets: Secrets) -> Mapping[str, Any]:
    try:
        event = json.loads(data)
    except (ValueError, RecursionError):
        said = f"the stream holds something that is not JSON: {preview(data, secrets=secrets)}"
        raise ReplyBroken(said, retry_after_s=pause_s) from None
    if not isinstance(event, dict) and (error := error_fields(event)) is not None:
        return {"error": error}
    if not isinstance(event, dict):
        raise ReplyBroken(f"the stream broke off with {preview(data, secrets=secrets)}", retry_after_s=pause_s)
    return event


async def _lines(response: Any, intake: Intake, holding: Holding, heard: StreamSoFar) -> AsyncIterator[bytes]:
    """Lines of any length that a reply may have: the reader's own line limit is too short for some servers. A body that is
    one JSON object over many lines comes as one line."""
    rest = bytearray()
    whole = False
    count = 0
    async for piece in intake.pieces(response, STREAM_TIMES * intake.most):
        whole = whole or (not rest and piece.lstrip().startswith((b"{", b"[")))
        await holding.hold(heard.size + len(rest) + len(piece))
        rest += piece
        if whole or b"\n" not in piece:
            continue
        *lines, last = bytes(rest).split(b"\n")
        rest = bytearray(last)
        count += len(lines)
        intake.check_lines(count)
        over_at = time.perf_counter() + TURN_S
        for line in lines:
            yield line.strip()
            if time.perf_counter() > over_at:
                await asyncio.sleep(0)
                over_at = time.perf_counter() + TURN_S
    yield bytes(rest).strip()
