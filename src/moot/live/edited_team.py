"""A team that somebody puts together while a file is served: other players, another captain, another strategy.

It is of the file's models and nothing else, asked under the same limits and on the same bill, and what it answers is kept with
all that is served under the file's name. It is no part of the plan that was measured, and stands in the store as a plan of its
own.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from moot.config.type_words import told
from moot.errors import FileError, UsageError
from moot.experiment.build import build
from moot.experiment.long_answers import groups_by_meaning, long_answer_problem
from moot.experiment.model_specs import RecordedSpec
from moot.experiment.plan import Cell, Plan
from moot.experiment.side_names import SideName
from moot.experiment.spec import ExperimentFile
from moot.experiment.spec_parts import PlayerSpec, TeamSpec
from moot.strategies import strategy
from moot.types import digest

if TYPE_CHECKING:
    from moot.live.team import LiveTeam

FEWEST, MOST = 1, 12
MOST_REMEMBERED = 200
MOST_MADE = 2_000
"""By one key."""
MOST_IN_ALL = 20_000
LONGEST_NAME = 40
ALWAYS = ("vote", "talkative", "council")
"""Strategies that need nothing but players, whether the file has them or not."""


@dataclass(frozen=True, slots=True)
class EditedTeam:
    """Who is to play, and how."""

    players: tuple[str, ...]
    strategy: str
    """As the file's are called in a report, or one that needs no options."""
    captain: str | None = None

    @property
    def name(self) -> str:
        """None that a player alone has."""
        together = "+".join(self.players) if len(self.players) > 1 else f"+{self.players[0]}"
        if len(together) > LONGEST_NAME:
            together = f"{len(self.players)} players, {digest(self.players)[:16]}"
        team = together
        return str(SideName(self.strategy, self.captain, team=team))


def players_of(live: LiveTeam) -> dict[str, str]:
    """Who may play, with the model of each: the file's players, and its models where nobody of that name plays."""
    spec = live.file.spec
    named = {name: player.model for name, player in spec.players.items()}
    spare = {
        name: name for name, model in spec.models.items() if name not in named and not isinstance(model, RecordedSpec)
    }
    return {**named, **spare}


def strategies_of(live: LiveTeam) -> list[str]:
    """How they may decide: what the file's teams play, and what needs nothing but players."""
    played = (cell.label for cell in live.experiment.cells if cell.player is None)
    return list(dict.fromkeys((*played, *ALWAYS)))


def team_in_plan(config: Mapping[str, Any], strategy: str) -> EditedTeam:
    """The one team of a plan that was made for it, as the store has that: see `_with_team`. `strategy`: the label of its cell."""
    (team,) = config["teams"].values()
    return EditedTeam(tuple(team["players"]), strategy, team.get("captain"))


def strategy_gives_texts(live: LiveTeam, name: str) -> bool:
    """Whether teams that are put together can be asked for a text when they decide so."""
    played = next((cell for cell in live.every.values() if cell.player is None and cell.label == name), None)
    decides = strategy(name) if played is None else played.strategy
    by_meaning = groups_by_meaning(live.cell(live.usual).team)
    return long_answer_problem(decides, by_meaning=by_meaning) is None


class CannotBeMade(UsageError):
    """A team that cannot be put together: by which of its keys, or for what else (None), and what can."""

    def __init__(self, key: str | None, words: str) -> None:
        self.key = key
        super().__init__(words if key is None else f"{key}: {words}")


class EditedTeams:
    """The edited teams of one served file, each made once."""

    def __init__(self, live: LiveTeam) -> None:
        self._live = live
        self._cells: dict[str, Cell] = {}
        self._makers: dict[str, set[str]] = {}
        """Who has put it together, by its name: for others it is not there."""
        self._making = asyncio.Lock()
        self.made: Counter[str] = Counter()
        """How many by whom, each of which is a plan in the store once it was asked."""

    def named(self, name: str) -> Cell | None:
        return self._cells.get(name)

    @property
    def cells(self) -> Mapping[str, Cell]:
        return self._cells

    def hidden_from(self, name: str, person: str) -> bool:
        """Whether others alone have put it together."""
        return name in self._cells and person not in self._makers[name]

    async def make(self, edited: EditedTeam, maker: str = "") -> str:
        """The name that its maker asks it by from now on, or `CannotBeMade`."""
        self._check(edited)
        async with self._making:
            if edited.name not in self._cells:
                self._check_number(maker)
                plan = await asyncio.to_thread(self._plan, edited)
                ((name, cell),) = self._live.seat_beside(plan, edited.name).items()
                self._cells[name] = cell
                self.made[maker] += 1  # what cannot be takes nobody's place
                while len(self._cells) > MOST_REMEMBERED:
                    oldest = next(iter(self._cells))
                    del self._cells[oldest]
                    self._makers.pop(oldest, None)
            self._makers.setdefault(edited.name, set()).add(maker)
        return edited.name

    async def can_be_made(self, edited: EditedTeam) -> bool:
        """Whether it can be asked as the file is now, whatever it was when somebody has put it together."""
        if edited.name in self._cells:
            return True
        try:
            self._check(edited)
            await asyncio.to_thread(self._plan, edited)
        except UsageError:
            return False
        return True

    def _check_number(self, maker: str) -> None:
        if self.made[maker] >= MOST_MADE or self.made.total() >= MOST_IN_ALL:
            many, whose = (MOST_MADE, "with this key ") if self.made[maker] >= MOST_MADE else (MOST_IN_ALL, "")
            words = f"{many} teams were put together {whose}since this server was started, which is all it takes"
            raise CannotBeMade(None, words)

    def _check(self, edited: EditedTeam) -> None:
        known = players_of(self._live)
        if not FEWEST <= len(edited.players) <= MOST or len(set(edited.players)) < len(edited.players):
            raise CannotBeMade("players", f"expected {FEWEST} to {MOST} of {', '.join(known)}, each once")
        for name in edited.players:
            if name not in known:
                raise CannotBeMade("players", f"there is no {told(name)}; expected some of {', '.join(known)}")
        if edited.captain is not None and edited.captain not in edited.players:
            words = f"{told(edited.captain)} does not play; expected one of {', '.join(edited.players)}"
            raise CannotBeMade("captain", words)
        if edited.strategy not in strategies_of(self._live):
            expected = ", ".join(strategies_of(self._live))
            raise CannotBeMade("strategy", f"there is no {told(edited.strategy)}; expected one of {expected}")
        if self._is_of_file(edited.name):
            words = f"{edited.name!r} is what a team of the file answers to; expected that as the model"
            raise CannotBeMade("players", words)

    def _is_of_file(self, name: str) -> bool:
        """Whoever asks by a name of the file is never given a team that somebody else has put together."""
        try:
            self._live.cell_of_file(name)
        except UsageError:
            return False
        return True

    def _plan(self, edited: EditedTeam) -> Plan:
        """The plan of this one team. What is wrong with it is told as of who asks, who knows nothing of the file's keys."""
        try:
            return self._built(edited)
        except UsageError as error:
            if edited.captain is not None:
                raise CannotBeMade("strategy", f"{edited.strategy}: {error}") from None
        self._plan(replace(edited, captain=edited.players[0]))  # what no captain mends is told first
        raise CannotBeMade("captain", f"{edited.strategy} needs one; expected one of {', '.join(edited.players)}")

    def _built(self, edited: EditedTeam) -> Plan:
        file, problems = self._live.file, list[str]()
        for entry in _entries(file, edited.strategy):
            try:
                plan = build(_with_team(file, edited, entry), store_url=self._live.experiment.store_url)
            except FileError as error:
                problems.append(error.problem)
                continue
            except UsageError as error:
                problems.append(str(error))
                continue
            cells = [
                cell for cell in plan.cells if cell.label == edited.strategy and cell.captain in (None, edited.captain)
            ]
            if cells:
                return replace(plan, cells=tuple(cells[:1]))
        raise UsageError(problems[0] if problems else "it cannot be played by these players")


def _entries(file: ExperimentFile, strategy: str) -> list[Any]:
    """Where a file may say how this strategy is played."""
    named = strategy.partition("(")[0]
    written = [
        entry for entry in file.spec.strategies if entry == named or (isinstance(entry, dict) and named in entry)
    ]
    return [*written, named]


def _with_team(file: ExperimentFile, edited: EditedTeam, entry: Any) -> ExperimentFile:
    spec = file.spec
    players = {**spec.players, **{name: PlayerSpec(model=name) for name in edited.players if name not in spec.players}}
    team = edited.name.partition("/")[0]
    changed = {
        "questions": None,
        "players": players,
        "teams": {team: TeamSpec(players=list(edited.players), captain=edited.captain)},
        "strategies": [entry],
        "primary": None,
        "hypotheses": [],
    }
    return ExperimentFile(file.path, spec.model_copy(update=changed), file.places)
