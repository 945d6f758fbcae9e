"""What keeps a reader blind: no names inside a rationale, and no order that gives away who sits where.

Names of players, models and vendors are masked wherever one of them is quoted, those of other cohorts too. What somebody
answered is never touched, nor is the question: only the words around it. A long answer is all words: there names are masked
too for whoever reads it, and the answer itself stays whole.
"""

from __future__ import annotations

import re
from functools import lru_cache

from moot.team import Team
from moot.team.player import aliases_of

MASK = "[…]"

SHORTEST = 2
"""A name of one character is left alone: to mask it would take letters and digits out of every argument."""


def masked(text: str, team: Team) -> str:
    """The text without the name of any player, model or vendor of the experiment."""
    return _masked(text, hidden_names(team))


@lru_cache(maxsize=128)
def _masked(text: str, names: tuple[str, ...]) -> str:
    """Each reader of one discussion is shown the same words: they are looked through once."""
    return _pattern(names).sub(MASK, text)


def hidden_names(team: Team) -> tuple[str, ...]:
    """All that a player may be known by, here and at the tables of other cohorts."""
    return team.names or tuple(dict.fromkeys(name for player in team.players for name in aliases_of(player)))


@lru_cache(maxsize=64)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    """Whole words in any case, the longest first: "qwen3-max" is not "qwen3" with something behind it."""
    whole = {name for name in names if len(name) >= SHORTEST}
    whole |= {part for name in whole if len(part := re.split(r"[/\\]", name)[-1]) >= SHORTEST}
    listed = "|".join(re.escape(name) for name in sorted(whole, key=lambda name: (-len(name), name)))
    return re.compile(rf"(?<!\w)(?:{listed})(?!\w)", re.IGNORECASE) if listed else re.compile(r"(?!)")
