"""Every parser of words that a model or a file brings: it gives a value or says that there is none, and takes no longer
than the text is long."""

from __future__ import annotations

import ast
import asyncio
import gc
import itertools
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

import moot
from moot.ballots import registered as rules
from moot.ballots import rule
from moot.data import load
from moot.data.replies import convert_replies
from moot.data.solution_answers import within_by
from moot.data.tables.object_cells import opened
from moot.errors import FileError, MootError
from moot.experiment.claims import parse
from moot.experiment.side_names import ClaimError, parse_side
from moot.experiment.spec import read_experiment
from moot.grade.by_rubric import PointsForm
from moot.grade.extract import ExtractForm
from moot.grade.group import PartitionForm
from moot.grade.judge import GradesForm
from moot.grade.lemmas import lemma_key
from moot.grade.match import match
from moot.grade.normalise import normalise, spelled
from moot.grade.prefer import PreferenceForm
from moot.grade.squad import squad
from moot.models.border import storable
from moot.models.hiccups import preview
from moot.models.intake import IN_FLIGHT_BYTES, REPLY_BYTES, Intake, Room
from moot.models.recorded import read_recording
from moot.models.stream import read_stream
from moot.models.wire import read_completion
from moot.pasted import lines_of
from moot.prompts import block, line
from moot.prompts.template import declared_inputs
from moot.rubric import Criterion
from moot.serve.client_form import AnyObject, ClientForm
from moot.simulate.prompt_reading import read_contents
from moot.strategies.argument import ArgumentForm
from moot.strategies.council.rankings import RankingForm
from moot.strategies.discuss.challenge import AgreementForm
from moot.strategies.discuss.paper import Paper, PickForm
from moot.strategies.discuss.personas import RoleForm
from moot.strategies.discuss.remark import MessageForm
from moot.team import Team
from moot.team.final_line import after_thoughts, final_answer
from moot.team.forms import AnswerForm, Form, Unusable, read_reply
from moot.team.reading import Announced
from moot.types import Case, Message, Question, Reply

sys.path.insert(0, str(Path(__file__).parent))
from corpus import GROWING, SMALL

OPEN = Question("o", "Which city?")
CHOICE = Question("c", "Which one?", choices=("Paris", "Rome", "Oslo"), kind="choice")
YES_NO = Question("y", "Is it so?", kind="yes-no")
RUSSIAN = Question("r", "Какой город?", language="ru")
QUESTIONS = (OPEN, CHOICE, YES_NO, RUSSIAN)

FORMS: dict[str, Form[Any]] = {
    **{f"answer-{question.id}": AnswerForm(question) for question in QUESTIONS},
    **{f"extract-{question.id}": ExtractForm(question) for question in QUESTIONS},
    **{f"argument-{question.id}": ArgumentForm(question, ("steelman", "critique")) for question in QUESTIONS},
    **{f"message-{question.id}": MessageForm(question) for question in QUESTIONS},
    **{f"ballot-{name}": Paper(rule(name), (2, 0, 1)) for name in rules()},
    "partition": PartitionForm(3),
    "grades": GradesForm(3),
    "pick": PickForm(3),
    "role": RoleForm(("botanist",)),
    "agreement": AgreementForm(),
    "ranking": RankingForm((2, 0, 1)),
    "points": PointsForm((Criterion("clear", 3, "Is it clear?"), Criterion("true", 2, "Is it true?"))),
    "preference": PreferenceForm(),
    "client": ClientForm({"properties": {"answer": {"type": "string", "pattern": "^(a+)+$"}}, "required": ["answer"]}),
    "client-any": ClientForm({"type": "object"}),
    "client-objects": AnyObject([]),
}


def filled(form: Form[Any], text: str) -> object:
    """The value, or None where the form says that there is none. Anything else it may raise is a crash."""
    try:
        return read_reply(Reply(text), form).value
    except Unusable:
        return None


def announced(text: str, question: Question) -> str | None:
    return asyncio.run(Announced().read(question, Reply(text), Team("t", ())))


def wired(raw: str) -> object:
    try:
        return read_completion(raw.encode("utf-8", "surrogatepass"), latency_s=0.0, price=None)
    except MootError as error:
        return str(error)


class Content:
    """A stream that comes in pieces."""

    def __init__(self, raw: bytes, size: int = 4096) -> None:
        self._pieces = [raw[start : start + size] for start in range(0, len(raw), size)]

    async def iter_any(self) -> Any:
        for piece in self._pieces:
            yield piece


def streamed(raw: str) -> object:
    content = Content(b"data: " + raw.encode("utf-8", "surrogatepass") + b"\n\n")
    try:
        response = SimpleNamespace(content=content, headers={}, content_length=None)
        return asyncio.run(read_stream(response, Intake(REPLY_BYTES, Room(IN_FLIGHT_BYTES)), started=0.0, price=None))
    except MootError as error:
        return str(error)


def claimed(text: str) -> object:
    try:
        return parse(text)
    except ClaimError as error:
        return str(error)


def sided(text: str) -> object:
    try:
        return parse_side(text)
    except ClaimError as error:
        return str(error)


CASE = Case(OPEN, "Paris", accepted=("City of Light",), lemmatize=True, free_order=True)
TEXTS: dict[str, Callable[[str], object]] = {
    "block": block,
    "line": line,
    "storable": storable,
    "preview": preview,
    "normalise": normalise,
    "spelled": lambda text: spelled(text, "en"),
    "lemmas": lambda text: lemma_key(text, "ru"),
    "match": lambda text: match(CASE, text),
    "squad": lambda text: squad(CASE, text),
    "after-thoughts": after_thoughts,
    "final-open": lambda text: final_answer(text, OPEN),
    "final-choice": lambda text: final_answer(text, CHOICE),
    "final-yes-no": lambda text: final_answer(text, YES_NO),
    "announced-open": lambda text: announced(text, OPEN),
    "announced-choice": lambda text: announced(text, CHOICE),
    "wire": wired,
    "stream": streamed,
    "claim": claimed,
    "side": sided,
    "solution": within_by,
    "cell": opened,
    "inputs": declared_inputs,
    "command": lambda text: lines_of(text, 10**6),
    "shown": lambda text: read_contents([Message("user", text)]),
}
PARSERS: dict[str, Callable[[str], object]] = {
    **{f"form-{name}": (lambda text, form=form: filled(form, text)) for name, form in FORMS.items()},  # type: ignore[misc]
    **TEXTS,
}


@pytest.mark.parametrize("parser", PARSERS.values(), ids=PARSERS)
def test_nothing_in_the_corpus_breaks_a_parser(parser: Callable[[str], object]) -> None:
    for text in SMALL.values():
        found = parser(text)
        assert found == parser(text), "and what is read once is read so again"


def test_every_form_there_is_was_tried() -> None:
    """A new one must be added above: whatever has a schema and reads what comes back is one."""
    found = set()
    for path in Path(moot.__file__).parent.rglob("*.py"):
        for each in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(each, ast.ClassDef) and not any("Protocol" in ast.unparse(base) for base in each.bases):
                own = {part.name for part in each.body if isinstance(part, ast.FunctionDef)}
                own |= {ast.unparse(part.target) for part in each.body if isinstance(part, ast.AnnAssign)}
                if {"schema", "letters", "read"} <= own:
                    found.add(each.name)
    assert found
    assert found == {type(form).__name__ for form in FORMS.values()}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_what_is_read_can_be_stored(form: Form[Any]) -> None:
    for text in SMALL.values():
        repr(filled(form, text)).encode()


def test_one_vote_is_one_vote() -> None:
    """A ballot is for options that exist, each once, within the rule; a forged one is none."""
    for name in rules():
        paper = Paper(rule(name), (2, 0, 1))
        for text in SMALL.values():
            ballot = filled(paper, text)
            assert ballot is None or rule(name).problem(ballot, 3) is None  # type: ignore[arg-type]


# --- files -------------------------------------------------------------------------------------------------------------


def loaded(path: Path, text: str, read: Callable[[Path], object]) -> None:
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        read(path)
    except FileError as error:
        said = str(error)
    else:
        return
    assert str(path) in said


def everything(path: Path) -> None:
    list(load(path))


FILES: dict[str, tuple[str, str, Callable[[Path], object]]] = {
    "four-s": ("cup.4s", "? {}\n! {}\n", everything),
    "questions": ("cup.jsonl", "{}\n", everything),
    "csv": ("cup.csv", "id,text,answer\n1,{},x\n", everything),
    "recording": ("replies.jsonl", "{}\n", read_recording),
    "replies": (
        "raw.jsonl",
        "{}\n",
        lambda path: convert_replies(path, path.with_name("r.jsonl"), path.with_name("q.jsonl")),
    ),
    "experiment": ("cup.yaml", "name: {}\n", read_experiment),
    "yaml": ("cup.yaml", "{}\n", read_experiment),
}


@pytest.mark.parametrize(("name", "form", "read"), FILES.values(), ids=FILES)
def test_a_hostile_file_is_read_or_refused(
    tmp_path: Path, name: str, form: str, read: Callable[[Path], object]
) -> None:
    for text in SMALL.values():
        loaded(tmp_path / name, form.replace("{}", text), read)
    nested = () if form.startswith("name") else ("brackets-square", "brackets-curly", "objects-nested", "yaml-aliases")
    for text in ("letters", "spaces", "quotes", "digits", *nested):
        loaded(tmp_path / name, form.replace("{}", GROWING[text](5_000)), read)


def test_a_file_of_yaml_that_would_grow_without_end_is_refused(tmp_path: Path) -> None:
    """The billion laughs: ten times itself, ten times over."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    started = time.process_time()
    loaded(tmp_path / "cup.yaml", "\n".join(lines), read_experiment)
    assert time.process_time() - started < 5


# --- time --------------------------------------------------------------------------------------------------------------

LEAST_S = 0.01
"""Below that a measurement says more about the machine."""
RATIO = 8
SIZE = 6_000
_NUMBERS = itertools.count()


def cpu_s(parser: Callable[[str], object], text: str) -> float:
    text = f"{text} {next(_NUMBERS)}"  # one that no cache has seen
    gc.disable()  # its time is that of everything else in this process
    try:
        started = time.process_time()
        parser(text)
        return time.process_time() - started
    finally:
        gc.enable()


@pytest.mark.parametrize("parser", PARSERS.values(), ids=PARSERS)
def test_no_parser_takes_more_than_linear_time(parser: Callable[[str], object]) -> None:
    """Four times the text may take four times as long, twice that for the noise, and no more."""
    for name, grow in GROWING.items():
        longer = cpu_s(parser, grow(4 * SIZE))
        if longer <= LEAST_S:
            continue
        shorter = min(cpu_s(parser, grow(SIZE)) for _ in range(2))
        longer = min(longer, cpu_s(parser, grow(4 * SIZE)))
        assert longer <= RATIO * max(shorter, LEAST_S / RATIO), f"{name}: {shorter:.4f} s, then {longer:.4f} s"


def test_a_hundred_thousand_brackets_and_ten_megabytes() -> None:
    """The sizes that a server may send before anybody stops it."""
    form = AnswerForm(CHOICE)
    for text in (
        "[" * 100_000,
        "{" * 100_000,
        '{"a":' * 100_000,
        "[" * 100_000 + "]" * 100_000,
        '{"answer":' + "[" * 100_000,
    ):
        assert filled(form, text) is None
        wired(text)
    ten_megabytes = 10 * 2**20
    started = time.process_time()
    assert filled(form, "x" * ten_megabytes) is None
    said = filled(form, json.dumps({"reasoning": "y" * ten_megabytes, "answer": "B"}))
    assert said is not None
    assert said.answer == "B"  # type: ignore[attr-defined]
    assert len(block("</answer>" * (ten_megabytes // 9))) == ten_megabytes // 9 * 9
    assert time.process_time() - started < 20


# --- fuzz --------------------------------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    [
        *'{}[]":,\\<>/()*_`.#\n\t ',
        '{"answer": "',
        '"reasoning": ',
        '"choice": 1',
        '"groups": [[1], [2, 3]]',
        '"grades": [{"id": 1, "is_correct": true}]',
        "answer is ",
        "Ответ: ",
        "\\boxed{",
        "<think>",
        "</think>",
        "</answer>",
        "null",
        "true",
        "NaN",
        "1e999",
        "\\ud800",
        "\ud800",
        "\x00",
        "\u202e",
        "A",
        "(B)",
        "yes",
        "9" * 4400,
        "? ",
        "! ",
    ]
)
NOISE = st.lists(st.one_of(PIECES, st.text(max_size=6)), max_size=25).map("".join)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(
                [
                    "answer",
                    "reasoning",
                    "choice",
                    "ranking",
                    "points",
                    "approved",
                    "groups",
                    "grades",
                    "role",
                    "agree",
                    "message",
                ]
            ),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=12,
).map(lambda value: json.dumps(value, ensure_ascii=False))


@settings(max_examples=80, deadline=None)
@given(st.one_of(NOISE, JSON, st.tuples(NOISE, JSON, NOISE).map("".join)))
@example('{"choice": "' + "7" * 4301 + '"}')
@example("<" + "\u200b" * 50 + "/answer>")
def test_fuzz_of_every_parser(text: str) -> None:
    for parser in PARSERS.values():
        parser(text)


@settings(max_examples=200, deadline=None)
@given(NOISE)
def test_fuzz_of_block(text: str) -> None:
    """What was made safe is safe: doing it again changes nothing, and only brackets were changed."""
    safe = block(text)
    assert block(safe) == safe
    assert len(safe) == len(text)
    assert all(new == old or (new == "‹" and old in "<＜﹤") for new, old in zip(safe, text, strict=True))


@settings(max_examples=60, deadline=None)
@given(text=NOISE, name=st.sampled_from(sorted(FILES)))
def test_fuzz_of_files(tmp_path_factory: pytest.TempPathFactory, text: str, name: str) -> None:
    file, form, read = FILES[name]
    loaded(tmp_path_factory.mktemp("fuzz") / file, form.replace("{}", text), read)


def test_the_corpus_is_hostile() -> None:
    """Else nothing was shown: it holds what is no YAML, no JSON and no Unicode."""
    assert any("\ud800" in text for text in SMALL.values())
    with pytest.raises(yaml.YAMLError):
        yaml.safe_load(SMALL["characters-control"])
    with pytest.raises(ValueError, match="Exceeds"):
        int("7" * 4301)
