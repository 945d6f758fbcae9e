"""The headline where long answers were compared: is the team's text preferred to every one of its members', and at what cost.

To be better than the best member is to be preferred to every one of them; options that nobody declared beforehand are paid for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from moot.experiment.side_names import ClaimError
from moot.measures.claims.plays_without import too_many_without
from moot.measures.claims.rate_bases import parts_of_plays
from moot.measures.claims.unreached import KEY, unreached_row, who_by_question
from moot.measures.claims.words import CUT_SHORT, interim_words, sentences, team_words, unreached_sentence
from moot.measures.columns import on_whole_plays
from moot.measures.numbers import plain, rounded
from moot.measures.preferences.options import (
    ALONE_BUT_FOR_UNGRADED,
    BUT_FOR_UNGRADED,
    COUNTED_AS,
    HALF,
    missing_told,
    with_why,
)
from moot.measures.question_costs import mean_cost, why_no_ratio, why_too_few
from moot.measures.sides import cells_named, side_of
from moot.measures.source import Source
from moot.stats.counted_words import count
from moot.stats.estimates import Row
from moot.stats.left_out_words import Overturning
from moot.stats.paired import FEW_QUESTIONS

PreferenceFigures = Mapping[str, Any]
OVERTURNED: Mapping[Overturning, str] = {
    "together": "With them counted on every question it would be overturned",
    "by themselves": "Counted on every question they would not overturn it, but by themselves they are surely on the other side",
}


def with_preferences(source: Source, headline: Row, found: PreferenceFigures) -> Row:
    """The headline with what preferences say: in its words first where nothing else is graded, else last."""
    preferred = _preferred(source, headline, found)
    if preferred is None:
        return headline
    told = {**headline, "preferred": preferred}
    words = [*headline_sentences(told), *headline["words"][len(sentences(headline)) :]]
    return {**told, "words": words, "sentence": " ".join(words)}


def headline_sentences(headline: Mapping[str, Any]) -> list[str]:
    """The whole headline in words, as far as it is about what was played."""
    if (preferred := headline.get("preferred")) is None:
        return sentences(headline)
    graded = sentences(headline) if headline["value"] is not None else []
    return [*graded, *preferred_words(preferred, headline)]


def _preferred(source: Source, headline: Row, found: PreferenceFigures) -> Row | None:
    """Of the declared primary with its own interval; else of the option that comes nearest to being better, which pays."""
    of_primary = [*found["options"], *([found["primary"]] if "primary" in found else [])]
    declared = headline["chosen"] == "declared"
    chosen = [row for row in of_primary if row["of"] == headline["of"]] if declared else []
    if chosen:
        # Who is worse has paid for the family, whatever was declared: so has the end that says so.
        row = {**chosen[-1], "high": chosen[-1]["high_holm"], "chosen": "declared", "options": 1}
        row["better"] = row.get("alone_better", row["better"])
        if near := row.get(ALONE_BUT_FOR_UNGRADED):
            row[BUT_FOR_UNGRADED] = near
        elif row["better"]:
            row.pop(BUT_FOR_UNGRADED, None)
            row.pop("why", None)
    elif found["options"]:
        best = min(found["options"], key=_near_to_better)
        paid = {"low": best["low_holm"], "high": best["high_holm"], "p": best["p_holm"]}
        how = headline["chosen"] if best["family"] > 1 else "only"
        row = {**best, **paid, "chosen": how, "options": best["family"]}
    else:
        return None
    dropped = ("p_holm", "low_holm", "high_holm", "family", "pairs", "alone_better", ALONE_BUT_FOR_UNGRADED)
    row = {key: value for key, value in row.items() if key not in dropped}
    row |= _as_judged(found, row)
    row |= _cost(source, row)
    row |= {key: found[key] for key in ("baseline", "without_word", "judges_who_play")}
    row |= _unreached(source, row)
    if source.cut_short or row.get("overturned") or KEY in row:
        row |= {"low": None, "high": None, "p": None, "better": False, "worse": False}
        if row.pop(BUT_FOR_UNGRADED, None):
            row.pop("why", None)
    return with_why(row)


def _unreached(source: Source, row: Row) -> Row:
    """On how many questions a model could not be reached, where that is more than a few of either side's plays, or any where
    one is said to be better: as in the table of preferences."""
    try:
        sides = [cells_named(row[key], source.cells) for key in ("of", "against") if row[key]]
    except ClaimError:
        return {}
    cells = [cell for side in sides for cell in side]
    part = parts_of_plays(row, "options").get("", 1.0)
    if not any(too_many_without(source, side, part=part, counted=row["questions"]) for side in sides):
        return {}
    asked = {episode.key[0] for cell in cells for episode in source.seen(cell)}
    found = unreached_row(source, who_by_question(source, cells, asked), len(asked))
    return {KEY: {**found[KEY], "withheld": True}}


def _near_to_better(option: Row) -> tuple[bool, bool, float, float]:
    """Least of all what cannot be told, or would be overturned."""
    return option["p"] is None, "overturned" in option, option["p"] or 0.0, -(option["value"] or 0.0)


def _as_judged(found: PreferenceFigures, row: Row) -> Row:
    pairs = [*found["pairs"], *found.get("primary", {}).get("pairs", ())]
    pair = next((pair for pair in pairs if (pair["of"], pair["against"]) == (row["of"], row["against"])), None)
    said = {
        key: pair[key]
        for key in ("persons", "models", "uncorrected", "left_out", "bounds", "if_lost", "if_won")
        if pair and key in pair
    }
    return {"raw": pair and pair["raw"], "against_player": pair and pair["against_player"], **said}


def _cost(source: Source, row: Row) -> Row:
    """How many times the cost of the opponent's text: in money, or in calls where that is nothing or not known. It is over the
    questions of which it is known what both take."""
    nothing: Row = {"cost_ratio": None, "cost_unit": "calls"}
    try:
        team, one = (cells_named(row[key], source.cells) for key in ("of", "against") if row[key])
    except (ClaimError, ValueError):
        return nothing
    sides = [side_of(source, cells, row[key]) for key, cells in (("of", team), ("against", one))]
    cut = sides[0].cut | sides[1].cut
    played = sides[0].calls.keys() & sides[1].calls.keys()
    if not (both := sorted(played - cut)):
        seen = (episode for cell in (*team, *one) for episode in source.seen(cell))
        return {**nothing, "cost_why": why_no_ratio(played, seen, {side.title: side.cut for side in sides})}
    if (few := why_too_few(len(both), len(played))) is not None:
        return {**nothing, "cost_why": few}
    over = {"cost_n": len(both)} if cut else {}
    usd, one_usd = (mean_cost(side.cost_usd, both) for side in sides)
    if usd and one_usd:
        return {"cost_ratio": usd / one_usd, "cost_unit": "usd", **over}
    calls, one_calls = (mean_cost(side.calls, both) for side in sides)
    if calls is None or not one_calls:
        return nothing
    return {**nothing, "cost_ratio": calls / one_calls, **over}


def preferred_words(row: Row, headline: Mapping[str, Any]) -> list[str]:
    on = f"On these {row['questions']:,} questions" if row["questions"] != 1 else "On this one question"
    who = f"{on} the texts of {_subject(row, headline)}"
    if row["value"] is None:
        why = row.get("why") or "nobody has compared them"
        return [f"{who} cannot be compared with those of others: {why}.", *_doubts(row, headline)]
    return [f"{who} {_verdict(row)}{_times(row)}.", *_doubts(row, headline)]


def _subject(row: Row, headline: Mapping[str, Any]) -> str:
    several = not row["captain"] and row.get("captains", 0) > 1
    averaged = f"{row['captains']:,} captains" if several else ""
    aside = " (declared in advance)" if row["chosen"] == "declared" else ""
    return team_words(row, headline.get("teams", 1), averaged=averaged, aside=aside)


def _apart_from(row: Row, whom: str) -> str:
    """Where a claim would stand were missing words not held against it, the share beside these words says more than they do."""
    if (near := row.get(BUT_FOR_UNGRADED)) is None:
        return f"cannot be told apart from {whom}"
    return f"cannot be told apart from {whom}, with {missing_told(row)} counted as {COUNTED_AS[near]}"


def _verdict(row: Row) -> str:
    share = f"{plain(row['value'])} %"
    if row["low"] is not None:
        share += f" ({plain(row['low'])}–{plain(row['high'])})"
    judged = "" if row["raw"] is None else f"; as judged {plain(row['raw'])} %"
    if out := row.get("left_out"):
        judged += f", without {count(out['words'], 'judgement')} of {_speakers(out)}"
    compared = f"in {share} of comparisons, adjusted for length and position{judged}"
    whose = row["against_player"] or row["against"]
    if row["baseline"]:
        if row["better"]:
            return f"were preferred to those of the baseline, {whose}, {compared}"
        if row["worse"]:
            return f"were not preferred to those of the baseline, {whose}: only {compared}"
        return f"{_apart_from(row, f'those of the baseline, {whose}')}: preferred {compared}"
    if row["better"]:
        members = f"every one of its {row['opponents']:,} members" if row["opponents"] > 1 else "its member"
        whom = f"least clearly to {whose}'s," if row["opponents"] > 1 else f"{whose},"
        return f"were preferred to those of {members}: {whom} {compared}"
    if row["worse"]:
        return f"were not preferred to those of {whose} alone: only {compared}"
    if row["opponents"] <= 1:
        return f"{_apart_from(row, 'those of its member')}: preferred to {whose}'s {compared}"
    apart = _apart_from(row, "those of every one of its members")
    if row.get("overturned") or row.get(BUT_FOR_UNGRADED) == "worse":
        return f"{apart}: preferred to {whose}'s {compared}"
    if row["low"] is not None and row["low"] > HALF and BUT_FOR_UNGRADED not in row:
        return f"{apart}: preferred to {whose}'s {compared}, but not clearly to all"
    return f"{apart}: least clearly preferred to {whose}'s, {compared}"


def _times(row: Row) -> str:
    if row["cost_ratio"] is None:
        return ""
    over = on_whole_plays(row, row.get("questions"))
    return f", at {rounded(row['cost_ratio'], 1)} × the {'cost' if row['cost_unit'] == 'usd' else 'calls'}{over}"


def _left_out(row: Row) -> Iterator[str]:
    """Whose words are no part of the share, though they are of what stands beside it as judged."""
    if out := row.get("left_out"):
        ends = "" if out["low"] is None else f" ({plain(out['low'])}–{plain(out['high'])})"
        yield (
            f"The share leaves out {count(out['words'], 'judgement')} of {_speakers(out)}, because too little is known of their"
            f" bias for length and position; in these judgements the texts were preferred in {plain(out['value'])} %{ends}."
        )
    if how := row.get("overturned"):
        yield f"{OVERTURNED[how]}, so nothing is claimed."


def _speakers(out: Mapping[str, Any]) -> str:
    little = "judges with few votes"
    return {0: little, out["words"]: "people"}.get(out["persons"], f"people and {little}")


def _doubts(row: Row, headline: Mapping[str, Any]) -> Iterator[str]:
    if headline.get("cut_short"):
        yield CUT_SHORT
    elif headline["value"] is None and (interim := headline.get("interim")):
        yield interim_words(interim)
    if KEY in row and (headline["value"] is None or KEY not in headline):  # else it was said above
        yield unreached_sentence(row[KEY])
    if row["questions"] < FEW_QUESTIONS:
        yield f"With fewer than {FEW_QUESTIONS} questions, results are very uncertain."
    if row["chosen"] not in ("declared", "only") and row["options"] > 1:
        yield f"It is the nearest of {row['options']:,} options, picked afterwards, and the interval allows for it."
    yield from _left_out(row)
    yield from _unheard(row)
    if playing := row["judges_who_play"]:
        yield f"Among the judges are players, who may prefer their own texts: {', '.join(playing)}."


def _unheard(row: Row) -> Iterator[str]:
    """What the share leaves out for want of a word; and where a claim does not leave it out."""
    many = row["without_word"]
    left_out = (
        f"{count(many, 'comparison')} without a judge's verdict: the share leaves {'it' if many == 1 else 'them'} out"
    )
    if BUT_FOR_UNGRADED in row or not row["missing"]:  # said with the verdict, or nothing to say
        yield from [f"{left_out}."] if many else []
        return
    worse = row["value"] is not None and row["value"] < HALF
    counted = f"claim must hold even with {missing_told(row)} counted as {COUNTED_AS['worse' if worse else 'better']}"
    them = "it" if row["missing"] == 1 else "them"
    yield f"{left_out}, and a {counted}." if many else f"A {counted}; the share leaves {them} out."
