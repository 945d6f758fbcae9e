"""What is on record about texts that mean the same: the table `matches`, and how it is read.

It is written by `engine.matching` and read by whoever measures; words that equal each other need no record.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from moot.grade.group import Stages
from moot.models.cut_out import was_cut
from moot.prompts import Prompts
from moot.store.statements import Row
from moot.team import Team
from moot.types import Answer, Question, digest

Groups = tuple[tuple[str, ...], ...]
Entry = Mapping[str, Any]
"""One thing learnt about the texts of a question, as it is stored:

    {"by", "drafts": [...], "groups": [[...], ...], "calls"}    drafts by meaning
    {"by", "drafts": [...], "word", "same": [...], "calls"}     the drafts that say what somebody then said; none: new
    {"by", "groups": [[...], ...], "calls"}                     drafts and words in one call, as it once was done
"""


def matched_by(config: Mapping[str, Any]) -> str | None:
    """A name for who groups and matches, from the experiment's file; None where words alone decide."""
    grouping = config.get("grouping") or {}
    if not grouping.get("model") and not grouping.get("embedding"):
        return None
    return digest([grouping, config["models"].get(grouping.get("model"))])


def word_keys(question: Question, texts: Iterable[str]) -> dict[str, str]:
    """Of each of these texts, what it shares with those that say the same in so many words: as a play without a model would
    group them, so a figure is the same whether or not one did."""
    several = tuple(dict.fromkeys(texts))
    if len(several) < 2:
        return dict.fromkeys(several, "0")
    groups = _grouped_by_words(_bare(question), several)
    return {text: str(number) for number, group in enumerate(groups) for text in group}


def equal_words(question: Question, texts: Iterable[str], word: str) -> list[str]:
    """Those of the texts that say this word, as far as anybody knows: nobody does of one with a part cut out."""
    if was_cut(word):
        return []
    bare, several = _bare(question), [text for text in texts if not was_cut(text)]
    return [text for text in several if text == word or len(_grouped_by_words(bare, (text, word))) == 1]


def _bare(question: Question) -> Question:
    """All of a question that its words are grouped by."""
    return Question("", "", kind=question.kind, language=question.language)


def _grouped_by_words(question: Question, texts: tuple[str, ...]) -> Groups:
    """Short texts come again and again: of every play of a question, and in every figure."""
    return (_remembered if sum(map(len, texts)) < _SHORT else _grouped)(question, texts)


def _grouped(question: Question, texts: tuple[str, ...]) -> Groups:
    """What the grouper of plays comes to that asks nobody: it waits for nothing, so it is over at once."""
    answers = [Answer(str(place), text) for place, text in enumerate(texts)]
    try:
        Stages().group(question, answers, _NOBODY).send(None)
    except StopIteration as done:
        return tuple(tuple(texts[int(place)] for place in group) for group in done.value.groups)
    raise AssertionError("words are grouped without asking anybody")


_remembered = lru_cache(maxsize=1 << 14)(_grouped)
_SHORT = 1_000
"""Characters of all texts together."""
_NOBODY = Team("", (), Prompts("en"))
"""There is nobody to ask."""


class Matches:
    """Which texts mean the same, as far as it is on record for one experiment: the table `matches`, read."""

    def __init__(self, rows: Iterable[Row], config: Mapping[str, Any]) -> None:
        self._by = matched_by(config)
        self._entries = {(row["question"], row["repeat"]): json.loads(row["content"]) for row in rows}

    def __bool__(self) -> bool:
        """Whether anything is on record."""
        return self._by is not None and bool(self._entries)

    def calls(self, sets: Collection[tuple[str, int, tuple[str, ...]]]) -> set[str]:
        """Keys of the calls that it took to learn about these sets of drafts, by question, repeat and texts.

        Another experiment of the store may have asked about other drafts of the same question.
        """
        return {
            key
            for (question, repeat), several in self._entries.items()
            for entry in several
            if entry["by"] == self._by and ("drafts" not in entry or (question, repeat, tuple(entry["drafts"])) in sets)
            for key in entry["calls"]
        }

    def proposers(self, question: Question, repeat: int, drafts: Sequence[Answer], word: str) -> tuple[str, ...] | None:
        """Who had drafted what the captain then said; nobody: it is new. None: not known, nobody having been asked."""
        texts = texts_of(drafts)
        if any(map(was_cut, (*texts, word))):
            return None
        same: Collection[str] | None = equal_words(question, texts, word)
        if not same and question.kind == "open" and self._by is not None:
            same = drafts_that_say(self._entries.get((question.digest, repeat), ()), self._by, texts, word)
            if same is None:
                return None
        return tuple(draft.player for draft in drafts if draft.text is not None and draft.text in (same or ()))

    def by_words(self, question: Question, repeat: int, drafts: Sequence[Answer]) -> bool:
        """Whether words alone tell these drafts apart, although the file names somebody who could tell meanings."""
        if question.kind != "open" or self._by is None or self._grouped(question, repeat, drafts) is not None:
            return False
        return len({*word_keys(question, whole_texts(texts_of(drafts))).values()}) > 1

    def _grouped(self, question: Question, repeat: int, drafts: Sequence[Answer]) -> list[list[str]] | None:
        if question.kind != "open" or self._by is None:
            return None
        entries = self._entries.get((question.digest, repeat), ())
        texts = [text for text in texts_of(drafts) if not was_cut(text)]
        return groups_on_record(entries, self._by, texts) or _covering(entries, self._by, texts)

    def groups(self, question: Question, repeat: int, drafts: Sequence[Answer]) -> Groups:
        """The drafts by meaning: as they were grouped, be it only to measure; by words where nobody needed asking."""
        grouped = self._grouped(question, repeat, drafts)
        places = {text: str(number) for number, group in enumerate(grouped or ()) for text in group}
        together: dict[tuple[str, str], list[str]] = {}
        keys = word_keys(question, whole_texts(texts_of(drafts))) if grouped is None else {}
        for draft in drafts:
            if draft.text is None:
                continue
            if was_cut(draft.text):  # it may equal any other, or none
                together["", draft.player] = [draft.player]
                continue
            key = places[draft.text] if grouped is not None else keys[draft.text]
            together.setdefault((key, ""), []).append(draft.player)
        return tuple(tuple(players) for players in together.values())


def groups_on_record(entries: Sequence[Entry], by: str, drafts: Iterable[str]) -> list[list[str]] | None:
    """The newest groups of exactly these drafts, in this order: another order is another call, here as in play."""
    wanted = list(dict.fromkeys(drafts))
    for entry in reversed(entries):
        if entry["by"] == by and "drafts" in entry and "groups" in entry and entry["drafts"] == wanted:
            groups: list[list[str]] = entry["groups"]
            return groups
    return None


def drafts_that_say(entries: Sequence[Entry], by: str, drafts: Sequence[str], word: str) -> list[str] | None:
    """Which of exactly these drafts say the word; None: not on record."""
    wanted = list(dict.fromkeys(drafts))
    for entry in reversed(entries):
        if entry["by"] == by and entry.get("word") == word and entry["drafts"] == wanted:
            same: list[str] = entry["same"]
            return same
    covering = _covering(entries, by, [*drafts, word])
    return None if covering is None else next(group for group in covering if word in group)


def _covering(entries: Sequence[Entry], by: str, texts: Iterable[str]) -> list[list[str]] | None:
    """The newest groups of a call about drafts and words together that holds all of these texts."""
    wanted = set(texts)
    for entry in reversed(entries):
        if (
            entry["by"] == by
            and "drafts" not in entry
            and wanted <= {text for part in entry["groups"] for text in part}
        ):
            groups: list[list[str]] = entry["groups"]
            return groups
    return None


def texts_compared(entry: Entry) -> set[str]:
    """All that it is about: drafts, and a word that was held beside them."""
    grouped = (text for group in entry.get("groups", ()) for text in group)
    return {*entry.get("drafts", ()), *grouped, *([entry["word"]] if "word" in entry else [])}


def texts_of(answers: Iterable[Answer]) -> list[str]:
    return [answer.text for answer in answers if answer.text is not None]


def whole_texts(texts: Iterable[str | None]) -> tuple[str, ...]:
    """Each once, but those out of which something was cut: whom they equal nobody can tell."""
    return tuple(dict.fromkeys(text for text in texts if text is not None and not was_cut(text)))
