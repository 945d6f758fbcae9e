"""A prompt that a strategy uses and did not declare: a run says so once, since its wording is no part of the experiment."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

import moot
from moot import Case, Question, Request, ScriptedModel, Team, Traits, Verdict
from moot.prompts import Prompts
from moot.strategies import prompts_for
from moot.team.forms import AnswerForm

CASES = [Case(Question(f"q{number}", f"Who is number {number}?"), "Paris") for number in range(3)]


@dataclass(frozen=True)
class Nudges:
    """Everybody drafts; then the first is asked again in words of this strategy's own."""

    declares: bool = False

    name: ClassVar[str] = "nudges"
    prompts: ClassVar[dict[str, str]] = {
        "nudge": "{# inputs: question #}<question>\n{{ question }}\n</question>\nSure?"
    }

    @property
    def traits(self) -> Traits:
        return Traits(prompts=("draft", "nudge") if self.declares else ("draft",), drafts="single-call")

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (replace(team, captain=None),)

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        first, prompt = team.players[0], prompts_for(self, team.prompts).render("nudge", question=question.text)
        await team.ask(first, question, prompt, AnswerForm(question), stage="nudge", turn=2)
        return Verdict(drafts[0].text, "answered", who=(first.name,), answers=drafts)


def played(strategies: list[Any], tmp_path: Path) -> moot.Results:
    def answer(request: Request) -> Any:
        return {"reasoning": "so", "answer": "Paris"}

    models = {name: ScriptedModel(name, answer) for name in ("ann", "bob")}
    teams = {"two": {"players": ["ann", "bob"], "captain": "ann"}}
    players = {name: {"model": name} for name in models}
    keys = {"name": "cup", "models": models, "players": players, "teams": teams, "questions": CASES}
    return moot.run(keys, strategies=strategies, store=tmp_path / "cup.db")


def test_it_is_said_once_a_run_and_stands_in_the_report(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="nudges: uses the prompt nudge, which its traits do not name") as warned:
        results = played([Nudges()], tmp_path)
    assert sum("nudge" in str(warning.message) for warning in warned) == 1
    (run,) = results.figures["runs"]
    assert run["undeclared_prompts"] == {"nudges": ["nudge"]}
    words = [word for section in results.sections if section.id == "runs" for word in section.words]
    assert any("nudges used prompts that its traits do not name: nudge" in word for word in words)


@dataclass(frozen=True)
class Asks:
    """One prompt for each question: none of its plays uses all of them."""

    name: ClassVar[str] = "asks"
    prompts: ClassVar[dict[str, str]] = {f"asked-{case.question.id}": "{# inputs: #}Sure?" for case in CASES}
    traits: ClassVar[Traits] = Traits()

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (replace(team, captain=None),)

    async def play(self, question: Question, team: Team) -> Verdict:
        first = team.players[0]
        name = f"asked-{question.id}"  # a question that it is tried on beforehand is none of these
        prompt = prompts_for(self, team.prompts).render(name if name in self.prompts else "asked-q0")
        heard = await team.ask(first, question, prompt, AnswerForm(question), stage="ask")
        if heard.value is None:
            return Verdict(None, "unanswered", absent=(first.name,), cause="nobody spoke")
        return Verdict(heard.value.answer, "answered", who=(first.name,))


def test_all_of_them_are_named_whichever_play_used_them(tmp_path: Path) -> None:
    with pytest.warns(
        UserWarning, match="asks: uses the prompts asked-q0, asked-q1, asked-q2, which its traits do not"
    ):
        results = played([Asks()], tmp_path)
    (run,) = results.figures["runs"]
    assert run["undeclared_prompts"] == {"asks": ["asked-q0", "asked-q1", "asked-q2"]}


def test_whoever_declares_what_it_uses_is_not_named(tmp_path: Path) -> None:
    ours = ["solo", "vote", "talkative", "adaptive", "peer-review", {"debate": {"max_rounds": 1}}, "mixture"]
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        results = played([Nudges(declares=True), *ours], tmp_path)
    assert not [warning for warning in warned if "traits" in str(warning.message)]
    assert all("undeclared_prompts" not in run for run in results.figures["runs"])


@dataclass(frozen=True)
class Groups:
    """Everybody drafts, and whoever is in the first group gives the answer."""

    name: ClassVar[str] = "groups"

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (replace(team, captain=None),)

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        groups = (await team.group(question, drafts)).groups
        return Verdict(drafts[0].text, "answered", who=groups[0], answers=drafts)


@dataclass(frozen=True)
class DeclaresGroups(Groups):
    name: ClassVar[str] = "declares-groups"
    traits: ClassVar[Traits] = Traits(prompts=("draft",), drafts="single-call", groups=True)


def test_what_the_team_asks_by_itself_needs_no_name(tmp_path: Path) -> None:
    """Who says that it groups has said in which words; of one that says nothing it is known what a team can ask."""

    def run(folder: Path | None = None) -> tuple[moot.Results, int]:
        models = {name: ScriptedModel(name, lambda _, name=name: answer(name)) for name in ("ann", "bob")}
        guide = models["guide"] = ScriptedModel("guide", lambda _: {"groups": [[1, 2]]})
        keys: dict[str, Any] = {"name": "cup", "models": models, "players": {n: {"model": n} for n in ("ann", "bob")}}
        keys |= {"questions": CASES, "grouping": {"model": "guide"}, "strategies": [Groups(), DeclaresGroups()]}
        keys |= {"prompts": str(folder)} if folder else {}
        return moot.run(keys, store=tmp_path / "cup.db"), len(guide.requests)

    def answer(name: str) -> dict[str, str]:
        return {"reasoning": "so", "answer": f"Paris, says {name}"}

    with pytest.warns(UserWarning, match="groups: it declares no traits"):
        results, asked = run()
    assert all("undeclared_prompts" not in told for told in results.figures["runs"])
    (tmp_path / "own").mkdir()
    wording = Prompts("en").source("group") + "\nThink twice."
    (tmp_path / "own" / "group.j2").write_text(wording, encoding="utf-8")
    with pytest.warns(UserWarning, match="groups: it declares no traits"):
        assert run(tmp_path / "own")[1] == asked == len(CASES), "in other words it is asked anew"
