"""A library that warns of what a model said repeats it: that may hold a key, and reaches no stream, whoever asks the model."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import subprocess
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hostile_server import completion, hostile, http

from moot.models.wordless_warnings import call_without_words, tell_warnings_without_words

KEY = "sk-Quagga77Okapi"
SOURCE = Path(__file__).parents[2] / "src"
NEEDS_LITELLM = pytest.mark.skipif(find_spec("litellm") is None, reason='needs the extra: pip install "moot[litellm]"')


def odd(asked: Any, number: int) -> bytes:
    """What LiteLLM's own classes warn of, whole and as a stream: the key in fields of every kind."""
    body = completion(created=KEY, system_fingerprint={"a": KEY}, service_tier=[KEY])
    body["usage"] = {**body["usage"], "completion_tokens_details": {"reasoning_tokens": KEY}}
    body["choices"][0]["message"]["function_call"] = {"name": KEY, "arguments": [KEY]}
    if not asked.get("stream"):
        return http(body)
    body["object"] = "chat.completion.chunk"
    body["choices"][0]["delta"] = body["choices"][0].pop("message")
    return http(b"data: " + json.dumps(body).encode() + b"\n\ndata: [DONE]\n\n", Content_Type="text/event-stream")


IN_PYTHON = """
import sys, warnings
import moot
if sys.argv[1:] == ["captured"]:
    import logging
    logging.basicConfig()
    logging.captureWarnings(True)
moot.run("t.yaml")
warnings.warn("of my own", UserWarning)
"""


@NEEDS_LITELLM
@pytest.mark.parametrize(
    "command",
    [
        ["-m", "moot", "run", "t.yaml"],
        ["-m", "moot", "ask", "Which zanzibar river?", "--team", "t.yaml", "--strategy", "solo@ann", "--no-log"],
        ["-m", "moot", "doctor", "t.yaml"],
        ["-c", IN_PYTHON],
        ["-c", IN_PYTHON, "captured"],
    ],
    ids=["run", "ask", "doctor", "python", "python, captured"],
)
async def test_no_warning_of_a_library_shows_a_key(command: list[str], tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text('{"id": "1", "text": "Which zanzibar river?", "reference": "A"}\n')
    async with hostile(odd) as server:
        ann = {"provider": "litellm", "model": "openai/ann", "base_url": server.base_url, "api_key_env": "UPSTREAM_KEY"}
        models = {name: {**ann, "retries": {"attempts": 1}} for name in ("ann", "bob")}
        file = {"name": "cup", "questions": {"file": "q.jsonl"}, "models": models, "strategies": ["solo"]}
        (tmp_path / "t.yaml").write_text(json.dumps(file))
        given = {**os.environ, "PYTHONPATH": str(SOURCE), "UPSTREAM_KEY": KEY, "PYTHONWARNINGS": "always"}
        process = await asyncio.create_subprocess_exec(
            sys.executable, *command, cwd=tmp_path, env=given, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        told = (await process.communicate())[0].decode()
        assert server.seen, told
    assert KEY not in told
    assert "UserWarning" in told, "it is told that there was one"
    assert "its words are not told" in told
    if command[0] == "-c":
        assert "of my own" in told, "whoever uses moot from Python keeps the words of other warnings"


async def odd_call(*pauses: asyncio.Event) -> None:
    """Each pause is waited for, and then it warns once more."""
    warnings.warn(f"input_value='{KEY}'", UserWarning, stacklevel=1)
    for pause in pauses:
        await pause.wait()
        warnings.warn(f"input_value='{KEY}'", UserWarning, stacklevel=1)


async def test_what_others_catch_meanwhile_puts_no_words_back(capsys: pytest.CaptureFixture[str]) -> None:
    first, second = asyncio.Event(), asyncio.Event()
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = warnings._showwarning_orig  # type: ignore[attr-defined]
        warnings._showwarnmsg_impl = lambda told: sys.stderr.write(f"{told.message}\n")  # type: ignore[attr-defined]
        with warnings.catch_warnings():
            call = asyncio.ensure_future(call_without_words(odd_call(first, second)))
            await asyncio.sleep(0)
        first.set()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        second.set()
        await call
    told = capsys.readouterr().err
    assert KEY not in told
    assert told.count("its words are not told") == 3


async def test_a_call_that_is_given_up_hears_of_it() -> None:
    heard: list[type[BaseException]] = []

    async def given_up() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError as error:
            heard.append(type(error))
            raise

    call = asyncio.ensure_future(call_without_words(given_up()))
    await asyncio.sleep(0)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert heard == [asyncio.CancelledError]


async def test_the_warnings_of_others_are_theirs() -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        filters = list(warnings.filters)
        for _ in range(3):
            await call_without_words(odd_call())
            warnings.warn("of my own", DeprecationWarning, stacklevel=1)
        assert warnings.filters == filters
    assert [(each.category, str(each.message)) for each in told[1::2]] == [(DeprecationWarning, "of my own")] * 3
    assert [each.category for each in told[::2]] == [UserWarning] * 3
    assert not any(KEY in str(each.message) for each in told)


IN_SOMEBODYS = """
import asyncio, tracemalloc, warnings
from moot.models.wordless_warnings import call_without_words

async def call():
    open("/dev/null")
    warnings.warn("quagga", stacklevel=1)
    again = warnings.WarningMessage("quagga", UserWarning, "f\\nmoot: forged", 1)
    warnings.showwarning(again.message, again.category, again.filename, again.lineno)

tracemalloc.start(5)
warnings.simplefilter("always")
asyncio.run(call_without_words(call()))
open("/dev/null")
warnings.warn("of my own")
"""


def test_in_somebodys_own_process_python_shows_warnings_as_it_would() -> None:
    """Also where what is not closed was made, which it knows with `tracemalloc`."""
    given = {**os.environ, "PYTHONPATH": str(SOURCE)}
    ended = subprocess.run([sys.executable, "-c", IN_SOMEBODYS], env=given, capture_output=True, text=True, check=True)
    within, own = ended.stderr.split("<string>:14: ")
    assert "quagga" not in within
    assert "\nmoot: forged" not in within
    assert within.count("its words are not told") == 3
    assert own.startswith("ResourceWarning: unclosed file <_io.TextIOWrapper name='/dev/null'")
    assert "Object allocated at" in own
    assert "UserWarning: of my own" in own


class Ours:
    async def forgets(self) -> None: ...


@NEEDS_LITELLM
async def test_a_call_that_is_given_up_before_litellm_has_sent_it_is_no_warning() -> None:
    from litellm.llms.openai.openai import OpenAIChatCompletion

    told: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        tell_warnings_without_words(told.append)
        given_up: Any = OpenAIChatCompletion().acompletion
        made = [given_up(*[None] * 12)]
        made.clear()
        gc.collect()
        assert told == []
        made.append(Ours().forgets())
        made.clear()
        gc.collect()
    assert len(told) == 1, "a mistake of our own is one"
    assert told[0].startswith("RuntimeWarning at ")
