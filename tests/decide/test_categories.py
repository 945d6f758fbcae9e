"""Categories tell how sure an answer is, where they do: and nothing is lost where they do not."""

from __future__ import annotations

import numpy as np
import pytest

from moot.decide.abstain_option import Abstain
from moot.decide.candidates import Candidates, Floats, candidates_of
from moot.decide.choice_model import learn_best
from moot.decide.how_sure import chance_of, sureness
from moot.decide.learning import folds_of, most_probable
from moot.decide.reliability import calibration_error
from moot.decide.rules import MostProbable, winners
from moot.models.scripted import ScriptedModel
from moot.prompts import Prompts
from moot.strategies.vote import Vote
from moot.team import Lesson, Player, Team
from moot.traces import Grouped
from moot.types import Answer, Question, Verdict

PLAYERS = ("ann", "bob", "cat")
SUBJECTS = ("law", "maths", "music", "physics")


def world(draw: np.random.Generator, count: int, *, law: float, at_random: bool = False) -> Candidates:
    """Each is right with 0.8, and in law with so much less, all of them lured by one wrong answer there."""
    names = draw.choice(SUBJECTS, count)
    hard = (names == "law") if not at_random else np.zeros(count, dtype=bool)
    right = draw.random((3, count)) < np.where(hard, law, 0.8)
    codes = np.where(right, 0, np.where(hard | (draw.random((3, count)) < 0.4), 1, draw.integers(2, 4, (3, count))))
    return candidates_of(PLAYERS, codes, right.astype(float), [str(name) for name in names])


def pooled(candidates: Candidates) -> Candidates:
    return Candidates(candidates.players, candidates.support, candidates.worth)


def told(train: Candidates, test: Candidates) -> tuple[Floats, Floats]:
    """What is said of the answer taken, and whether it is right."""
    model = most_probable(train, [str(place) for place in range(len(train))]).model
    ahead, chances = winners(MostProbable(model), test), model.probabilities(test)
    said = np.where(ahead, chances, 0).max(axis=1)
    right = np.where(ahead, test.worth, 0).max(axis=1)
    return said, right


def errors(law: float, *, at_random: bool, worlds: int = 5) -> list[tuple[float, float, float, float]]:
    """By world: how far off what is said is in law, with categories and without; and the accuracy, with and without."""
    found = []
    for number in range(worlds):
        draw = np.random.default_rng([7, number])
        train = world(draw, 200, law=law, at_random=at_random)
        test = world(draw, 2_000, law=law, at_random=at_random)
        in_law = np.array(test.categories) == "law"
        with_them, without = told(train, test), told(pooled(train), pooled(test))
        off = [calibration_error(said[in_law], right[in_law]) for said, right in (with_them, without)]
        found.append((*off, float(with_them[1].mean()), float(without[1].mean())))
    return found


def test_where_one_category_is_much_harder_what_is_said_of_it_is_truer() -> None:
    with_them, without, *_ = np.array(errors(0.3, at_random=False)).mean(axis=0)
    assert without > 0.15, "else there is nothing to gain"
    assert with_them < 0.6 * without


def test_where_categories_mean_nothing_nothing_is_lost() -> None:
    with_them, without, right, right_without = np.array(errors(0.8, at_random=True)).mean(axis=0)
    assert with_them < without + 0.005
    assert right > right_without - 0.003


@pytest.mark.parametrize(("subjects", "count", "most"), [(4, 200, 0.045), (14, 1_000, 0.035)])
def test_who_is_an_expert_in_a_category_is_believed_there(subjects: int, count: int, most: float) -> None:
    """With one pull for all, whatever they need, experts were half believed: 8 and 7 points off, and 5 points less right."""

    def experts(draw: np.random.Generator, many: int) -> Candidates:
        subject = draw.integers(0, subjects, many)
        right = draw.random((3, many)) < np.where(subject[None, :] % 3 == np.arange(3)[:, None], 0.9, 0.5)
        codes = np.where(right, 0, np.where(draw.random((3, many)) < 0.5, 1, draw.integers(2, 4, (3, many))))
        return candidates_of(PLAYERS, codes, right.astype(float), [str(each) for each in subject])

    off, gained = [], []
    for number in range(4):
        draw = np.random.default_rng([11, number])
        train, test = experts(draw, count), experts(draw, 2_000)
        said, right = told(train, test)
        off.append(calibration_error(said, right))
        gained.append(right.mean() - told(pooled(train), pooled(test))[1].mean())
    assert np.mean(off) < most
    assert np.mean(gained) > 0.1


def test_a_category_that_was_never_seen_is_told_as_all_are() -> None:
    draw = np.random.default_rng(3)
    train = world(draw, 300, law=0.3)
    model = learn_best(train, folds_of([str(place) for place in range(300)]).tolist())
    assert "law" in model.categories
    new = Candidates(PLAYERS, train.support, train.worth, ("geography",) * 300)
    assert model.probabilities(new) == pytest.approx(model.probabilities(pooled(train)))


def lessons(draw: np.random.Generator, count: int) -> tuple[Lesson, ...]:
    found = []
    table = world(draw, count, law=0.3)
    for place, category in enumerate(table.categories):
        question = Question(f"q{place}", f"Question {place}?")
        groups = [tuple(np.array(PLAYERS)[who].tolist()) for who in table.support[place] if who.any()]
        worth = {name: table.worth[place, at] for at, group in enumerate(groups) for name in group}
        drafts = tuple(Answer(name, f"{place} {worth[name]}") for name in PLAYERS)
        rights = tuple(float(worth[name]) for name in PLAYERS)
        found.append(Lesson(question, drafts, rights, tuple(groups), category=category))
    return tuple(found)


def test_a_run_goes_by_the_category_of_the_question() -> None:
    """All agree: that is worth much less in law; and as much as on the average in what nobody has learnt of."""
    seats = tuple(Player(name, ScriptedModel(name, lambda request: "")) for name in PLAYERS)
    taught = lessons(np.random.default_rng(5), 200)
    agreed = Verdict(
        "x",
        "answered",
        answers=tuple(Answer(n, "x") for n in PLAYERS),
        who=PLAYERS,
        traces=(Grouped((PLAYERS,), ("s",)),),
    )
    said = {}
    for category in ("law", "maths", "geography", ""):
        team = Team("three", seats, Prompts("en"), 7, lessons=taught, category=category)
        _, sure = sureness(Vote(), Abstain(below=0.5), None, team)
        said[category] = chance_of(agreed, sure, None) or 0.0
    assert said["law"] < said["maths"] - 0.1
    assert said["law"] < said[""] < said["maths"]
    assert said["geography"] == said[""]
