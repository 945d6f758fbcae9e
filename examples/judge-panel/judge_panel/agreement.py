"""How far jurors agree: with each other, and with the right answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

from moot.measures.section import Chart, Column, Section
from moot.measures.source import Source, Stored
from moot.needs import Needs
from moot.stats.graded import Value, accuracy_row, graded_value, mean_value
from moot.stats.proportion import share_over_questions
from moot.traces import Shown, of_kind


def group_of(look: Shown, groups: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Who said what a juror picked: all whose drafts mean the same."""
    holders = look.order[(look.places or (0,))[0]]
    return next((group for group in groups if set(group) & set(holders)), holders)


@dataclass(frozen=True, slots=True)
class JuryAgreement:
    name: ClassVar[str] = "jury-agreement"
    needs: ClassVar[Needs] = Needs(graded_drafts=True, grouped_drafts=True)

    def figures(self, run: Source) -> dict[str, Any]:
        rows = [row for cell in run.cells if (row := self._row(run, cell))]
        return {"jury": rows} if rows else {}

    def _row(self, run: Source, cell: Stored) -> dict[str, Any] | None:
        alike: list[tuple[str, float]] = []
        right: dict[str, list[Value]] = {}
        for episode in run.episodes(cell):
            looks = [look for look in of_kind(episode.verdict.traces, Shown) if look.role == "juror" and look.places]
            picked = [group_of(look, run.groups(episode)) for look in looks]
            alike += [(episode.question, float(one == other)) for one, other in combinations(picked, 2)]
            values = [graded_value(*run.graded(episode.case, look.answer)) for look in looks]
            right.setdefault(episode.question, []).extend(values)
        picks = [value for values in right.values() for value in values]
        if not picks:
            return None
        agreed = share_over_questions(alike)
        correct = accuracy_row({question: mean_value(values) for question, values in right.items() if values}, "right")
        row: dict[str, Any] = {"strategy": cell["strategy"], "label": cell["label"], "team": cell["team"]}
        low, high = (agreed.low, agreed.high) if agreed else (None, None)  # a juror alone agrees with nobody
        row |= {"agree": agreed.value if agreed else None, "agree_low": low, "agree_high": high}
        row |= {"right": correct["right"], "right_low": correct["low"], "right_high": correct["high"]}
        # Over all picks, where some are not graded; and why there is no share, where one over the others would flatter.
        row |= {key: correct[key] for key in ("bounds", "why") if key in correct}
        return {**row, "picks": len(picks), "ungraded": sum(value.known is None for value in picks)}

    def sections(self, figures: Mapping[str, Any]) -> Iterator[Section]:
        rows = figures.get("jury", ())
        ungraded = sum(row["ungraded"] for row in rows)
        words = [f"{ungraded} of the picks are not graded, and in no share of right ones."] if ungraded else []
        words += [
            f"{row['label']}: of all picks between {row['bounds']['low']:.1%} and {row['bounds']['high']:.1%} are right."
            for row in rows
            if "bounds" in row
        ]
        yield Section(
            "jury",
            "How far the jurors agree",
            ("Of every two jurors of a question, how many picked answers that mean the same.", *words),
            (
                Column("label", "strategy"),
                Column("agree", "with each other", "share", "agree_low", "agree_high"),
                Column("right", "with the right answer", "share", "right_low", "right_high"),
                Column("picks", "picks"),
            ),
            rows,
            Chart("dots", x="right", y="label"),
        )
