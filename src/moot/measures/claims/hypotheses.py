"""The hypotheses of an experiment and what its store says to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from moot.experiment.claims import Hypothesis, Number, Term, parse
from moot.experiment.side_names import ClaimError, SideName, cells_meant
from moot.measures.cells import Stored
from moot.measures.claims.figure import Ends, Ratio
from moot.measures.claims.hypothesis import Judged, judge, with_holm
from moot.measures.claims.side_cells import cells_of_side, members
from moot.measures.claims.since_the_look import since_the_look
from moot.measures.claims.unlisted import UnlistedOptions
from moot.measures.question_costs import too_many_lack
from moot.measures.quiz.played import Played, solos, split
from moot.measures.quiz.plays import alone_plays, plays_of
from moot.measures.quiz.skyline import best_single, top_by_question
from moot.measures.safety.by_model import by_model
from moot.measures.safety.gap import NO_GAP, cohort_gap
from moot.measures.safety.multiple import RatioCounts
from moot.measures.safety.pairs import (
    REGRESSIONS,
    RESCUES,
    Pair,
    graded,
    of_every,
    questions_left_out,
    uncounted,
    why_unfair_changes,
)
from moot.measures.safety.pairs import split as split_pairs
from moot.measures.safety.rescues import MULTIPLE, ends_of, safety
from moot.measures.safety.stages import led_cells, native_pairs
from moot.measures.sides import SideResults, side_of, why_unplayed
from moot.measures.source import Source
from moot.stats.closure import Side, only
from moot.stats.estimates import Row
from moot.stats.graded import (
    Value,
    closure_bounds,
    completed,
    known,
    total_of,
    why_never_came,
    why_unfair_together,
    why_unknown,
)
from moot.store.declarations import Declared


def hypotheses_figures(
    source: Source, cells: Sequence[Stored], declared: Sequence[Declared], also: Iterable[str] = ()
) -> list[Row]:
    """A row for each hypothesis that was declared or stands in the file now (`also`): those are exploratory. So is one that
    was declared beforehand where what it names was played and then changed, or questions were taken out since: words
    alone freeze nothing."""
    written = {declaration.text: declaration for declaration in declared if declaration.kind == "hypothesis"}
    texts = list(dict.fromkeys([*written, *source.config.get("hypotheses", ()), *also]))
    judged = [_judged(source, cells, text) for text in texts]
    early = [text in written and written[text].frozen for text in texts]
    unlisted = UnlistedOptions(source)
    versions = [
        _earlier_versions(cells, text, unlisted) if frozen else 0 for text, frozen in zip(texts, early, strict=True)
    ]
    taken_out = unlisted.questions
    frozen = [beforehand and not earlier and not taken_out for beforehand, earlier in zip(early, versions, strict=True)]
    rows, looked = with_holm(judged, frozen, versions), since_the_look(source) if texts else {}
    return [
        {
            **row,
            **({"earlier_versions": earlier} if earlier else {}),
            **({"taken_out": taken_out} if beforehand and taken_out else {}),
            **looked,
            "declared_at": written[text].declared_at if text in written else None,
        }
        for row, text, beforehand, earlier in zip(rows, texts, early, versions, strict=True)
    ]


def _earlier_versions(cells: Sequence[Stored], text: str, unlisted: UnlistedOptions) -> int:
    """In how many other versions what it names was played."""
    try:
        sides = list(dict.fromkeys(term.side for term in parse(text).terms))
        chosen = {cell["id"]: cast(Stored, cell) for side in sides for cell in cells_meant(side, cells)}
    except ClaimError:
        return 0
    return unlisted.earlier_versions(sides, list(chosen.values()))


def _judged(source: Source, cells: Sequence[Stored], text: str) -> Judged:
    try:
        hypothesis = parse(text)
        ratios = {term: ratio_of(source, cells, term) for term in hypothesis.terms}
    except ClaimError as error:
        # It was declared for another plan under this name; that is said, and it stays open.
        unread = Hypothesis(text, Number(0.0), ">", Number(0.0))
        return Judged(unread, None, 0.0, None, None, 0, None, "none", True, str(error))
    return judge(hypothesis, ratios, seed=source.seed)


def ratio_of(source: Source, cells: Sequence[Stored], term: Term) -> Ratio | str:
    """One figure as sums over questions, or why there is none."""
    meant = cells_of_side(source, cells, term.side)
    if isinstance(meant, str):
        return meant
    if not meant:
        return f"cohort {term.side.cohort!r} has not played {term.side.strategy!r}"
    side = side_of(source, meant, str(term.side))
    if not side.calls and side.left_out and term.function in ("accuracy", "cost", "gap_closure"):
        return f"no question of {term.side} has been played by all {len(side.cells)} {side.seats}"
    if not side.calls and not side.left_out:
        return f"{term.side}: {why_unplayed(source, side.cells)}"
    if not side.right and term.function in ("accuracy", "gap_closure"):
        return f"no answer of {term.side} is graded"
    match term.function:
        case "accuracy":
            values = side.values(side.calls).values()
            why = why_never_came(values) or why_unknown(values)
            share = Ratio(side.right, once=side.once, open=side.open, side=side, why=why, left_out=side.left_out)
            return replace(share, **_ends(side.values(side.calls)))
        case "cost":
            if side.cost_usd is None:
                return f"the cost of {term.side} is unknown"
            if not side.whole_usd:
                return too_many_lack(f"plays of {term.side}")
            return Ratio(side.whole_usd, left_out=side.left_out)
        case "skyline":
            repeated = int(source.config.get("repeats", 1)) > 1
            alone = _alone(source, cells, meant, members(source, term.side.cohort, meant))
            top = top_by_question(alone)
            left_out = frozenset(play.question for play in alone) - top.keys()
            if not top and left_out:
                return f"no question of {term.side} has been played by all players"
            unknown = {question: value for question, value in top.items() if value.open}
            why = why_unknown(top.values())
            return Ratio(known(top), once=not repeated, open=unknown, why=why, left_out=left_out, **_ends(top))
        case "gap_closure":
            if term.side.cohort is not None:
                return _cohorts_gap(source, cells, meant, term.side)
            return _gap(source, cells, meant, side)
        case "net" | "safety_multiple" if source.in_points:
            raise ClaimError(f"{term.function} counts what turned from wrong to right, and these answers have points")
        case "net":
            changes = _changes(source, meant, term.side)
            if isinstance(changes, str):
                return changes
            # A count, so the bottoms add up to 1.
            net = {question: rescues - regressions for question, (rescues, regressions) in changes.counts.items()}
            bottoms = dict.fromkeys(net, 1 / max(1, len(net)))
            why, left_out = changes.why_no_net, changes.left_out
            return Ratio(net, bottoms, turns=changes.turns, most=changes.most, why=why, left_out=left_out)
        case "safety_multiple":
            changes = _changes(source, meant, term.side)
            if isinstance(changes, str):
                return changes
            rescues = {question: change[0] for question, change in changes.counts.items()}
            regressions = {question: change[1] for question, change in changes.counts.items()}
            waits = {pair.question for pair in changes.pairs if not pair.graded and pair.waits}
            why, ends = changes.why_no_multiple, changes.ends if waits else None
            multiple = Ratio(rescues, regressions, turns=changes.turns, why=why, ends=ends, waiting=len(waits))
            return replace(multiple, left_out=changes.left_out)


def _ends(values: Mapping[str, Value]) -> Ends:
    """Of a share: were all wrong that waits, and right; nothing where none waits."""
    waiting = sum(value.waiting > 0 for value in values.values())
    if not waiting:
        return {}
    return {"worst": completed(values, best=False), "best": completed(values, best=True), "waiting": waiting}


def _alone(
    source: Source, cells: Sequence[Stored], meant: Sequence[Stored], members: Collection[str] | None = None
) -> list[Played]:
    """What the players of these cells did by themselves, each once; of a cohort, what its members did."""
    plays_by_player: dict[str | None, list[Played]] = {}
    for cell in meant:
        plays = plays_of(source, source.draft_table(cell)) if cell["player"] is None else alone_plays(source, cell)
        plays_by_player |= split(solos(plays), lambda play: play.player)
    return [play for player, plays in plays_by_player.items() if members is None or player in members for play in plays]


def _gap(source: Source, cells: Sequence[Stored], meant: Sequence[Stored], side: SideResults) -> Ratio | str:
    """From the best single player to the skyline, question by question, where all three are graded."""
    alone = _alone(source, cells, meant)
    tops, single = top_by_question(alone), best_single(alone, seed=source.seed)
    if single.player is None:
        return "there is no best single player to start from"
    if single.not_ranked is not None:
        return f"who is the best single player is not known: {single.not_ranked}"
    if single.rivals:  # whatever waits for a grade may make another the start, and the bounds would be of the wrong way
        return f"{', '.join(single.rivals)} could be the best single player"
    triples = {
        question: (side.value(question), start, tops[question])
        for question, start in single.values.items()
        if question in tops and question in side.calls
    }
    reached = known({question: triple[0] for question, triple in triples.items()})
    left_out = side.left_out | (frozenset(play.question for play in alone) - tops.keys())
    return replace(_closure(triples, (only(reached), single.side, only(known(tops)))), left_out=left_out)


def _closure(questions: Mapping[str, tuple[Value, Value, Value]], best_of: tuple[Side, Side, Side]) -> Ratio:
    """By question how far it came, where it started and how far it could come; over those of which all are graded."""
    rises: dict[str, float] = {}
    ways: dict[str, float] = {}
    for question, (reached, start, top) in questions.items():
        if reached.known is not None and start.known is not None and top.known is not None:
            rises[question] = reached.known - start.known
            ways[question] = top.known - start.known
    unsettled = {question: triple[0] for question, triple in questions.items() if any(value.open for value in triple)}
    bounds = closure_bounds(*map(total_of, zip(*questions.values(), strict=True))) if unsettled else None
    why = why_unfair_together(list(questions.values()))
    waiting = sum(any(value.waiting for value in triple) for triple in questions.values())
    return Ratio(rises, ways, open=unsettled, bounds=bounds, best_of=best_of, why=why, waiting=waiting)


def _cohorts_gap(source: Source, cells: Sequence[Stored], meant: Sequence[Stored], side: SideName) -> Ratio | str:
    """From the best of this cohort alone to the best of the others: as the report's own row has it, from the same answers.

    What somebody said alone is what it said alone for this strategy: in which other ways it was asked alone is no matter.
    """
    same = [cell for cell in led_cells(cells) if all(cell[key] == meant[0][key] for key in ("team", "label"))]
    pairs = [pair for cell in same for pair in native_pairs(source, cell)]
    captains = {cell["captain"] for cell in meant}
    own = [pair for pair in pairs if pair.cohort == side.cohort and pair.model in captains]
    others = [pair for pair in pairs if pair.cohort not in (None, side.cohort)]
    if not own or not others:
        return f"{side.cohort!r} and another cohort have not both played {side.strategy}"
    gap = cohort_gap(by_model(own, "native_value"), by_model(own, "after_value"), by_model(others, "native_value"))
    if isinstance(gap, str):
        return gap
    if gap.not_ranked is not None:
        return f"who is the best is not known: {gap.not_ranked}"
    if gap.is_none:
        return NO_GAP
    left_out = frozenset(pair.question for pair in (*own, *others)) - gap.triples.keys()
    rises, ways = ({question: row[place] for question, row in gap.rows.items()} for place in (0, 1))
    return Ratio(
        rises,
        ways,
        open=gap.open,
        bounds=gap.bounds,
        best_of=gap.sides,
        why=gap.why,
        waiting=gap.waiting,
        left_out=left_out,
    )


@dataclass(frozen=True, slots=True)
class _Changes:
    """Rescues and regressions by question: of the graded pairs, and what the ungraded ones could add."""

    counts: dict[str, tuple[float, float]] = field(default_factory=dict)
    turns: dict[str, tuple[float, float]] = field(default_factory=dict)
    pairs: list[Pair] = field(default_factory=list)
    left_out: frozenset[str] = frozenset()
    """Questions that only some of the captains have."""

    @property
    def why_no_net(self) -> str | None:
        """A count is not known while any pair waits for its grade, or has an answer that nobody waited for."""
        return why_unfair_changes(self.pairs) or next(iter(uncounted(self.pairs)), None)

    @property
    def ends(self) -> tuple[RatioCounts, RatioCounts]:
        """Of the multiple, with all that waits at its worst and at its best."""
        parts = split_pairs(graded(self.pairs), lambda pair: pair.question)
        by_question = {question: Counter(pair.change for pair in part) for question, part in parts.items()}
        waiting = [pair for pair in self.pairs if not pair.graded and pair.waits]
        _, worst, best = ends_of(MULTIPLE, by_question, waiting)
        return worst, best

    @property
    def why_no_multiple(self) -> str | None:
        return safety(self.pairs).why_not(MULTIPLE)

    @property
    def most(self) -> float:
        """How many pairs a question has at the most: captains, by repeats."""
        return float(max(Counter(pair.question for pair in self.pairs).values()))

    def add(self, pair: Pair) -> None:
        """A native answer that never came and is right after was recovered: no rescue."""
        self.pairs.append(pair)
        if pair.graded:
            rescues, regressions = self.counts.get(pair.question, (0.0, 0.0))
            change = (rescues + (pair.change in RESCUES), regressions + (pair.change in REGRESSIONS))
            self.counts[pair.question] = change
            return
        more_rescues, more_regressions = self.turns.get(pair.question, (0.0, 0.0))
        possible = pair.possible
        self.turns[pair.question] = (
            more_rescues + (not RESCUES.isdisjoint(possible)),
            more_regressions + (not REGRESSIONS.isdisjoint(possible)),
        )


def _changes(source: Source, meant: Sequence[Stored], side: SideName) -> _Changes | str:
    """Rescues and regressions of each question, over captains: counted as the safety figures count them, over the plays
    that all of them have.

    A captain who was never played alone is taken by its drafts.
    """
    if without := next((cell for cell in meant if cell["captain"] is None), None):
        return f"{without['label']} has no captain to be compared with"
    own = [list(native_pairs(source, cell)) for cell in meant]
    begun = [pairs for cell, pairs in zip(meant, own, strict=True) if pairs or not source.seen(cell)]
    every = [pair for pairs in own for pair in pairs]
    if not every:
        return "no captain has played alone"
    level = of_every(begun)
    if not level:
        return f"no question of {side} has been played by all {len(begun)} captains"
    changes = _Changes(left_out=questions_left_out(every, level))
    for pair in level:
        changes.add(pair)
    return changes
