"""An error as a server's log is told of it: what went wrong and where, in words that are known to hold none of a question, an
answer or an endpoint.

Most errors quote what they are about, and what they will quote tomorrow nobody knows. So only those are told in their own words
of which it is known what these are made of; of any other the log gets its kind.
"""

from __future__ import annotations

import re

from moot.errors import BudgetReached, CallError, EndpointClosed, FileError, StoreError, StoreFull, StoreNewer
from moot.models.flights import NOTHING_ASKED

NOT_LOGGED = "whose words are not logged"

_KIND = re.compile(r"[A-Za-z]{1,40}(?=: )")
"""A call's error begins with the name of its class."""
_WHERE = re.compile(r"(?:no whole reply from )?(?P<address>https?://[^\s'\"]{1,300})(?P<status> answered \d{3}\b)?")
_VALUE = re.compile(r"(?:, found | with text |(?<![^\s(\[{:=,])[bBrRuU]{0,2}['\"])")
"""From here on a store's error quotes what it holds, or what it was to hold."""
_QUOTE = re.compile("['\"`´‘-‟‹›«»′-‷＂＇「-』〈-》〝-〟❛-❠]")
"""Whatever stands before it, and in whichever language a server says it. A path may have one, which is the store's name."""


def in_short(words: str) -> str:
    """Of the error of a call as it is written down: its kind, the address, and the status."""
    kind = _KIND.match(words)
    where = _WHERE.match(words, 0 if kind is None else kind.end() + 2)
    name = "failed" if kind is None else kind[0]
    return name if where is None else f"{name}: {where['address'].rstrip(':.,;')}{where['status'] or ''}"


def in_log(error: BaseException) -> str:
    """Of any error."""
    words, kind = str(error), type(error).__name__
    if isinstance(error, CallError | EndpointClosed):
        return in_short(f"{kind}: {words}")
    if isinstance(error, BudgetReached | StoreFull | StoreNewer) or words == NOTHING_ASKED:
        return words
    if isinstance(error, StoreError):
        after_name = words.find(": ") + 1
        values = (_VALUE.search(words), _QUOTE.search(words, after_name))
        told = words[: min((value.start() for value in values if value is not None), default=len(words))]
        cause = "" if error.driver_kind is None else f"{error.driver_kind}; "
        return words if told == words else f"{told.rstrip()} ({cause}what follows is not logged)"
    if isinstance(error, FileError) and error.file is not None:
        return f"{error.file}{'' if error.line is None else f':{error.line}'}: {kind}, {NOT_LOGGED}"
    return f"{kind}, {NOT_LOGGED}"
