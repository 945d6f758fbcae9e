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
    models: tuple[str, ...] = ()
    """Whose calls failed; none where it was no call."""

    @property
    def told(self) -> str:
        """With the models, where the words do not name them: several may be behind one address."""
        named = all(re.search(rf"(?<!\w){re.escape(model)}(?!\w)", self.words) for model in self.models)
        return self.words if named else f"{', '.join(self.models)}: {self.words}"


def cause_of(episode: Episode) -> Cause:
    words = episode.verdict.cause or "unknown"
    kinds = set()
    for call in episode.calls:
        if call.error and (found := re.search(rf"(\w+): {re.escape(call.error)}", words)):
            kinds.add((call.model or call.player, found[1]))
    return Cause(words, tuple(sorted(kinds)))


def alike_causes(causes: Counter[Cause]) -> list[AlikeCauses]:
    """The most usual first."""
    together: dict[tuple[tuple[tuple[str, str], ...], str], Counter[str]] = {}
    for cause, times in causes.items():
        alike = (cause.kinds, "" if cause.kinds else cause.words)
        together.setdefault(alike, Counter())[cause.words] += times
    found = [
        AlikeCauses(words.total(), min(words, key=len), tuple(dict.fromkeys(model for model, _ in kinds)))
        for (kinds, _), words in together.items()
    ]
    return sorted(found, key=lambda alike: -alike.times)


def times_by_words(causes: Counter[Cause]) -> dict[str, int]:
    """Every failure in its own words."""
    counted: Counter[str] = Counter()
    for cause, times in causes.items():
        counted[cause.words] += times
    return dict(counted)
