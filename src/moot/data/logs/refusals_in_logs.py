"""Where a log tells that a model or a filter refused: then it is a refusal here too, and neither a failure nor silence.

Only what says so by a word made for it counts: why a reply ended, the code of an error, or a filter's words behind a status by
which filters answer. What a reply says in its own words is for the log's verdict.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from moot.data.logs.fields import items, mapping
from moot.foreign_json import read_json
from moot.models.filtered import FILTERED, filter_words, is_filter_finish

REFUSAL = "refusal"
"""The model's own, and not a filter's."""
MOST_READ = 20_000
"""Characters of an error. It may quote a page."""
_STATUS = re.compile(r"(?<![0-9])(?:400|403|422|451)(?![0-9])")


def ended_in_refusal(finish: object) -> str | None:
    """The word for how a reply ended, where it is one for a refusal."""
    if not isinstance(finish, str):
        return None
    return FILTERED if is_filter_finish(finish) else REFUSAL if finish.strip().casefold() == REFUSAL else None


def refused_by_filter(error: object) -> str | None:
    """The same of an error in place of a reply: an object, or words that may hold one."""
    for said, status in _readings(error):
        if filter_words(said, status) is not None:
            return FILTERED
    return None


def _readings(error: object, deep: int = 3) -> Iterator[tuple[object, int]]:
    """With the status that it names, 0 where it names none: then words alone tell nothing."""
    if isinstance(error, Mapping):
        status = next(
            (code for name in ("status", "status_code", "code") if isinstance(code := error.get(name), int)), 0
        )
        yield error, status
        for name in ("message", "error"):
            if deep and isinstance(within := error.get(name), str | Mapping):
                yield from _readings(within, deep - 1)
    elif isinstance(error, str):
        words = error[:MOST_READ]
        named = _STATUS.search(words)
        stated = 0 if named is None else int(named[0])
        yield words, stated
        if (start := words.find("{")) >= 0:
            try:
                yield read_json(words[start : words.rfind("}") + 1]), stated
            except ValueError:  # it is no JSON, or was cut
                return


def part_that_refuses(content: Any) -> bool:
    """Whether a part of a message is marked as a refusal."""
    return any(mapping(part).get("refusal") is True for part in items(content))
