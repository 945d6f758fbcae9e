"""What the run as a whole may claim: the headline, the hypotheses, the frontier, and what it could have seen at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from moot.measures.cells import Stored
from moot.measures.claims.cut_short import all_open, none_beaten, none_beaten_again
from moot.measures.claims.headline import headline_figures
from moot.measures.claims.headline_alone import all_failed
from moot.measures.claims.hypotheses import hypotheses_figures
from moot.measures.claims.preferred import with_preferences
from moot.measures.claims.unreached import without_the_unreached
from moot.measures.may_come import may_come
from moot.measures.played_again import played_again
from moot.measures.question_costs import too_many_lack
from moot.measures.sides import SideResults, ranked, side_of, sides
from moot.measures.source import Source
from moot.stats.counted_words import count
from moot.stats.estimates import Row
from moot.stats.frontier import Option, charged_together, frontier
from moot.stats.graded import Value, bounds_row, fair, known, least_of, why_none
from moot.stats.paired import FEW_DISCORDANT, FEW_QUESTIONS
from moot.stats.power import POWER, detectable
from moot.stats.quantiles import ALPHA
from moot.stats.shared_questions import SharedQuestions
from moot.store.declarations import declared


def evidence_figures(
    source: Source, cells: Sequence[Stored], name: str, figures: Mapping[str, Any], also: Iterable[str] = ()
) -> Row:
    """The keys `headline`, `hypotheses`, `frontier`, `frontier_left_out` and `power`; only those that there is something to
    say under."""
    declarations = declared(source.connection, name)
    every = sides(source, cells)
    options = {title: side for title, side in every.items() if side.calls}
    failed = [title for title, side in options.items() if all_failed(source, side)]
    came = {title: side for title, side in options.items() if title not in failed}
    headline = headline_figures(source, cells, declarations, came or options)
    if headline is not None and (preferences := figures.get("preferences")):
        headline = with_preferences(source, headline, preferences)
    together = ranked(came)
    rows = frontier_figures(source, came)
    hypotheses = hypotheses_figures(source, cells, declarations, also)
    if (again := played_again(source)) is not None:
        hypotheses = without_the_unreached(
            source, cells, hypotheses, lambda: hypotheses_figures(again, cells, declarations, also)
        )
        beside = {title: side_of(again, side.cells, title) for title, side in came.items()} if rows else {}
        rows = none_beaten_again(rows, frontier_figures(again, beside))
    if source.progress.missing:
        hypotheses = [{**row, "interim": source.progress._asdict()} for row in hypotheses]
    if source.cut_short:
        rows, hypotheses = none_beaten(rows), all_open(hypotheses)
    left_out = [{"of": title, "why": EVERY_ONE_FAILED} for title in failed]
    if rows:
        left_out += [{"of": title, "why": NOT_PLAYED} for title in every if title not in options]
        left_out += [{"of": title, "why": too_few_in_common(played)} for title, played in together.left_out.items()]
    elif together.none_ranked:
        left_out += [{"of": title, "why": together.why_none} for title in came]
    left_out += [
        {"of": title, "why": too_few_whole(whole, len(together.questions))}
        for title, whole in _of_unknown_cost(came, together).items()
    ]
    evidence: Row = {
        "headline": headline,
        "hypotheses": hypotheses,
        "frontier": rows,
        "frontier_left_out": left_out,
        "power": list(power_rows(headline, figures)),
    }
    return {key: value for key, value in evidence.items() if value}


EVERY_ONE_FAILED = "every question failed"
NOT_PLAYED = "none of the questions that it may be measured on has been played"


def too_few_in_common(played: int) -> str:
    questions = count(played, "question")
    return f"it has {questions} only, too few in common with the others"


def too_few_whole(whole: int, of: int) -> str:
    if not whole:
        return too_many_lack()
    if whole == of:
        return "what the others take is not known, so there is nothing to compare it with"
    return f"no call is missing on {count(whole, 'question')} only, too few in common with the others to compare what they take"


def _of_unknown_cost(options: Mapping[str, SideResults], together: SharedQuestions) -> Mapping[str, int]:
    """Of those that are ranked: who cannot be compared by cost, with on how many questions none of its calls is missing. All,
    where no two can."""
    if (
        len(together.names) < 2
        or len(together.questions) < 2
        or not any(options[title].cut for title in together.names)
    ):
        return {}
    asked = set(together.questions)
    whole = {title: options[title].whole_calls.keys() & asked for title in together.names}
    charged = charged_together(whole, together.questions)
    left_out = whole if charged is None else charged.left_out
    return {title: len(whole[title]) for title in left_out}


def frontier_figures(source: Source, options: Mapping[str, SideResults]) -> list[Row]:
    """In money where the price of everything is known and is not nothing, else in calls; nothing where fewer than two can be
    ranked. All on the questions that those have which are."""
    together = ranked(options)
    if len(together.names) < 2:
        return []
    sides = {title: options[title] for title in together.names}
    charged = sides.keys() - _of_unknown_cost(options, together).keys()
    costs_usd = [side.whole_usd for title, side in sides.items() if title in charged]
    usd = None not in costs_usd and any(sum((cost or {}).values()) > 0 for cost in costs_usd)
    asked = together.questions
    values = {title: side.values(asked) for title, side in sides.items()}
    points = {
        title: Option(
            side.marks(asked),
            (side.whole_usd if usd else side.whole_calls) or {},
            side.once,
            least_of(side.open),
            {question: value.most for question, value in side.open.items()},
            known=bool(known(fair(values[title]))),
            waiting={question: value for question, value in side.open.items() if value.waiting},
            calls=side.whole_calls,
            completed=may_come(source, side),
        )
        for title, side in sides.items()
    }
    on = {} if together.whole else {"ranked_on": len(asked)}
    named = {
        title: {
            "strategy": side.first["strategy"],
            "label": side.first["label"],
            "alone": side.alone,
            **on,
            **_bounds(values[title]),
        }
        for title, side in sides.items()
    }
    return [
        {**row, **named[row["of"]], "unit": "usd" if usd else "calls"}
        for row in frontier(points, asked, seed=source.seed, beside=source.unlisted_rows["frontier"])
    ]


def _bounds(values: Mapping[str, Value]) -> Row:
    """Only where not all is graded."""
    row = bounds_row(values.values())
    if not row:
        return {}
    return row if known(fair(values)) else {**row, "why": why_none(values)}


def power_rows(headline: Row | None, figures: Mapping[str, Any]) -> Iterator[Row]:
    """The smallest difference that each comparison could have shown, from its n and its discordant pairs alone.

    With its `team` where there are several, and where the comparisons say theirs.
    """
    compared = figures.get("comparisons", ())
    several = any("team" in row for row in compared) or (headline is not None and headline.get("teams", 1) > 1)
    if headline:
        team = {"team": headline["team"]} if several else {}
        if over := headline["over_best_single"]:
            yield from ({**team, **row} for row in _power_over_each(headline["of"], over))
        if over := headline["over_captain"]:
            yield from ({**team, **row} for row in _power(headline["of"], "its captain", over, over["family"]))
    for row in compared:
        team = {"team": row.get("team")} if several else {}
        yield from ({**team, **own} for own in _power(row["a"], row["b"], row, row["family"]))


def _power_over_each(of: str, over: Mapping[str, Any]) -> Iterator[Row]:
    """ "More than the best single" is more than every one of them, each on questions of its own.

    `detectable_low`: what the least telling of them takes to be beaten in so many runs.
    `detectable`: with so much all of them are, however their tests hang together: each may fail in no more than its part.
    Both at Bonferroni's price for all options that it was chosen from: the claim pays no more, and less where they are alike.
    """
    each = over["each"]
    for row in _power(of, "best single", over, over["options"]):
        if any(single["discordant"] is None for single in each):
            return
        shares = [(single["n"], single["discordant"] / single["n"]) for single in each]
        alike, all_of_them = (
            [detectable(*share, wanted=wanted, comparisons=over["options"]) for share in shares]
            for wanted in (POWER, 1 - (1 - POWER) / len(each))
        )
        beside = [
            {**single, "discordance": share, "detectable": least}
            for single, (_, share), least in zip(each, shares, alike, strict=True)
        ]
        yield {**row, "detectable": _greatest(all_of_them), "detectable_low": _greatest(alike), "each": beside}


def _greatest(values: Sequence[float | None]) -> float | None:
    """None where any is: there no difference would do."""
    found = [value for value in values if value is not None]
    return max(found) if found and len(found) == len(values) else None


def _power(a: str, b: str, row: Mapping[str, Any], family: int) -> Iterator[Row]:
    """Corrected for the family that the comparison stands in.

    Only where each question gives one pair, and all are graded or never will be: pooled means have no discordant pairs to
    count, and while answers wait nobody can.
    """
    if row["test"] != "mcnemar" or row["rescues"] is None:
        return
    pairs = row["rescues"] + row["regressions"] + row.get("abstained", 0)
    discordance = pairs / row["n"]
    yield {
        "a": a,
        "b": b,
        "n": row["n"],
        "discordant": pairs,
        "discordance": discordance,
        "detectable": detectable(row["n"], discordance, comparisons=family),
        "family": family,
        "power": POWER,
        "alpha": ALPHA,
        "small": row["n"] < FEW_QUESTIONS or pairs < FEW_DISCORDANT,
    }
