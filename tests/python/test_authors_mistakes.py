"""What somebody who writes a plug-in gets wrong at first: each mistake is told in its own words, and none makes a figure."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
import yaml
from rich.console import Console

import moot
from moot import Case, Question, Reply, Request, ScriptedModel, Team, Traits, Verdict
from moot.cli.app import app
from moot.cli.estimate import show_estimate
from moot.cli.exit import run_app
from moot.estimate.estimate import estimate
from moot.experiment.build import build
from moot.measures.section import Column, Section
from moot.needs import Needs
from moot.team.forms import AnswerForm
from moot.testing import check_strategy
from moot.traces import Shown

CASES = [Case(Question(f"q{number}", f"Which, {number}?"), "A") for number in range(3)]


def scripted(name: str) -> ScriptedModel:
    return ScriptedModel(name, lambda request: {"reasoning": "r", "answer": "A"})


def keys(**more: Any) -> dict[str, Any]:
    return {"name": "cup", "models": {name: scripted(name) for name in ("ann", "bob")}, "questions": CASES, **more}


@dataclass(frozen=True)
class Mine:
    name: ClassVar[str] = "mine"
    traits: ClassVar[Traits] = Traits(prompts=("draft",))

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (replace(team, captain=None),)

    async def play(self, question: Question, team: Team) -> Verdict:
        return await self.mistake(question, team)  # type: ignore[no-any-return]

    async def mistake(self, question: Question, team: Team) -> Any:
        raise NotImplementedError


class AsksAName(Mine):
    async def mistake(self, question: Question, team: Team) -> Any:
        return await team.ask("ann", question, "Who?", AnswerForm(question), stage="ask")  # type: ignore[arg-type]


class AsksAStranger(Mine):
    async def mistake(self, question: Question, team: Team) -> Any:
        return await team.ask(team["zoe"], question, "Who?", AnswerForm(question), stage="ask")


class AsksANumber(Mine):
    async def mistake(self, question: Question, team: Team) -> Any:
        return await team.speak(team["ann"], question, 5, stage="ask")  # type: ignore[arg-type]


class SaysNothing(Mine):
    async def mistake(self, question: Question, team: Team) -> Any:
        return Verdict(" ", "answered")


class PlaysAtOnce(Mine):
    def play(self, question: Question, team: Team) -> Verdict:  # type: ignore[override]
        return Verdict("A", "answered")


@pytest.mark.parametrize(
    ("strategy", "words"),
    [
        (AsksAName(), "expected a player to ask, found 'ann'; write team[name] or team.officers[office]"),
        (AsksAStranger(), "there is no player 'zoe' at this table; expected one of ann, bob"),
        (AsksANumber(), "expected a prompt in words, found 5"),
        (SaysNothing(), "expected words as the answer, or None, found ' '"),
        (PlaysAtOnce(), "expected async def play, found one that gives a Verdict at once"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_mistake_in_play_is_told_and_costs_no_other_strategy(strategy: Mine, words: str) -> None:
    with pytest.warns(UserWarning, match="mine: tried on a question .* with scripted players it failed"):
        results = moot.run(keys(strategies=["solo", strategy]))
    ((cause, times),) = results.failures.items()
    assert times == len(CASES)
    assert cause.startswith("a bug in mine: ")
    assert words in cause.replace("\\'", "'")
    assert [row["value"] for row in results.figures["accuracy"] if row["strategy"] == "solo"] == [1.0, 1.0]


@dataclass(frozen=True)
class Unfinished:
    name: ClassVar[str] = "unfinished"

    def plaay(self) -> None: ...


def test_a_strategy_without_its_parts_is_told_what_is_missing() -> None:
    words = r"strategies.0: Unfinished\(\) is no strategy; expected an object with .*, and it has no lineups and play"
    with pytest.raises(moot.MootError, match=words):
        moot.run(keys(strategies=[Unfinished()]))


class Own:
    """A model with nothing wrong, until a part of it is another."""

    name = "own"
    price: Any = None

    def shape(self, request: Request) -> Mapping[str, Any]:
        return {"provider": "own", "messages": [message.content for message in request.messages]}

    async def generate(self, request: Request) -> Reply:
        return Reply('{"reasoning": "r", "answer": "A"}')

    async def close(self) -> None: ...


class OneShape(Own):
    """Every question would be answered by the reply to the first one."""

    def shape(self, request: Request) -> Mapping[str, Any]:
        return {"provider": "own"}


class Cheap(Own):
    price = "cheap"


class AtOnce(Own):
    def generate(self, request: Request) -> Reply:  # type: ignore[override]
        return Reply('{"reasoning": "r", "answer": "A"}')


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (OneShape(), "model 'own': shape: expected one that differs where the messages do, .*found the same for all"),
        (Cheap(), r"model 'own': price: expected Price\(...\) or None, found 'cheap'"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_model_whose_calls_cannot_be_told_apart_or_priced_is_refused(model: Own, words: str) -> None:
    with pytest.raises(moot.MootError, match=f"models.own: {words}"):
        moot.run(keys(models={"own": model}))


def test_a_model_that_does_not_wait_is_told_so() -> None:
    (cause,) = moot.run(keys(models={"own": AtOnce()})).failures
    assert cause == "ModelBroke: model 'own': expected async def generate, found one that gives a Reply at once"
    assert moot.run(keys(models={"own": Own()})).state == "done"


@dataclass(frozen=True)
class Shows:
    """One row in one column, as they are given."""

    row: dict[str, Any]
    column: Column

    name: ClassVar[str] = "shows"
    needs: ClassVar[Needs] = Needs()

    def figures(self, run: Any) -> dict[str, Any]:
        return {"shown": [self.row]}

    def sections(self, figures: Mapping[str, Any]) -> Iterator[Section]:
        yield Section("shows", "Shows", (), (self.column,), figures["shown"])


RIGHT = Column("right", "right", "share", "low", "high")


@pytest.mark.parametrize(
    ("row", "column", "words"),
    [
        ({"right": 37.0}, Column("right", "right", "share"), "rows: right: expected a share from 0 to 1, found 37.0"),
        ({"right": 1.001}, Column("right", "right", "share"), "rows: right: expected a share from 0 to 1, found 1.001"),
        (
            {"right": -0.001},
            Column("right", "right", "share"),
            "rows: right: expected a share from 0 to 1, found -0.001",
        ),
        ({"right": 0.3, "low": -20, "high": 0.4}, RIGHT, "rows: low: expected a share from 0 to 1, found -20"),
        ({"right": 0.3, "low": 0.2, "high": 37}, RIGHT, "rows: high: expected a share from 0 to 1, found 37"),
        ({"right": 0.3, "low": 0.4, "high": 0.2}, RIGHT, "rows: low: expected no more than 0.2, its high, found 0.4"),
        ({"right": 0.3, "low": 0.2}, RIGHT, "columns: right: high: expected a key that some row has"),
        ({"right": 1}, Column("right", None), "columns: right: title: expected words, found None"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_shown_as_it_is_said_is_not_shown(row: dict[str, Any], column: Column, words: str) -> None:
    results = moot.run(keys(), measures=[Shows(row, column)])
    (failure,) = results.figures["plugin_failures"]
    assert failure["error"].startswith(f"sections: shows: {words}")
    assert results._repr_html_()


def test_where_there_is_no_value_nobody_needs_an_interval() -> None:
    results = moot.run(keys(), measures=[Shows({"right": None}, RIGHT)])
    assert "plugin_failures" not in results.figures


Order = Callable[[Question, Team], list[int]]


@dataclass(frozen=True)
class Reader:
    """An officer reads the drafts and answers; in which order, and what is said of that, is the question."""

    drawn: bool = True
    shuffled: bool = True

    name: ClassVar[str] = "reader"
    traits: ClassVar[Traits] = Traits(
        prompts=("draft",), drafts="single-call", word="office", hears="reasons", asks="nobody", offices={"chair": "m1"}
    )

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (replace(team, captain=None),)

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        absent = tuple(draft.player for draft in drafts if draft.text is None)
        heard = [draft for draft in drafts if draft.text is not None]
        if self.shuffled:
            heard = team.random(question, "order").sample(heard, len(heard))
        prompt = "\n".join([question.text, *(f"{draft.text}: {draft.reasoning}" for draft in heard)])
        chair = team.officers["chair"]
        said = (await team.ask(chair, question, prompt, AnswerForm(question), stage="chair", turn=2)).value
        if said is None or not heard:
            return Verdict(None, "unanswered", answers=drafts, absent=absent, cause="nobody spoke")
        shown = Shown("chair", "chair", tuple((draft.player,) for draft in heard), 2, self.drawn, said.answer)
        return Verdict(said.answer, "answered", who=("chair",), answers=drafts, absent=absent, traces=(shown,))


async def test_an_order_that_is_said_to_be_drawn_is_drawn() -> None:
    await check_strategy(Reader())
    await check_strategy(Reader(drawn=False, shuffled=False))
    with pytest.raises(
        AssertionError, match=r"traces: the order shown to 'chair' \(chair\) is said to be drawn, and is"
    ):
        await check_strategy(Reader(shuffled=False))


def test_nothing_is_said_of_what_an_officer_was_shown_beside_drafts() -> None:
    """Whether accuracies stand in its prompt is an option of some strategies; of others nobody knows."""
    models = {name: scripted(name) for name in ("ann", "bob", "m1")}
    (row,) = moot.run(keys(models=models, strategies=[Reader()])).figures["mixtures"]
    assert (row["summariser"], row["accuracies"]) == ("m1", None)


PACKAGE = """
from dataclasses import dataclass
from typing import ClassVar

@dataclass(frozen=True)
class OneCase:
    name: ClassVar[str] = "one-case"
    columns: ClassVar = ()
    def cases(self, row):
        return {"id": "1", "text": "Which?"}

class Crashes(OneCase):
    name = "crashes"
    def cases(self, row):
        yield {"id": "1", "text": "Which?", "answer": row.needed("solution") / 2}

class NeedsInk:
    name = "needs-ink"
    def __init__(self):
        raise RuntimeError("no ink")
"""
POINTS = """
[moot.datasets]
one-case = mistaken_pack:OneCase
crashes = mistaken_pack:Crashes
[moot.graders]
needs-ink = mistaken_pack:NeedsInk
"""


@pytest.mark.parametrize(
    ("written", "words"),
    [
        (
            {"questions": {"format": "one-case", "file": "rows.jsonl"}},
            "rows.jsonl:1: format 'one-case': cases: expected mappings, each with the keys of a question, found str",
        ),
        (
            {"questions": {"format": "crashes", "file": "rows.jsonl"}},
            "rows.jsonl:1: format 'crashes': cases: TypeError: unsupported operand",
        ),
        ({"grader": "needs-ink"}, "(mistaken_pack:NeedsInk) cannot be made: RuntimeError: no ink"),
    ],
    ids=["one-case", "crashes", "needs-ink"],
)
def test_a_package_that_breaks_is_blamed_and_moot_is_not(
    written: dict[str, Any],
    words: str,
    tmp_path: Path,
    installed: Callable[[Path], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    place = tmp_path / "site" / "mistaken_pack-0.1.0.dist-info"
    place.mkdir(parents=True)
    (place / "METADATA").write_text("Name: mistaken-pack\nVersion: 0.1.0\n")
    (place / "entry_points.txt").write_text(POINTS)
    (tmp_path / "site" / "mistaken_pack.py").write_text(PACKAGE)
    installed(tmp_path / "site")
    (tmp_path / "rows.jsonl").write_text('{"solution": "x"}\n')
    models = {"ann": {"provider": "simulated", "accuracy": 0.5}}
    file = tmp_path / "cup.yaml"
    file.write_text(yaml.safe_dump({"name": "cup", "questions": {"builtin": "facts-en"}, "models": models, **written}))
    assert run_app(app, ["run", str(file), "--quiet"]) == 2
    told = capsys.readouterr().err
    assert words in told
    assert "a bug in moot" not in told


@dataclass(frozen=True)
class Undrafted(Mine):
    traits: ClassVar[Traits] = Traits(prompts=("draft", "nowhere"))


def test_a_declared_prompt_that_is_not_there_is_told_with_whose_it_is() -> None:
    with pytest.raises(moot.MootError, match="strategy 'mine': traits: prompts: there is no prompt 'nowhere' in en"):
        moot.run(keys(strategies=[Undrafted()]))


async def test_an_estimate_without_what_failed_is_no_bound() -> None:
    models = {name: {"provider": "simulated", "accuracy": 0.5} for name in ("ann", "bob")}
    experiment = moot.Experiment(**keys(models=models, strategies=["solo", AsksAStranger()]))
    taken = await estimate(build(experiment.as_file), None)
    assert taken.most_usd is None
    ((label, cause),) = taken.broken.items()
    assert (label, "there is no player 'zoe'" in cause) == ("mine", True)
    console = Console(file=io.StringIO(), width=200)
    show_estimate(taken, console)
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "unbounded: mine failed" in shown
    assert "These numbers leave out mine, which failed when tried: a bug in mine: " in shown
