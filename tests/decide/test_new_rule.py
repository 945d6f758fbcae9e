"""A new rule is one class: whoever plays, replays, writes or advises rules asks the rule, and knows none by its class."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from source_trees import ROOT, trees_with

import moot
from moot import Case, Question, ScriptedModel, Team, Traits
from moot.advise.options import TeamOption
from moot.decide.candidates import Candidates, Floats, candidates_of
from moot.decide.cascading import UntilDecided, in_waves, replayed
from moot.decide.deciding import Kept, RuleVote, decide_by, traits_of_rule
from moot.decide.learning import learn_rule
from moot.decide.rule_file import RuleSeat, rule_content
from moot.decide.rules import DraftRule, Leader, MostProbable, Plurality, WeightedSum, checked_scores, winners
from moot.strategies.captaincy import by_captain
from moot.team import Player
from moot.types import Answer, Grouping

NAMES = ("ann", "bob", "cyd")


@dataclass(frozen=True, slots=True)
class ByAge(DraftRule):
    """The oldest counts three times."""

    def scores(self, candidates: Candidates) -> Floats:
        weights = np.array(list(self.voices(candidates.players).values()))
        return np.where(candidates.given, candidates.support @ weights, -np.inf)

    def words(self) -> str:
        return "the oldest"

    def voices(self, players: Sequence[str]) -> dict[str, float]:
        return {name: 3.0 if name == "ann" else 1.0 for name in players}

    def added_voices(self, players: Sequence[str]) -> dict[str, float]:
        return self.voices(players)

    def team_in_words(self, players: Sequence[str]) -> str:
        return f"{' over '.join(players)} by age"

    def as_strategy(self, players: Sequence[str], rule_file: str) -> str | dict[str, Any]:
        return {"by-age": {"oldest": players[0]}}


@dataclass(frozen=True, slots=True)
class Silent(DraftRule):
    """Says of itself what it must, and nothing more."""

    def scores(self, candidates: Candidates) -> Floats:
        return np.where(candidates.given, 0.0, -np.inf)

    def words(self) -> str:
        return "no answer in particular"


def drafts() -> Candidates:
    codes = np.array([[0, 1, 0], [1, 1, 0], [1, 1, 2]])
    return candidates_of(NAMES, codes, (codes == 0).astype(float))


def test_a_new_rule_is_replayed_until_the_rest_cannot_change_it() -> None:
    found = replayed(drafts(), in_waves([0, 1, 2]), UntilDecided(ByAge()))
    assert found.calls.tolist() == [1, 1, 1]
    assert np.array_equal(found.ahead, winners(ByAge(), drafts()))


def test_a_new_rule_is_written_and_advised_in_its_own_words() -> None:
    draw = np.random.default_rng(1)
    codes = np.where(draw.random((3, 60)) < 0.7, 0, draw.integers(1, 4, (3, 60)))
    codes[1:] = draw.integers(1, 4, (2, 60))
    table = candidates_of(NAMES, codes, (codes == 0).astype(float))
    learnt = learn_rule(table, list(map(str, range(60))), kind="by-age", learner=lambda *_: ByAge())
    assert learnt.kept == "best single", "it is no better than ann alone"
    kept = Kept(ByAge(), "by-age", "tried", weights=ByAge().voices(NAMES))
    assert kept.weights == {"ann": 3.0, "bob": 1.0, "cyd": 1.0}
    seats = [RuleSeat(name, name, "m", "a") for name in NAMES]
    content = rule_content(learnt, seats, "p", accuracy=[0.7, 0.0, 0.0], told={})
    assert content["leader"] == "ann"
    assert ByAge().players_in_words(NAMES)[0] == "ann counts 3 times as much as most"
    option = TeamOption("by-age", (2, 0), ByAge(), np.zeros(3))
    assert option.words(NAMES) == "ann over cyd by age"
    assert option.as_strategy(NAMES, "rule.json") == {"by-age": {"oldest": "ann"}}


def test_what_a_rule_does_not_say_of_itself_claims_nothing() -> None:
    rule = Silent()
    assert (rule.voices(NAMES), rule.leader, rule.learnt_model) == ({}, None, None)
    assert rule.team_in_words(NAMES) == "no answer in particular, of ann, bob, cyd"
    with pytest.raises(ValueError, match="nobody knows beforehand what could change no answer in particular"):
        rule.added_voices(NAMES)
    with pytest.raises(ValueError, match="no strategy goes by no answer in particular"):
        rule.as_strategy(NAMES, "rule.json")


@pytest.mark.parametrize(
    ("rule", "players", "words", "strategy"),
    [
        (Leader("ann"), ("ann",), "ann alone", "vote"),
        (
            Leader("ann"),
            ("ann", "bob"),
            "ann; where it is silent bob",
            {"leader": {"player": "ann", "unless": "never"}},
        ),
        (Leader("ann", 1), NAMES, "ann, unless any of bob, cyd differ", {"leader": {"player": "ann", "unless": 1}}),
        (
            Leader("ann", 2),
            NAMES,
            "ann, unless bob and cyd agree on another answer",
            {"leader": {"player": "ann", "unless": 2}},
        ),
        (Plurality(), NAMES, "vote of ann, bob, cyd", "vote"),
        (
            WeightedSum({"ann": 1.23456789, "bob": 1.0}),
            ("ann", "bob"),
            "weighted vote of ann, bob",
            {"weighted": {"weights": {"ann": 1.234568, "bob": 1.0}}},
        ),
    ],
)
def test_rules_of_ours_are_told_and_played(
    rule: DraftRule, players: Sequence[str], words: str, strategy: object
) -> None:
    assert rule.team_in_words(players) == words
    assert rule.as_strategy(players, "rule.json") == strategy


def test_nobody_knows_a_rule_by_its_class() -> None:
    classes = {kind.__name__ for kind in (Leader, MostProbable, Plurality, WeightedSum)}
    found = []
    for path, tree in trees_with(rf"\b({'|'.join(classes)})\b"):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
                asked = {part.id for part in ast.walk(node.args[1]) if isinstance(part, ast.Name)}
                found += [f"{path.relative_to(ROOT)}:{node.lineno}"] if asked & classes else []
    assert found == []


class Unfinished(DraftRule):
    """Its author has yet to write it."""


class Odd(DraftRule):
    """Gives these scores to the places of every question."""

    def __init__(self, *given: float, otherwise: float = -np.inf) -> None:
        self.given, self.otherwise = given, otherwise

    def scores(self, candidates: Candidates) -> Floats:
        scores = np.full(candidates.given.shape, self.otherwise)
        scores[:, : len(self.given)] = self.given
        return scores

    def words(self) -> str:
        return "odd numbers"


@pytest.mark.parametrize(("method", "told"), [("scores", "the answers"), ("words", "such as")])
def test_what_a_rule_must_say_is_named(method: str, told: str) -> None:
    asked = (drafts(),) if method == "scores" else ()
    with pytest.raises(NotImplementedError, match=rf"Unfinished\.{method}: .*{told}"):
        getattr(Unfinished(), method)(*asked)


ODD_SCORES = [
    (Odd(1.0, np.nan), "expected numbers, found nan"),
    (Odd(1.0, np.inf), "expected numbers, found inf"),
    (Odd(), "every answer has minus infinity; expected a number for one of them at least"),
    (Odd(0.0, otherwise=1.0), "1.0 stands where there is no answer; expected minus infinity"),
    (
        type("Flat", (Odd,), {"scores": lambda self, candidates: np.zeros(3)})(),
        r"expected an array of 3 × 2, .* found \(3,\)",
    ),
    (
        type("Text", (Odd,), {"scores": lambda self, candidates: "high"})(),
        "expected an array of 3 × 2, .* found 'high'",
    ),
]


@pytest.mark.parametrize(("rule", "words"), ODD_SCORES)
def test_scores_that_decide_nothing_are_refused(rule: DraftRule, words: str) -> None:
    with pytest.raises(ValueError, match=rf"^{type(rule).__name__}\.scores: {words}"):
        checked_scores(rule, drafts())
    assert checked_scores(Silent(), drafts()).shape == drafts().given.shape


def test_and_no_lot_decides_in_their_place() -> None:
    drafted = [Answer("ann", "Rome"), Answer("bob", "Oslo"), Answer("cyd", "Oslo")]
    grouping = Grouping((("ann",), ("bob", "cyd")), ("alone", "normalised"))
    team = Team("three", tuple(Player(name, ScriptedModel(name, lambda _: "")) for name in NAMES))
    for rule in (Odd(), Odd(np.nan)):
        with pytest.raises(ValueError, match=r"^Odd\.scores: "):
            decide_by(Kept(rule, "odd", "tried"), Question("q", "Where?"), team, drafted, grouping)


@dataclass(frozen=True)
class NowAndThen(RuleVote):
    """By age in every play but the second, where all count alike."""

    name: ClassVar[str] = "now-and-then"
    traits: ClassVar[Traits] = traits_of_rule(learns=False)

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return by_captain(team, self.captain, needed=False)

    def kept(self, team: Team) -> Kept:
        rule, kind = (Plurality(), "all alike") if team.repeat == 1 else (ByAge(), "by-age")
        return Kept(rule, kind, "as told", weights=rule.voices([player.name for player in team.players]))


def test_voices_are_the_mean_over_the_plays_of_the_rule_that_decided_most_often() -> None:
    models = {name: ScriptedModel(name, lambda _: {"reasoning": "", "answer": "Rome"}) for name in NAMES}
    questions = [Case(Question(str(n), f"Where is {n}?"), "Rome") for n in range(2)]
    keys = {"name": "cup", "questions": questions, "models": models, "repeats": 3}
    played = {**keys, "teams": {"three": {"players": list(NAMES)}}, "strategies": [NowAndThen()]}
    (row,) = moot.run(played).figures["voices"]
    assert (row["kept"], row["plays"], row["of"]) == ("by-age", 4, 6)
    assert row["weights"] == {"ann": 3.0, "bob": 1.0, "cyd": 1.0}
