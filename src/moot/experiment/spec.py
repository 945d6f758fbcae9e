"""The experiment file: its form, and the mistakes in it, each named by file, line and key before anything is called."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from moot.config.key_lines import Places
from moot.config.yaml_file import Strict, Text, checked, read_yaml
from moot.errors import FileError, UsageError
from moot.experiment.model_specs import ModelSpec


def _store(url: str) -> str:
    from moot.store import store_at  # brings SQLAlchemy along, which many commands do not need

    try:
        store_at(url)
    except UsageError as error:
        raise ValueError(str(error).removeprefix("store: ")) from None
    return url


Name = Annotated[str, Field(pattern=r"^[\w.:-]+$", max_length=100, description="Letters, digits, . : _ -")]


class PlayerSpec(Strict):
    model: Text
    instruction: str = Field(default="", description="The name of an instruction, or words of your own")
    persona: str = ""


class TeamSpec(Strict):
    players: list[str] = Field(min_length=1)
    captain: Name | None = Field(default=None, description="A player, or each: everybody in turn")
    cohorts: dict[Name, list[str]] = Field(
        default_factory=dict, description="Players who never see another cohort's words"
    )


class GroupingSpec(Strict):
    """Who says which free answers mean the same, beyond equal words: a model, an embedding, or nobody."""

    model: Text | None = None
    reference: Literal["hidden", "shown"] = "hidden"
    embedding: bool = False
    match: Literal["only"] | None = None

    @model_validator(mode="after")
    def _one_way(self) -> GroupingSpec:
        if (self.model is not None) + self.embedding + (self.match is not None) != 1:
            raise ValueError("expected one of model: NAME, embedding: true, match: only")
        if self.reference == "shown" and self.model is None:
            raise ValueError("reference: shown goes with a grouping model only")
        return self


class JudgeSpec(Strict):
    """One judge, or two whose agreement is reported and whose disputes a person settles."""

    models: list[Text] = Field(min_length=1, max_length=2)


class ExtractSpec(Strict):
    """Two models that read a letter out of a reply where no final-answer line says it; only if both agree it counts."""

    models: list[Text] = Field(min_length=2, max_length=2)


def _sample(given: object) -> object:
    """One complaint, where pydantic would make one for each type."""
    if given is None or given == "auto" or (type(given) is int and given >= 1):
        return given
    raise ValueError(f"expected a whole number, 1 or more, or auto; found {given!r}")


class QuestionsSpec(Strict):
    file: Text | None = None
    format: Text | None = Field(default=None, description="The name of a published format, such as mmlu-pro")
    hub: Text | None = Field(default=None, description="A repository of the Hugging Face hub, or a folder like one")
    config: Text | None = Field(default=None, description="The part of that repository")
    split: Text | None = Field(default=None, description="The split of it; left out: test")
    revision: Text | None = Field(default=None, description="A commit or tag of it")
    choices: int | None = Field(default=None, ge=2, le=26, description="Turns whole-number answers into choices")
    builtin: Text | None = None
    sample: Annotated[Annotated[int, Field(ge=1)] | Literal["auto"] | None, BeforeValidator(_sample)] = None

    @model_validator(mode="after")
    def _one_source(self) -> QuestionsSpec:
        given = [name for name in ("file", "hub", "builtin") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError("expected one of file, hub and builtin, and not several")
        if self.hub is not None and self.format is None:
            raise ValueError("hub needs a format, such as mmlu-pro, that can read its rows")
        if self.builtin is not None and self.format is not None:
            raise ValueError("a builtin set is in moot's own form; format goes with file or hub")
        for name in ("config", "split", "revision"):
            if getattr(self, name) is not None and self.hub is None:
                raise ValueError(f"{name} goes with hub only")
        if self.choices is not None and self.format is None:
            raise ValueError("choices goes with a format, such as aime, that can make them")
        return self


def _strategy_entry(entry: object) -> object:
    """`- vote`, or `- adaptive: {talk_from: 3}`; a name with a colon and nothing behind it has no options."""
    if isinstance(entry, dict) and len(entry) == 1:
        name, options = next(iter(entry.items()))
        if isinstance(name, str) and (options is None or isinstance(options, dict)):
            return {name: options or {}}
    elif isinstance(entry, str):
        return entry
    raise ValueError("expected the name of a strategy, or one name with its options: adaptive: {talk_from: 3}")


StrategyEntry = Annotated[str | dict[str, dict[str, Any]], BeforeValidator(_strategy_entry)]


def _officers(data: Mapping[str, Any]) -> set[object]:
    """Models that group, judge or read, or that a strategy asks without seating them, in a file that may still hold anything."""
    grouping, judge = data.get("grouping"), data.get("judge")
    named = [grouping.get("model")] if isinstance(grouping, Mapping) else []
    judges = judge.get("models") if isinstance(judge, Mapping) else None
    extract = data.get("extract")
    readers = extract.get("models") if isinstance(extract, Mapping) else None
    named += readers if isinstance(readers, list) else []
    named += _in_office(data.get("strategies"))
    return {each for each in [*named, *(judges if isinstance(judges, list) else [])] if isinstance(each, str)}


def _in_office(strategies: object) -> list[object]:
    """Models that a strategy asks without seating them, by its own word. What cannot be made is complained of later."""
    from moot.strategies import strategy, traits_of

    found: list[object] = []
    for entry in strategies if isinstance(strategies, list) else []:
        named, options = next(iter(entry.items())) if isinstance(entry, Mapping) and len(entry) == 1 else (entry, {})
        played = named
        if isinstance(named, str) and isinstance(options, Mapping | None):
            # A selection is a file that is not read yet; it names no office.
            plain = {key: value for key, value in (options or {}).items() if not _names_file(key, value)}
            try:
                played = strategy(named, plain)
            except (UsageError, ImportError):
                continue
        found += traits_of(played).offices.values()
    return found


def _names_file(key: str, value: object) -> bool:
    return key.replace("-", "_") == "shown_accuracies" and isinstance(value, str)


class Experiment(Strict):
    """Questions × teams × strategies × repeats. Without `questions` it is a team file."""

    name: Name
    seed: int = Field(default=0, ge=-(2**63), lt=2**63)
    questions: QuestionsSpec | None = None
    models: dict[Name, ModelSpec] = Field(min_length=1)
    players: dict[Name, PlayerSpec] = Field(default_factory=dict)
    teams: dict[Name, TeamSpec] = Field(default_factory=dict)
    strategies: list[StrategyEntry] = Field(default=["solo"], min_length=1)
    language: Literal["en", "ru"] = "en"
    grouping: GroupingSpec | None = None
    judge: JudgeSpec | None = None
    extract: ExtractSpec | None = None
    kind: Literal["production", "calibration"] = "production"
    primary: Text | None = Field(default=None, description="The headline, declared beforehand: talkative@ann")
    hypotheses: list[Text] = Field(default_factory=list)
    prompts: Text | None = Field(default=None, description="A folder of templates that replace ours, or small")
    repeats: int = Field(default=1, ge=1)
    budget_usd: float | None = Field(default=None, gt=0)
    store: Annotated[str, AfterValidator(_store)] | None = None

    @property
    def kept_as(self) -> str:
        """The name under which it is stored. A calibration has one of its own, so nothing of it is found as production."""
        return self.name if self.kind == "production" else f"{self.name}+{self.kind}"

    @model_validator(mode="before")
    @classmethod
    def _players_of_models(cls, data: Any) -> Any:
        """`players` left out: one for each model that has no other office."""
        if isinstance(data, dict) and not data.get("players") and isinstance(data.get("models"), dict):
            officers = _officers(data)
            return {**data, "players": {name: {"model": name} for name in data["models"] if name not in officers}}
        return data


class ExperimentFile:
    """A parsed file and the places of its keys, for those who find mistakes later."""

    def __init__(self, path: Path, spec: Experiment, places: Places) -> None:
        self.path, self.spec, self.places = path, spec, places

    def error(self, key: tuple[str | int, ...], problem: str) -> FileError:
        return FileError(problem, file=self.path, line=self.places.line(key), key=Places.dotted(key))

    def beside(self, path: str) -> Path:
        """Paths in a file are relative to the file."""
        try:
            return self.path.parent / Path(path).expanduser()
        except RuntimeError as error:
            raise UsageError(f"{self.path}: {path!r}: {error}") from None

    @property
    def store_url(self) -> str:
        return self.spec.store or f"sqlite:///{self.spec.kept_as}.db"


def read_experiment(path: Path, *, with_questions: bool = True) -> ExperimentFile:
    """Read and check the form of a file. What it refers to is checked when it is built."""
    read = read_yaml(path)
    if not read.values:
        raise FileError("empty; expected keys such as name, models, questions", file=path)
    spec = checked(Experiment, read.values, file=path, places=read.places)
    file = ExperimentFile(path, spec, read.places)
    if with_questions and spec.questions is None:
        raise file.error(("questions",), "Field required; expected {file: ...} or {builtin: ...}")
    return file
