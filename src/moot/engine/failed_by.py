"""Why an episode failed, and which of many failures are the same one.

The words of a failure are a server's, and may hold the id and the time of a reply: no two are alike. So failures are the same
whose calls failed with the same model and by the same kind of error, as the report counts them.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from moot.types import Episode


@dataclass(frozen=True, slots=True)
class Cause:
    """Why one episode failed."""

    words: str
    kinds: tuple[tuple[str, str], ...] = ()
    """Each model whose failed call led to it, with the kind of error; none where it was no call."""


@dataclass(frozen=True, slots=True)
class AlikeCauses:
    """Failures of the same models by the same kinds of errors."""

    times: int
    words: str
    """Of the plainest of them: what a team says of its failure holds what a player alone says of the same."""


def cause_of(episode: Episode) -> Cause:
    words = episode.verdict.cause or "unknown"
    kinds = set()
    for call in episode.calls:
        if call.error and (found := re.search(rf"(\w+): {re.escape(call.error)}", words)):
            kinds.add((call.model or call.player, found[1]))
    return Cause(words, tuple(sorted(kinds)))


def alike_causes(causes: Counter[Cause]) -> list[AlikeCauses]:
    """The most usual first."""
    together: dict[object, Counter[str]] = {}
    for cause, times in causes.items():
        together.setdefault(cause.kinds or cause.words, Counter())[cause.words] += times
    found = [AlikeCauses(words.total(), min(words, key=len)) for words in together.values()]
    return sorted(found, key=lambda alike: -alike.times)


def times_by_words(causes: Counter[Cause]) -> dict[str, int]:
    """Every failure in its own words."""
    counted: Counter[str] = Counter()
    for cause, times in causes.items():
        counted[cause.words] += times
    return dict(counted)
