"""Which options of `discuss` go together: everything that can be refused is refused here, before any call."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from moot.ballots import BUILT_IN as RULES
from moot.ballots import LIBRARY, rule
from moot.ballots import registered as registered_rules
from moot.ballots.consensus import CONSENSUS
from moot.errors import UsageError
from moot.models.closest import closest
from moot.player import likeness
from moot.talk import personas
from moot.talk.challenge import PLANT, PLANTED, SETTINGS
from moot.talk.paradigm import BUILT_IN as PARADIGMS
from moot.talk.table import DRAFTINGS, STYLES
from moot.talk.vote import JUDGE
from moot.team import Player, Team

if TYPE_CHECKING:
    from moot.strategies.discuss import Discuss

MOST_AGENTS = 10
DEFAULT_VOTE_FROM = 3
DECISIONS = (*RULES, *CONSENSUS, JUDGE)


def check_options(discuss: Discuss) -> None:
    """Raise `UsageError` for a wrong value, and for a combination that makes no sense, with the reason."""
    if discuss.paradigm is not None:
        _one_of("paradigm", discuss.paradigm, PARADIGMS)
    _one_of("style", discuss.style, STYLES)
    _one_of("drafting", discuss.drafting, DRAFTINGS)
    _one_of("challenge", discuss.challenge, SETTINGS)
    _check_decision(discuss.decision)
    _whole("agents", discuss.agents, MOST_AGENTS)
    for key in ("max_turns", "vote_from", "visible_turns", "debate_rounds", "budget"):
        _whole(key, getattr(discuss, key))
    if not isinstance(discuss.step_by_step, bool):
        raise UsageError(f"step_by_step: expected true or false, found {discuss.step_by_step!r}")
    personas.checked(discuss.personas, discuss.agents)
    _check_combination(discuss)
    _check_offices(discuss)


def _check_combination(discuss: Discuss) -> None:
    consensus = discuss.decision in CONSENSUS
    if discuss.drafting == "collective-improvement":
        if consensus:
            raise UsageError(
                f"drafting: collective-improvement with {discuss.decision}: agents who see no messages cannot agree "
                "to one; expected a voting protocol or judge"
            )
        if discuss.paradigm is not None:
            raise UsageError(
                f"drafting: collective-improvement with paradigm: {discuss.paradigm}: it says itself who sees what; "
                "expected no paradigm"
            )
        if discuss.style == "reasoning":
            raise UsageError(
                "drafting: collective-improvement with style: reasoning: one shows only solutions, the other none, so "
                "nobody would hear anything"
            )
    if discuss.paradigm == "collective-refinement" and consensus:
        raise UsageError(
            f"paradigm: collective-refinement with {discuss.decision}: all answer at once, so there is no current "
            "solution to agree to; expected a voting protocol or judge"
        )
    if discuss.paradigm in ("report", "debate") and discuss.agents == 1:
        raise UsageError(f"paradigm: {discuss.paradigm} with one agent: a moderator needs somebody to moderate")
    unset = consensus and discuss.vote_from == DEFAULT_VOTE_FROM  # no vote is held: the default means nothing
    if discuss.vote_from > discuss.max_turns and not unset:
        raise UsageError(
            f"vote_from: {discuss.vote_from} with max_turns: {discuss.max_turns}: the discussion ends before the vote"
        )


def _check_offices(discuss: Discuss) -> None:
    """An option that would be ignored is a mistake in the file."""
    planted = discuss.challenge in PLANTED
    pairs = (
        ("judge", discuss.judge, discuss.decision == "judge", "decision: judge", "the name of a model"),
        ("planted_by", discuss.planted_by, planted, "challenge: wrong or irrelevant", "the name of another model"),
        ("facts", discuss.facts, discuss.challenge == "facts", "challenge: facts", "a folder or a retriever"),
    )
    for key, value, wanted, where, what in pairs:
        if value is not None and (not isinstance(value, str) or not value.strip()):
            raise UsageError(f"{key}: expected {what}, found {value!r}")
        if value is not None and not wanted:
            raise UsageError(f"{key}: means something only with {where}")
        if value is None and wanted and key != "facts":
            raise UsageError(f"{where} needs {key}: {what}")


def check_team(discuss: Discuss, team: Team) -> None:
    """The same for what only the team can tell."""
    for office, model in discuss.officers.items():
        if office not in team.officers:
            raise UsageError(f"team {team.name!r} has nobody in the office {office!r}; expected the model {model!r}")
    talking = {player.model.name for player in team.players}
    if PLANT in discuss.officers and team.officers[PLANT].model.name in talking:
        raise UsageError(f"planted_by: {discuss.planted_by!r} talks in team {team.name!r}; expected another model")
    if discuss.challenge == "facts" and team.retriever is None:
        raise UsageError("challenge: facts needs facts: a folder of text files, or a retriever")


def with_copies(players: Sequence[Player], agents: int) -> tuple[Player, ...]:
    """The first so many players. Where there are fewer they come again, in turn, under names and with samples of their own."""
    seated = list(players[:agents])
    while len(seated) < agents:
        original = players[len(seated) % len(players)]
        alike = [each.copy for each in seated if likeness(each) == likeness(original)]
        number = 2
        while f"{original.name}:{number}" in (each.name for each in seated):
            number += 1
        seated.append(replace(original, name=f"{original.name}:{number}", copy=max(alike) + 1))
    return tuple(seated)


def _check_decision(decision: object) -> None:
    if not isinstance(decision, str):
        raise UsageError(f"decision: expected a name, found {decision!r}")
    if decision.startswith(LIBRARY) or decision in registered_rules():
        rule(decision)
    elif decision not in DECISIONS:
        known = (*DECISIONS, f"{LIBRARY}RULE")
        raise UsageError(f"decision: expected one of {', '.join(known)}, found {decision!r}{closest(decision, known)}")


def _one_of(key: str, value: object, known: Collection[str]) -> None:
    if not isinstance(value, str) or value not in known:
        raise UsageError(f"{key}: expected one of {', '.join(known)}, found {value!r}{closest(str(value), known)}")


def _whole(key: str, value: object, most: int | None = None) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1 or (most is not None and value > most):
        bounds = f"1 to {most}" if most is not None else "1 or more"
        raise UsageError(f"{key}: expected a whole number, {bounds}, found {value!r}")
