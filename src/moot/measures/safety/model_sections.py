"""Each model by its name, as sections: alone and after, in its cohort, towards the other one, beside its vendor's figure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from moot.measures.columns import (
    Figures,
    Row,
    cohort_column,
    few_differ_words,
    figure,
    graded_words,
    holm_words,
    not_all_words,
    paired_columns,
    paired_words,
    share_bounds,
    ungraded_columns,
    ungraded_words,
    with_bounds,
    with_team,
)
from moot.measures.safety.by_model import ONLY_ONE
from moot.measures.section import Chart, Column, Section

Rows = Sequence[Mapping[str, Any]]
ALL = "all"


def model_sections(figures: Figures) -> Iterator[Section]:
    for make in (_native_and_after, _in_cohort, _gaps):
        yield from make(figures)


def _native_and_after(figures: Figures) -> Iterator[Section]:
    """The strongest alone first, and behind each what it is worth after."""
    stages: dict[tuple[Any, Any], list[Mapping[str, Any]]] = {}
    for row in figures.get("cohort_models", ()):
        stages.setdefault((row["stage"], row["team"]), []).append(row)
    rows: list[Row] = []
    for several in stages.values():
        native = {row["model"]: row["value"] or 0.0 for row in several if row["when"] == "alone"}
        order = sorted(several, key=lambda row: (-native.get(row["model"], 0.0), row["model"], row["when"] != "alone"))
        rows += [with_bounds({**row, **_own_share(row)}) for row in order]
    columns = with_team(
        figures,
        rows,
        Column("stage", "stage"),
        Column("model", "model"),
        *cohort_column(rows),
        Column("when", "when"),
        figure("value", "right"),
        *share_bounds(rows),
        Column("n", "questions"),
    )
    words = (
        "Each model alone, and after hearing the others; the strongest alone comes first.",
        *graded_words(rows),
    )
    chart = Chart("bars", "model", "value", label="model", series="when", panel="stage")
    yield Section("native-and-after", "Native beside after", words, columns, rows, chart)


def _own_share(row: Mapping[str, Any]) -> Row:
    """Of the model alone, not of what it has more than its cohort."""
    share = {"low": row["value_low"], "high": row["value_high"], "n": row["value_n"]}
    return {**share, "bounds": row.get("value_bounds")}


def _in_cohort(figures: Figures) -> Iterator[Section]:
    every = [row for row in figures.get("cohort_models", ()) if row.get("why") != ONLY_ONE]
    rows: list[Row] = [with_bounds(row) for row in every]
    for mean in figures.get("cohort_averages", ()) if rows else ():
        named = {key: mean[key] for key in ("stage", "team", "cohort", "when", "n", "value")}
        ends = {"value_low": mean["low"], "value_high": mean["high"]}
        rows.append({**named, **ends, "model": f"average of {mean['cohort'] or mean['team'] or ALL}"})
    places = {(row["stage"], row["team"], row["cohort"]): place for place, row in enumerate(reversed(rows))}
    rows.sort(key=lambda row: (-places[row["stage"], row["team"], row["cohort"]], row["when"] != "alone"))
    columns = with_team(
        figures,
        rows,
        Column("stage", "stage"),
        Column("when", "when"),
        Column("model", "model"),
        *cohort_column(rows),
        figure("value", "right", "share", "value_low", "value_high"),
        *paired_columns(),
        *ungraded_columns(rows),
    )
    words = (
        "Each model less the average of its own cohort, itself included, on the same questions, alone and after.",
        *paired_words(every),
    )
    yield Section("cohort-models", "Each model beside the average of its cohort", words, columns, rows)


def _gaps(figures: Figures) -> Iterator[Section]:
    rows = [
        {**with_bounds(row), "best_stronger": row["best"]["stronger"]} for row in figures.get("gap_closure_models", ())
    ]
    columns = with_team(
        figures,
        rows,
        Column("stage", "stage"),
        Column("model", "model"),
        Column("cohort", "cohort"),
        Column("towards", "towards"),
        figure("value", "gap closed"),
        *share_bounds(rows),
        Column("alone", "alone", "share"),
        Column("after", "after", "share"),
        Column("stronger", "their best", "share"),
        Column("best_stronger", "who it is"),
        Column("n", "questions"),
    )
    words = [
        "How much of its own way to the best of the other cohort each model goes; below 0 it went back. Their best is who got"
        " most right, chosen after the fact; the interval holds whoever it is.",
        *graded_words(rows),
    ]
    words += [
        f"{row['stage']}, {row['model']} towards {row['towards']}: {row['why']}." for row in rows if row.get("why")
    ]
    title = "How far each model comes up to a stronger cohort"
    yield Section("gap-closure-models", title, tuple(words), columns, rows)


def tax_section(figures: Figures) -> Iterator[Section]:
    """All models as one, then each by its name."""
    pooled, models = figures.get("formatting_tax"), figures.get("formatting_tax_models", ())
    rows: list[Row] = []
    if pooled:
        several = {"label": ALL} if "labels" in pooled else {}
        rows.append(
            {**with_bounds(pooled), **several, "model": ALL}
        )  # over all models it is one test, and a family of its own
    rows += [{**with_bounds(row), "n_pairs": row["n"]} for row in models]
    columns = (
        Column("model", "model"),
        *([Column("label", "asked as")] if any("label" in row for row in rows) else []),
        Column("single", "one call", "share"),
        Column("double", "two calls", "share"),
        figure("difference", "tax", "points", "low_holm", "high_holm"),
        *ungraded_columns(rows),
        Column("p_holm", "p", "p"),
        Column("n", "questions"),
        Column("n_pairs", "pairs"),
    )
    words = ["What it costs to reason and keep to a form in one call: same players and questions, both ways."]
    if paid := holm_words(models, "model"):
        words.append(f"Of single models {paid}.")
    if any(row["small"] for row in rows):
        words.append(few_differ_words(rows))
    words += not_all_words(rows, "Over all models")
    words += ungraded_words(rows)
    yield Section("formatting-tax", "Formatting tax", tuple(words), columns, rows)


def calibration_section(figures: Figures) -> Iterator[Section]:
    rows = [{**with_bounds(row), "dataset": row["dataset"] or ALL} for row in figures.get("calibration", ())]
    columns = (
        Column("model", "model"),
        Column("label", "asked as"),
        Column("vendor", "vendor"),
        Column("reported", "vendor reports", "share"),
        figure("value", "measured"),
        *share_bounds(rows),
        figure("difference", "difference", "points", "difference_low", "difference_high"),
        Column("within", "within the interval"),
        *([Column("dataset", "set")] if any(row["dataset"] != ALL for row in rows) else []),
        Column("n", "questions"),
    )
    words = [
        "Alone, as it was asked here, beside what the file says that the vendor reports. The interval is ours: a vendor's"
        " figure is taken as it is.",
        *graded_words(rows),
    ]
    words += [f"{row['model']}: {row['why']}." for row in rows if row.get("why")]
    yield Section("calibration", "Beside what vendors report", tuple(words), columns, rows)
