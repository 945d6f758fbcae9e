"""The hypotheses of an experiment and what its store says to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from moot.experiment.claims import ClaimError, Hypothesis, Number, Side, Term, cells_meant, parse
from moot.measures.claims.hypothesis import Judged, Ratio, judge, with_holm
from moot.measures.safety.figures import drafting, native_pairs
from moot.measures.safety.pairs import Pair
from moot.measures.sides import alone_by_player, best_alone, side_of, skyline_of
from moot.measures.source import Source, Stored, table_of
from moot.stats.estimates import Row
from moot.store.declarations import Declared


def hypotheses_figures(
    source: Source, cells: Sequence[Stored], declared: Sequence[Declared], also: Iterable[str] = ()
) -> list[Row]:
    """A row for each hypothesis that was declared or stands in the file now (`also`): those are exploratory."""
    known = {each.text: each for each in declared if each.kind == "hypothesis"}
    texts = list(dict.fromkeys([*known, *source.config.get("hypotheses", ()), *also]))
    judged = [_judged(source, cells, text) for text in texts]
    frozen = [text in known and known[text].frozen for text in texts]
    rows = with_holm(judged, frozen)
    return [
        {**row, "declared_at": known[text].declared_at if text in known else None}
        for row, text in zip(rows, texts, strict=True)
    ]


def _judged(source: Source, cells: Sequence[Stored], text: str) -> Judged:
    try:
        hypothesis = parse(text)
        known = {term: ratio_of(source, cells, term) for term in hypothesis.terms}
    except ClaimError as error:
        # It was declared for another plan under this name; that is said, and it stays open.
        unread = Hypothesis(text, Number(0.0), ">", Number(0.0))
        return Judged(unread, None, 0.0, None, None, 0, None, "none", True, str(error))
    return judge(hypothesis, known, seed=source.seed)


def ratio_of(source: Source, cells: Sequence[Stored], term: Term) -> Ratio | str:
    """One figure as sums over questions, or why there is none."""
    meant = _of_cohort(source, cells_meant(term.side, cells), term.side)
    if not meant:
        return f"cohort {term.side.cohort!r} has not played {term.side.strategy!r}"
    side = side_of(source, meant, str(term.side))
    if not side.right:
        return f"{term.side} has not been played yet"
    match term.function:
        case "accuracy":
            return Ratio(side.right, once=side.once)
        case "cost":
            return Ratio(side.cost_usd) if side.cost_usd is not None else f"the cost of {term.side} is unknown"
        case "skyline":
            repeated = int(source.config.get("repeats", 1)) > 1
            return Ratio(_skyline(source, cells, meant, term.side), once=not repeated)
        case "gap_closure":
            if term.side.cohort is not None:
                return _cohorts_gap(source, cells, meant, term.side.cohort)
            return _gap(source, cells, meant, side.right)
        case "net":
            changes = _changes(source, cells, meant)
            if isinstance(changes, str):
                return changes
            # A count, so the bottoms add up to 1.
            net = {question: rescues - regressions for question, (rescues, regressions) in changes.items()}
            return Ratio(net, dict.fromkeys(net, 1 / len(net)))
        case "safety_multiple":
            changes = _changes(source, cells, meant)
            if isinstance(changes, str):
                return changes
            rescues = {question: each[0] for question, each in changes.items()}
            return Ratio(rescues, {question: each[1] for question, each in changes.items()})


def _members(source: Source, cohort: str) -> set[str]:
    teams = source.config.get("teams", {}).values()
    return {name for team in teams for name in team.get("cohorts", {}).get(cohort, ())}


def _of_cohort(source: Source, meant: Sequence[Stored], side: Side) -> list[Stored]:
    """The cells of a cohort: its own table, its members alone, or a table led by one of them."""
    if side.cohort is None:
        return list(meant)
    members = _members(source, side.cohort)
    own = [cell for cell in meant if cell.get("cohort") == side.cohort]
    return own or [cell for cell in meant if (cell["player"] or cell["captain"]) in members]


def _alone(source: Source, cells: Sequence[Stored], meant: Sequence[Stored]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for cell in meant:
        if cell["player"] is None:
            found |= alone_by_player(source, table_of(cell), cells)
        else:
            found[cell["player"]] = dict(side_of(source, [cell], "solo").right)
    return found


def _skyline(source: Source, cells: Sequence[Stored], meant: Sequence[Stored], side: Side) -> dict[str, float]:
    alone = _alone(source, cells, meant)
    if side.cohort is not None:
        alone = {name: right for name, right in alone.items() if name in _members(source, side.cohort)}
    return skyline_of(alone)


def _gap(source: Source, cells: Sequence[Stored], meant: Sequence[Stored], right: Mapping[str, float]) -> Ratio | str:
    """From the best single player to the skyline, question by question."""
    alone = _alone(source, cells, meant)
    top, single = skyline_of(alone), best_alone(alone, seed=source.seed)
    if single is None:
        return "there is no best single player to start from"
    rises = {question: right.get(question, 0.0) - value for question, value in single.values.items()}
    return Ratio(rises, {question: top[question] - value for question, value in single.values.items()})


def _cohorts_gap(source: Source, cells: Sequence[Stored], meant: Sequence[Stored], cohort: str) -> Ratio | str:
    """From the best of this cohort alone to the best of the others: how far it comes when its members work together."""
    alone, members = _alone(source, cells, meant), _members(source, cohort)
    after = {str(cell["captain"]): side_of(source, [cell], "").right for cell in meant}
    own = best_alone({name: right for name, right in alone.items() if name in members}, seed=source.seed)
    others = _alone(source, cells, [cell for cell in cells if cell["player"] and cell["player"] not in members])
    stronger, together = best_alone(others, seed=source.seed), best_alone(after, seed=source.seed)
    if own is None or stronger is None or together is None:
        return f"the best of {cohort!r} or of the other cohorts alone is not known"
    common = own.values.keys() & stronger.values.keys() & together.values.keys()
    rises = {question: together.values[question] - own.values[question] for question in sorted(common)}
    gaps = {question: stronger.values[question] - own.values[question] for question in rises}
    if sum(gaps.values()) <= 1e-12:
        return "there is no gap: the other cohorts' best is no better alone"
    return Ratio(rises, gaps)


def _changes(source: Source, cells: Sequence[Stored], meant: Sequence[Stored]) -> dict[str, tuple[float, float]] | str:
    """Rescues and regressions of each question, over captains: counted as the safety figures count them.

    A captain who was never played alone is taken by its drafts.
    """
    alone = {(cell["player"], drafting(cell)): cell for cell in cells if cell["player"] is not None}
    found: dict[str, tuple[float, float]] = {}
    for cell in meant:
        captain = cell["captain"]
        if captain is None:
            return f"{cell['label']} has no captain to be compared with"
        native = alone.get((captain, drafting(cell)))
        pairs = native_pairs(source, cell, native) if native is not None else _drafted_pairs(source, cell)
        for question, (rescues, regressions) in _counted(pairs).items():
            before = found.get(question, (0.0, 0.0))
            found[question] = (before[0] + rescues, before[1] + regressions)
    return found or "no captain has played alone"


def _counted(pairs: Iterable[Pair]) -> dict[str, tuple[float, float]]:
    """A native answer that never came and is right after was recovered: no rescue."""
    found: dict[str, tuple[float, float]] = {}
    for pair in pairs:
        rescues, regressions = found.get(pair.question, (0.0, 0.0))
        change = (rescues + (pair.change == "rescue"), regressions + (pair.change == "regression"))
        found[pair.question] = change
    return found


def _drafted_pairs(source: Source, cell: Stored) -> Iterable[Pair]:
    """The captain's draft and its word afterwards, where nobody played alone."""
    captain, seen = cell["captain"], source.seen(cell)
    drafts = source.tables[table_of(cell)].drafts
    for after in seen:
        for draft in drafts.get(after.key, ()):
            if draft.player == captain:
                native = source.grade(source.cases[after.key[0]], draft.text)
                yield Pair(after.key[0], captain, native, after.right, draft.outcome, after.outcome)
