"""Questions that want a long answer, in the plan: who cannot be played on them is refused before anybody is asked.

No two long answers are the same word for word. Whoever counts or compares answers would find as many groups as there are
players, and the figure would say nothing of the strategy.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache

from moot.data import Dataset
from moot.errors import UsageError
from moot.experiment.spec import ExperimentFile
from moot.strategies import BUILT_IN, Strategy, strategy, traits_of
from moot.team import Team
from moot.types import TEXT


def check_kinds(
    file: ExperimentFile, position: int, played: Strategy, teams: Mapping[str, Team], dataset: Dataset | None
) -> None:
    """Before anything else is asked of a strategy: what it lacks is of no use to whoever cannot play it on these questions."""
    if dataset is None or TEXT not in dataset.kinds:
        return
    by_meaning = any(map(groups_by_meaning, teams.values()))
    free = free_model(file, teams)
    if (why := long_answer_problem(played, by_meaning=by_meaning, free=free)) is not None:
        raise file.error(("strategies", position), why)


def free_model(file: ExperimentFile, teams: Mapping[str, Team]) -> str | None:
    """One that could say what means the same, and takes nobody's seat."""
    playing = {player.model.name for team in teams.values() for player in team.players}
    return next((name for name in file.spec.models if name not in playing), None)


def long_answer_problem(played: Strategy, *, by_meaning: bool, free: str | None = None) -> str | None:
    """Why a strategy cannot be played on questions of kind text, and what to take instead; None: it can be.

    `by_meaning`: whether the file says who can tell which answers mean the same. `free`: a model of the file that does not play,
    and could.
    """
    traits = traits_of(played)
    refused = f"{played.name} cannot be played on questions of kind text"
    counted = [name for name in takes_long_answers() if traits_of(strategy(name)).groups]
    others = ", ".join(name for name in takes_long_answers() if by_meaning or name not in counted)
    if not traits.long_answers:
        also = "" if by_meaning else f", or {' or '.join(counted)} with {_grouping_line(free)}"
        return f"{refused}: it compares answers or asks for short ones; expected one of {others}{also}"
    if traits.groups and not by_meaning:
        why = "no two long answers are the same in so many words, so that there is nothing to count"
        told = "which says who tells what means the same"
        return f"{refused}: {why}; expected {_grouping_line(free)}, {told}, or one of {others}"
    return None


def _grouping_line(free: str | None) -> str:
    """As it can be pasted into the file, and where it stands there."""
    by, after = "embedding: true", " (after moot models add minilm-l6)"
    if free is not None:
        by, after = f"model: {json.dumps(free, ensure_ascii=False)}", ""
    return f"the line grouping: {{{by}}} at the top level of the file, beside models:{after}"


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
