"""Where a text of somebody else's is cut because it is too long, a key may stand: no part of it is left."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import product
from typing import Any

import pytest
from hostile_server import completion, hostile, http, until_closed
from hypothesis import given
from hypothesis import strategies as st

from moot.errors import CallError
from moot.live.discovery.servers import find_servers
from moot.models.border import LONGEST_NAME, LONGEST_WORDS
from moot.models.endpoint import EndpointModel
from moot.models.model import Model
from moot.models.secrets import Secrets
from moot.types import Message, Request

KEY = "sk-Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z"
PIECE = 6
"""So many letters of a key in a row are a part of it."""

CUTS = (200, LONGEST_NAME, 400, 600, 1_000, LONGEST_WORDS)
"""Where texts of somebody else's are cut."""


def parts_of_key(text: str) -> list[str]:
    """In letters of either size: whatever is made of a text before it is looked through."""
    key, text = KEY.casefold(), text.casefold()
    return [part for at in range(len(key) - PIECE + 1) if (part := key[at : at + PIECE]) in text]


def choice(**more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": "A"}
    return {"choices": [{"index": 0, "message": message, "finish_reason": "stop", **more}]}


BEFORE_IT = len("[['content filter: ")
"""What stands before it when such a list is written, so that it is cut at the same place."""

FORMS: dict[str, Callable[[str], Any]] = {
    "model": lambda said: {**completion("A"), "model": said},
    "fingerprint": lambda said: {**completion("A"), "system_fingerprint": said},
    "model and fingerprint": lambda said: {
        **completion("A"),
        "model": said[: len(said) // 2],
        "system_fingerprint": said[len(said) // 2 :],
    },
    "finish": lambda said: choice(finish_reason=said),
    "native finish": lambda said: choice(native_finish_reason=f"error {said} error"),
    "failed finish": lambda said: choice(finish_reason=f"error {said}"),
    "filter": lambda said: {"error": {"code": "content_filter", "message": said}},
    "filter of the choice": lambda said: choice(error={"code": "content_filter", "message": said}),
    "blocked": lambda said: {"promptFeedback": {"blockReason": said}, "choices": []},
    "filtered": lambda said: {
        "choices": [],
        "prompt_filter_results": [{"content_filter_results": {said: {"filtered": True}}}],
    },
    "error within": lambda said: {"error": {"code": 500, "message": said}},
    "quoted error within": lambda said: {"error": {"code": 500, "message": "", "metadata": {"raw": said}}},
    "odd error within": lambda said: {"error": {"note": [said]}},
    "lists of a filter": lambda said: {"error": [[f"content filter: {said[BEFORE_IT:]}"]]},
    "a list within": lambda said: {"error": [[said[3:]]]},
    "detail": lambda said: {"detail": [{"loc": ["body", said], "msg": "no"}]},
    "no choices": lambda said: {"said": said},
    "no object": lambda said: [said],
    "no JSON": lambda said: said,
    "half a JSON": lambda said: '{"said": "' + said,
    "thoughts": lambda said: choice(message={"role": "assistant", "content": "A", "reasoning_content": said}),
    "refusal": lambda said: choice(message={"role": "assistant", "content": None, "refusal": said}),
    "code": lambda said: {"error": {"code": said, "type": said, "message": said}},
}
STATUSES = (200, 400, 500)


def padded(cut: int, left: int, sign: str = "x") -> str:
    """With the key where the text is cut, so many letters of it before that."""
    return f"{sign * (cut - left - 1)} {KEY} and more"


def in_pieces(body: Any) -> bytes:
    """The same as a stream."""
    if not isinstance(body, dict):
        return until_closed(f"data: {body if isinstance(body, str) else json.dumps(body)}\n\n".encode())
    choices = [{**each, "delta": each.get("message", {})} for each in body.get("choices", ())]
    event = {**body, **({"choices": choices} if "choices" in body else {})}
    return until_closed(b"data: " + json.dumps(event).encode() + b"\n\ndata: [DONE]\n\n")


async def said_of(model: Model, asked: str = "Which?") -> str:
    """All that is left of a reply, or of an error."""
    try:
        return repr(await model.generate(Request((Message("user", asked),))))
    except CallError as error:
        return f"{error!r} {error.__dict__}"


def bodies() -> Iterator[tuple[str, Any]]:
    for (name, form), cut, left in product(FORMS.items(), CUTS, (PIECE, 7, len(KEY) - 1)):
        for more in (0, -13) if "error" in name or name == "failed finish" else (0,):  # behind words of ours
            yield f"{name}, cut at {cut} behind {left}", form(padded(cut + more, left))


@pytest.mark.parametrize("way", ["whole", "stream", *STATUSES[1:]])
async def test_no_part_of_a_key_is_left_wherever_a_text_is_cut(
    way: str | int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    cases = dict(bodies())
    left: dict[str, str] = {}

    def answer(asked: Any, number: int) -> bytes:
        body = cases[asked["messages"][0]["content"]]
        return in_pieces(body) if way == "stream" else http(body, status=way if isinstance(way, int) else 200)

    async with hostile(answer) as server:
        model = EndpointModel("ann", base_url=server.base_url, model="m", api_key=KEY, stream=way == "stream")
        for name in cases:
            said = await said_of(model, name)
            assert "x" in said or (way == "stream" and name.startswith("no choices")), name
            if parts_of_key(said):
                left[name] = said[-200:]
        await model.close()
    assert left == {}
    assert parts_of_key(caplog.text) == []


async def test_nor_where_the_wire_cuts_it() -> None:
    async with hostile(lambda asked, number: until_closed(f"data: {{{'x' * 20} {KEY[:7]}".encode())) as server:
        model = EndpointModel("ann", base_url=server.base_url, model="m", api_key=KEY, stream=True)
        assert parts_of_key(await said_of(model)) == []
        await model.close()


HEADERS = (
    "Content-Encoding",
    "Content-Type",
    "Location",
    "Retry-After",
    "Transfer-Encoding",
    "Content-Length",
    "X-Any",
)


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("status", [200, 307, 429, 500])
@pytest.mark.parametrize("stream", [False, True])
async def test_nor_in_a_header(header: str, status: int, stream: bool, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    said = [value for before in ("", "gzip, ", "x" * 30 + " ", "identity;") for value in (before + KEY, KEY + before)]

    def answer(asked: Any, number: int) -> bytes:
        value = said[int(asked["messages"][0]["content"])] if asked else said[0]
        head = f"HTTP/1.1 {status} Whatever\r\n{header}: {value}\r\nConnection: close\r\n\r\n"
        return head.encode() + json.dumps(completion("A")).encode()

    async with hostile(answer) as server:
        model = EndpointModel("ann", base_url=server.base_url, model="m", api_key=KEY, stream=stream)
        for number in range(len(said)):
            assert parts_of_key(await said_of(model, str(number))) == []
        with suppress(CallError):
            assert parts_of_key(repr(await model.versions())) == []
        await model.close()
    assert parts_of_key(caplog.text) == []


@pytest.mark.parametrize("encoding", ["br", " ZSTD"])
async def test_a_way_of_packing_that_has_a_name_is_told_of(encoding: str) -> None:
    async with hostile(lambda asked, number: http(completion("A"), Content_Encoding=encoding)) as server:
        model = EndpointModel("ann", base_url=server.base_url, model="m", api_key=KEY)
        assert f"packed as '{encoding.strip().lower()}', which was not asked for" in await said_of(model)
        await model.close()


async def test_nor_in_a_redirect() -> None:
    key = "secret?of#many?signs-and-more"
    place = f"https://elsewhere.invalid/{key}"
    async with hostile(lambda asked, number: http("", status=307, Location=place)) as server:
        model = EndpointModel("ann", base_url=server.base_url, model="m", api_key=key)
        assert "secret" not in await said_of(model)
        await model.close()


@given(
    st.integers(1, 700),
    st.integers(0, len(KEY)),
    st.sampled_from([KEY, "".join(f"\\u{ord(letter):04x}" for letter in KEY), KEY.replace("-", "%2D")]),
    st.integers(0, 400),
)
def test_what_is_shortened_holds_no_part(most: int, left: int, key: str, before: int) -> None:
    """However it is spelt, and however many others stand before it, which are shorter when they are hidden."""
    text = f"{(key + ' ') * before}{'x' * max(0, most - left)}{key}{'x' * most}"
    secrets = Secrets((KEY,))
    shortened = secrets.shortened(text, most)
    assert len(shortened) <= most
    for part in (KEY[at : at + PIECE] for at in range(len(KEY) - PIECE + 1)):
        assert part not in shortened
    assert "u0073\\u006b\\u002d\\u0041" not in shortened
    assert secrets.shortened(text, len(text)) is text, "what is whole is looked through with the rest"


def test_what_holds_no_key_is_shortened_to_its_beginning() -> None:
    assert Secrets((KEY,)).shortened("abc" * 100, 100) == ("abc" * 100)[:99] + "…"
    assert Secrets(()).shortened("abc" * 100, 100) == ("abc" * 100)[:99] + "…"
    assert Secrets((KEY,)).name("m-1") == "m-1"
    assert Secrets((KEY,)).name(["m-1"]) is None


async def test_a_server_that_lists_the_key_it_was_shown_has_no_such_model() -> None:
    """What is found is shown, and written into a file."""

    def answer(asked: Any, number: int) -> bytes:
        return http("", status=401) if number == 1 else http({"data": [{"id": "m-1"}, {"id": f"m {KEY}"}]})

    async with hostile(answer) as server:
        (found,) = await find_servers([int(server.base_url.rpartition(":")[2].removesuffix("/v1"))], KEY)
    assert (found.by_key, found.models) == (True, ("m-1",))
