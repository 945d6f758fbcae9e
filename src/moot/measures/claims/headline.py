"""The verdict: which figure stands for the whole run, and what it may claim.

The headline is what the file declared as `primary`. Without one it is the option with the highest accuracy, said to be
chosen after the fact, and its intervals pay for the choice: see `moot.stats.choice`. Everything in its sentence is
against one baseline, the best single player on the questions that the option has, and "more" means more than every one of
them that ever answered. Options, and players, are ranked on the questions that they share: see `moot.stats.shared`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

from moot.experiment.claims import ClaimError
from moot.measures.cells import Stored
from moot.measures.claims.singles import singles_of
from moot.measures.claims.words import AFTER_THE_FACT, sentences
from moot.measures.draft_calls import DraftTable
from moot.measures.native_cost import native_cost
from moot.measures.quiz.played import UNPLAYED
from moot.measures.sides import Alone, SideResults, alone_by_player, cells_named, highest, ranked, side_of
from moot.measures.source import Source
from moot.stats.choice import chosen_interval
from moot.stats.clusters import units_of
from moot.stats.completions import Limits
from moot.stats.crossfit import best
from moot.stats.estimates import Row, estimate_row, with_holm
from moot.stats.graded import (
    FEW_WAITING,
    Value,
    accuracy_row,
    at_worst,
    bounds_row,
    fair,
    graded_estimate,
    known,
    least_of,
    marks_of,
    why_none,
)
from moot.stats.graded_pairs import compared_row, difference_ends, family_row, known_pairs, why_turned
from moot.stats.shared import SharedQuestions, shared
from moot.stats.waiting_choice import Tables, claim_whatever
from moot.store.declarations import Declared
from moot.types import Estimate

if TYPE_CHECKING:
    from moot.stats.bootstrap import Floats

RULE = "beats every single player; {test}; paid for the options"


@dataclass(frozen=True, slots=True)
class _Chosen:
    """What the headline is about, and out of what it was chosen."""

    of: str
    how: str
    """``declared``, ``declared late``, ``after the fact``, or ``only`` where there was nothing to choose."""
    paid: Mapping[str, SideResults]
    """All options that the claim pays for, the chosen one among them: it alone where it was declared beforehand."""
    asked: Sequence[str]
    """All questions of these."""
    ranking: Row
    """On how many questions it is the highest, and who was not ranked: only where not all have the same."""

    @property
    def side(self) -> SideResults:
        return self.paid[self.of]

    @property
    def place(self) -> int:
        return list(self.paid).index(self.of)

    def values(self) -> dict[str, Value]:
        """What counts on each question that it has played."""
        return self.side.values(self.asked)


def headline_figures(
    source: Source, cells: Sequence[Stored], declared: Sequence[Declared], options: Mapping[str, SideResults]
) -> Row | None:
    """From the options that have been played; None where there are none."""
    chosen = _chosen(source, cells, declared, options)
    if chosen is None:
        return None
    values = chosen.values()
    row: Row = {
        "of": chosen.of,
        "chosen": chosen.how,
        "options": len(chosen.paid),
        **chosen.ranking,
        **_named(chosen),
        **estimate_row(_accuracy(chosen, values, source.seed)),
        **_ungraded(chosen.side, values),
        **({"left_out": len(chosen.side.left_out)} if chosen.side.left_out else {}),
        "over_best_single": None,
        "over_captain": None,
        "cost_ratio": None,
        "cost_unit": None,
        "after_the_fact": _after_the_fact(options),
        "played_alone": any(cell["player"] for cell in cells),
    }
    if not any(cell["player"] for cell in chosen.side.cells) and row["value"] is not None:
        row |= _beside_players(source, cells, chosen, values)
    row["words"] = [*sentences(row), *([source.grader_differs] if source.grader_differs else ())]
    row["sentence"] = " ".join(row["words"])
    return row


def _accuracy(chosen: _Chosen, values: Mapping[str, Value], seed: int) -> Estimate | None:
    """With the interval of its own row; of what was chosen after the fact, one that pays for the choice."""
    usual = graded_estimate(values)
    if usual is None or len(chosen.paid) == 1:
        return usual
    table, clusters = _tables(chosen.paid, chosen.asked).seen, units_of(chosen.asked)
    return chosen_interval(table, chosen.place, usual, at_worst=at_worst(values), clusters=clusters, seed=seed)


def _tables(options: Mapping[str, SideResults], asked: Sequence[str]) -> Tables:
    """Options × questions; NaN where an answer is not graded, and in all of a row where those that are would flatter."""
    rows = [side.values(asked) for side in options.values()]
    seen = _table([fair(values) for values in rows], asked, KNOWN)
    return Tables(seen, *(_table(rows, asked, end) for end in (WORST, BEST)))


def _tables_alone(singles: Alone, asked: Sequence[str]) -> Tables:
    """The same of the singles. At both ends everybody counts as far as it is graded or may yet turn out to be right: who
    has much ungraded may be the best of them."""
    rows = [{q: own[q] for q in asked if q in own} for own in singles.values()]
    seen = _table([fair(own) for own in rows], asked, KNOWN)
    # Nobody will grade what was never heard, but it would have been right or wrong as what waits will be.
    heard = [{q: value._replace(waiting=value.waiting + value.not_heard) for q, value in own.items()} for own in rows]
    return Tables(seen, *(_table(heard, asked, end) for end in (WORST, BEST)))


KNOWN, WORST, BEST = attrgetter("known"), attrgetter("worst"), attrgetter("best")


def _table(rows: Sequence[Mapping[str, Value]], asked: Sequence[str], end: Callable[[Value], float | None]) -> Floats:
    import numpy as np

    ends = [[end(values[question]) if question in values else None for question in asked] for values in rows]
    return np.array([[np.nan if value is None else value for value in row] for row in ends], dtype=float)


def _ungraded(side: SideResults, values: Mapping[str, Value]) -> Row:
    """How many of its answers are not graded, of how many questions it played, and what it would be over all of them."""
    row = bounds_row(values.values())
    if not row:
        return {"ungraded": 0}
    row |= {"ungraded": sum(side.ungraded.values()), "questions": len(values)}
    return {**row, "why": why_none(values)} if not known(fair(values)) else row


def _chosen(
    source: Source, cells: Sequence[Stored], declared: Sequence[Declared], options: Mapping[str, SideResults]
) -> _Chosen | None:
    teams = {title: side for title, side in options.items() if not side.alone}
    pool = teams or dict(options)
    if (side := _primary(source, cells)) is not None:
        primary, asked = side.title, sorted(side.calls)
        if any(word.kind == "primary" and word.text == primary and word.frozen for word in declared):
            return _Chosen(primary, "declared", {primary: side}, asked, {})
        # Whoever declares when answers are there already may have looked at them.
        others = {title: option for title, option in pool.items() if option.cells != side.cells}
        return _Chosen(primary, "declared late", {primary: side, **others}, asked, {})
    together = ranked(pool)
    # Where no two can be ranked, one of them is told of as any other would be: it is the highest of nothing.
    top = together.names[0] if together.none_ranked else highest(pool, cheaper=True)
    if top is None:
        return None
    paid = {title: pool[title] for title in together.names}
    asked = sorted({question for side in paid.values() for question in side.calls})
    how = AFTER_THE_FACT if len(paid) > 1 else "only"
    return _Chosen(top, how, paid, asked, ranking_row(together))


def ranking_row(together: SharedQuestions) -> Row:
    """On how many questions options were ranked, and who was not ranked; nothing where all have all questions."""
    if together.whole:
        return {}
    row: Row = {"ranked_on": len(together.questions)} if len(together.names) > 1 else {}
    unranked = [{"of": title, "questions": played} for title, played in together.left_out.items()]
    return {**row, "unranked": unranked} if unranked else row


def _primary(source: Source, cells: Sequence[Stored]) -> SideResults | None:
    """What the file declares, where it has been played."""
    primary = source.config.get("primary")
    if not primary:
        return None
    try:
        side = side_of(source, cells_named(primary, cells), primary)
    except ClaimError:  # of another plan under this name
        return None
    return side if side.calls or side.left_out else None


def _named(chosen: _Chosen) -> Row:
    cells = chosen.side.cells
    whose = {cell["player"] or cell["captain"] for cell in cells}
    return {
        "strategy": cells[0]["strategy"],
        "label": cells[0]["label"],
        "team": cells[0]["team"],
        "player": cells[0]["player"] if len(cells) == 1 else None,
        "captain": cells[0]["captain"] if len(cells) == 1 else None,
        "captains": len(whose) if chosen.side.alone is False else 0,
        "alone": chosen.side.alone,
        "led": any(cell["captain"] for side in chosen.paid.values() for cell in side.cells),
        "teams": len({cell["team"] for side in chosen.paid.values() for cell in side.cells}),
    }


def _after_the_fact(options: Mapping[str, SideResults]) -> Row | None:
    """The highest of all rows, on the questions that it is the highest on: what a careless report would print first."""
    top, together = highest(options), ranked(options)
    if top is None or len(options) < 2:
        return None
    row = accuracy_row(options[top].values(together.questions))
    return {"of": top, **row, **ranking_row(together), "note": "chosen after the fact"}


def _beside_players(source: Source, cells: Sequence[Stored], chosen: _Chosen, values: Mapping[str, Value]) -> Row:
    """Against the best single player, against the captain alone, and what it cost beside them."""
    pooled = int(source.config.get("repeats", 1)) > 1 or not chosen.side.once
    row: Row = {"over_captain": _over_captain(source, chosen, values, pooled)}
    singles = singles_of(source, [chosen.side] if chosen.how == "declared" else list(chosen.paid.values()))
    if silent := singles.never_answered(values.keys()):
        singles = singles.without(silent)
        row["never_answered"] = silent
    single = _best_single(singles.values, list(values))
    if single is None and shared(singles.values, list(values)).none_ranked:
        nobody = _nobody_is_best(singles.values, values, len(chosen.paid))
        return {**row, "over_best_single": nobody, **_cost(source, chosen, None, None)}
    if single is None:
        return row
    over = _over_best(source, chosen, singles.values, single, values, pooled)
    if over is None:
        return row
    known = over["single"] is not None
    cost = _cost(source, chosen, singles.tables[single], singles.players[single] if known else None)
    return {**row, "over_best_single": over, **cost}


def _nobody_is_best(singles: Alone, values: Mapping[str, Value], options: int) -> Row:
    """No two of them share enough of these questions to say who is the better one."""
    rivals = [name for name, own in singles.items() if values.keys() & own.keys()]
    over = {"singles": len(singles), "options": options, "rule": RULE.format(test="score test"), "rivals": rivals}
    return {**over, **_withheld(singles, rivals, values)}


def _best_single(singles: Alone, asked: Sequence[str]) -> str | None:
    """Who got most right of these questions, of those that the players share, as far as it is graded."""
    marks = {name: marks_of(values) for name, values in singles.items()}
    return best(marks, asked, least={name: least_of(values) for name, values in singles.items()})


def _over_best(
    source: Source, chosen: _Chosen, singles: Alone, single: str, values: Mapping[str, Value], pooled: bool
) -> Row | None:
    """One baseline: difference, what was repaired and spoilt, and the bounds are all against the same player."""
    asked, own, seed = list(values), singles[single], source.seed
    alone, place = _tables_alone(singles, asked), list(singles).index(single)
    pairs = _pairs(values, own)
    if not pairs:
        return None
    clusters = units_of(asked)
    found = claim_whatever(
        _tables(chosen.paid, asked),
        alone,
        option=chosen.place,
        single=place,
        pooled=pooled,
        clusters=clusters,
        seed=seed,
    )
    over = compared_row(pairs, pooled=pooled)
    known_alone = {question: own[question] for question in asked if question in own}
    reached = graded_estimate(known_alone)
    if found is not None and over["difference"] is not None:
        test = "mcnemar" if over["test"] == "mcnemar" and clusters is None else "score"
        over |= {"difference": found.difference, "low": found.low, "high": found.high, "p": found.p, "test": test}
        over.pop("why", None)
    over = _whoever_is_best(over, singles, values, None if found is None else found.limits_graded)
    if reached is not None:
        worst = at_worst(known_alone)
        reached = chosen_interval(alone.seen, place, reached, at_worst=worst, clusters=clusters, seed=seed)
    rule = RULE.format(test="exact test" if over["test"] == "mcnemar" else "score test")
    paid = {"single": single, "singles": len(singles), "options": len(chosen.paid), "rule": rule}
    row = {**over, **paid, "best_single": estimate_row(reached), "each": list(_each(singles, values, pooled))}
    rivals = _rivals(singles, single, asked)
    return {**row, "rivals": rivals, **_withheld(singles, rivals, values)} if rivals else row


def _pairs(values: Mapping[str, Value], own: Mapping[str, Value]) -> dict[str, list[tuple[Value, Value]]]:
    """A team and a single on the questions that both have."""
    return {question: [(value, own[question])] for question, value in values.items() if question in own}


def _each(singles: Alone, values: Mapping[str, Value], pooled: bool) -> Iterator[Row]:
    """Against every single by itself, on how many questions the two differ: all of them must be beaten."""
    for name, own in singles.items():
        row = compared_row(_pairs(values, own), pooled=pooled)
        counted = row["test"] == "mcnemar" and row["rescues"] is not None
        discordant = row["rescues"] + row["regressions"] if counted else None
        yield {"single": name, "difference": row["difference"], "n": row["n"], "discordant": discordant}


def _rivals(singles: Alone, single: str, asked: Sequence[str]) -> list[str]:
    """Who could be better than the best as far as is known, were all that is not known of them right.

    On the questions that both have; who has too few to be ranked could be better.
    """
    unranked = shared(singles, asked).left_out
    found = []
    for name, own in singles.items():
        both = {q: [(own[q], singles[single][q])] for q in asked if q in own and q in singles[single]}
        if name != single and (name in unranked or difference_ends(both)[1] > 1e-9):
            found.append(name)
    return found


def _withheld(singles: Alone, rivals: Sequence[str], values: Mapping[str, Value]) -> Row:
    """Nobody is the best single where a rival was heard only on some questions, which hang on what the others said, or has too
    few of them to be ranked.

    A few questions that it was not heard on leave a figure, with the bounds, as a few ungraded answers do.
    """
    heard = {name: sum(not own.not_heard for q, own in singles[name].items() if q in values) for name in rivals}
    asked = {name: len(values.keys() & singles[name].keys()) for name in rivals}
    unranked = shared(singles, list(values)).left_out
    unheard = [name for name in rivals if name in unranked or asked[name] - heard[name] > FEW_WAITING * len(values)]
    if not unheard:
        return {}
    ends = [
        difference_ends({question: [(value, own.get(question, UNPLAYED))] for question, value in values.items()})
        for own in singles.values()
    ]
    told = ", ".join(f"{name} was heard on {heard[name]:,} of {len(values):,} questions" for name in unheard)
    return {
        **dict.fromkeys(("difference", "low", "high", "p", "rescues", "regressions", "single")),
        "n": 0,
        "test": "none",
        "small": True,
        "bounds": {"low": min(low for low, _ in ends), "high": min(high for _, high in ends)},
        "why": f"{told} and could be the best single model",
        "best_single": estimate_row(None),
        "each": [],
    }


def _whoever_is_best(over: Row, alone: Alone, values: Mapping[str, Value], graded: Limits | None) -> Row:
    """A player whose answers nobody has graded may be the best of all: the bounds leave room for that."""
    if over["difference"] is None:
        return over
    ungraded = [name for name, own in alone.items() if any(value.open for value in own.values())]
    if ungraded:
        margins = [difference_ends(pairs)[0] for name in ungraded if (pairs := _pairs(values, alone[name]))]
        bounds = over.get("bounds") or {"low": over["difference"], "high": over["difference"]}
        over = {**over, "bounds": {"low": min([bounds["low"], *margins]), "high": bounds["high"]}}
    turned = why_turned(over, graded)
    return {**over, "why": turned} if turned else over


def _over_captain(source: Source, chosen: _Chosen, values: Mapping[str, Value], pooled: bool) -> Row | None:
    """Captain by captain on each question; several captains of one question are one pair, their mean.

    Only where captains lead: one that does no more than break ties has no errors that a team could fix. The adjusted p
    pays for all options that this one was chosen from.
    """
    side = chosen.side
    if any(cell["traits"].captain != "leads" for cell in side.cells):
        return None
    tables = {table.name: table for table in map(source.draft_table, side.cells)}
    by_table = {name: alone_by_player(source, table) for name, table in tables.items()}
    alone = [by_table[source.draft_table(cell).name].get(cell["captain"] or "", {}) for cell in side.cells]
    pairs: dict[str, list[tuple[Value, Value]]] = {}
    after = [side.values_of(cell) for cell in side.cells]
    for question in values:
        if all(question in own for own in alone):
            led = [own.get(question, UNPLAYED) for own in after]
            pairs[question] = list(zip(led, (own[question] for own in alone), strict=True))
    row = family_row(pairs, pooled=pooled)
    if not row["n"] and not known_pairs(pairs):
        return None
    return with_holm([row], family=len(chosen.paid) if row["p"] is not None else None)[0]


def _cost(source: Source, chosen: _Chosen, table: DraftTable | None, player: str | None) -> Row:
    """How many times the best single player's cost: in money, or in calls where money is nothing or not known.

    No ratio where nobody knows who that is (None).
    """
    team, calls = _mean(chosen.side.cost_usd, chosen.asked), _mean(chosen.side.calls, chosen.asked)
    if player is None or table is None:
        return {"cost_ratio": None, "cost_unit": "calls", "cost_usd": team, "calls": calls}
    one = native_cost(source, table, dict.fromkeys(sorted(chosen.side.calls), player))
    if team and one.cost_usd:
        return {"cost_ratio": team / one.cost_usd, "cost_unit": "usd", "cost_usd": team}
    ratio = calls / one.calls if calls is not None and one.calls else None
    return {"cost_ratio": ratio, "cost_unit": "calls", "cost_usd": team, "calls": calls}


def _mean(spent: Mapping[str, float] | None, asked: Sequence[str]) -> float | None:
    there = [spent[question] for question in asked if question in spent] if spent else []
    return _mean_of(there) if there else None


def _mean_of(values: Sequence[float]) -> float:
    return sum(values) / len(values)
