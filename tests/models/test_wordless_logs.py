"""What libraries log repeats what they were given, a key among it, or lines that look like ours: no word reaches a stream."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from hostile_server import completion, hostile, http

KEYS = ("9f86d081884c7d659a2feaa0c55ad015", "quagga")
"""None has a form that a library knows keys by."""
FORGED = "the budget is reached"
ASKED = "Which zanzibar river?"
SOURCE = Path(__file__).parents[2] / "src"
NEEDS_LITELLM = pytest.mark.skipif(find_spec("litellm") is None, reason='needs the extra: pip install "moot[litellm]"')

PLACES: tuple[tuple[str | int, ...], ...] = (
    *((name,) for name in ("id", "object", "created", "model", "system_fingerprint", "service_tier", "usage")),
    *(("usage", name) for name in ("prompt_tokens", "completion_tokens_details", "cost")),
    ("choices",),
    *(("choices", 0, name) for name in ("index", "finish_reason", "logprobs", "message")),
    *(
        ("choices", 0, "message", name)
        for name in ("role", "content", "refusal", "tool_calls", "function_call", "audio")
    ),
    *(("choices", 0, "message", name) for name in ("annotations", "reasoning_content", "images", "thinking_blocks")),
)
"""All that a reply has."""
UNMAPPED = ("choices", 0, "finish_reason")
"""Which LiteLLM logs where it does not know it."""
FORMS = 4


def odd_forms(key: str, asked: str) -> Iterator[Any]:
    words = f"{key}\n17:00:00 - moot:ERROR: {FORGED}\n{asked}"
    yield from (words, [words], {"a": words}, [{"type": words, "function": {"name": words, "arguments": [words]}}])


def odd_reply(key: str, asked: Any, number: int) -> bytes:
    place = PLACES[number % len(PLACES)]
    forms = list(odd_forms(key, asked["messages"][-1]["content"]))
    body: Any = completion(created=1)
    part = body
    for step in place[:-1]:
        part = part[step]
    part[place[-1]] = forms[number // len(PLACES) % FORMS]
    if not asked.get("stream"):
        return http(body)
    if place != ("object",):
        body["object"] = "chat.completion.chunk"
    for choice in body["choices"] if isinstance(body["choices"], list) else ():
        if isinstance(choice, dict) and "message" in choice:
            choice["delta"] = choice.pop("message")
    return http(b"data: " + json.dumps(body).encode() + b"\n\ndata: [DONE]\n\n", Content_Type="text/event-stream")


def file_for(base_url: str) -> str:
    ann: dict[str, Any] = {
        "provider": "litellm",
        "model": "openai/ann",
        "base_url": base_url,
        "api_key_env": "UPSTREAM_KEY",
    }
    ann |= {"retries": {"attempts": 1}}
    file = {"name": "cup", "questions": {"file": "q.jsonl"}, "models": {"ann": ann, "bob": ann}, "strategies": ["solo"]}
    return json.dumps(file)


def assert_no_words(told: str, key: str) -> None:
    assert key not in told
    assert FORGED not in told
    assert "zanzibar" not in told


async def told_by(*command: str, key: str, cwd: Path) -> str:
    """Standard output and error of a program of Python."""
    given = {**os.environ, "PYTHONPATH": str(SOURCE), "UPSTREAM_KEY": key}
    process = await asyncio.create_subprocess_exec(
        sys.executable, *command, cwd=cwd, env=given, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    return (await process.communicate())[0].decode()


@NEEDS_LITELLM
async def test_no_log_of_a_library_shows_a_key_in_a_run(tmp_path: Path) -> None:
    (key, _) = KEYS
    (tmp_path / "q.jsonl").write_text(json.dumps({"id": "1", "text": ASKED, "reference": "A"}))
    async with hostile(lambda asked, number: odd_reply(key, asked, PLACES.index(UNMAPPED))) as server:
        (tmp_path / "t.yaml").write_text(file_for(server.base_url))
        told = await told_by("-m", "moot", "run", "t.yaml", key=key, cwd=tmp_path)
        assert server.seen, told
    assert_no_words(told, key)
    assert "WARNING of LiteLLM at " in told, "it is told that there was one, and where"


@NEEDS_LITELLM
async def test_no_log_of_a_library_shows_a_key_in_that_of_a_server(tmp_path: Path) -> None:
    """Of every worker."""
    (_, key) = KEYS
    (tmp_path / "q.jsonl").write_text("")
    given = {**os.environ, "PYTHONPATH": str(SOURCE), "UPSTREAM_KEY": key}
    async with (
        hostile(lambda asked, number: odd_reply(key, asked, number // 2)) as server,
        aiohttp.ClientSession() as session,
    ):
        (tmp_path / "t.yaml").write_text(file_for(server.base_url))
        with (tmp_path / "log").open("wb") as log:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "moot", "serve", "t.yaml", "--port", "0", "--workers", "2"),
                cwd=tmp_path,
                env=given,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
            )
        try:
            assert process.stdout is not None
            lines = [(await process.stdout.readline()).decode() for _ in range(2)]
            url = next(line for line in lines if "http" in line).split()[2].rstrip("/")

            async def ask(number: int) -> None:
                said = [{"role": "user", "content": f"{ASKED} {number}"}]
                asked = {"model": "solo@ann", "messages": said, "stream": number % 2 == 1}
                watched = {"X-Moot-Team": "yes"}  # its models are asked for streams then
                async with session.post(f"{url}/v1/chat/completions", json=asked, headers=watched) as response:
                    await response.read()

            await asyncio.gather(*map(ask, range(len(PLACES) * 2)))
        finally:
            process.terminate()
            await process.wait()
        assert {bool(asked.get("stream")) for asked in server.seen} == {False, True}
    told = (tmp_path / "log").read_text()
    assert_no_words(told, key)
    assert "WARNING of LiteLLM at " in told


ONE_OF_OURS = """
import asyncio, gc, logging, sys, threading
from moot.cli import main
sys.argv = ["moot", "--version"]
try:
    main()
except SystemExit:
    pass
{does}
"""

ON_ANOTHER_MACHINE = """
import asyncio, contextlib, logging
from moot.engine.ray.worker import Worker
with contextlib.suppress(AttributeError):
    asyncio.run(Worker().start("ann", None, None))  # it has nothing to build
logging.getLogger("somebodys").error("quagga", exc_info=ValueError("quagga"))
"""

IN_ONE_OF_OURS = {
    "ordinary": """
own = logging.StreamHandler()
own.setFormatter(logging.Formatter("%(levelname)s %(message)s %(user)s", defaults={"user": "-"}))
log = logging.getLogger("somebodys")
log.addHandler(own)
log.propagate = False
try:
    raise ValueError("quagga")
except ValueError:
    log.exception("%s\\nmoot: forged", "quagga", stack_info=True, extra={"user": "quagga"})
""",
    "given to a handler": """
made = logging.LogRecord("somebodys", logging.ERROR, "", 0, "quagga", (), (ValueError, ValueError("quagga"), None))
logging.StreamHandler().handle(made)
""",
    "its own factory": """
def made(*given, **named):
    record = logging.LogRecord(*given, **named)
    record.more = "quagga"
    return record
logging.setLogRecordFactory(made)
logging.basicConfig(format="%(levelname)s %(message)s %(more)s")
logging.error("quagga", exc_info=ValueError("quagga"))
""",
    "a task": """
async def broken():
    raise ValueError("quagga")
async def all_of_it():
    asyncio.get_running_loop().create_task(broken(), name="quagga")
    await asyncio.sleep(0.01)
    gc.collect()
asyncio.run(all_of_it())
""",
    "a thread": """
def broken():
    raise ValueError("quagga")
thread = threading.Thread(target=broken)
thread.start()
thread.join()
""",
    "a finalizer": """
class Broken:
    def __del__(self):
        raise ValueError("quagga")
Broken()
""",
}

FORGES = """
forged = "\\nmoot: forged \\x1b[31m\\u2028\\u202e" + "x" * 10_000
class ValueErrors(ValueError):
    pass
ValueErrors.__name__ = f"ValueError{forged}"
"""
IN_ONE_OF_OURS |= {
    "a forged file of a warning": f"""{FORGES}
import warnings
warnings.warn_explicit("quagga", type("ValueError", (UserWarning,), {{}}), forged, 3)
""",
    "a forged kind of a warning": f"""{FORGES}
import warnings
warnings.warn("quagga", type(ValueErrors.__name__, (UserWarning,), {{}}))
""",
    "a forged logger": f"""{FORGES}
threading.current_thread().name = forged
logging.addLevelName(33, forged)
made = logging.LogRecord(forged, 33, forged, forged, "quagga", (), (ValueErrors, ValueErrors("quagga"), None), forged)
own = logging.StreamHandler()
own.setFormatter(logging.Formatter("%(message)s %(name)s %(levelname)s %(pathname)s %(module)s %(funcName)s %(threadName)s"))
own.handle(made)
""",
    "a forged failure of a thread": f"""{FORGES}
def broken():
    raise ValueErrors("quagga")
thread = threading.Thread(target=broken)
thread.start()
thread.join()
""",
}
"""What stands around the words is as much of a library's choice."""


@pytest.mark.parametrize("does", IN_ONE_OF_OURS.values(), ids=IN_ONE_OF_OURS)
def test_in_a_process_of_ours(does: str) -> None:
    assert_one_line(ONE_OF_OURS.format(does=does))


def test_in_a_process_that_plays_for_a_run() -> None:
    assert_one_line(ON_ANOTHER_MACHINE)


def assert_one_line(code: str) -> None:
    given = {**os.environ, "PYTHONPATH": str(SOURCE)}
    ended = subprocess.run([sys.executable, "-c", code], env=given, capture_output=True, text=True, check=True)
    (line,) = ended.stderr.splitlines()
    assert "quagga" not in line
    assert line.isprintable(), "nothing that a terminal obeys"
    assert len(line) < 4_000
    assert "ValueError" in line, "what it was"
    assert " at " in line, "and where"
    assert "its words are not told" in line


IN_SOMEBODYS = """
import logging, warnings

def as_it_is():
    return warnings.showwarning, logging.Handler.handle, logging.Logger.makeRecord, logging.getLogRecordFactory()

before = as_it_is()
import moot
models = {"ann": {"provider": "simulated", "accuracy": 0.5}, "bob": {"provider": "simulated", "accuracy": 0.5}}
moot.run({"name": "cup", "questions": {"builtin": "facts-en"}, "models": models, "strategies": ["solo"]})
assert as_it_is() == before
"""


def test_in_somebodys_own_process_logging_and_warnings_are_theirs(tmp_path: Path) -> None:
    given = {**os.environ, "PYTHONPATH": str(SOURCE)}
    subprocess.run([sys.executable, "-c", IN_SOMEBODYS], env=given, cwd=tmp_path, check=True)
