"""The plan of an experiment, checked: the cells that are played, and all that a run of them needs.

A cell is what results are kept under. Its identity holds whatever shapes an episode and nothing else, so what is the
same is played once, and what differs is never mixed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

import orjson

from moot.data import Dataset
from moot.data.clusters import AskedTwice
from moot.data.contradictions import contradiction_words
from moot.decide.abstain_option import Abstain
from moot.decide.abstaining import (
    abstain_option,
    abstention_warnings,
    label_with,
    sureness_shape,
    traits_with,
    unused_words,
)
from moot.decide.cascade import order_shape
from moot.decide.rule_file import FittedRule
from moot.errors import FileError, UsageError
from moot.experiment.enough_questions import unpromised_words, untaught_words
from moot.experiment.offices import staff_shape
from moot.experiment.pairwise import judges_who_play_words
from moot.experiment.providers import BuiltModel
from moot.experiment.selected import BY_IDS_ALONE, NOT_CHOSEN, RACED, ChosenOn, marks_of
from moot.experiment.short_keys import short_key_words
from moot.experiment.side_names import seat_of_row, several_teams
from moot.experiment.spec import Experiment, ExperimentFile, GroupingSpec
from moot.experiment.unlike_questions import kinds_untold_words, unlike_words
from moot.experiment.worked_examples import not_shown
from moot.grade.grading import Grading
from moot.grade.group import Stages
from moot.grade.listed import listed_words
from moot.grade.prefer import Comparing
from moot.models.model import Model, messages_json
from moot.models.proxy import ENV
from moot.prompts import Prompts
from moot.store import public, store_at
from moot.store.store import Store
from moot.strategies import Strategy, Traits, prompts_for, traits_of
from moot.strategies.option_meanings import meanings_json
from moot.strategies.option_values import option_json
from moot.team import Player, Team
from moot.team.attendance import Attendance
from moot.types import Request, canonical_json, dense_json, digest


@dataclass(frozen=True, slots=True)
class Cell:
    """One strategy with one line-up: what is played on every question. Its id holds all that shapes an episode."""

    id: str
    strategy: Strategy
    label: str
    team: Team
    player: str | None
    spec: str
    chosen_on: ChosenOn = NOT_CHOSEN
    """The questions that its team was chosen on, or its accuracies learnt on: no claim about it uses them."""
    abstain: Abstain | None = None
    """From where on its answers are given; None: all are."""
    rule: FittedRule | None = field(default=None, repr=False, compare=False)
    """What tells how sure its answers are; None: nothing, or where it abstains the other questions of the run."""
    rule_unused: str | None = field(default=None, repr=False, compare=False)
    """Why the rule of its team tells nothing of it; None: it does, or there is none."""
    plain: str | None = None
    """The cell that is the same and gives all its answers, where it takes graded verdicts of that to tell how sure they are: a
    run plays and grades it first, whether or not the file names it."""
    traits: Traits = field(init=False, repr=False, compare=False)
    """Asked of the strategy once: a cell is played thousands of times."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "traits", traits_with(traits_of(self.strategy), self.abstain, self.rule))

    @property
    def captain(self) -> str | None:
        return None if self.player else self.team.captain

    def plays(self, repeats: int) -> range:
        """How often a question is played; a strategy with repeats of its own is played more often than the file says."""
        return range(repeats * self.traits.repeats)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is worth knowing before it is played, although nothing is wrong."""
        own = (
            *self.traits.warnings,
            *not_shown(self.traits, self.team.players),
            *abstention_warnings(self.abstain, self.rule, self.strategy),
            *unused_words(self.team.name, self.rule_unused),
        )
        return tuple(f"{self.label}: {warning}" for warning in own)

    @property
    def title(self) -> str:
        return self.titled(team=False)

    def titled(self, *, team: bool) -> str:
        """With its team, where a file has several."""
        return str(seat_of_row(self._named(), team=team))

    def _named(self) -> dict[str, Any]:
        team = None if self.player else self.team.name
        named = {"strategy": self.strategy.name, "label": self.label, "team": team, "captain": self.captain}
        return {**named, "player": self.player, "cohort": self.team.cohort}

    def row(self) -> dict[str, Any]:
        return {
            "id": self.id,
            **self._named(),
            "spec": self.spec,
            "options": dense_json(self.options),
            "traits": dense_json({**self.traits.json(), **self._plays(), **self._meanings()}),
        }

    def _plays(self) -> dict[str, Any]:
        """What is played inside, as it is stored beside the traits: by name, with all options."""
        return {"plays": played} if (played := list(map(_played_inside, self.traits.plays))) else {}

    def _meanings(self) -> dict[str, Any]:
        """What its options are for, as it is stored there too, of a strategy of somebody else's."""
        return {"meanings": meanings} if (meanings := meanings_json(type(self.strategy))) else {}

    @property
    def options(self) -> dict[str, dict[str, Any]]:
        """Those of its strategy, and what stands beside them, as they are stored."""
        options = option_json(self.strategy)
        return {**options, "given": {**options["given"], **abstain_option(self.abstain)}}


def titles(cells: Sequence[Cell], teams: Collection[str] = ()) -> dict[str, str]:
    """By cell: how it is called among these, and where their file has these teams."""
    several = several_teams((cell.row() for cell in cells), teams)
    return {cell.id: cell.titled(team=several) for cell in cells}


def _played_inside(played: Strategy) -> dict[str, Any]:
    options = option_json(played)
    return {"strategy": played.name, "options": {**options["default"], **options["given"]}}


def prompt_hashes(played: Strategy, prompts: Prompts, traits: Traits, *, long_answers: bool) -> Mapping[str, str]:
    """Of the templates that a strategy declares, and those that are used on its behalf; those for long answers are asked with
    only where some are wanted."""
    names = ("player", "again", *traits.prompts, *(traits.long_answers if long_answers else ()))
    try:
        return prompts_for(played, prompts).hashes(names)
    except FileError:
        raise
    except UsageError as error:
        raise UsageError(f"strategy {played.name!r}: traits: prompts: {error}") from None


def player_spec(player: Player) -> dict[str, Any]:
    """All that shapes what a player says to a question."""
    return {
        "name": player.name,
        "model": player.model.shape(Request(())),
        "instruction": player.instruction,
        "persona": player.persona,
        "copy": player.copy,
        **({"examples": messages_json(Request(player.examples))} if player.examples else {}),
    }


def cell_of(
    played: Strategy,
    lineup: Team,
    prompts: Prompts,
    grouping: GroupingSpec | None,
    seating: Mapping[str, Any],
    *,
    abstain: Abstain | None = None,
    rule: FittedRule | None = None,
    long_answers: bool = False,
) -> Cell:
    """The cell of a line-up. Whatever could change what is asked or how it is counted is part of its identity."""
    nothing = Request(())
    grouper = lineup.grouper
    grouped = None
    own = traits_of(played)
    traits = traits_with(own, abstain, rule)
    if (own.groups or traits.prompts != own.prompts) and isinstance(grouper, Stages):
        asked = grouper.model.model.shape(nothing) if grouper.model is not None else None
        grouped = [asked, grouping.reference if grouping else None, repr(grouper.similarity)]
    spec = {
        "strategy": label_with(played, abstain),
        "captain": lineup.captain,
        "grouping": grouped,
        "seed": lineup.seed,
        "language": prompts.language,
        "prompts": prompt_hashes(played, prompts, traits, long_answers=long_answers),
        "players": list(map(player_spec, lineup.players)),
    }
    spec |= {**staff_shape(lineup), **seating, **order_shape(played, lineup)}
    if traits.repeats > 1:
        spec["repeats"] = traits.repeats
    spec |= sureness_shape(played, abstain, rule)
    named = {**spec, "team": None if traits.alone else lineup.name}
    player = lineup.players[0].name if traits.alone else None
    written = canonical_json(named).decode()
    return Cell(digest(named), played, label_with(played, abstain), lineup, player, written, abstain=abstain, rule=rule)


def alone_as(spec: str) -> bytes:
    """What tells players alone apart, from what a cell was made of: not the captain of the team that one was seated from."""
    return canonical_json({key: value for key, value in orjson.loads(spec).items() if key != "captain"})


def written_down(spec: Experiment) -> dict[str, Any]:
    """What a file says, as it may be kept: header values and passwords are not."""
    config = spec.model_dump(mode="json", exclude_defaults=True)
    if config.get("store"):
        config["store"] = public(config["store"])
    for model in config["models"].values():
        if "headers" in model:
            model["headers"] = dict.fromkeys(model["headers"], "…")
        if model.get("proxy", ENV) != ENV:
            parts = urlsplit(model["proxy"])
            model["proxy"] = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    return config


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything a run needs, checked."""

    file: ExperimentFile
    store_url: str
    dataset: Dataset | None
    models: Mapping[str, BuiltModel]
    players: Mapping[str, Player]
    teams: Mapping[str, Team]
    cells: tuple[Cell, ...]
    grading: Grading
    lessons_from: tuple[Cell, ...] = ()
    """Players alone, whose drafts others learn from, and strategies whose verdicts are: played and graded whether or not the
    file names them."""
    comparing: Comparing | None = None
    """Who compares long answers, two by two; None: nobody."""
    raced: bool = False
    """How far each cell is played hangs on how it goes: no figure of it can be a claim."""

    @property
    def before_learning(self) -> tuple[Cell, ...]:
        """What is played first: all that does not learn, and the drafts that the rest learns from."""
        by_id = {cell.id: cell for cell in (*self.cells, *self.lessons_from)}
        return tuple(cell for cell in by_id.values() if not cell.traits.learns)

    @property
    def learners(self) -> tuple[Cell, ...]:
        return tuple(cell for cell in self.cells if cell.traits.learns)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is worth knowing before the first call: how a file was read, what is left out of it, what strategies say."""
        return tuple(dict.fromkeys([*self.question_warnings, *self.plan_warnings]))

    @property
    def question_warnings(self) -> tuple[str, ...]:
        """Of the questions alone, whoever plays them."""
        skipped = self.dataset.skipped if self.dataset else ()
        left_out = [f"question {question.number} is left out: {question.reason}" for question in skipped]
        of_file = self.dataset.notes if self.dataset else ()
        twice = AskedTwice.among(self.dataset or ())
        of_questions = [] if twice is None else [f"{twice} in intervals and tests"]
        if twice is not None:
            of_questions += contradiction_words(self.dataset or ())
        of_questions += listed_words(self.dataset or ())
        return tuple(dict.fromkeys([*of_file, *left_out, *of_questions]))

    @property
    def plan_warnings(self) -> tuple[str, ...]:
        """Of who plays them, and how."""
        of_strategies = [*self.strategy_warnings]
        of_strategies += [*unpromised_words(self.cells, self.dataset or ()), *self._chosen_on()]
        of_strategies += untaught_words(self.cells, self.dataset or ())
        of_strategies += judges_who_play_words(self.file)
        of_strategies += short_key_words(self.models)
        of_strategies += () if self.dataset is None else unlike_words(self.cells, self.dataset)
        return tuple(dict.fromkeys(of_strategies))

    @property
    def strategy_warnings(self) -> tuple[str, ...]:
        """What strategies say before they are played, by whichever command: once, however many captains they have."""
        of_cells = (text for cell in self.cells for text in cell.warnings)
        return tuple(dict.fromkeys([*of_cells, *kinds_untold_words(self.cells)]))

    @property
    def spec(self) -> Experiment:
        return self.file.spec

    @property
    def name(self) -> str:
        return self.spec.kept_as

    @property
    def id(self) -> str:
        """Different whenever a cell, a prompt or a question is; where it is kept and what it may cost is no part of it."""
        questions = None if self.dataset is None else self.dataset.identity
        return digest([self.name, self.spec.repeats, [cell.id for cell in self.cells], questions])

    @property
    def file_questions(self) -> str | None:
        """Which questions the file has, whatever `--limit` takes of them: what tells a trial from a file that was cut."""
        return None if self.dataset is None else digest((self.dataset.first_of or self.dataset).identity)

    @property
    def public_config(self) -> dict[str, Any]:
        """The file as it may be written down, with the grader by the version that it has here: reports go by what it said."""
        config = written_down(self.spec)
        config |= {"grader": self.grading.kept_as} if "grader" in config else {}
        return config | ({RACED: True} if self.raced else {})

    def _chosen_on(self) -> Iterator[str]:
        """Of what was chosen on some of these questions: on how many of them, in words; once for all its captains."""
        chosen_cells = [cell for cell in self.cells if cell.chosen_on]
        named = titles(self.cells) if chosen_cells else {}
        asked = [marks_of(case.question) for case in self.dataset or ()] if chosen_cells else []
        alike: dict[tuple[str, str], list[str]] = {}
        for cell in chosen_cells:
            said = []
            if known := sum(map(cell.chosen_on.has, asked)):
                words = f"{known} of its {len(asked)} questions are those that it was chosen on; no figure uses them"
                said.append(words)
            if by_id := cell.chosen_on.ids_beside(case.question for case in self.dataset or ()):
                said.append(BY_IDS_ALONE.format(by_id))
            title = named[cell.id]
            for words in said:
                alike.setdefault((title.rpartition("@")[0] if cell.captain else title, words), []).append(title)
        for (of, words), several in alike.items():
            who = several[0] if len(several) == 1 else f"{of}, under each of {len(several)} captains"
            yield f"{who}: {words}"

    @property
    def episodes(self) -> int:
        played = (*self.before_learning, *self.learners)
        return len(self.dataset or ()) * sum(len(cell.plays(self.spec.repeats)) for cell in played)

    def store(self) -> Store:
        """Where the run is kept. A path in the file is relative to the file."""
        return store_at(self.store_url, beside=self.file.path.parent)

    def with_models(self, wrapped: Mapping[str, Model], attendance: Attendance | None = None) -> Plan:
        """The same plan, played by these models; `attendance` remembers who was late for a round."""

        def lent(player: Player) -> Player:
            return replace(player, model=wrapped[player.model.name])

        def seat(team: Team) -> Team:
            grouper = team.grouper
            if isinstance(grouper, Stages) and grouper.model is not None:
                grouper = replace(grouper, model=lent(grouper.model))
            officers = {office: lent(officer) for office, officer in team.officers.items()}
            reader: Any = team.reader
            if hasattr(reader, "models"):
                reader = replace(reader, models=tuple(map(lent, reader.models)))
            return replace(
                team,
                players=tuple(map(lent, team.players)),
                grouper=grouper,
                officers=officers,
                reader=reader,
                attendance=attendance or team.attendance,
            )

        return replace(
            self,
            players={name: lent(player) for name, player in self.players.items()},
            teams={name: seat(team) for name, team in self.teams.items()},
            cells=tuple(replace(cell, team=seat(cell.team)) for cell in self.cells),
            lessons_from=tuple(replace(cell, team=seat(cell.team)) for cell in self.lessons_from),
            grading=replace(self.grading, judges=tuple(map(lent, self.grading.judges))),
            comparing=self.comparing and replace(self.comparing, judges=tuple(map(lent, self.comparing.judges))),
        )
