"""Adaptive: the vote where the team agrees, the talkative captain where it does not, and the same results as either."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from moot.errors import FileError, UsageError
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.grade.group import GROUPING, Stages
from moot.models.scripted import Script, ScriptedModel
from moot.strategies import Strategy, label, strategy
from moot.strategies.adaptive import Adaptive
from moot.strategies.talkative import Talkative
from moot.strategies.vote import Vote
from moot.team import Player, Team
from moot.testing import check_strategy
from moot.traces import Grouped, of_kind
from moot.types import Question, Reply, Request, Verdict

NAMES = ("ann", "bob", "cat", "dan")
QUESTION = Question("q", "Which city did the song name?")
REFUSAL = Reply("I would rather not.", "refusal")
AGREED = ["Rome", "rome", "ROME", "Rome"]
SPLIT = ["Rome", "Paris", "Rome", "Paris"]
SCATTERED = ["Rome", "Paris", "Oslo", "Bonn"]


def saying(said: str | Script) -> Any:
    def say(request: Request) -> Script:
        if '<answer n="1">' in request.messages[-1].content:
            return {"reasoning": "having heard you all", "answer": "Babylon"}
        return {"reasoning": f"so {said}", "answer": said} if isinstance(said, str) else said

    return say


def table(said: list[Any], captain: str = "bob", grouper: Stages | None = None) -> Team:
    players = tuple(Player(name, ScriptedModel(name, saying(each))) for name, each in zip(NAMES, said, strict=True))
    return Team("four", players, seed=7, captain=captain, grouper=grouper or Stages()).seated()


async def played(way: Strategy, said: list[Any], question: Question = QUESTION) -> tuple[Verdict, int]:
    """The verdict, and how many calls a captain was asked in."""
    team = table(said)
    verdict = await way.play(question, team)
    return verdict, sum(call.stage == "talkative" for call in team.journal)


CASES = {
    # what they say, talk_from, whether the captain talks
    "one-mind": (AGREED, 2, False),
    "one-mind-from-1": (AGREED, 1, True),
    "two-from-2": (SPLIT, 2, True),
    "two-from-3": (SPLIT, 3, False),
    "four-from-4": (SCATTERED, 4, True),
    "four-from-5": (SCATTERED, 5, False),
    "absent-do-not-count": (["Rome", "Paris", REFUSAL, REFUSAL], 3, False),
}


@pytest.mark.parametrize(("said", "talk_from", "talks"), CASES.values(), ids=CASES)
async def test_it_is_the_vote_below_and_the_talkative_captain_from_there(
    said: list[Any], talk_from: int, talks: bool
) -> None:
    verdict, captain_calls = await played(Adaptive(talk_from=talk_from), said)
    assert captain_calls == talks
    if not talks:
        assert verdict == (await played(Vote(), said))[0]
        return
    wanted, _ = await played(Talkative(), said)
    assert (verdict.answer, verdict.outcome, verdict.who) == (wanted.answer, wanted.outcome, wanted.who)
    assert (verdict.reasoning, verdict.absent, verdict.answers) == (wanted.reasoning, wanted.absent, wanted.answers)
    grouped, *rest = verdict.traces
    assert tuple(rest) == wanted.traces, "the same order of answers, so the same call"
    assert isinstance(grouped, Grouped)
    assert len(grouped.groups) >= talk_from, "and on which groups it was decided to talk"


async def test_it_sends_what_the_others_send() -> None:
    """The same prompts to the same models: from a store, they are the same calls."""
    prompts = []
    for way in (Talkative(), Adaptive(talk_from=2)):
        team = table(SPLIT)
        await way.play(QUESTION, team)
        prompts.append({(call.player, call.request.messages) for call in team.journal})
    assert prompts[0] == prompts[1]


async def test_ties_are_broken_as_the_vote_breaks_them() -> None:
    for number in range(20):
        question = Question(f"q{number}", "Which city?")
        adaptive, _ = await played(Adaptive(talk_from=5), SCATTERED, question)
        vote, _ = await played(Vote(), SCATTERED, question)
        assert adaptive == vote


async def test_the_grouping_model_is_heard_before_it_is_decided_to_talk() -> None:
    one = Stages(model=Player(GROUPING, ScriptedModel("g", [{"groups": [[1, 2, 3, 4]]}])))
    team = table(SCATTERED, grouper=one)
    verdict = await Adaptive(talk_from=2).play(QUESTION, team)
    (grouped,) = of_kind(verdict.traces, Grouped)
    assert (verdict.answer, grouped.stages) == ("Paris", ("model",)), "in the captain's words"
    assert [call.stage for call in team.journal].count("talkative") == 0


async def test_nobody_answers() -> None:
    verdict, captain_calls = await played(Adaptive(talk_from=1), [REFUSAL] * 4)
    assert (verdict.outcome, verdict.absent, captain_calls) == ("refused", NAMES, 0)


def test_it_is_named_with_its_option() -> None:
    assert label(strategy("adaptive", {"talk_from": 3})) == "adaptive"
    assert label(strategy("adaptive", {"talk-from": 2, "captain": "ann"})) == "adaptive(talk_from=2)"


@pytest.mark.parametrize("talk_from", [0, -1, 2.5, "3", "many", None, True, [3]])
def test_a_talk_from_that_is_no_number_of_answers(tmp_path: Path, talk_from: Any) -> None:
    with pytest.raises(UsageError, match="talk_from: expected a whole number from 1 on, found"):
        strategy("adaptive", {"talk_from": talk_from})
    shown = {None: "null", True: "true", "3": "'3'"}.get(talk_from if not isinstance(talk_from, list) else 0, talk_from)
    path = tmp_path / "cup.yaml"
    path.write_text(
        f"""name: cup
questions: {{builtin: facts-en, sample: 2}}
models: {{ann: {{provider: simulated, accuracy: 0.5}}}}
teams: {{one: {{players: [ann], captain: ann}}}}
strategies:
  - vote
  - adaptive: {{talk_from: {shown}}}
"""
    )
    with pytest.raises(FileError, match=r"cup\.yaml:7: strategies\.1\.adaptive\.talk_from: expected a whole number from 1 on"):
        build(read_experiment(path))


@pytest.mark.parametrize("options", [{}, {"talk_from": 1}, {"talk_from": 7}, {"talk_from": 2, "captain": "bob"}])
async def test_the_contract(options: dict[str, Any]) -> None:
    await check_strategy(strategy("adaptive", options))
