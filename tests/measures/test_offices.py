"""Officers on the record: under the name of their office, whatever they are asked, and under nobody else's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pytest

import moot
from moot import Case, Question, ScriptedModel, Team, Traits, Verdict
from moot.errors import FileError
from moot.strategies import CallBound
from moot.team.forms import AnswerForm

COUNT = 3
CASES = [Case(Question(str(number), f"What is capital number {number}?"), "Paris") for number in range(COUNT)]
JUDGED = {"discuss": {"decision": "judge", "judge": "jo"}}


@dataclass(frozen=True, slots=True)
class Attacked:
    """An officer attacks what was said and, in another stage, what it said itself."""

    office: str = "advocate"
    name: ClassVar[str] = "attacked"

    @property
    def traits(self) -> Traits:
        return Traits(
            prompts=("draft",), drafts="single-call", asks="nobody", offices={self.office: "jo"},
            calls=CallBound(per_player=1, fixed=2),
        )  # fmt: skip

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (replace(team, captain=None),)

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        for turn, stage in ((2, "attack"), (3, "rebut")):
            prompt = f"{stage} {question.text}"
            await team.ask(team.officers[self.office], question, prompt, AnswerForm(question), stage=stage, turn=turn)
        return Verdict(drafts[0].text, "answered", who=(drafts[0].player,), answers=drafts, turns=3)


def run(players: Sequence[str], strategies: Sequence[Any], **more: Any) -> dict[str, Any]:
    def says(word: str) -> Any:
        reply = {"reasoning": "", "answer": word, "solution": word, "agree": True, "choice": 1, "groups": [[1], [2]]}
        return lambda request: reply

    models = {name: ScriptedModel(name, says(f"city of {name}")) for name in (*players, "jo")}
    keys = {"name": "cup", "models": models, "questions": CASES, "players": {name: {"model": name} for name in players}}
    named = [strategy for strategy in strategies if not isinstance(strategy, Attacked)]
    objects = [strategy for strategy in strategies if isinstance(strategy, Attacked)]
    return dict(moot.run({**keys, **({"strategies": named} if named else {}), **more}, strategies=objects).figures)


def asked(figures: dict[str, Any]) -> dict[tuple[str, str], tuple[int, int]]:
    return {(row["player"], row["office"]): (row["asked"], row["calls"]) for row in figures["attendance"]}


def test_an_officer_of_several_stages_has_one_office() -> None:
    assert asked(run(["ann", "bob"], [Attacked()])) == {  # beside solo, which is played without being named
        ("ann", "player"): (2 * COUNT, COUNT),
        ("bob", "player"): (2 * COUNT, COUNT),
        ("jo", "advocate"): (COUNT, 2 * COUNT),
    }


@pytest.mark.parametrize(
    ("players", "strategies", "more", "said"),
    [
        (["judge", "bob"], [JUDGED], {}, "'judge' is the name of a player of team 'all' and of an office of strategy 'discuss'"),
        (["advocate", "bob"], [Attacked()], {}, "'advocate' is the name of a player of team 'all' and of an office of strategy"),
        (["bob", "grouping"], ["vote"], {"grouping": {"model": "jo"}}, "'grouping' is the name of a player of team 'all' and"),
        (["ann", "bob"], [Attacked("player")], {}, "strategy 'attacked' has an office called 'player'"),
    ],
)  # fmt: skip
def test_a_player_who_bears_the_name_of_an_office_in_use_is_refused(
    players: list[str], strategies: list[Any], more: dict[str, Any], said: str
) -> None:
    with pytest.raises(FileError, match=said) as caught:
        run(players, strategies, **more)
    assert str(caught.value.key).startswith("strategies")


@pytest.mark.parametrize(
    ("players", "strategies", "more"),
    [
        (["judge", "advocate", "summariser"], ["vote", "solo"], {}),
        (["judge", "bob", "cid"], [{"discuss": {"decision": "simple-voting"}}, Attacked()], {}),
        (["grouping", "bob"], ["solo"], {"grouping": {"model": "jo"}}),
        (["grouping", "bob"], ["vote"], {}),
        (["judge", "bob", "cid", "dan"], [JUDGED], {"teams": {"three": {"players": ["bob", "cid", "dan"]}}}),
    ],
)
def test_a_name_that_no_office_in_use_has_is_anybodys(
    players: list[str], strategies: list[Any], more: dict[str, Any]
) -> None:
    offices = {office for name, office in asked(run(players, strategies, **more)) if name in players}
    assert offices == {"player"}


def test_a_run_of_before_says_that_the_two_cannot_be_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("moot.experiment.build.check_office_names", lambda *_: None)
    alone = asked(run(["ann", "bob", "cid"], [JUDGED]))
    told = asked(run(["judge", "bob", "cid"], [JUDGED]))
    assert told.keys() == {("judge", "player or judge"), ("bob", "player"), ("cid", "player")}
    assert told["bob", "player"] == alone["bob", "player"]
    assert told["judge", "player or judge"][1] == alone["ann", "player"][1] + alone["jo", "judge"][1]
