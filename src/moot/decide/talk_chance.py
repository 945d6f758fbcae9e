"""The probability that a verdict is right where nobody has drafted anything alone: a discussion's, learnt on other questions.

What a discussion ends with tells something of it: how many of those at the table stand behind the answer, whether it was
decided at all or a fall-back stands, and how long it took. A small model learns what these are worth from the strategy's own
graded verdicts. With few of them it says how often the strategy is right, and the more there are, the more it tells questions
apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from moot.decide.candidates import Bools, Floats, Places
from moot.decide.choice_model import within_sample
from moot.decide.learning import FOLDS, folds_of, too_few_to_learn
from moot.decide.promise import LEVEL, UNANSWERED, Promise, promised
from moot.decide.rules import DIGITS
from moot.decide.studied import NothingLearnt, Studied
from moot.decide.verdict_chance import drawn_logistic, log_odds
from moot.later import numpy as np
from moot.stats.graded import FEW_WAITING
from moot.team.lessons import NOT_PLAYED
from moot.types import Verdict

TALK_PULLS = (1.0, 1.0, 1.0, 1.0)
"""How strongly each weight is drawn to nothing, and the first to how often the strategy is right: as some five answers do."""


@dataclass(frozen=True, slots=True)
class TalkModel:
    """From how a discussion ended to what its answer is worth: log-odds, added up."""

    right: float
    """Where nobody stands behind it."""
    behind: float
    """Where all do, beside that; of a part of them the same part of it."""
    undecided: float
    """Where a fall-back stands."""
    turns: float
    """Each time that it took twice as many."""
    questions: int | None = field(default=None, kw_only=True)
    """So many graded verdicts taught it; None: nobody says."""

    @property
    def weights(self) -> dict[str, float]:
        return {"right": self.right, "behind": self.behind, "undecided": self.undecided, "turns": self.turns}

    def chances(self, ends: Floats) -> Floats:
        """`ends`: of each verdict what `end_of` says."""
        found = 1 / (1 + np.exp(-(_features(ends) @ np.array([*self.weights.values()]))))
        return within_sample(found, self.questions)

    def rounded(self) -> TalkModel:
        """With no more digits than a file has."""
        rounded = (round(value, DIGITS) for value in self.weights.values())
        return TalkModel(*rounded, questions=self.questions)


def end_of(verdict: Verdict) -> tuple[float, float, float]:
    """The share of the table that stands behind it, whether it is a fall-back, and how often its turns have doubled."""
    seats = {answer.player for answer in verdict.answers} | set(verdict.who)
    behind = len(set(verdict.who)) / len(seats) if seats else 0.0
    return behind, float(verdict.outcome == "undecided"), float(np.log2(max(verdict.turns or 1, 1)))


def _features(ends: Floats) -> Floats:
    return np.concatenate([np.ones((len(ends), 1)), ends], axis=1)


def learn_talk(ends: Floats, rights: Floats) -> TalkModel:
    centre = np.array([log_odds(np.array([rights.mean()]))[0], 0.0, 0.0, 0.0])
    features = _features(ends - ends.mean(axis=0))
    right, *weights = drawn_logistic(features, rights, centre, np.array(TALK_PULLS))
    # What is drawn to how often it is right is the weight of an end like most, not of one that nobody stands behind.
    behind, undecided, turns = (float(weight) for weight in weights)
    return TalkModel(
        float(right - ends.mean(axis=0) @ np.array(weights)), behind, undecided, turns, questions=len(rights)
    )


def talk_chances(ends: Floats, rights: Floats, units: Sequence[str]) -> tuple[Floats, Places]:
    """Of each graded verdict its probability, learnt on the other folds; and its fold."""
    found, fold_of = np.full(len(rights), np.nan), folds_of(units, FOLDS, role="probability")
    for fold in np.unique(fold_of):
        inside = fold_of == fold
        found[inside] = learn_talk(ends[~inside], rights[~inside]).chances(ends[inside])
    return found, fold_of


@dataclass(frozen=True, slots=True, eq=False)
class TaughtTalk:
    """A discussion's verdicts on the questions of some lessons."""

    units: tuple[str, ...]
    ends: Floats
    rights: Floats
    """NaN: not graded."""
    answered: Bools
    open_ones: Bools
    """Questions that somebody may still say of what is right."""

    @classmethod
    def of(cls, taught: Studied) -> TaughtTalk:
        verdicts = [lesson.verdict or NOT_PLAYED for lesson in taught.lessons]
        rights = [np.nan if verdict.right is None else verdict.right for verdict in verdicts]
        answered = [verdict.answered and bool(verdict.end) for verdict in verdicts]
        return cls(
            taught.units,
            np.array([verdict.end or (0.0, 0.0, 0.0) for verdict in verdicts], dtype=float).reshape(-1, 3),
            np.array(rights, dtype=float),
            np.array(answered, dtype=np.bool_),
            np.array([lesson.question.kind == "open" for lesson in taught.lessons], dtype=np.bool_),
        )

    @property
    def graded(self) -> int:
        return int((self.answered & ~np.isnan(self.rights)).sum())

    def learn(self) -> TalkModel | NothingLearnt:
        waiting = int((self.answered & np.isnan(self.rights) & self.open_ones).sum())
        if waiting > FEW_WAITING * (waiting + self.graded):
            told = "wait for a grade, and whether one has it hangs on what was said"
            return NothingLearnt(f"{waiting:,} of {waiting + self.graded:,} of its answers {told}")
        rows = np.flatnonzero(self.answered & ~np.isnan(self.rights))
        if (few := too_few_to_learn(len(rows), [self.units[row] for row in rows])) is not None:
            return NothingLearnt(f"of its own verdicts {few}")
        return learn_talk(self.ends[rows], self.rights[rows])

    def promise(self, model: TalkModel, target: float, *, level: float = LEVEL, largest: int = 1) -> Promise:
        """On questions that did not teach the model. What waits for a grade is taken for wrong; of which nobody ever says
        what is right, is left out."""
        rows = np.flatnonzero(~self.answered | ~np.isnan(self.rights) | self.open_ones)
        chances = np.where(self.answered[rows], model.chances(self.ends[rows]), UNANSWERED)
        rights = np.nan_to_num(self.rights[rows])
        return promised(chances, rights, [self.units[row] for row in rows], target, level=level, largest=largest)
