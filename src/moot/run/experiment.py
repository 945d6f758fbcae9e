"""The experiment file: its form, and the mistakes in it, each named by file, line and key before anything is called."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from moot.errors import FileError
from moot.run.places import Places, duplicate_key

Name = Annotated[str, Field(pattern=r"^[\w.:-]+$", description="Letters, digits, . : _ -")]


class Strict(BaseModel):
    """Unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class PriceSpec(Strict):
    """USD per million tokens."""

    prompt: float = Field(ge=0)
    completion: float = Field(ge=0)
    cached: float | None = Field(default=None, ge=0)


class LimitsSpec(Strict):
    concurrent: int = Field(default=64, ge=1, le=10_000)
    rpm: float | None = Field(default=None, gt=0)
    tpm: float | None = Field(default=None, gt=0)


class RetriesSpec(Strict):
    attempts: int = Field(default=6, ge=1, le=100)
    total_s: float = Field(default=900.0, gt=0)


class EndpointSpec(Strict):
    """Any OpenAI-compatible chat API."""

    provider: Literal["endpoint"]
    base_url: str = Field(description="Up to and with /v1")
    model: str
    api_key_env: str | None = Field(default=None, description="Name of the environment variable that holds the key")
    params: dict[str, Any] = Field(default_factory=dict)
    extra: dict[str, Any] = Field(default_factory=dict)
    json_mode: Literal["auto", "schema", "object", "off"] = "auto"
    stream: bool = False
    limits: LimitsSpec | None = None
    retries: RetriesSpec = RetriesSpec()
    price: PriceSpec | None = None
    timeout_s: float = Field(default=300.0, gt=0)
    proxy: str | None = None
    ca_file: str | None = None
    client_cert: str | None = None
    headers: dict[str, str] = Field(default_factory=dict)


class LocalSpec(Strict):
    """A model in this process, through llama.cpp: a packaged one by name, or any .gguf by path."""

    provider: Literal["local"]
    model: str
    params: dict[str, Any] = Field(default_factory=dict)
    threads: int | None = Field(default=None, ge=1)
    context: int | None = Field(default=None, ge=256)


class LitellmSpec(Strict):
    """Whatever LiteLLM can reach (extra `litellm`)."""

    provider: Literal["litellm"]
    model: str
    api_key_env: str | None = None
    params: dict[str, Any] = Field(default_factory=dict)
    limits: LimitsSpec | None = None
    retries: RetriesSpec = RetriesSpec()
    price: PriceSpec | None = None
    timeout_s: float = Field(default=300.0, gt=0)


class SimulatedSpec(Strict):
    """A statistical model of a model; its output always says so."""

    provider: Literal["simulated"]
    accuracy: float = Field(gt=0, lt=1)
    correlation: float | None = Field(default=None, ge=0, le=1)
    attraction: float | None = Field(default=None, ge=0)
    tell: float | None = None
    power: float | None = Field(default=None, ge=0, le=1)
    family: str | None = None
    refuse: float | None = Field(default=None, ge=0, le=1)


class RecordedSpec(Strict):
    """Replies from a file."""

    provider: Literal["recorded"]
    file: str
    model: str


ModelSpec = Annotated[
    EndpointSpec | LocalSpec | LitellmSpec | SimulatedSpec | RecordedSpec, Field(discriminator="provider")
]


class PlayerSpec(Strict):
    model: str
    instruction: str = Field(default="", description="The name of an instruction, or words of your own")
    persona: str = ""


class TeamSpec(Strict):
    players: list[str] = Field(min_length=1)


class QuestionsSpec(Strict):
    file: str | None = None
    builtin: str | None = None
    sample: int | None = Field(default=None, ge=1)

    @model_validator(mode="after")
    def _one_source(self) -> QuestionsSpec:
        if (self.file is None) == (self.builtin is None):
            raise ValueError("expected either file or builtin")
        return self


class ExperimentSpec(Strict):
    """Questions × teams × strategies × repeats. Without `questions` it is a team file."""

    name: Name
    seed: int = 0
    questions: QuestionsSpec | None = None
    models: dict[Name, ModelSpec] = Field(min_length=1)
    players: dict[Name, PlayerSpec] = Field(default_factory=dict)
    teams: dict[Name, TeamSpec] = Field(default_factory=dict)
    strategies: list[str | dict[str, dict[str, Any]]] = Field(default=["solo"], min_length=1)
    language: Literal["en", "ru"] = "en"
    prompts: str | None = Field(default=None, description="A folder of templates that replace ours")
    repeats: int = Field(default=1, ge=1)
    budget_usd: float | None = Field(default=None, gt=0)
    store: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _players_of_models(cls, data: Any) -> Any:
        """`players` left out: one for each model."""
        if isinstance(data, dict) and not data.get("players") and isinstance(data.get("models"), dict):
            return {**data, "players": {name: {"model": name} for name in data["models"]}}
        return data


class ExperimentFile:
    """A parsed file and the places of its keys, for those who find mistakes later."""

    def __init__(self, path: Path, spec: ExperimentSpec, places: Places) -> None:
        self.path, self.spec, self.places = path, spec, places

    def error(self, key: tuple[str | int, ...], problem: str) -> FileError:
        return FileError(problem, file=self.path, line=self.places.line(key), key=Places.dotted(key))

    def beside(self, path: str) -> Path:
        """Paths in a file are relative to the file."""
        return self.path.parent / Path(path).expanduser()

    @property
    def store_url(self) -> str:
        return self.spec.store or f"sqlite:///{self.spec.name}.db"


def read_experiment(path: Path, *, with_questions: bool = True) -> ExperimentFile:
    """Read and check the form of a file. What it refers to is checked when it is built."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FileError("no such file", file=path) from None
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"cannot be read: {error}", file=path) from None
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error)
        raise FileError(f"not valid YAML: {problem}", file=path, line=mark.line + 1 if mark else None) from None
    if not isinstance(data, dict):
        raise FileError("expected a mapping with keys such as name, models, questions", file=path)
    places = Places(node)
    if repeated := duplicate_key(node):
        raise FileError("stands here a second time", file=path, line=repeated.line, key=repeated.key)
    try:
        spec = ExperimentSpec.model_validate(data)
    except ValidationError as error:
        raise _first_mistake(path, places, data, error) from None
    file = ExperimentFile(path, spec, places)
    if with_questions and spec.questions is None:
        raise file.error(("questions",), "missing; expected {file: ...} or {builtin: ...}")
    return file


def _first_mistake(path: Path, places: Places, data: Mapping[str, Any], error: ValidationError) -> FileError:
    """Pydantic's words in ours; where there are more mistakes, their number."""
    mistakes = error.errors()
    first = mistakes[0]
    key = places.known(first["loc"])
    problem = _in_words(first)
    if len(mistakes) > 1:
        others = ", ".join(dict.fromkeys(Places.dotted(places.known(each["loc"])) for each in mistakes[1:6]))
        problem += f" ({len(mistakes) - 1} more: {others})"
    return FileError(problem, file=path, line=places.line(key), key=Places.dotted(key))


def _in_words(mistake: Any) -> str:
    kind, context = mistake["type"], mistake.get("ctx", {})
    if kind == "extra_forbidden":
        return f"unknown key; expected one of {', '.join(_expected_keys(mistake['loc']))}"
    if kind == "missing":
        return "missing"
    if kind == "union_tag_invalid":
        return f"provider {context.get('tag')!r} is unknown; expected {context.get('expected_tags')}"
    if kind == "union_tag_not_found":
        return "provider is missing; expected endpoint, local, litellm, simulated or recorded"
    return f"{mistake['msg'].removeprefix('Value error, ')}, found {mistake['input']!r:.80}"


def _expected_keys(loc: tuple[str | int, ...]) -> list[str]:
    """The keys that are allowed where an unknown one stands."""
    by_place: dict[str, type[BaseModel]] = {
        "endpoint": EndpointSpec,
        "local": LocalSpec,
        "litellm": LitellmSpec,
        "simulated": SimulatedSpec,
        "recorded": RecordedSpec,
        "limits": LimitsSpec,
        "retries": RetriesSpec,
        "price": PriceSpec,
        "questions": QuestionsSpec,
    }
    parent = loc[-2] if len(loc) > 1 else None
    grandparent = loc[-3] if len(loc) > 2 else None
    named: dict[str, type[BaseModel]] = {"players": PlayerSpec, "teams": TeamSpec}
    kind = by_place.get(str(parent)) or named.get(str(grandparent)) or ExperimentSpec
    return list(kind.model_fields)
