"""The strict reader over 6,000 published replies: how often it takes what their publishers took, and why not.

`python bench/extraction.py`, with the recorded replies in the folder that MOOT_DATA names. No model is called. Theirs is
a chain of patterns that ends on the last capital letter anywhere in the text, so where there is no final-answer line
"theirs" is often a stray letter: a variable, a unit, the pronoun I.
"""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from moot.team.final_line import FinalLine, final_lines
from moot.types import Question

DATA = Path(os.environ.get("MOOT_DATA", Path(__file__).parents[1] / ".." / "shared" / "data"))
SOURCE = DATA / "mmlu_pro_texts_500x12.jsonl.gz"

ONE = "lines that all announce one letter"
NONE = "lines that all announce none, or several"
DIFFER = "lines that differ"
NO_LINE = "no line at all"

CAUSES = {
    (ONE, "same"): "same as theirs",
    (ONE, "other"): "another than theirs",
    (ONE, "nothing"): "they have none",
    (NONE, "nothing"): "neither has an answer",
    (NONE, "other"): "they have one: the first of several, or a stray capital",
    (DIFFER, "same"): "the last is theirs, the first too or not",
    (DIFFER, "first"): "the first is theirs, the last is ours",
    (DIFFER, "other"): "theirs is another, or they have none",
    (NO_LINE, "nothing"): "neither has an answer",
    (NO_LINE, "other"): "they have one, often a stray capital",
}
Cause = tuple[str, str]


def cause(lines: tuple[FinalLine, ...], theirs: str | None) -> Cause:
    if not lines:
        return NO_LINE, "nothing" if theirs is None else "other"
    ours = lines[-1].answer
    if len({line.answer for line in lines}) > 1:
        first = "first" if lines[0].answer == theirs is not None else "other"
        return DIFFER, "same" if ours == theirs else first
    if ours is None:
        return NONE, "nothing" if theirs is None else "other"
    return ONE, "same" if ours == theirs else "nothing" if theirs is None else "other"


def replies(source: Path = SOURCE) -> Iterator[tuple[Question, str, str | None]]:
    """Question, text, and the answer that the publishers took."""
    with gzip.open(source, "rt", encoding="utf-8") as rows:
        for row in map(json.loads, rows):
            question = Question(str(row["question_id"]), row["question"], tuple(row["options"]), kind="choice")
            for said in row["responses"].values():
                yield question, said["text"] or "", said["pred"]


def counted(source: Path = SOURCE) -> Counter[Cause]:
    return Counter(cause(final_lines(text, question), theirs) for question, text, theirs in replies(source))


def table(counts: Counter[Cause]) -> str:
    rows = [f"| {lines} | {CAUSES[lines, kind]} | {counts[lines, kind]:,} |" for lines, kind in CAUSES]
    return "\n".join(("| final-answer lines | beside theirs | replies |", "| --- | --- | ---: |", *rows))


def agreement(counts: Counter[Cause]) -> float:
    """Of the replies that have a final-answer line, and only lines that agree."""
    same = counts[ONE, "same"] + counts[NONE, "nothing"]
    return same / sum(counts[lines, kind] for lines, kind in CAUSES if lines in (ONE, NONE))


if __name__ == "__main__":
    found = counted()
    print(table(found))
    print(
        f"\n{found.total():,} replies; where a line exists and all lines agree: {100 * agreement(found):.2f} % the same"
    )
