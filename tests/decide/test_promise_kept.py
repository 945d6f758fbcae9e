"""Whether a promise is kept in repeated experiments: what a run learns and promises, held against the world itself.

`bench/trust.py` does the same with whole runs and with `moot fit`, a hundred times.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from moot.decide.abstain_option import Abstain
from moot.decide.cascade import Cascade
from moot.decide.how_sure import sureness
from moot.decide.studied import KEPT, studied
from moot.models.scripted import ScriptedModel
from moot.prompts import Prompts
from moot.strategies import Strategy
from moot.strategies.discuss.discuss import Discuss
from moot.strategies.talkative import Talkative
from moot.strategies.vote import Vote
from moot.team import Lesson, Player, Team
from moot.team.lessons import LessonVerdict
from moot.types import Answer, Question

PLAYERS = ("ann", "bob", "cat")
TARGET = 0.9
WORLDS = 30


def patterns(draw: np.random.Generator, count: int, together: float) -> tuple[np.ndarray, np.ndarray]:
    """Who says what (0 is one answer, 1 another), and which is right: all agree on seven of ten, and are then right with
    `together`; else two of them are right in six of ten."""
    agree = draw.random(count) < 0.7
    said = np.zeros((count, 3), dtype=int)
    said[~agree, draw.integers(0, 3, (~agree).sum())] = 1
    right = np.where(agree, draw.random(count) < together, draw.random(count) < 0.6)
    return said, np.where(right, 0, 1)


def lessons(draw: np.random.Generator, count: int, together: float) -> tuple[Lesson, ...]:
    taught = []
    for number, (words, right) in enumerate(zip(*patterns(draw, count, together), strict=True)):
        question = Question(f"q{number}", f"Question {number}?", choices=("x", "y"), kind="choice")
        drafts = tuple(Answer(name, "AB"[word]) for name, word in zip(PLAYERS, words, strict=True))
        groups = tuple(
            group for word in (0, 1) if (group := tuple(n for n, w in zip(PLAYERS, words, strict=True) if w == word))
        )
        taught.append(Lesson(question, drafts, tuple(float(word == right) for word in words), groups))
    return tuple(taught)


def with_captain(draw: np.random.Generator, taught: tuple[Lesson, ...]) -> tuple[Lesson, ...]:
    """What a captain made of them: it follows those who agree, and is then right as often as they are; where they do not
    agree it finds one in five answers itself, and is right in six of ten."""
    found = []
    for lesson in taught:
        if len(lesson.groups) == 1:
            verdict = LessonVerdict(answered=True, holders=PLAYERS, right=lesson.rights[0])
        else:
            holders = () if draw.random() < 0.2 else max(lesson.groups, key=len)
            verdict = LessonVerdict(answered=True, holders=holders, right=float(draw.random() < 0.6))
        found.append(replace(lesson, verdict=verdict))
    return tuple(found)


def with_talk(draw: np.random.Generator, taught: tuple[Lesson, ...]) -> tuple[Lesson, ...]:
    """What a discussion made of them: all stand behind its answer where all drafted it, else two of three."""
    found = []
    for lesson in with_captain(draw, taught):
        assert lesson.verdict is not None
        alike = len(lesson.groups) == 1
        end = (1.0, 0.0, 0.0) if alike else (2 / 3, float(draw.random() < 0.3), 1.0)
        found.append(replace(lesson, drafts=(), rights=(), groups=(), verdict=replace(lesson.verdict, end=end)))
    return tuple(found)


def given_together(together: float, played: Strategy = Vote(), worlds: int = WORLDS) -> int:  # noqa: B008  frozen
    """In how many worlds answers that all agree on are given, where so many of them are right."""
    seats = tuple(Player(name, ScriptedModel(name, lambda request: "")) for name in PLAYERS)
    team = Team("three", seats, Prompts("en"), 7)
    given = 0
    for world in range(worlds):
        draw = np.random.default_rng([18, world, int(1000 * together)])
        verdicts = with_talk if isinstance(played, Discuss) else with_captain
        taught = replace(team, lessons=verdicts(draw, lessons(draw, 250, together)))
        deciding, sure = sureness(played, Abstain(target=TARGET), None, taught)
        assert len(deciding.lessons) == 100  # the other 150 are kept for the promise
        given += sure.below is not None
    return given


def test_it_is_broken_in_at_most_one_of_two_hundred() -> None:
    """Just too few are right: whoever answers anything breaks the promise. Each of ten folds has one of its own, and the run
    keeps its promise where all are kept. 2 of 30 would come by chance once in 100 times."""
    assert given_together(0.895) <= 1


def test_it_is_made_where_it_can_be() -> None:
    assert given_together(0.99) >= 0.8 * WORLDS


def test_what_many_lessons_teach_is_remembered() -> None:
    """A run goes through the folds of all strategies question by question: as many tuples of lessons, three of each."""
    draw = np.random.default_rng(1)
    several = [lessons(draw, 30, 0.9) for _ in range(3 * KEPT)]
    first = [studied(each, PLAYERS) for each in several]
    assert all(studied(each, PLAYERS) is found for each, found in zip(several, first, strict=True))


def test_more_lessons_than_that_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("moot.decide.studied.KEPT_LESSONS", 30)
    several = [lessons(np.random.default_rng(1), 2, 0.9) for _ in range(KEPT + 1)]
    first = [studied(each, PLAYERS) for each in several]
    assert studied(several[-1], PLAYERS) is first[-1]
    assert studied(several[0], PLAYERS) is not first[0]


def test_a_captains_promise_is_broken_in_at_most_one_of_two_hundred() -> None:
    """Tested on its own verdicts, and those of questions that taught neither the drafts' model nor its own."""
    assert given_together(0.895, Talkative(), worlds=100) <= 2


def test_a_captains_promise_is_made_where_it_can_be() -> None:
    assert given_together(0.99, Talkative()) >= 0.7 * WORLDS


SOON_ENOUGH = Cascade(order=PLAYERS, until=0.8, then="talkative")
"""Where just too few are right it mostly ends before its last stage."""
ALL_HEARD = Cascade(order=PLAYERS, until=0.9, then="talkative", wave=3)


def test_a_discussions_promise_is_broken_in_at_most_one_of_two_hundred() -> None:
    assert given_together(0.895, Discuss(), worlds=100) <= 2


def test_a_discussions_promise_is_made_where_it_can_be() -> None:
    assert given_together(0.99, Discuss()) >= 0.7 * WORLDS


def test_the_promise_of_a_cascade_with_a_last_stage_is_broken_in_at_most_one_of_two_hundred() -> None:
    """Its path is replayed on questions that taught nothing; where it goes on, what the stage said of them counts."""
    assert given_together(0.895, SOON_ENOUGH, worlds=20) <= 1


def test_the_promise_of_a_cascade_with_a_last_stage_is_made_where_it_can_be() -> None:
    assert given_together(0.99, ALL_HEARD, worlds=8) >= 5
