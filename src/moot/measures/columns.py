"""What sections are made of: columns and sentences that several of them share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from moot.experiment.side_names import several_teams as several_teams
from moot.experiment.side_names import side_of_row
from moot.measures.numbers import plain
from moot.measures.section import Column, Unit
from moot.stats.counted_words import count as count
from moot.stats.counted_words import few_names
from moot.stats.graded import FEW_WAITING
from moot.stats.paired import FEW_DISCORDANT, FEW_QUESTIONS

Figures = Mapping[str, Any]
Row = dict[str, Any]


def figure(key: str, title: str, unit: Unit = "share", low: str = "low", high: str = "high") -> Column:
    return Column(key, title, unit, low, high)


def who(row: Mapping[str, Any]) -> str | None:
    return row.get("player") or row.get("captain")


def at_table(row: Mapping[str, Any], *, team: bool = False) -> str:
    """Whose row it is: a player's or captain's, else a cohort's or team's. `team`: that is told beside it."""
    return who(row) or row.get("cohort") or ("" if team else row.get("team")) or ""


def titled(row: Mapping[str, Any], *, team: bool = False) -> str:
    """``talkative@ann``; a row of one cohort has its name behind it. `team`: the team's stands before it."""
    return str(side_of_row(row, team=team))


def names_teams(figures: Figures, rows: Iterable[Mapping[str, Any]] | None = None) -> bool:
    """Whether a reader has to be told of which team a row is: wherever the run has several, and not only these rows.

    A team that stands alone in a table is not the only one that could. `rows`: those of one table, which may also be of
    several tables of one team.
    """
    every = list(figures.get("accuracy", ()))
    if rows is None:
        return several_teams(every)
    shown = list(rows)
    return several_teams(shown) or (several_teams(every) and any(row.get("team") for row in shown))


def with_team(figures: Figures, rows: Sequence[Mapping[str, Any]], *columns: Column) -> tuple[Column, ...]:
    """The team's name stands in a column of its own only where there are several."""
    return (Column("team", "team"), *columns) if names_teams(figures, rows) else columns


def cohort_column(rows: Iterable[Mapping[str, Any]]) -> tuple[Column, ...]:
    """Only where there are cohorts."""
    return (Column("cohort", "cohort"),) if any(row.get("cohort") for row in rows) else ()


def paired_columns(*named: Column) -> tuple[Column, ...]:
    return (
        *named,
        figure("difference", "difference", "points", "low_holm", "high_holm"),
        Column("rescues", "better"),
        Column("regressions", "worse"),
        Column("p_holm", "p", "p"),
        Column("n", "questions"),
        Column("small", "small"),
    )


def ungraded_columns(rows: Iterable[Mapping[str, Any]]) -> tuple[Column, ...]:
    """The bounds of a difference, only where something is ungraded."""
    if not any(row.get("bounds") for row in rows):
        return ()
    return (Column("least", "at least", "points"), Column("most", "at most", "points"))


def with_bounds(row: Mapping[str, Any]) -> Row:
    """The bounds of a row as two figures of their own."""
    if not (bounds := row.get("bounds")):
        return dict(row)
    return {**row, "least": bounds["low"], "most": bounds["high"]}


def share_bounds(rows: Iterable[Mapping[str, Any]]) -> tuple[Column, ...]:
    """The bounds of a share, only where something is ungraded."""
    if not any(row.get("bounds") for row in rows):
        return ()
    return (Column("least", "at least", "share"), Column("most", "at most", "share"))


GRADED_SHARES = (
    "Right over what is graded; at least and at most are over all, with every ungraded answer counted as wrong,"
    " and as right."
)


def graded_words(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """What to know of shares where answers are ungraded."""
    every = list(rows)
    return [GRADED_SHARES, *unknown_words(every)] if any(row.get("bounds") for row in every) else unknown_words(every)


def unknown_words(rows: Iterable[Mapping[str, Any]], *keys: str) -> list[str]:
    """Why some rows have no figure. `keys`: where it stands."""
    named = keys or ("value", "accuracy")
    whys = [row["why"] for row in rows if row.get("why") and any(key in row and row[key] is None for key in named)]
    if not whys:
        return []
    others = len(set(whys)) - 1
    more = f"; {count(others, 'other reason')} in --json" if others else ""
    return [f"No figure in {count(len(whys), 'row')}: {whys[0]}{more}."]


def whole_plays_words(
    rows: Iterable[Mapping[str, Any]],
    what: str,
    name: Callable[[Mapping[str, Any]], str | None],
    *,
    calls_alone: bool = False,
) -> list[str]:
    """Over how many questions it is known what one takes, where these are not all: one sentence, those of the fewest first.
    `what` is told of them, `name` whose it is. `calls_alone`: neither money nor tokens are."""
    alike: dict[tuple[int, int | None], list[str]] = {}
    for row in rows:
        if (whole := row.get("cost_n")) is not None:
            # Of ungraded ones n says less than what was played.
            every = None if row.get("ungraded") or not row.get("n") else row["n"]
            alike.setdefault((whole, every), []).append(name(row) or "")
    said = []
    for (whole, every), names in sorted(alike.items(), key=lambda one: one[0][0]):
        of = f" of {few_names(names)}" if any(names) else ""
        among = f"{whole:,} of {every:,} questions" if every else count(whole, "question")
        on = f"over the {among} on which no call is missing" if whole else "not known, since too many plays lack a call"
        said.append(f"{of}: {on}")
    several = not calls_alone and any(may_be_cheap(whole, every) for whole, every in alike)
    dear = " In money and tokens these may be the cheap ones." if several else ""
    return [f"{what}{';'.join(said)}.{dear}"] if said else []


def may_be_cheap(whole: int, every: int | None) -> bool:
    """Whether those of which it is known what they take are rather few: what is cut off or left out is seldom what is short, and
    as many calls may be dearer ones."""
    return every is not None and 0 < whole < (1 - FEW_WAITING) * every


def on_whole_plays(row: Mapping[str, Any], every: int | None) -> str:
    """Of a ratio: over which questions it is, where these are not all of those."""
    if "cost_n" not in row:
        return ""
    on = f" on the {count(row['cost_n'], 'question')} on which no call is missing"
    in_money = row["cost_unit"] == "usd" and may_be_cheap(row["cost_n"], every)
    return f"{on}, which may be the cheap ones" if in_money else on


def grouped_by_words(figures: Figures) -> list[str]:
    """Where a grouping model is named and has said nothing usable of some drafts: figures that rest on groups say so."""
    if not (sets := figures.get("grouped_by_words")):
        return []
    return [
        f"{count(sets, 'set of drafts is', 'sets of drafts are')} grouped by words alone:"
        " the grouping model has not been asked about them, or gave no usable word. There players may differ less than it seems."
    ]


def ungraded_words(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What to know where answers are ungraded: a difference and its bounds are over different questions."""
    if not any(row.get("bounds") for row in rows):
        left_out = "Questions of which one answer is not graded are left out."
        words = [left_out] if any(row.get("ungraded") for row in rows) else []
        return [*words, *unknown_words(rows, "difference")]
    sentences = [
        "Questions of which one answer is not graded are left out: difference, interval and p are over the graded pairs"
        " alone. At least and at most are over all questions, whatever the ungraded answers turn out to be."
    ]
    turned = [_turned(row) for row in rows if row.get("why") and row["difference"] is not None]
    if turned:
        sentences.append(f"The ungraded answers could reverse it: {', '.join(turned)}.")
    return [*sentences, *unknown_words(rows, "difference")]


def _turned(row: Mapping[str, Any]) -> str:
    if "a" in row and "of" not in row:
        return f"{row['a']} against {row['b']}"
    return titled(row) if "strategy" in row else str(row.get("of", ""))


def adjusted_words(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What p and interval of a table pay for; nothing where there is only one comparison."""
    return [f"{words}."] if (words := holm_words(rows, "comparison")) else []


def holm_words(rows: Sequence[Mapping[str, Any]], one: str, many: str | None = None) -> str:
    """What p and interval pay for; empty where there is no p at all, or where it has nothing to pay for."""
    size = max((row["family"] for row in rows), default=0)
    return f"p and interval adjusted (Holm) for {count(size, one, many)}" if size > 1 else ""


def few_differ_words(rows: Sequence[Mapping[str, Any]]) -> str:
    units = "clusters of questions" if any("clusters" in row for row in rows) else "questions"
    return f"Small: fewer than {FEW_QUESTIONS} {units} or {FEW_DISCORDANT} that differ."


def paired_words(rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    paid = holm_words(rows, "comparison")
    sentences = [f"In percentage points, on the same questions{'; ' if paid else ''}{paid}."]
    if any(row["small"] for row in rows):
        sentences.append(few_differ_words(rows))
    return (*sentences, *failed_words(rows), *ungraded_words(rows), *over_captains(rows))


def abstained_on(row: Mapping[str, Any]) -> list[str]:
    """What either side of a row has abstained from, while the other was right: in neither of its counts."""
    apart = zip(row.get("worse_by_abstaining", {}).items(), "ba", strict=False)
    return [
        f"{row[side]} abstained on {many:,} that {row[other]} did better on" for (side, many), other in apart if many
    ]


def abstained_words(rows: Iterable[Mapping[str, Any]], of: str = "a", against: str = "b") -> list[str]:
    """The same of a table, in whose counts of better and worse it is not. `of`, `against`: where the sides are named."""
    told = [words for row in rows for words in abstained_on({**row, "a": row.get(of), "b": row.get(against)})]
    return [f"Neither better nor worse: {'; '.join(told)}."] if told else []


def failed_words(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """How many answers of a difference never came: what failed is not right, and says nothing of how good somebody is."""
    shares = [max(row["failed"].values()) for row in rows if "failed" in row and row["difference"] is not None]
    if not shares:
        return []
    return [
        f"In {count(len(shares), 'row')} some answers of one side failed, up to {plain(max(shares))} %: they count as not right."
    ]


def over_captains(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Questions are the unit of every row, so the counts of a row over all captains are no sums of theirs."""
    if not any("captain" in row and row["captain"] is None for row in rows):
        return []
    return [
        "Over all captains a question counts once, by its mean: 'better' and 'worse' there count questions, and are not sums"
        " over captains."
    ]


def not_all_words(rows: Iterable[Mapping[str, Any]], name: str | None = None) -> list[str]:
    """Of figures over several players: how many questions only some of them have, which are no part of it. Each once."""
    named = f"{name}: " if name else ""
    left_out = dict.fromkeys(row["left_out"] for row in rows if row.get("left_out"))
    return [
        f"{named}{count(several, 'question')} that not all of them have {'is' if several == 1 else 'are'} left out."
        for several in left_out
    ]
