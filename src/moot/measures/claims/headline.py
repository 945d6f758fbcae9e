"""The verdict: which figure stands for the whole run, and the sentence that says it.

The headline is what the file declared as `primary`. Without one, strategy and captain are chosen on other questions
than they are scored on, and that is the headline: the highest of many rows is no measurement, and is marked as chosen
after the fact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moot.experiment.claims import ClaimError
from moot.measures.cells import Stored, table_of
from moot.measures.native_cost import native_cost
from moot.measures.sides import Alone, SideResults, alone_by_player, best_alone, cells_named, side_of
from moot.measures.source import Source
from moot.stats.crossfit import CrossFit, best, crossfit
from moot.stats.estimates import Row, estimate, estimate_row
from moot.stats.graded import (
    NOT_PLAYED,
    Value,
    accuracy_row,
    bounds_row,
    compared_row,
    known,
    known_pairs,
    least_of,
    mean_value,
    settled,
    why_nothing,
    why_turned,
)
from moot.stats.paired import FEW_QUESTIONS
from moot.store.declarations import Declared


@dataclass(frozen=True, slots=True)
class _Chosen:
    """What the headline is about: on each question, whose play counts."""

    of: str
    how: str
    """``declared``, ``declared late``, ``cross-fitted``, or ``only`` where there was nothing to choose."""
    sides: Mapping[str, SideResults]
    choice: Mapping[str, str]
    """The side that counts, by question."""
    parts: Mapping[str, int]
    """How often each was chosen, where it was chosen part by part."""

    @property
    def once(self) -> bool:
        """Whether every value is right or wrong, and none a mean over captains or repeats."""
        return all(self.sides[title].once for title in set(self.choice.values()))

    def values(self) -> dict[str, Value]:
        """What counts on each question; not having played it is not being right."""
        return {question: self.sides[title].value(question) for question, title in self.choice.items()}


def headline_figures(
    source: Source, cells: Sequence[Stored], declared: Sequence[Declared], options: Mapping[str, SideResults]
) -> Row | None:
    """From the options that have been played; None where there are none."""
    chosen = _chosen(source, cells, declared, options)
    if chosen is None:
        return None
    values = chosen.values()
    accuracy = estimate(list(known(values).values()), pooled=not chosen.once, seed=source.seed)
    teams = _teams(chosen)
    row: Row = {
        "of": chosen.of,
        "chosen": chosen.how,
        "parts": dict(chosen.parts),
        **_named(chosen),
        **estimate_row(accuracy),
        **_ungraded(values),
        "over_best_single": None,
        "over_captain": None,
        "cost_ratio": None,
        "cost_unit": None,
        "after_the_fact": _after_the_fact(options, source.seed),
        "played_alone": any(cell["player"] for cell in cells),
    }
    if teams and accuracy is not None:
        row |= _beside_players(source, cells, chosen, teams, values)
    row["words"] = sentences(row)
    row["sentence"] = " ".join(row["words"])
    return row


def _ungraded(values: Mapping[str, Value]) -> Row:
    """How much of it is not graded, of how many questions, and what it would be over all of them."""
    row = bounds_row(values.values())
    if not row:
        return {"ungraded": 0}
    row["questions"] = len(values)
    return {**row, "why": why_nothing(len(values))} if not known(values) else row


def _chosen(
    source: Source, cells: Sequence[Stored], declared: Sequence[Declared], options: Mapping[str, SideResults]
) -> _Chosen | None:
    primary = source.config.get("primary")
    if primary:
        try:
            meant = cells_named(primary, cells)
        except ClaimError:
            meant = []  # of another plan under this name
        side = side_of(source, meant, primary)
        if side.calls:
            late = not any(word.kind == "primary" and word.text == primary and word.frozen for word in declared)
            how = "declared late" if late else "declared"
            return _Chosen(primary, how, {primary: side}, dict.fromkeys(side.calls, primary), {})
    teams = {title: side for title, side in options.items() if not side.alone}
    pool = teams or options
    asked = sorted({question for side in pool.values() for question in side.calls})
    if len(pool) == 1:
        (title,) = pool
        return _Chosen(title, "only", pool, dict.fromkeys(asked, title), {})
    fitted = crossfit(
        {title: side.marks for title, side in pool.items()},
        asked,
        costs={title: side.calls for title, side in pool.items()},
        least={title: least_of(side.open) for title, side in pool.items()},
        seed=source.seed,
    )
    if fitted is None:
        return None
    parts = Counter(fitted.chosen)
    return _Chosen(parts.most_common(1)[0][0], "cross-fitted", pool, fitted.choice, dict(parts.most_common()))


def _teams(chosen: _Chosen) -> list[str]:
    """The tables that the headline is about, where it is about no player alone."""
    cells = [cell for title in dict.fromkeys(chosen.choice.values()) for cell in chosen.sides[title].cells]
    return [] if any(cell["player"] for cell in cells) else list(dict.fromkeys(map(table_of, cells)))


def _named(chosen: _Chosen) -> Row:
    cells = chosen.sides[chosen.of].cells
    whose = {cell["player"] or cell["captain"] for cell in cells}
    return {
        "strategy": cells[0]["label"],
        "team": cells[0]["team"],
        "player": cells[0]["player"] if len(cells) == 1 else None,
        "captain": cells[0]["captain"] if len(cells) == 1 else None,
        "captains": len(whose) if chosen.sides[chosen.of].alone is False else 0,
        "alone": chosen.sides[chosen.of].alone,
        "led": any(cell["captain"] for side in chosen.sides.values() for cell in side.cells),
    }


def _after_the_fact(options: Mapping[str, SideResults], seed: int) -> Row | None:
    """The highest of all rows: what a careless report would print first."""
    asked = sorted({question for side in options.values() for question in side.calls})
    least = {title: least_of(side.open) for title, side in options.items()}
    top = best({title: side.marks for title, side in options.items()}, asked, least=least)
    if top is None or len(options) < 2:
        return None
    values = {question: options[top].value(question) for question in asked}
    row = accuracy_row(values, pooled=not options[top].once, seed=seed)
    return {"of": top, **row, "note": "chosen after the fact"}


def _beside_players(
    source: Source, cells: Sequence[Stored], chosen: _Chosen, teams: Sequence[str], values: Mapping[str, Value]
) -> Row:
    """Against the best single player of these teams, against the captain alone, and what it cost beside them."""
    alone: dict[str, dict[str, Value]] = {}
    for team in teams:
        alone |= {
            name: player_values
            for name, player_values in alone_by_player(source, team, cells).items()
            if name not in alone
        }
    single = best_alone(alone, seed=source.seed) if alone else None
    repeated = int(source.config.get("repeats", 1)) > 1
    pooled = repeated or not chosen.once
    row: Row = {"over_captain": _over_captain(chosen, alone, pooled, source.seed)}
    if single is None:
        return row
    pairs = {
        question: [(value, alone[single.choice[question]].get(question, NOT_PLAYED))]
        for question, value in values.items()
        if question in single.choice
    }
    reached = estimate([other for _, other in known_pairs(pairs)], pooled=repeated, seed=source.seed)
    over = _whoever_is_best(compared_row(pairs, pooled=pooled, seed=source.seed), alone, values)
    if over["n"]:
        row["over_best_single"] = {**over, "best_single": estimate_row(reached), "chosen": list(single.chosen)}
    return {**row, **_cost(source, cells, chosen, single)}


def _whoever_is_best(over: Row, alone: Alone, values: Mapping[str, Value]) -> Row:
    """A player whose answers nobody has graded may be the best of all: the bounds leave room for that."""
    ungraded = [name for name, own in alone.items() if any(value.open for value in own.values())]
    if not ungraded or over["difference"] is None:
        return over
    margins = [
        sum(value.least - alone[name].get(question, NOT_PLAYED).most for question, value in values.items())
        for name in ungraded
    ]
    worst = min(margins) / len(values)
    bounds = over.get("bounds") or {"low": over["difference"], "high": over["difference"]}
    over = {**over, "bounds": {"low": min(bounds["low"], worst), "high": bounds["high"]}}
    turned = why_turned(over)
    return {**over, "why": turned} if turned else over


def _over_captain(chosen: _Chosen, alone: Alone, pooled: bool, seed: int) -> Row | None:
    """Captain by captain on each question; several captains of one question are one pair, their mean.

    Only where captains lead: one that does no more than break ties has no errors that a team could fix.
    """
    used = [chosen.sides[title] for title in dict.fromkeys(chosen.choice.values())]
    if any(cell["traits"].captain != "leads" for side in used for cell in side.cells):
        return None
    pairs: dict[str, list[tuple[Value, Value]]] = {}
    for question, title in chosen.choice.items():
        side = chosen.sides[title]
        captains = [cell["captain"] for cell in side.cells]
        before = [alone[name][question] for name in captains if name and question in alone.get(name, ())]
        if before and len(before) == len(captains):
            pairs[question] = [(side.value(question), mean_value(before))]
    row = compared_row(pairs, pooled=pooled, seed=seed)
    return row if row["n"] else None


def _cost(source: Source, cells: Sequence[Stored], chosen: _Chosen, single: CrossFit) -> Row:
    """How many times the best single player's cost: in money, or in calls where money is nothing or not known."""
    used = [chosen.sides[title] for title in set(chosen.choice.values())]
    one = native_cost(source, cells, chosen.sides[chosen.of].first, single.choice)
    team = None
    if all(side.cost_usd is not None for side in used):
        team = _mean([(chosen.sides[title].cost_usd or {}).get(question) for question, title in chosen.choice.items()])
    if team and one.cost_usd:
        return {"cost_ratio": team / one.cost_usd, "cost_unit": "usd", "cost_usd": team}
    calls = _mean([chosen.sides[title].calls.get(question) for question, title in chosen.choice.items()])
    if calls is None or not one.calls:
        return {"cost_usd": team}
    return {"cost_ratio": calls / one.calls, "cost_unit": "calls", "cost_usd": team}


def _mean(values: Sequence[float | None]) -> float | None:
    there = [value for value in values if value is not None]
    return sum(there) / len(there) if there else None


def sentences(row: Mapping[str, Any]) -> list[str]:
    """The headline in words: the verdict first, then what to know before believing it."""
    if row["value"] is None:
        return [_nothing(row)]
    graded = f" of the {row['n']:,} graded" if row["ungraded"] else ""
    parts = [f"{_opening(row.get('questions', row['n']))} {_subject(row)} answered {_share(row)}{graded}"]
    if over := row["over_best_single"]:
        parts.append(f", {_than_single(over)}")
    if over := row["over_captain"]:
        parts.append(f"; {_repairs(over, row)}")
    elif row["alone"] is False and row["over_best_single"] is None:
        nobody = "nobody of the team" if row.get("played_alone") else "nobody"
        parts.append(f"; {nobody} played alone, so there is nothing to compare it with")
    if cost := _times(row):
        parts.append(f", {cost}")
    return ["".join(parts) + ".", *_doubts(row)]


def _nothing(row: Mapping[str, Any]) -> str:
    if not row.get("ungraded"):
        return "Nothing has been played yet."
    return f"{_opening(row['questions'])} no answer is graded yet, so nobody knows how many are right."


def _opening(n: int) -> str:
    return f"On these {n:,} questions" if n != 1 else "On this one question"


def _subject(row: Mapping[str, Any]) -> str:
    declared = {"declared": ", declared beforehand,", "declared late": ", declared after the run had begun,"}
    if row["chosen"] == "cross-fitted":
        if row["alone"]:
            return "the best single model, chosen on other questions,"
        what = "strategy and captain" if row["led"] else "strategy"
        return f"the team, its {what} chosen on other questions,"
    aside = declared.get(row["chosen"], "")
    if row["alone"]:
        return f"{row['player'] or 'the players'} alone{aside}"
    if row["captain"]:
        return f"the {row['strategy']} team with {row['captain']} as captain{aside}"
    if row["captains"] > 1:
        return f"the {row['strategy']} team, on average over its {row['captains']} captains{aside or ','}"
    return f"the {row['strategy']} team {row['team'] or ''}".rstrip() + aside


def _share(row: Mapping[str, Any]) -> str:
    value = f"{100 * row['value']:.1f} %"
    return value if row["low"] is None else f"{value} ({100 * row['low']:.1f}–{100 * row['high']:.1f})"


def _than_single(over: Mapping[str, Any]) -> str:
    """More or less only where interval and bounds say so: what is graded flatters who has much ungraded."""
    points, bounds = 100 * over["difference"], over.get("bounds")
    if over["low"] is None:
        return f"{points:+.1f} points against the best single model{_whatever(over)}"
    low, high = 100 * over["low"], 100 * over["high"]
    if over["low"] > 0 and settled(bounds, 0.0, above=True):
        return f"{points:.1f} points more than the best single model ({low:.1f}–{high:.1f}){_whatever(over)}"
    if over["high"] < 0 and settled(bounds, 0.0, above=False):
        return f"{-points:.1f} points less than the best single model ({-high:.1f}–{-low:.1f}){_whatever(over)}"
    told = f"which cannot be told from the best single model ({points:+.1f} points, {low:+.1f} to {high:+.1f})"
    return f"{told}{_whatever(over)}"


def _whatever(over: Mapping[str, Any]) -> str:
    """What a difference can be over all questions, where not all is graded."""
    if not (bounds := over.get("bounds")):
        return ""
    low, high = (f"{100 * bounds[end]:+.1f}" for end in ("low", "high"))
    pairs = f" on the {over['n']:,} question{'s' if over['n'] != 1 else ''} graded for both"
    return f"{pairs}, over all between {low} and {high} points, whatever the ungraded answers turn out to be"


def _repairs(over: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    fixed, made = over["rescues"], over["regressions"]
    new = f"made {made} new one{'s' if made != 1 else ''}"
    if row["captains"] > 1 and row["chosen"] != "cross-fitted":
        return f"it did better than its captains alone on {fixed} questions and worse on {made}"
    graded = ", as far as both are graded" if over.get("bounds") else ""
    return f"it fixed {fixed} of its captain's errors and {new}{graded}"


def _times(row: Mapping[str, Any]) -> str:
    ratio = row["cost_ratio"]
    if ratio is None:
        return ""
    if row["cost_unit"] == "usd":
        return f"at {ratio:.1f} × the cost"
    unknown = " (the cost in money is unknown)" if row.get("cost_usd") is None else ""
    return f"with {ratio:.1f} × the calls{unknown}"


def _doubts(row: Mapping[str, Any]) -> list[str]:
    doubts = []
    if row["n"] < FEW_QUESTIONS:
        doubts.append(f"Fewer than {FEW_QUESTIONS} questions show next to nothing: look at the width of the intervals.")
    if row["ungraded"]:
        low, high = (f"{100 * row['bounds'][end]:.1f}" for end in ("low", "high"))
        doubts.append(f"{row['ungraded']:g} of the answers are not graded; over all it is between {low} and {high} %.")
    if row["chosen"] == "cross-fitted":
        parts = ", ".join(f"{title} in {times}" for title, times in row["parts"].items())
        doubts.append(f"The file declares no primary; chosen were {parts} of {sum(row['parts'].values())} parts.")
    if (after := row["after_the_fact"]) and after["of"] != row["of"] and after["value"] is not None:
        doubts.append(f"The highest row, {after['of']} with {_share(after)}, is chosen after the fact.")
    return doubts
