"""What the server's log is told of trouble: who, where and how it ended, and no word of a question, an answer or an endpoint.

An endpoint's error may repeat what it was asked, and so may the words of an exception. The log is kept by others than the store,
who know nothing of what is forgotten there; so the words stand in the store alone, and the log says in which episode.
"""

from __future__ import annotations

import logging
import re
import traceback
from collections import Counter
from collections.abc import Iterator

from moot.live.answered_question import AnsweredQuestion
from moot.live.logged_errors import NOT_LOGGED, in_short
from moot.models.wordless_process import tell_without_words
from moot.types import Call

_log = logging.getLogger(__name__)

_LABEL = re.compile(r"[a-z]{1,20}(?:-[a-z]{1,20}){0,5}")
MOST_KINDS = 8
"""Kinds of trouble in one line."""


def no_answer(asked: AnsweredQuestion) -> str:
    """Why a team has none, in one line."""
    troubles = Counter(filter(None, map(_trouble_of, asked.episode.calls)))
    named = [f"{times} × {trouble}" if times > 1 else trouble for trouble, times in troubles.most_common(MOST_KINDS)]
    named += [f"and {len(troubles) - MOST_KINDS} other kinds of trouble"] * (len(troubles) > MOST_KINDS)
    return f"{asked.verdict.outcome}{': ' if named else ''}{', '.join(named)}; the words are in episode {asked.id}"


def _trouble_of(call: Call) -> str | None:
    who = call.model or call.player
    if call.error is not None:
        return f"{who}: {in_short(call.error)}"
    if call.problem is not None and not call.usable:
        return f"{who}: a reply that is no use ({call.problem if _LABEL.fullmatch(call.problem) else 'another'})"
    return None


def log_libraries_without_words() -> None:
    """From now on in this process."""
    tell_without_words(_log.warning)


def where_it_broke(error: BaseException) -> str:
    """Of one that nobody expected, all that Python shows but its words."""
    return "\n".join(part for each in _all_of(error, set()) for part in each)


def _all_of(error: BaseException, seen: set[int]) -> Iterator[list[str]]:
    """What it came from goes before it."""
    if id(error) in seen:
        return
    seen.add(id(error))
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    others = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    for other in (before, *others):
        if other is not None:
            yield from _all_of(other, seen)
    frames = [line.rstrip("\n") for line in traceback.format_tb(error.__traceback__)]
    yield [*frames, f"{type(error).__module__}.{type(error).__qualname__}, {NOT_LOGGED}"]
