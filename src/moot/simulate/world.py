"""What simulated models are asked about: for each question its truth and the wrong answers that tempt everyone.

Kept apart from the models because many models share one world; that sharing is what makes their errors alike. The world
never leaves the simulation: it is the only thing below the graders that knows a reference answer.

For one question the wrong answers stand in one order, the same for all models: the main lure first. Of ``n`` of them
the ``k``-th is taken with a chance proportional to ``(1 - attraction) ** k``: a geometric law cut at ``n``.

- choices: the wrong letters, in an order drawn for the question;
- yes or no: the other one;
- open: up to 24 answers of other questions, from a place drawn for the question; made-up words where there are too few.

A question nobody told the world about still has a truth: a letter, yes or no, or a made-up word from the hash of its text.

Every number is drawn by `uniform` from a hash of what it is for, so nothing depends on the order of calls.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import chain
from statistics import NormalDist

from moot.types import UNKNOWN, Case, digest

NORMAL = NormalDist()

_OPEN_LURES = 24
_FEW_ANSWERS = 256
_SPACES_KEPT = 1024
"""A space is asked for with every call, and many calls are about one question; few questions are under way at a time."""
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
YES_NO = ("yes", "no")
_YES_NO = (("yes", "да", "true"), ("no", "нет", "false"))
_ONSETS = ("b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z", "br", "st")
_RHYMES = ("a", "e", "i", "o", "u", "an", "el", "in", "or", "us", "ar", "en", "il", "os", "um", "ia")


def hashed(*role: object) -> int:
    """64 bits that belong to this role and no other."""
    text = "\x1f".join(map(str, role))
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def uniform(*role: object) -> float:
    """A number strictly between 0 and 1: 52 bits, since the half added must not round up to 1."""
    return ((hashed(*role) >> 12) + 0.5) / (1 << 52)


def normal(*role: object) -> float:
    """A standard normal deviate."""
    return NORMAL.inv_cdf(uniform(*role))


def plain(answer: str) -> str:
    """What counts as the same answer in the simulation."""
    return answer.strip().casefold()


def bare(answer: str) -> str:
    """The words of an answer without signs and articles."""
    words = re.findall(r"\w+", answer.casefold())
    return " ".join(word for word in words if word not in ("a", "an", "the")) or plain(answer)


@dataclass(frozen=True, slots=True)
class QuestionFacts:
    """What the world holds about one question."""

    id: str
    truth: str
    accepted: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    """All answers there can be; () for an open question."""

    def is_right(self, answer: str) -> bool:
        wording = plain(answer)
        return wording == plain(self.truth) or any(wording == plain(other) for other in self.accepted)

    def option(self, text: str) -> str | None:
        """The option that this text names, in the option's own spelling: "yes" may stand for «да»."""
        wording = plain(text)
        alike: tuple[str, ...] = next((words for words in _YES_NO if wording in words), ())
        return next((option for option in self.options if plain(option) == wording or plain(option) in alike), None)

    def names_truth(self, answer: str) -> bool:
        """Whether a benevolent reader takes the answer for right: other signs and spaces, an article, do not matter."""
        wording = bare(answer)
        return wording == bare(self.truth) or any(wording == bare(other) for other in self.accepted)

    def within(self, options: Sequence[str]) -> QuestionFacts:
        """The same question where only these answers are possible. A truth that is not one of them is drawn anew."""
        if not options:
            return self
        right = [option for option in options if self.is_right(option)]
        truth = right[0] if right else options[hashed(self.id, "truth") % len(options)]
        return QuestionFacts(self.id, truth, self.accepted if right else (), tuple(options))


class World:
    """The questions of a simulation and the seed of all its draws.

    >>> world = World(cases, seed=7)

    Only answers and hashes of texts are kept, so that 50,000 questions take a few megabytes.
    """

    def __init__(self, cases: Iterable[Case] = (), seed: int = 0, *, by_text: bool = True) -> None:
        """`by_text`: False where nobody will be asked anything, so that no question is looked for by its words. Ids are of one
        question each then, as in every checked set."""
        self.seed = seed
        self._by_text = by_text
        self._ids: dict[str, int] = {}
        self._texts: dict[int, int] = {}
        self._names: list[str] = []
        self._truths: list[str] = []
        self._accepted: dict[int, tuple[str, ...]] = {}
        self._choices = bytearray()
        self._yes_no: set[int] = set()
        self._open = array("I")
        self._few_answers: set[str] = set()
        """The answers of open questions as they compare, as long as they are few; with many a walk ends soon anyhow."""
        self._spaces: dict[QuestionFacts, str] = {}
        for case in cases:
            self._add(case)

    def __len__(self) -> int:
        return len(self._truths)

    def __repr__(self) -> str:
        return f"World({len(self)} questions, seed={self.seed})"

    def _add(self, case: Case) -> None:
        question, place = case.question, len(self._truths)
        keys: list[int] = []
        if self._by_text or question.id in self._ids:
            keys = _text_keys(question.text, question.choices, question.context)
        if question.id in self._ids and keys[0] in self._texts:
            return
        # Two files may number their questions alike: the second is known by its words.
        self._names.append(question.id if question.id not in self._ids else f"{question.id} {keys[0]:016x}")
        self._ids.setdefault(question.id, place)
        self._truths.append(UNKNOWN if case.answer is None else case.answer)
        self._choices.append(len(question.letters))
        if case.accepted:
            self._accepted[place] = case.accepted
        if question.kind == "yes-no":
            self._yes_no.add(place)
        elif not question.choices and not question.is_long and case.answer is not None:
            self._open.append(place)
            if len(self._few_answers) <= _FEW_ANSWERS:
                self._few_answers.add(plain(case.answer))
        for key in keys:
            self._texts.setdefault(key, place)

    def by_id(self, question_id: str | None) -> QuestionFacts | None:
        place = self._ids.get(question_id) if question_id is not None else None
        return None if place is None else self._facts_at(place)

    def by_text(
        self, text: str, choices: Sequence[str] = (), context: str | None = None, *, yes_no: bool = False
    ) -> QuestionFacts:
        """The question of these words; one that was never heard of gets a truth made from them. `yes_no`: as it is asked, it can
        have no other answer."""
        for key in _text_keys(text, choices, context):
            if (place := self._texts.get(key)) is not None:
                return self._facts_at(place)
        name = f"?{_text_keys(text, choices, None)[0]:016x}"
        facts = QuestionFacts(name, _word(self.seed, name))
        return _yes_or_no(facts.within(YES_NO)) if yes_no and not choices else facts.within(_LETTERS[: len(choices)])

    def _facts_at(self, place: int) -> QuestionFacts:
        truth = self._truths[place]
        facts = QuestionFacts(self._names[place], truth, self._accepted.get(place, ()))
        if place in self._yes_no:
            return _yes_or_no(facts).within(YES_NO)
        return facts.within(_LETTERS[: self._choices[place]])

    def wrong(self, facts: QuestionFacts, share: float, attraction: float) -> str:
        """The wrong answer at `share` (0 to 1) of the question's law. Where nothing is wrong, the truth."""
        if not facts.options:
            return self._nth_open(facts, _rank(share, _OPEN_LURES, attraction))
        lures = self._lures(facts)
        return lures[_rank(share, len(lures), attraction)] if lures else facts.truth

    def irrelevant(self, facts: QuestionFacts) -> str:
        """A word that has nothing to do with the question."""
        return _word(self.seed, facts.id, "irrelevant")

    def fits(self, facts: QuestionFacts, answer: str) -> bool:
        """Whether the answer is one that this question can have, right or wrong."""
        if facts.options:
            return facts.option(answer) is not None
        return plain(answer) != plain(self.irrelevant(facts))

    def space(self, facts: QuestionFacts) -> str:
        """A name for the answers among which a reply is drawn; it gives none of them away."""
        name = self._spaces.get(facts)
        if name is None:
            if len(self._spaces) >= _SPACES_KEPT:
                self._spaces.clear()
            name = self._spaces[facts] = self._named_space(facts)
        return name

    def _named_space(self, facts: QuestionFacts) -> str:
        lures = self._lures(facts) if facts.options else list(self._open_lures(facts))
        return digest([facts.truth, facts.accepted, lures])

    def _lures(self, facts: QuestionFacts) -> list[str]:
        left = [option for option in facts.options if not facts.is_right(option)]
        number = hashed(self.seed, facts.id, "lures")
        order = []
        while left:
            number, place = divmod(number, len(left))
            order.append(left.pop(place))
        return order

    def _nth_open(self, facts: QuestionFacts, rank: int) -> str:
        lures = self._open_lures(facts)
        for _ in range(rank):
            next(lures)
        return next(lures)

    def _open_lures(self, facts: QuestionFacts) -> Iterator[str]:
        seen = {plain(facts.truth), *map(plain, facts.accepted)}
        start = hashed(self.seed, facts.id, "lures")
        most = _OPEN_LURES + len(facts.accepted)
        for answer in chain(
            self._others_from(start, seen), (_word(self.seed, facts.id, n) for n in range(_OPEN_LURES))
        ):
            if (compared := plain(answer)) not in seen:
                seen.add(compared)
                yield answer
            if len(seen) > most:
                return

    def _others_from(self, start: int, seen: Set[str]) -> Iterator[str]:
        """Answers of the other questions in turn, as long as there is one that was not seen: many may have the same."""
        count, few = len(self._open), self._few_answers
        for step in range(count):
            if len(few) <= _FEW_ANSWERS and few <= seen:
                return
            yield self._truths[self._open[(start + step) % count]]


def _yes_or_no(facts: QuestionFacts) -> QuestionFacts:
    """Right in every word that says the same."""
    return replace(facts, accepted=next((words for words in _YES_NO if plain(facts.truth) in words), ()))


def is_yes_or_no(answer: str) -> bool:
    return any(plain(answer) in words for words in _YES_NO)


def _rank(share: float, count: int, attraction: float) -> int:
    """The inverse of the geometric law cut at `count`."""
    if attraction <= 0:
        return int(share * count)
    if attraction >= 1:
        return 0
    rest = 1 - attraction
    return min(count - 1, int(math.log(1 - share * (1 - rest**count)) / math.log(rest)))


def _text_keys(text: str, choices: Sequence[str], context: str | None) -> list[int]:
    """Names of a question by what a prompt shows of it, the most exact first.

    Many questions have the same words and other options, or the same words about another passage.
    """
    words = _words(text)
    options = ["\x1e".join(map(_words, choices))] if choices else []
    keys = [hashed(words, *options, "in", _words(context))] if context else []
    keys.append(hashed(words, *options))
    if choices:
        keys.append(hashed(words))
    return keys


def _words(text: str) -> str:
    """Text as it compares: prompts may wrap it, and put ‹ for the bracket of a forged tag."""
    return " ".join(text.replace("‹", "<").split())


def _word(*role: object) -> str:
    number, syllables = hashed("word", *role), []
    for _ in range(3):
        number, onset = divmod(number, len(_ONSETS))
        number, rhyme = divmod(number, len(_RHYMES))
        syllables.append(_ONSETS[onset] + _RHYMES[rhyme])
    return "".join(syllables).capitalize()
