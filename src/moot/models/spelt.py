"""A text in whichever letters it is written: in an address, a page, a JSON within a text, or packed as headers are.

Whoever repeats what it was sent writes it in its own way, and each library in another: `%2b` or `%2B`, `&#43;`, `&#x2B;` or
`&plus;`, `\\u002b` or `\\x2b`, all of the letters so or a few. So a text is looked for letter by letter, each in any of these.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from moot.models.spelt_letters import (
    ANNOUNCING,
    BACKSLASH,
    HALF,
    compiled_letters,
    first_letter,
    further_letters,
    same_letters,
)

TELLING = 8
"""So many first letters are one as well: a message may have been cut in the middle of it. They are looked for at once."""
_PIECE = 10
"""Letters of what is packed: one of two such pieces in a row is whole, wherever lines of any use end."""
_PAST_ALL = 3
"""How odd no text is."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where it stands in a text, or so many first letters of it."""

    start: int
    end: int
    letters: int


class Spelt:
    """One text. Printing this does not show it."""

    def __init__(self, text: str, *, packed: bool = False, alone: bool = False, as_it_is: bool = False) -> None:
        """`packed`: a part of what was packed, perhaps in lines. `alone`: inside of a word it is that word. `as_it_is`: nobody
        writes it in another way."""
        self.text = text
        self.alone = alone
        self._packed = packed
        self._least_odd = _PAST_ALL if as_it_is else 2 if packed else 1
        behind = [before == BACKSLASH for before in f" {text}"[: len(text)]]
        self._letters = [pair for pair in zip(text, behind, strict=True) if pair[0] != BACKSLASH]
        self.length = len(self._letters)
        first = self._letters[0][0] if self._letters else ""
        self.firsts = frozenset((*same_letters(first, packed=packed), *ANNOUNCING)) if first else frozenset()

    @cached_property
    def _as_it_is(self) -> Collection[str]:
        """Where none of these stands, and no letter is written in an odd way, it does not."""
        if not self._packed:
            return {self.text, self.text.replace(" ", "+")}
        size = min(_PIECE, len(self.text) // 2)
        pieces = (self.text[:size], self.text[size : 2 * size])
        return {alphabet for piece in pieces for alphabet in (piece, piece.replace("+", "-").replace("/", "_"))}

    @cached_property
    def _head(self) -> re.Pattern[str]:
        first = first_letter(self._letters[0][0], packed=self._packed)
        ways = (
            further_letters(letter, packed=self._packed, behind_backslash=behind)
            for letter, behind in self._letters[1:TELLING]
        )
        return re.compile(first + "".join(f"(?:{'|'.join(way)})" for way in ways))

    def _ways(self) -> Iterator[tuple[re.Pattern[str], ...]]:
        """Of one letter after the other, as far as it is asked for: to compile them all takes long."""
        packed = self._packed
        yield (re.compile(first_letter(self._letters[0][0], packed=packed)),)
        for letter, behind in self._letters[1:]:
            yield compiled_letters(letter, packed=packed, behind_backslash=behind)

    def may_stand_in(self, text: str, odd: int, *, cut: bool = False) -> bool:
        """A quick look, by which most texts are told to be harmless. `odd`: `how_odd`."""
        if odd >= self._least_odd:
            return self.length > 0
        return self.length > 0 and any((each[:TELLING] if cut else each) in text for each in self._as_it_is)

    def places(self, text: str, odd: int, *, cut: bool = False) -> Iterator[Place]:
        """From the first on. `cut`: also where it is cut behind the letters that tell it."""
        at = 0
        if not self.may_stand_in(text, odd, cut=cut):
            return
        while (found := self._head.search(text, at)) is not None:
            place = self.reached(text, found.start())
            stands = place.letters >= min(self.length, TELLING) if cut else place.letters == self.length
            if stands and (not self.alone or _is_alone(place, text)):
                yield place
                at = place.end
            else:
                at = found.start() + 1

    def reached(self, text: str, start: int) -> Place:
        """As many of its letters as stand from here on."""
        ends = {start}
        for number, ways in enumerate(self._ways()):
            if not (further := _ends(ways, text, ends)):
                return Place(start, max(ends), number)
            ends = further
        return Place(start, max(ends), self.length)

    def begun(self, text: str, start: int) -> bool:
        """Whether it would stand from here on, were there more of the text."""
        ends, announced = {start}, text[start] in ANNOUNCING
        for ways in self._ways():
            if announced and any(HALF.fullmatch(text, end) for end in ends):
                return True
            if not (ends := _ends(ways, text, ends)):
                return False
            announced = True
        return False

    def hidden(self, text: str, hidden: str, odd: int, *, cut: bool = False) -> str:
        parts, at = [], 0
        for place in self.places(text, odd, cut=cut):
            parts += [text[at : place.start], hidden]
            at = place.end
        return "".join([*parts, text[at:]]) if parts else text

    def stands_in(self, text: str, odd: int) -> bool:
        return next(self.places(text, odd), None) is not None


def _ends(ways: Sequence[re.Pattern[str]], text: str, starts: Collection[int]) -> set[int]:
    return {found.end() for start in starts for way in ways if (found := way.match(text, start)) is not None}


def _is_alone(place: Place, text: str) -> bool:
    beside = text[max(0, place.start - 1) : place.start], text[place.end : place.end + 1]
    return not any(letter.isalnum() or letter == "_" for letter in beside)


def packed_parts(raw: bytes) -> Iterator[str]:
    """What of it stands in every base64 of something that holds it: but for the letters that hang on what is beside it too.

    So `user:KEY` and `Bearer KEY` are found as well. In the alphabet of headers."""
    for before in range(3):
        packed = b64encode(bytes(before) + raw).decode().rstrip("=")
        end = len(packed) - (1 if (before + len(raw)) % 3 else 0)
        yield packed[(0, 2, 3)[before] : end]
