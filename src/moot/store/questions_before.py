"""What earlier plans of a name asked, beside what this one asks: questions that are gone, and references that are others.

A question of a file without ids is numbered by its row, and its number is a part of what is played and paid. So one row more
gives all below it another identity, and nobody has taken anything out. What a question is here goes by its words.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import cached_property

from sqlalchemy import Connection, select

from moot.store import queries, schema
from moot.store.rows import case_of
from moot.store.same_options import same_options
from moot.store.statements import Row
from moot.store.undertakings import plans_named
from moot.types import Case


class _Asked:
    """The questions of a plan, and what is known of each once somebody asks for it."""

    def __init__(self, connection: Connection, ident: str) -> None:
        self._connection, self._ident = connection, ident

    @cached_property
    def references(self) -> dict[str, str]:
        """By question: with which reference it has it."""
        places = schema.experiment_questions
        query = select(places.c.question, places.c.case).where(places.c.experiment == self._ident)
        return {row.question: row.case for row in self._connection.execute(query)}

    def cases(self, questions: Collection[str]) -> dict[str, Case]:
        """Those of these questions that it has."""
        if not questions:
            return {}
        places, cases = schema.experiment_questions, schema.cases
        query = select(places.c.question, cases.c.content).join(cases, cases.c.id == places.c.case)
        rows = self._connection.execute(query.where(places.c.experiment == self._ident))
        return {row.question: case_of(row.content) for row in rows if row.question in questions}

    def wordings(self, questions: Collection[str]) -> dict[str, str]:
        return {question: case.question.wording for question, case in self.cases(questions).items()}

    @cached_property
    def played(self) -> set[str]:
        """All that the cells of the plan have played, for whichever plan it was."""
        cells, episodes = schema.experiment_cells, schema.episodes
        played = select(episodes.c.question).join(cells, cells.c.cell == episodes.c.cell)
        return set(self._connection.execute(played.where(cells.c.experiment == self._ident).distinct()).scalars())


def questions_taken_out(connection: Connection, experiment: Row, asked: Mapping[str, str] | None = None) -> int:
    """How many were played for an earlier plan of this name, beside questions that this one has too, and are not in it.

    One that only has another id is in it; one that is asked in other words is not. `asked`: the wordings of its questions
    by their digests, where it is not in the store yet.
    """
    if not (earlier := _earlier(connection, experiment)):
        return 0
    now = _Asked(connection, experiment["id"])
    own = (now.references if asked is None else asked).keys()
    out: Counter[str] = Counter()
    for before in earlier:
        questions = before.references.keys()
        if not (gone := questions - own):
            continue
        new = own - questions
        words = before.wordings(gone)
        there = Counter(
            (now.wordings(new) if asked is None else {question: asked[question] for question in new}).values()
        )
        if len(gone) == len(questions) and there.keys().isdisjoint(words.values()):
            continue
        lost = Counter(words.values()) - there
        out |= lost & Counter(words[question] for question in gone & before.played)
    return out.total()


def references_changed(connection: Connection, experiment: Row) -> set[str]:
    """Questions of this plan that were played for an earlier one of its name, which had another reference for them."""
    now, changed = _Asked(connection, experiment["id"]), set[str]()
    for before in _earlier(connection, experiment):
        own, then = now.references, before.references
        others = {question for question, case in own.items() if then.get(question, case) != case} - changed
        if others:
            changed |= others & before.played
        if (new := own.keys() - then.keys() - changed) and (gone := then.keys() - own.keys()):
            changed |= _moved_and_mended(now.cases(new), before.cases(gone & before.played))
    return changed


def _moved_and_mended(now: Mapping[str, Case], then: Mapping[str, Case]) -> set[str]:
    """Those that stood under another id, and had another reference there."""
    references = defaultdict[str, set[str]](set)
    for case in map(_without_id, then.values()):
        references[case.question.digest].add(case.digest)
    found = {question: _without_id(case) for question, case in now.items()}
    return {
        question
        for question, case in found.items()
        if case.question.digest in references and case.digest not in references[case.question.digest]
    }


def _without_id(case: Case) -> Case:
    return replace(case, question=replace(case.question, id=""))


def carry_settlements(connection: Connection, ident: str, cases: Iterable[Case]) -> None:
    """A person's words on answers to these, said when they stood under other ids in a plan of this name, stand here too."""
    plans, places, words = schema.experiments, schema.experiment_questions, schema.settlements
    # Mostly nobody has said a word; else each batch of questions would go through all that stand in the plan by then.
    if connection.execute(select(words.c.case).limit(1)).first() is None:
        return
    name = select(plans.c.name).where(plans.c.id == ident).scalar_subquery()
    named = select(places.c.case).join(plans, plans.c.id == places.c.experiment).where(plans.c.name == name)
    query = select(schema.cases.c.content, words).join(words, words.c.case == schema.cases.c.id)
    said = connection.execute(query.where(words.c.case.in_(named))).mappings().all()
    if not said:
        return
    heard = defaultdict[str, list[Row]](list)
    for row in said:
        word = {key: value for key, value in row.items() if key != "content"}
        heard[_without_id(case_of(row["content"])).digest].append(word)
    new = [{**word, "case": case.digest} for case in cases for word in heard[_without_id(case).digest]]
    queries.add(connection, words, new)


def questions_played(connection: Connection, name: str, cells: Collection[str], asked: Collection[str]) -> set[str]:
    """What was played under this name, and what these cells, or the same with other lessons, played of `asked` under any."""
    episodes = schema.episodes
    found: set[str] = set()
    for plan in plans_named(connection, [name]):
        before = _Asked(connection, plan["id"])
        found |= before.references.keys() & before.played
    for cell in same_options(connection, cells):
        played = connection.execute(select(episodes.c.question).where(episodes.c.cell == cell).distinct()).scalars()
        found.update(set(asked).intersection(played))
    return found


def _earlier(connection: Connection, experiment: Row) -> list[_Asked]:
    """The plans of its name that were made before it."""
    plans = plans_named(connection, [experiment["name"]], experiment["id"])
    return [_Asked(connection, plan["id"]) for plan in plans if plan["created_at"] < experiment["created_at"]]
