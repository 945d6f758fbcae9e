"""What words that are missing could make of a share of preferences: all of them put in as lost, and all as won.

A judge that is stopped, or refuses, need not be silent by chance: words may be missing *because* of what they would have said. So
a share over what was heard claims nothing that they would turn. They are put in by the same functions that the share is made by,
and in two ways: as what the judge would have said, so that they bear on its habits too; and as what no habit touches, so that its
habits are told from what it did say. Whichever is further away counts, and the interval holds both.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from moot.stats.preference import Preferences, PreferenceWord, raw_rate
from moot.stats.preference_share import Rate

LOST, WON = 0.0, 1.0
FEW = 0.05
"""Of more words than this share none may be missing where habits cannot be told once they are put in."""


@dataclass(frozen=True)
class MissingWords:
    """Beside all that was heard, what was not: whatever these words say of `liked` is not looked at."""

    heard: Preferences
    missing: Sequence[PreferenceWord]

    def number(self, pair: Hashable) -> int:
        return len(self._of(pair))

    def as_judged(self, pair: Hashable, liked: float) -> Rate:
        """With a word at the least."""
        words = [word for word in self.heard.words if word.pair == pair]
        return raw_rate([*words, *(replace(word, liked=liked) for word in self._of(pair))])

    def rate(self, pair: Hashable, liked: float) -> Rate | None:
        """At no place and equal length; None where that cannot be told, or could not with these words."""
        if not self.number(pair):
            return self.heard.rate(pair)
        if (pair, liked) not in self._rates:
            self._rates[pair, liked] = self._rate(pair, liked)
        return self._rates[pair, liked]

    def _rate(self, pair: Hashable, liked: float) -> Rate | None:
        if self.heard.rate(pair) is None:
            return None
        beside, said = (worlds[liked].rate(pair) for worlds in (self._beside, self._said))
        if beside is None:
            return None
        if said is None:
            heard = sum(word.pair == pair for word in self.heard.words)
            return beside if self.number(pair) <= FEW * (heard + self.number(pair)) else None
        near, far = sorted((beside, said), key=lambda rate: rate.value, reverse=liked == LOST)
        return replace(far, otherwise=(*far.otherwise, near, *near.otherwise))

    def _of(self, pair: Hashable) -> list[PreferenceWord]:
        return [word for word in self.missing if word.pair == pair]

    @cached_property
    def _rates(self) -> dict[tuple[Hashable, float], Rate | None]:
        """Those that were asked for: each is found once."""
        return {}

    @cached_property
    def _beside(self) -> dict[float, Preferences]:
        return {liked: self._with(liked, supposed=True) for liked in (LOST, WON)}

    @cached_property
    def _said(self) -> dict[float, Preferences]:
        return {liked: self._with(liked, supposed=False) for liked in (LOST, WON)}

    def _with(self, liked: float, *, supposed: bool) -> Preferences:
        put_in = [replace(word, liked=liked, supposed=supposed) for word in self.missing]
        return Preferences([*self.heard.words, *put_in])
