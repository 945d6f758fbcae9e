"""A served team in sentences: what is graded first, then how right that was, and whether it is still what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isclose
from typing import Any

from moot.live.answered_question import LONG
from moot.measures.askings import ABSENT, PLAYER
from moot.measures.facts.figures import LOST_OR_NOT_KEPT
from moot.measures.numbers import between, money, percent, rounded
from moot.measures.served.drift import figure_words
from moot.stats.counted_words import count, of_them, waiting_words
from moot.types import WITH_ANSWER

Row = Mapping[str, Any]
NAMED = 3
"""So many who were absent are named, those who most often were."""
FEEDBACK = "POST /v1/feedback, docs/serve.md"
NAMES = {"agreement": "Agreement", "probability": "Told probability", "accuracy": "Right, of the graded"}
MEANT = {
    "agreement": "Of the drafts of a question, how many say the answer given.",
    "probability": "The probability that was told with an answer.",
    "accuracy": "Of the answers that somebody called right or wrong, how many were right.",
}


def opening_words(served: Row) -> Iterator[str]:
    """How much is graded, before anything that rests on it."""
    asked, graded = served["asked"], served["graded"]
    since = f" since {_clock(served['since'])}" if served["since"] else ""
    if not asked:
        left = (
            f"; {count(served['left_out'], 'question')} before that, which --since leaves out"
            if served["left_out"]
            else ""
        )
        yield f"Nothing was asked{since}{left}."
        return
    different = (
        "" if served["questions"] == asked else f" ({served['questions']:,} different; intervals are over these)"
    )
    if graded["n"]:
        told = f"{graded['n']:,} {'was' if graded['n'] == 1 else 'were'} told right or wrong"
        told += f" ({percent(graded['share'])})"
    elif served["taught"]:
        told = "none was told right or wrong that counts"
    else:
        told = "none was told right or wrong yet"
    left = f"; {served['left_out']:,} asked before are left out" if served["left_out"] else ""
    yield f"Of {count(asked, 'question')}{different}{since} {told}{left}."
    yield from _right(served)


def _right(served: Row) -> Iterator[str]:
    accuracy, waiting = served["accuracy"], served["asked"] - served["graded"]["n"]
    if served["graded"]["n"]:
        over = f"; over all, with those that nobody has graded, {between(accuracy['bounds'])}" if waiting else ""
        yield f"Of the graded answers {figure_words(accuracy)} were right{over}."
    if both := served["contradicted"]:
        were = "was" if both == 1 else "were"
        yield f"{both:,} of the graded answers {were} called right and wrong: the last word counts."
    answers = sum(served["outcomes"].get(outcome, 0) for outcome in WITH_ANSWER)
    nobody = answers - served["graded"]["n"] - served["waiting"] - served["taught"]
    left = (
        [f"{count(nobody, 'answer')} without a grade, as nobody has said what is right ({FEEDBACK})"] if nobody else []
    )
    left += [f"{waiting_words(served['waiting'])} (moot grade FILE --served)"] if served["waiting"] else []
    taught = count(served["taught"], "graded answer")
    left += [f"{taught} to questions that the team was chosen or its rule learnt on: not counted"] * bool(
        served["taught"]
    )
    if left:
        yield f"{'; '.join(left)}."


def _clock(moment: str) -> str:
    return f"{moment[:10]} {moment[11:16]} UTC"


def took_words(served: Row) -> str:
    """How long a question took, and what it cost. What may be on the bill beside that is of no question that is known."""
    if unknown := served.get("losses_unknown"):
        known_usd = served.get("losses_known_usd")
        known = (
            f" Up to {money(known_usd)} more may be on the bill, for other calls {LOST_OR_NOT_KEPT}."
            if known_usd
            else ""
        )
        return (
            f"{_took_words(served)}{known} More may be on the bill, nobody knows how much, for {count(unknown, 'call')}"
            f" {LOST_OR_NOT_KEPT}."
        )
    if not (more_usd := served.get("losses_usd")):  # a day has none of its own
        return _took_words(served)
    return f"{_took_words(served)} At most {money(more_usd)} more may be on the bill, for calls {LOST_OR_NOT_KEPT}."


def _took_words(served: Row) -> str:
    latency, cost = served["latency"], served["cost"]
    long = (
        f"A question took {_seconds(latency['median_s'])} (median; 95 % of them at most {_seconds(latency['p95_s'])})"
    )
    if cost["usd_per_1000"] is None:
        return f"{long}; what it cost is not known."
    return (
        f"{long}; 1,000 cost {money(cost['usd_per_1000'])}." if cost["usd_per_1000"] else f"{long}, and cost nothing."
    )


def _seconds(value: float) -> str:
    return f"{rounded(value, 2 if value < 1 else 1)} s"


def trouble_words(served: Row, named: int = NAMED) -> Iterator[str]:
    """Who was absent, and what failed; that nobody and nothing did. `named`: so many who were absent, at the most."""
    endings = {key: number for key, number in served["outcomes"].items() if key != "answered"}
    if endings:
        yield f"Not answered, or undecided: {', '.join(f'{number:,} {ending}' for ending, number in endings.items())}."
    absent = [row for row in served["absences"] if _missed(row)]
    if absent:
        told = []
        for row in sorted(absent, key=_missed, reverse=True)[:named]:
            office = "" if row["office"] == PLAYER else f" as {row['office']}"
            whys = ", ".join(f"{row[why]:,} {why}" for why in ("late", *ABSENT) if row[why])
            told.append(f"{row['player']}{office} {whys} of {row['asked']:,}")
        others = f"; and {count(len(absent) - named, 'other')}" if len(absent) > named else ""
        yield f"Absent: {'; '.join(told)}{others}."
    if failures := served["failures"]:
        calls, first = sum(row["times"] for row in failures), failures[0]
        whose = f"{of_them(first['times'], calls)} of {first['model']} ({first['kind']})".lstrip()
        yield f"{count(calls, 'call')} failed, {whose}."
    if not endings and not absent and not failures:
        yield "Every question was answered, nobody was absent and no call failed."


def _missed(row: Row) -> int:
    return int(row["late"] + sum(row[why] for why in ABSENT))


def drift_words(served: Row) -> Iterator[str]:
    """Live against measured, a sentence for each figure of who was asked most; the others are counted."""
    if served["why"] is not None:
        yield f"There is nothing to compare with: {served['why']}."
        yield from _agreement_alone(served)
        return
    compared = [row for row in served["drift"] if row["why"] is None]
    for figure, name in NAMES.items():
        own = [row for row in compared if row["figure"] == figure]
        if own:
            first = own[0]
            more = f" {count(len(own) - 1, 'other')}: --json, drift." if len(own) > 1 else ""
            who = first["name"]
            of = " of the drafts say the answer" if figure == "agreement" else ""
            measured = figure_words(first["measured"])
            yield f"{name}, {who}: {figure_words(first['live'])}{of}, measured {measured}.{more}"
        elif figure == "agreement":
            yield from _agreement_alone(served)
            if whys := [row["why"] for row in served["drift"] if row["figure"] == figure]:
                yield f"Agreement is not held against the experiment: {whys[0]}."
    yield from between_words(served, "agreement")


def between_words(served: Row, figure: str) -> Iterator[str]:
    if any((row["live"] or {}).get("bounds") for row in served["drift"] if row["figure"] == figure):
        yield "Between: whoever was not waited for, the answer being decided, may have agreed or not."


def _agreement_alone(served: Row) -> Iterator[str]:
    agreement = served["agreement"]
    if agreement["n"]:
        on = count(agreement["n"], "answer")
        yield f"Agreement on {on}: {figure_words(agreement)} of the drafts say the answer."
    elif agreement["why"] == LONG:
        yield f"There is no agreement: {LONG}."


def preference_words(served: Row) -> Iterator[str]:
    """Which of two teams people prefer, of the pair with most votes; the others are counted."""
    found = served["preferences"]
    if not found["votes"]:
        yield from equal_words(served)
        return
    for row in map(_by_the_preferred, sorted(found["pairs"], key=lambda row: -row["votes"])[:1]):
        more = (
            f" {count(len(found['pairs']) - 1, 'other pair')}: --json, preferences." if len(found["pairs"]) > 1 else ""
        )
        persons = count(row["persons"], "person")
        alike = ", each question counting once" if row["votes"] > row["n"] else ""
        tied = row["wins"] == row["losses"] and isclose(row["value"], 0.5)
        whom = f"{row['of']} and {row['against']} are tied, each preferred in"
        whom = whom if tied else f"{row['of']} was preferred to {row['against']} in"
        yield (
            f"Side by side {whom} {figure_words(row)}{alike}:"
            f" {count(row['votes'], 'comparison')} by {persons} on {count(row['n'], 'question')}"
            f" ({row['wins']:,} won, {row['ties']:,} tied, {row['losses']:,} lost).{more}"
        )
    yield from equal_words(served)


def _by_the_preferred(row: Mapping[str, Any]) -> dict[str, Any]:
    """A pair as it is read: who was preferred in more than a half comes first."""
    if row["value"] >= 0.5:
        return dict(row)
    ends = {end: None if row[other] is None else 1 - row[other] for end, other in (("low", "high"), ("high", "low"))}
    turned = {"of": row["against"], "against": row["of"], "value": 1 - row["value"], **ends}
    return {**row, **turned, "wins": row["losses"], "losses": row["wins"]}


def equal_words(served: Row) -> Iterator[str]:
    """Votes that are no part of any share."""
    if equal := served["preferences"]["equal"]:
        are = "vote is" if equal == 1 else "votes are"
        yield f"{equal:,} {are} on two answers that are equal word for word, and left out: they say nothing of either team."


def place_words(served: Row) -> Iterator[str]:
    """What the place is worth to those who voted."""
    found = served["preferences"]
    if found["votes"]:
        ends = {"value": found["first"], "low": found["first_low"], "high": found["first_high"]}
        yield f"What stood first was preferred in {figure_words(ends)}; without a taste for a place that is 50 %."


def visitors_words(served: Row, where: str = "--json, visitors_teams") -> Iterator[str]:
    """What was asked of teams that are none of the file's. `where`: what came of it."""
    if teams := served["visitors_teams"]:
        asked = count(sum(row["asked"] for row in teams), "question")
        who = count(len(teams), "team")
        own = "which is no part" if len(teams) == 1 else "which are no part"
        yield f"Visitors put {asked} to {who} of their own, {own} of these figures ({where})."


def plans_words(served: Row) -> Iterator[str]:
    if served["plans"] > 1:
        yield f"{served['plans']} versions of the file answered: all of them are in here."
    if served["simulated"]:
        yield f"Simulated, not real: {', '.join(served['simulated'])}."
    if served.get("measured_note"):
        yield f"Measured: {served['measured_note']}."
