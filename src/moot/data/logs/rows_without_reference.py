"""Rows of a table of replies whose reference is blank: the reply is kept, and what was asked has no reference.

A few of them are told and left out of the questions, as those of every other log are; where most questions have none, the
column is hardly the reference at all, and nobody should find that out from a figure over the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from moot.data.blank_references import BlankReferences, listed_lines
from moot.data.logs.log import LogRemark, QuestionInLog
from moot.errors import FileError
from moot.stats.counted_words import count
from moot.types import Question


@dataclass(frozen=True, slots=True)
class RowsWithoutReference:
    """`asked`: by line what such a row asks, where it can be told; of the rest of `lines` it cannot."""

    asked: Mapping[int, Question] = field(default_factory=dict)
    lines: frozenset[int] = frozenset()
    column: str = "answer"

    @classmethod
    def of(cls, blank: BlankReferences) -> RowsWithoutReference:
        return cls(blank.asked, frozenset(blank.found), blank.column)

    def joined(
        self, known: Mapping[int, QuestionInLog], asked: Mapping[int, QuestionInLog], path: Path
    ) -> dict[int, QuestionInLog]:
        """By line the questions of all rows that can be asked, in their order. Rows of one question have one reference, in
        whichever of them it stands. `known`: those with a reference; `asked`: as they are without."""
        by_name = {question.name: question for question in known.values()}
        names = {line: asked[line].name if line in asked else f"line {line}" for line in self.lines}
        blank = {name for name in names.values() if name not in by_name}
        if 2 * len(blank) > len(blank) + len(by_name):
            told = f"{len(blank)} of {count(len(blank) + len(by_name), 'question')}"
            where = listed_lines(line for line, name in names.items() if name in blank)
            way_out = "fill them in, or take the column out of the table: then the replies are taken without references"
            problem = f"the reference is missing of {told} (line {where}); {way_out}"
            raise FileError(problem, file=path, line=min(self.lines), key=self.column)
        of_lines = {**known, **{line: by_name.get(question.name, question) for line, question in asked.items()}}
        return dict(sorted(of_lines.items()))

    def remarks(self, questions: Mapping[int, QuestionInLog], path: Path) -> Iterable[LogRemark]:
        """Of rows whose question has its reference in no other row."""
        lines = [line for line in self.lines if line not in questions or questions[line].answer is None]
        if lines:
            rows = count(len(lines), "row has", "rows have")
            left_out = "left out of the questions" if all(line in questions for line in lines) else "left out"
            yield LogRemark(
                f"{path.name}: {rows} no reference under {self.column}, {left_out} (line {listed_lines(lines)})",
                unreferenced=frozenset(questions[line].name for line in lines if line in questions),
            )


NONE_WITHOUT = RowsWithoutReference()
