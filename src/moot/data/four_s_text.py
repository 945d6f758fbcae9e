"""The text inside a field of a `.4s` package: markup taken off, lists taken apart, answers with all their variants."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

MOST_VARIANTS = 16
"""Four optional parts make sixteen wordings; authors who write more of them mean it for a person to read."""

_MOST_BRACKETS = 100
"""Above that it is no answer with optional parts."""

STRESS = "\u0301"

_ESCAPED = re.compile(r"\\([^\w\s])|\\(_)")
_KEPT = 0xE000
"""Escaped characters wait in Unicode's private area until the markup is off."""
_URL = re.compile(r"https?://[^\s)\]]+")
_MARKS = re.compile(r"(?<!_)(_{1,6})(?![_\s])(.+?)(?<![_\s])\1(?!_)", re.DOTALL)
_STRUCK = re.compile(r"(?<!~)~(?![~\s])([^~]+?)(?<!\s)~(?!~)")
_BACKTICK = re.compile(r"`([а-яёА-ЯЁ])")
_TAG = re.compile(r"\((img|pic|audio|video|screen|hidden-comment|sc)\b:?\s*")
_BREAK = re.compile(r"\((?:LINEBREAK|PAGEBREAK)\)")
_TO_HOST = re.compile(r"\[\s*(?:Ведущ|Чтец|Указани[ея]\s+(?:для\s+)?(?:ведущ|чтец))", re.IGNORECASE)
_HANDOUT = re.compile(r"\[\s*Разда(?:точн|тк)", re.IGNORECASE)
_MEDIA = ("img", "pic", "audio", "video")
_LABEL = re.compile(r"^!!\S*\s+")
_ITEM = re.compile(r"^[^\S\n]*-\s+", re.MULTILINE)

_LETTERS = re.compile(r"[^\W\d_]*")

LAST_WORD = 100
"""Characters within which it is seen whether a word is a short one."""

_BRACKETS = {"(": ")", "[": "]", "«": "»", "„": "“", "“": "”"}
_QUOTED = r"(?:«[^«»]+»|„[^„“]+“|“[^“”]+”|\"[^\"]+\")"
_QUOTED_LIST = re.compile(rf"{_QUOTED}(?:\s*,\s*(?:(?:и|или)\s+)?{_QUOTED}|\s+(?:и|или)\s+{_QUOTED})+")
_SENTENCE = re.compile(r"[.!?]\s+(?=[«„“\"\[A-ZА-ЯЁ\d])")
_SHORTENED = frozenset({"проф", "акад", "имп", "просп", "корп", "стр", "англ", "франц", "лат", "нем", "соч"})


@dataclass(frozen=True, slots=True)
class Listed:
    """A field: what stands before its list, and the items. No list: no items."""

    lead: str
    items: tuple[str, ...] = ()


def listed(raw: str) -> Listed:
    """Lines that begin with a dash are items of a list; a single one is no list but a way of writing."""
    starts = [match.span() for match in _ITEM.finditer(raw)]
    if not starts:
        return Listed(raw.strip())
    ends = [start for start, _ in starts[1:]] + [len(raw)]
    items = tuple(raw[start:end].strip() for (_, start), end in zip(starts, ends, strict=True))
    lead = raw[: starts[0][0]].strip()
    return Listed(f"{lead}\n{items[0]}".strip()) if len(items) == 1 else Listed(lead, items)


def shown_to_players(raw: str) -> str | None:
    """What a text alone cannot carry: "an image", "a handout"; None if it carries everything."""
    if any(name in _MEDIA for name in _TAG.findall(raw)):
        return "an image, sound or film"
    return "a handout" if _HANDOUT.search(raw) else None


def plain(raw: str) -> str:
    """The words as a player reads them. Stress marks stay; notes to the host are not for players and go."""
    kept: list[str] = []

    def keep(text: str) -> str:
        kept.append(text)
        return chr(_KEPT + len(kept) - 1)

    text = "".join(" " if _KEPT <= ord(character) < _KEPT + 0x1900 else character for character in _LABEL.sub("", raw))
    text = _ESCAPED.sub(lambda match: keep(match.group(1) or match.group(2)), text)
    text = _without_notes(_without_tags(text))
    text = _URL.sub(lambda match: keep(match.group()), text)
    text = _BACKTICK.sub(rf"\1{STRESS}", _BREAK.sub("\n", text))
    while (without := _MARKS.sub(r"\2", text)) != text:
        text = without
    text = _STRUCK.sub(r"\1", text)
    for number, original in reversed(list(enumerate(kept))):
        text = text.replace(chr(_KEPT + number), original)
    return _spaced(text)


def _spaced(text: str) -> str:
    """One space between words, line breaks kept, no space where something was taken out."""
    lines = (re.sub(r"[^\S\n]+", " ", line).strip() for line in text.split("\n"))
    return re.sub(r" +([,.;:?!])(?=\s|$)", r"\1", re.sub(r"\n{2,}", "\n", "\n".join(lines))).strip()


def _without_tags(text: str) -> str:
    """`(screen a|b)` is b, what the teams see; `(sc word)` is the word; pictures and hidden comments are nothing."""
    while tag := _TAG.search(text):
        end = _closing(text, tag.start())
        inside = text[tag.end() : end]
        if tag.group(1) == "screen":
            inside = inside.rpartition("|")[2]
        elif tag.group(1) != "sc":
            inside = ""
        text = text[: tag.start()] + inside + text[end + 1 :]
    return text


def _without_notes(text: str) -> str:
    while note := _TO_HOST.search(text):
        text = text[: note.start()] + text[_closing(text, note.start()) + 1 :]
    return text


def _closing(text: str, start: int) -> int:
    """Where the bracket that opens at `start` closes; the end of the text if it never does."""
    opening, closing = text[start], _BRACKETS[text[start]]
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] == opening) - (text[place] == closing)
        if depth == 0:
            return place
    return len(text)


def unended(text: str) -> str:
    """Without the full stop or semicolon at the end; an ellipsis stays."""
    text = text.strip()
    if text.endswith((".", ";")) and not text.endswith(".."):
        text = text[:-1].rstrip()
    return text


def wordings(answer: str) -> list[str]:
    """An answer with optional parts in square brackets: first with all of them, then without some, sixteen at most."""
    if answer.count("[") != answer.count("]") or answer.count("[") > _MOST_BRACKETS:
        return [answer]
    variants = (unended(_spaced(wording)) for wording in _expanded(answer))
    return list(dict.fromkeys(variant for variant in variants if variant))[:MOST_VARIANTS]


def _expanded(text: str) -> list[str]:
    start = text.find("[")
    end = _closing(text, start) if start >= 0 else -1
    if start < 0 or end >= len(text):
        return [text]
    inner, rest = _expanded(text[start + 1 : end]), _expanded(text[end + 1 :])
    expansions = [text[:start] + part + tail for part in [*inner, ""] for tail in rest]
    return expansions[: 4 * MOST_VARIANTS]  # equal ones are still among them


def alternatives(text: str) -> list[str]:
    """What an author lists as also right, or as wrong, one by one: at semicolons, sentences, and quoted one by one.

    A note such as "по слову «Рим»" stays whole: it says how to judge and is no answer itself.
    """
    answers: list[str] = []
    for piece in _pieces(text.replace("\n", " ")):
        if _QUOTED_LIST.fullmatch(piece):
            answers += [quoted[1:-1].strip() for quoted in re.findall(_QUOTED, piece)]
        else:
            answers.append(piece)
    return list(dict.fromkeys(wording for answer in answers for wording in wordings(answer)))


def _pieces(text: str) -> Iterator[str]:
    start = 0
    for end, length in [*_boundaries(text), (len(text), 0)]:
        if piece := unended(text[start:end]):
            yield piece
        start = end + length


def _boundaries(text: str) -> Iterator[tuple[int, int]]:
    """Where one alternative ends and how long the mark is; not inside brackets or quotes."""
    closers: list[str] = []
    for place, character in enumerate(text):
        if closers and character == closers[-1]:
            closers.pop()
        elif character in _BRACKETS:
            closers.append(_BRACKETS[character])
        elif not closers and character == ";":
            yield place, 1
        elif not closers and (mark := _SENTENCE.match(text, place)) and _ends_sentence(text[:place]):
            yield place, len(mark.group())


def _ends_sentence(before: str) -> bool:
    """Not after initials and short words ("А. С.", "им.", "проф."): those are abbreviations."""
    word = _LETTERS.match(before[-LAST_WORD:].replace(STRESS, "")[::-1])
    letters = word.group()[::-1] if word else ""
    return (len(letters) >= 3 and letters.casefold() not in _SHORTENED) or before.endswith(("»", "“", "”", '"', ")"))
