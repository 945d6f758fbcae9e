"""Does the team fix more errors than it makes? Rescues and regressions over pairs of a model and a question.

A rescue was wrong alone and is right after; a regression was right alone and is not right after. A native answer that
never came (unparsed, refused, failed) and is right after is *recovered*: no error was fixed, so it stands apart. Pairs
with an ungraded side are in no figure but their own count. Pure functions: no store, no model; what does not exist is
None.

Where answers are scored by shares of words nothing is rounded: whatever is a mean is the mean of the scores, as accuracy
is, and only what is counted needs a yes or no. There a rescue is a score that rises and a regression one that falls, so
that no difference goes against its own counts. Of 0 and 1 both say the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from moot.stats.counted_words import count
from moot.stats.estimates import TESTED
from moot.stats.graded import (
    Value,
    WayOfGrading,
    ended_value,
    graded_value,
    said_value,
    why_never_came,
    why_no_interval,
    why_ungraded_together,
)
from moot.stats.graded_pairs import compare_graded, difference_bounds, failed_row
from moot.stats.rank import halves, permuted_p, spearman
from moot.types import FAILED, WITH_ANSWER

Row = dict[str, Any]
Change = Literal[
    "kept",
    "rescue",
    "regression",
    "recovered",
    "still-wrong",
    "still-missing",
    "part-kept",
    "part-rescue",
    "part-regression",
    "abstained",
    "ungraded",
]
"""What became of an answer. `part-`: it was right in part alone, so that it could become better as well as worse.
`abstained`: the team gave none, since it was not sure enough, which neither repairs nor spoils anything."""
RESCUES: frozenset[Change] = frozenset({"rescue", "part-rescue"})
REGRESSIONS: frozenset[Change] = frozenset({"regression", "part-regression"})
COULD_RISE: frozenset[Change] = RESCUES | {"still-wrong", "part-kept", "part-regression"}
"""Not wholly right alone."""
COULD_FALL: frozenset[Change] = REGRESSIONS | {"kept", "part-kept", "part-rescue"}
"""Not wholly wrong alone."""

ABSTAINED: Literal["abstained"] = "abstained"
NOTHING_SAID: Literal["nothing said"] = "nothing said"

_SAME = 1e-9
"""Shares of the same words may differ in their last digit."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One model on one question: alone, and after it has heard the others."""

    question: str
    model: str
    native: float | None
    """How right it was alone; None: ungraded."""
    after: float | None
    native_outcome: str = "answered"
    after_outcome: str = "answered"
    cohort: str | None = None
    repeat: int = 0
    dataset: str | None = None
    own_word: bool = True
    """Whether the answer after is its own; False: one that was counted out for all, and at most a tie broken for it."""
    native_way: WayOfGrading = "at once"
    """How the answer alone came by its grade, or why it has none."""
    after_way: WayOfGrading = "at once"
    native_words: str | None = None
    """What it said alone, where nobody has graded that, as far as equal words have equal grades."""
    after_words: str | None = None
    native_never_came: str | None = None
    """Whose the answers alone are, where every one failed;"""
    after_never_came: str | None = None
    """and whose those after are, where every one did."""

    @property
    def key(self) -> tuple[str, str, int]:
        return self.question, self.model, self.repeat

    @property
    def graded(self) -> bool:
        return self.change != "ungraded"

    @property
    def native_score(self) -> float:
        """0 without an answer, and of one that nobody has graded."""
        return (self.native or 0.0) if self.native_outcome in WITH_ANSWER else 0.0

    @property
    def after_score(self) -> float:
        return (self.after or 0.0) if self.after_outcome in WITH_ANSWER else 0.0

    @property
    def in_part(self) -> bool:
        """Whether one of its answers is neither right nor wrong."""
        return any(0 < score < 1 for score in (self.native_score, self.after_score))

    @property
    def change(self) -> Change:
        if not {NOTHING_SAID, "again"}.isdisjoint((self.native_way, self.after_way)):
            return "ungraded"  # nobody knows what is right, or what it will be, whatever came of it
        native_there, after_there = self.native_outcome in WITH_ANSWER, self.after_outcome in WITH_ANSWER
        if (native_there and self.native is None) or (after_there and self.after is None):
            return "ungraded"
        if self.after_outcome == ABSTAINED:
            return ABSTAINED
        rise = self.after_score - self.native_score
        if not native_there:
            return "recovered" if rise > _SAME else "still-missing"
        if self.native_score >= 1 - _SAME:
            return "regression" if rise < -_SAME else "kept"
        if self.native_score <= _SAME:
            return "rescue" if rise > _SAME else "still-wrong"
        return "part-rescue" if rise > _SAME else "part-regression" if rise < -_SAME else "part-kept"

    @property
    def waits(self) -> bool:
        """Whether it will have a grade: an answer of it has none, although somebody has said what is right."""
        sides = ((self.native, self.native_outcome, self.native_way), (self.after, self.after_outcome, self.after_way))
        return any(w == "again" or (w == "waiting" and grade is None and how in WITH_ANSWER) for grade, how, w in sides)

    @property
    def not_heard(self) -> bool:
        """Whether nobody waited for the answer alone, so that it will never have a grade."""
        return self.native is None and self.native_outcome in WITH_ANSWER and self.native_way == "not heard"

    @property
    def may_have_changed(self) -> bool:
        """Whether it may be a rescue or a regression, so that nobody can count them: it waits for a grade, or nobody waited
        for it. Whoever says the same as before has changed nothing, whatever its grade will be."""
        return (self.waits or self.not_heard) and not self.unchanged

    @property
    def unchanged(self) -> bool:
        """Whether both answers will have one grade, since they are the same words to one question."""
        told = self.native is None and self.after is None and self.native_words is not None
        return told and self.native_words == self.after_words and self.native_outcome in WITH_ANSWER

    @property
    def native_value(self) -> Value:
        said = _value(self.native, self.native_outcome, self.native_way, self.native_words)
        return said if self.native_way == "again" else ended_value(said, self.native_outcome, self.native_never_came)

    @property
    def after_value(self) -> Value:
        said = _value(self.after, self.after_outcome, self.after_way, self.after_words)
        return said if self.after_way == "again" else ended_value(said, self.after_outcome, self.after_never_came)

    @property
    def possible(self) -> frozenset[Change]:
        """What a pair may turn out to be once it is graded; of one that is, what it is."""
        if self.unchanged:
            return frozenset(replace(self, native=grade, after=grade).change for grade in (0.0, 1.0))
        natives = _ends(self.native, self.native_way, self.native_outcome)
        told = replace(self, native_way="at once", after_way="at once")
        started = [replace(told, native=native, native_outcome=how) for native, how in natives]
        afters = _ends(self.after, self.after_way, self.after_outcome)
        return frozenset(replace(one, after=then, after_outcome=how).change for one in started for then, how in afters)


@dataclass(frozen=True, slots=True)
class Native:
    """What somebody at the table says alone who does not answer again: nobody's captain, and no less a member of the team."""

    question: str
    model: str
    value: Value
    cohort: str | None = None
    repeat: int = 0


def of_all(pairs: Sequence[Pair]) -> list[Pair]:
    """Only of those plays that all models have who have any: over whoever is there, a figure of several models would be one
    of others from question to question."""
    plays = _plays_of_all(list(split(pairs, lambda pair: (pair.cohort, pair.model)).values()))
    return [pair for pair in pairs if (pair.question, pair.repeat) in plays]


def of_every(several: Sequence[Sequence[Pair]]) -> list[Pair]:
    """The same of the pairs of several, one group each: those plays that every group has."""
    plays = _plays_of_all(several)
    return [pair for own in several for pair in own if (pair.question, pair.repeat) in plays]


def _plays_of_all(several: Sequence[Sequence[Pair]]) -> set[tuple[str, int]]:
    return set.intersection(*({(pair.question, pair.repeat) for pair in own} for own in several)) if several else set()


def questions_left_out(every: Iterable[Pair], kept: Iterable[Pair]) -> frozenset[str]:
    """Those of which no play is left."""
    return frozenset(pair.question for pair in every) - {pair.question for pair in kept}


def none_shared(pairs: Sequence[Pair]) -> str:
    """Said where no play is one of all."""
    questions, models = len({pair.question for pair in pairs}), len({(pair.cohort, pair.model) for pair in pairs})
    return f"none of {questions:,} questions has been played by all {models:,} models"


def _ends(grade: float | None, way: WayOfGrading, outcome: str) -> list[tuple[float, str]]:
    """What an answer may turn out to be worth, and how it ended: one that failed may come when it is asked for again."""
    if way == NOTHING_SAID:
        return [(0.0, outcome), *([(0.0, "answered"), (1.0, "answered")] if outcome == FAILED else ())]
    return [(end, "answered" if way == "again" else outcome) for end in ((0.0, 1.0) if grade is None else (grade,))]


def native_value(
    grade: float | None, outcome: str, way: WayOfGrading, words: str | None, never_came: str | None = None
) -> Value:
    """What an answer alone is worth; open where nobody waited for it. `words`: what it says, where nobody has
    graded that. `never_came`: whose it is, where every one failed."""
    if way in ("not heard", "again"):
        return graded_value(None, way)
    return ended_value(_value(grade, outcome, way, words), outcome, never_came)


def _value(grade: float | None, outcome: str, way: WayOfGrading, words: str | None) -> Value:
    """An answer that never came is not right; one that nobody has graded may be."""
    if way in (NOTHING_SAID, "again"):
        return graded_value(None, way)
    return said_value(grade, way, words) if outcome in WITH_ANSWER else graded_value(0.0)


def why_nobody_there(pairs: Iterable[Pair]) -> str | None:
    """Why two sides of these say nothing of each other: a model never answered, alone or after. What changed can be counted
    all the same, since an answer that never came is in no rate."""
    return why_never_came(value for pair in pairs for value in (pair.native_value, pair.after_value))


def why_unfair_changes(pairs: Iterable[Pair]) -> str | None:
    """Why rates over the graded pairs would flatter: what is graded without the judge was right alone, or is right after.

    Repeats of one model's answer to a question wait together, as wherever two sides are compared.
    """
    repeats = split(pairs, lambda pair: (pair.question, pair.model, pair.cohort))
    groups = [[value for pair in own for value in (pair.native_value, pair.after_value)] for own in repeats.values()]
    several = any(len(own) > 1 for own in repeats.values())  # no pair then, and pairs are counted beside it
    return why_ungraded_together(groups, of="questions to a model, all repeats together," if several else "pairs")


def uncounted(pairs: Iterable[Pair]) -> list[str]:
    """Why nobody can count what changed: an answer may have a grade yet, or was never waited for."""
    whys, every = [], list(pairs)
    if waiting := sum(pair.waits and not pair.unchanged for pair in every):
        whys.append(f"{count(waiting, 'pair waits', 'pairs wait')} for a grade")
    if not_heard := sum(pair.not_heard and not pair.waits for pair in every):
        whys.append(f"{count(not_heard, 'pair has', 'pairs have')} an answer that nobody waited for")
    return [f"{' and '.join(whys)}, so that nobody can count what changed"] if whys else []


def graded(pairs: Iterable[Pair]) -> list[Pair]:
    """Nobody knows of the others whether anything was rescued or spoilt."""
    return [pair for pair in pairs if pair.graded]


def count_of(counts: Mapping[Change, int], changes: Iterable[Change]) -> int:
    """How many pairs changed in one of these ways."""
    return sum(counts.get(change, 0) for change in changes)


def parts_row(pairs: Iterable[Pair]) -> Row:
    """How many have an answer that is right in part, so that their counts are of scores that rise and fall; nothing where
    none has."""
    in_part = sum(pair.in_part for pair in pairs)
    return {"in_part": in_part} if in_part else {}


def abstained_row(pairs: Iterable[Pair]) -> Row:
    """How often the team gave no answer since it was not sure enough; nothing where it never did."""
    abstained = sum(pair.after_outcome == ABSTAINED for pair in pairs)
    return {ABSTAINED: abstained} if abstained else {}


def split(pairs: Iterable[Pair], key: Callable[[Pair], Any]) -> dict[Any, list[Pair]]:
    """Pairs by a key, in the order of the key's text, so that the order of pairs changes nothing."""
    parts: dict[Any, list[Pair]] = {}
    for pair in pairs:
        parts.setdefault(key(pair), []).append(pair)
    return dict(sorted(parts.items(), key=lambda part: str(part[0])))


def per_model(pairs: Sequence[Pair]) -> list[Row]:
    """Each model alone and after, and the difference question by question; the strongest alone first.

    All rows that stand together in the end are one family (`estimates.with_holm`).
    """
    rows = [_model_row(model, every) for model, every in split(pairs, lambda pair: pair.model).items()]
    return sorted(rows, key=lambda row: (row["native"] is None, -(row["native"] or 0.0), row["model"]))


def _model_row(model: str, every: Sequence[Pair]) -> Row:
    graded_pairs, why = graded(every), why_nobody_there(every) or why_unfair_changes(every)
    by_question = {} if why else split(graded_pairs, lambda pair: pair.question)
    values = {question: _means(part) for question, part in by_question.items()}
    pooled = len(every) > len({pair.question for pair in every})
    compared = compare_graded({} if why else pairs_by_question(every), pooled=pooled)
    comparison = compared.row()
    counts = Counter(pair.change for pair in graded_pairs)
    why_uncounted = uncounted(every)
    row = {
        "model": model,
        "cohort": every[0].cohort,
        "native": sum(native for native, _ in values.values()) / len(values) if values else None,
        "after": sum(after for _, after in values.values()) / len(values) if values else None,
        **{key: comparison[key] for key in ("difference", "low", "high", "p", "n", "small")},
        "rescues": None if why_uncounted else count_of(counts, RESCUES),
        "regressions": None if why_uncounted else count_of(counts, REGRESSIONS),
        "recovered": None if why_uncounted else counts["recovered"],
        "refused": sum(pair.native_outcome == "refused" for pair in every),
        "refused_after": sum(pair.after_outcome == "refused" for pair in every),
        **abstained_row(every),
        "ungraded": len(every) - len(graded_pairs),
        **parts_row(graded_pairs),
        TESTED: compared.figure,
    }
    if row["ungraded"]:
        row["bounds"] = difference_bounds(pairs_by_question(every))["bounds"]
    if whys := [*([] if values else [why or "no pair has both answers graded"]), *why_uncounted]:
        row["why"] = "; ".join(whys)
    return row | failed_row(pairs_by_question(every))


def pairs_by_question(pairs: Iterable[Pair]) -> dict[str, list[tuple[Value, Value]]]:
    """By question: after and alone, of each of its pairs."""
    return {
        question: [(pair.after_value, pair.native_value) for pair in several]
        for question, several in split(pairs, lambda pair: pair.question).items()
    }


def _means(pairs: Sequence[Pair]) -> tuple[float, float]:
    native = sum(pair.native_score for pair in pairs) / len(pairs)
    return native, sum(pair.after_score for pair in pairs) / len(pairs)


def gain_by_strength(every: Sequence[Pair], *, seed: int = 0) -> Row | None:
    """Do weak models gain more? Spearman's rho, over models, of how right each is alone and what it gains.

    On the plays that all of them have: who was asked the easier questions is not the stronger one.

    The two come from different questions: a native figure that is low by chance makes a gain on the same questions, so
    that with one set of them the two would go together where nothing does. One half, drawn by the seed, gives the
    strength, the other the gain; the p is a permutation of the models, which takes them as exchangeable: those of one vendor
    are not. None below three models, or where one side does
    not vary.
    """
    if len({pair.model for pair in every}) < 3:
        return None
    pairs = of_all(every)
    left_out = len(questions_left_out(every, pairs))
    of_model = split(graded(pairs), lambda pair: pair.model)
    ungraded = len(pairs) - sum(map(len, of_model.values()))
    beside: Row = {
        "models": len(of_model),
        "pairs": len(pairs) - ungraded,
        **({"ungraded": ungraded} if ungraded else {}),
        **({"left_out": left_out} if left_out else {}),
    }
    if not pairs:
        return {"rho": None, "low": None, "high": None, "p": None, **beside, "why": none_shared(every)}
    if why := why_nobody_there(pairs) or why_unfair_changes(pairs) or _too_few(of_model, pairs):
        return {"rho": None, "low": None, "high": None, "p": None, **beside, "why": why}
    first = halves({pair.question for pair in pairs}, seed=seed)
    strengths, gains = [], []
    for model_pairs in of_model.values():
        sides = [[pair for pair in model_pairs if (pair.question in first) == half] for half in (True, False)]
        if not all(sides):
            return None
        strengths.append(sum(pair.native_score for pair in sides[0]) / len(sides[0]))
        gains.append(sum(pair.after_score - pair.native_score for pair in sides[1]) / len(sides[1]))
    correlation = spearman(strengths, gains)
    if correlation is None:
        return None
    found = correlation.with_p(permuted_p(strengths, gains, seed=seed)).row()
    if waits := why_no_interval([(pair.native_value, pair.after_value) for pair in pairs]):
        found |= {"low": None, "high": None, "p": None, "why": waits.replace("question", "pair")}
    return {key: value for key, value in found.items() if key != "n"} | beside


def _too_few(of_model: Mapping[str, Sequence[Pair]], pairs: Sequence[Pair]) -> str | None:
    """Said where ungraded answers leave models out: those that are left are not the ones that the figure is of."""
    silent = sorted({pair.model for pair in pairs} - of_model.keys())
    return f"no pair of {', '.join(silent)} has both answers graded" if silent else None
