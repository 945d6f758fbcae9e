"""What persons said before they told the right answer: told as text, it makes another case of a question, and what was said on
the earlier one is no grade any more. It was said all the same, and the report tells of answers that were called both."""

from __future__ import annotations

from collections import defaultdict

from sqlalchemy import select

from moot.measures.source import Source
from moot.measures.stored_grades import StoredGrades
from moot.store import schema
from moot.store.rows import case_of
from moot.types import Case


class EarlierWords:
    """Of the questions of a plan: the cases that they were before, and what is right by those."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._before = _earlier_cases(source)
        digests = [case.digest for several in self._before.values() for case in several]
        self._grades = StoredGrades(source.connection, source.ident, source.config, digests, source.grader)

    def contradict(self, question: str, answer: str, right: float) -> bool:
        """Whether this answer to the question was called right and wrong, as it is graded now or before."""
        return self._source.grades.turned(self._source.cases[question], answer) or any(
            self._grades.turned(case, answer) or self._grades.score(case, answer).value not in (None, right)
            for case in self._before.get(question, ())
        )


def _earlier_cases(source: Source) -> dict[str, list[Case]]:
    """By question: cases under which the teams of this name were graded on it, and which stand in no plan of the name now."""
    plans, members, places = schema.experiments, schema.experiment_cells, schema.experiment_questions
    named = select(plans.c.id).where(plans.c.name == source.experiment["name"])
    cells = select(members.c.cell).where(members.c.experiment.in_(named))
    standing = select(places.c.case).where(places.c.experiment.in_(named))
    graded = select(schema.scores.c.case).where(schema.scores.c.cell.in_(cells))
    query = select(schema.cases.c.content).where(schema.cases.c.id.in_(graded), schema.cases.c.id.not_in(standing))
    found: dict[str, list[Case]] = defaultdict(list)
    for content in source.connection.execute(query.order_by(schema.cases.c.id)).scalars():
        case = case_of(content)
        found[case.question.digest].append(case)
    return {question: several for question, several in found.items() if question in source.cases}
