"""Strategies of others are played with scripted players before anything is paid for; what is surely a mistake ends there."""

from __future__ import annotations

import asyncio
import json
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
import uvicorn

import moot
from moot import Case, Question, ScriptedModel, Team, Traits, Verdict
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.errors import UsageError
from moot.experiment.spec import read_experiment
from moot.live.team import LiveTeam
from moot.strategies import prompts_for
from moot.team.forms import AnswerForm

NUDGE = "{# inputs: question, answer #}<question>\n{{ question }}\n</question>\nYou said {{ answer }}. Sure?"
CASES = [
    Case(Question("1", "Capital of France?"), "Paris"),
    Case(Question("2", "Capital of Spain?"), "Madrid"),
    Case(Question("3", "Which?", choices=("Rome", "Oslo"), kind="choice"), "A"),
]


@dataclass(frozen=True)
class Nudges:
    """Everybody drafts, and where they differ the first is asked again in words of this strategy's own."""

    name: ClassVar[str] = "nudges"
    traits: ClassVar[Traits] = Traits(prompts=("draft", "nudge"), drafts="single-call")
    prompts: ClassVar[dict[str, str]] = {"nudge": NUDGE}

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (replace(team, captain=None),)

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        if len({draft.text for draft in drafts}) > 1:
            prompt = self.prompt(question, team, drafts[0].text)
            await team.ask(team.players[0], question, prompt, AnswerForm(question), stage="nudge", turn=2)
        return Verdict(drafts[0].text, "answered", who=(drafts[0].player,), answers=drafts)

    def prompt(self, question: Question, team: Team, answer: Any) -> str:
        return prompts_for(self, team.prompts).render("nudge", question=question.text, answer=answer)


class GivesAnotherName(Nudges):
    def prompt(self, question: Question, team: Team, answer: Any) -> str:
        return prompts_for(self, team.prompts).render("nudge", question=question.text, answr=answer)


class AsksForAnother(Nudges):
    def prompt(self, question: Question, team: Team, answer: Any) -> str:
        return prompts_for(self, team.prompts).render("nudg", question=question.text)


class OfChoicesOnly(Nudges):
    def prompt(self, question: Question, team: Team, answer: Any) -> str:
        given = {} if question.kind == "choice" else {"answer": answer}
        return prompts_for(self, team.prompts).render("nudge", question=question.text, **given)


NOT_GIVEN = (
    "strategy 'nudges': nudge.j2: cannot be filled in: 'answer' is undefined: render('nudge', ...) gives {given}; the inputs"
    " of this prompt are answer, question; expected each of these inputs to be given"
)
REFUSED = {
    GivesAnotherName: NOT_GIVEN.format(given="answr, question"),
    OfChoicesOnly: NOT_GIVEN.format(given="question"),
    AsksForAnother: (
        "strategy 'nudges': there is no prompt 'nudg' in en; expected one of its own, which are nudge; did you mean 'nudge'?"
    ),
}


def keys(strategy: Any, answers: Callable[[Any], Any] = lambda request: {"reasoning": "r", "answer": "A"}) -> Any:
    models = {name: ScriptedModel(name, answers) for name in ("ann", "bob")}
    return {"name": "cup", "models": models, "questions": CASES, "strategies": ["solo", strategy]}


def asked(given: Any) -> int:
    return sum(len(model.requests) for model in given["models"].values())


@pytest.mark.parametrize("mistaken", REFUSED, ids=lambda strategy: strategy.__name__)
def test_what_a_template_is_not_given_is_refused_before_any_call(mistaken: type[Nudges], tmp_path: Path) -> None:
    given = keys(mistaken())
    with pytest.raises(UsageError) as refused:
        moot.run(given, store=tmp_path / "cup.db")
    assert str(refused.value) == REFUSED[mistaken]
    assert asked(given) == 0
    assert not (tmp_path / "cup.db").exists()


async def test_the_same_where_a_loop_is_running() -> None:
    given = keys(GivesAnotherName())
    with pytest.raises(UsageError, match="'answer' is undefined"):
        await moot.arun(given)
    assert asked(given) == 0


def test_a_sound_one_is_played_as_if_it_had_not_been_tried() -> None:
    given = keys(Nudges())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        results = moot.run(given)
    assert results.state == "done"
    assert results.warnings == ()
    assert asked(given) == len(results.frame("calls")) == 2 * len(CASES)


class Particular(Nudges):
    """Refuses what it was not made for, which real players may never say."""

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        if any(draft.text != "A" for draft in drafts):
            raise TypeError("expected A")
        return Verdict("A", "answered", who=("ann",), answers=drafts)


class NeverContent(Nudges):
    """Asks until all agree."""

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        for turn in range(2, 10**9):
            if len({draft.text for draft in drafts}) == 1:
                break
            prompts = {player.name: f"{turn}: agree!" for player in team.players}
            await team.ask_all(question, prompts, AnswerForm(question), stage="again", turn=turn)
        return Verdict("A", "answered", who=("ann",), answers=drafts)


class Cancels(Nudges):
    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        if drafts[0].text != "A":
            raise asyncio.CancelledError
        return Verdict("A", "answered", who=("ann",), answers=drafts)


ODD = "nudges: tried on a question ({}) with scripted players it failed, so it may fail in the run: "


@pytest.mark.parametrize(
    ("strategy", "told"),
    [(Particular(), "TypeError: expected A"), (NeverContent(), None), (Cancels(), "it cancelled itself")],
    ids=lambda value: type(value).__name__,
)
def test_what_may_hang_on_the_replies_is_told_and_played(strategy: Nudges, told: str | None) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        results = moot.run(keys(strategy))
    assert results.state == "done"
    expected = [] if told is None else [ODD.format("open") + told]
    assert [warning for warning in results.warnings if "(open)" in warning] == expected
    assert [str(warning.message) for warning in caught if "(open)" in str(warning.message)] == expected


PACKAGE = """
from dataclasses import dataclass, replace
from typing import ClassVar
from moot import Traits, Verdict
from moot.team.forms import AnswerForm

@dataclass(frozen=True)
class Nudges:
    name: ClassVar[str] = "nudges"
    traits: ClassVar[Traits] = Traits(prompts=("draft", "nudge"), drafts="single-call")

    def lineups(self, team):
        return (replace(team, captain=None),)

    async def play(self, question, team):
        drafts = await team.drafts(question)
        team.prompts.beside(__file__).render("nudge", question=question.text)
        return Verdict(drafts[0].text, "answered", who=(drafts[0].player,), answers=drafts)
"""


PARTICULAR = PACKAGE.replace(
    'team.prompts.beside(__file__).render("nudge", question=question.text)',
    'if question.id == "trial": raise TypeError("expected a real one")',
)
"""It breaks on trial, and nowhere else."""


@pytest.fixture
def brings(tmp_path: Path, installed: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Installs a package of this source, which has such a strategy, and writes a file that plays it."""
    return lambda source: _installed(source, tmp_path, installed, monkeypatch)


@pytest.fixture
def brought(brings: Callable[[str], Path]) -> Path:
    return brings(PACKAGE)


def _installed(source: str, tmp_path: Path, installed: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch) -> Path:
    site = tmp_path / "site"
    info = site / "nudging-0.1.0.dist-info"
    info.mkdir(parents=True)
    (site / "nudging" / "prompts" / "en").mkdir(parents=True)
    (site / "nudging" / "__init__.py").write_text(source, encoding="utf-8")
    (site / "nudging" / "prompts" / "en" / "nudge.j2").write_text(NUDGE, encoding="utf-8")
    (info / "METADATA").write_text("Name: nudging\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text("[moot.strategies]\nnudges = nudging:Nudges\n")
    installed(site)
    monkeypatch.delitem(sys.modules, "nudging", raising=False)
    path = tmp_path / "cup.yaml"
    models = {name: {"provider": "simulated", "accuracy": 0.5} for name in ("ann", "bob")}
    keys = {"name": "cup", "models": models, "questions": {"builtin": "general-en"}, "strategies": ["nudges"]}
    path.write_text(json.dumps({**keys, "store": "sqlite:///cup.db"}), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "command",
    [
        ("run", "cup.yaml", "--quiet"),
        ("run", "cup.yaml", "--estimate"),
        ("ask", "Who?", "--team", "cup.yaml"),
        ("play", "general-en", "--team", "cup.yaml"),
    ],
    ids=" ".join,
)
def test_every_command_that_asks_refuses_it(
    brought: Path, command: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(brought.parent)
    assert run_app(app, list(command)) == 2
    error = capsys.readouterr().err
    template = brought.parent / "site" / "nudging" / "prompts" / "en" / "nudge.j2"
    assert f"strategy 'nudges': {template}: cannot be filled in: 'answer' is undefined" in error
    assert "gives question; the inputs of this prompt are answer, question" in error


@pytest.mark.parametrize(
    "command",
    [
        ("run", "cup.yaml", "--quiet", "--limit", "1"),
        ("run", "cup.yaml", "--estimate"),
        ("ask", "Who?", "--team", "cup.yaml"),
        ("play", "general-en", "--team", "cup.yaml", "--limit", "1"),
        ("serve", "cup.yaml", "--port", "0"),
    ],
    ids=" ".join,
)
def test_every_command_that_asks_tells_what_is_odd(
    brings: Callable[[str], Path],
    command: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def served_nobody(server: uvicorn.Server) -> None:
        """It has started, and ends here."""

    monkeypatch.setattr(uvicorn.Server, "main_loop", served_nobody)
    monkeypatch.chdir(brings(PARTICULAR).parent)
    assert run_app(app, list(command)) == 0
    told = [line for line in capsys.readouterr().err.splitlines() if "expected a real one" in line]
    kind = "open" if command[0] in ("ask", "serve") else "choice"  # as the questions of the file are
    assert told == [f"moot: {ODD.format(kind)}TypeError: expected a real one"]


async def test_a_team_from_python_tells_it_too(brings: Callable[[str], Path]) -> None:
    with pytest.warns(UserWarning, match="TypeError: expected a real one") as caught:
        async with moot.load_team(brings(PARTICULAR)):
            pass
    assert [str(warning.message) for warning in caught] == [ODD.format("open") + "TypeError: expected a real one"]


async def test_a_team_with_it_is_not_served(brought: Path) -> None:
    live = LiveTeam(read_experiment(brought), serving=True)
    with pytest.raises(UsageError, match=r"strategy 'nudges': .*'answer' is undefined"):
        await live.open()
    assert not (brought.parent / "cup.db").exists()
