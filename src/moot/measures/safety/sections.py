"""The safety net as sections: tables, charts and sentences, the same for every view."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from moot.measures.columns import (
    Figures,
    adjusted_words,
    cohort_column,
    count,
    few_differ_words,
    figure,
    not_all_words,
    unknown_words,
    with_team,
)
from moot.measures.numbers import rounded, shown
from moot.measures.safety.model_sections import calibration_section, model_sections, tax_section
from moot.measures.section import Chart, Column, Section, Unit

Rows = Sequence[Mapping[str, Any]]


_GRADED_PAIRS = (
    "Pairs with an ungraded side are left out; at least and at most are over all, whatever the ungraded answers turn out"
    " to be."
)


def _in_part(rows: Rows, of: str = "") -> list[str]:
    """What is counted where answers are right in part: the one place in which a score becomes a yes or no."""
    if not any(row.get("in_part") for row in rows):
        return []
    return [
        "Some answers are right in part: there a rescue is a score that rises, by however little, and a regression one that"
        f" falls{of}."
    ]


_OF_PARTS = "; who was right in part alone is among the wrong, who could rise, and among the right, who could fall"


def safety_sections(figures: Figures) -> Iterator[Section]:
    made = (_safety, _missing, _models, model_sections, _coverage, _gap, _lift, _consensus, tax_section, _authority)
    for make in (*made, calibration_section, _macro):
        yield from make(figures)


def _all_named(rows: Rows) -> list[dict[str, Any]]:
    named = any(row.get("cohort") for row in rows)
    return [{**row, "cohort": row.get("cohort") or ("all" if named else None)} for row in rows]


def _safety(figures: Figures) -> Iterator[Section]:
    rows = [_with_ends(row, "net_bounds", *_RATE_BOUNDS) for row in _all_named(figures.get("safety", ()))]
    columns = with_team(
        figures,
        rows,
        Column("stage", "stage"),
        *cohort_column(rows),
        Column("rescues", "rescues"),
        Column("regressions", "regressions"),
        figure("multiple", "safety multiple", "ratio"),
        Column("net", "net"),
        *_ends(rows, "net_bounds", "net", ""),
        Column("recovered", "recovered"),
        Column("n_pairs", "pairs"),
        figure("rescue_rate", "rescued of the wrong", "share", "rescue_rate_low", "rescue_rate_high"),
        *_ends(rows, "rescue_rate_bounds", "rescued", "share"),
        figure("regression_rate", "spoilt of the right", "share", "regression_rate_low", "regression_rate_high"),
        *_ends(rows, "regression_rate_bounds", "spoilt", "share"),
        figure("multiple_with_recovered", "with recovered", "ratio", "with_recovered_low", "with_recovered_high"),
    )
    words = [
        "A rescue was wrong alone and is right after; a regression was right alone and is not right after. The multiple"
        " is rescues over regressions; its interval takes questions, not pairs, as the unit.",
    ]
    words += _in_part(rows, _OF_PARTS)
    words += [f"{_where(row)}: {row['note']}." for row in rows if row["note"]]
    words += _not_all(rows, _where)
    words += [_not_begun(row) for row in rows if row.get("not_begun")]
    words += unknown_words(rows, "net", "multiple", "rescue_rate", "regression_rate")
    if recovered := sum(row["recovered"] or 0 for row in rows if _whole(row, rows)):
        words.append(f"Recovered ({recovered}): no answer alone, right after. They are no rescues.")
    if refused := [row for row in rows if (row["refused"] or row["refused_after"]) and _whole(row, rows)]:
        parts = (f"{row['stage']} {row['refused']} alone, {row['refused_after']} after" for row in refused)
        words.append(f"Refused: {'; '.join(parts)}.")
    if kept := [row for row in rows if row.get("abstained") and _whole(row, rows)]:
        parts = (f"{row['stage']} on {row['abstained']:,} of {count(row['n_pairs'], 'pair')}" for row in kept)
        words.append(f"Abstained: {'; '.join(parts)}. They are neither rescues nor regressions, and in no rate.")
    if ungraded := sum(row["ungraded"] for row in rows if _whole(row, rows)):
        words.append(
            f"{count(ungraded, 'pair has', 'pairs have')} an ungraded side and are in no figure;"
            " at least and at most are over all pairs, whatever these turn out to be."
        )
    yield Section(
        "safety", "Rescues and regressions", tuple(words), columns, rows, Chart("dots", "multiple", "stage", "stage")
    )


def _not_all(rows: Rows, named: Callable[[Mapping[str, Any]], str]) -> list[str]:
    """What each of these leaves out since not all models have it; of several, which is meant."""
    return [words for row in rows for words in not_all_words([row], named(row) if len(rows) > 1 else None)]


def _not_begun(row: Mapping[str, Any]) -> str:
    names = row["not_begun"]
    have = "has not begun" if len(names) == 1 else "have not begun"
    return f"{_where(row)} is over {row['models']} of {row['models'] + len(names)} models: {', '.join(names)} {have}."


_RATE_BOUNDS = ("rescue_rate_bounds", "regression_rate_bounds")


def _with_ends(row: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """The bounds of figures as figures of their own: what each is at least and at most, whatever is ungraded."""
    ends = {f"{name}_{end}": row[name][end] for name in names if row.get(name) for end in ("low", "high")}
    return {**row, **ends}


def _ends(rows: Rows, name: str, title: str, unit: Unit) -> tuple[Column, ...]:
    """Two columns, only where something is ungraded."""
    if not any(row.get(name) for row in rows):
        return ()
    return Column(f"{name}_low", f"{title}, at least", unit), Column(f"{name}_high", f"{title}, at most", unit)


def _where(row: Mapping[str, Any]) -> str:
    return f"{row['stage']}, {row['cohort']}" if row.get("cohort") else str(row["stage"])


def _whole(row: Mapping[str, Any], rows: Rows) -> bool:
    """Rows that overlap with no other: those over all cohorts, or the only one of a stage."""
    alike = [other for other in rows if (other["stage"], other["team"]) == (row["stage"], row["team"])]
    return row.get("cohort") in (None, "all") or len(alike) == 1


def _missing(figures: Figures) -> Iterator[Section]:
    rows = figures.get("safety_missing", ())
    columns = (Column("stage", "stage"), Column("captains", "without"), Column("add", "add to strategies"))
    words = ("Rescues and regressions need what each of them says alone, asked for in the same way.",)
    yield Section("safety-missing", "No native answers to compare with", words, columns, rows)


def _models(figures: Figures) -> Iterator[Section]:
    rows = [_with_ends(row, "bounds") for row in figures.get("safety_models", ())]
    columns = with_team(
        figures,
        rows,
        Column("stage", "stage"),
        Column("model", "model"),
        *cohort_column(rows),
        Column("native", "alone", "share"),
        Column("after", "after", "share"),
        figure("difference", "difference", "points", "low_holm", "high_holm"),
        *_ends(rows, "bounds", "difference", "points"),
        Column("p_holm", "p", "p"),
        Column("rescues", "rescues"),
        Column("regressions", "regressions"),
        Column("refused", "refused alone"),
        Column("refused_after", "refused after"),
        Column("n", "questions"),
    )
    words = [*adjusted_words(rows), *_in_part(rows)]
    correlated = [row for row in figures.get("gain_by_strength", ()) if row["rho"] is not None]
    words += [
        f"{row['stage']}: strength alone against gain over {row['models']} models, Spearman's rho {rounded(row['rho'], 2)}"
        f" (p {shown(row['p_holm'], 'p').replace('<', '< ')}){_pairs_left_out(row)}."
        for row in correlated
    ]
    if correlated:
        words.append(
            "Strength is from one half of the questions and gain from the other: on the same ones, what was low by chance alone"
            " rises by chance after. The p takes models as exchangeable, which models of one vendor are not."
        )
    words += _not_all(correlated, lambda row: str(row["stage"]))
    if correlated and correlated[0]["family"] > 1:
        words.append(f"Of these the p is adjusted (Holm) for {count(correlated[0]['family'], 'stage')}.")
    words += [
        f"{row['stage']}: whether weak models gain more is not known: {row['why']}."
        for row in figures.get("gain_by_strength", ())
        if row["rho"] is None
    ]
    if any(row.get("bounds") for row in rows):
        words.append(_GRADED_PAIRS)
    words += unknown_words(rows, "difference", "rescues")
    chart = Chart("scatter", "native", "difference", label="model", series="stage")
    yield Section("safety-models", "Each model alone and after", tuple(words), columns, rows, chart)


def _pairs_left_out(row: Mapping[str, Any]) -> str:
    """What has no simple bounds says how much it leaves out."""
    if not (ungraded := row.get("ungraded")):
        return ""
    return f", over {row['pairs']:,} graded pairs; {ungraded:,} with an ungraded side are left out"


def _coverage(figures: Figures) -> Iterator[Section]:
    rows = [
        _with_ends(row, "native_bounds", "after_bounds", "bounds") for row in _all_named(figures.get("coverage", ()))
    ]
    fewer = [row for row in rows if row.get("models_after") is not None and row["after"] is not None]
    columns = with_team(
        figures,
        rows,
        Column("stage", "stage"),
        *cohort_column(rows),
        figure("native", "alone", "share", "native_low", "native_high"),
        *_ends(rows, "native_bounds", "alone", "share"),
        figure("after", "after", "share", "after_low", "after_high"),
        *_ends(rows, "after_bounds", "after", "share"),
        figure("difference", "difference", "points", "difference_low", "difference_high"),
        *_ends(rows, "bounds", "difference", "points"),
        Column("guessing", "guessing", "share"),
        Column("models", "models"),
        *([Column("models_after", "answering again")] if fewer else []),
        Column("n", "questions"),
    )
    words = [
        "How often at least one model is right: what a perfect choice among the answers could reach. Guessing: what as"
        " many independent guessers would reach on the same choices.",
    ]
    if fewer:
        words.append(
            f"Not all answer again in {', '.join(dict.fromkeys(row['stage'] for row in fewer))}: alone is what all of them could"
            " reach, after what those could who do, so there is no difference between the two."
        )
    if any(row["ungraded"] for row in rows):
        words.append(_ALL_GRADED)
    words += _not_all(rows, lambda row: str(row["stage"]))
    words += unknown_words(rows, "native")
    if withheld := [row["stage"] for row in rows if row["after"] is None and not row.get("after_bounds")]:
        words.append(
            f"Nothing after for {', '.join(dict.fromkeys(withheld))}: a vote gives one word for all, and the best of all"
            " tie-breaks is no choice among answers."
        )
    yield Section("coverage", "Coverage ceiling", tuple(words), columns, rows)


_ALL_GRADED = (
    "Over the questions of which every answer is graded; at least and at most are over all questions, whatever the"
    " ungraded answers turn out to be."
)


def _gap(figures: Figures) -> Iterator[Section]:
    rows = [
        {**_with_ends(row, "bounds"), **{f"best_{side}": name for side, name in row.get("best", {}).items()}}
        for row in figures.get("gap_closure", ())
    ]
    columns = with_team(
        figures,
        rows,
        Column("stage", "stage"),
        Column("cohort", "cohort"),
        Column("towards", "towards"),
        figure("value", "gap closed"),
        *_ends(rows, "bounds", "closed", "share"),
        Column("alone", "best alone", "share"),
        Column("after", "best after", "share"),
        Column("stronger", "their best", "share"),
        Column("best_alone", "who, alone"),
        Column("best_after", "who, after"),
        Column("best_stronger", "who, theirs"),
        Column("n", "questions"),
    )
    words = [
        "The best of each side is who got most right, chosen after the fact: it was lucky too. The interval holds whoever is"
        " the best."
    ]
    if any(row.get("ungraded") for row in rows):
        words.append("Scored on the questions of which all three are graded.")
    if any(row.get("bounds") for row in rows):
        words.append("At least and at most are over all questions, whoever is the best once all of them are graded.")
    words += [
        f"{row['stage']}, {row['cohort']} towards {row['towards']}: {row['why']}." for row in rows if row.get("why")
    ]
    yield Section("gap-closure", "How far a cohort comes up to a stronger one", tuple(words), columns, rows)


def _lift(figures: Figures) -> Iterator[Section]:
    rows = [_with_ends(row, "bounds") for row in _all_named(figures.get("debate_lift", ()))]
    columns = with_team(
        figures,
        rows,
        Column("before", "after a review"),
        Column("after", "after a debate"),
        *cohort_column(rows),
        Column("multiple_before", "multiple, review", "ratio"),
        Column("multiple_after", "multiple, debate", "ratio"),
        Column("lift", "lift", "ratio"),
        figure("net_difference", "more net rescues", "number", "net_difference_low", "net_difference_high"),
        *_ends(rows, "bounds", "more net rescues", "number"),
        Column("n_pairs", "pairs"),
    )
    words = (
        "Over the pairs that both have. Without regressions a multiple has no value, and there is no lift.",
        *_in_part(rows),
        *([_GRADED_PAIRS] if any(row.get("bounds") for row in rows) else []),
        *_not_all(rows, lambda row: f"{row['before']}, {row['after']}"),
        *unknown_words(rows, "net_difference"),
    )
    yield Section("debate-lift", "What a debate adds to a review", words, columns, rows)


def _consensus(figures: Figures) -> Iterator[Section]:
    rows = [
        {
            **_with_ends(row, "bounds"),
            "endings": ", ".join(f"{count} {ending}" for ending, count in _told_endings(row).items()),
        }
        for row in figures.get("consensus", ())
    ]
    columns = with_team(
        figures,
        rows,
        Column("stage", "stage"),
        *cohort_column(rows),
        figure("value", "consensus"),
        Column("in_rounds", "in the rounds", "share"),
        Column("n", "debated"),
        Column("unanimous_before", "unanimous before"),
        *(
            [Column("agreed_in_resolution", "agreed at last")]
            if any(row["agreed_in_resolution"] for row in rows)
            else []
        ),
        Column("endings", "how they ended"),
        *([Column("unknown", "not known")] if any(row.get("unknown") for row in rows) else []),
        *_ends(rows, "bounds", "consensus", "share"),
    )
    words = ("Of the questions on which native answers differed: how often all agreed in a round, or at last alone.",)
    yield Section("consensus", "How debates ended", words, columns, rows)


def _told_endings(row: Mapping[str, Any]) -> dict[str, int]:
    unknown = row.get("endings_unknown")
    return {**row["endings"], **({"stuck or max-rounds, which is not known": unknown} if unknown else {})}


def _authority(figures: Figures) -> Iterator[Section]:
    rows = [_with_ends(row, "bounds") for row in _all_named(figures.get("authority_bias", ()))]
    columns = with_team(
        figures,
        rows,
        Column("stage", "stage"),
        *cohort_column(rows),
        Column("hidden", "names hidden", "share"),
        Column("shown", "names shown", "share"),
        figure("difference", "bias", "points", "low_holm", "high_holm"),
        *_ends(rows, "bounds", "bias", "points"),
        Column("p_holm", "p", "p"),
        figure("changed", "another answer", "share", "changed_low", "changed_high"),
        Column("n", "questions"),
        Column("n_pairs", "pairs"),
    )
    words = ["The effect of names: the same reviewers on the same questions, with and without names."]
    words += adjusted_words(rows)
    if any(row["small"] for row in rows):
        words.append(few_differ_words(rows))
    words += [_GRADED_PAIRS] if any(row.get("bounds") for row in rows) else []
    words += _not_all(rows, _where)
    words += unknown_words(rows, "difference")
    yield Section("authority-bias", "Authority bias", tuple(words), columns, rows)


def _macro(figures: Figures) -> Iterator[Section]:
    rows = [_with_ends(row, "bounds") for row in figures.get("macro_average", ())]
    columns = with_team(
        figures,
        rows,
        Column("stage", "stage"),
        Column("native", "alone", "share"),
        Column("after", "after", "share"),
        figure("difference", "difference", "points"),
        *_ends(rows, "bounds", "difference", "points"),
        Column("n", "sets"),
    )
    words = (
        "Every question set counts the same, however large it is.",
        *([_GRADED_PAIRS] if any(row.get("bounds") for row in rows) else []),
        *_not_all(rows, lambda row: str(row["stage"])),
        *unknown_words(rows, "difference"),
    )
    yield Section("macro-average", "Mean over sets of questions", words, columns, rows)
