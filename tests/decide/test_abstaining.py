"""Answers that are not sure enough are not given: through runs, from what their other questions teach."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest
from beside import rows
from installing import bring

import moot
from moot.decide.abstaining import percent_below
from moot.decide.deciding import Kept, RuleVote, traits_of_rule
from moot.decide.rules import Plurality
from moot.errors import FileError
from moot.models.scripted import Script, ScriptedModel
from moot.store.rows import verdict_of
from moot.strategies import Traits
from moot.strategies.captaincy import by_captain
from moot.team import Team
from moot.traces import Abstained, ToldProbability, of_kind
from moot.types import Case, Question, Request

PLAYERS = ("ann", "bob", "cat", "dan")


COUNT = 60


def cases(count: int) -> list[Case]:
    return [
        Case(Question(f"q{n}", f"Which letter has number {n}?", choices=tuple("wxyz"), kind="choice"), "A")
        for n in range(count)
    ]


def said(count: int, seed: int = 7) -> dict[tuple[str, str], str]:
    """Half of the questions are easy, and the others a guess: who agree are likely right."""
    draw = random.Random(seed)
    answers = {}
    for number in range(count):
        chance = 0.97 if draw.random() < 0.6 else 0.35
        for name in PLAYERS:
            answers[name, f"q{number}"] = "A" if draw.random() < chance else draw.choice("BCD")
    return answers


async def played(folder: Path, strategies: list[Any], count: int, **keys: Any) -> tuple[Any, list[ScriptedModel]]:
    answers = said(count)

    def voice(name: str) -> ScriptedModel:
        def reply(request: Request) -> Script:
            return {"reasoning": "So.", "answer": answers[name, str(request.question_id)]}

        return ScriptedModel(name, reply)

    voices = [voice(name) for name in PLAYERS]
    experiment = moot.Experiment(
        name="cup",
        questions=cases(count),
        models={model.name: model for model in voices},
        players={name: {"model": name} for name in PLAYERS},
        strategies=strategies,
        **keys,
    )
    return await moot.arun(experiment, store=f"sqlite:///{folder / 'cup.db'}"), voices


def verdicts(folder: Path, label: str) -> list[Any]:
    query = f"SELECT verdict FROM episodes JOIN cells ON cells.id = cell WHERE label = '{label}'"
    return [verdict_of(verdict) for (verdict,) in rows(folder / "cup.db", query)]


async def test_below_a_probability_nothing_is_answered(tmp_path: Path) -> None:
    entries: list[Any] = [{name: {"abstain": {"below": 0.8}}} for name in ("vote", "leader")]
    entries.append({"weighted": {"weights": {"ann": 2}, "abstain": {"below": 0.8}}})
    results, voices = await played(tmp_path, ["vote", *entries], COUNT)
    assert results.state == "done"
    # Nobody is asked anything beyond the drafts of the vote.
    assert sum(len(voice.requests) for voice in voices) == len(PLAYERS) * COUNT
    by_label = {row["label"]: row for row in results.figures["accuracy"]}
    plain = by_label["vote"]["value"]
    for entry in entries:
        ((name, options),) = entry.items()
        weights = "weights={ann: 2}, " if "weights" in options else ""
        row = by_label[f"{name}({weights}abstain={{below: 0.8}})"]
        assert row["options"]["abstain"] == {"below": 0.8}
        assert row["outcomes"]["abstained"] > 5
        assert 0.4 < row["coverage"]["value"] < 0.95
        assert row["answered"]["value"] > plain + 0.05
        assert row["value"] < plain + 0.05
    for verdict in verdicts(tmp_path, "vote(abstain={below: 0.8})"):
        (told,) = of_kind(verdict.traces, ToldProbability)
        assert told.why.endswith(" graded questions")
        held = of_kind(verdict.traces, Abstained)
        assert (verdict.outcome == "abstained") == bool(held) == (told.probability < 0.8)
        assert (verdict.answer is None) == bool(held)
        if held:
            assert held[0].answer in "ABCD"
            assert held[0].who
            assert verdict.cause.startswith("not sure enough: right with ")
            assert verdict.cause.endswith(" graded questions), and answered from 80 % on")
            assert len(verdict.answers) == len(PLAYERS)


async def test_a_target_is_promised_by_questions_that_taught_nothing(tmp_path: Path) -> None:
    results, _ = await played(tmp_path, [{"vote": {"abstain": {"target": 0.7}}}], 150)
    (row,) = results.figures["accuracy"]
    assert row["coverage"]["value"] > 0.4
    assert row["answered"]["value"] > 0.7
    held = [
        record
        for verdict in verdicts(tmp_path, "vote(abstain={target: 0.7})")
        for record in of_kind(verdict.traces, Abstained)
    ]
    assert held
    assert all(record.target == 0.7 and record.below is not None for record in held)


async def test_where_nothing_can_be_promised_nothing_is_answered(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match=r"takes 528 right answers .* it will abstain from everything \(coverage 0\)"):
        results, _ = await played(tmp_path, [{"vote": {"abstain": {"target": 0.99}}}], 80)
    (row,) = results.figures["accuracy"]
    assert row["coverage"]["value"] == 0
    assert row["answered"]["value"] is None
    assert row["value"] == 0
    words = next(section for section in results.sections if section.id == "abstention").words
    assert "gave an answer to none of the 80 questions (coverage 0)" in " ".join(words)
    (verdict, *_) = verdicts(tmp_path, "vote(abstain={target: 0.99})")
    assert "cannot be promised from" in verdict.cause


@pytest.mark.parametrize(
    ("entry", "count", "words"),
    [
        (
            {"vote": {"abstain": {"below": 0.9}}},
            29,
            "it takes 20 others; expected 30 or more questions with a reference",
        ),
        ({"vote": {"abstain": {"target": 0.9}}}, 60, "it takes 50 others; expected 75 or more questions"),
        ({"vote": {"abstain": {"below": 1.5}}}, 60, "below: expected a number between 0 and 1, found 1.5"),
        ({"vote": {"abstain": {"below": True}}}, 60, "below: expected a number between 0 and 1"),
        ({"vote": {"abstain": {"below": 0.5, "target": 0.9}}}, 60, "expected {below: 0.9}, a probability, or {target"),
        ({"vote": {"abstain": 0.9}}, 60, "expected {below: 0.9}, a probability"),
        ({"vote": {"early_stop": True, "abstain": {"below": 0.5}}}, 60, "early_stop leaves players unheard"),
    ],
)
async def test_what_cannot_be_told_is_refused_before_any_call(
    entry: Any, count: int, words: str, tmp_path: Path
) -> None:
    with pytest.raises(FileError) as refused:
        await played(tmp_path, [entry], count)
    assert words in str(refused.value)
    assert not (tmp_path / "cup.db").exists()


async def test_it_may_stand_beside_the_strategy_too(tmp_path: Path) -> None:
    results, _ = await played(tmp_path, [{"vote": None, "abstain": {"below": 0.6}}], 60)
    assert [row["label"] for row in results.figures["accuracy"]] == ["vote(abstain={below: 0.6})"]


@pytest.mark.parametrize(
    ("chance", "below", "said"),
    [(0.848, 0.85, "84.8"), (0.84996, 0.85, "84.996"), (0.7, 0.85, "70"), (0.999, None, "100")],
)
def test_what_is_not_sure_enough_never_looks_as_if_it_were(chance: float, below: float | None, said: str) -> None:
    assert percent_below(chance, below) == said


@dataclass(frozen=True)
class Handicap(RuleVote):
    """The largest group, with an option that no set can hold."""

    name: ClassVar[str] = "handicap"
    traits: ClassVar[Traits] = traits_of_rule(learns=False)

    weights: Mapping[str, float] = field(default_factory=lambda: {"ann": 1.0})

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return by_captain(team, self.captain, needed=False)

    def kept(self, team: Team) -> Kept:
        return Kept(Plurality(), "plurality", "as told")


async def test_a_rule_from_outside_with_a_table_of_options_can_promise_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bring(monkeypatch, "moot.strategies", {"handicap": f"{__name__}:Handicap"})
    options = {"weights": {"ann": 2.0}, "abstain": {"target": 0.7}}
    results, _ = await played(tmp_path, [{"handicap": options}, {"vote": {"abstain": {"target": 0.7}}}], 80)
    assert results.state == "done"
    handicap, vote = results.figures["accuracy"]
    assert handicap["outcomes"] == vote["outcomes"], "the same rule, and so the same promise"
    assert set(vote["outcomes"]) <= {"answered", "abstained"}
