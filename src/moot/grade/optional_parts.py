"""Russian references with a part in round brackets, which whoever answers may leave out: "Наполеон (Бонапарт)".

So quiz packages write them. A number in brackets, be it in words, a denial or an ending (стол(ы)) may be what the answer hangs
on, and stays.
"""

from __future__ import annotations

import re
from itertools import product

from moot.grade.numerals import is_number_word

_PART = re.compile(r"(?<![^\s])\((?P<inside>[^()]{2,100})\)(?=[\s.,;:!?]|\Z)")
_MOST = 3
"""Parts. Who writes more of them means them for a person to read."""
_TELLS = re.compile(r"[0-9]|(?<!\w)[IVXLCDM]+(?!\w)")
_TELLING_WORD = re.compile(
    r"не|нет|нету|нельзя|невозможно|без|безо|кроме|помимо|исключая|вместо|минус|или|либо|только|лишь|анти\w*"
    r"|ни|ни(?:кто|кого|кому|кем|ком|что|чего|чему|чем|чей|чья|чьё|чье|чьи|чьего|чьему|чьим|чьём|чьем|чьей|чью|чьих|чьими)"
    r"|не(?:кого|кому|кем|чего|чему|чем|где|куда|откуда|когда|зачем)|(?:не)?много|мало|несколько"
    r"|ни(?:когда|где|куда|откуда|как|сколько)|никак(?:ой|ая|ое|ие|ого|ому|им|ом|ую|их|ими)"
)
_WORD = re.compile(r"[^\W\d_]+")
_CYRILLIC_WORD = re.compile(r"[а-яё]{2,}", re.IGNORECASE)


def without_optional(reference: str) -> tuple[str, ...]:
    """The reference without one or more of such parts; nothing where it has none."""
    if "(" not in reference:
        return ()
    parts = list(_PART.finditer(reference))
    if not 1 <= len(parts) <= _MOST or any(_tells(part["inside"]) for part in parts):
        return ()
    shorter = []
    for left_out in product((False, True), repeat=len(parts)):
        text, end = "", 0
        for part, without in zip(parts, left_out, strict=True):
            text += reference[end : part.start()] + ("" if without else part["inside"])
            end = part.end()
        text = " ".join(f"{text}{reference[end:]}".split())
        if any(left_out) and _CYRILLIC_WORD.search(text):
            shorter.append(text)
    return tuple(shorter)


def _tells(inside: str) -> bool:
    if _TELLS.search(inside) is not None or _CYRILLIC_WORD.search(inside) is None:
        return True
    words = (word.lower() for word in _WORD.findall(inside))
    return any(_TELLING_WORD.fullmatch(word) is not None or is_number_word(word) for word in words)
