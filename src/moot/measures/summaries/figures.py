"""Mixtures in a run: order and shown accuracies side by side, and how right the summariser is with c right labels."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from moot.measures.section import Chart, Column, Section
from moot.measures.source import Source, Stored, right_of
from moot.stats.estimates import estimate_row
from moot.stats.proportion import accuracy
from moot.store.rows import verdict_of

Row = dict[str, Any]


def mixture_figures(source: Source, cells: Sequence[Stored]) -> dict[str, Any]:
    """A row for each mixture, under `mixture`; nothing where none was played."""
    rows = [_row(source, cell) for cell in cells if cell["strategy"] == "mixture"]
    return {"mixture": rows, "partners": list(_partners(source, cells, rows))} if rows else {}


def _row(source: Source, cell: Stored) -> Row:
    scores: dict[int, list[float]] = defaultdict(list)
    by_count: dict[int, list[float]] = defaultdict(list)
    grades: dict[tuple[str, str], bool] = {}
    proposers: tuple[str, ...] = ()
    cut = 0
    for row in source.results(cell):
        case, verdict = source.cases[row["question"]], verdict_of(row["verdict"])
        right = right_of(row) or 0.0
        scores[row["position"]].append(right)
        for draft in verdict.answers:
            if draft.text is not None and (row["question"], draft.text) not in grades:
                grades[row["question"], draft.text] = source.grade(case, draft.text) == 1.0
        known = sum(grades[row["question"], draft.text] for draft in verdict.answers if draft.text is not None)
        by_count[known].append(right)
        proposers = tuple(draft.player for draft in verdict.answers) or proposers
        cut += "cut_to" in verdict.notes
    total = sum(map(len, by_count.values()))
    return {
        "label": cell["label"],
        "team": cell["team"],
        "summariser": summariser_of(cell),
        "order": option_of(cell["label"], "order") or "random",
        "accuracies": _shown(cell["label"]),
        "proposers": list(proposers),
        "size": len(proposers),
        **estimate_row(accuracy(list(scores.values()), seed=source.seed)),
        "episodes": total,
        "cut": cut,
        "right_labels": [
            {
                "c": c,
                "n": len(by_count[c]),
                "share": len(by_count[c]) / total if total else None,
                "accuracy": sum(by_count[c]) / len(by_count[c]) if by_count[c] else None,
            }
            for c in range(len(proposers) + 1)
        ],
    }


def summariser_of(cell: Stored) -> str | None:
    """Who read the responses: a model of its own, or else the captain."""
    return option_of(cell["label"], "summariser") or cell["captain"]


def _shown(label: str) -> str:
    """Whether the summariser saw accuracies; "unknown" where it was to see them and there were none to show."""
    hidden = option_of(label, "accuracies")
    return hidden or ("shown" if option_of(label, "shown_accuracies") else "unknown")


def option_of(label: str, name: str) -> str | None:
    """An option as the label of a strategy says it; None where it has its default."""
    found = re.search(rf"\b{name}=([^,)]+)", label)
    return found.group(1) if found else None


def _partners(source: Source, cells: Sequence[Stored], rows: Sequence[Row]) -> Iterator[Row]:
    """For each summariser that read proposers one at a time: the most accurate of them, and the one it gains most by."""
    alone = {cell["player"]: cell for cell in cells if cell["strategy"] == "solo"}
    pairs: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
    for row in rows:
        if row["size"] == 1 and row["proposers"][0] in alone and row["value"] is not None:
            pairs[row["summariser"], row["order"], row["accuracies"]].append(row)
    for (summariser, _, _), found in pairs.items():
        if len(found) < 2:
            continue
        own = {row["label"]: _mean(source, alone[row["proposers"][0]]) for row in found}
        top = max(found, key=lambda row: own[row["label"]])
        best = max(found, key=lambda row: row["value"])
        yield {
            "summariser": summariser,
            "most_accurate": top["proposers"][0],
            "with_most_accurate": top["value"],
            "most_complementary": best["proposers"][0],
            "with_most_complementary": best["value"],
            "its_accuracy": own[best["label"]],
            "n": best["n"],
        }


def _mean(source: Source, cell: Stored) -> float:
    values = [each.right or 0.0 for each in source.seen(cell)]
    return sum(values) / len(values) if values else 0.0


def mixture_sections(figures: Mapping[str, Any]) -> Iterator[Section]:
    rows = figures.get("mixture")
    if not rows:
        return
    yield _prompting(rows)
    yield _right_labels(rows)
    if figures.get("partners"):
        yield _partner_section(figures["partners"])


def _prompting(rows: Sequence[Row]) -> Section:
    columns = (
        Column("summariser", "summariser"),
        Column("order", "order"),
        Column("accuracies", "accuracies"),
        Column("size", "proposers"),
        Column("value", "right", "share", "low", "high"),
        Column("n", "n"),
    )
    words = ["A question counts by the mean over the summariser's repeats; the interval is over questions."]
    words += [
        f"{row['label']}: responses were cut to fit the context in {row['cut']} of {row['episodes']} episodes."
        for row in rows
        if row["cut"]
    ]
    return Section("mixture", "Mixtures: order and shown accuracies", tuple(words), columns, rows)


def _right_labels(rows: Sequence[Row]) -> Section:
    several = len(rows) > 1
    shown = [
        {"mixture": row["label"] if several else "mixture", **each} for row in rows for each in row["right_labels"]
    ]
    columns = (
        Column("mixture", "mixture"),
        Column("c", "right labels"),
        Column("n", "n"),
        Column("share", "of all", "share"),
        Column("accuracy", "summariser right then", "share"),
    )
    words = ("How many of the responses that the summariser read were right, and how often it was right then.",)
    chart = Chart("lines", x="c", y="accuracy", series="mixture")
    return Section("mixture-right-labels", "Right labels in front of the summariser", words, columns, shown, chart)


def _partner_section(rows: Sequence[Row]) -> Section:
    columns = (
        Column("summariser", "summariser"),
        Column("most_accurate", "most accurate partner"),
        Column("with_most_accurate", "right with it", "share"),
        Column("most_complementary", "best partner"),
        Column("with_most_complementary", "right with it", "share"),
        Column("its_accuracy", "which alone has", "share"),
    )
    words = ("The best partner is the best after the fact, on these very questions: expect less on others.",)
    return Section("mixture-partners", "The most accurate and the most complementary partner", words, columns, rows)
