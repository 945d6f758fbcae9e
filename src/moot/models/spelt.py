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
    LONGEST_BEFORE,
    LONGEST_BEHIND,
    LONGEST_LETTER,
    LONGEST_PLAIN,
    compiled_letters,
    ends_in_letter,
    first_letter,
    further_letters,
    how_odd,
    same_letters,
)
from moot.models.turns import Stepwise

TELLING = 8
"""So many first letters are one as well: a message may have been cut in the middle of it. They are looked for at once."""
_PIECE = 10
"""Letters of what is packed: one of two such pieces in a row is whole, wherever lines of any use end."""
_PAST_ALL = 3
"""How odd no text is."""
_WINDOW = 2**14
"""Characters that are looked through at once: in between others can have their turn."""
_MAY_GO_ON = ("%", "&")
"""Letters of which more may turn out to belong to them: `%25`, `&amp;`."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where it stands in a text, or so many first letters of it."""

    start: int
    end: int
    letters: int


@dataclass(frozen=True, slots=True)
class SureSoFar:
    """Of a text that goes on: whether it stands in it, else up to where no part of it does."""

    found: bool
    sure: int


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
        most = [LONGEST_BEHIND if behind else LONGEST_LETTER for _, behind in self._letters]
        self._head_reach = sum(most[:TELLING]) + LONGEST_BEHIND
        self._reach = sum(most) + LONGEST_BEHIND
        """So many characters it takes at most, however it is written, with half a letter behind it."""
        first = self._letters[0][0] if self._letters else ""
        self.firsts = frozenset((*same_letters(first, packed=packed), *ANNOUNCING)) if first else frozenset()

    @cached_property
    def _as_it_is(self) -> Collection[str]:
        """Where none of these stands, and no letter is written in an odd way, it does not."""
        if not self._packed:
            # A space may be a plus as well, each by itself.
            return {max(self.text[:TELLING].split(" "), key=len) if " " in self.text else self.text}
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
        return (place for place in self.steps(text, odd, cut=cut) if place is not None)

    def steps(self, text: str, odd: int, *, cut: bool = False) -> Iterator[Place | None]:
        """The places where it stands; None in between, after so much work that others may have their turn."""
        if not self.may_stand_in(text, odd, cut=cut):
            return
        at = 0
        for start in self._heads(text, 0):
            if start is None:
                yield None
            elif start >= at:
                place = self.reached(text, start)
                stands = place.letters >= min(self.length, TELLING) if cut else place.letters == self.length
                if stands and (not self.alone or _is_alone(place, text)):
                    yield place
                    at = place.end

    def _heads(self, text: str, at: int) -> Iterator[int | None]:
        """Where its first letters stand, from there on; None after each window."""
        while at < len(text):
            end = at + _WINDOW
            while (found := self._head.search(text, at, end + self._head_reach)) is not None and found.start() < end:
                at = found.start() + 1
                # At the end of the window less is seen of what follows than there is.
                if found.end() < end or self._head.match(text, at - 1) is not None:
                    yield at - 1
            at = end
            yield None

    def telling_of(self, text: str, before: str, firsts: re.Pattern[str]) -> Stepwise[SureSoFar]:
        """What a text that goes on tells of it, in steps. `before`: what stands before the text. `firsts`: how it may begin."""
        first = max(0, len(text) - self._reach)
        near = max(first, len(text) - self._head_reach)
        if how_odd(text[near:]) == 0:
            near = max(first, len(text) - LONGEST_PLAIN * (TELLING + 1))
        sure = len(text)
        for start in self._heads(text, 0 if self.may_stand_in(text, how_odd(text)) else first):
            if start is None:
                yield
                continue
            stands = self.stands_at(text, start, before, begun=first <= start < min(near, sure))
            if stands:
                return SureSoFar(found=True, sure=0)
            if stands is None:
                sure = min(sure, start)
        return SureSoFar(found=False, sure=min(sure, self._begun_at(text, near, before, firsts)))

    def stands_at(self, text: str, start: int, before: str, *, begun: bool = True) -> bool | None:
        """None: that hangs on what comes next. `begun`: whether it is asked for a beginning too."""
        if self.alone and ends_in_letter(before + text[max(0, start - LONGEST_BEFORE) : start]):
            return False
        place = self.reached(text, start)
        if place.letters == self.length:
            return self._stands_so_far(place, text)
        return None if begun and self.begun(text, start) else False

    def _stands_so_far(self, place: Place, text: str) -> bool | None:
        if not self.alone:
            return True
        after = len(text) - place.end
        if after == 0 or (self._letters[-1][0] in _MAY_GO_ON and after < LONGEST_BEHIND):
            return None
        return not _is_letter(text[place.end])

    def _begun_at(self, text: str, near: int, before: str, firsts: re.Pattern[str]) -> int:
        """From where on it would stand, were there more of the text, so near to its end that its head may not be whole."""
        if self._least_odd == _PAST_ALL:
            sizes = range(min(self.length - 1, len(text)), 0, -1)
            return len(text) - next((size for size in sizes if text.endswith(self.text[:size])), 0)
        for found in firsts.finditer(text, near):
            start = found.start()
            if text[start] in self.firsts and self.stands_at(text, start, before) is None:
                return start
        return len(text)

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

    def hiding(self, text: str, hidden: str, odd: int, *, cut: bool = False) -> Stepwise[str]:
        """The text without it, in steps."""
        parts, at = list[str](), 0
        for place in self.steps(text, odd, cut=cut):
            if place is None:
                yield
            else:
                parts += [text[at : place.start], hidden]
                at = place.end
        return "".join([*parts, text[at:]]) if parts else text


def _ends(ways: Sequence[re.Pattern[str]], text: str, starts: Collection[int]) -> set[int]:
    return {found.end() for start in starts for way in ways if (found := way.match(text, start)) is not None}


def _is_alone(place: Place, text: str) -> bool:
    before = text[max(0, place.start - LONGEST_BEFORE) : place.start]
    return not ends_in_letter(before) and not _is_letter(text[place.end : place.end + 1])


def _is_letter(character: str) -> bool:
    return character.isalnum() or character == "_"


def packed_parts(raw: bytes) -> Iterator[str]:
    """What of it stands in every base64 of something that holds it: but for the letters that hang on what is beside it too.

    So `user:KEY` and `Bearer KEY` are found as well. In the alphabet of headers."""
    for before in range(3):
        packed = b64encode(bytes(before) + raw).decode().rstrip("=")
        end = len(packed) - (1 if (before + len(raw)) % 3 else 0)
        yield packed[(0, 2, 3)[before] : end]
