"""The experiment file: its form, and the mistakes in it, each named by file, line and key before anything is called."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from moot.errors import FileError, UsageError
from moot.models.simulated import SimulatedModel
from moot.run.places import Places
from moot.run.yaml_file import Strict, checked, read_yaml

MAX_TOKENS_KEYS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
"""The names under which servers take a cap on the tokens of a reply."""

_OURS = {
    "model": "is the key model of this model",
    "messages": "are ours to write",
    "stream": "is the key stream of this model",
    "api_key": "stands in a variable that api_key_env names, or in api_key_file",
}


def _address(url: str) -> str:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable or re.search(r"\s", url):
        shown = re.sub(r"//.*@", "//…@", url, flags=re.DOTALL)  # what stands there may be a password
        raise ValueError(f"expected an address such as http://127.0.0.1:8001/v1, found {shown!r}")
    return url


def _variable(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        # Whoever puts the key itself here must not find it in a log.
        raise ValueError("expected the name of an environment variable, such as QWEN_KEY, and not the key itself")
    return name


def _open_address(url: str) -> str:
    parts = urlsplit(_address(url))
    if parts.username is not None or parts.password is not None:
        # The address is stored with every call, so nothing secret may stand in it; nor is it shown here.
        raise ValueError("holds a user name or password; expected the key in a variable that api_key_env names")
    if parts.query or parts.fragment:
        raise ValueError(f"expected an address without ? and #, found {url!r}")
    return url


def _parameters(given: dict[str, Any]) -> dict[str, Any]:
    for key, why in _OURS.items():
        if key in given:
            raise ValueError(f"{key} does not belong here: it {why}" if key != "messages" else f"{key} {why}")
    for key in MAX_TOKENS_KEYS:
        value = given.get(key, 1)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise ValueError(f"{key}: expected a whole number from 1 on, found {value!r}")
    return given


def _headers(given: dict[str, str]) -> dict[str, str]:
    for name, value in given.items():
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
            raise ValueError(f"{name!r} is no name of a header")
        if re.search(r"[\x00-\x1f\x7f]", value):
            raise ValueError(f"{name}: expected a text in one line")
    return given


def _store(url: str) -> str:
    from moot.store import store_at  # brings SQLAlchemy along, which many commands do not need

    try:
        store_at(url)
    except UsageError as error:
        raise ValueError(str(error).removeprefix("store: ")) from None
    return url


Name = Annotated[str, Field(pattern=r"^[\w.:-]+$", max_length=100, description="Letters, digits, . : _ -")]
Text = Annotated[str, Field(min_length=1)]
Variable = Annotated[str, Field(min_length=1), AfterValidator(_variable)]
Share = Annotated[float, Field(ge=0, le=1)]
Parameters = Annotated[dict[str, Any], AfterValidator(_parameters)]


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


class HedgeSpec(Strict):
    """When a second request is sent because the first one is late."""

    after: Literal["p95"] | Annotated[float, Field(gt=0)] = "p95"

    @property
    def after_s(self) -> float | None:
        """None: learned from the endpoint."""
        return None if self.after == "p95" else self.after


def _hedge(given: object) -> object:
    """`hedge: true` is short for the usual one; one complaint, where pydantic would make one for each type."""
    if given is True or given is False or given is None:
        return {} if given else None
    after = given.get("after", "p95") if isinstance(given, dict) and set(given) <= {"after"} else None
    if after == "p95" or (isinstance(after, int | float) and not isinstance(after, bool) and 0 < after < math.inf):
        return given
    raise ValueError(f"expected true, or {{after: p95}}, or {{after: SECONDS}}; found {given!r}")


Hedged = Annotated[HedgeSpec | None, BeforeValidator(_hedge)]


class EndpointSpec(Strict):
    """Any OpenAI-compatible chat API."""

    provider: Literal["endpoint"]
    base_url: Annotated[str, AfterValidator(_open_address)] = Field(description="an address up to and with /v1")
    model: Text
    api_key_env: Variable | None = Field(
        default=None, description="Name of the environment variable that holds the key"
    )
    api_key_file: Text | None = Field(default=None, description="A file with the key, that only its owner can read")
    params: Parameters = Field(default_factory=dict)
    extra: Parameters = Field(default_factory=dict)
    json_mode: Literal["auto", "schema", "object", "off"] = "auto"
    stream: bool = False
    limits: LimitsSpec | None = None
    retries: RetriesSpec = RetriesSpec()
    hedge: Hedged = Field(default=None, description="Ask a second time when a reply is late")
    price: PriceSpec | None = None
    timeout_s: float = Field(default=300.0, gt=0)
    proxy: Annotated[str, AfterValidator(_address)] | None = Field(default=None, repr=False)
    ca_file: Text | None = None
    client_cert: Text | None = None
    headers: Annotated[dict[str, str], AfterValidator(_headers)] = Field(default_factory=dict, repr=False)


class LocalSpec(Strict):
    """A model in this process, through llama.cpp: a packaged one by name, or any .gguf by path."""

    provider: Literal["local"]
    model: Text
    params: Parameters = Field(default_factory=dict)
    threads: int | None = Field(default=None, ge=1)
    context: int | None = Field(default=None, ge=256)


class LitellmSpec(Strict):
    """Whatever LiteLLM can reach (extra `litellm`)."""

    provider: Literal["litellm"]
    model: Text
    api_key_env: Variable | None = None
    api_key_file: Text | None = None
    params: Parameters = Field(default_factory=dict)
    limits: LimitsSpec | None = None
    retries: RetriesSpec = RetriesSpec()
    hedge: Hedged = Field(default=None, description="Ask a second time when a reply is late")
    price: PriceSpec | None = None
    timeout_s: float = Field(default=300.0, gt=0)


class SimulatedParameters(Strict):
    """The parameters of `moot.models.simulated.SimulatedModel`, with its defaults; what each means is said there."""

    accuracy: Share = Field(description="a number between 0 and 1")
    correlation: Share = SimulatedModel.correlation
    family: str | None = SimulatedModel.family
    family_correlation: Share = SimulatedModel.family_correlation
    attraction: Share = SimulatedModel.attraction
    tell: float = SimulatedModel.tell
    power: Share = SimulatedModel.power
    pull: float = SimulatedModel.pull
    herd: float = SimulatedModel.herd
    taste: float = SimulatedModel.taste
    guise: Share = SimulatedModel.guise
    awe: float = SimulatedModel.awe
    doubt: Share = SimulatedModel.doubt
    judgement: Share = SimulatedModel.judgement
    temperature: float = Field(default=SimulatedModel.temperature, ge=0, le=2)
    refuse: Share = SimulatedModel.refuse
    garble: Share = SimulatedModel.garble

    @model_validator(mode="after")
    def _adds_up(self) -> SimulatedParameters:
        if self.family is not None and self.correlation + self.family_correlation > 1:
            raise ValueError("correlation and family_correlation must not add up to more than 1")
        return self


class SimulatedSpec(SimulatedParameters):
    """A statistical model of a model; its output always says so."""

    provider: Literal["simulated"]
    price: PriceSpec | None = Field(default=None, description="As if it cost that: a rehearsal of the bill. None: free")
    max_tokens: int | None = Field(default=None, ge=1, description="Where a reply is cut")


class RecordedSpec(Strict):
    """Replies from a file."""

    provider: Literal["recorded"]
    file: Text
    model: Text


ModelSpec = Annotated[
    EndpointSpec | LocalSpec | LitellmSpec | SimulatedSpec | RecordedSpec, Field(discriminator="provider")
]


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


OFFICES = ("judge", "planted_by", "summariser")
"""Options of strategies that name a model which does not play."""


def _in_office(strategies: object) -> list[object]:
    options = [
        each
        for entry in (strategies if isinstance(strategies, list) else [])
        if isinstance(entry, Mapping)
        for each in entry.values()
        if isinstance(each, Mapping)
    ]
    return [each[key] for each in options for key in OFFICES if key in each]


class ExperimentSpec(Strict):
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

    def __init__(self, path: Path, spec: ExperimentSpec, places: Places) -> None:
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
    spec = checked(ExperimentSpec, read.values, file=path, places=read.places)
    file = ExperimentFile(path, spec, read.places)
    if with_questions and spec.questions is None:
        raise file.error(("questions",), "Field required; expected {file: ...} or {builtin: ...}")
    return file
