"""The experiment: its form, and the mistakes in it, each named by key, and by file and line where it stands in a file.

`Experiment` is what a file says. Built in code it takes the same keys, and objects where a file has names; either way
mistakes are found before anything is called.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Required, TypedDict, Unpack

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PrivateAttr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from moot.config.key_lines import KeyLines
from moot.config.yaml_file import Strict, Text, checked, first_mistake, read_yaml
from moot.data import ENDINGS as QUESTION_FILES
from moot.errors import FileError, UsageError
from moot.experiment.model_specs import ModelSpec
from moot.experiment.no_experiment import nothing_in_it, questions_in_its_place, refuse_database, refuse_other_keys
from moot.experiment.objects import NO_OBJECTS, Objects, check_other_class, taken_apart
from moot.experiment.spec_parts import CriterionSpec as CriterionSpec
from moot.experiment.spec_parts import ExtractSpec as ExtractSpec
from moot.experiment.spec_parts import GivenQuestions as GivenQuestions
from moot.experiment.spec_parts import GroupingSpec as GroupingSpec
from moot.experiment.spec_parts import JudgeSpec as JudgeSpec
from moot.experiment.spec_parts import Name as Name
from moot.experiment.spec_parts import OnlyKind, checked_store, only_kind, options_alone
from moot.experiment.spec_parts import PlayerSpec as PlayerSpec
from moot.experiment.spec_parts import Questions as Questions
from moot.experiment.spec_parts import QuestionsSpec as QuestionsSpec
from moot.experiment.spec_parts import TeamSpec as TeamSpec
from moot.experiment.vendors import VendorSpec
from moot.rubric import MOST_CRITERIA
from moot.strategies.option_values import ABSTAIN
from moot.types import NOTHING, QuestionKind

if TYPE_CHECKING:
    from moot.grade.match import Grader
    from moot.models.model import Model
    from moot.strategies import Strategy
    from moot.types import Case, Question


def _questions(questions: object, info: ValidationInfo) -> object:
    """A list of questions can be given in code only; there `taken_apart` has left its size and digest."""
    if isinstance(info.context, Objects) and info.context.cases:
        return GivenQuestions.model_validate(questions)
    return only_kind(questions) or questions


def _strategy_entry(entry: object) -> object:
    """`- vote`, or `- adaptive: {talk_from: 3}`; a name with a colon and nothing behind it has no options.

    `abstain` may stand among the options or beside the name.
    """
    if isinstance(entry, dict) and len(entry) == 2 and ABSTAIN in entry:
        ((name, options),) = ((name, options) for name, options in entry.items() if name != ABSTAIN)
        if not isinstance(options, dict | None):
            instead = options if name == "strategy" and isinstance(options, str) else name
            expected = f"expected a name with its options, such as {instead}: {{{ABSTAIN}: {{below: 0.9}}}}"
            raise ValueError(f"{options!r:.40} are no options of {name!r}; {expected}")
        if ABSTAIN in (options or {}):
            raise ValueError(f"{ABSTAIN} stands among the options of {name!r} and beside them; expected it once")
        entry = {name: {**(options or {}), ABSTAIN: entry[ABSTAIN]}}
    if isinstance(entry, dict) and len(entry) == 1:
        name, options = next(iter(entry.items()))
        if isinstance(name, str) and (options is None or isinstance(options, dict)):
            return {name: options or {}}
    elif isinstance(entry, str):
        return entry
    raise ValueError("expected the name of a strategy, or one name with its options: adaptive: {talk_from: 3}")


StrategyEntry = Annotated[str | dict[str, dict[str, Any]], BeforeValidator(_strategy_entry)]


def _officers(data: Mapping[str, Any], objects: Objects) -> set[object]:
    """Models that group, judge or read, or that a strategy asks without seating them, in a file that may still hold anything."""
    named = [_under(data.get("grouping"), "model")]
    for part in ("judge", "extract"):
        models = _under(data.get(part), "models")
        named += models if isinstance(models, list) else []
    named += _in_office(data.get("strategies"), objects)
    return {name for name in named if isinstance(name, str)}


def _under(part: object, key: str) -> Any:
    """What a part of a file says under a key, whether it has its form already or is still as it was written."""
    return part.get(key) if isinstance(part, Mapping) else getattr(part, key, None)


def _in_office(strategies: object, objects: Objects) -> list[object]:
    """Models that a strategy asks without seating them, by its own word. What cannot be made is complained of later."""
    from moot.strategies import strategy, traits_of

    models: list[object] = []
    for entry in strategies if isinstance(strategies, list) else []:
        name, options = next(iter(entry.items())) if isinstance(entry, Mapping) and len(entry) == 1 else (entry, {})
        if not isinstance(name, str) or not isinstance(options, Mapping | None):
            continue
        played = objects.strategy(entry)
        if played is None:
            # A selection is a file that is not read yet; it names no office.
            plain = {key: value for key, value in options_alone(options or {}).items() if not _names_file(key, value)}
            try:
                played = strategy(name, plain)
            except (UsageError, ImportError):
                continue
        models += traits_of(played).offices.values()
    return models


def _names_file(key: str, value: object) -> bool:
    return key.replace("-", "_") == "shown_accuracies" and isinstance(value, str)


class ExperimentKeys(TypedDict, total=False):
    """The keys of an experiment in code: those of its file, and objects where the file has names."""

    name: Required[str]
    models: Required[Mapping[str, Mapping[str, Any] | Model]]
    questions: Mapping[str, Any] | Sequence[Mapping[str, Any]] | Iterable[Case | Question | Mapping[str, Any]] | None
    seed: int
    players: Mapping[str, Mapping[str, Any]]
    teams: Mapping[str, Mapping[str, Any]]
    strategies: Sequence[str | Mapping[str, Mapping[str, Any] | None] | Strategy]
    language: Literal["en", "ru"]
    grouping: Mapping[str, Any] | None
    grader: str | Grader
    judge: Mapping[str, Any] | None
    rubric: Sequence[Mapping[str, Any]]
    extract: Mapping[str, Any] | None
    kind: Literal["production", "calibration"]
    vendors: Mapping[str, Mapping[str, Any]]
    primary: str | None
    baseline: str | None
    hypotheses: Sequence[str]
    prompts: str | Path | None
    repeats: int
    budget_usd: float | None
    replies_in_flight_mb: float
    store: str | None


KEPT_BESIDE = (":served", ":asked", ":bought")


class Experiment(Strict):
    """Questions × teams × strategies × repeats. Without `questions` it is a team file."""

    name: Name
    seed: int = Field(default=0, ge=-(2**63), lt=2**63)
    questions: Annotated[Questions | None, BeforeValidator(_questions)] = None
    models: dict[Name, ModelSpec] = Field(min_length=1)
    players: dict[Name, PlayerSpec] = Field(default_factory=dict)
    teams: dict[Name, TeamSpec] = Field(default_factory=dict)
    strategies: list[StrategyEntry] = Field(default=["solo"], min_length=1)
    language: Literal["en", "ru"] = "en"
    grouping: GroupingSpec | None = None
    grader: Text = Field(default="match", description="Who grades an answer, before any judge is asked")
    judge: JudgeSpec | None = None
    rubric: list[CriterionSpec] = Field(
        default_factory=list, max_length=MOST_CRITERIA, description="What judges give long answers points for"
    )
    extract: ExtractSpec | None = None
    kind: Literal["production", "calibration"] = "production"
    vendors: dict[Name, VendorSpec] = Field(
        default_factory=dict, description="What the vendor of each model reports of it"
    )
    primary: Text | None = Field(default=None, description="The headline, declared in advance: talkative@ann, six/vote")
    baseline: Text | None = Field(
        default=None, description="What long answers are compared with, instead of every player: ann, talkative@ann"
    )
    hypotheses: list[Text] = Field(default_factory=list)
    prompts: Text | None = Field(default=None, description="A folder of templates that replace ours, or small")
    repeats: int = Field(default=1, ge=1)
    budget_usd: float | None = Field(default=None, gt=0)
    replies_in_flight_mb: float = Field(
        default=256.0,
        gt=0,
        le=1_000_000,
        description="MiB that large replies of endpoints hold together while they come in",
    )
    store: Annotated[str, AfterValidator(checked_store)] | None = None

    _objects: Objects = PrivateAttr(default=NO_OBJECTS)
    _asked_kind: QuestionKind | None = PrivateAttr(default=None)
    _path: Path | None = PrivateAttr(default=None)
    _places: KeyLines = PrivateAttr(default_factory=lambda: KeyLines(None))

    def __init__(self, **keys: Unpack[ExperimentKeys]) -> None:
        plain, objects = taken_apart(keys)
        try:
            self.__pydantic_validator__.validate_python(plain, self_instance=self, context=objects)
        except ValidationError as error:
            raise first_mistake(type(self), error) from None
        self._objects = objects

    # Whoever reads a file validates its values without this, and says file and line.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    def __eq__(self, other: object) -> bool:
        """Whether both say the same, wherever they stand."""
        return isinstance(other, Experiment) and dict(self) == dict(other) and self._objects == other._objects

    @classmethod
    def from_file(cls, path: str | Path) -> Experiment:
        """What a file says. Its paths stay relative to it."""
        return read_experiment(Path(path), with_questions=False).spec

    def extended(self, *, strategies: Sequence[Strategy] = (), models: Mapping[str, Model] = NOTHING) -> Experiment:
        """The same with more strategies, and with these models beside its own or in place of those of the same name."""
        plain, more = taken_apart({"strategies": strategies, "models": models})
        for position, strategy in enumerate(more.strategies.values()):
            check_other_class(strategy, self._objects.strategies.values(), ("strategies", position))
        values = {name: getattr(self, name) for name in self.model_fields_set}
        values["strategies"] = [*self.strategies, *plain["strategies"]]
        values["models"] = {**self.models, **plain["models"]}
        if self._players_are_the_models():
            del values["players"]  # to be made out again: there may be more of them, or fewer
        objects = replace(
            self._objects,
            strategies={**self._objects.strategies, **more.strategies},
            models={**self._objects.models, **more.models},
        )
        try:
            experiment = type(self).model_validate(values, context=objects)
        except ValidationError as error:
            raise first_mistake(type(self), error) from None
        experiment._objects, experiment._path, experiment._places = objects, self._path, self._places
        experiment._asked_kind = self._asked_kind
        return experiment

    def _players_are_the_models(self) -> bool:
        officers = _officers(dict(self), self._objects)
        return self.players == {name: PlayerSpec(model=name) for name in self.models if name not in officers}

    @property
    def objects(self) -> Objects:
        """What was given as an object where a file has a name."""
        return self._objects

    @property
    def asked_kind(self) -> QuestionKind | None:
        """Of which kind the questions are that a team of a file without any is asked; None: it does not say."""
        return self._asked_kind

    @property
    def as_file(self) -> ExperimentFile:
        """With the places of its keys, for those who find mistakes later."""
        return ExperimentFile(self._path, self, self._places)

    @property
    def kept_as(self) -> str:
        """The name under which it is stored. A calibration has one of its own, so nothing of it is found as production."""
        return self.name if self.kind == "production" else f"{self.name}+{self.kind}"

    @field_validator("name")
    @classmethod
    def _name_of_runs(cls, name: str) -> str:
        """What a team is asked is kept beside its runs, under their name with one of these endings, and forgotten by it."""
        if name.endswith(KEPT_BESIDE):
            raise ValueError(f"a name that ends with {', '.join(KEPT_BESIDE)} is for what is kept beside runs")
        return name

    @model_validator(mode="after")
    def _kind_alone(self) -> Experiment:
        """A file that only says of which kind questions are has none."""
        if isinstance(self.questions, OnlyKind):
            self._asked_kind = self.questions.kind
            object.__setattr__(self, "questions", None)  # as it was made out a moment ago: nobody has seen it
        return self

    @model_validator(mode="before")
    @classmethod
    def _players_of_models(cls, data: Any, info: ValidationInfo) -> Any:
        """`players` left out: one for each model that has no other office."""
        if isinstance(data, dict) and not data.get("players") and isinstance(data.get("models"), dict):
            officers = _officers(data, info.context if isinstance(info.context, Objects) else NO_OBJECTS)
            return {**data, "players": {name: {"model": name} for name in data["models"] if name not in officers}}
        return data


class ExperimentFile:
    """What an experiment says and the places of its keys, for those who find mistakes later. In code there is no file."""

    def __init__(
        self, path: Path | None, spec: Experiment, places: KeyLines, part_of: Experiment | None = None
    ) -> None:
        """`part_of`: all that the file says, where only a part of it is wanted."""
        self.path, self.spec, self.places = path or IN_CODE, spec, places
        self.whole = part_of or spec

    @property
    def is_written(self) -> bool:
        """Whether there is a file."""
        return self.path != IN_CODE

    def error(self, key: tuple[str | int, ...], problem: str) -> FileError:
        if not self.is_written:
            return FileError(problem, key=KeyLines.dotted(key))
        return FileError(problem, file=self.path, line=self.places.line(key), key=KeyLines.dotted(key))

    def beside(self, path: str) -> Path:
        """Paths in a file are relative to the file; in code, to the working directory."""
        try:
            return self.path.parent / Path(path).expanduser()
        except RuntimeError as error:
            raise UsageError(f"{self.path}: {path!r}: {error}") from None

    def with_budget(self, usd: float | None) -> ExperimentFile:
        """The same with this budget in the place of its own; None leaves that."""
        if usd is None:
            return self
        return ExperimentFile(self.path, self.spec.model_copy(update={"budget_usd": usd}), self.places)

    @property
    def store_url(self) -> str:
        return self.spec.store or f"sqlite:///{self.spec.kept_as}.db"


IN_CODE = Path("<experiment>")
"""Where an experiment stands that was never written down: in the working directory, so to speak."""


MAYBE_EXPERIMENTS = (".json", ".txt")
"""Endings of question files under which keys and values may stand too."""
ONLY_QUESTIONS = tuple(ending for ending in QUESTION_FILES if ending not in MAYBE_EXPERIMENTS)


def read_experiment(path: Path, *, with_questions: bool = True) -> ExperimentFile:
    """Read and check the form of a file. What it refers to is checked when it is built."""
    if path.is_file() and path.suffix.lower() in ONLY_QUESTIONS:
        raise questions_in_its_place(path)
    refuse_database(path)
    try:
        read = read_yaml(path)
    except FileError:
        if path.is_file() and path.suffix.lower() in QUESTION_FILES:
            raise questions_in_its_place(path) from None
        raise
    if not read.values:
        raise nothing_in_it(path)
    refuse_other_keys(path, read.values, Experiment.model_fields)
    spec = checked(Experiment, read.values, file=path, places=read.places)
    spec._path, spec._places = path, read.places
    file = spec.as_file
    if with_questions and spec.questions is None:
        raise file.error(
            ("questions",), "Field required; expected {file: ...} or {builtin: ...}, or a list of such sets"
        )
    return file
