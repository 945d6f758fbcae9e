"""Whatever is sent, by a server, a file or somebody else's code, ends in an outcome that every store can hold."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from hostile_server import completion, hostile, http, until_closed
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import moot
from moot import Case, Question, Reply, Request
from moot.engine.runner import Runner
from moot.errors import CallError, ModelBroke, RateLimited
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.models import border
from moot.models.answerable import Answerable
from moot.models.cache import StoredCall
from moot.models.retry import RetryPatience
from moot.models.retry_after import LONGEST_S, retry_after_s
from moot.models.scripted import ScriptedModel
from moot.models.wire import read_completion
from moot.store import store_at
from moot.store.rows import call_row, reply_of
from moot.store.sqlite import SqliteStore
from moot.store.store import Store
from moot.types import OUTCOMES, Message, Price, Usage

EXAMPLES = int(os.environ.get("MOOT_EXAMPLES", "50"))
"""Of what a server can send. `make attack` tries more."""

ODD_TEXTS = st.one_of(
    st.text(st.characters(), max_size=12),
    st.sampled_from(
        ["", "\x00", "\ud800", "\udfff\ud800", "a" * 3_000, "stop", "error", "length", "content_filter", "A"]
    ),
)
NUMBERS = st.one_of(
    st.integers(),
    st.sampled_from([2**31 - 1, 2**31, 2**63 - 1, 2**63, 2**64, -1, -(2**63), 10**400, 0, 1]),
    st.floats(),
)
KEYS = st.sampled_from(
    [
        "choices",
        "message",
        "content",
        "usage",
        "finish_reason",
        "refusal",
        "text",
        "model",
        "prompt_tokens",
        "completion_tokens",
        "reasoning_content",
        "reasoning",
        "logprobs",
        "delta",
        "error",
        "code",
        "metadata",
        "system_fingerprint",
        "tool_calls",
        "completion_tokens_details",
        "prompt_tokens_details",
        "reasoning_tokens",
        "cached_tokens",
        "native_finish_reason",
        "index",
        "id",
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | ODD_TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS | ODD_TEXTS, inner, max_size=5),
    max_leaves=14,
)
ANSWERS = st.builds(lambda answer: json.dumps({"reasoning": "r", "answer": answer}), JSON)


@st.composite
def bodies(draw: st.DrawFn) -> Any:
    """Mostly a completion of which some fields are odd: what is odd all over ends early."""
    if draw(st.integers(0, 3)) == 0:
        return draw(JSON)
    message = {"role": "assistant", "content": draw(ANSWERS | ODD_TEXTS | JSON), **draw(fields("refusal", "reasoning"))}
    choice = {"message": message, "finish_reason": draw(ODD_TEXTS | JSON), **draw(fields("logprobs", "error", "delta"))}
    counts = draw(fields("prompt_tokens", "completion_tokens", "prompt_tokens_details", "completion_tokens_details"))
    more = draw(fields("model", "system_fingerprint", "id", "created", "error"))
    return {"choices": [choice], "usage": counts, **more}


def fields(*names: str) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=dict.fromkeys(names, JSON))


def sent(body: Any, stream: bool) -> bytes:
    raw = json.dumps(body)
    if not stream:
        return http(raw)
    choices = body.get("choices") if isinstance(body, dict) else None
    if isinstance(choices, list) and choices and isinstance(choices[0], dict) and "message" in choices[0]:
        choices = [{**choices[0], "delta": choices[0]["message"]}]
        raw = json.dumps({**body, "choices": choices})
    return until_closed(f"data: {raw}\n\ndata: [DONE]\n\n".encode(), Content_Type="text/event-stream")


@pytest.fixture
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RetryPatience, "pause_s", lambda *_: 0.001)


@pytest.fixture(params=["temporary", "sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    if request.param == "temporary":
        return SqliteStore(None)
    url = (
        request.getfixturevalue("postgres").database()
        if request.param == "postgresql"
        else f"sqlite:///{tmp_path}/x.db"
    )
    return store_at(url)


def some(strategy: st.SearchStrategy[Any], count: int) -> list[Any]:
    """So many that hypothesis thinks of, to be tried together: a run for each would take hours."""
    drawn: list[Any] = []

    @settings(max_examples=count, phases=[Phase.generate], derandomize=True, database=None, deadline=None,
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(strategy)
    def draw(value: Any) -> None:
        drawn.append(value)

    draw()
    return drawn


async def outcomes_of(folder: Path, store: Store, replies: list[Any]) -> list[str]:
    """Every reply is sent to a question of its own, whole and streamed, in one run."""
    questions = [{"id": str(n), "text": f"Which is number <{n}>?", "answer": "A"} for n in range(len(replies))]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, questions)))

    def answer(body: Any, _: int) -> bytes:
        words = json.dumps(body["messages"])
        number = int(words.partition("number <")[2].partition(">")[0])
        return sent(replies[number], body.get("stream", False))

    async with hostile(answer) as server:
        ann = {"provider": "endpoint", "base_url": server.base_url, "model": "m", "retries": {"attempts": 2}}
        ann |= {"price": {"prompt": 1.0, "completion": 2.0}}
        models = {"ann": ann, "bob": {**ann, "stream": True}}
        config = {"name": "cup", "questions": {"file": "questions.jsonl"}, "models": models}
        (folder / "cup.yaml").write_text(yaml.safe_dump(config))
        plan = build(read_experiment(folder / "cup.yaml"))
        await store.open()
        try:
            state = await Runner(plan, store).run()
            assert state in ("done", "failed")
            rows = await store.read(lambda c: c.exec_driver_sql("SELECT outcome FROM episodes").fetchall())
        finally:
            await store.close()
    return [outcome for (outcome,) in rows]


async def test_any_json_that_a_server_can_send_ends_in_an_outcome(
    tmp_path: Path, store: Store, no_pauses: None
) -> None:
    replies = some(bodies(), EXAMPLES)
    ended = await outcomes_of(tmp_path, store, replies)
    assert len(ended) == 2 * len(replies)
    assert set(ended) <= set(OUTCOMES)


@given(bodies())
@settings(max_examples=2 * EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_json_is_read_clean_or_said(body: Any) -> None:
    try:
        reply = read_completion(json.dumps(body), latency_s=0.1, price=Price(1.0, 2.0))
    except CallError as failure:
        words = str(failure)
    else:
        assert_clean(reply)
        assert border.admitted(reply) == reply, "there is nothing left to clean"
        words = ""
    words.encode()
    assert len(words) < border.LONGEST_WORDS


# --- other ways in ----------------------------------------------------------------------------------------------------

CASES = [Case(Question("q1", "Which?"), "A")]
FIELDS = JSON | st.binary(max_size=3) | st.builds(object)


@st.composite
def odd_replies(draw: st.DrawFn) -> Reply:
    usage = draw(FIELDS | st.builds(Usage, FIELDS, FIELDS, FIELDS, FIELDS))
    values: tuple[Any, ...] = (draw(ANSWERS | ODD_TEXTS), draw(ODD_TEXTS | FIELDS), usage)
    return Reply(*values, *(draw(FIELDS) for _ in range(5)))


@given(odd_replies())
@settings(max_examples=2 * EXAMPLES, deadline=None)
def test_a_reply_of_any_making_is_clean_behind_the_border(reply: Reply) -> None:
    clean = border.admitted(reply)
    assert_clean(clean)
    assert border.admitted(clean) == clean


def assert_clean(reply: Reply) -> None:
    for text in (reply.text, reply.finish, reply.version or "", reply.thoughts or ""):
        assert "\x00" not in text
        text.encode()
    assert len(reply.finish) <= border.LONGEST_NAME
    for count in (reply.usage.prompt, reply.usage.completion, reply.usage.reasoning, reply.usage.cached):
        assert count is None or (type(count) is int and 0 <= count < 2**31)
    for number in (reply.latency_s, reply.cost_usd or 0.0):
        assert math.isfinite(number)
        assert number >= 0
    row = call_row(StoredCall("k", "m", "[]", reply.keyed("k")), "x")
    assert reply_of(row) == replace(reply.keyed("k"), in_part=None), "a bill in part is booked as the call is made"


class Odd(ScriptedModel):
    def __init__(self, name: str, reply: Callable[[], Any]) -> None:
        super().__init__(name, [])
        self._reply = reply

    async def generate(self, request: Request) -> Any:
        return self._reply()


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def raising(error: BaseException) -> Callable[[], Any]:
    def raised() -> Any:
        raise error

    return raised


PLUGGED: Mapping[str, Callable[[], Any]] = {
    "no reply": lambda: "A",
    "no text": lambda: Reply(None),  # type: ignore[arg-type]
    "a number": lambda: Reply(5),  # type: ignore[arg-type]
    "half a surrogate in an error": raising(ValueError("\ud800 \x00")),
    "half a surrogate in a failed call": raising(RateLimited("\ud800", retry_after_s=None)),
    "an error of a megabyte": raising(ValueError("x" * 2**20)),
    "a failed call of a megabyte": raising(CallError("x" * 2**20)),
    "an error without words": raising(Unprintable()),
    "a text without end": lambda: Reply("x" * (border.LONGEST_TEXT + 1)),
}


def test_models_of_others_end_in_an_outcome(tmp_path: Path) -> None:
    good = json.dumps({"reasoning": "r", "answer": "A"})
    odd = Reply(good, "\ud800", Usage(2**63, -1, 2**31, 10**400), 0.0, "\x00" * 1_000, 1e300, "\ud800")
    models = {name.replace(" ", "-"): Odd(name.replace(" ", "-"), reply) for name, reply in PLUGGED.items()}
    models["odd"] = Odd("odd", lambda: odd)
    results = moot.run(
        {"name": "cup", "models": models, "questions": CASES, "store": f"sqlite:///{tmp_path / 'cup.db'}"}
    )
    ended = [(row["outcomes"]) for row in results.figures["accuracy"]]
    assert ended == [*[{"failed": 1}] * len(PLUGGED), {"answered": 1}]
    assert all(len(cause) < 4_000 for cause in results.failures)


async def test_the_words_of_an_error_are_clean_and_short() -> None:
    for reply in PLUGGED.values():
        with pytest.raises(CallError) as caught:
            await Answerable(Odd("odd", reply)).generate(Request((Message("user", "Which?"),)))
        str(caught.value).encode()
        assert len(str(caught.value)) < border.LONGEST_WORDS + 100
    assert issubclass(ModelBroke, CallError)


async def test_headers_are_cleaned_too(tmp_path: Path, no_pauses: None) -> None:
    """What is no text in a header comes as half surrogates."""
    answers = [
        http("", 302, Location=b"http://\xff\xfe/" + b"x" * 4_000),
        http({"error": {"message": "no"}}, 429, Retry_After=b"\xff"),
        http({"error": {"message": "\ud800"}}, 400, Retry_After="nan"),
        http(b"\xff\xfe" * 400, 503, Retry_After="-5"),
        http(completion(), Content_Type=b"\xff"),
        http(completion(), Content_Encoding=b"\xff"),
    ]
    questions = [{"id": str(n), "text": f"Which is number <{n}>?", "answer": "A"} for n in range(len(answers))]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, questions)))

    def answer(body: Any, _: int) -> bytes:
        return answers[int(json.dumps(body["messages"]).partition("number <")[2].partition(">")[0])]

    async with hostile(answer) as server:
        ann = {"provider": "endpoint", "base_url": server.base_url, "model": "m", "retries": {"attempts": 1}}
        config = {"name": "cup", "questions": {"file": "questions.jsonl"}, "models": {"ann": ann}}
        (tmp_path / "cup.yaml").write_text(yaml.safe_dump(config))
        plan = build(read_experiment(tmp_path / "cup.yaml"))
        store = await plan.store().open()
        assert await Runner(plan, store).run() == "failed"
        rows = await store.read(
            lambda c: c.exec_driver_sql("SELECT outcome, count(*) FROM episodes GROUP BY outcome").fetchall()
        )
        await store.close()
    assert sorted(map(tuple, rows)) == [("answered", 1), ("failed", 5)]


@given(
    st.text(st.characters(codec="utf-8"), max_size=40)
    | st.sampled_from(["1e308", "9" * 400, "-1", "nan", "inf", "1_0"])
)
def test_any_retry_after_is_a_time_or_none(header: str) -> None:
    seconds = retry_after_s(header)
    assert seconds is None or 0 <= seconds <= LONGEST_S


def test_recorded_replies_pass_too(tmp_path: Path) -> None:
    lines = [
        {"model": "old", "question_id": "1", "answer": "A\ud800\x00", "reasoning": "\udfff"},
        {"model": "old", "question_id": "2", "text": '{"reasoning": "\\ud800", "answer": "\\u0000A\\udfff"}'},
    ]
    (tmp_path / "replies.jsonl").write_text("\n".join(map(json.dumps, lines)))
    questions = [{"id": str(n), "text": "Which?", "answer": "A"} for n in (1, 2)]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, questions)))
    config = {
        "name": "cup",
        "questions": {"file": "questions.jsonl"},
        "models": {"old": {"provider": "recorded", "file": "replies.jsonl", "model": "old"}},
    }
    (tmp_path / "cup.yaml").write_text(yaml.safe_dump(config))
    results = moot.run(tmp_path / "cup.yaml")
    assert results.figures["accuracy"][0]["outcomes"] == {"answered": 2}
