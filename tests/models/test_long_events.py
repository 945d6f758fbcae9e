"""A reply of megabytes in one event, looked through for a secret: quickly, in steps, and while others are answered."""

from __future__ import annotations

import asyncio
import base64
import json
import random
import textwrap
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any
from urllib.parse import quote

import pytest
from hostile_server import completion, hostile, http
from hypothesis import given
from hypothesis import strategies as st

from moot.models import spelt_letters
from moot.models.endpoint import EndpointModel, Network
from moot.models.intake import MIB
from moot.models.overheard import Tell, overhearing
from moot.models.secrets import Secrets
from moot.models.secrets_so_far import AT_ONCE
from moot.models.spelt_letters import further_letters
from moot.types import Message, Reply, Request

KEY = "sk-proj-AbC_dEf-1234567890124f1d0b77c2e94a35"
PLAIN = Request((Message("user", "Which?"),))
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
LETTERS = ["alpha", "sketch", "the", "skin", "some", "50%", "a&b", "\\frac", "news", "like", "0x3"]


def ordinary(size: int) -> str:
    """Letters of the key, and signs that announce a letter by its number, as texts have them."""
    draw = random.Random(7)
    line = " ".join(draw.choice(LETTERS) for _ in range(2_000)) + "\n"
    return (line * (size // len(line) + 1))[:size]


def cpu_s(work: Callable[[], object]) -> float:
    def once() -> float:
        begun = time.thread_time()
        work()
        return time.thread_time() - begun

    return min(once() for _ in range(3))


def test_a_long_text_takes_a_fraction_of_what_looking_at_each_letter_would() -> None:
    """Against a loop over its characters on the same machine, and by how it grows."""
    texts = {size: ordinary(size) for size in (MIB // 16, MIB // 4)}
    secrets = Secrets([KEY])
    took = {
        size: cpu_s(lambda text=text: list(map(secrets.words_so_far().take, pieces(text))))
        for size, text in texts.items()
    }
    loop_s = cpu_s(lambda: sum(1 for letter in texts[MIB // 4] if letter == "k"))
    assert took[MIB // 4] < 40 * loop_s, f"{took[MIB // 4] / loop_s:.0f} times as long as a loop"
    assert took[MIB // 4] < 8 * max(0.02, took[MIB // 16])


def pieces(text: str) -> list[str]:
    return [text[start : start + AT_ONCE] for start in range(0, len(text), AT_ONCE)]


def test_it_is_looked_through_in_steps() -> None:
    heard: list[str] = []
    text = ordinary(MIB)
    steps = sum(1 for _ in Secrets([KEY]).untold_to(heard.append)(text))
    assert steps > MIB // AT_ONCE
    assert text.startswith("".join(heard))
    assert len("".join(heard)) > MIB - 100


class Ear:
    is_bound = False

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.first = asyncio.Event()

    def voice(self) -> Tell:
        def tell(words: str) -> None:
            self.heard.append(words)
            self.first.set()

        return tell


async def test_another_request_is_answered_while_a_long_event_is_looked_through() -> None:
    text = ordinary(2 * MIB)
    event: dict[str, Any] = {"choices": [{"delta": {"content": text}, "finish_reason": "stop"}]}
    long = HEAD + b"data: " + json.dumps(event).encode() + b"\n\ndata: [DONE]\n\n"

    def answer(body: Any, _: int) -> bytes:
        return long if body["model"] == "long" else http(completion("short"))

    async with hostile(answer) as server:
        network = Network(timeout_s=60)
        large, small = (
            EndpointModel(name, base_url=server.base_url, model=name, api_key=KEY, network=network)
            for name in ("long", "short")
        )
        ear, ended = Ear(), list[str]()

        async def beside() -> None:
            await ear.first.wait()
            assert (await small.generate(PLAIN)).text == "short"
            ended.append("short")

        other = asyncio.create_task(beside())
        with overhearing(ear):
            reply = await large.generate(PLAIN)
        ended.append("long")
        await other
        await large.close()
        await small.close()
    assert ended == ["short", "long"]
    assert reply.text == text
    assert len(ear.heard) > 2 * MIB // AT_ONCE // 2
    assert text.startswith("".join(ear.heard))


# --- wherever a long text is cut --------------------------------------------------------------------------------------

FORMS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "address": lambda key: "".join(f"%{byte:02x}" for byte in key.encode()),
    "JSON": lambda key: "".join(f"\\u{ord(letter):04x}" for letter in key),
    "packed": lambda key: base64.b64encode(f"user:{key}".encode()).decode(),
    "packed in lines": lambda key: "\\r\\n".join(textwrap.wrap(FORMS["packed"](key), 20)),
    "hexadecimal": lambda key: key.encode().hex(),
    "some letters": lambda key: quote(key[:5], safe="").replace("s", "%73") + key[5:],
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("filling", ["word ", "50% "])
def test_a_secret_is_found_across_the_borders_of_windows_and_pieces(form: str, filling: str) -> None:
    written, secrets = FORMS[form](KEY), Secrets([KEY])
    for border in (2**14, AT_ONCE):
        for before in (len(written) - 1, 1):
            text = (filling * border)[: border - before] + " " + written + " and " + filling * 200
            hidden = secrets.without(Reply(text)).text
            assert "…" in hidden
            assert written not in hidden
            told = "".join(map(secrets.words_so_far().take, pieces(text)))
            assert hidden.startswith(told)
            assert len(told) >= border - AT_ONCE - len(written) - 20


def test_no_letter_takes_more_than_is_held_back_for_it() -> None:
    from re import _parser  # type: ignore[attr-defined]

    bounds = {False: spelt_letters.LONGEST_LETTER, True: spelt_letters.LONGEST_BEHIND}
    for letter in [*map(chr, range(32, 127)), "é", "п", "≂", "😀", "𝔘"]:
        for behind, bound in bounds.items():
            for packed in (False, True):
                for way in further_letters(letter, packed=packed, behind_backslash=behind):
                    assert _parser.parse(way).getwidth()[1] < bound
    assert _parser.parse(spelt_letters.HALF.pattern).getwidth()[1] < spelt_letters.LONGEST_BEHIND


# --- short keys --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["1", "test", "hush", "secret", "a%", "x&"])
def test_a_stream_is_told_though_a_short_key_stands_inside_of_its_words(key: str) -> None:
    text = f"In 2{key}3 the la{key} contest of {key}s and b{key}, 4{key}2 of them. " * 40
    for size in (1, 3, 7, len(text)):
        so_far = Secrets([key]).words_so_far()
        told = "".join(so_far.take(text[start : start + size]) for start in range(0, len(text), size))
        assert text.startswith(told)
        assert len(told) > len(text) - 1_300, "of a letter that may go on more is held back"
        if key[-1].isalnum():
            assert len(told) > len(text) - 8


@given(st.data())
def test_a_stream_tells_of_a_short_key_what_the_whole_reply_has(data: st.DataObject) -> None:
    key = data.draw(st.sampled_from(["1", "ab", "test", "a b", "a%", "x&y", "elevenchars"]))
    parts = st.sampled_from(
        [key, key, key[:1], key[1:], "a", "%", "25", "&amp;", "&#38;", "\\u0061", " ", "_", "9", "é", "."]
    )
    text = "".join(data.draw(st.lists(parts, max_size=12)))
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=8))
    secrets = Secrets([key])
    so_far = secrets.words_so_far()
    told = "".join(so_far.take(text[start:end]) for start, end in pairwise(sorted({0, len(text), *cuts})))
    assert secrets.without(Reply(text)).text.startswith(told)


def test_where_it_stands_alone_no_more_is_told() -> None:
    so_far = Secrets(["test"]).words_so_far()
    assert [so_far.take(words) for words in ("the latest ", "te", "st", " of it", " is")] == [
        "the latest ",
        "",
        "",
        "",
        "",
    ]
