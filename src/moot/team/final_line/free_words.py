"""The words that answer an open question, out of the frame that they stand in, with every sign that is theirs.

A minus, a root, a bar or a hash is a part of the answer: -5 is not 5, and C# is not C. A list's bullet, emphasis, quotes,
tags and the full stop of the sentence are not. So a mark at an edge is taken off only together with its other half,
where the frame has opened it, or where white space sets it apart from the words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

LONGEST_ANSWER = 300
"""In characters: a longer line is an essay, not an answer."""

LONGEST_LINE = 120
"""Of a text that is nothing but an answer."""
_IN_A_LINE = " .,;:!'’\"«»“”„()&/%°№-–_*#[]{}\\′″"
"""Beside letters, digits and symbols. A question asks back, and a dash or a second line begins to explain."""
_NO_ANSWER = re.compile(r"```|\[[^\W\d_]{2}[^\]]{0,100}\]\s|\{\s{0,9}[\"']")
"""A block of code, a remark in brackets before other words, an object: something else is meant than the line itself."""
_LONE_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9]{0,15}>|<\|[^|]{0,40}\|>")

_WORD = r"[^\W\d_]{2}"
"""A sign before a word is a bullet or a quotation mark; before a number or a letter by itself it may be anything."""
_LEAD_IN = re.compile(
    rf"""(?:
        ```\w{{0,12}}\n
      | \s
      | [:：=,…—→}}•]
      | \.{{2,3}}(?!\d)
      | [-=]{{1,3}}> | (?<==)>
      | (?<=[:：])[*_`]{{1,3}}
      | [*_`]{{1,3}}(?=\s)
      | \#{{1,6}}(?=\s)
      | \|(?=\s)
      | (?<=[:：])-{{1,2}}(?=\s)
      | -{{2,3}}(?=\s)
      | [-–>~](?=\s{{1,20}}{_WORD})
      | (?:therefore|thus|hence|clearly|simply|most\ likely|probably|definitely|indeed|actually|I\ (?:believe|think|would\ say)
          |именно|конечно|скорее\ всего)(?=[,:\s])(?=[,:\ \t]{{1,4}}\S)
    )*+""",
    re.VERBOSE,
)
"""What leads from the colon to the answer. A capital begins an answer, be it the one of "Still Life". Whether "- 5" is
an item of a list or below zero nobody can tell, so it stays as it is, and equals neither."""
_AFTER_A_VERB = re.compile(r"[\s,]{0,4}(?:then|still|likely|closest to)(?=[,:\s][,:\s]{0,3}\S)")
"""Said after "is"; behind a colon "still life" would be an answer."""

_SENTENCE_ENDS = re.compile(r"(?<=[^\W_]{3})[.!?](?P<shut>[*_\"'»”)]*)\s+(?=[^\W\d_a-zа-я])")
_QUOTED_END = re.compile(r"(?<=\w)[.!?](?P<shut>[*_\"'»”]{1,4})\s+(?=[^\W\d_a-zа-я])")
"""A sentence that ends within quotes or emphasis ends there, however short its last word is."""

_PAIRS = (
    *(("***", "***"), ("**", "**"), ("*", "*"), ("__", "__"), ("_", "_"), ("```", "```"), ("`", "`")),
    *(('"', '"'), ("'", "'"), ("«", "»"), ("“", "”"), ("„", "“"), ("‘", "’")),
    *(("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]")),
)
_VERBATIM = ("`", "```")
_OPENED = re.compile(r"\*{1,3}|_{1,3}|`|[\"'«“„(\[$]")
_CLOSING = {"«": "»", "“": "”", "„": "“", "(": ")", "[": "]"}
_TAGGED = re.compile(r"<([A-Za-z][A-Za-z0-9]{0,15})>(.*)</\1>", re.DOTALL | re.IGNORECASE)
_TAG_BEHIND = re.compile(r"\s*(?:</[A-Za-z][A-Za-z0-9]{0,15}>|<br ?/?>)$", re.IGNORECASE)
_APART = re.compile(r"\s[|#*_]{1,6}$")
_LEFT_OVER = re.compile(r"(?:[*_]{2,3}|`{1,3})$")
_QUOTES = "\"'«»“”„"
_SAYS_SOMETHING = re.compile(r"[\w∞∅]")


def begin(text: str, place: int, *, by_verb: bool) -> int:
    """Where the words begin that are announced at this place, right behind a verb or a colon."""
    if by_verb and (adverb := _AFTER_A_VERB.match(text, place)):
        place = adverb.end()
    lead_in = _LEAD_IN.match(text, place)
    return lead_in.end() if lead_in else place


def first_sentence(line: str) -> str:
    """The line as far as its first sentence goes."""
    found = [end for end in (_SENTENCE_ENDS.search(line), _QUOTED_END.search(line)) if end is not None]
    if not found:
        return line
    ends = min(found, key=lambda end: end.start())
    sentence, shut = line[: ends.start()], ends["shut"]
    opened = next((opening for opening, closing in _PAIRS if closing == shut), None)
    return sentence.removeprefix(opened) if opened else sentence


def left_open(before: str, announcement: str) -> tuple[str, ...]:
    """The marks before an announcement that are not closed within it: they may be behind the answer."""
    marks = (mark.group() for mark in _OPENED.finditer(before))
    return tuple(mark for mark in marks if _closing(mark) not in announcement)


def unframed(words: str, opened: Sequence[str] = ()) -> str:
    """The words by themselves. `opened`: the marks of the frame that are still open, the innermost last."""
    still_open = list(opened)
    words = words.strip()
    while True:
        bare = _without_stop(words)
        if still_open and bare.endswith(closing := _closing(still_open[-1])) and not _pair_around(bare):
            bare = bare.removesuffix(closing)
            still_open.pop()
        elif pair := _pair_around(bare):
            bare = bare[len(pair[0]) : len(bare) - len(pair[1])]
            if pair[0] in _VERBATIM:
                return bare.strip()
        else:
            bare = _without_tags(_without_leftovers(bare))
        if (bare := bare.strip()) == words or not bare:
            return bare or words
        words = bare


def only_line(text: str) -> str | None:
    """The answer that a text is which holds nothing else: one short line of words, numbers or a formula."""
    if len(text) > LONGEST_LINE or _LONE_TAG.fullmatch(text) or not all(map(_stands_in_a_line, text)):
        return None
    if _NO_ANSWER.match(text) or _left_off(text):
        return None
    bare = text if text[:1].isalnum() else unframed(text[begin(text, 0, by_verb=False) :])
    return bare if says_something(bare) else None


def _left_off(text: str) -> bool:
    """Whether square brackets or braces are not closed: the beginning of something, or the end of it."""
    opened, closed = (sum(map(text.count, marks)) for marks in ("([", ")]"))
    return text.count("{") != text.count("}") or (opened != closed and ("[" in text or "]" in text))


def _stands_in_a_line(character: str) -> bool:
    return character.isalnum() or character in _IN_A_LINE or unicodedata.category(character)[0] == "S"


def says_something(words: str) -> bool:
    return _SAYS_SOMETHING.search(words) is not None


def _closing(mark: str) -> str:
    return _CLOSING.get(mark, mark)


def _without_stop(words: str) -> str:
    return words if words.endswith("..") else words.removesuffix(".")


def _pair_around(words: str) -> tuple[str, str] | None:
    for opening, closing in _PAIRS:
        if len(words) > len(opening) + len(closing) and words.startswith(opening) and words.endswith(closing):
            inner = words[len(opening) : len(words) - len(closing)]
            return (opening, closing) if opening not in inner and closing not in inner else None
    return None


def _without_tags(words: str) -> str:
    if tagged := _TAGGED.fullmatch(words):
        return tagged.group(2)
    behind = _TAG_BEHIND.search(words[-24:])
    return words[: len(words) - len(behind.group())] if behind else words


def _without_leftovers(words: str) -> str:
    """Halves of marks whose other half is not there; of a number and a letter by itself they are a part: 5", f', |x|."""
    bare = _APART.sub("", words)
    if bare.endswith("|") and bare.count("|") % 2:
        bare = bare[:-1]
    bare = bare if _LEFT_OVER.sub("", bare) == bare or bare.startswith(("*", "_", "`")) else _LEFT_OVER.sub("", bare)
    if bare[-1:] in _QUOTES and re.search(rf"(?:{_WORD}|[^\w\s]).$", bare) and _lonely(bare, bare[-1]):
        bare = bare[:-1]
    if bare[:1] in _QUOTES and not bare[1:2].isdigit() and _lonely(bare, bare[:1]):
        bare = bare[1:]
    return bare


def _lonely(words: str, quote: str) -> bool:
    """Whether nothing in the words answers this quotation mark."""
    return words.count(quote) % 2 == 1 and not any(
        quote in pair and pair[0] != pair[1] and pair[0] in words and pair[1] in words for pair in _PAIRS
    )
