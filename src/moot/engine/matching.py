"""Which drafts mean the same, and whose draft the free words of a captain or a summariser are: to measure, not to play.

It tells how much players differ, how often captains choose their own draft, and whether it matters where a draft stands.
Drafts are grouped by the very call that a vote on them makes, so it costs nothing where one was held, and a figure is
the same whether one was or not. Words that equal a draft, normalised or lemmatised, need nobody. Every other word is
asked about by itself, beside one draft of each group: what comes back does not hang on who else is in the file. What is
learnt is kept, so that a report asks nobody and a second run asks nothing.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import orjson

from moot.engine.batches import batches
from moot.engine.match_record import (
    Entry,
    drafts_that_say,
    equal_words,
    groups_on_record,
    matched_by,
    texts_of,
    whole_texts,
    word_keys,
)
from moot.engine.match_record import Matches as Matches  # what is written here is read by these
from moot.grade.group import PartitionForm, Stages
from moot.models.cut_out import was_cut
from moot.needs import EVERYTHING, Needs
from moot.store import queries, schema
from moot.store.rows import verdict_of
from moot.store.statements import Row
from moot.store.store import Store
from moot.team import Team
from moot.team.together import together
from moot.traces import NotNeeded, Shown, not_waited_for, of_kind, trace_json
from moot.types import Answer, Case, Question, Verdict

if TYPE_CHECKING:  # a report reads matches too, and plays nothing
    from moot.experiment.plan import Cell, Plan

_NOT_NEEDED_KIND = json.dumps(trace_json(NotNeeded(()))["kind"])
"""What a stored verdict holds if it was reached before everybody was heard."""
MATCHING = "matching"
"""The stage under which a call about a word stands."""


@dataclass
class Matched:
    """What it took: measurement, in no strategy's cost."""

    asked: int = 0
    """Sets of drafts and words that nothing on record told about."""
    failed: int = 0
    """Of these, how many the grouping model gave no usable word on; they stay unknown, and are asked about again."""
    calls: int = 0
    """Calls made; none for what the store held."""

    def __add__(self, other: Matched) -> Matched:
        return Matched(self.asked + other.asked, self.failed + other.failed, self.calls + other.calls)


class Drafted(NamedTuple):
    """An episode of a cell whose players first answered alone."""

    cell: Cell
    repeat: int
    """Of the drafts: episodes of a strategy with repeats of its own share them."""
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class DraftSet:
    """Drafts of one question that were read together, and what those who read them then said in other words."""

    case: Case
    repeat: int
    team: Team
    """Whose grouper and prompts are asked; every table of a file has the same."""
    drafts: tuple[str, ...]
    words: tuple[str, ...]


@dataclass
class Learnt:
    """What was found out about one set of drafts."""

    groups: list[list[str]] | None = None
    """None: the grouping model gave no usable word, or need not be asked."""
    same: dict[str, list[str]] = field(default_factory=dict)
    """By word: the drafts that say it."""
    asked: int = 0
    failed: int = 0
    calls: dict[str | None, list[str]] = field(default_factory=dict)
    """Keys of the calls that it took: of the grouping under None, of each word under the word."""


def decider_speaks(cell: Cell) -> bool:
    """Whether somebody who read drafts decides in words of its own: a captain, a reviewer, a summariser, a juror."""
    return drafts_together(cell) and cell.traits.word in ("captain", "office")


def drafts_together(cell: Cell) -> bool:
    """Whether the players of a table first answer alone, so that there are drafts that may mean the same."""
    return cell.traits.drafts is not None and not cell.traits.alone


def words_of(verdict: Verdict) -> list[str]:
    """What those who read drafts then said, as far as the play itself does not tell whose draft it is."""
    looks = of_kind(verdict.traces, Shown)
    return [look.answer for look in looks if look.answer is not None and look.places is None]


def reference_shown(plan: Plan) -> bool:
    grouping = plan.spec.grouping
    return grouping is not None and grouping.reference == "shown"


async def match_all(store: Store, plan: Plan, needs: Needs = EVERYTHING) -> Matched:
    """Learn what is needed of every stored set of drafts. `plan` is seated: its models are those of the run."""
    done = Matched()
    cells = [cell for cell in plan.cells if _concerned(cell, needs)]
    alone = [cell for cell in plan.cells if cell.traits.alone]
    by = matched_by(plan.public_config)
    if by is None or not cells:
        return done
    for cases in batches(plan.dataset or ()):
        await _match_batch(store, cells, alone, cases, by, needs, done, shows_reference=reference_shown(plan))
    await store.flush()
    return done


def _concerned(cell: Cell, needs: Needs) -> bool:
    return (needs.grouped_drafts and drafts_together(cell)) or (needs.matched_words and decider_speaks(cell))


async def _match_batch(
    store: Store,
    cells: Sequence[Cell],
    alone: Sequence[Cell],
    cases: Sequence[Case],
    by: str,
    needs: Needs,
    done: Matched,
    *,
    shows_reference: bool,
) -> None:
    by_id = {cell.id: cell for cell in (*cells, *alone)}
    places = {ident: place for place, ident in enumerate(by_id)}
    rows = await store.run(
        partial(queries.episodes_on, cells=[cell.id for cell in cells], questions=_open_questions(cases))
    )
    if unheard := sorted({row["question"] for row in rows if _NOT_NEEDED_KIND in row["verdict"]}):
        solos = [cell.id for cell in alone]
        rows += [
            row
            for row in await store.run(partial(queries.episodes_on, cells=solos, questions=unheard))
            if not any(step[4] is not None for step in orjson.loads(row["transcript"]))  # that may be another call
        ]
    rows.sort(key=lambda row: places[row["cell"]])
    played: dict[str, list[Drafted]] = defaultdict(list)
    for row in rows:
        cell = by_id[row["cell"]]
        repeat = cell.traits.drafts_repeat(row["repeat"])
        played[row["question"]].append(Drafted(cell, repeat, verdict_of(row["verdict"])))
    await _match_played(store, cases, played, _paid(rows), by, needs, done, shows_reference=shows_reference)


async def match_drafted(
    store: Store, plan: Plan, cases: Sequence[Case], played: Mapping[str, Sequence[Drafted]], needs: Needs
) -> Matched:
    """The same of drafts that no episode of their own holds, by question: those that others learn from."""
    done = Matched()
    by = matched_by(plan.public_config)
    if by is not None:
        cells, questions = [cell.id for cell in plan.cells], _open_questions(cases)
        rows = await store.run(partial(queries.episodes_on, cells=cells, questions=questions))
        shows_reference = reference_shown(plan)
        await _match_played(store, cases, played, _paid(rows), by, needs, done, shows_reference=shows_reference)
    return done


def _open_questions(cases: Iterable[Case]) -> list[str]:
    return [case.question.digest for case in cases if case.question.kind == "open"]


def _paid(rows: Iterable[Row]) -> dict[str, set[str]]:
    """By question: the calls that were made in play."""
    paid: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        paid[row["question"]].update(step[3] for step in orjson.loads(row["transcript"]) if step[3])
    return paid


async def _match_played(
    store: Store,
    cases: Sequence[Case],
    played: Mapping[str, Sequence[Drafted]],
    paid: Mapping[str, Collection[str]],
    by: str,
    needs: Needs,
    done: Matched,
    *,
    shows_reference: bool,
) -> None:
    """Whatever is not on record yet of what was played on these questions."""
    stored = await store.run(partial(queries.matches_on, questions=_open_questions(cases)))
    entries = {(row["question"], row["repeat"]): json.loads(row["content"]) for row in stored}
    open_sets: dict[tuple[str, int], list[DraftSet]] = defaultdict(list)
    for case in cases:
        question = case.question.digest
        for drafts in draft_sets(case, played.get(question, ()), needs):
            left = left_to_learn(drafts, by, entries.get((question, drafts.repeat), ()))
            if left is not None:
                open_sets[question, drafts.repeat].append(left)
    work = [
        _learn_and_keep(
            store, sets, by, entries.get(key, ()), paid.get(key[0], ()), done, shows_reference=shows_reference
        )
        for key, sets in open_sets.items()
    ]
    await together(work)


def draft_sets(case: Case, played: Iterable[Drafted], needs: Needs) -> list[DraftSet]:
    """What must be learnt about the drafts of a question: each set once, however many captains have read it."""
    if case.question.kind != "open":
        return []
    every = list(played)
    teams: dict[tuple[int, tuple[str, ...]], Team] = {}
    left: dict[tuple[int, tuple[str, ...]], set[str]] = defaultdict(set)
    for cell, repeat, verdict in every:
        several = texts_of(verdict.answers)
        texts = whole_texts(several)
        if not texts or not drafts_together(cell):
            continue
        words = needs.matched_words and decider_speaks(cell) and not any(map(was_cut, several))
        words_left = _words_left(case.question, texts, verdict) if words else ()
        if needs.grouped_drafts or words_left:
            teams.setdefault((repeat, texts), cell.team)
            left[repeat, texts].update(words_left)
        if needs.grouped_drafts and (whole := _with_unheard(cell, repeat, verdict, every)):
            teams.setdefault((repeat, whole), cell.team)
    return [
        DraftSet(case, repeat, team, texts, tuple(sorted(left[repeat, texts])))
        for (repeat, texts), team in teams.items()
    ]


def _with_unheard(cell: Cell, repeat: int, verdict: Verdict, played: Sequence[Drafted]) -> tuple[str, ...]:
    """The drafts of a play that did not wait for all, with what the others said who were heard elsewhere; none: all were."""
    unheard = not_waited_for(verdict.traces)
    if not unheard:
        return ()
    said = {draft.player: draft.text for draft in verdict.answers if draft.player not in unheard}
    for other in played:
        if other.repeat == repeat and other.cell.traits.drafts == cell.traits.drafts:
            dropped = not_waited_for(other.verdict.traces)
            for draft in _said_alone(other):
                if draft.player in unheard - dropped:
                    said.setdefault(draft.player, draft.text)
    texts = (said.get(player.name) for player in cell.team.players)
    return whole_texts(texts)


def _said_alone(played: Drafted) -> Sequence[Answer]:
    if played.cell.player is None:
        return played.verdict.answers
    return (Answer(played.cell.player, played.verdict.answer),)


def _words_left(question: Question, drafts: Sequence[str], verdict: Verdict) -> list[str]:
    """What those who decide said that no draft says."""
    return [word for word in words_of(verdict) if not was_cut(word) and not equal_words(question, drafts, word)]


def left_to_learn(drafts: DraftSet, by: str, entries: Sequence[Entry]) -> DraftSet | None:
    """What is not on record yet; None: everything is."""
    words = tuple(word for word in drafts.words if drafts_that_say(entries, by, drafts.drafts, word) is None)
    grouped = _one_meaning(drafts) or groups_on_record(entries, by, drafts.drafts) is not None
    return None if grouped and not words else DraftSet(drafts.case, drafts.repeat, drafts.team, drafts.drafts, words)


def _one_meaning(drafts: DraftSet) -> bool:
    return len({*word_keys(drafts.case.question, drafts.drafts).values()}) < 2


async def _learn_and_keep(
    store: Store,
    sets: Sequence[DraftSet],
    by: str,
    entries: Sequence[Entry],
    paid: Collection[str],
    done: Matched,
    *,
    shows_reference: bool,
) -> None:
    """All sets of drafts of one question and repeat. What gave nothing usable is not kept: the next run asks again."""
    learnt = await together(learn(drafts, shows_reference=shows_reference) for drafts in sets)
    fresh: list[Entry] = []
    for drafts, about in zip(sets, learnt, strict=True):
        done.asked += about.asked
        done.failed += about.failed
        fresh += _entries(drafts, about, by, groups_on_record(entries, by, drafts.drafts), paid)
    if fresh:
        content = json.dumps([*entries, *fresh], ensure_ascii=False)
        row = {"question": sets[0].case.question.digest, "repeat": sets[0].repeat, "content": content}
        store.put_later([(schema.matches, row)])


def _entries(
    drafts: DraftSet, about: Learnt, by: str, grouped: list[list[str]] | None, paid: Collection[str]
) -> Iterator[Entry]:
    """A call that some strategy made in play is no measurement."""
    texts = list(drafts.drafts)
    if about.groups is not None and grouped is None:
        calls = [key for key in about.calls.get(None, ()) if key not in paid]
        yield {"by": by, "drafts": texts, "groups": about.groups, "calls": calls}
    for word, same in about.same.items():
        yield {"by": by, "drafts": texts, "word": word, "same": same, "calls": about.calls.get(word, [])}


async def learn(drafts: DraftSet, *, shows_reference: bool) -> Learnt:
    """Group the drafts as a vote would, then ask about every word by itself."""
    team = drafts.team
    grouper = team.grouper
    assert isinstance(grouper, Stages), "who matches is who groups"
    if shows_reference:
        grouper = grouper.knowing(drafts.case)
    about = Learnt()
    groups = await group_drafts(drafts, team.seated(drafts.repeat), grouper, about)
    await together(
        match_word(drafts, groups, word, team.seated(drafts.repeat), grouper, about) for word in drafts.words
    )
    return about


async def group_drafts(drafts: DraftSet, team: Team, grouper: Stages, about: Learnt) -> list[list[str]]:
    """By the call of `team.group` in play. Where the model gives nothing usable the words decide, as they do there."""
    grouping = await grouper.group(drafts.case.question, [Answer(text, text) for text in drafts.drafts], team)
    groups = [list(group) for group in grouping.groups]
    if not _one_meaning(drafts):
        about.asked += 1
        about.failed += grouping.fell_back is not None
        about.groups = groups if grouping.fell_back is None else None
        about.calls[None] = _keys(team)
    return groups


async def match_word(
    drafts: DraftSet, groups: Sequence[Sequence[str]], word: str, team: Team, grouper: Stages, about: Learnt
) -> None:
    """One word beside one draft of each group."""
    question, texts = drafts.case.question, [*(group[0] for group in groups), word]
    about.asked += 1
    parts: list[list[int]] | None
    if grouper.model is not None:
        prompt = grouper.prompt(question, texts, team)
        heard = await team.ask(grouper.model, question, prompt, PartitionForm(len(texts)), stage=MATCHING)
        parts = heard.value
    else:
        numbered = [Answer(str(number), text) for number, text in enumerate(texts)]
        grouping = await grouper.group(question, numbered, team)
        parts = [[int(number) for number in group] for group in grouping.groups]
    if parts is None:
        about.failed += 1
        return
    mine = next(part for part in parts if len(groups) in part)
    about.same[word] = [text for number in mine if number < len(groups) for text in groups[number]]
    about.calls[word] = _keys(team)


def _keys(team: Team) -> list[str]:
    return [call.reply.key for call in team.journal if call.reply is not None]
