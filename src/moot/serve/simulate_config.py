"""The file that `moot simulate --config` reads: which models, how slow, how broken. Unknown keys are errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from moot.errors import FileError

FaultKind = Literal[
    "429",
    "429-seconds",
    "429-date",
    "500",
    "503",
    "reset",
    "cut",
    "hang",
    "invalid-json",
    "empty",
    "refusal",
    "content-filter",
    "drip",
    "garbage",
]
Share = Annotated[float, Field(ge=0, le=1)]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ModelConfig(_Part):
    """The parameters of `moot.models.simulated.SimulatedModel`; what each means is said there."""

    accuracy: Share
    correlation: Share = 0.5
    family: str | None = None
    family_correlation: Share = 0.2
    attraction: Share = 0.4
    tell: float = 0.5
    power: Share = 0.1
    pull: float = 1.0
    refuse: Share = 0.0
    garble: Share = 0.0

    @model_validator(mode="after")
    def _adds_up(self) -> ModelConfig:
        if self.family is not None and self.correlation + self.family_correlation > 1:
            raise ValueError("correlation and family_correlation must not add up to more than 1")
        return self


class LatencyConfig(_Part):
    """Seconds before a reply: always `fixed_s`, or lognormal around `median_s`; plus `per_token_s` for each token."""

    fixed_s: Seconds = 0.0
    median_s: Seconds = 0.0
    sigma: Seconds = 0.5
    per_token_s: Seconds = 0.0

    @model_validator(mode="after")
    def _one_law(self) -> LatencyConfig:
        if self.fixed_s and self.median_s:
            raise ValueError("expected fixed_s or median_s, not both")
        return self


class FaultConfig(_Part):
    """One way to fail, and which requests it hits."""

    kind: Annotated[FaultKind, BeforeValidator(lambda value: str(value) if isinstance(value, int) else value)]
    rate: Share = 1.0
    times: Annotated[int, Field(ge=1)] | None = None
    """It hits at most so often."""
    after: Annotated[int, Field(ge=1)] = 1
    """It hits from this request on, counted from 1 over all models."""
    model: str | None = None
    retry_after: Annotated[int, Field(ge=0)] = 1
    """Seconds that the Retry-After of 429-seconds and 429-date asks for."""
    hang_s: Seconds = 3600.0
    drip_s: Seconds = 0.05


def _fixed(value: object) -> object:
    """`latency: 0.2` is short for a fixed one."""
    return {"fixed_s": value} if isinstance(value, int | float) and not isinstance(value, bool) else value


def _listed(value: object) -> object:
    return [value] if isinstance(value, str | Path) else value


def _default_models() -> dict[str, ModelConfig]:
    """Six players of different ability, about those of a team at a quiz."""
    abilities = {"ann": 0.37, "bob": 0.34, "cat": 0.30, "dan": 0.27, "eve": 0.24, "fay": 0.20}
    return {name: ModelConfig(accuracy=accuracy) for name, accuracy in abilities.items()}


class SimulateConfig(_Part):
    """All of it. Everything may be left out."""

    seed: int = 0
    questions: Annotated[tuple[Path, ...], BeforeValidator(_listed)] = ()
    models: Annotated[dict[str, ModelConfig], Field(min_length=1)] = Field(default_factory=_default_models)
    latency: Annotated[LatencyConfig, BeforeValidator(_fixed)] = LatencyConfig()
    capacity: Annotated[int, Field(ge=1)] | None = None
    """How many requests are worked on at once; more wait in a queue."""
    api_key_env: str | None = None
    """The environment variable with the bearer key that every request must show."""
    json_schema: bool = True
    json_object: bool = True
    rpm: Annotated[int, Field(ge=1)] | None = None
    faults: tuple[FaultConfig, ...] = ()

    @model_validator(mode="after")
    def _faults_hit_somebody(self) -> SimulateConfig:
        for fault in self.faults:
            if fault.model is not None and fault.model not in self.models:
                raise ValueError(f"a fault is for {fault.model!r}; expected one of {', '.join(self.models)}")
        return self


def load_config(path: Path) -> SimulateConfig:
    """A checked config. Paths of questions in it start from where the file is."""
    try:
        text = path.read_text(encoding="utf-8")
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        values = yaml.safe_load(text)
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", file=path) from None
    except UnicodeDecodeError as error:
        raise FileError(f"expected UTF-8 text ({error.reason})", file=path) from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "cannot be parsed"
        raise FileError(f"not valid YAML: {problem}", file=path, line=mark.line + 1 if mark else None) from None
    if not isinstance(values, dict | None):
        raise FileError("expected keys and values", file=path)
    config = check_config(values or {}, file=path, node=node)
    questions = tuple(path.parent / each for each in config.questions)
    return config.model_copy(update={"questions": questions})


def check_config(values: Mapping[str, Any], *, file: object = None, node: yaml.Node | None = None) -> SimulateConfig:
    """A config from plain values; a mistake names its key and, where the file is there, the line."""
    try:
        return SimulateConfig.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        place = [part for part in first["loc"] if part != "[key]"]
        key = ".".join(map(str, place)) or None
        raise FileError(_problem(first, place), file=file, line=_line(node, place), key=key) from None


def _problem(error: Any, place: Sequence[int | str]) -> str:
    if error["type"] == "extra_forbidden":
        return f"unknown key; expected one of {', '.join(_siblings(place))}"
    message = str(error["msg"]).removeprefix("Value error, ")
    if error["type"] == "missing" or "input" not in error or isinstance(error["input"], dict | list):
        return message
    return f"{message}, found {error['input']!r}"


def _siblings(place: Sequence[int | str]) -> list[str]:
    """The keys that would have been right beside an unknown one."""
    parts: dict[object, type[BaseModel]] = {"models": ModelConfig, "latency": LatencyConfig, "faults": FaultConfig}
    owner = parts.get(place[0], SimulateConfig) if len(place) > 1 else SimulateConfig
    return list(owner.model_fields)


def _line(node: yaml.Node | None, place: Sequence[int | str]) -> int | None:
    """The line of a key in the file, or of the nearest thing around it."""
    if node is None:
        return None
    line: int = node.start_mark.line
    for part in place:
        found: yaml.Node | None = None
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if key.value == str(part):
                    line, found = key.start_mark.line, value
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            found = node.value[part]
            line = found.start_mark.line if found is not None else line
        if found is None:
            break
        node = found
    return line + 1
