"""What judges gave the long answers of a run, by question and text: read once for all figures about points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from moot.grade.judgement import Judgement
from moot.grade.normalise import answer_key
from moot.measures.cells import Stored
from moot.measures.judges.figures import answers_by_case
from moot.measures.source import Source
from moot.types import Case


@dataclass(frozen=True, slots=True)
class JudgedText:
    """A text that somebody answered with, and each judge's word on it."""

    question: str
    """Its digest."""
    case: Case
    text: str
    """As it is kept: white space folded."""
    words: Mapping[str, Judgement]
    """By judge; only those that gave points."""

    @property
    def shares(self) -> dict[str, float]:
        """By judge, of all points."""
        given = {judge: word.share(self.case.rubric) for judge, word in self.words.items()}
        return {judge: share for judge, share in given.items() if share is not None}

    @property
    def length(self) -> int:
        """In words."""
        return len(self.text.split())


class JudgedTexts:
    """All texts of a run that a judge gave points for."""

    def __init__(self, source: Source) -> None:
        self.judges = source.grades.judges
        self._by_place: dict[tuple[str, str], JudgedText] = {}
        answered = answers_by_case(source)
        for question, case in source.cases.items():
            words: dict[str, dict[str, Judgement]] = {}
            for word in source.grades.judgements.get(case.digest, ()) if case.rubric else ():
                if word.points is not None and len(word.points) == len(case.rubric):
                    words.setdefault(word.answer, {})[word.judge] = word
            for text in sorted(words.keys() & answered.get(case.digest, set())):
                self._by_place[question, text] = JudgedText(question, case, text, words[text])

    def __iter__(self) -> Iterator[JudgedText]:
        return iter(self._by_place.values())

    def of(self, question: str, case: Case, answer: str) -> JudgedText | None:
        return self._by_place.get((question, answer_key(case.question, answer)))

    def alone(self, source: Source, cell: Stored) -> Iterator[JudgedText]:
        """What a player answered alone, each text once."""
        seen: set[tuple[str, str]] = set()
        for row in source.results(cell):
            if row["answer"] is None:
                continue
            found = self.of(row["question"], source.cases[row["question"]], row["answer"])
            if found is not None and (found.question, found.text) not in seen:
                seen.add((found.question, found.text))
                yield found
