"""The file that `moot simulate --config` reads: which models, how slow, how broken. Unknown keys are errors."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from moot.config.key_lines import KeyLines
from moot.config.yaml_file import Strict, ZeroToOne, checked, read_yaml
from moot.data.questions_spec import QuestionsSpec
from moot.simulate.likeness import LikeName
from moot.simulate.parameters import SimulatedParameters

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
Seconds = Annotated[float, Field(ge=0)]


class LatencyConfig(Strict):
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


class FaultConfig(Strict):
    """One way to fail, and which requests it hits."""

    kind: Annotated[FaultKind, BeforeValidator(lambda value: str(value) if isinstance(value, int) else value)]
    rate: ZeroToOne = 1.0
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


def _sources(value: object) -> object:
    """One source or several; a text is the path of a file."""
    listed = list(value) if isinstance(value, list | tuple) else [value]
    return [{"file": str(each)} if isinstance(each, str | Path) else each for each in listed]


def _fixed_order(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _default_models() -> dict[str, SimulatedParameters]:
    """Six players of different ability, about those of a team at a quiz."""
    abilities = {"ann": 0.37, "bob": 0.34, "cat": 0.30, "dan": 0.27, "eve": 0.24, "fay": 0.20}
    return {name: SimulatedParameters(accuracy=accuracy) for name, accuracy in abilities.items()}


class SimulateConfig(Strict):
    """All of it. Everything may be left out."""

    seed: int = 0
    questions: Annotated[list[QuestionsSpec], BeforeValidator(_sources)] = Field(default_factory=list)
    models: Annotated[dict[str, SimulatedParameters], Field(min_length=1)] = Field(default_factory=_default_models)
    latency: Annotated[LatencyConfig, BeforeValidator(_fixed)] = LatencyConfig()
    capacity: Annotated[int, Field(ge=1)] | None = None
    """How many requests are worked on at once; more wait in a queue."""
    api_key_env: str | None = None
    """The environment variable with the bearer key that every request must show."""
    json_schema: bool = True
    json_object: bool = True
    rpm: Annotated[int, Field(ge=1)] | None = None
    faults: Annotated[tuple[FaultConfig, ...], BeforeValidator(_fixed_order)] = ()
    like: LikeName | None = None
    """A known server whose ways are taken on."""

    @model_validator(mode="after")
    def _faults_hit_somebody(self) -> SimulateConfig:
        for fault in self.faults:
            if fault.model is not None and fault.model not in self.models:
                raise ValueError(f"a fault is for {fault.model!r}; expected one of {', '.join(self.models)}")
        return self


def load_config(path: Path) -> SimulateConfig:
    """A checked config. Paths of questions in it start from where the file is."""
    read = read_yaml(path)
    config = check_config(read.values, file=path, places=read.places)
    questions = [_beside(path.parent, source) for source in config.questions]
    return config.model_copy(update={"questions": questions})


def _beside(folder: Path, source: QuestionsSpec) -> QuestionsSpec:
    here = {key: folder / place for key in ("file", "hub") if (place := getattr(source, key)) is not None}
    return source.model_copy(update={key: str(place) for key, place in here.items() if key == "file" or place.is_dir()})


def check_config(values: Mapping[str, Any], *, file: object = None, places: KeyLines | None = None) -> SimulateConfig:
    """A config from plain values; a mistake names its key and, where the file is there, the line."""
    return checked(SimulateConfig, values, file=file, places=places)
