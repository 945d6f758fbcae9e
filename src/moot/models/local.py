"""Real models inside this process, through llama.cpp: nothing to sign up for, nothing leaves the machine.

Weights are loaded once, on first use and off the event loop, and shared by every `LocalModel` that names them with the
same settings; they are let go when the last of these is closed, or at the end of the process.

The same request should give the same reply at temperature 0, and with a seed at others, whoever else is being served.
That takes care, because rounding depends on how many tokens are computed together: llama.cpp's attention has another
kernel for 64 tokens and more, which a prompt reaches or not depending on what is still cached. So batches stay below
that, and the weights are not repacked. For smollm2-135m this made every reply repeat itself, with one slot or six. Other
quantisations (the Q4_K_M of gemma-3-270m) may still differ now and then between a full house and a quiet one; `slots`
of 1 with the parameter ``cache_prompt: false`` leaves nothing to differ by, at half the speed or less.
"""

from __future__ import annotations

import asyncio
import atexit
import importlib.util
import json
import os
import secrets
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from moot.errors import ReplyBroken, RequestRejected, ServerFailed, UsageError
from moot.models.hiccups import preview
from moot.models.model import messages_json
from moot.models.overheard import Listener, Tell, who_listens
from moot.models.packaged import fingerprint, resolve
from moot.models.wire import build_reply
from moot.types import FREE, NOTHING, Price, Reply, Request

CONTEXT_TOKENS = 2048
SLOTS = 6
"""How many requests are computed at once. On two cores six players get 2.8 answers a second from six slots, 1.5 from
one: the weights are read once for all of them, and each slot keeps the beginning of its player's prompt."""

REASONING_CHARS = 160
STRING_CHARS = 120
ARRAY_ITEMS = 32
_BATCH_TOKENS = 32
_PROMPT_CACHE_MIB = 256
_SILENT = -1


class LocalModel:
    """One GGUF model: `model` is a packaged name ("smollm2-135m") or a path that ends in .gguf.

    `params` go to llama.cpp untouched, over a default temperature of 0. Where a request has a schema, a grammar holds
    the reply to it: no other text is possible, and only `max_tokens` can cut it. Strings that the schema leaves
    unbounded end after `reasoning_chars` (the field "reasoning") or `string_chars` (all others), because a small model
    would ramble on. `context` is in tokens, for prompt and reply together; `slots` of them are held in memory.
    """

    def __init__(
        self,
        name: str,
        model: str,
        *,
        params: Mapping[str, Any] = NOTHING,
        price: Price | None = FREE,
        threads: int | None = None,
        context: int = CONTEXT_TOKENS,
        slots: int = SLOTS,
        reasoning_chars: int = REASONING_CHARS,
        string_chars: int = STRING_CHARS,
    ) -> None:
        if importlib.util.find_spec("xllamacpp") is None:
            raise UsageError('local models need llama.cpp: pip install "moot[local]"')
        self.name = name
        self.price = price
        self.model = model
        self._settings = Settings(resolve(model).resolve(), threads or _cpus(), context, slots)
        self._params = {"temperature": 0, **params}
        self._longest = Longest(reasoning_chars, string_chars)
        self._weights: Weights | None = None

    def shape(self, request: Request) -> Mapping[str, Any]:
        """Slots and threads are left out: they change the speed, not the reply."""
        return {
            "provider": "local",
            "weights": fingerprint(self._settings.path),
            "context": self._settings.context,
            "messages": messages_json(request),
            "schema": self._schema(request),
            "params": {**self._params, **request.params},
        }

    async def generate(self, request: Request) -> Reply:
        if self._weights is None:
            self._weights = _hold(self._settings)
        loop, listener = asyncio.get_running_loop(), who_listens()
        job = Job(self._body(request), self._schema(request), tell=_from_thread(listener, loop))
        try:
            # A job that still waits for a slot is taken off the queue by cancelling; one at work stops at its next token.
            reply = await loop.run_in_executor(self._weights.pool, self._weights.chat, job)
        except asyncio.CancelledError:
            job.stopped.set()
            raise
        return build_reply(price=self.price, **reply)

    @property
    def is_loading(self) -> bool:
        """Whether somebody waits for the weights."""
        return self._weights is not None and not self._weights.loads

    async def close(self) -> None:
        """Let go of the weights; they are unloaded when no other model uses them. Waits for calls at work."""
        weights, self._weights = self._weights, None
        if weights is not None and _release(weights):
            await asyncio.to_thread(weights.unload)

    def _schema(self, request: Request) -> Mapping[str, Any] | None:
        return None if request.schema is None else self._longest.bound(request.schema)

    def _body(self, request: Request) -> dict[str, Any]:
        body = {**self._params, **request.params, "messages": messages_json(request)}
        # A sample is a new draw, and drawn again it is the same: both are part of the call's key.
        body.setdefault("seed", request.sample * 1009 + request.attempt)
        return body


@dataclass(frozen=True, slots=True)
class Longest:
    """Bounds for what a schema leaves open, in characters."""

    reasoning_chars: int
    string_chars: int

    def bound(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """The schema with every string and array bounded, and no room for white space to fill."""
        layout = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
        # Lenient: a keyword that the grammar does not know is passed over; otherwise nothing would hold the reply.
        return {**self._bounded(schema, ""), "x-guidance": {**layout, "lenient": True}}

    def _bounded(self, schema: Mapping[str, Any], name: str) -> dict[str, Any]:
        bounded = dict(schema)
        for group in ("properties", "$defs"):
            if isinstance(named := schema.get(group), Mapping):
                bounded[group] = {key: self._bounded(subschema, key) for key, subschema in named.items()}
        for group in ("anyOf", "oneOf"):
            if isinstance(options := schema.get(group), list):
                bounded[group] = [self._bounded(subschema, name) for subschema in options]
        if isinstance(items := schema.get("items"), Mapping):
            bounded["items"] = self._bounded(items, name)
        kind = schema.get("type")
        kinds = kind if isinstance(kind, list) else [kind]
        if "array" in kinds:
            bounded.setdefault("maxItems", ARRAY_ITEMS)
        if "string" in kinds and not {"enum", "const", "pattern", "format"} & schema.keys():
            bounded.setdefault("maxLength", self.reasoning_chars if name == "reasoning" else self.string_chars)
        return bounded


@dataclass(frozen=True, slots=True)
class Settings:
    """What one loading of a weights file is known by."""

    path: Path
    threads: int
    context: int
    slots: int


@dataclass(frozen=True, slots=True)
class Job:
    """One request on its way through a slot, and the flag that stops it."""

    body: dict[str, Any]
    schema: Mapping[str, Any] | None
    stopped: threading.Event = field(default_factory=threading.Event)
    tell: Tell | None = None
    """Told the words as they are written, if somebody listens; from the thread that computes them."""

    @property
    def held(self) -> bool:
        """Whether our grammar holds the reply: there is a schema, and the parameters bring no grammar of their own."""
        return self.schema is not None and not {"grammar", "response_format", "json_schema"} & self.body.keys()


class Weights:
    """A loaded weights file with its slots. As many threads as slots, so nothing ever queues inside llama.cpp."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.users = 0
        self.loads = 0
        self.pool = ThreadPoolExecutor(settings.slots, thread_name_prefix="moot-local")
        self._loading = threading.Lock()
        self._server: Any = None

    def chat(self, job: Job) -> dict[str, Any]:
        """Runs in a thread of the pool: the pieces of a reply for `build_reply`."""
        server = self._load()
        started = time.perf_counter()
        events: list[str] = []

        def hear(event: str) -> bool:
            events.append(event)
            if job.tell is not None and not job.stopped.is_set() and (words := _words(event)):
                job.tell(words)
            return job.stopped.is_set()

        try:
            server.handle_chat_completions(json.dumps(self._wire(job)), hear)
        except (ValueError, RuntimeError) as error:
            raise RequestRejected(f"llama.cpp refused the request: {preview(str(error))}", status=400) from None
        reply = _joined(events)
        if job.held and reply["finish"] == "stop" and not _is_json(reply["text"]):
            # llama.cpp drops a grammar that it cannot compile without a word.
            raise RequestRejected("llama.cpp cannot hold a reply to this schema", status=400)
        return {**reply, "version": self._version(), "latency_s": time.perf_counter() - started}

    def unload(self) -> None:
        self.pool.shutdown(wait=True, cancel_futures=True)
        self._server = None  # its destructor stops llama.cpp's own thread

    def _wire(self, job: Job) -> dict[str, Any]:
        """Streamed, since only between the events of a stream can a request be stopped."""
        import xllamacpp

        body = {**job.body, "stream": True, "stream_options": {"include_usage": True}}
        if job.held:
            # As `response_format` the same schema loses its word on white space.
            body["grammar"] = xllamacpp.json_schema_to_grammar(job.schema)
        return body

    def _load(self) -> Any:
        with self._loading:
            if self._server is None:
                self._server = _start_server(self.settings)
                self.loads += 1
            return self._server

    def _version(self) -> str:
        import xllamacpp

        sha256 = fingerprint(self.settings.path)
        return f"{self.settings.path.stem} sha256:{sha256[:12]} xllamacpp {xllamacpp.__version__}"


def _start_server(settings: Settings) -> Any:
    # Idle threads that spin would starve every other process on the machine; read when the library is loaded.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(settings.path)
    params.n_parallel = settings.slots
    params.n_ctx = settings.context * settings.slots
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings.threads
    params.cache_ram_mib = _PROMPT_CACHE_MIB
    # For reproducible replies, see the top of the file; repacked weights have kernels that differ by batch, too.
    params.n_ubatch = _BATCH_TOKENS
    params.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_ENABLED
    params.no_extra_bufts = True
    # llama.cpp listens on a loopback port that we have no use for: a key that nobody knows closes it.
    params.api_keys = [secrets.token_urlsafe()]
    params.ui = False
    if not os.environ.get("MOOT_DEBUG"):
        params.verbosity = _SILENT
    try:
        return xllamacpp.Server(params)
    except (RuntimeError, ValueError) as error:
        raise UsageError(
            f"llama.cpp cannot load {settings.path} with {settings.slots} × {settings.context} tokens of context: is it "
            f"a whole GGUF file, and is there memory for it? ({error} MOOT_DEBUG=1 shows more)"
        ) from None


def _from_thread(listener: Listener | None, loop: asyncio.AbstractEventLoop) -> Tell | None:
    """A listener's voice for a thread of the pool: who listens is told in the loop, in the order of the words."""
    if listener is None:
        return None
    voice = listener.voice()

    def tell(words: str) -> None:
        with suppress(RuntimeError):  # the loop has ended, and with it whoever listened
            loop.call_soon_threadsafe(voice, words)

    return tell


def _words(event: str) -> str:
    """Those of the reply in one event of a stream; an error has none, nor have thoughts."""
    choices = json.loads(event).get("choices") or ()
    return "".join((choice.get("delta") or {}).get("content") or "" for choice in choices[:1])


def _joined(events: list[str]) -> dict[str, Any]:
    """The events of a stream as one reply."""
    text = thoughts = ""
    logprobs: list[Any] = []
    finish = usage = None
    for event in map(json.loads, events):
        if isinstance(error := event.get("error"), dict):
            raise _refusal(error)
        usage = event.get("usage") or usage
        for choice in event.get("choices", ())[:1]:
            delta = choice.get("delta") or {}
            text += delta.get("content") or ""
            thoughts += delta.get("reasoning_content") or ""
            logprobs += (choice.get("logprobs") or {}).get("content") or []
            finish = choice.get("finish_reason") or finish
    if finish is None:
        raise ReplyBroken("llama.cpp stopped in the middle of a reply")
    held = {"content": logprobs} if logprobs else None
    return {"text": text, "refusal": None, "finish": finish, "thoughts": thoughts, "usage": usage, "logprobs": held}


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _refusal(error: Mapping[str, Any]) -> RequestRejected | ServerFailed:
    code, words = error.get("code"), str(error.get("message"))
    if error.get("type") == "exceed_context_size_error":
        needed, held = error.get("n_prompt_tokens"), error.get("n_ctx")
        return RequestRejected(f"the prompt has {needed} tokens, the model's context {held}", status=400)
    if isinstance(code, int) and code >= 500:
        return ServerFailed(f"llama.cpp failed: {preview(words)}", status=code)
    return RequestRejected(f"llama.cpp refused the request: {preview(words)}", status=400)


_shared: dict[Settings, Weights] = {}
_sharing = threading.Lock()


def _hold(settings: Settings) -> Weights:
    with _sharing:
        weights = _shared.get(settings)
        if weights is None:
            weights = _shared[settings] = Weights(settings)
        weights.users += 1
        return weights


def _release(weights: Weights) -> bool:
    """True where this was the last user, so that the caller has to unload."""
    with _sharing:
        weights.users -= 1
        if weights.users == 0 and _shared.get(weights.settings) is weights:
            del _shared[weights.settings]
            return True
        return False


@atexit.register
def _unload_all() -> None:
    """Stop llama.cpp while the interpreter is still whole; its thread must not outlive it."""
    while _shared:
        _, weights = _shared.popitem()
        weights.unload()


def _cpus() -> int:
    """Those this process may use, which a container may have limited."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
