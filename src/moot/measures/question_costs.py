"""What one question costs, asked once: the one value behind every table that tells calls or money a question.

Strategies that decide several times from the same drafts ask for these once in a whole run, and so do strategies that share
them. Whoever puts one question to one of them pays for all calls of that play: so a play costs all of its calls, whoever
else had them too. All different calls of a row are another thing, what the row would take alone; divided by plays they are
nothing that anybody pays.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from moot.measures.cells import Stored
from moot.measures.episodes import EpisodeOutline
from moot.measures.source import Source
from moot.stats.counted_words import count
from moot.stats.shared_questions import enough_in_common
from moot.types import FAILED


@dataclass(frozen=True, slots=True)
class QuestionCosts:
    """By question, of all that were played: plays of a cell first, then cells, so that none has a louder voice."""

    calls: Mapping[str, float]
    usd: Mapping[str, float] | None
    """None where the price of a single call is unknown."""
    cut: frozenset[str] = frozenset()
    """Questions of which nobody knows what they take, since a play of them, or too many of the others', lacks calls
    (`of_no_known_cost`)."""

    @property
    def calls_per_question(self) -> float | None:
        return mean_cost(without_cut(self.calls, self.cut))

    @property
    def usd_per_question(self) -> float | None:
        return None if self.usd is None else mean_cost(without_cut(self.usd, self.cut))

    def of_whole_plays(self) -> dict[str, int]:
        """Over how many questions what one takes is known, where these are not all."""
        return {"cost_n": len(self.calls.keys() - self.cut)} if self.cut else {}


def cell_costs(source: Source, cell: Stored) -> QuestionCosts:
    """Of all that a cell has played, reckoned once."""
    if cell["id"] not in source.costs_by_cell:
        source.costs_by_cell[cell["id"]] = question_costs(source, source.seen(cell))
    costs: QuestionCosts = source.costs_by_cell[cell["id"]]
    return costs


def question_costs(source: Source, seen: Sequence[EpisodeOutline]) -> QuestionCosts:
    paid = source.paid_usd(seen)
    known = [cost for cost in paid if cost is not None]
    calls = means_by_question([float(len(episode.calls)) for episode in seen], seen)
    usd = means_by_question(known, seen) if len(known) == len(paid) else None
    return QuestionCosts(calls, usd, of_no_known_cost(calls, cut_by_failures(seen)))


FEW = 0.05


def of_no_known_cost(calls: Mapping[str, float], cut: frozenset[str]) -> frozenset[str]:
    """Those of which a play lacks calls. Where one question takes more calls than another, those that lack none may be the cheap
    ones: then of no question anybody knows it, unless only few lack any."""
    if len(cut) <= FEW * len(calls):
        return cut
    whole = {round(taken, 9) for question, taken in calls.items() if question not in cut}
    if not whole:
        return cut
    least = min(whole)
    alike = len(whole) == 1 and all(
        calls[question] < least - 1e-9 for question in cut
    )  # with one more it may have taken as many
    return cut if alike else frozenset(calls)


def without_cut(costs: Mapping[str, float], cut: Collection[str]) -> Mapping[str, float]:
    """What is told as the cost of a question, is compared, or decides between equals: never what a play took that lacks calls."""
    return {question: cost for question, cost in costs.items() if question not in cut} if cut else costs


def cut_by_failures(seen: Iterable[EpisodeOutline]) -> frozenset[str]:
    """Questions of which a play lacks calls, since one failed or a recording has no reply to it: what it took is no measure of
    what such a question takes, and a ratio to it would be as large as one likes."""
    return frozenset(
        episode.key[0] for episode in seen if episode.outcome == FAILED or episode.unreached or episode.lacks_calls
    )


NONE_WHOLE = "no question was played by both with no call missing"
"""Why there is no ratio of what two took."""


def too_many_lack(plays: str = "of its plays") -> str:
    """Why it is not known of any question what it takes (`of_no_known_cost`)."""
    return f"so many {plays} lack a call that nobody knows what it takes"


def why_no_ratio(both: Set[str], seen: Iterable[EpisodeOutline], cut: Mapping[str, Collection[str]]) -> str:
    """Where of none of the questions that all sides played it is known what each of them takes. `seen`: what all of them played;
    `cut`: by side, of which questions nobody knows what it takes there."""
    if both <= cut_by_failures(seen):
        return NONE_WHOLE
    unknown = next((side for side, questions in cut.items() if both <= {*questions}), None)
    return NONE_WHOLE if unknown is None else too_many_lack(f"plays of {unknown}")


def why_too_few(whole: int, played: int) -> str | None:
    """Where what two took is known of both on so few of the questions that a ratio over these is none of all of them; None:
    they are as many as anything is compared on."""
    if whole >= enough_in_common(played):
        return None
    were = "was" if whole == 1 else "were"
    return f"only {whole:,} of {count(played, 'question')} {were} played by both with no call missing"


def mean_cost(by_question: Mapping[str, float] | None, asked: Collection[str] | None = None) -> float | None:
    """Over these questions, as far as they were played; None: over all. Nothing where none was, or a price is unknown."""
    costs = by_question or {}
    there = [costs[question] for question in (costs if asked is None else asked) if question in costs]
    return math.fsum(there) / len(there) if there else None


def means_by_question(values: Sequence[float], seen: Sequence[EpisodeOutline]) -> dict[str, float]:
    """Of what is known of every episode."""
    once = {episode.key[0]: value for episode, value in zip(seen, values, strict=True)}
    if len(once) == len(seen):  # mostly there are no means to take
        return once
    by_cell: dict[tuple[str, str], list[float]] = {}
    for episode, value in zip(seen, values, strict=True):
        by_cell.setdefault((episode.key[0], episode.cell["id"]), []).append(value)
    parts: dict[str, list[float]] = {}
    for (question, _), several in by_cell.items():
        parts.setdefault(question, []).append(sum(several) / len(several))
    return {question: sum(several) / len(several) for question, several in parts.items()}
