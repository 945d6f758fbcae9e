"""Questions that want a long answer, in the plan: who cannot be played on them is refused before anybody is asked.

No two long answers are the same word for word. Whoever counts or compares answers would find as many groups as there are
players, and the figure would say nothing of the strategy.
"""

from __future__ import annotations

from functools import cache

from moot.errors import UsageError
from moot.strategies import BUILT_IN, Strategy, strategy, traits_of
from moot.team import Team

_MEANING = "grouping: {model: NAME} or {embedding: true}"


def long_answer_problem(played: Strategy, *, by_meaning: bool) -> str | None:
    """Why a strategy cannot be played on questions of kind text, and what to take instead; None: it can be.

    `by_meaning`: whether the file says who can tell which answers mean the same.
    """
    traits = traits_of(played)
    refused = f"{played.name} cannot be played on questions of kind text"
    counted = [name for name in takes_long_answers() if traits_of(strategy(name)).groups]
    others = ", ".join(name for name in takes_long_answers() if by_meaning or name not in counted)
    if not traits.long_answers:
        also = "" if by_meaning else f", or {' or '.join(counted)} with {_MEANING}"
        return f"{refused}: it compares answers or asks for short ones; expected one of {others}{also}"
    if traits.groups and not by_meaning:
        why = "no two long answers are the same in so many words, so that there is nothing to count"
        return f"{refused}: {why}; expected {_MEANING}, which says who tells what means the same, or one of {others}"
    return None


def groups_by_meaning(team: Team) -> bool:
    """Whether somebody at this table can tell which answers mean the same."""
    grouper = team.grouper
    return getattr(grouper, "model", None) is not None or getattr(grouper, "similarity", None) is not None


@cache
def takes_long_answers() -> tuple[str, ...]:
    """Of the strategies that come with moot: those that can be played on long answers, as their traits say."""
    return tuple(name for name in BUILT_IN if _takes(name))


def _takes(name: str) -> bool:
    try:
        return bool(traits_of(strategy(name)).long_answers)
    except UsageError:  # it cannot be without options
        return False
