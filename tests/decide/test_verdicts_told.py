"""Every strategy tells how sure it is, and may abstain: a captain by what its own words on other questions were worth."""

from __future__ import annotations

import random
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from beside import rows

import moot
from moot.errors import FileError
from moot.models.scripted import Script, ScriptedModel
from moot.store.rows import verdict_of
from moot.strategies import Traits
from moot.strategies.captaincy import by_captain
from moot.strategies.vote import Vote
from moot.team import Team
from moot.traces import Abstained, ToldProbability, of_kind
from moot.types import Case, Question, Request, Verdict

PLAYERS = ("ann", "bob", "cat")
COUNT = 45
CAPTAIN = "You are the captain"


def cases(count: int) -> list[Case]:
    return [
        Case(Question(f"q{n}", f"Which letter has number {n}?", choices=tuple("wxyz"), kind="choice"), "A")
        for n in range(count)
    ]


def voices(count: int, captain: float, seed: int = 5) -> list[ScriptedModel]:
    """Drafts as in a world of easy and hard questions; a captain who has read them is right with this chance, whatever they
    say."""
    draw = random.Random(seed)
    said: dict[tuple[str, str, bool], str] = {}
    for number in range(count):
        easy = draw.random() < 0.6
        for name in PLAYERS:
            said[name, f"q{number}", False] = "A" if draw.random() < (0.97 if easy else 0.35) else draw.choice("BCD")
            said[name, f"q{number}", True] = "A" if draw.random() < captain else draw.choice("BCD")

    def voice(name: str) -> ScriptedModel:
        def reply(request: Request) -> Script:
            leads = request.messages[-1].content.startswith(CAPTAIN)
            return {"reasoning": "So.", "answer": said[name, str(request.question_id), leads]}

        return ScriptedModel(name, reply)

    return [voice(name) for name in PLAYERS]


async def played(
    folder: Path, strategies: list[Any], count: int = COUNT, captain: float = 0.9, **keys: Any
) -> tuple[Any, list[ScriptedModel]]:
    models = voices(count, captain)
    experiment = moot.Experiment(
        name="cup",
        questions=cases(count),
        models={model.name: model for model in models},
        players={name: {"model": name} for name in PLAYERS},
        teams={"three": {"players": list(PLAYERS), "captain": "ann"}},
        strategies=strategies,
        **keys,
    )
    return await moot.arun(experiment, store=f"sqlite:///{folder / 'cup.db'}"), models


def verdicts(folder: Path, strategy: str, *, abstaining: bool) -> dict[str, Verdict]:
    query = "SELECT question, verdict, label FROM episodes JOIN cells ON cells.id = cell WHERE strategy = "
    every = rows(folder / "cup.db", f"{query}'{strategy}'")
    return {question: verdict_of(kept) for question, kept, label in every if ("abstain" in label) == abstaining}


def calls(models: list[ScriptedModel]) -> int:
    return sum(len(model.requests) for model in models)


@pytest.mark.parametrize("strategy", ["talkative", "adaptive"])
async def test_a_captain_abstains_by_what_its_own_words_were_worth(strategy: str, tmp_path: Path) -> None:
    plain_folder = tmp_path / "plain"
    plain_folder.mkdir()
    _, models = await played(plain_folder, [strategy])
    results, both = await played(tmp_path, [strategy, {strategy: {"abstain": {"below": 0.85}}}])
    assert results.state == "done"
    assert calls(both) == calls(models), "nobody is asked anything for it"
    plain, abstaining = results.figures["accuracy"]
    assert abstaining["label"] == f"{strategy}(abstain={{below: 0.85}})"
    given = verdicts(tmp_path, strategy, abstaining=False)
    for question, verdict in verdicts(tmp_path, strategy, abstaining=True).items():
        (told,) = of_kind(verdict.traces, ToldProbability)
        assert told.why.endswith(" of its own graded verdicts")
        held = of_kind(verdict.traces, Abstained)
        assert (
            (verdict.outcome == "abstained") == bool(held) == (told.probability is not None and told.probability < 0.85)
        )
        said = held[0].answer if held else verdict.answer
        assert said == given[question].answer
        assert len(verdict.answers) == len(PLAYERS)
    assert abstaining["outcomes"].get("answered", 0) > 0
    assert plain["outcomes"] == {"answered": COUNT}


@pytest.mark.parametrize("strategy", ["peer-review", "debate", "mixture"])
async def test_whoever_asks_on_after_the_drafts_tells_how_sure_it_is(strategy: str, tmp_path: Path) -> None:
    options = {"repeats": 2} if strategy == "mixture" else {}
    results, _ = await played(tmp_path, [{strategy: {**options, "abstain": {"below": 0.5}}}], 32)
    (row,) = results.figures["accuracy"]
    assert row["outcomes"].keys() == {"answered", "abstained"}
    for verdict in verdicts(tmp_path, strategy, abstaining=True).values():
        (told,) = of_kind(verdict.traces, ToldProbability)
        assert told.probability is not None
        assert (told.probability < 0.5) == (verdict.outcome == "abstained")


async def test_a_captain_who_knows_more_than_the_drafts_is_trusted_more_than_they_are(tmp_path: Path) -> None:
    """And one who knows less, less: the same drafts, and another captain."""
    means = []
    for place, skill in enumerate((0.98, 0.4)):
        folder = tmp_path / str(place)
        folder.mkdir()
        await played(folder, [{"talkative": {"abstain": {"below": 0.5}}}], captain=skill)
        told = [
            of_kind(each.traces, ToldProbability)[0] for each in verdicts(folder, "talkative", abstaining=True).values()
        ]
        chances = [each.probability for each in told if each.probability is not None]
        means.append(sum(chances) / len(chances))
    assert means[0] > 0.85
    assert means[1] < 0.55


async def test_the_plain_strategy_is_played_though_the_file_does_not_name_it(tmp_path: Path) -> None:
    results, models = await played(tmp_path, [{"talkative": {"abstain": {"below": 0.5}}}])
    assert [row["label"] for row in results.figures["accuracy"]] == ["talkative(abstain={below: 0.5})"]
    assert calls(models) == (len(PLAYERS) + 1) * COUNT
    again, more = await played(tmp_path, [{"talkative": {"abstain": {"below": 0.5}}}])
    assert again.state == "done"
    assert calls(more) == 0


async def test_a_player_alone_is_as_sure_as_it_is_right_on_the_average(tmp_path: Path) -> None:
    results, _ = await played(tmp_path, ["solo", {"solo": {"abstain": {"below": 0.3}}}])
    by_label = {(row["label"], row["player"]): row for row in results.figures["accuracy"]}
    for name in PLAYERS:
        right = by_label["solo", name]["value"]
        query = f"SELECT verdict FROM episodes JOIN cells ON cells.id = cell WHERE label LIKE 'solo(%' AND player = '{name}'"
        told = {
            of_kind(verdict_of(kept).traces, ToldProbability)[0].probability
            for (kept,) in rows(tmp_path / "cup.db", query)
        }
        assert len(told) <= 10, "one for each fold"
        assert all(chance == pytest.approx(right, abs=0.1) for chance in told)


async def test_a_target_of_a_captain_is_promised_by_verdicts_that_taught_nothing(tmp_path: Path) -> None:
    results, _ = await played(tmp_path, [{"talkative": {"abstain": {"target": 0.7}}}], 150, captain=0.95)
    (row,) = results.figures["accuracy"]
    assert row["coverage"]["value"] > 0.5
    assert row["answered"]["value"] > 0.7


@pytest.mark.parametrize(
    ("options", "abstain"),
    [
        ({"order": ["ann", "bob", "cat"]}, {"below": 0.7}),
        ({"order": ["ann", "bob", "cat"]}, {"target": 0.6}),
        ({"order": "learnt", "until": 0.8}, {"below": 0.7}),
    ],
)
async def test_a_cascade_tells_it_from_those_who_were_asked(
    options: dict[str, Any], abstain: dict[str, float], tmp_path: Path
) -> None:
    count = 40 if "below" in abstain else 100
    results, _ = await played(tmp_path, [{"cascade": {**options, "abstain": abstain}}], count)
    (row,) = results.figures["accuracy"]
    assert 0 < row["coverage"]["value"] <= 1
    told = [
        of_kind(each.traces, ToldProbability)[0] for each in verdicts(tmp_path, "cascade", abstaining=True).values()
    ]
    assert all(each.probability is not None and 0 < each.probability < 1 for each in told)
    assert len({each.probability for each in told}) > 4


@dataclass(frozen=True)
class Outsider:
    """A vote that is no subclass of ours."""

    name: ClassVar[str] = "outsider"
    traits: ClassVar[Traits] = Traits(
        prompts=("draft",),
        drafts="single-call",
        captain="breaks-ties",
        word="group",
        hears="nothing",
        groups=True,
        asks="nobody",
    )

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return by_captain(team, needed=False)

    async def play(self, question: Question, team: Team) -> Verdict:
        return await Vote().play(question, team)


async def test_an_object_from_outside_may_abstain_too(tmp_path: Path) -> None:
    entry = {"strategy": Outsider(), "abstain": {"below": 0.8}}
    results, _ = await played(tmp_path, [Outsider(), entry, {"strategy": Vote(), "abstain": {"below": 0.8}}])
    labels = [row["label"] for row in results.figures["accuracy"]]
    assert labels == ["outsider", "outsider(abstain={below: 0.8})", "vote(abstain={below: 0.8})"]
    outside, ours = (verdicts(tmp_path, name, abstaining=True) for name in ("outsider", "vote"))
    alike = [outside[question].outcome == ours[question].outcome for question in outside]
    assert sum(alike) > 0.8 * COUNT
    assert "abstained" in {verdict.outcome for verdict in outside.values()}


async def test_of_free_answers_somebody_tells_whose_draft_a_captains_words_are(tmp_path: Path) -> None:
    """By the calls that a report takes them by: so nobody is asked for it beside those."""
    experiment = moot.Experiment(
        name="cup",
        questions=[Case(Question(f"q{n}", f"Which town has number {n}?"), f"Town {n}") for n in range(32)],
        models={name: {"provider": "simulated", "accuracy": 0.7} for name in (*PLAYERS, "gil")},
        teams={"three": {"players": list(PLAYERS), "captain": "ann"}},
        grouping={"model": "gil"},
        strategies=["talkative", {"talkative": {"abstain": {"below": 0.5}}}],
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # as that its wording is not declared
        results = await moot.arun(experiment, store=f"sqlite:///{tmp_path / 'cup.db'}")
    assert results.state == "done"
    told = [
        of_kind(each.traces, ToldProbability)[0] for each in verdicts(tmp_path, "talkative", abstaining=True).values()
    ]
    assert len(told) == 32
    assert all(each.probability is not None for each in told)
    plain, abstaining = results.figures["accuracy"]
    assert plain["outcomes"] == {"answered": 32}
    assert 0 < abstaining["coverage"]["value"] <= 1


async def test_what_cannot_be_told_is_refused_before_any_call(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="early_stop leaves players unheard"):
        await played(tmp_path, [{"vote": {"early_stop": True, "abstain": {"below": 0.5}}}])
    assert not (tmp_path / "cup.db").exists()
