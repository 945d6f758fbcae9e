"""Two ways of answering, paired question by question: what `moot compare` says."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from moot.data.clusters import dealing_names
from moot.errors import UsageError
from moot.experiment.side_names import ClaimError
from moot.measures.cells import Row, Stored
from moot.measures.claims.cut_short import unclaimed, without_claims
from moot.measures.claims.plays_without import too_many_without
from moot.measures.claims.standing import stands
from moot.measures.claims.unreached import unreached_row, who_by_question
from moot.measures.claims.words import NOTHING_CLAIMED, unreached_sentence, unreached_words, withheld_for
from moot.measures.columns import abstained_on, count, few_differ_words
from moot.measures.learnt_in_run import KEY as LEARNT_IN_RUN
from moot.measures.learnt_in_run import learnt_row, learnt_words
from moot.measures.numbers import plain, rounded, signed, signed_between
from moot.measures.played_again import played_again
from moot.measures.points_words import IN_POINTS, in_points
from moot.measures.sides import SideResults, cells_named, pairs_of, partners, side_of
from moot.measures.source import Source
from moot.report.whose_figures import whose_words
from moot.stats.clusters import clustered
from moot.stats.graded_pairs import (
    Pairs,
    abstained_apart,
    compare_graded,
    difference_bounds,
    failed_row,
    fair_pairs,
    known_pairs,
    side_row,
    uncounted,
    why_no_difference,
    why_turned,
)
from moot.stats.power import detectable


def compared(connection: Connection, experiment: Row, a: str, b: str) -> dict[str, Any]:
    """`a` against `b` (each ``talkative@ann``, or ``talkative`` over all captains of a team) on the questions both played."""
    source = Source(connection, experiment)
    with clustered(source.clusters, dealing_names(source.cases.items())):
        row = _compared(source, a, b)
    return {**unclaimed(row), "detectable": None, "cut_short": True} if source.cut_short else row


def _compared(source: Source, a: str, b: str) -> dict[str, Any]:
    first, second = _meant("--a", a, source.cells), _meant("--b", b, source.cells)
    if {cell["id"] for cell in first} == {cell["id"] for cell in second}:
        raise UsageError(f"--a and --b: {a!r} and {b!r} are the same; expected two that differ")
    one, other = (side_of(source, cells, title) for cells, title in ((first, a), (second, b)))
    for side in (one, other):
        if not side.calls:
            raise UsageError(f"{side.title!r} has not been played yet: run the file first")
    pairs = pairs_of(one, other)
    graded = known_pairs(fair_pairs(pairs))
    comparison = compare_graded(pairs, pooled=not (one.once and other.once))
    row: dict[str, Any] = {"experiment": source.name, "a": a, "b": b, **comparison.row()}
    for name, place in (("accuracy_a", 0), ("accuracy_b", 1)):
        row[name] = side_row(pairs, place)
    row |= uncounted(pairs) | failed_row(pairs) | learnt_row((*first, *second))
    row |= {IN_POINTS: source.in_points} if source.in_points else {}
    row |= _abstained(source, (first, second), pairs)
    row |= abstained_apart(row, fair_pairs(pairs))
    chosen_on = {question for cell in (*first, *second) for question in source.chosen_on(cell)} & source.cases.keys()
    apart = one.calls.keys() ^ other.calls.keys()
    row["left_out"] = len(apart - chosen_on)
    if unfair := chosen_on - pairs.keys():
        row["chosen_on"] = len(unfair)
    captains = _captains(one, other)
    row["captains"] = max(captains) if max(captains) > 1 else None
    if captains[0] != captains[1]:
        row["captains_of"] = dict(zip(("a", "b"), captains, strict=True))
        if min(captains) > 1 and one.seats != other.seats:
            row["mean_over_of"] = {"a": one.seats, "b": other.seats}
    if row["captains"] and (seats := max(one, other, key=lambda side: len(side.cells)).seats) != "captains":
        row["mean_over"] = seats
    if comparison.test == "mcnemar" and graded:
        discordant = (comparison.rescues + comparison.regressions) / len(graded)
        # While answers wait nobody can count on how many the two differ: `counts_why`.
        row["detectable"] = None if row["rescues"] is None else detectable(len(graded), discordant)
    ungraded = [sum(side.ungraded.get(question, 0) for question in pairs) for side in (one, other)]
    row["ungraded"] = dict(zip(("a", "b"), ungraded, strict=True))
    if bounds := difference_bounds(pairs):
        row |= {"bounds": bounds["bounds"], "questions": len(pairs)}
        if graded and (turned := why_turned(row, comparison.limits_graded)):
            row["why"] = turned
    if not graded and pairs:
        return {**row, "why": why_no_difference(pairs)}
    return row | _unreached(source, one, other, pairs, row, pooled=not (one.once and other.once))


def _unreached(
    source: Source, one: SideResults, other: SideResults, pairs: Pairs, row: dict[str, Any], *, pooled: bool
) -> dict[str, Any]:
    """On how many questions a model could not be reached; and nothing claimed, where they are more than a few or could
    turn it round."""
    without = [who_by_question(source, side.cells, pairs) for side in (one, other)]
    who = {question: set[str]().union(*(side.get(question, ()) for side in without)) for question in pairs}
    told = unreached_row(source, {question: names for question, names in who.items() if names}, len(pairs))
    if not told:
        return {}
    many = any(too_many_without(source, side.cells, pairs, counted=row["n"]) for side in (one, other))
    if not many and not _turned_round(source, one, other, row, pooled=pooled):
        return told
    told["unreached"]["withheld"] = True
    return {**without_claims(row), **told, "detectable": None, "why": unreached_words(told["unreached"])}


def _turned_round(source: Source, one: SideResults, other: SideResults, row: dict[str, Any], *, pooled: bool) -> bool:
    """Whether "more" or "less" is not so whatever the plays without somebody come to."""
    again = played_again(source)
    if again is None:
        return False
    first, second = (side_of(again, side.cells, side.title) for side in (one, other))
    return not stands(row, compare_graded(pairs_of(first, second), pooled=pooled).row())


def _abstained(source: Source, sides: Sequence[Sequence[Stored]], asked: Collection[str]) -> dict[str, Any]:
    """Of how many plays either side gave no answer since it was not sure enough; nothing where that never was."""
    times = [
        sum(seen.outcome == "abstained" and seen.key[0] in asked for cell in cells for seen in source.seen(cell))
        for cells in sides
    ]
    return {"abstained": dict(zip(("a", "b"), times, strict=True))} if any(times) else {}


def _meant(option: str, text: str, cells: Sequence[Stored]) -> list[Stored]:
    try:
        return cells_named(text, cells)
    except ClaimError as error:
        raise UsageError(f"{option}: {error}") from None


def _captains(one: SideResults, other: SideResults) -> tuple[int, ...]:
    """Over how many captains, players or cohorts a question's mean is taken on either side."""
    pairs = partners(one.cells, other.cells)
    return tuple(len({cell["id"] for cell in cells}) for cells in zip(*pairs, strict=True))


def words(row: Mapping[str, Any]) -> list[str]:
    """What the comparison says, in sentences."""
    return [*whose_words(row), *([f"{NOTHING_CLAIMED}."] if row.get("cut_short") else ()), *_words(row)]


def _words(row: Mapping[str, Any]) -> list[str]:
    if not row["n"]:
        if "why" not in row:
            return [f"{row['a']} and {row['b']} have no question in common.", *_left_out(row)]
        untold = f"Whether {row['a']} or {row['b']} is better is not known: {row['why']}."
        if "bounds" not in row:
            return [untold, *_failures(row), *_left_out(row)]
        return [
            untold,
            *_failures(row),
            f"Over all {row['questions']:,} questions the difference is {signed_between(row['bounds'])} points;"
            f" {count(sum(row['ungraded'].values()), 'answer is', 'answers are')} not graded.",
        ]
    graded = "" if "bounds" not in row else f", of {row['questions']:,}, whose answers are graded"
    what = "of the rubric's points" if in_points(row) else "right"
    sentences = [
        f"On the {count(row['n'], 'question')} that both played{_not_chosen_on(row)}{graded}{_clusters(row)},"
        f" {row['a']} got {_share(row['accuracy_a'])} {what} and {row['b']} {_share(row['accuracy_b'])}.",
        f"Difference: {signed(row['difference'])} {'percentage ' if in_points(row) else ''}points{_limits(row)}; {_tested(row)}.",
        _changes(row),
    ]
    if row["captains"]:
        sentences.append(f"Each question counts once, by its mean over {_means(row)}.")
    if row["small"]:
        sentences.append(f"{few_differ_words([row])} The result is very uncertain.")
    if (least := row.get("detectable")) is not None:
        sentences.append(f"This many questions and pairs would show a difference of {plain(least)} points or more.")
    sentences += [learnt_words(row[LEARNT_IN_RUN])] if row.get(LEARNT_IN_RUN) else []
    sentences += [unreached_sentence(row["unreached"])] if row.get("unreached") else []
    sentences += [*_left_out(row), *_failures(row), *_not_sure(row)]
    if ungraded := sum(row["ungraded"].values()):
        over_all = ""
        if bounds := row.get("bounds"):
            over_all = f" Counting them, the difference is {signed_between(bounds)} points."
        sentences.append(
            f"{ungraded:,} answer{'s are' if ungraded != 1 else ' is'} not graded and not counted here.{over_all}"
        )
        if row.get("why") and not withheld_for(row):
            sentences.append("The ungraded answers could reverse this, so which is better is not known.")
    return sentences


def _means(row: Mapping[str, Any]) -> str:
    seats, each = row.get("mean_over", "captains"), row.get("captains_of")
    if each is None:
        return f"{row['captains']} {seats}"
    if min(each.values()) == 1:
        side = max(each, key=each.__getitem__)
        return f"{row['captains']} {seats} on the side of {row[side]}"
    if of := row.get("mean_over_of"):
        return " and ".join(f"{each[side]} {of[side]}" for side in ("a", "b"))
    return f"{each['a']} and {each['b']} {seats}"


def _left_out(row: Mapping[str, Any]) -> Iterator[str]:
    whys = {"left_out": "that only one of them has played", "chosen_on": "that one of them was chosen on"}
    for key, why in whys.items():
        if number := row.get(key):
            yield f"{count(number, 'question')} {why} {'are' if number != 1 else 'is'} left out."


def _failures(row: Mapping[str, Any]) -> Iterator[str]:
    for side, part in row.get("failed", {}).items():
        if part:
            counted = " and count as not right" if row["n"] else ""
            yield f"{plain(part)} % of the answers of {row[side]} failed{counted}."


def _not_sure(row: Mapping[str, Any]) -> Iterator[str]:
    for side, times in row.get("abstained", {}).items():
        if times:
            counted = "counted as not right here; moot report shows how it did on the rest"
            yield f"{row[side]} abstained {count(times, 'time')}, {counted}."


def _not_chosen_on(row: Mapping[str, Any]) -> str:
    return " and that neither was chosen on" if row.get("chosen_on") else ""


def _changes(row: Mapping[str, Any]) -> str:
    if row["rescues"] is None:
        return f"On how many {row['a']} was better or worse is not known: {row['counts_why']}."
    told = f"{row['a']} was better on {row['rescues']:,} and worse on {row['regressions']:,}"
    return f"{'; '.join([told, *abstained_on(row)])}."


def _share(row: Mapping[str, Any]) -> str:
    bounds = "" if row["low"] is None else f" ({plain(row['low'])}–{plain(row['high'])})"
    return f"{plain(row['value'])} %{bounds}"


def _clusters(row: Mapping[str, Any]) -> str:
    return (
        "" if row.get("clusters") is None else f", in {count(row['clusters'], 'cluster')}, each of which counts as one"
    )


def _limits(row: Mapping[str, Any]) -> str:
    return "" if row["low"] is None else f" (95 % interval {plain(row['low'])} to {plain(row['high'])})"


def _tested(row: Mapping[str, Any]) -> str:
    if row["p"] is None:
        return "nothing is claimed" if withheld_for(row) else "nothing to test"
    p = "p < 0.001" if row["p"] < 0.001 else f"p = {rounded(row['p'], 3)}"
    over = "questions" if row.get("clusters") is None else "clusters"
    return f"{p} ({'exact McNemar' if row['test'] == 'mcnemar' else f'score test of the mean over {over}'})"
