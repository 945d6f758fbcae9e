"""What a run that has been played tells a plan for a larger one: how often the headline's option and the best single differ.

The difference that it found is no size to plan for: a small run that found much found it by luck as well. How often two
ways of answering differ says nothing about which is better, and can be taken from a pilot; but it is uncertain too, so a plan
goes by the unfavourable end of its interval. Where the pilot leaves open who is the best single, it goes by whoever differs most.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from moot.errors import UsageError
from moot.measures.accuracy.figures import bill_usd, outcomes_of
from moot.measures.alike_plans import are_alike
from moot.measures.claims.cut_short import WHY
from moot.measures.claims.headline_alone import headline_alone
from moot.measures.claims.singles import singles_of
from moot.measures.claims.words import withheld_for
from moot.measures.missing_words import way_out
from moot.measures.sides import SideResults, cells_named, side_of, sides
from moot.measures.source import Source
from moot.stats.estimates import estimate
from moot.stats.graded import Value, why_never_came
from moot.stats.graded_pairs import compared_row, known_pairs, why_unfair_pairs
from moot.store import queries
from moot.types import Estimate

GradedValues = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Pilot:
    """What it says about an option and the best single player."""

    experiment: str
    of: str
    single: str
    accuracy: float
    """Of the best single."""
    found: Mapping[str, Any]
    """The difference that the report has, with its interval; both None with `why` where it claims none."""
    against: str
    """Of those who may be the best single, who differs on most."""
    discordance: Estimate
    """The share of questions on which one answer of each would differ."""
    usd_per_question: float | None
    """None: a price is not known, or is shared with other plans of this name."""

    @property
    def most_discordance(self) -> float:
        """The unfavourable end: with so many it takes the most questions."""
        return _most(self.discordance)

    def row(self) -> dict[str, Any]:
        return {
            "experiment": self.experiment,
            "of": self.of,
            "single": self.single,
            "accuracy": self.accuracy,
            **{key: self.found[key] for key in ("difference", "low", "high")},
            "against": self.against,
            "discordance": self.discordance.value,
            "discordance_low": self.discordance.low,
            "discordance_high": self.most_discordance,
            "questions": self.discordance.n,
            "usd_per_question": self.usd_per_question,
        }


def pilot_of(source: Source) -> Pilot:
    """UsageError where it has nothing to say. Within `clustered`."""
    missing = source.progress.missing
    headline = None if source.nothing_played else headline_alone(source)
    if headline is None or headline["value"] is None:
        why = " ".join(headline["words"]) if headline else "nothing has been played"
        raise UsageError(f"--from: {source.name!r} is no pilot yet: {why}")
    if source.cut_short:
        raise UsageError(f"--from: {source.name!r}: {WHY}; moot run plays the rest")
    over = headline["over_best_single"] or {}
    if over.get("difference") is None:
        why = over.get("why") or "no team has been played beside players alone"
        raise UsageError(f"--from: {source.name!r} does not tell two ways of answering apart: {why}")
    side = _side(source, headline["of"])
    values = side.values(sorted(side.calls))
    singles = singles_of(source, [side]).values
    best = over["single"]
    shares = {
        name: _discordance(values, own) for name, own in singles.items() if name == best or _may_be(own, singles[best])
    }
    if withheld := withheld_for(headline):
        without = headline["unreached"]
        out = way_out(without["who"], without.get("unrecorded", ()), "moot run asks them again")
        raise UsageError(f"--from: {source.name!r}: {withheld}; {out}")
    against = max(shares, key=lambda name: (_most(shares[name]), name == best))
    return Pilot(
        source.name,
        headline["of"],
        best,
        over["best_single"]["value"],
        {**over, **dict.fromkeys(("difference", "low", "high"))} if over.get("why") else over,
        against,
        shares[against],
        _usd_per_question(source, missing),
    )


def _side(source: Source, title: str) -> SideResults:
    """The option by the headline's name for it: one cell, or what a file declares over several captains."""
    return sides(source, source.cells).get(title) or side_of(source, cells_named(title, source.cells), title)


def _most(share: Estimate) -> float:
    return 1.0 if share.high is None else share.high


def _may_be(own: GradedValues, best: GradedValues) -> bool:
    """Whether it could be the best single for all that the pilot shows."""
    pairs = {question: [(value, best[question])] for question, value in own.items() if question in best}
    row = compared_row(pairs) if pairs else {}
    return row.get("high") is None or row["high"] >= 0


def _discordance(one: GradedValues, other: GradedValues) -> Estimate:
    """Of means over repeats or captains: how often one answer of each would differ, were they given apart. Those that are
    given together differ less, so a plan by this asks for no fewer questions than are needed."""
    pairs = {question: [(value, other[question])] for question, value in one.items() if question in other}
    if why := why_never_came(value for pair in pairs.values() for both in pair for value in both):
        raise UsageError(f"--from: {why}: moot doctor shows why, and moot run asks for all that failed again")
    if why := why_unfair_pairs(pairs):
        raise UsageError(f"--from: not enough is graded to plan by: {why}; moot grade first")
    shares = {question: a * (1 - b) + b * (1 - a) for question, (a, b) in known_pairs(pairs).items()}
    found = estimate(shares)
    if found is None:
        raise UsageError("--from: no question is graded for both a team and a player: moot grade first")
    return found


def _usd_per_question(source: Source, missing: int) -> float | None:
    """What all that the file plays costs on one question, each call once, with its judges."""
    named = queries.experiments_named(source.connection, source.name)
    played = sum(outcomes_of(source).values())
    bill = bill_usd(source.connection, source.name)
    others = [plan for plan in named if plan["id"] != source.ident]
    if bill is None or not played or not all(are_alike(source.connection, plan, source.experiment) for plan in others):
        return None
    return bill / played * (played + missing) / source.size
