"""Text that somebody else wrote, made safe to stand in a prompt: it can forge neither the end of its block nor a line."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice

AT_ONCE = 100_000
"""Characters up to which a text is taken apart at once, which is faster and takes many times its length."""
PIECES_AT_ONCE = 4_096
_WORD = re.compile(r"\S+")
LINE_ENDS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_LINE_END = re.compile(f"\r\n|[{LINE_ENDS}]")
_TAG = re.compile(
    r"question|options?|context|answers?|reasoning|reference|positions?|documents?|messages?|solutions?|responses?"
    r"|proposals?|transcript|discussion|arguments?|facts?|criterion|criteria"
)
LONGEST_TAG = 12
UNSEEN = (
    r"\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u0300-\u036f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff"
)
"""Characters that show nothing, or sit on the one before them, and are met in honest texts: for whoever looks with a pattern."""
_UNSEEN_KINDS = ("Mn", "Me", "Cf", "Cc", "Cn")
_UNSEEN_LETTERS = "\u115f\u1160\u2800\u3164\uffa0"
_BRACKETS = "<＜﹤≮≪\u02c2\u1438\u16b2\u276c\u276e\u2770\u2329\u27e8\u27ea\u2991\u29fc\u3008\U0001d236"
"""What is a bracket, or looks like one: those that Unicode calls confusable with it, and angle brackets of other scripts."""
_OPENS = re.compile(f"[{_BRACKETS}]")
_SLASHES = "/／⁄∕⧸\\＼﹨\u2571\u29f5\u3033"
_LOOKALIKES = str.maketrans(
    "аеіјорсѕԁԛѡԝхуѳνοαιρτυκσϲϹмтпгɡɑıℓɛↄ01"  # Cyrillic, Greek, Latin in other forms, and digits
    "օսոցհզ"  # Armenian
    "ᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᎽᏀᏃᏎᏒᏕᏚᏙᏞᏟᏢᏦᏧᏴᎾᏫ"  # Cherokee
    "ꓮꓐꓚꓓꓰꓝꓖꓧꓲꓙꓗꓡꓟꓠꓳꓑꓣꓢꓔꓴꓦꓪꓫꓬꓜ",  # Lisu
    "aeijopcsdqwwxyovoaiptukoccmtnrgailecoiounghqdrtiyajewmhygzsrssvlcpkdbooabcdefghijklmnoprstuvwxyz",
)
_NAMES_A_LETTER = re.compile(r"LETTER (?:SMALL CAPITAL )?([A-Z])(?: WITH .+)?$")
"""How Unicode calls what is a Latin letter in another form, such as `NEGATIVE CIRCLED LATIN CAPITAL LETTER A`."""


def block(text: object) -> str:
    """Text made safe to stand inside a block: what looks like one of our tags loses its bracket, all else is kept."""
    written = str(text)
    return _OPENS.sub(_shut, written) if has_brackets(written) else written


def has_brackets(text: str) -> bool:
    """Else there is nothing to be looked at one by one."""
    return "<" in text or (not text.isascii() and any(bracket in text for bracket in _BRACKETS))


def _shut(bracket: re.Match[str]) -> str:
    """The bracket as it was, unless the word after it is one of our tags to whoever reads it."""
    text = bracket.string
    place = _past_unseen(text, bracket.end())
    while place < len(text) and text[place] in _SLASHES:
        place = _past_unseen(text, place + 1)
    return "‹" if _TAG.fullmatch(_word_at(text, place)) else bracket[0]


def _past_unseen(text: str, place: int) -> int:
    """No bracket is passed, so that each character of a text is looked at for one bracket alone."""
    while place < len(text) and (text[place].isspace() or _seen(text[place]) == ""):
        place += 1
    return place


def _word_at(text: str, place: int) -> str:
    """The word that stands there, as it is read: no further than the longest tag."""
    word = ""
    while place < len(text) and len(word) <= LONGEST_TAG and (seen := _seen(text[place])) is not None:
        word, place = word + seen, place + 1
    return word


@lru_cache(maxsize=4_096)
def _seen(character: str) -> str | None:
    """The letters that are seen in its place: none where it shows nothing, or sits on the one before; None: it is no letter."""
    if character in _BRACKETS or character.isspace():
        return None
    if unicodedata.category(character) in _UNSEEN_KINDS or character in _UNSEEN_LETTERS:
        return ""
    plain = unicodedata.normalize("NFKD", character.translate(_LOOKALIKES)).casefold()
    letters = "".join(_latin(each) for each in plain if unicodedata.category(each) not in _UNSEEN_KINDS)
    return letters if letters and all(each.isalnum() or each == "_" for each in letters) else None


def _latin(character: str) -> str:
    alike = character.translate(_LOOKALIKES)
    if alike.isascii():
        return alike
    named = _NAMES_A_LETTER.search(unicodedata.name(alike, ""))
    return named[1].casefold() if named is not None else alike


def line(text: object) -> str:
    """Text made safe to stand on a line of its own."""
    whole = block(text)
    if len(whole) <= AT_ONCE:
        return " ".join(whole.split())
    return joined((word[0] for word in _WORD.finditer(whole)), " ")


def quoted(text: object) -> str:
    """Text made safe inside of what will be a block itself, where no tag of ours would survive: no line is its own."""
    return joined((f"> {text_line}" for text_line in lines_of(str(text))), "\n")


def lines_of(text: str) -> Iterator[str]:
    """As `splitlines`, which holds them all at once: a small text takes forty times its length."""
    if len(text) <= AT_ONCE:
        yield from text.splitlines()
        return
    begins = 0
    for ends in _LINE_END.finditer(text):
        yield text[begins : ends.start()]
        begins = ends.end()
    if begins < len(text):
        yield text[begins:]


def most_lines(text: str) -> int:
    """No fewer than it has: a pair of signs that ends one counts twice."""
    return 1 + sum(map(text.count, LINE_ENDS))


def joined(texts: Iterable[str], between: str) -> str:
    """As `str.join`, which holds them all at once."""
    left = iter(texts)
    several: list[str] = []
    while some := list(islice(left, PIECES_AT_ONCE)):
        several.append(between.join(some))
    return between.join(several)
