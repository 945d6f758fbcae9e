"""Why somebody is missing in a play, in words, and what can be done: a model was not reached, or a recording has no reply of it.

Rows have `who` is missing, and under `unrecorded` those of them who are recorded, where there are any.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable

COMPLETE = "complete the recording, or ask only questions to which it has all replies (moot import --complete)"
"""The way out where a recording has holes: nobody can be asked again."""
UNREACHED = "a model could not be reached"
UNRECORDED = "a recording has no reply"


def missing_words(who: Iterable[Hashable], unrecorded: Collection[Hashable] = ()) -> str:
    """What happened to these, players or plays. `unrecorded`: of whom a recording has no reply."""
    if not unrecorded:
        return UNREACHED
    return UNRECORDED if set(who) <= set(unrecorded) else f"{UNREACHED} or {UNRECORDED}"


def way_out(who: Iterable[Hashable], unrecorded: Collection[Hashable] = (), asks: str = "moot run asks again") -> str:
    """What would settle it. `asks`: what asks again whoever could not be reached."""
    if not unrecorded:
        return asks
    return COMPLETE if set(who) <= set(unrecorded) else f"{asks}, and of what is recorded {COMPLETE}"
