"""Whose draft the free words of a captain, a reviewer or a summariser are: needed to measure, not to play.

It tells how often captains choose their own draft, and whether it matters where a draft stands. Words that equal a
draft, normalised or lemmatised, need nobody. What is left of a question, of all its captains and strategies together,
goes to the grouping model in one call, or past the embedding; what comes back is kept as groups of texts, so that a
report asks nobody and a second run asks nothing. A strategy with repeats of its own reads the same drafts in each of
them, so all of these are in the one call.
"""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from moot.grade.group import PartitionForm, Stages
from moot.grade.lemmas import lemma_key
from moot.grade.normalise import normalise
from moot.store import queries, schema
from moot.store.rows import verdict_of
from moot.store.statements import Row
from moot.store.store import Store
from moot.team import Team
from moot.traces import Shown, of_kind
from moot.types import Answer, Case, Question, Verdict, digest

if TYPE_CHECKING:  # a report reads matches too, and plays nothing
    from moot.experiment.plan import Cell, Plan

MATCHING = "matching"
"""The stage under which such a call stands."""

QUESTIONS_TOGETHER = 100

Groups = tuple[tuple[str, ...], ...]


@dataclass
class Matched:
    """What it took: measurement, in no strategy's cost."""

    asked: int = 0
    """Questions that had words left over and no answer on record."""
    failed: int = 0
    """Of these, how many the grouping model gave no usable word on; their captains' choices stay unknown."""
    calls: int = 0
    """Calls made; none for what the store held."""


@dataclass(frozen=True, slots=True)
class Unmatched:
    """One question whose captains said what no draft says in so many words."""

    case: Case
    repeat: int
    drafts: tuple[str, ...]
    words: tuple[str, ...]
    earlier: tuple[Mapping[str, Any], ...]
    """What was matched on this question before, perhaps for another team."""


def decider_speaks(cell: Cell) -> bool:
    """Whether somebody who read drafts decides in words of its own: a captain, a reviewer, a summariser, a juror."""
    return cell.traits.drafts is not None and cell.traits.word in ("captain", "office")


def words_of(verdict: Verdict) -> list[str]:
    """What those who read drafts then said, as far as the play itself does not tell whose draft it is."""
    looks = of_kind(verdict.traces, Shown)
    return [look.answer for look in looks if look.answer is not None and look.places is None]


def drafts_repeat(repeat: int, own: int) -> int:
    """The repeat whose drafts an episode rests on, when its strategy plays each set of drafts so often."""
    return repeat // own


def own_repeats(cell: Cell) -> int:
    return cell.traits.repeats


def matched_by(config: Mapping[str, Any]) -> str | None:
    """A name for who matches, from the experiment's file; None where words alone decide."""
    grouping = config.get("grouping") or {}
    if not grouping.get("model") and not grouping.get("embedding"):
        return None
    return digest([grouping, config["models"].get(grouping.get("model"))])


async def match_all(store: Store, experiment: Plan) -> Matched:
    """Match every stored word of a captain. `experiment` is seated: its models are those of the run."""
    done = Matched()
    cells = [cell for cell in experiment.cells if decider_speaks(cell)]
    by = matched_by(experiment.public_config)
    if by is None or not cells:
        return done
    grouping = experiment.spec.grouping
    shown = grouping is not None and grouping.reference == "shown"
    for batch in _batches(experiment.dataset or (), QUESTIONS_TOGETHER):
        left = await _unmatched(store, cells, batch, by)
        work = [_match(store, each, cells[0].team, by, shows_reference=shown) for each in left]
        found = await asyncio.gather(*work)
        done.asked += len(found)
        done.failed += sum(not each for each in found)
    await store.flush()
    return done


async def _unmatched(store: Store, cells: Sequence[Cell], cases: Sequence[Case], by: str) -> list[Unmatched]:
    """What is left of these questions once equal words and earlier matches are taken away."""
    by_digest = {case.question.digest: case for case in cases if case.question.kind == "open"}
    places = {cell.id: place for place, cell in enumerate(cells)}
    own = {cell.id: own_repeats(cell) for cell in cells}
    rows = await store.run(partial(queries.episodes_on, cells=list(places), questions=list(by_digest)))
    rows.sort(key=lambda row: places[row["cell"]])
    known = await store.run(partial(queries.matches_on, questions=list(by_digest)))
    earlier = {(row["question"], row["repeat"]): tuple(json.loads(row["content"])) for row in known}
    verdicts: dict[tuple[str, int], list[Verdict]] = defaultdict(list)
    for row in rows:
        key = (row["question"], drafts_repeat(row["repeat"], own[row["cell"]]))
        verdicts[key].append(verdict_of(row["verdict"]))
    left = []
    for key in sorted(verdicts):
        found = words_left(by_digest[key[0]], key[1], verdicts[key], earlier.get(key, ()))
        if found is not None and _covering(found.earlier, by, [*found.drafts, *found.words]) is None:
            left.append(found)
    return left


def words_left(
    case: Case, repeat: int, verdicts: Sequence[Verdict], earlier: tuple[Mapping[str, Any], ...] = ()
) -> Unmatched | None:
    """What the captains of one question said that no draft says; None: nothing."""
    if case.question.kind != "open":
        return None
    drafts = dict.fromkeys(text for verdict in verdicts for text in _texts(verdict.answers))
    words = sorted({word for verdict in verdicts for word in _left_over(case.question, verdict)})
    return Unmatched(case, repeat, tuple(drafts), tuple(words), earlier) if words else None


def _left_over(question: Question, verdict: Verdict) -> Iterator[str]:
    """What those who decide said that no draft says."""
    texts = _texts(verdict.answers)
    yield from (word for word in words_of(verdict) if not equal_words(question, texts, word))


async def _match(store: Store, left: Unmatched, team: Team, by: str, *, shows_reference: bool) -> bool:
    """Ask about one question and keep what is said. False: nothing usable was; the next run asks again."""
    question = left.case.question
    seated = team.seated(left.repeat)
    groups = await match_words(left, seated, shows_reference=shows_reference)
    if groups is None:
        return False
    keys = [call.reply.key for call in seated.journal if call.reply is not None]
    entry = {"by": by, "groups": groups, "calls": keys}
    content = json.dumps([*left.earlier, entry], ensure_ascii=False)
    store.put_later([(schema.matches, {"question": question.digest, "repeat": left.repeat, "content": content})])
    return True


async def match_words(left: Unmatched, team: Team, *, shows_reference: bool) -> list[list[str]] | None:
    """The texts of a question by meaning; None where the grouping model gave no usable word."""
    grouper = team.grouper
    assert isinstance(grouper, Stages), "who matches is who groups"
    question = left.case.question
    clusters: dict[str, list[str]] = {}
    for text in (*left.drafts, *left.words):
        clusters.setdefault(word_key(question, text), []).append(text)
    alike = list(clusters.values())
    parts: list[list[int]] | None
    if grouper.model is not None:
        told = grouper.knowing(left.case) if shows_reference else grouper
        parts = await _by_model(question, [texts[0] for texts in alike], team, told)
    else:
        parts = await _by_similarity(question, [texts[0] for texts in alike], team, grouper)
    if parts is None:
        return None
    return [[text for number in part for text in alike[number]] for part in parts]


async def _by_model(question: Question, texts: Sequence[str], team: Team, grouper: Stages) -> list[list[int]] | None:
    assert grouper.model is not None
    prompt = team.prompts.render("group", question=question.text, answers=texts, reference=grouper.reference)
    heard = await team.ask(grouper.model, question, prompt, PartitionForm(len(texts)), stage=MATCHING)
    return heard.value


async def _by_similarity(question: Question, texts: Sequence[str], team: Team, grouper: Stages) -> list[list[int]]:
    grouping = await grouper.group(question, [Answer(str(number), text) for number, text in enumerate(texts)], team)
    return [[int(number) for number in group] for group in grouping.groups]


def word_key(question: Question, text: str) -> str:
    """What two texts that say the same in so many words share: the first two stages of grouping."""
    if question.kind != "open":
        return normalise(text)
    return lemma_key(text, question.language)


def equal_words(question: Question, texts: Iterable[str], word: str) -> list[str]:
    """Those of the texts that say this word. Lemmas are looked up only where normalising is not enough."""
    several = list(texts)
    plain = normalise(word)
    if found := [text for text in several if normalise(text) == plain]:
        return found
    if question.kind != "open":
        return []
    key = word_key(question, word)
    return [text for text in several if word_key(question, text) == key]


class Matches:
    """Which texts mean the same, as far as it is on record for one experiment: the table `matches`, read."""

    def __init__(self, rows: Iterable[Row], config: Mapping[str, Any]) -> None:
        self._by = matched_by(config)
        self._entries = {(row["question"], row["repeat"]): json.loads(row["content"]) for row in rows}

    @property
    def calls(self) -> set[str]:
        """Keys of the calls it took."""
        entries = (entry for several in self._entries.values() for entry in several if entry["by"] == self._by)
        return {key for entry in entries for key in entry["calls"]}

    def proposers(self, question: Question, repeat: int, drafts: Sequence[Answer], word: str) -> tuple[str, ...] | None:
        """Who had drafted what the captain then said; nobody: it is new. None: not known, nobody having been asked."""
        texts = _texts(drafts)
        same: Collection[str] = equal_words(question, texts, word)
        if not same and question.kind == "open" and self._by is not None:
            groups = _covering(self._entries.get((question.digest, repeat), ()), self._by, [*texts, word])
            if groups is None:
                return None
            same = next(group for group in groups if word in group)
        return tuple(draft.player for draft in drafts if draft.text is not None and draft.text in same)

    def groups(self, question: Question, repeat: int, drafts: Sequence[Answer]) -> Groups:
        """The drafts by meaning where no strategy grouped them: by words, and by what was matched if anything was."""
        entries = self._entries.get((question.digest, repeat), ())
        matched = _covering(entries, self._by, _texts(drafts)) if question.kind == "open" and self._by else None
        places = {text: str(number) for number, group in enumerate(matched or ()) for text in group}
        together: dict[str, list[str]] = {}
        for draft in drafts:
            if draft.text is not None:
                key = places[draft.text] if matched is not None else word_key(question, draft.text)
                together.setdefault(key, []).append(draft.player)
        return tuple(tuple(players) for players in together.values())


def _covering(entries: Sequence[Mapping[str, Any]], by: str | None, texts: Iterable[str]) -> list[list[str]] | None:
    """The newest groups that hold all of these texts."""
    wanted = set(texts)
    for entry in reversed(entries):
        if entry["by"] == by and wanted <= {text for group in entry["groups"] for text in group}:
            groups: list[list[str]] = entry["groups"]
            return groups
    return None


def _texts(answers: Iterable[Answer]) -> list[str]:
    return [answer.text for answer in answers if answer.text is not None]


def _batches(cases: Iterable[Case], size: int) -> Iterator[list[Case]]:
    walker = iter(cases)
    while batch := list(islice(walker, size)):
        yield batch
