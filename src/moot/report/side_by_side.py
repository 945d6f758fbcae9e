"""Two runs beside each other: what both played, on the questions that both have, pair by pair.

The same is a strategy with its options, under the same captain, at a table of the same players: a team's name is not
enough for that, and one more team in a file does not make it another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import orjson

from moot.grade.grading import GradedBy
from moot.measures.cells import Stored
from moot.measures.claims.cut_short import without_claims
from moot.measures.claims.plays_without import PlayOfQuestion, lacking, plays_of, too_many_of
from moot.measures.claims.standing import stands
from moot.measures.columns import abstained_words, paired_columns, paired_words, ungraded_columns, with_bounds
from moot.measures.learnt_in_run import learnt_names, with_learnt_words
from moot.measures.missing_words import missing_words, way_out
from moot.measures.played_again import played_again
from moot.measures.section import Column, Section
from moot.measures.sides import SideResults, sides
from moot.measures.source import Source
from moot.measures.unlisted_rows import NO_OPTIONS, OptionsPlayed, options_played
from moot.stats.clusters import clustered, joined
from moot.stats.counted_words import count
from moot.stats.estimates import Row, with_holm
from moot.stats.graded import Value
from moot.stats.graded_pairs import apart_row, family_row


class SameInBoth(NamedTuple):
    """What has to be the same in both runs."""

    label: str
    who: str | None
    """The captain, or who plays alone."""
    cohort: str | None = None
    players: tuple[str, ...] = ()
    """Who sits at the table, in the order of their names; nobody where somebody plays alone."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run's figures, and what each of its options got right, by question."""

    figures: Mapping[str, Any]
    right: Mapping[str, Mapping[str, float]]
    """Over what is graded."""
    means: frozenset[str] = frozenset()
    """The options whose values are means over captains or repeats."""
    open: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    """Questions of which there is more to know than a mark, such as that something is ungraded: mostly none."""
    clusters: Mapping[str, str] = field(default_factory=dict)
    """By question: what it hangs together with."""
    same: Mapping[str, SameInBoth] = field(default_factory=dict)
    """By option; one without goes by its title."""
    teams: Mapping[str, str | None] = field(default_factory=dict)
    """By option: of several teams with the same players the one of the same name is the same."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """By question: the case, which is the question with all that shapes its grade."""
    graded_by: tuple[str, ...] = ()
    """The grader and the judges, by name."""
    cut_short: bool = False
    """Whether what takes longest is missing of it, so that nothing may be claimed."""
    options: OptionsPlayed = NO_OPTIONS
    """Who was played, in its file or not."""
    plays: Mapping[str, Sequence[PlayOfQuestion]] = field(default_factory=dict)
    """By option."""
    again: Run | None = None
    """The same where plays without somebody may come to anything; None where everybody was reached."""

    def too_many_without(self, title: str, asked: Collection[str], counted: int) -> bool:
        """Whether too many plays of an option on these questions, `counted` of which a figure is of, went on without somebody
        who could not be reached."""
        plays = [play for play in self.plays.get(title, ()) if play.question in asked]
        return lacking(plays) or too_many_of(plays, counted)

    def same_in_both(self, title: str) -> SameInBoth:
        return self.same.get(title, SameInBoth(title, None))

    def values(self, title: str) -> dict[str, Value]:
        graded = {question: Value(right, right, right) for question, right in self.right[title].items()}
        # Two runs may have different judges: equal words need not have equal grades.
        return {
            **graded,
            **{question: value._replace(words=()) for question, value in self.open.get(title, {}).items()},
        }


def run_of(
    figures: Mapping[str, Any],
    played: Mapping[str, SideResults],
    clusters: Mapping[str, str] | None = None,
    keys: Mapping[str, str] | None = None,
    graded_by: tuple[str, ...] = (),
    *,
    cut_short: bool = False,
    options: OptionsPlayed = NO_OPTIONS,
    plays: Mapping[str, Sequence[PlayOfQuestion]] | None = None,
    again: Run | None = None,
) -> Run:
    return Run(
        figures,
        {title: side.right for title, side in played.items()},
        frozenset(title for title, side in played.items() if not side.once),
        {title: side.counted for title, side in played.items() if side.counted},
        clusters or {},
        {title: _same_in_both(side.first) for title, side in played.items()},
        {title: side.first["team"] for title, side in played.items()},
        keys or {},
        graded_by,
        cut_short,
        options,
        plays or {},
        again,
    )


def run_with_pairs(figures: Mapping[str, Any], source: Source) -> Run:
    """With all that another run is held against, question by question."""
    options = sides(source, source.cells)
    open_source = played_again(source)
    return run_of(
        figures,
        options,
        source.clusters,
        {question: case.digest for question, case in source.cases.items()},
        graders_of(source.config),
        cut_short=source.cut_short,
        options=options_played(source),
        plays={
            title: [play for cell in side.cells for play in plays_of(source, cell)] for title, side in options.items()
        },
        again=run_of(figures, sides(open_source, source.cells)) if open_source is not None else None,
    )


def graders_of(config: Mapping[str, Any]) -> tuple[str, ...]:
    """Who graded a run, as its file had it: two of one name may be two models."""
    by, models = GradedBy.of(config), config.get("models", {})
    described = [f"{name} ({model})" if (model := models.get(name, {}).get("model")) else name for name in by.judges]
    return (by.grader, *described)


def _same_in_both(cell: Stored) -> SameInBoth:
    if cell["player"]:
        return SameInBoth(cell["label"], cell["player"])
    players = sorted(player["name"] for player in orjson.loads(cell["spec"])["players"])
    return SameInBoth(cell["label"], cell["captain"], cell.get("cohort"), tuple(players))


def side_by_side(first: Run, second: Run) -> Row:
    """``{"runs": [...], "common_questions": n, "comparisons": [...], "unmatched": [...]}``: the second against the first."""
    asked = first.clusters.keys() | second.clusters.keys()
    named = {q: [run.clusters[q] for run in (first, second) if q in run.clusters] for q in asked}
    with clustered(joined(named)):
        return _side_by_side(first, second)


def _side_by_side(first: Run, second: Run) -> Row:
    asked = _questions(first) & _questions(second)
    # Another key, another grade of the same words: that is no difference between the runs.
    common = {question for question in asked if first.keys.get(question) == second.keys.get(question)}
    matched = _matched(first, second)
    rows: list[Row] = []
    rows_again: list[Row] = []
    without: set[str] = set()
    unmatched: list[Row] = [
        {"of": title, "run": _name(run, place), "why": NOT_IN_THE_OTHER}
        for place, run in enumerate((first, second))
        for title in run.right
        if title not in {pair[place] for pair in matched}
    ]
    for one, other in matched:
        before, after = first.values(one), second.values(other)
        both = sorted(before.keys() & after.keys() & common)
        of = max(one, other, key=len)  # with its team, where one of the runs has several
        if not both:
            unmatched.append({"of": of, "run": None, "why": "it has no question with one key in both runs"})
            continue
        pairs = {question: [(after[question], before[question])] for question in both}
        pooled = one in first.means or other in second.means
        row = apart_row(pairs, pooled=pooled)
        named = {"of": of, "a": _name(second, 1), "b": _name(first, 0)}
        rows.append({**named, **row})
        rows_again.append({**named, **_again(first, second, (one, other), both, pooled=pooled)})
        sides = ((first, one), (second, other))
        without |= {of} if any(run.too_many_without(title, both, row["n"]) for run, title in sides) else set()
    cut_short = [_name(run, place) for place, run in enumerate((first, second)) if run.cut_short]
    gone = _gone(first.options, second.options)
    rows = with_holm(rows, beside=gone)
    if first.again or second.again:
        told = zip(rows, with_holm(rows_again, beside=gone), strict=True)
        turned = {row["of"] for row, other in told if not stands(row, other)}
        without |= turned
    return {
        "runs": [dict(first.figures), dict(second.figures)],
        "common_questions": len(common),
        **({"other_keys": len(asked) - len(common)} if len(asked) > len(common) else {}),
        **(
            {"graded_by": [list(first.graded_by), list(second.graded_by)]}
            if first.graded_by != second.graded_by
            else {}
        ),
        "comparisons": [without_claims(row) if cut_short or row["of"] in without else row for row in rows],
        **({"cut_short": cut_short} if cut_short else {}),
        **({"unreached": sorted(without)} if without else {}),
        **({"unmatched": unmatched} if unmatched else {}),
    }


def _again(first: Run, second: Run, titles: tuple[str, str], asked: Sequence[str], *, pooled: bool) -> Row:
    """The second against the first where plays without somebody may come to anything."""
    before, after = ((run.again or run).values(title) for run, title in zip((first, second), titles, strict=True))
    return family_row({question: [(after[question], before[question])] for question in asked}, pooled=pooled)


NOT_IN_THE_OTHER = "the other run has no such strategy with this captain and these players"


def _gone(first: OptionsPlayed, second: OptionsPlayed) -> int:
    """How many rows more there were at the most before options were taken out of either file, which are in none of the two."""
    listed = first.listed | second.listed
    of_run = [
        Counter(_same_in_both(cell) for identity, cell in run.unlisted.items() if identity not in listed)
        for run in (first, second)
    ]
    return (of_run[0] | of_run[1]).total()  # of one name in both runs two are one row


def _matched(first: Run, second: Run) -> list[tuple[str, str]]:
    """The titles of what is the same in both. Where several teams are, those of one name; the only one of each is one pair."""
    pairs: list[tuple[str, str]] = []
    for same in dict.fromkeys(first.same_in_both(title) for title in first.right):
        ours, theirs = ([title for title in run.right if run.same_in_both(title) == same] for run in (first, second))
        if len(ours) == len(theirs) == 1:
            pairs.append((ours[0], theirs[0]))
            continue
        named = {second.teams.get(title): title for title in theirs}
        pairs += [(title, named[team]) for title in ours if (team := first.teams.get(title)) in named]
    return pairs


def _questions(run: Run) -> set[str]:
    return {question for title in run.right for question in run.values(title)}


def _name(run: Run, place: int) -> str:
    return f"{run.figures['experiment']} ({('first', 'second')[place]})"


def side_by_side_sections(comparison: Mapping[str, Any], *, named: bool = True) -> list[Section]:
    """`named`: whoever has no partner is named; else they are counted."""
    rows = [with_bounds(row) for row in comparison["comparisons"]]
    first, second = (run["experiment"] for run in comparison["runs"])
    sentence = (
        f"{second} (second) less {first} (first), on the {comparison['common_questions']} questions that both have."
    )
    if not rows:
        sentence = f"{first} and {second} have no strategy with questions in common: there is nothing to compare."
    cut = [f"Nothing is claimed of a run that was cut short: {name}." for name in comparison.get("cut_short", ())]
    if without := comparison.get("unreached"):
        rows_without = [row for run in comparison["runs"] for row in run.get("unreached", ())]
        who, recorded = ({name for row in rows_without for name in row.get(key, ())} for key in ("who", "unrecorded"))
        again = way_out(who, recorded, "moot run asks them again")
        cut.append(f"Nothing is claimed where {missing_words(who, recorded)} ({', '.join(without)}): {again}.")
    words = (
        *cut,
        sentence,
        *_graded_otherwise(comparison),
        *(paired_words(rows) if rows else ()),
        *abstained_words({**row, "a": f"{row['of']} ({row['a']})", "b": f"it ({row['b']})"} for row in rows),
        *(_unmatched_words if named else _unmatched_counts)(comparison.get("unmatched", ())),
    )
    columns = (*paired_columns(Column("of", "who")), *ungraded_columns(rows))
    section = Section("side-by-side", "Second run against the first", words, columns, rows)
    return [with_learnt_words(section, learnt_names(*comparison["runs"]))]


def _graded_otherwise(comparison: Mapping[str, Any]) -> Iterator[str]:
    """What makes a difference between grades and not between answers."""
    if other_keys := comparison.get("other_keys"):
        several = count(other_keys, "question has", "questions have")
        yield f"{several} another reference answer in the second run, and {'is' if other_keys == 1 else 'are'} left out."
    if graded_by := comparison.get("graded_by"):
        first, second = (", ".join(names) for names in graded_by)
        yield f"Graded by {first} in the first run and by {second} in the second: a difference may be one between these."


def _unmatched_words(unmatched: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    by_run: dict[tuple[str | None, str], list[str]] = {}
    for row in unmatched:
        by_run.setdefault((row["run"], row["why"]), []).append(row["of"])
    for (run, why), titles in by_run.items():
        yield f"Not compared{f', of {run}' if run else ''}: {', '.join(titles)} ({why})."


def _unmatched_counts(unmatched: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    by_run = Counter(row["run"] for row in unmatched)
    for run, times in by_run.items():
        where = f" of {run}" if run else ""
        have = f"row{where} has" if times == 1 else f"rows{where} have"
        why = "no partner in the other" if run else "no question with one key in both runs"
        yield f"{times:,} {have} {why} (--all)."
