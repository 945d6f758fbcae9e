"""Which options of `discuss` go together: everything that can be refused is refused here, before any call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from annotated_types import Ge, Le

from moot.ballots import BUILT_IN as RULES
from moot.ballots import LIBRARY, rule
from moot.ballots import registered as registered_rules
from moot.ballots.consensus import CONSENSUS
from moot.ballots.cumulative import BUDGET
from moot.errors import UsageError
from moot.models.closest import closest
from moot.strategies.discuss import personas
from moot.strategies.discuss.challenge import PLANT, PLANTED, Setting
from moot.strategies.discuss.paradigm import DEFAULT, ParadigmName
from moot.strategies.discuss.personas import Personas
from moot.strategies.discuss.table import Drafting, Style
from moot.strategies.discuss.vote import JUDGE
from moot.strategies.option_meanings import Meaning
from moot.team import Player, Team
from moot.team.player import coming_again, likeness, names_of

MOST_AGENTS = 10
DEFAULT_VOTE_FROM = 3
DECISIONS = (*RULES, *CONSENSUS, JUDGE)
AtLeastOne = Annotated[int, Ge(1)]


@dataclass(frozen=True, slots=True)
class DiscussOptions:
    """The options in the file. What makes no sense together is refused with the reason."""

    paradigm: Annotated[ParadigmName | None, Meaning(compared=True, words="{}", unset=DEFAULT)] = None
    """Who hears whom: memory, relay, report, debate, collective-refinement.

    Left out is `DEFAULT`, but where the drafting says itself who sees what, one that is written down is refused.
    """
    style: Annotated[Style, Meaning(compared=True, words="{}")] = "simple"
    drafting: Annotated[Drafting, Meaning(compared=True, words="{}")] = "first-agent"
    decision: Annotated[
        str, Meaning("protocol", compared=True, against="solution-counting", comes_with=("judge", "budget"))
    ] = "simple-voting"
    personas: Annotated[Personas, Meaning(compared=True)] = "expert"
    agents: Annotated[int, Ge(1), Le(MOST_AGENTS), Meaning(along="agents", step="agent", unit="agent")] = 3
    """The first so many players; where the team has fewer, they are asked several times over, each with a voice of its own."""
    max_turns: Annotated[int, Ge(1), Meaning(along="rounds", step="turn", unit="turn")] = 5
    vote_from: Annotated[
        int, Ge(1), Meaning(along="rounds", leads=True, step="turn before the vote", words="vote from {}")
    ] = DEFAULT_VOTE_FROM
    """The turn at whose end the first vote is held."""
    visible_turns: AtLeastOne = 2
    debate_rounds: AtLeastOne = 2
    budget: AtLeastOne = BUDGET
    """Points that a voter has under cumulative-voting."""
    step_by_step: Annotated[bool, Meaning("step-by-step", compared=True, words="step by step")] = False
    judge: str | None = None
    """The model that picks under ``decision: judge``."""
    challenge: Annotated[Setting, Meaning("challenge")] = "none"
    facts: Annotated[str | None, Meaning(detail=True)] = None
    """Under ``challenge: facts``: a folder of text files, or the name of a retriever."""
    planted_by: Annotated[str | None, Meaning(detail=True)] = None
    """Under ``challenge: wrong`` and ``irrelevant``: the model that makes up the answer."""

    def __post_init__(self) -> None:
        if isinstance(self.personas, list):
            object.__setattr__(self, "personas", tuple(self.personas))
        _check_decision(self.decision)
        personas.checked(self.personas, self.agents)
        _check_combination(self)
        _check_offices(self)

    @property
    def offices(self) -> Mapping[str, str]:
        """Models that are asked but do not talk, by their office."""
        return {office: model for office, model in ((JUDGE, self.judge), (PLANT, self.planted_by)) if model is not None}

    @property
    def family(self) -> Literal["voting", "consensus", "judge"]:
        """How the discussion is decided, whichever the protocol."""
        return "consensus" if self.decision in CONSENSUS else "judge" if self.decision == JUDGE else "voting"


def _check_combination(discuss: DiscussOptions) -> None:
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
                "nobody would hear anything; expected another style"
            )
    if discuss.paradigm == "collective-refinement" and consensus:
        raise UsageError(
            f"paradigm: collective-refinement with {discuss.decision}: all answer at once, so there is no current "
            "solution to agree to; expected a voting protocol or judge"
        )
    if discuss.paradigm in ("report", "debate") and discuss.agents == 1:
        raise UsageError(
            f"paradigm: {discuss.paradigm} with one agent: a moderator needs somebody to moderate; expected agents: 2 or more"
        )
    unset = consensus and discuss.vote_from == DEFAULT_VOTE_FROM  # no vote is held: the default means nothing
    if discuss.vote_from > discuss.max_turns and not unset:
        raise UsageError(
            f"vote_from: {discuss.vote_from} with max_turns: {discuss.max_turns}: the discussion ends before the vote; "
            f"expected at most {discuss.max_turns}"
        )


def _check_offices(discuss: DiscussOptions) -> None:
    """An option that would be ignored is a mistake in the file."""
    planted = discuss.challenge in PLANTED
    pairs = (
        ("judge", discuss.judge, discuss.decision == "judge", "decision: judge", "the name of a model"),
        ("planted_by", discuss.planted_by, planted, "challenge: wrong or irrelevant", "the name of another model"),
        ("facts", discuss.facts, discuss.challenge == "facts", "challenge: facts", "a folder or a retriever"),
    )
    for key, value, wanted, where, what in pairs:
        if value is not None and not value.strip():
            raise UsageError(f"{key}: expected {what}, found {value!r}")
        if value is not None and not wanted:
            raise UsageError(f"{key}: {value!r} means something only with {where}; expected that, or no {key}")
        if value is None and wanted and key != "facts":
            raise UsageError(f"{where} needs {key}; expected {key}: with {what}")


def check_team(discuss: DiscussOptions, team: Team) -> None:
    """The same for what only the team can tell."""
    for office, model in discuss.offices.items():
        if office not in team.officers:
            raise UsageError(f"team {team.name!r} has nobody in the office {office!r}; expected the model {model!r}")
    talking = {_model_of(player) for player in team.players}
    if PLANT in discuss.offices and _model_of(team.officers[PLANT]) in talking:
        raise UsageError(f"planted_by: {discuss.planted_by!r} talks in team {team.name!r}; expected another model")
    if discuss.challenge == "facts" and team.retriever is None:
        raise UsageError("challenge: facts needs facts; expected a folder of text files, or a retriever")


def _model_of(player: Player) -> str:
    """The model itself, whatever the file calls it: two entries may name the same one."""
    return names_of(player)[-1]


def with_copies(players: Sequence[Player], agents: int) -> tuple[Player, ...]:
    """The first so many players. Where there are fewer they come again, in turn, under names and with samples of their own."""
    seated = list(players[:agents])
    while len(seated) < agents:
        original = players[len(seated) % len(players)]
        alike = [player.copy for player in seated if likeness(player) == likeness(original)]
        number = 2
        while coming_again(original.name, number) in (player.name for player in seated):
            number += 1
        seated.append(replace(original, name=coming_again(original.name, number), copy=max(alike) + 1))
    return tuple(seated)


def _check_decision(decision: str) -> None:
    if decision.startswith(LIBRARY) or decision in registered_rules():
        rule(decision)
    elif decision not in DECISIONS:
        decisions = tuple(dict.fromkeys((*DECISIONS, *registered_rules(), f"{LIBRARY}RULE")))
        raise UsageError(
            f"decision: expected one of {', '.join(decisions)}, found {decision!r}{closest(decision, decisions)}"
        )
