r"""The final-answer line of a reply in prose: "The answer is (C).", "**Ответ:** нет", "\boxed{B}", a letter alone.

A strict reader: an answer is taken only where the text announces one. The last announcement counts. The article "a" and
the pronoun "I" are no letters, a letter beyond the question's options is no answer, what somebody else is said to
answer is not announced, and where two letters are named neither is taken. Whoever needs more asks a model to read.

Stands above the forms, which fall back on it when a reply has no JSON at all, so that there is one such reader only.
Every search has a bound or runs over places that no other search shares: time grows with the text, whatever it holds.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from moot.team.final_line import free_words
from moot.team.final_line import patterns as p
from moot.team.final_line.letters import YES_NO, known_letter, short_yes_no, whole_option
from moot.types import Question

MOST_LINES = 500
"""Of a text that announces answers without end only the last ones are looked at: the last one counts."""

LOOKED_THROUGH = 500_000
"""Characters at the end of a text in which announcements are looked for. Whoever reads waits for nothing else meanwhile."""


@dataclass(frozen=True, slots=True)
class FinalLine:
    """One announcement and where it stands. The answer is None where it says that there is none, or names several."""

    place: int
    answer: str | None


def final_answer(text: str, question: Question) -> str | None:
    """The answer that the last final-answer line announces; None where there is no such line, or it has none."""
    lines = final_lines(text, question)
    return lines[-1].answer if lines else None


def final_lines(text: str, question: Question) -> tuple[FinalLine, ...]:
    """Every announcement in the order of the text: whoever wants to know whether they agree looks at all of them."""
    spoken = after_thoughts(text.strip())
    line_at = {line.place: line for line in (*_at_the_edges(spoken, question), *_announced(spoken, question))}
    return tuple(line_at[place] for place in sorted(line_at))


def after_thoughts(text: str) -> str:
    """What follows the thoughts that some servers leave in the text; they may lack their opening tag."""
    if "<" not in text:  # nor a tag: told at once, and so for nearly every reply
        return text
    if ends := [thought_end.end() for thought_end in p.THOUGHT_ENDS.finditer(text)]:
        return text[ends[-1] :].strip()
    return "" if begins_with_thoughts(text) else text


def begins_with_thoughts(text: str) -> bool:
    """Whether nothing that is seen stands before their opening tag."""
    unseen = p.UNSEEN.match(text)
    return unseen is not None and p.THOUGHT_BEGINS.match(text, unseen.end()) is not None


def spoken_whole(text: str) -> str:
    """A long reply without the thoughts before it. What stands later is the answer's own, be it about such tags.

    Thoughts end at the first closing tag, unless an opening one stands somewhere before it but not at the start.
    """
    if "<" not in text:
        return text
    place = 0
    while (ends := p.THOUGHT_ENDS.search(text, place)) is not None:
        begins = p.THOUGHT_BEGINS.search(text, place, ends.start())
        if begins is None and place:
            break
        if begins is not None and not p.UNSEEN.fullmatch(text, place, begins.start()):
            break
        place = ends.end()
    spoken = text[place:].strip() if place else text
    return "" if begins_with_thoughts(spoken) and not p.THOUGHT_ENDS.search(spoken) else spoken


def _announced(text: str, question: Question) -> Iterator[FinalLine]:
    first = max(0, len(text) - LOOKED_THROUGH)
    for cue in deque(p.CUE.finditer(text, first), MOST_LINES):
        if not question.choices and not cue["plain"]:
            continue
        start = _content(text, cue)
        if start is not None and not _somebody_elses(text, cue.start()):
            yield from _line(text, cue.start(), start, question)
    for box in deque(p.BOXED.finditer(text, first), MOST_LINES):
        yield from _line(text, box.start(), _Start(box.end(), box.start(), linked=True), question)
    if question.choices:
        for praised in deque(p.PRAISED.finditer(text, first), MOST_LINES):
            if praised["noun"] or praised["the"]:
                yield FinalLine(praised.start(), known_letter(praised["letter"], question))


@dataclass(frozen=True, slots=True)
class _Start:
    """Where an announced answer begins; whether a verb or a colon leads to it, and whether a line ended between."""

    after: int
    """Right behind the verb or the colon: an option may begin with "the" or a minus."""
    place: int
    linked: bool
    by_verb: bool = False
    new_line: bool = False


def _content(text: str, cue: re.Match[str]) -> _Start | None:
    """Past "is", a colon or the like, and past words that say nothing ("therefore", "option")."""
    place, linked, by_verb = cue.end(), bool(cue["verb"]), True
    if not linked and (link := p.LINK.match(text, place)):
        if p.NEGATED.search(link["gap"] or ""):
            return None
        place, linked, by_verb = link.end(), True, text[link.end() - 1].isalpha()
    end = _end(p.FILL, text, place)
    return _Start(place, end, linked, by_verb, "\n" in text[place:end])


def _end(pattern: re.Pattern[str], text: str, place: int) -> int:
    """Where a pattern that may match nothing ends."""
    match = pattern.match(text, place)
    return match.end() if match else place


def _somebody_elses(text: str, place: int) -> bool:
    before = text[max(0, place - p.BEFORE) : place].rpartition("\n")[2]
    return bool(p.OF_OTHERS.search(before))


def _line(text: str, place: int, start: _Start, question: Question) -> Iterator[FinalLine]:
    """The announcement as a line, if what stands there can be one."""
    if question.choices:
        answer = _choice(text, start, question)
    elif question.kind == "yes-no":
        answer = _yes_no(text, start)
    else:
        answer = _words(text, place, start)
    if answer is not _NO_LINE:
        yield FinalLine(place, answer or None)


_NO_LINE = "\0"
"""What stands there announces nothing; unlike None, which is an announcement without an answer."""


def _choice(text: str, start: _Start, question: Question) -> str | None:
    at = _end(p.OPEN, text, start.place)
    if start.linked:
        if named := _option(text, start.after, question) or _option(text, start.place, question):
            return named
        if p.DENIAL.match(text, at):
            return None
    wrapped = bool(text[start.place : at].strip())
    if not text[at : at + 1].isalpha() or not _stands_alone(text, at, start, wrapped, question):
        return _NO_LINE
    return None if _two_are_named(text, at) else known_letter(text[at], question)


def _stands_alone(text: str, at: int, start: _Start, wrapped: bool, question: Question) -> bool:
    """Whether the one character at this place is a letter that answers, and not the beginning of something else."""
    letter, beside = text[at], text[at + 1 : at + 2]
    after = _end(p.SHUT, text, at + 1)
    shut = text[at + 1 : after]
    closed = bool(shut.strip("'’*_ ")) or (wrapped and bool(shut.strip()))
    following = text[after : after + 6]
    ends_line = following.lstrip(" \t.!*_")[:1] in ("", "\n", "<", "|")
    if following.lstrip()[:1] == "?" or (not closed and (beside.isalnum() or beside in p.NOT_ALONE)):
        return False
    if start.new_line and not ends_line and not (closed and letter.isupper()):
        return _opens_last_line(text, at, question)
    if not start.linked and not ends_line:
        return False
    if letter == "a" and not wrapped:  # the article, unless nothing can follow it
        return ends_line and (following[:1] == "." or text[max(0, at - 8) : at].rstrip()[-1:] == ":")
    if not closed and p.OPERATOR.match(following) and following[:1] != "*":
        return False
    if p.STOP.match(text, after):
        return letter.isupper() or ends_line or closed
    return letter.isupper() and (closed or bool(p.GOES_ON.match(text, after)))


def _opens_last_line(text: str, at: int, question: Question) -> bool:
    """ "The answer is:" and on a new line "F. 0.47": the option's own words, or the last words of all."""
    line = text[at : at + 1_000].partition("\n")[0]
    named = p.NAMED.fullmatch(line)
    if named is None or not named.group(1).isupper():
        return False
    last = at + len(line) >= len(text)
    return last or whole_option(named.group(2), question) == named.group(1)


def _two_are_named(text: str, at: int) -> bool:
    """ "B or C", "A, C and D": the model has not decided."""
    second = p.SECOND.match(text, _end(p.SHUT, text, at + 1))
    if second is None or second["letter"] == text[at]:
        return False
    return second["joined"] is not None or bool(p.AFTER_SECOND.match(text, second.end()))


def _option(text: str, place: int, question: Question) -> str | None:
    """The option whose own words stand here, up to the end of the line, of the sentence or of the clause."""
    longest = max(map(len, question.choices)) + 40
    rest = text[place : place + longest].lstrip().partition("\n")[0].rstrip()
    clauses = (rest[: end.start()] for end in islice(p.CLAUSE_ENDS.finditer(rest), 5))
    letters = (whole_option(part, question) for part in (rest, *clauses) if len(part.strip(p.EDGES + "()")) > 1)
    return next((letter for letter in letters if letter), None)


def _yes_no(text: str, start: _Start) -> str | None:
    at = _end(p.OPEN, text, start.place)
    word_match = p.SAID.match(text, at)
    word = YES_NO.get(word_match.group(1).casefold()) if word_match else None
    if word_match is None or word is None:
        return None if start.linked and p.DENIAL.match(text, at) else _NO_LINE
    after = _end(p.SHUT, text, word_match.end())
    if text[after : after + 3].lstrip()[:1] == "?":
        return _NO_LINE
    second = p.SECOND_WORD.match(text, after)
    if second and second.group(1).casefold() in YES_NO:
        return None
    return word if p.STOP.match(text, after) or p.GOES_ON.match(text, after) else _NO_LINE


def _words(text: str, place: int, start: _Start) -> str | None:
    """What an open question is answered with: the rest of the line, or of its first sentence."""
    before = re.split(r"[\n.!?]", text[max(0, place - p.BEFORE) : place])[-1]
    if not start.linked or (text[place] != "\\" and not p.LEAD.fullmatch(p.TAG.sub(" ", before))):
        return _NO_LINE
    begin = place if text[place] == "\\" else free_words.begin(text, start.after, by_verb=start.by_verb)
    rest = text[begin : begin + 2 * free_words.LONGEST_ANSWER].partition("\n")[0]
    opened = free_words.left_open(before, text[place:begin])
    if boxed := p.BOXED.search(rest[:40]):
        rest, opened = _braced(rest, boxed.end()), ()
    words = free_words.unframed(free_words.first_sentence(rest), opened)
    if p.DENIAL.match(words):
        return None
    return words if len(words) <= free_words.LONGEST_ANSWER and free_words.says_something(words) else _NO_LINE


def _braced(text: str, start: int) -> str:
    depth = 1
    for place in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return re.sub(r"^\\text(?:bf|it)?\{(.*)\}$", r"\1", text[start:place])
    return text[start:]


def _at_the_edges(text: str, question: Question) -> Iterator[FinalLine]:
    """A first or last line that is a letter, or yes or no, and nothing else; or a letter with its option's words."""
    if not text or not (question.choices or question.kind == "yes-no"):
        return
    first, _, below = text.partition("\n")
    above, _, last = text.rpartition("\n")
    for place, line, beside in ((0, first, below.lstrip()[:20]), (len(text) - len(last), last, _last_line(above))):
        listed = p.NAMED.match(beside) is not None  # the options once more, not one of them
        if len(line) <= 1_000 and (answer := _bare(line, question, opening=place == 0, listed=listed)):
            yield FinalLine(place, answer)


def _last_line(text: str) -> str:
    return text[-1_000:].rstrip().rpartition("\n")[2]


def _bare(line: str, question: Question, *, opening: bool, listed: bool) -> str | None:
    if question.kind == "yes-no":
        word_match = p.SAID.match(line, len(line) - len(line.lstrip(p.EDGES + "($|<>#")))
        word = YES_NO.get(word_match.group(1).casefold()) if word_match else None
        rest = line[word_match.end() :].lstrip("*_`\"'»”) ") if word_match else ""
        if not rest.strip(" .!*_") or (opening and rest[:1] in tuple(",.;:!—–")):
            return word
        return YES_NO.get(short_yes_no(line.strip(p.EDGES)).casefold())
    if alone := p.ALONE.fullmatch(line):
        return known_letter(alone.group(1), question)
    named = p.NAMED.fullmatch(line)
    if named and not listed and whole_option(named.group(2), question) == (letter := named.group(1).upper()):
        return letter
    return whole_option(line, question) if opening and len(line) > 1 else None
