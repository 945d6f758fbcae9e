"""What an answer is worth by what a store holds: its grades, the words of judges and persons, and a grader that is not ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from sqlalchemy import Connection

from moot.grade.graders import USUAL, AskedOnce, grader_or_absent, version_here
from moot.grade.grading import GradedBy, scored, scores_name
from moot.grade.match import HANGING, no_answer
from moot.grade.normalise import answer_key, folded_if_long, normalise
from moot.grade.persons import persons_word, words_by_case
from moot.grade.ways import CUT_SHORT, way_of
from moot.measures.cells import Row
from moot.measures.episodes import EpisodeOutline
from moot.measures.judgements import judgements_by_case
from moot.models.cut_out import was_cut
from moot.stats.graded import WayOfGrading
from moot.store import queries
from moot.store.rows import grades_of
from moot.traces import hangs_on_cut_words
from moot.types import WITH_ANSWER, Case, Score


def grader_of(config: Mapping[str, Any]) -> str:
    """The name under which the scores of an experiment are stored: see `grade.grading`."""
    return scores_name(*GradedBy.of(config))


class StoredGrades:
    """The grades of one experiment. None is ungraded, which is not wrong."""

    def __init__(
        self, connection: Connection, ident: str, config: Mapping[str, Any], cases: Sequence[str], grader: str
    ) -> None:
        """`cases`: by their digests. `grader`: the name under which its scores are stored."""
        self._connection = connection
        self._ident = ident
        self._stored_as = grader
        self._grader_name, self.judges, batch = GradedBy.of(config)
        self.digests = cases
        self.judgements = judgements_by_case(connection, self.digests, self.judges, batch)
        """What the named judges have said, by the digest of the case."""
        self._by_case = words_by_case(queries.settlements_on(connection, self.digests))
        self._turned = queries.turned_words(connection, self.digests)
        """What persons have said."""

    def score(self, case: Case, text: str | None) -> Score:
        """What a text is worth, with the stage of grading that has settled it, or has not."""
        if text is None:
            return self.of_nothing(case)
        person = self._persons_word(case, text)
        words = self.judgements.get(case.digest, ())
        return scored(self._grader, case, text, words, person, judges=len(self.judges))

    def of_text(self, case: Case, text: str | None) -> tuple[float | None, WayOfGrading]:
        """What a text is worth, and how it came by that."""
        score = self.score(case, text)
        return score.value, way_of(score.value, score.stage, waits=self.wait(case))

    def of_row(self, row: Row, case: Case) -> tuple[float | None, WayOfGrading]:
        """The same of a stored result."""
        if row["answer"] is None:
            nothing = self.of_nothing(case)
            return nothing.value, way_of(nothing.value, nothing.stage, waits=self.wait(case))
        if hangs_on_cut_words(row["verdict"]):
            return None, way_of(None, HANGING.stage, waits=self.wait(case))
        return row["value"], way_of(row["value"], row["stage"], waits=self.wait(case))

    def of_nothing(self, case: Case) -> Score:
        """What a play without an answer is worth. In a store of before it may be 0 where nobody has said what is right."""
        return no_answer(known=self.wait(case))

    def marked(self, episode: EpisodeOutline, case: Case) -> EpisodeOutline:
        """With why it has no grade, of one that has none or no answer."""
        waits = self.wait(case)
        if episode.outcome in WITH_ANSWER and was_cut(episode.open_words):
            return episode._replace(waits=waits, open_words=None, stage=CUT_SHORT)
        if episode.outcome in WITH_ANSWER:
            return episode._replace(waits=waits, open_words=self.open_words(None, episode.open_words))
        return episode if waits else episode._replace(right=None, stage=self.of_nothing(case).stage)

    def open_words(self, right: float | None, text: str | None) -> str | None:
        """What an ungraded answer says, as its grade will go by it: everybody who grades is asked about normalised words. What
        was cut out of one may be other words in every one of them."""
        return None if right is not None or text is None or was_cut(text) else folded_if_long(text)

    def open_words_of(self, right: float | None, row: Row) -> str | None:
        """The same of a stored result: what hangs on an answer that nobody knows has no words that others could have too."""
        return None if hangs_on_cut_words(row["verdict"]) else self.open_words(right, row["answer"])

    def wait(self, case: Case) -> bool:
        """Whether somebody has said what is right, so that it may hang on what an answer says whether it has a grade.

        A reference says it; and so does a person's word on any answer, since it is the word on every equal one, and on none
        that differs.
        """
        return case.known or case.digest in self._by_case

    def turned(self, case: Case, text: str) -> bool:
        """Whether persons have called this answer right and wrong: the last word is its grade."""
        return bool(self._turned) and (case.digest, answer_key(case.question, text)) in self._turned

    def _persons_word(self, case: Case, text: str | None) -> bool | None:
        if text is None or not self.wait(case):
            return None
        return persons_word(case, text, self._by_case.get(case.digest, {}))

    @property
    def nobody_to_ask(self) -> bool:
        """Whether only a person can grade what the match leaves open: there is neither a judge nor another grader."""
        return not self.judges and self._grader_name == USUAL

    @property
    def grader_broke(self) -> dict[str, int]:
        """How a grader that is not ours failed, and on how many answers: as the run kept it, and on what was asked since.

        Equal answers to a question are one, whoever gave them: the grader is asked about them once.
        """
        if self._grader is None:
            return {}
        broke = dict(self._grader.broken)
        for digest, answer, failure in queries.failed_grades(self._connection, self._ident, self._stored_as):
            broke[digest, normalise(answer)] = failure
        return dict(Counter(broke.values()))

    @cached_property
    def grader_differs(self) -> str | None:
        """Said where the grades are those of another version of the grader than there is here."""
        kept_as = self._grader_name
        here = version_here(kept_as)
        if here in (None, kept_as):
            return None
        return (
            f"These are the grades of {kept_as}; the grader here is {here}: moot grade FILE asks it, and shows its own."
        )

    @cached_property
    def _grader(self) -> AskedOnce | None:
        """One that is not ours, with what it has said: it is asked only about what it never was."""
        if self._grader_name == USUAL:
            return None
        rows = queries.grades_on(self._connection, self.digests, self._grader_name)
        return AskedOnce(grader_or_absent(self._grader_name), grades_of(rows))
