"""What the experiment file says of a model: one form for each provider.

A key that the provider has no use for is a mistake in the file, and what may be a secret is repeated in no complaint.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError

from moot.config.type_words import either
from moot.config.yaml_file import Strict, Text
from moot.experiment.filled_in_elsewhere import key_elsewhere, variable_meant, variable_within
from moot.models.closest import closest
from moot.models.litellm_params import GENERATION, problem_with, problem_with_model
from moot.models.proxy import ENV
from moot.models.secrets import secret_headers
from moot.plugins import PluginKind
from moot.simulate.parameters import SimulatedParameters

MAX_TOKENS_KEYS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
"""The names under which servers take a cap on the tokens of a reply."""

OF_REPLIES: Mapping[str, str] = dict.fromkeys(GENERATION, "params")
"""How replies are made is said under `params`: told to whoever writes it beside the model's name."""

KEYS_ELSEWHERE: Mapping[str, Callable[[object], str]] = {"api_key": key_elsewhere}
"""What stands in no file, and what to write in its place: told by what stands there."""

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
        raise ValueError(f"expected an address such as http://127.0.0.1:8001/v1, found {_shown(url)!r}")
    return url


def _shown(url: str) -> str:
    """Without what may be a password, before an @, or a key, behind a ? or #: complaints end up in logs."""
    scheme, slashes, rest = url.partition("//")
    _, at, place = rest.rpartition("@")
    masked = f"{scheme}//…@{place}" if slashes and at else url
    return re.sub(r"[?#].*", lambda rest: f"{rest[0][0]}…", masked, count=1, flags=re.DOTALL)


def _proxy(proxy: str) -> str:
    return proxy if proxy == ENV else _address(proxy)


def _variable(name: str) -> str:
    if (meant := variable_meant(name)) is not None:
        raise ValueError(f"expected the name of the variable alone: {meant}")
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
        behind = "; what stands behind the ? is the key query of this model" if parts.query else ""
        raise ValueError(f"expected an address without ? and #, found {_shown(url)!r}{behind}")
    return url


def _parameters(params: dict[str, Any]) -> dict[str, Any]:
    for key, why in _OURS.items():
        if key in params:
            raise ValueError(f"{key} does not belong here: it {why}" if key != "messages" else f"{key} {why}")
    for key in MAX_TOKENS_KEYS:
        value = params.get(key, 1)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise ValueError(f"{key}: expected a whole number from 1 on, found {value!r}")
    return params


def _headers(headers: dict[str, str]) -> dict[str, str]:
    for name, value in headers.items():
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
            raise ValueError(f"{name!r} is no name of a header")
        if re.search(r"[\x00-\x1f\x7f]", value):
            raise ValueError(f"{name}: expected a text in one line")
        if (meant := variable_within(value)) is not None:
            otherwise = (
                f"api_key_env: {meant}" if name.casefold() == "authorization" else f"headers_env: {{{name}: {meant}}}"
            )
            raise ValueError(
                f"{name}: variables are not filled in here, so it would be sent as it stands; expected {otherwise}"
            )
    return headers


def _no_secret_in(query: dict[str, str]) -> dict[str, str]:
    for name, value in query.items():
        if not name or re.search(r"[\x00-\x20\x7f]", name) or re.search(r"[\x00-\x1f\x7f]", value):
            raise ValueError(f"{name!r}: expected a name and a text in one line")
        if secret_headers({name: value}):
            # An address is stored with every call, and shown in messages.
            raise ValueError(f"{name} is named for a secret; expected a header for it: headers_env, or api_key_env")
    return query


Variable = Annotated[str, Field(min_length=1), AfterValidator(_variable)]
Parameters = Annotated[dict[str, Any], AfterValidator(_parameters)]


class PriceSpec(Strict):
    """USD per million tokens."""

    called_elsewhere: ClassVar[Mapping[str, str]] = {"input": "prompt", "output": "completion"}
    """What others call its keys, for whoever writes them so."""

    prompt: float = Field(ge=0)
    completion: float = Field(ge=0)
    cached: float | None = Field(default=None, ge=0)


def _price_form(price: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    """The table by its name, or a price: one complaint, where pydantic would make one for each."""
    if price is None or price == TABLE or isinstance(price, PriceSpec):
        return price
    if isinstance(price, str):
        raise ValueError(f"expected {{prompt: ..., completion: ...}} or table, found {price!r}")
    return PriceSpec.model_validate(price)


TABLE = "table"
PriceOrTable = Annotated[PriceSpec | Literal["table"] | None, WrapValidator(_price_form)]
"""`table`: as the table of prices has it, see `moot.models.price_table`."""


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


def _hedge(hedge: object) -> object:
    """`hedge: true` is short for the usual one; one complaint, where pydantic would make one for each type."""
    if hedge is True or hedge is False or hedge is None:
        return {} if hedge else None
    after = hedge.get("after", "p95") if isinstance(hedge, dict) and set(hedge) <= {"after"} else None
    if after == "p95" or (isinstance(after, int | float) and not isinstance(after, bool) and 0 < after < math.inf):
        return hedge
    raise ValueError(f"expected true, or {{after: p95}}, or {{after: SECONDS}}; found {hedge!r}")


Hedged = Annotated[HedgeSpec | None, BeforeValidator(_hedge)]


class EndpointSpec(Strict):
    """Any OpenAI-compatible chat API."""

    stands_below: ClassVar[Mapping[str, str]] = OF_REPLIES
    written_otherwise: ClassVar[Mapping[str, Callable[[object], str]]] = KEYS_ELSEWHERE

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
    price: PriceOrTable = None
    timeout_s: float = Field(default=300.0, gt=0)
    max_reply_mb: float = Field(
        default=32.0, gt=0, le=100_000, description="MiB of one reply, as received and as unpacked"
    )
    proxy: Annotated[str, AfterValidator(_proxy)] | None = Field(default=None, repr=False)
    ca_file: Text | None = None
    client_cert: Text | None = None
    headers: Annotated[dict[str, str], AfterValidator(_headers)] = Field(default_factory=dict, repr=False)
    headers_env: Annotated[dict[str, Variable], AfterValidator(_headers)] = Field(
        default_factory=dict, description="Headers whose values are in the environment variables named here"
    )
    query: Annotated[dict[str, str], AfterValidator(_no_secret_in)] = Field(
        default_factory=dict, description="What stands behind the ? of every address"
    )
    system: Literal["send", "fold"] = Field(
        default="send", description="fold: the system's words stand above the user's first ones"
    )


class LocalSpec(Strict):
    """A model in this process, through llama.cpp: a packaged one by name, or any .gguf by path."""

    stands_below: ClassVar[Mapping[str, str]] = OF_REPLIES

    provider: Literal["local"]
    model: Text
    params: Parameters = Field(default_factory=dict)
    threads: int | None = Field(default=None, ge=1)
    context: int | None = Field(default=None, ge=256)


def _litellm_model(model: str) -> str:
    if problem := problem_with_model(model):
        raise ValueError(problem)
    return model


def _litellm_parameters(params: dict[str, Any]) -> dict[str, Any]:
    if problem := problem_with(_parameters(params)):
        raise ValueError(problem)
    return params


class LitellmSpec(Strict):
    """Whatever LiteLLM can reach (extra `litellm`)."""

    stands_below: ClassVar[Mapping[str, str]] = OF_REPLIES
    written_otherwise: ClassVar[Mapping[str, Callable[[object], str]]] = KEYS_ELSEWHERE

    provider: Literal["litellm"]
    model: Annotated[Text, AfterValidator(_litellm_model)]
    base_url: Annotated[str, AfterValidator(_open_address)] | None = Field(
        default=None, description="Where it is, if not where the provider is"
    )
    api_key_env: Variable | None = None
    api_key_file: Text | None = None
    params: Annotated[dict[str, Any], AfterValidator(_litellm_parameters)] = Field(default_factory=dict)
    limits: LimitsSpec | None = None
    retries: RetriesSpec = RetriesSpec()
    hedge: Hedged = Field(default=None, description="Ask a second time when a reply is late")
    price: PriceOrTable = None
    timeout_s: float = Field(default=300.0, gt=0)


class SimulatedSpec(SimulatedParameters):
    """A statistical model of a model; its output always says so."""

    provider: Literal["simulated"]
    price: PriceSpec | None = Field(default=None, description="As if it cost that: a rehearsal of the bill. None: free")
    max_tokens: int | None = Field(default=None, ge=1, description="Where a reply is cut")


class RecordedSpec(Strict):
    """Replies from a file of ours, or with `format` from logs of another tool."""

    provider: Literal["recorded"]
    file: Text = Field(
        description="A file of recorded replies; with format: a log, a folder or a pattern such as logs/*.eval"
    )
    model: Text
    format: Text | None = Field(
        default=None, description="The tool whose logs these are: inspect, lm-eval, promptfoo, helm, openai-batch, csv"
    )
    metric: Text | None = Field(
        default=None, description="By which metric or scorer of the logs a reply is right, where they have several"
    )
    price: PriceSpec | None = Field(
        default=None, description="What its replies cost when they were made, where the recording does not say it"
    )

    @model_validator(mode="after")
    def _of_logs(self) -> RecordedSpec:
        if self.metric is not None and self.format is None:
            raise ValueError("metric goes with the format of a tool whose logs these are, such as inspect")
        return self


class PluggedSpec(Strict):
    """A model of a provider that another package brings (entry point group `moot.models`); the other keys are its own."""

    model_config = ConfigDict(extra="allow")

    provider: str = Field(description="The name of an installed plug-in")

    @property
    def options(self) -> dict[str, Any]:
        return dict(self.model_extra or {})


class ObjectSpec(Strict):
    """A model that was given as an object: what it says shapes its replies. No file can have one."""

    provider: str
    shape: dict[str, Any]


_BUILT_IN_FORMS: TypeAdapter[Any] = TypeAdapter(
    Annotated[EndpointSpec | LocalSpec | LitellmSpec | SimulatedSpec | RecordedSpec, Field(discriminator="provider")]
)


def _form(spec: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    """The form that `provider` chooses: ours or a plug-in's. What stands for an object is in its form already."""
    if isinstance(spec, BaseModel):
        return handler(spec)
    provider = spec.get("provider") if isinstance(spec, dict) else None
    if isinstance(provider, str) and (refusal := PROVIDERS.refusal(provider)) is not None:
        raise PydanticCustomError("two_providers", "{problem}", {"problem": str(refusal)})
    if isinstance(provider, str) and provider not in BUILT_IN_PROVIDERS:
        if PROVIDERS.place(provider) is not None:
            return PluggedSpec.model_validate(spec)
        providers = [*BUILT_IN_PROVIDERS, *plugged_providers()]
        raise PydanticCustomError(
            "unknown_provider",
            "{problem}",
            {"problem": f"{provider!r} is unknown; expected {either(providers)}{closest(provider, providers)}"},
        )
    return _BUILT_IN_FORMS.validate_python(spec)


BUILT_IN_PROVIDERS = {
    "endpoint": "moot.experiment.model_specs:EndpointSpec",
    "local": "moot.experiment.model_specs:LocalSpec",
    "litellm": "moot.experiment.model_specs:LitellmSpec",
    "simulated": "moot.experiment.model_specs:SimulatedSpec",
    "recorded": "moot.experiment.model_specs:RecordedSpec",
}
PROVIDERS = PluginKind("provider", "moot.models", BUILT_IN_PROVIDERS)


def plugged_providers() -> list[str]:
    """Providers that other packages bring."""
    return sorted(PROVIDERS.places().keys() - BUILT_IN_PROVIDERS.keys())


ModelSpec = Annotated[
    EndpointSpec | LocalSpec | LitellmSpec | SimulatedSpec | RecordedSpec | PluggedSpec | SkipJsonSchema[ObjectSpec],
    WrapValidator(_form),
]
