"""What the run as a whole may claim: the headline, the frontier of accuracy and cost, and what could have been seen."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import numpy as np

from second_way import tables
from second_way.absent import lacking
from second_way.accuracy import interim
from second_way.again import held, nothing_flatters, played_again
from second_way.claims_tables import clusters, ends_of, mark_of, table_of
from second_way.compare import ANY_TEXT, Holds, Near
from second_way.frontier import beaten_again, chosen_low, frontier, of_unknown_cost, power_rows
from second_way.intervals import mean
from second_way.luck import Ends, claim_waiting, near
from second_way.options import (
    CostAlone,
    Option,
    Singles,
    all_highest,
    cost_alone,
    cut_short,
    gone,
    highest,
    left_behind,
    mended,
    named,
    option,
    options,
    singles,
    teams_of,
    titles,
)
from second_way.quiz_pairs import FEW_QUESTIONS, GRADED, TESTED, bounds, difference, errors_apart, extremes, turned
from second_way.quiz_pairs import paid as family
from second_way.ranked import Ranked
from second_way.raw import Cell, Raw
from second_way.shares import HOPELESS, NOBODY_KNOWS, Ungraded, Value, fair, graded, known_of, mean_row

Row = dict[str, Any]
RULE = "beats every single player; {} test; paid for the options"


def claims(raw: Raw) -> Row:
    every = options(raw)
    came = {title: side for title, side in every.items() if not _failed(side)}
    headline = _headline(raw, came or every)
    rows, left_out = frontier(raw, came), [title for title in every if title not in came]
    if rows and (again := played_again(raw)) is not None:
        with nothing_flatters():
            rows = beaten_again(rows, frontier(again, {t: side for t, side in options(again).items() if t in came}))
    if rows:
        left_out += [title for title in titles(raw).values() if title not in every]
        left_out += Ranked({title: side.values for title, side in came.items()}).out
    elif Ranked({title: side.values for title, side in came.items()}).lonely:
        left_out += came
    left_out += [title for title in of_unknown_cost(raw, came) if title not in left_out]
    figures: Row = {
        "headline": headline,
        "frontier": rows,
        "frontier_left_out": [{"of": title, "why": ANY_TEXT} for title in left_out],
        "power": list(power_rows(raw, headline)),
    }
    if headline is not None:
        headline |= interim(raw)
        headline["words"] = Holds(lambda words: _says(raw, words), "sentences about these figures")
        headline["sentence"] = ANY_TEXT
    return {key: value for key, value in figures.items() if value}


def _failed(side: Option) -> bool:
    return all(episode.outcome == "failed" for own in side.episodes for episode in own)


# ---------------------------------------------------------------- the headline


def _headline(raw: Raw, every: Mapping[str, Option]) -> Row | None:
    teams = {title: side for title, side in every.items() if not side.alone}
    pool = teams or dict(every)
    if not pool:
        return None
    primary = raw.config.get("primary")
    paid = dict(pool)
    if primary:
        side = _as_one(raw, primary)
        others_gone = _gone(raw, side.cells, pool)
        seats = {(cell.label, cell.team, cell.captain) for cell in side.cells}
        versions = [other for _, other in others_gone if {(c.label, c.team, c.captain) for c in other.cells} & seats]
        early, out = raw.config["name"] not in LATE, left_behind(raw)
        frozen = early and not versions and not out
        others = {} if frozen else {title: other for title, other in pool.items() if other.cells != side.cells}
        of, how, paid = primary, "declared" if frozen else "declared late", {primary: side, **others}
        asked = [question for question in raw.questions if question in side.values]
        changed: Row = {"earlier_versions": len(versions)} if early and versions else {}
        changed |= {"questions_chosen": True} if early and out else {}
        return _about(raw, every, of, how, paid, asked, others_gone) | _told(others_gone) | changed
    ranked = Ranked({title: side.values for title, side in pool.items()})
    values, calls = ({title: getattr(side, key) for title, side in pool.items()} for key in ("values", "calls"))
    of = ranked.names[0] if ranked.lonely else highest(values, calls=calls) or ""
    paid = {title: side for title, side in pool.items() if title in ranked.names}
    others_gone = _gone(raw, _teams(raw), pool)
    payers = [*paid.values(), *(side for _, side in others_gone)]
    asked = [question for question in raw.questions if any(question in side.values for side in payers)]
    how = "after the fact" if len(payers) > 1 else "only"
    return {**_about(raw, every, of, how, paid, asked, others_gone), **ranked.row, **_told(others_gone)}


def _teams(raw: Raw) -> Sequence[Cell]:
    """Players where there is none."""
    return [cell for cell in raw.cells if cell.player is None] or raw.cells


def _gone(raw: Raw, cells: Sequence[Cell], pool: Mapping[str, Option]) -> list[tuple[str, Option]]:
    """Of the same kind as what is chosen from: teams, or players."""
    kinds = {option.alone for option in pool.values()}
    return [(name, option) for name, option in gone(raw, cells) if option.alone in kinds]


def _told(others: Sequence[tuple[str, Option]]) -> Row:
    rows = [{"of": side.title, "experiment": name, "questions": len(side.values)} for name, side in others]
    return {"unlisted": rows} if rows else {}


LATE: set[str] = set()
"""Experiments whose primary was declared when there were answers already."""


def _as_one(raw: Raw, text: str) -> Option:
    return option(raw, named(raw, text), text)


def _about(
    raw: Raw,
    every: Mapping[str, Option],
    of: str,
    how: str,
    paid: Mapping[str, Option],
    asked: Sequence[str],
    others_gone: Sequence[tuple[str, Option]],
) -> Row:
    side = paid[of]
    payers = [*paid.values(), *(other for _, other in others_gone if how != "declared")]
    values = {question: side.value(question) for question in asked if question in side.values}
    known = known_of(values)
    row: Row = {
        "of": of,
        "chosen": how,
        "options": len(payers),
        **({"taken_out": out} if (out := left_behind(raw)) else {}),
        **({"keys_changed": keys} if (keys := mended(raw)) else {}),
        **_who(raw, side, paid),
        **mean_row(known, every=values),
        "ungraded": 0,
    }
    table = table_of(payers, asked)
    if known:
        row["low"] = chosen_low(table, row, values)
    if any(value.open for value in values.values()):
        row |= {"ungraded": side.ungraded, "questions": len(values), "bounds": ends_of([*values.values()])}
    row |= {"why": ANY_TEXT} if values and not known else {}
    row |= {"left_out": side.left_out} if side.left_out else {}
    row |= {"over_best_single": None, "over_captain": None, "cost_ratio": None, "cost_unit": None}
    row |= {"after_the_fact": _highest_row(raw, every), "played_alone": any(c.player is not None for c in raw.cells)}
    if has_points := sum(bool(row.get("rubric")) for row in raw.questions.values()):
        row["in_points"] = has_points
    without = unreached_on(side, values)
    row |= _unreached(raw, without, values)
    if not side.alone and known:
        own = [side] if how == "declared" else [*paid.values()]
        row |= _beside(raw, side, own, payers, asked, values, without)
    return _nothing_claimed(row) if "unreached" in row and lacking(raw, side.cells, row["n"]) else row


def _who(raw: Raw, side: Option, paid: Mapping[str, Option]) -> Row:
    only = side.cells[0] if len(side.cells) == 1 else None
    cells = [cell for other in paid.values() for cell in other.cells]
    return {
        "strategy": side.cells[0].strategy,
        "label": side.cells[0].label,
        "team": side.cells[0].team,
        "player": only and only.player,
        "captain": only and only.captain,
        "captains": 0 if side.alone else len({cell.player or cell.captain for cell in side.cells}),
        "alone": side.alone,
        "led": any(cell.captain for cell in cells),
        "teams": len(teams_of(raw)) or 1,
        **({"cohorts": len(side.cells)} if only is None and not any(c.player or c.captain for c in side.cells) else {}),
    }


def _highest_row(raw: Raw, every: Mapping[str, Option]) -> Row | None:
    """What a careless report would print first; the low end of its interval pays for the choice among all that are ranked."""
    top = highest(
        {title: side.values for title, side in every.items()},
        calls={title: side.calls for title, side in every.items()},
    )
    if top is None or len(every) < 2:
        return None
    ranked = Ranked({title: side.values for title, side in every.items()})
    values = every[top].on(ranked.questions).values
    row = {"of": top, **mean_row(known_of(values), every=values)}
    if row["n"]:
        beside = [side for title, side in every.items() if title in ranked.names]
        beside += [side for _, side in gone(raw, _teams(raw))]
        row["low"] = chosen_low(table_of(beside, ranked.questions), row, values)
    if any(value.open for value in values.values()):
        row |= {
            "ungraded": sum(not graded(grade) for value in values.values() for grade in value.grades),
            "bounds": ends_of([*values.values()]),
        }
    row |= {} if row["n"] else {"why": ANY_TEXT}
    row |= {"low": None, "high": None} if lacking(raw, every[top].cells, row["n"]) else {}
    return {**row, **ranked.row, "note": "chosen after the fact"}


def _beside(
    raw: Raw,
    side: Option,
    own_options: Sequence[Option],
    paid: Sequence[Option],
    asked: Sequence[str],
    values: Mapping[str, Value],
    without: Mapping[str, frozenset[str]],
) -> Row:
    means = raw.repeats > 1 or not side.once
    row: Row = {"over_captain": _over_captain(raw, side, values, len(paid), means)}
    several = singles(raw, own_options)
    own = [question for question in asked if question in values]
    every = replace(several, values=dict(several.values))
    if silent := [name for name in several.values if several.silent(name, own)]:
        row["never_answered"] = silent
        for name in silent:
            del several.values[name]
    away = {name: every.may_come(name) for name in every.values}
    alone_away = {q: frozenset(several.players[name] for name in away if q in away[name]) for q in own}
    row |= _unreached(raw, {q: without.get(q, frozenset()) | alone_away[q] for q in own}, values)
    single = _cheapest(raw, several, all_highest(several.values, own), _whole(side, own))
    if single is None and Ranked(several.values, own).lonely:
        rivals = [name for name, alone in several.values.items() if any(q in alone for q in own)]
        over = {"singles": len(several.values), "options": len(paid), "rule": RULE.format("score"), "rivals": rivals}
        over |= _withheld(several, rivals, own, values)
        return {**row, "over_best_single": over, **_cost(raw, side, several, None, own)}
    if single is None:
        return row
    over = _over_best(raw, side, paid, own, values, several, single, means)
    known = over is not None and over["single"] is not None
    cost = _cost(raw, side, several, single if known else None, own)
    if not over:
        return row
    row |= {"over_best_single": over, **cost}
    reached = sum(several.values[single][q].least for q in own if q in several.values[single])
    many = False
    for name, alone in every.values.items():
        here = [q for q in own if q in alone]
        best = sum(1.0 if q in away[name] else alone[q].most for q in here)
        many |= 20 * len(away[name].intersection(here)) > len(own) and best >= reached
    if not many and not _turns(raw, side, paid, own, values, every, without, over, means):
        return row
    row["over_best_single"] = _over_nothing(over)
    return {**row, "unreached": {**row["unreached"], "withheld": True}}


def _over_nothing(over: Row) -> Row:
    over = {**over, **{key: None for key in ("low", "high", "p") if key in over}, "why": ANY_TEXT}
    if over.get("best_single"):
        over["best_single"] = {**over["best_single"], "low": None, "high": None}
    return over


def _nothing_claimed(row: Row) -> Row:
    row = {**row, "low": None, "high": None}
    if over := row["over_best_single"]:
        row["over_best_single"] = _over_nothing(over)
    if captain := row["over_captain"]:
        row["over_captain"] = {**captain, **{key: None for key in CLAIMED if key in captain}, "why": ANY_TEXT}
    return {**row, "unreached": {**row["unreached"], "withheld": True}}


def _turns(
    raw: Raw,
    side: Option,
    paid: Sequence[Option],
    asked: Sequence[str],
    values: Mapping[str, Value],
    several: Singles,
    without: Mapping[str, frozenset[str]],
    over: Row,
    means: bool,
) -> bool:
    """Whether what is claimed falls where all plays without somebody are wrong, and right what failed of the singles; or,
    of what is less, where they are right."""
    if not (sign := _sign(over)):
        return False
    end = 0.0 if sign > 0 else 1.0
    twin = replace(side)
    twin.__dict__["values"] = {
        q: Value(end, end, end, (end,)) if without.get(q) else value for q, value in side.values.items()
    }
    alone = several
    if sign > 0:
        right = Value(1.0, 1.0, 1.0, (1.0,))
        mended_ = {
            n: {q: right if q in several.may_come(n) else v for q, v in own.items()}
            for n, own in several.values.items()
        }
        alone = replace(several, values=mended_)
    best = highest(alone.values, asked)
    assert best is not None
    paid = [twin if other is side else other for other in paid]
    again = _over_best(raw, twin, paid, asked, {q: twin.value(q) for q in values}, alone, best, means)
    return _sign(again or {}) != sign


def _sign(over: Row) -> int:
    low, high = (end.value if isinstance(end, Near) else end for end in (over.get("low"), over.get("high")))
    if low is None or high is None or low <= 0 <= high:
        return 0
    return 1 if low > 0 else -1


def unreached_on(side: Option, questions: Iterable[str]) -> dict[str, frozenset[str]]:
    """By question, of those where some call failed: whose."""
    found: dict[str, frozenset[str]] = {}
    for own in side.episodes:
        for episode in own:
            found[episode.question] = found.get(episode.question, frozenset()) | episode.unreached
    return {question: found[question] for question in questions if found.get(question)}


def _unreached(raw: Raw, who: Mapping[str, frozenset[str]], values: Mapping[str, Value]) -> Row:
    names = sorted(frozenset().union(*who.values()))
    without = sum(bool(several) for several in who.values())
    row: Row = {"questions": without, "of": len(values), "who": names, "withheld": False}
    if recorded := sorted({name for *_, name in raw.without_reply}.intersection(names)):
        row["unrecorded"] = recorded
    return {"unreached": row} if names else {}


def _over_best(
    raw: Raw,
    side: Option,
    paid: Sequence[Option],
    asked: Sequence[str],
    values: Mapping[str, Value],
    several: Singles,
    single: str,
    means: bool,
) -> Row | None:
    own = several.values[single]
    pairs = {question: [(value, own[question])] for question, value in values.items() if question in own}
    if not pairs:
        return None
    known = [fair({q: player[q] for q in asked if q in player}) for player in several.values.values()]
    alone = np.array([[mark_of(player.get(q, NOBODY_KNOWS)) for q in asked] for player in known])
    place = list(several.values).index(single)
    groups = clusters(raw, asked)
    whole = _at_ends(alone, [{q: own[q] for q in asked if q in own} for own in several.values.values()], asked)
    ours = [{q: other.value(q) for q in asked if q in other.values} for other in paid]
    chosen = list(paid).index(side)
    theirs = [{q: own[q] for q in asked if q in own} for own in several.values.values()]
    said = claim_waiting(
        _at_ends(table_of(paid, asked), ours, asked),
        whole,
        chosen,
        place,
        groups,
        means=means,
        least_and_most=_least_and_most(ours, theirs, asked),
    )
    row = {key: value for key, value in difference(pairs, means=means).items() if key not in (TESTED, GRADED)}
    row = errors_apart(row, pairs) | bounds(pairs)
    said = said if row["difference"] is not None else None
    if said is not None:
        row |= {"difference": said.difference, "p": near(said.p)}
        row |= {"low": said.low and near(said.low), "high": said.high and near(said.high)}
        row["test"] = "mcnemar" if row["test"] == "mcnemar" and clusters(raw, [*pairs]) is None else "score"
        row.pop("why", None)
    ends = said and said.low and said.high and (said.low, said.high)
    row = _room_for_the_best(row, several, values, [*pairs], ends)
    mine = known[place]
    reached = mean_row([value.known for value in mine.values() if value.known is not None], every=mine)
    reached["low"] = chosen_low(alone, reached, {q: own[q] for q in asked if q in own})
    row |= {"single": single, "singles": len(several.values), "options": len(paid)}
    row["rule"] = RULE.format("exact" if row["test"] == "mcnemar" else "score")
    row |= {"best_single": reached, "each": [_beside_one(n, own, values, means) for n, own in several.values.items()]}
    rivals = [name for name in several.values if name != single and _could_beat(several, name, single, asked)]
    row = {**row, "rivals": rivals, **_withheld(several, rivals, asked, values)} if rivals else row
    return {key: value for key, value in row.items() if key != "abstained" or row["rescues"] is not None}


def _at_ends(seen: Any, rows: Sequence[Mapping[str, Value]], asked: Sequence[str]) -> Ends:
    """With all that waits wrong, and right; what nobody has heard may be either as well."""

    def end(value: Value, name: str) -> float:
        if value.waits or Ungraded.NOT_HEARD in value.grades:
            return float(getattr(value, name))
        return math.nan if value.known is None else value.known

    worst, best = (
        np.array([[end(own[q], name) if q in own else math.nan for q in asked] for own in rows])
        for name in ("least", "most")
    )
    return Ends(seen, worst, best)


def _least_and_most(
    ours: Sequence[Mapping[str, Value]], theirs: Sequence[Mapping[str, Value]], asked: Sequence[str]
) -> tuple[list[Any], list[Any]]:
    """By single, options by question: what each difference is at least and at most, however the words of both are graded."""

    def ends(option: Mapping[str, Value], own: Mapping[str, Value], question: str) -> tuple[float, float]:
        values = [side.get(question, NOBODY_KNOWS) for side in (option, own)]
        waits = [value.waits or Ungraded.NOT_HEARD in value.grades for value in values]
        if any(value.known is None and not waiting for value, waiting in zip(values, waits, strict=True)):
            return math.nan, math.nan
        pinned = [
            value if waiting else Value(value.known, value.known or 0.0, value.known or 0.0)
            for value, waiting in zip(values, waits, strict=True)
        ]
        return extremes([(pinned[0], pinned[1])])

    both = [[[ends(option, own, question) for question in asked] for option in ours] for own in theirs]
    least, most = ([np.array([[one[end] for one in row] for row in of_one]) for of_one in both] for end in (0, 1))
    return least, most


def _beside_one(name: str, own: Mapping[str, Value], values: Mapping[str, Value], means: bool) -> Row:
    """On how many questions the two differ, where each gives one pair and all that will be graded is."""
    pairs = {question: [(value, own[question])] for question, value in values.items() if question in own}
    row = difference(pairs, means=means)
    counted = row["test"] == "mcnemar" and row["rescues"] is not None
    discordant = row["rescues"] + row["regressions"] if counted else None
    return {"single": name, "difference": row["difference"], "n": row["n"], "discordant": discordant}


def _could_beat(several: Singles, name: str, single: str, asked: Sequence[str]) -> bool:
    if name in Ranked(several.values, asked).out:
        return True
    mine, best = several.values[name], several.values[single]
    both = [(mine[question], best[question]) for question in asked if question in mine and question in best]
    return sum(extremes([pair])[1] for pair in both) > 1e-9


def _withheld(several: Singles, rivals: Sequence[str], asked: Sequence[str], values: Mapping[str, Value]) -> Row:
    """Nobody is called the best single while somebody who could be was not heard on more than one question in twenty."""
    unheard = {
        name: sum(Ungraded.NOT_HEARD in several.values[name].get(q, NOBODY_KNOWS).grades for q in asked)
        for name in rivals
    }
    out = Ranked(several.values, asked).out
    nowhere = any(name in out for name in rivals)
    if not nowhere and not any(times > len(asked) / 20 for times in unheard.values()):
        return {}
    nothing = dict.fromkeys(("difference", "low", "high", "p", "rescues", "regressions", "single"))
    row: Row = {**nothing, "n": 0, "test": "none", "small": True, "bounds": _beside_the_best(several, values)}
    return {**row, "why": ANY_TEXT, "best_single": mean_row([]), "each": []}


def _beside_the_best(several: Singles, values: Mapping[str, Value]) -> Row:
    """The best is above all others: so the team is above it by the least of what it is above each."""
    everybody = [[own.get(question, NOBODY_KNOWS) for question in values] for own in several.values.values()]
    ends = [[extremes([pair]) for pair in zip(values.values(), own, strict=True)] for own in everybody]
    low, high = (min(mean([end[place] for end in own]) for own in ends) for place in (0, 1))
    return {"low": low, "high": high}


def _room_for_the_best(row: Row, several: Singles, values: Mapping[str, Value], asked: Sequence[str], ends: Any) -> Row:
    """Somebody whose answers are not all graded may be the best of all. A difference is over those that `asked` says, what is
    known where there is none is over everything."""
    meant = dict(values) if row["difference"] is None else {question: values[question] for question in asked}
    unsure = any(own[question].open for own in several.values.values() for question in meant if question in own)
    if unsure or "bounds" in row:
        row = {**row, "bounds": _beside_the_best(several, meant)}
    if row["difference"] is None:
        return row
    if ends and "bounds" in row:
        turned = [
            (low > 0 and row["bounds"]["low"] <= 0) or (high < 0 and row["bounds"]["high"] >= 0)
            for low, high in zip(*ends, strict=True)
        ]
        if all(turned):
            row["why"] = ANY_TEXT
    return row


def _over_captain(raw: Raw, side: Option, values: Mapping[str, Value], options: int, means: bool) -> Row | None:
    """Nothing is claimed that is not as well where the plays without somebody may come to anything."""
    row = _beside_captain(raw, side, values, options, means)
    if row is None or (again := played_again(raw)) is None:
        return row
    with nothing_flatters():
        other = _beside_captain(again, option(again, side.cells, side.title), values, options, means)
    return row if held(row, other) == row else {**row, **{key: None for key in CLAIMED if key in row}, "why": ANY_TEXT}


CLAIMED = ("low", "high", "p", "p_holm", "low_holm", "high_holm")


def _beside_captain(raw: Raw, side: Option, values: Mapping[str, Value], options: int, means: bool) -> Row | None:
    if any(cell.traits.get("captain") != "leads" for cell in side.cells):
        return None
    pairs: dict[str, list[tuple[Value, Value]]] = {}
    alone = []
    for cell in side.cells:
        plays = [play for play in tables.table_of(raw, cell).alone if play.player == cell.captain]
        alone.append(tables.values_of(plays))
    for question in values:
        if all(question in own for own in alone):
            led = [by_question.get(question, NOBODY_KNOWS) for by_question in side.by_cell]
            pairs[question] = [*zip(led, (own[question] for own in alone), strict=True)]
    row = errors_apart(difference(pairs, means=means), pairs)
    row |= bounds(pairs) if pairs else {}
    if row["n"] and turned(row):
        row["why"] = ANY_TEXT
    graded = any(None not in (one.known, other.known) for several in pairs.values() for one, other in several)
    return family([row], chosen_from=options)[0] if graded else None


def _cheapest(raw: Raw, several: Singles, equals: Sequence[str], asked: Sequence[str]) -> str | None:
    """Of those who are equally good: by money, then by calls, then as they stand; unknown is dearest."""
    found: tuple[float, float, int, str] | None = None
    for place, name in enumerate(equals):
        taken = _taken_alone(raw, several, name, asked)
        usd, calls = (math.inf if each is None else each for each in (taken.usd, taken.calls))
        mine = (usd, calls, place, name)
        found = mine if found is None else min(found, mine)
    return None if found is None else found[-1]


def _taken_alone(raw: Raw, several: Singles, single: str, asked: Sequence[str]) -> CostAlone:
    every = [cost_alone(raw, table, several.players[single], asked) for table in several.same[single]]
    asks = [ask for ask in every if ask.calls is not None]
    in_money = all(ask.usd is not None for ask in asks)
    asks.sort(key=lambda ask: ((ask.usd or 0.0) if in_money else 0.0, ask.calls or 0.0))
    nothing = [ask for ask in every if ask.questions == ()]
    return (asks or nothing or [CostAlone(None, None)])[0]


def _whole(side: Option, asked: Sequence[str]) -> list[str]:
    """Those that no call of the team's failed on."""
    cut = cut_short(episode for own in side.episodes for episode in own)
    return [question for question in asked if question not in cut]


def _cost(raw: Raw, side: Option, several: Singles, single: str | None, asked: Sequence[str]) -> Row:
    """In money, or in calls where money is nothing or not known; no ratio to somebody whom nobody knows. Over the questions
    of which it is known what either takes."""
    usd = mean([side.cost_usd[q] for q in asked if q in side.cost_usd]) if side.cost_usd else None
    taken = [side.calls[question] for question in asked if question in side.calls]
    calls = mean(taken) if taken else None
    row: Row = {"cost_ratio": None, "cost_unit": "calls", "cost_usd": usd, "calls": calls}
    known = [question for question in asked if question not in side.lacking]
    alone = CostAlone(None, None) if single is None else _taken_alone(raw, several, single, known)
    if alone.questions is None:
        return row
    if not alone.questions or len(alone.questions) < min(len(side.values) / 4, 30):
        return {**row, "cost_why": ANY_TEXT}
    over = {"cost_n": len(alone.questions)} if len(alone.questions) < len(side.values) else {}
    paid = mean([side.paid_usd[q] for q in alone.questions]) if side.paid_usd is not None else None
    if paid and alone.usd:
        return {"cost_ratio": paid / alone.usd, "cost_unit": "usd", "cost_usd": usd, **over}
    if not alone.calls:
        return row
    return {**row, "cost_ratio": mean([side.calls_made[q] for q in alone.questions]) / alone.calls, **over}


_NUMBER = re.compile(r"(?<![\w.])[+-]?\d+(?:,\d{3})*(?:\.\d+)?(?!\w)")


def _says(raw: Raw, words: Any) -> bool:
    return isinstance(words, list) and bool(words) and all(isinstance(word, str) and word for word in words)


def _heard(raw: Raw) -> set[int]:
    """On how many questions each player was heard."""
    return {
        len({play.question for play in plays if play.heard})
        for table in tables.tables(raw)
        for plays in tables.parts(table.alone, lambda play: play.player).values()
    }


def check_words(raw: Raw, headline: Mapping[str, Any]) -> list[str]:
    """What the sentence says must be in the figures: every number of it, and "more" or "less" only where it is so."""
    text, over = " ".join(headline["words"]), headline["over_best_single"]
    wrong = [] if headline["sentence"] == text else ["the sentence is not its words"]
    bare = text
    for cell in raw.cells:
        for name in (cell.label, cell.team, cell.captain, cell.player, cell.cohort):
            bare = bare.replace(name, " ") if name and any(sign.isdigit() for sign in name) else bare
    figures = {_said(value, 100) for value in _leaves(headline)} | {_said(value, 1) for value in _leaves(headline)}
    figures |= {f"{value:,}" for value in _leaves(headline) if isinstance(value, int)} | {str(FEW_QUESTIONS)}
    figures |= {f"{number:,}" for number in (*_answers(raw, headline["of"]), *_heard(raw))}
    figures.add(f"{len(headline.get('unlisted', ())):,}")
    unranked = [*headline.get("unranked", ()), *(headline["after_the_fact"] or {}).get("unranked", ())]
    figures |= {f"{row['questions']:,}" for row in unranked}
    figures |= {
        f"{number:,}" for number in range(headline["n"]) if f" was heard on {number:,} of {headline['n']:,} " in bare
    }
    numbers = _NUMBER.findall(bare)
    wrong += [f"{number} is no figure of the headline" for number in numbers if number.lstrip("+-") not in figures]
    if over and over["difference"] is not None and over["low"] is not None:
        bounds = over.get("bounds") or {"low": 1, "high": -1}
        more, less = over["low"] > 0 and bounds["low"] > 0, over["high"] < 0 and bounds["high"] < 0
        phrases = {
            ") more than the best": more,
            ") less than the best": less,
            "cannot be told apart from": not more and not less,
        }
        wrong += [f"{phrase!r}" for phrase, holds in phrases.items() if (phrase in text) != holds]
    return wrong


def _answers(raw: Raw, of: str) -> tuple[int, int, int]:
    """How many there are, of how many somebody knows what is right, and how many of these wait for the judge: said where
    nothing else can be."""
    side = options(raw).get(of) or _as_one(raw, of)
    grades = [episode.right for own in side.episodes for episode in own]
    return len(grades), len(grades) - sum(grade in HOPELESS for grade in grades), grades.count(None)


def _said(value: float, times: int) -> str:
    """Half goes up, by the digits that the number is written with."""
    if not math.isfinite(value):
        return str(value)
    return str((abs(Decimal(repr(float(value)))) * times).quantize(Decimal("0.1"), ROUND_HALF_UP))


def _leaves(value: Any) -> Iterable[float]:
    if isinstance(value, Mapping):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value
