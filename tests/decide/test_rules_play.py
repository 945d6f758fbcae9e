"""weighted, learnt and leader at the table: what decides, what is said of it, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from answering_worlds import answers
from graded_lessons import DOMINATED, NAMES, QUESTION, lessons_of

from moot.decide import studied as studying
from moot.decide.leader import LedVote
from moot.decide.learnt import LearntVote
from moot.decide.weighted import WeightedVote
from moot.errors import ConnectionFailed, UsageError
from moot.models.scripted import Script, ScriptedModel
from moot.strategies import Strategy, label, strategy, traits_of, with_options
from moot.strategies.option_values import OptionError, option_json
from moot.team import Lesson, Player, Team
from moot.testing import check_strategy
from moot.traces import Counted, DecidedByRule, of_kind
from moot.types import Request, Verdict


def seated(words: Sequence[str | None], captain: str | None = None, lessons: tuple[Lesson, ...] = ()) -> Team:
    def script(word: str | None) -> ScriptedModel:
        def reply(request: Request) -> Script:
            return ConnectionFailed("away") if word is None else {"reasoning": "So.", "answer": word}

        return ScriptedModel("m", reply)

    players = tuple(Player(name, script(word)) for name, word in zip(NAMES, words, strict=False))
    return Team("four", players, captain=captain, lessons=lessons).seated()


async def decided(played: Strategy, team: Team) -> tuple[Verdict, DecidedByRule]:
    verdict = await played.play(QUESTION, team)
    (record,) = of_kind(verdict.traces, DecidedByRule)
    return verdict, record


@pytest.mark.parametrize("played", [LearntVote(), WeightedVote(), LedVote()], ids=lambda played: played.name)
async def test_one_who_is_nearly_always_right_is_followed(played: Strategy) -> None:
    verdict, record = await decided(played, seated(["A", "B", "B", "B"], lessons=DOMINATED))
    assert verdict.answer == "A"
    assert verdict.who == ("ann",)
    assert record.kept in (played.name, "best single")
    assert record.probability is not None
    assert 0.5 < record.probability <= 1
    assert "60 questions" in record.why
    if record.weights:
        assert max(record.weights, key=record.weights.__getitem__) == "ann"


@pytest.mark.parametrize("played", [LearntVote(), WeightedVote(), LedVote()], ids=lambda played: played.name)
async def test_who_cannot_be_told_apart_vote(played: Strategy) -> None:
    alike = lessons_of(answers((0.6, 0.6, 0.6, 0.6), 40, choices=4, seed=1))
    verdict, record = await decided(played, seated(["A", "B", "B", "C"], lessons=alike))
    assert (verdict.answer, record.kept) == ("B", "plurality")
    assert record.why.startswith("plurality stands: the rule learnt from 40 questions is ")
    assert record.weights == dict.fromkeys(NAMES, 1.0)


@pytest.mark.parametrize("played", [LearntVote(), WeightedVote(), LedVote()], ids=lambda played: played.name)
async def test_too_little_to_learn_from_is_said(played: Strategy) -> None:
    verdict, record = await decided(played, seated(["A", "B", "B", "C"], lessons=DOMINATED[:19]))
    assert verdict.answer == "B"
    assert record == DecidedByRule(
        "plurality",
        "the largest group of answers",
        "plurality stands: 19 graded questions; expected 20 or more to learn from",
        weights=dict.fromkeys(NAMES, 1.0),
    )


async def test_what_is_right_at_once_while_the_rest_waits_flatters_and_teaches_nothing() -> None:
    codes = answers((0.8, 0.4, 0.4, 0.4), 60, seed=2)
    waiting = lessons_of(codes, "open", ungraded=range(30))
    _, record = await decided(LearntVote(), seated(["A", "B", "B", "C"], lessons=waiting))
    assert record.kept == "plurality"
    assert "wait for a grade, and whether one has it hangs on what was said" in record.why
    assert record.probability is None


async def test_lessons_are_learnt_from_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """For as many questions and captains as are given the very same tuple."""
    taught = []
    learn = studying.learn_rule
    monkeypatch.setattr(studying, "learn_rule", lambda *given, **more: taught.append(1) or learn(*given, **more))
    lessons = tuple(DOMINATED[:30])
    for captain in (*NAMES, None):
        await decided(LearntVote(), seated(["A", "B", "B", "B"], captain, lessons))
    assert len(taught) == 1
    await decided(LearntVote(), seated(["A", "B", "B", "B"], lessons=(*lessons[:-1], DOMINATED[40])))
    assert len(taught) == 2
    monkeypatch.setattr(studying, "KEPT_LESSONS", 10)
    for _ in range(studying.KEPT + 5):
        studying.studied((*lessons[:2],), NAMES)
    assert len(studying._KEPT) <= studying.KEPT


async def test_a_player_who_is_silent_counts_for_nothing() -> None:
    verdict, _ = await decided(LedVote(player="ann", unless="never"), seated([None, "B", "B", "C"]))
    assert verdict.answer == "B"
    assert verdict.absent == ("ann",)
    verdict, _ = await decided(LearntVote(), seated([None, "B", "B", "C"], lessons=DOMINATED))
    assert verdict.answer in "BC"


async def test_weights_that_are_given() -> None:
    heavy = WeightedVote(weights={"ann": 2.5})
    verdict, record = await decided(heavy, seated(["A", "B", "B", "C"]))
    assert verdict.answer == "A"
    assert record.weights == {"ann": 2.5, "bob": 1.0, "cat": 1.0, "dan": 1.0}, "whom it does not name counts 1"
    assert record.probability is None
    (counted,) = of_kind(verdict.traces, Counted)
    assert counted.points == (2.5, 2.0, 1.0)
    assert counted.winners == (0,)
    assert label(heavy) == "weighted(weights={ann: 2.5})"
    assert label(WeightedVote(weights={"b, c": 2.0})) == 'weighted(weights={"b, c": 2})'


@pytest.mark.parametrize("captain", ["ann", "cat", None])
async def test_a_tie_goes_to_the_captains_group_else_by_lot(captain: str | None) -> None:
    team = seated(["A", "A", "B", "C"], captain)
    verdict, _ = await decided(WeightedVote(weights={"cat": 2.0}), team)
    assert verdict.answer in ("A", "B")
    if captain is not None:
        assert verdict.answer == {"ann": "A", "cat": "B"}[captain]
        assert captain in verdict.who


@pytest.mark.parametrize(("unless", "answer"), [(2, "B"), (3, "A"), ("never", "A")])
async def test_so_many_others_overrule_a_leader(unless: int, answer: str) -> None:
    verdict, record = await decided(LedVote(player="ann", unless=unless), seated(["A", "B", "B", "C"]))
    assert verdict.answer == answer
    assert record.kept == "leader"


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        (
            "weighted",
            {"weights": {"zoe": 2}},
            "weights: 'zoe' is not in team 'four'; expected some of ann, bob, cat, dan",
        ),
        ("weighted", {"weights": dict.fromkeys(NAMES, 0)}, "all players of team 'four' count 0"),
        ("leader", {"player": "zoe"}, "player: 'zoe' is not in team 'four'"),
        ("leader", {"player": "ann", "unless": 4}, "unless: 4 others are more than team 'four' has; expected up to 3"),
    ],
)
def test_what_does_not_fit_the_team_is_refused(name: str, options: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words.replace("(", r"\(")):
        strategy(name, options).lineups(seated(["A"] * 4))


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("weighted", {"weights": {"ann": -1}}, "weights: 'ann': expected"),
        ("weighted", {"weights": "learned"}, "weights: expected learnt or keys and values"),
        ("leader", {"unless": 0}, "unless: expected a whole number from 1 on or never"),
        ("learnt", {"from": 3}, "from: expected keys and values"),
        ("learnt", {"from_": {}}, "has no option 'from_'; expected captain, from"),
        ("learnt", {"from": {}}, "expected what moot fit writes: form 1 or 2, found None"),
    ],
)
def test_options_that_make_no_sense_are_refused(name: str, options: dict[str, object], words: str) -> None:
    with pytest.raises((OptionError, UsageError), match=words.replace("(", r"\(")):
        strategy(name, options)


def test_an_option_may_have_a_name_that_python_keeps_to_itself() -> None:
    assert option_json(LearntVote())["default"] == {"captain": None, "from": None}
    assert with_options(LearntVote(), {"from": None, "captain": "ann"}) == LearntVote(captain="ann")


def test_who_learns_says_so() -> None:
    assert all(traits_of(played).learns for played in (LearntVote(), WeightedVote(), LedVote(), LedVote(player="ann")))
    assert not traits_of(WeightedVote(weights={"ann": 2})).learns
    assert not traits_of(LedVote(player="ann", unless=2)).learns
    assert traits_of(LearntVote()).fewest_lessons == 20


@pytest.mark.parametrize(
    "played",
    [WeightedVote(weights={"ann": 2.0}), LedVote(player="ann", unless=2), LedVote(player="bob", unless="never")],
    ids=label,
)
async def test_rules_that_are_given_keep_the_contract(played: Strategy) -> None:
    await check_strategy(played)


async def test_units_that_lessons_tell_are_heeded() -> None:
    together = tuple(replace(lesson, unit=f"u{place // 6}") for place, lesson in enumerate(DOMINATED))
    _, record = await decided(LearntVote(), seated(["A", "B", "B", "B"], lessons=together))
    assert "60 graded questions (10 that do not belong together)" in record.why


def test_lessons_on_one_passage_are_one() -> None:
    about = [replace(lesson, question=replace(lesson.question, context="It is so.")) for lesson in DOMINATED[:3]]
    assert len({studying.unit_of_lesson(lesson) for lesson in about}) == 1
    assert len({studying.unit_of_lesson(lesson) for lesson in DOMINATED}) == 60
    assert studying.choices_of([lesson.question for lesson in DOMINATED]) == 4
    assert np.isclose(studying.studied(DOMINATED, NAMES).candidates.accuracy[0], 0.95, atol=0.08)
