"""Does the team fix more errors than it makes? Rescues and regressions over pairs of a model and a question.

A rescue was wrong alone and is right after; a regression was right alone and is not right after. A native answer that
never came (unparsed, refused, failed) and is right after is *recovered*: no error was fixed, so it stands apart. Pairs
with an ungraded side are in no figure but their own count. Pure functions: no store, no model; what does not exist is
None.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from moot.measures.safety.multiple import Multiple, multiple
from moot.stats.graded import Value, Way, difference_bounds, graded_value, why_unfair_together
from moot.stats.paired import compare, difference
from moot.stats.proportion import share_of
from moot.stats.rank import halves, permuted_p, spearman
from moot.types import Estimate

Row = dict[str, Any]
Change = Literal["kept", "rescue", "regression", "recovered", "still-wrong", "still-missing", "ungraded"]

ANSWERED = ("answered", "undecided")
RIGHT = 0.5
"""A value from here on is right: grades are 0 or 1, and shares of words are rounded so."""


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
    native_way: Way = "at once"
    """How the answer alone came by its grade, or why it has none."""
    after_way: Way = "at once"

    @property
    def key(self) -> tuple[str, str, int]:
        return self.question, self.model, self.repeat

    @property
    def graded(self) -> bool:
        return self.change != "ungraded"

    @property
    def native_right(self) -> bool:
        return self.native_outcome in ANSWERED and (self.native or 0.0) >= RIGHT

    @property
    def after_right(self) -> bool:
        return self.after_outcome in ANSWERED and (self.after or 0.0) >= RIGHT

    @property
    def change(self) -> Change:
        native_there, after_there = self.native_outcome in ANSWERED, self.after_outcome in ANSWERED
        if (native_there and self.native is None) or (after_there and self.after is None):
            return "ungraded"
        if not native_there:
            return "recovered" if self.after_right else "still-missing"
        if self.native_right:
            return "kept" if self.after_right else "regression"
        return "rescue" if self.after_right else "still-wrong"

    @property
    def native_value(self) -> Value:
        return _value(self.native, self.native_outcome, self.native_right, self.native_way)

    @property
    def after_value(self) -> Value:
        return _value(self.after, self.after_outcome, self.after_right, self.after_way)

    @property
    def possible(self) -> frozenset[Change]:
        """What a pair may turn out to be once it is graded; of one that is, what it is."""
        natives = (0.0, 1.0) if self.native is None else (self.native,)
        afters = (0.0, 1.0) if self.after is None else (self.after,)
        return frozenset(replace(self, native=native, after=after).change for native in natives for after in afters)


def _value(grade: float | None, outcome: str, right: bool, way: Way) -> Value:
    """An answer that never came is not right; one that nobody has graded may be."""
    if outcome in ANSWERED and grade is None:
        return graded_value(None, way)
    return graded_value(float(right), way if outcome in ANSWERED else "at once")


def why_unfair_changes(pairs: Iterable[Pair]) -> str | None:
    """Why rates over the graded pairs would flatter: what is graded without the judge was right alone, or is right after."""
    return why_unfair_together([(pair.native_value, pair.after_value) for pair in pairs], of="pairs")


@dataclass(frozen=True, slots=True)
class StageEffect:
    """What a stage did to a set of pairs."""

    counts: Mapping[str, int]
    """How many pairs changed how."""
    regressions_without_answer: int
    """Regressions that end without any answer, rather than on a wrong one."""
    multiple: Multiple
    with_recovered: Multiple
    rescue_rate: Estimate | None
    """Of the wrong ones."""
    regression_rate: Estimate | None
    """Of the right ones."""
    net_share: Estimate | None
    """Net over all pairs."""
    questions: int
    more_rescues: int = 0
    """Ungraded pairs that may turn out to be rescues."""
    more_regressions: int = 0
    why: str | None = None
    """Why there is neither multiple nor rate although some pairs are graded; the counts are of the graded pairs alone."""

    @property
    def pairs(self) -> int:
        """Those with a grade on both sides."""
        return sum(count for change, count in self.counts.items() if change != "ungraded")

    @property
    def net(self) -> int:
        return self.counts.get("rescue", 0) - self.counts.get("regression", 0)

    def bounds(self) -> Row:
        """What multiple and net would be over all pairs, whatever the ungraded ones turn out to be."""
        if not self.counts.get("ungraded"):
            return {}
        rescues, regressions = self.counts.get("rescue", 0), self.counts.get("regression", 0)
        most = regressions + self.more_regressions
        return {
            "bounds": {
                "low": rescues / most if most else None,
                "high": (rescues + self.more_rescues) / regressions if regressions else None,
            },
            "net_bounds": {"low": self.net - self.more_regressions, "high": self.net + self.more_rescues},
        }

    def row(self) -> Row:
        """In the names of the report."""
        return {
            **self.bounds(),
            "rescues": self.counts.get("rescue", 0),
            "regressions": self.counts.get("regression", 0),
            "recovered": self.counts.get("recovered", 0),
            "multiple": self.multiple.value,
            "low": self.multiple.low,
            "high": self.multiple.high,
            "note": self.multiple.note,
            "multiple_with_recovered": self.with_recovered.value,
            "with_recovered_low": self.with_recovered.low,
            "with_recovered_high": self.with_recovered.high,
            **named_estimate(self.rescue_rate, "rescue_rate"),
            **named_estimate(self.regression_rate, "regression_rate"),
            "net": self.net if self.why is None else None,
            **named_estimate(self.net_share, "net_share"),
            "regressions_without_answer": self.regressions_without_answer,
            "ungraded": self.counts.get("ungraded", 0),
            "n_pairs": self.pairs,
            "n": self.questions,
            **({} if self.why is None else {"why": self.why}),
        }


def named_estimate(estimate: Estimate | None, name: str) -> Row:
    if estimate is None:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def safety(pairs: Sequence[Pair], *, seed: int = 0) -> StageEffect:
    parts = split(graded(pairs), lambda pair: pair.question)
    by_question = {question: Counter(pair.change for pair in part) for question, part in parts.items()}
    total = Counter(pair.change for pair in pairs)
    rescues, regressions = _counts(by_question, "rescue"), _counts(by_question, "regression")
    fixed = _counts(by_question, "rescue", "recovered")
    wrong, right = _counts(by_question, "rescue", "still-wrong"), _counts(by_question, "regression", "kept")
    net = {
        question: (rescues[question], regressions[question], float(changes.total()))
        for question, changes in by_question.items()
    }
    why = why_unfair_changes(pairs)
    net_share = None if why else difference(net, seed=seed)
    return StageEffect(
        {str(change): count for change, count in total.items()},
        sum(pair.change == "regression" and pair.after_outcome not in ANSWERED for pair in pairs),
        NO_MULTIPLE if why else multiple(rescues, regressions),
        NO_MULTIPLE if why else multiple(fixed, regressions),
        None if why else share_of({question: (count, wrong[question]) for question, count in rescues.items()}),
        None if why else share_of({question: (count, right[question]) for question, count in regressions.items()}),
        None if net_share is None else net_share.estimate(),
        len(by_question),
        sum("rescue" in pair.possible for pair in pairs if not pair.graded),
        sum("regression" in pair.possible for pair in pairs if not pair.graded),
        why,
    )


NO_MULTIPLE = Multiple(None, None, None)
"""Where what is graded would flatter."""


def _counts(by_question: Mapping[str, Counter[Change]], *changes: Change) -> dict[str, float]:
    return {question: float(sum(counts[change] for change in changes)) for question, counts in by_question.items()}


def graded(pairs: Iterable[Pair]) -> list[Pair]:
    """Nobody knows of the others whether anything was rescued or spoilt."""
    return [pair for pair in pairs if pair.graded]


def split(pairs: Iterable[Pair], key: Callable[[Pair], Any]) -> dict[Any, list[Pair]]:
    """Pairs by a key, in the order of the key's text, so that the order of pairs changes nothing."""
    parts: dict[Any, list[Pair]] = {}
    for pair in pairs:
        parts.setdefault(key(pair), []).append(pair)
    return dict(sorted(parts.items(), key=lambda part: str(part[0])))


def per_model(pairs: Sequence[Pair], *, seed: int = 0) -> list[Row]:
    """Each model alone and after, and the difference question by question; the strongest alone first."""
    rows = [_model_row(model, every, seed) for model, every in split(pairs, lambda pair: pair.model).items()]
    return sorted(rows, key=lambda row: (row["native"] is None, -(row["native"] or 0.0), row["model"]))


def _model_row(model: str, every: Sequence[Pair], seed: int) -> Row:
    graded_pairs, why = graded(every), why_unfair_changes(every)
    by_question = {} if why else split(graded_pairs, lambda pair: pair.question)
    values = {question: _means(part) for question, part in by_question.items()}
    pooled = len(every) > len({pair.question for pair in every})
    sides = {question: (after, native) for question, (native, after) in values.items()}
    comparison = compare(sides, pooled=pooled, seed=seed).row()
    counts = Counter(pair.change for pair in graded_pairs)
    row = {
        "model": model,
        "cohort": every[0].cohort,
        "native": sum(native for native, _ in values.values()) / len(values) if values else None,
        "after": sum(after for _, after in values.values()) / len(values) if values else None,
        **{key: comparison[key] for key in ("difference", "low", "high", "p", "n", "small")},
        "rescues": counts["rescue"],
        "regressions": counts["regression"],
        "recovered": counts["recovered"],
        "refused": sum(pair.native_outcome == "refused" for pair in every),
        "refused_after": sum(pair.after_outcome == "refused" for pair in every),
        "ungraded": len(every) - len(graded_pairs),
    }
    if row["ungraded"]:
        row["bounds"] = difference_bounds(pairs_by_question(every))["bounds"]
        row |= {} if values else {"why": why or "no pair has both answers graded"}
    return row


def pairs_by_question(pairs: Iterable[Pair]) -> dict[str, list[tuple[Value, Value]]]:
    """By question: after and alone, of each of its pairs."""
    return {
        question: [(pair.after_value, pair.native_value) for pair in several]
        for question, several in split(pairs, lambda pair: pair.question).items()
    }


def _means(pairs: Sequence[Pair]) -> tuple[float, float]:
    native = sum(pair.native_right for pair in pairs) / len(pairs)
    return native, sum(pair.after_right for pair in pairs) / len(pairs)


def gain_by_strength(pairs: Sequence[Pair], *, seed: int = 0) -> Row | None:
    """Do weak models gain more? Spearman's rho, over models, of how right each is alone and what it gains.

    The two come from different questions: a native figure that is low by chance makes a gain on the same questions, so
    that with one set of them the two would go together where nothing does. One half, drawn by the seed, gives the
    strength, the other the gain; the p is a permutation of the models. None below three models, or where one side does
    not vary.
    """
    if len({pair.model for pair in pairs}) < 3:
        return None
    of_model = split(graded(pairs), lambda pair: pair.model)
    ungraded = len(pairs) - sum(map(len, of_model.values()))
    beside: Row = {
        "models": len(of_model),
        "pairs": len(pairs) - ungraded,
        **({"ungraded": ungraded} if ungraded else {}),
    }
    if why := why_unfair_changes(pairs) or _too_few(of_model, pairs):
        return {"rho": None, "low": None, "high": None, "p": None, **beside, "why": why}
    first = halves({pair.question for pair in pairs}, seed=seed)
    strengths, gains = [], []
    for model_pairs in of_model.values():
        sides = [[pair for pair in model_pairs if (pair.question in first) == half] for half in (True, False)]
        if not all(sides):
            return None
        strengths.append(sum(pair.native_right for pair in sides[0]) / len(sides[0]))
        gains.append(sum(pair.after_right - pair.native_right for pair in sides[1]) / len(sides[1]))
    correlation = spearman(strengths, gains)
    if correlation is None:
        return None
    rho = correlation.estimate
    p = permuted_p(strengths, gains, seed=seed)
    without = {} if correlation.why is None else {"why": correlation.why}
    return {"rho": rho.value, "low": rho.low, "high": rho.high, "p": p, **beside, **without}


def _too_few(of_model: Mapping[str, Sequence[Pair]], pairs: Sequence[Pair]) -> str | None:
    """Said where ungraded answers leave models out: those that are left are not the ones that the figure is of."""
    silent = sorted({pair.model for pair in pairs} - of_model.keys())
    return f"no pair of {', '.join(silent)} has both answers graded" if silent else None
