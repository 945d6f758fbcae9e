"""The border: whatever comes from outside is cleaned and bounded here, before anything else sees it.

A server, a file or somebody else's code may send anything: half of a surrogate pair, NUL, a count of 2^63 tokens, NaN, a
name of a megabyte. No store, report or page has to know: behind this line texts can be written anywhere, counts are
counts, and what makes no sense is unknown. Every kind of model passes here, with its replies and with its errors.
"""

from __future__ import annotations

import math
import unicodedata
from typing import Any

import orjson

from moot.errors import CallError, ReplyTooLarge
from moot.types import BillInPart, Reply, Usage

MOST_TOKENS = 2**31 - 1
"""What every database holds; a count above it counts nothing."""

MOST_USD = 1e9
LONGEST_TEXT = 2**26
"""Characters of a text. Endpoints are bounded in bytes before, and lower."""
LONGEST_NAME = 300
"""Characters of what names something: a version, a reason to finish."""
LONGEST_WORDS = 2_000
"""Characters of an error, or of what a filter says."""
LONGEST_LOGPROBS = 2**24
"""Bytes of log probabilities, as JSON; more of them are left out."""
BEHIND_A_CUT = 1_000
"""Characters behind the place where a text is cut that are looked through for secrets with what is before it. The beginning of
one is hidden as well; with more of it fewer words are taken for a beginning."""
DEEPEST = 64

HOLDS_NUL = "holds a NUL character, which no store can take"

_UNSEEN = ("Cc", "Cf", "Cs", "Zs", "Zl", "Zp", "Mn", "Me")
"""Categories of what is not seen by itself: marks, variation selectors among them, need a letter to stand on."""
_UNSEEN_LETTERS = "\u115f\u1160\u2800\u3164\uffa0"
"""Fillers of Hangul and Braille: letters and symbols by their category, and drawn as nothing."""

_SELECTORS = frozenset(map(chr, (0x034F, *range(0x180B, 0x180E), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
"""Marks that are drawn as nothing: they choose a form of the character before them, or keep two apart."""

_NUL = str.maketrans({"\x00": "\ufffd"})


class NoReply(ValueError):
    """What should be a reply has no text."""


def storable(text: str) -> str:
    """Text as every store can hold it: lone surrogates and NUL become the replacement character."""
    if "\x00" in text:
        text = text.translate(_NUL)
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def blank(text: str) -> bool:
    """Whether nothing of it is seen: white space, controls, and what only looks like nothing."""
    stripped = text.strip()
    if "!" <= stripped[:1] <= "~":  # mostly so
        return False
    return not any(map(_is_seen, stripped))


def as_seen(text: str) -> str:
    """One text for all that look alike but for what is not seen: controls, joiners, variation selectors, more white space."""
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    kept = (character for character in unicodedata.normalize("NFC", text) if not _leaves_no_trace(character))
    return " ".join("".join(kept).split())


def _leaves_no_trace(character: str) -> bool:
    """Marks are seen, on the letter they stand on, but for those that only choose between forms."""
    if character in _UNSEEN_LETTERS or character in _SELECTORS:
        return True
    return unicodedata.category(character) in ("Cc", "Cf") and not character.isspace()


def text_problem(text: str) -> str | None:
    """Why a text that somebody else wrote can be no question and no answer; None where it can."""
    return unstorable(text) or ("expected a text that is not empty" if blank(text) else None)


def unstorable(text: str) -> str | None:
    """Why a text cannot be kept as it is; None where it can."""
    if "\x00" in text:
        return HOLDS_NUL
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return "holds half of a surrogate pair, which no file or model can take"
    return None


def _is_seen(character: str) -> bool:
    return unicodedata.category(character) not in _UNSEEN and character not in _UNSEEN_LETTERS


def long_text(text: object) -> str:
    """The words of a reply."""
    if type(text) is not str:
        if not isinstance(text, str):
            raise NoReply(f"expected a Reply with a text, found {type(text).__name__}")
        text = "".join([text])  # of a subclass: its methods may be anything
    if len(text) > LONGEST_TEXT:
        raise ReplyTooLarge(f"a reply of {len(text):,} characters; at most {LONGEST_TEXT:,} are taken")
    return storable(text)


def name(value: object) -> str | None:
    """What names something, in so many characters; None for what is no text, or an empty one."""
    if not isinstance(value, str) or not value:
        return None
    return storable(value if len(value) <= LONGEST_NAME else value[:LONGEST_NAME])


def words(value: object, most: int = LONGEST_WORDS) -> str:
    """What somebody says in an error."""
    return storable(cut(printed(value), most))


def printed(value: object) -> str:
    """The same in its whole length."""
    try:
        return value if type(value) is str else str(value)
    except Exception:  # noqa: BLE001  an exception of somebody else's, which cannot even be printed
        return type(value).__name__


def cut(text: str, most: int) -> str:
    """Where somebody else wrote it and may know a secret, `Secrets.shortened` is what cuts it."""
    return text if len(text) <= most else text[: most - 1] + "…"


def uncut_name(value: object) -> str | None:
    """What names something, while secrets may stand in it: they are looked for first, and then `Secrets.name` cuts it."""
    return value[: LONGEST_NAME + BEHIND_A_CUT + 1] if isinstance(value, str) and value else None


def count(value: object) -> int | None:
    """A number of tokens; None for what is none."""
    if type(value) is float and value.is_integer():  # 120.0 says 120; neither NaN nor infinity is whole
        value = int(value)
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else None


def told_count(value: object) -> int | None:
    """How many tokens there were at the least: a count that is too great to be kept is one of so many as can be."""
    kept = count(value)
    return MOST_TOKENS if kept is None and _beyond(value, MOST_TOKENS) else kept


def usage_of(usage: object) -> Usage:
    if not isinstance(usage, Usage):
        return Usage()
    given = (usage.prompt, usage.completion, usage.reasoning, usage.cached)
    for value in given:
        if value is not None and (type(value) is not int or not 0 <= value <= MOST_TOKENS):
            return Usage(*map(count, given))
    return usage


def usd(value: object) -> float | None:
    number = _number(value)
    return number if number is not None and number <= MOST_USD else None


def told_usd(value: object) -> float | None:
    """How much it was at the least: a statement of more than anybody is believed is one of so much."""
    return MOST_USD if _beyond(value, MOST_USD) else usd(value)


def _beyond(value: object, most: float) -> bool:
    return not isinstance(value, bool) and isinstance(value, int | float) and value > most


def seconds(value: object) -> float:
    return _number(value) or 0.0


def _number(value: object) -> float | None:
    """A finite number from 0 on."""
    if type(value) is not float and (isinstance(value, bool) or not isinstance(value, int | float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def logprobs_of(value: object) -> Any:
    """Log probabilities as plain JSON of some depth and size; None for what is not that."""
    if value is None:
        return None
    try:
        raw = _as_json(value)
    except (TypeError, ValueError, RecursionError):
        return None
    return orjson.loads(raw) if len(raw) <= LONGEST_LOGPROBS else None


def _as_json(value: object) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError:  # half a surrogate pair, a number without end, a key that is no text
        return orjson.dumps(_plain(value, DEEPEST))


def _plain(value: object, deep: int) -> object:
    if deep == 0:
        return None
    if isinstance(value, str):
        return storable("".join([value]))
    if isinstance(value, dict):
        return {words(key, LONGEST_NAME): _plain(item, deep - 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, deep - 1) for item in value]
    if isinstance(value, bool | float | None):
        return value
    return value if isinstance(value, int) and abs(value) < 2**53 else None


def admitted(reply: Reply) -> Reply:
    """The reply with every field clean; nearly always that is the reply itself. `NoReply` where it has no text."""
    text, thoughts = reply.text, reply.thoughts
    text = long_text(text)
    if thoughts is not None:
        thoughts = long_text(thoughts) if isinstance(thoughts, str) else None
    finish = name(reply.finish) or "stop"
    version = None if reply.version is None else name(reply.version)
    usage = usage_of(reply.usage)
    latency_s, cost_usd = seconds(reply.latency_s), None if reply.cost_usd is None else usd(reply.cost_usd)
    logprobs = logprobs_of(reply.logprobs)
    odd = reply.in_part is not None or cost_usd != reply.cost_usd or usage is not reply.usage
    in_part = _bill_in_part(reply) if odd else None
    same = (
        text is reply.text
        and thoughts is reply.thoughts
        and finish is reply.finish
        and version is reply.version
        and usage is reply.usage
        and latency_s == reply.latency_s
        and (cost_usd is None) == (reply.cost_usd is None)
        and logprobs is reply.logprobs
        and in_part is reply.in_part
    )
    if same:
        return reply
    return Reply(
        text, finish, usage, latency_s, version, cost_usd, thoughts, logprobs, in_part=in_part, timed=reply.timed
    )


def _bill_in_part(reply: Reply) -> BillInPart | None:
    """As it is said, and what is too great to be kept."""
    said = reply.in_part if isinstance(reply.in_part, BillInPart) else BillInPart()
    counted = reply.usage if isinstance(reply.usage, Usage) else Usage()
    dollars = told_usd(reply.cost_usd) if _beyond(reply.cost_usd, MOST_USD) else told_usd(said.usd)
    prompt, completion = said.prompt, said.completion
    if _beyond(counted.prompt, MOST_TOKENS) or _beyond(counted.completion, MOST_TOKENS):
        prompt, completion = counted.prompt, counted.completion
    clean = BillInPart(dollars or 0.0, told_count(prompt), told_count(completion), told_count(said.total))
    if clean == reply.in_part:
        return reply.in_part
    return None if clean.says_nothing else clean


def clean_error(error: CallError) -> None:
    """What an error says is written down and shown like a reply is."""
    message = words(error)
    if (message,) != error.args:
        error.args = (message,)
