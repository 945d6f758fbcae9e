"""The verdict: which figure stands for the whole run, and what it may claim.

The headline is what the file declared as `primary`. Without one it is the option with the highest accuracy, said to be
chosen after the fact, and its intervals pay for the choice: see `moot.stats.choice`; so do they for what was played and is no
longer in the file: see `unlisted`. Everything in its sentence is against one baseline, the best single player on the questions
that the option has; "more" is more than each that ever answered. Who is ranked shares questions: `moot.stats.shared_questions`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from moot.experiment.side_names import ClaimError, SeveralTeams, is_meant, parse_side
from moot.measures.cells import Stored
from moot.measures.claims.cost_ratio import alone_cost, cost_row
from moot.measures.claims.cut_short import unclaimed, without_claims
from moot.measures.claims.nobody_right import nobody_right_row
from moot.measures.claims.over_captain import OverCaptain
from moot.measures.claims.over_singles import PlayedOption, best_of_singles, graded_table, nobody_is_best, over_best
from moot.measures.claims.plays_without import too_many_without
from moot.measures.claims.since_the_look import since_the_look
from moot.measures.claims.singles import singles_of
from moot.measures.claims.standing import WHY_NOT
from moot.measures.claims.unlisted import UnlistedOption, UnlistedOptions, choosable
from moot.measures.claims.unreached import (
    KEY,
    OVER,
    WhoByQuestion,
    may_be_best,
    turned_round,
    unreached_row,
    who_by_question,
    with_singles,
    withheld,
    without_over_best,
)
from moot.measures.claims.words import AFTER_THE_FACT, sentences, unreached_words
from moot.measures.points_words import IN_POINTS
from moot.measures.sides import SideResults, cells_named, highest, ranked, side_of, why_unplayed
from moot.measures.source import Source
from moot.stats.choice import chosen_interval
from moot.stats.clusters import units_of
from moot.stats.estimates import Row, estimate_row
from moot.stats.graded import (
    Value,
    accuracy_row,
    at_worst,
    bounds_row,
    fair,
    graded_estimate,
    known,
    why_none,
)
from moot.stats.shared_questions import SharedQuestions, shared_questions
from moot.store.declarations import Declared
from moot.types import Estimate


@dataclass(frozen=True, slots=True)
class _Chosen:
    """What the headline is about, and out of what it was chosen."""

    of: str
    how: str
    """``declared``, ``declared late``, ``after the fact``, or ``only`` where there was nothing to choose."""
    paid: Mapping[str, SideResults]
    """All options of the file that the claim pays for, the chosen one among them: it alone where it was declared beforehand."""
    unlisted: Sequence[UnlistedOption]
    """What was played on these questions and is not in the file: paid for like these."""
    asked: Sequence[str]
    """All questions of these."""
    standing: Row
    """On how many questions it is the highest, and who was not ranked: only where not all have the same. Of a primary that was
    changed since, in how many versions it was played before; whether questions were taken out after it was declared."""

    @property
    def side(self) -> SideResults:
        return self.paid[self.of]

    @property
    def place(self) -> int:
        return list(self.paid).index(self.of)

    @property
    def options(self) -> list[PlayedOption]:
        """All that is paid for; the file's own in front."""
        return [*self.paid.values(), *(() if self.how == "declared" else self.unlisted)]

    def values(self) -> Mapping[str, Value]:
        """What counts on each question that it has played."""
        return self.side.values(self.asked)


def headline_figures(
    source: Source,
    cells: Sequence[Stored],
    declared: Sequence[Declared],
    options: Mapping[str, SideResults],
) -> Row | None:
    """From the options that have been played; None where there are none."""
    unlisted = UnlistedOptions(source)
    try:
        chosen = _chosen(source, cells, declared, options, unlisted)
    except SeveralTeams as error:
        return _of_several_teams(source, cells, declared, options, unlisted, str(error))
    if chosen is None:
        return None
    values = chosen.values()
    row: Row = {
        "of": chosen.of,
        "chosen": chosen.how,
        "options": len(chosen.options),
        **({"unlisted": [option.row() for option in chosen.unlisted]} if chosen.unlisted else {}),
        **chosen.standing,
        **({"taken_out": unlisted.questions} if unlisted.questions else {}),
        **since_the_look(source),
        **_named(chosen, cells),
        **estimate_row(_paid_accuracy(chosen.options, chosen.place, chosen.asked, values, source.seed)),
        **_ungraded(chosen.side, values),
        **({"left_out": len(chosen.side.left_out)} if chosen.side.left_out else {}),
        "over_best_single": None,
        "over_captain": None,
        "cost_ratio": None,
        "cost_unit": None,
        "after_the_fact": _after_the_fact(source, cells, options, unlisted),
        "played_alone": any(cell["player"] for cell in cells),
        **({IN_POINTS: source.in_points} if source.in_points else {}),
    }
    without = who_by_question(source, chosen.side.cells, values)
    row |= unreached_row(source, without, len(values))
    if not any(cell["player"] for cell in chosen.side.cells) and row["value"] is not None:
        row |= _beside_players(source, cells, chosen, values, without)
    many = KEY in row and too_many_without(source, chosen.side.cells, values, counted=row["n"])
    row = withheld(row) if many else row
    if source.progress.missing:
        row["interim"] = source.progress._asdict()
    if source.cut_short:
        beside = {key: unclaimed(claim) for key in (*OVER, "after_the_fact") if (claim := row[key]) is not None}
        row |= {**beside, "low": None, "high": None, "cut_short": True}
    row |= nobody_right_row(source)
    differs = source.grades.grader_differs
    row["words"] = [*sentences(row), *([differs] if differs else ())]
    row["sentence"] = " ".join(row["words"])
    return row


def _paid_accuracy(
    paid: Sequence[PlayedOption], place: int, asked: Sequence[str], values: Mapping[str, Value], seed: int
) -> Estimate | None:
    """With the interval of its own row; of what was chosen out of several, one that pays for the choice.

    `paid`: all that it was chosen from, on the questions `asked`, and its place among them; `values`: its own.
    """
    usual = graded_estimate(values)
    if usual is None or len(paid) == 1:
        return usual
    table, clusters = graded_table(paid, asked), units_of(asked)
    return chosen_interval(table, place, usual, at_worst=at_worst(values), clusters=clusters, seed=seed)


def _ungraded(side: SideResults, values: Mapping[str, Value]) -> Row:
    """How many of its answers are not graded, of how many questions it played, and what it would be over all of them."""
    row = bounds_row(values.values())
    row |= {"ungraded": sum(side.ungraded.values()), "questions": len(values)} if row else {"ungraded": 0}
    return {**row, "why": why_none(values)} if values and not known(fair(values)) else row


def _chosen(
    source: Source,
    cells: Sequence[Stored],
    declared: Sequence[Declared],
    options: Mapping[str, SideResults],
    unlisted: UnlistedOptions,
) -> _Chosen | None:
    teams = {title: side for title, side in options.items() if not side.alone}
    pool = teams or dict(options)
    if (side := _primary(source, cells)) is not None:
        primary, asked = side.title, sorted(side.calls)
        beside = _alike(pool, unlisted.beside(side.cells))
        versions = _earlier_versions(source.config["primary"], beside)
        if (how := _how(declared, primary)) == "declared" and not versions and not unlisted.questions:
            return _Chosen(primary, how, {primary: side}, beside, asked, {})
        others = {title: option for title, option in pool.items() if option.cells != side.cells}
        changed = {"earlier_versions": len(versions)} if how == "declared" and versions else {}
        changed |= {"questions_chosen": True} if how == "declared" and unlisted.questions else {}
        return _Chosen(primary, "declared late", {primary: side, **others}, beside, asked, changed)
    together = ranked(pool)
    # Where no two can be ranked, one of them is told of as any other would be: it is the highest of nothing.
    top = together.names[0] if together.none_ranked else highest(pool)
    if top is None:
        return None
    paid = {title: pool[title] for title in together.names}
    beside = _alike(pool, unlisted.beside(choosable(cells)))
    played = [*(side.calls for side in paid.values()), *(option.played for option in beside)]
    asked = sorted({question for questions in played for question in questions})
    how = AFTER_THE_FACT if len(played) > 1 else "only"
    return _Chosen(top, how, paid, beside, asked, ranking_row(together) | _unmeasured(source, cells))


def _earlier_versions(primary: str, options: Sequence[UnlistedOption]) -> list[UnlistedOption]:
    """What went by the primary's name and was played, with another model, prompt or option: words alone freeze nothing."""
    side = parse_side(primary)
    return [option for option in options if is_meant(side, option.cell)]


def _alike(pool: Mapping[str, SideResults], options: Sequence[UnlistedOption]) -> list[UnlistedOption]:
    """Teams are chosen among teams, and players alone where the file has no team."""
    alone = all(side.alone for side in pool.values())
    return [option for option in options if option.alone == alone]


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
    except SeveralTeams:
        raise
    except ClaimError:  # of another plan under this name
        return None
    return side if side.calls or side.left_out else None


def _unmeasured(source: Source, cells: Sequence[Stored]) -> Row:
    """The primary of the file, where something else has to stand for the run, and why."""
    if not (primary := source.config.get("primary")):
        return {}
    try:
        why = why_unplayed(source, cells_named(primary, cells))
    except ClaimError:
        why = "nobody plays it here"
    return {"primary_unmeasured": {"of": primary, "why": why}}


def _of_several_teams(
    source: Source,
    cells: Sequence[Stored],
    declared: Sequence[Declared],
    options: Mapping[str, SideResults],
    unlisted: UnlistedOptions,
    why: str,
) -> Row:
    """Of a primary that several teams play, as files once could say it: none of them is told as all, nor their mean as one."""
    side = parse_side(source.config["primary"])
    meant = [cell for cell in cells if is_meant(side, cell)]
    row: Row = {
        "of": source.config["primary"],
        "chosen": _how(declared, source.config["primary"]),
        "options": 1,
        **{key: meant[0][key] for key in ("strategy", "label")},
        **dict.fromkeys(("team", "player", "captain")),
        "captains": 0,
        "alone": False,
        "led": any(cell["captain"] for cell in meant),
        "teams": _teams(cells),
        **estimate_row(None),
        "why": why,
        "ungraded": 0,
        **dict.fromkeys(("over_best_single", "over_captain", "cost_ratio", "cost_unit")),
        "after_the_fact": _after_the_fact(source, cells, options, unlisted),
        "played_alone": any(cell["player"] for cell in cells),
        **({IN_POINTS: source.in_points} if source.in_points else {}),
    }
    words = sentences(row)
    return {**row, "words": words, "sentence": " ".join(words)}


def _how(declared: Sequence[Declared], primary: str) -> str:
    """Whoever declares when answers are there already may have looked at them."""
    frozen = any(word.kind == "primary" and word.text == primary and word.frozen for word in declared)
    return "declared" if frozen else "declared late"


def _teams(cells: Iterable[Stored]) -> int:
    """How many the run has, so that the words can say which; of players alone, one."""
    return max(1, len({cell["team"] for cell in cells if cell["team"]}))


def _named(chosen: _Chosen, every: Sequence[Stored]) -> Row:
    """Who it is. All cells of a side are of one team."""
    cells = chosen.side.cells
    whose = {cell["player"] or cell["captain"] for cell in cells}
    cohorts = {"cohorts": len(cells)} if len(cells) > 1 and chosen.side.seats == "cohorts" else {}
    return {
        "strategy": cells[0]["strategy"],
        "label": cells[0]["label"],
        "team": cells[0]["team"],
        "player": cells[0]["player"] if len(cells) == 1 else None,
        "captain": cells[0]["captain"] if len(cells) == 1 else None,
        "captains": len(whose) if chosen.side.alone is False else 0,
        "alone": chosen.side.alone,
        "led": any(cell["captain"] for side in chosen.paid.values() for cell in side.cells),
        "teams": _teams(every),
        **cohorts,
    }


def _after_the_fact(
    source: Source, cells: Sequence[Stored], options: Mapping[str, SideResults], unlisted: UnlistedOptions
) -> Row | None:
    """The highest of all rows, on the questions that it is the highest on: what a careless report would print first. Its
    interval pays for the choice among all that are ranked, which are more than the teams that a headline is chosen from."""
    top, together = highest(options), ranked(options)
    if top is None or len(options) < 2:
        return None
    values = options[top].values(together.questions)
    paid: list[PlayedOption] = [options[title] for title in together.names]
    paid += unlisted.beside(choosable(cells))
    place = together.names.index(top)
    row = accuracy_row(values) | estimate_row(_paid_accuracy(paid, place, together.questions, values, source.seed))
    many = too_many_without(source, options[top].cells, values, counted=row["n"])
    row = without_claims(row) if many else row
    if "ungraded" in row:  # answers, as the headline counts them
        row["ungraded"] = sum(options[top].ungraded.get(question, 0) for question in values)
    return {"of": top, **row, **ranking_row(together), "note": "chosen after the fact"}


def _beside_players(
    source: Source,
    cells: Sequence[Stored],
    chosen: _Chosen,
    values: Mapping[str, Value],
    without: WhoByQuestion,
) -> Row:
    """Against the best single player, against the captain alone, and what it cost beside them. `without`: who could not be
    reached when it was played."""
    pooled = int(source.config.get("repeats", 1)) > 1 or not chosen.side.once
    every = singles = singles_of(source, [chosen.side] if chosen.how == "declared" else list(chosen.paid.values()))
    missing = every.may_come()
    row = unreached_row(source, with_singles(without, missing, every.players, values), len(values))
    captain = OverCaptain(source, chosen.side, values, pooled, len(chosen.options))
    row["over_captain"] = captain.row_unless_turned(unreached_words(row[KEY]) if row else WHY_NOT)
    if silent := every.never_answered(values.keys()):
        singles = every.without(silent)
        row["never_answered"] = silent
    equals = best_of_singles(singles.values, list(values))
    # Of players that are equally good the cheapest is the one to be held against.
    single = min(equals, key=lambda name: alone_cost(source, chosen.side, singles, name).dearness, default=None)
    if single is None and shared_questions(singles.values, list(values)).none_ranked:
        nobody = nobody_is_best(singles.values, values, len(chosen.options))
        return {**row, "over_best_single": nobody, **cost_row(source, chosen.side, chosen.asked, singles, None)}
    if single is None:
        return row
    over = over_best(chosen.options, chosen.place, singles.values, single, values, pooled=pooled, seed=source.seed)
    if over is None:
        return row
    known = over["single"] is not None
    cost = cost_row(source, chosen.side, chosen.asked, singles, single if known else None)
    row |= {"over_best_single": over, **cost}
    turned = turned_round(
        over, chosen.options, chosen.place, every.values, missing, values, without, pooled=pooled, seed=source.seed
    )
    return without_over_best(row) if turned or may_be_best(every.values, missing, single, values) else row
