"""A long reply as it is written: so much of it as is sure to stand in the answer, thoughts left out.

`spoken_whole` reads the reply when it is over. Until then nothing is told that it might take back: the space at the end, what
may become a tag, and all of a reply whose thoughts may have begun without one. Some servers send thoughts so, and only the
closing tag tells; of a model that is known to speak otherwise the words are told at once.

A reply may come letter by letter: what is held is a few letters, and space in the pieces in which it came.
"""

from __future__ import annotations

from moot.models.border import storable
from moot.team.final_line import patterns as p

_OPENING, _CLOSING = ("<think>", "<thinking>"), ("</think>", "</thinking>")
_LONGEST = max(map(len, _CLOSING))


class SpokenSoFar:
    """Of one reply."""

    def __init__(self, *, plain: bool) -> None:
        """`plain`: the model's thoughts, if any, have an opening tag."""
        self._plain = plain
        self._half = ""
        """The first half of a character that may come in two."""
        self._unseen: list[str] = []
        """What nobody sees and the reply begins with: thoughts may follow, and then it goes with them."""
        self._space: list[str] = []
        """Behind what was told; told before whatever follows it."""
        self._rest = ""
        """What may become a tag."""
        self._begun = False
        """The answer has begun; what was told is its beginning."""
        self._settled = False
        """No tag that comes later changes what was told."""
        self._over = False

    def take(self, words: str) -> str:
        """What is sure now and was not before."""
        if self._over:
            return ""
        self._rest += self._whole_characters(words)
        if not self._begun and not self._begin():
            return ""
        if not self._settled:
            self._settle()
        return "" if self._over else self._sure()

    def _whole_characters(self, words: str) -> str:
        words, self._half = self._half + words, ""
        if words and "\ud800" <= words[-1] <= "\udbff":
            words, self._half = words[:-1], words[-1]
        return storable(words)

    def _begin(self) -> bool:
        """Past the thoughts that stand at the beginning."""
        rest, place = self._rest, 0
        while True:
            seen = p.UNSEEN.match(rest, place).end()  # type: ignore[union-attr]  # it matches nothing at all too
            if p.THOUGHT_BEGINS.match(rest, seen):
                self._unseen.clear()
                ends = p.THOUGHT_ENDS.search(rest, seen)
                if ends is None:
                    # Of thoughts no more is kept than the tags may need.
                    self._rest = _OPENING[0] + rest[seen + len(_OPENING[0]) :][-_LONGEST:]
                    return False
                place, self._settled = ends.end(), True
                continue
            self._unseen.append(rest[place:seen])
            self._rest = rest[seen:]
            if not self._rest or _may_become(self._rest, _OPENING):
                return False
            if self._plain or self._settled:
                self._rest = "".join((*self._unseen, self._rest)).lstrip()
                self._begun = True
                return True
            return self._begin_after_thoughts()

    def _begin_after_thoughts(self) -> bool:
        """Thoughts without an opening tag may stand here: only behind a closing one is it sure that they do not."""
        ends = p.THOUGHT_ENDS.search(self._rest)
        begins = p.THOUGHT_BEGINS.search(self._rest)
        if begins is not None and (ends is None or begins.start() < ends.start()):
            self._over = True  # it is about such tags, and nothing of it was told
            return False
        self._unseen.clear()
        if ends is None:
            self._rest = "." + self._rest[-_LONGEST:]  # something stands before whatever comes
            return False
        self._rest, self._settled = self._rest[ends.end() :], True
        return self._begin()

    def _settle(self) -> None:
        """A closing tag without an opening one takes all before it away; behind an opening one it is the answer's own."""
        begins, ends = p.THOUGHT_BEGINS.search(self._rest), p.THOUGHT_ENDS.search(self._rest)
        if ends is not None and (begins is None or ends.start() < begins.start()):
            self._over = True
        elif begins is not None:
            self._settled = True

    def _sure(self) -> str:
        text, self._rest = self._rest, ""
        if not self._settled:
            last = text.rfind("<", max(0, len(text) - _LONGEST))
            if last >= 0 and _may_become(text[last:], (*_OPENING, *_CLOSING)):
                text, self._rest = text[:last], text[last:]
        told = text.rstrip()
        if not told:
            self._space.append(text)
            return ""
        before, self._space = "".join(self._space), [text[len(told) :]]
        return before + told


def _may_become(text: str, tags: tuple[str, ...]) -> bool:
    return len(text) <= _LONGEST and any(tag.startswith(text.casefold()) for tag in tags)
