"""The models that a file names, each made by its provider, with what is checked about them before any call.

Models that share an endpoint share its limits; a budget needs a price and a longest reply; a key comes from the
environment or a file of its own, and goes nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, make_dataclass, replace
from functools import partial
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, cast, get_type_hints

from moot.config.key_lines import KeyPath
from moot.data import Dataset
from moot.errors import FileError, UsageError
from moot.experiment.environment_headers import headers_from_environment
from moot.experiment.listed_price import price_in_file
from moot.experiment.model_keys import key_from, key_of
from moot.experiment.model_specs import (
    MAX_TOKENS_KEYS,
    PROVIDERS,
    EndpointSpec,
    HedgeSpec,
    LimitsSpec,
    LitellmSpec,
    LocalSpec,
    ModelSpec,
    ObjectSpec,
    PluggedSpec,
    RecordedSpec,
    RetriesSpec,
    SimulatedSpec,
)
from moot.experiment.recordings import recorded_model
from moot.experiment.short_keys import short_keys
from moot.experiment.spec import ExperimentFile
from moot.models.answerable import check_model_object, shape_in_json
from moot.models.closest import closest
from moot.models.intake import MIB, Intake, Room
from moot.models.litellm_params import problem_with_address
from moot.models.model import Model, plays_back
from moot.models.proxy import ENV, environment_proxy
from moot.plugins import PluginBroke, PluginRefused, blaming
from moot.strategies.option_values import OptionError, built
from moot.types import FREE, Price, Request


@dataclass(frozen=True, slots=True)
class BuiltModel:
    """A model as the file describes it, before anything is wrapped around it."""

    model: Model
    endpoint: str | None
    """What its limits are shared by; None for a model in this process."""
    limits: LimitsSpec
    retries: RetriesSpec
    max_tokens: int | None
    hedge: HedgeSpec | None = None
    key_from: str | None = None
    """Where the file says that its key is, in words. What is shown there is no secret; the key is not here."""
    short_keys: tuple[str, ...] = ()
    """Where keys of it are that are so short that a reply may say them by chance."""


@dataclass
class Shared:
    """What the models of a file have in common."""

    room: Room
    """For replies that come in."""
    unset: list[FileError]
    """Where it is put down that a variable is not set which is to hold a key."""
    world: Any = None
    """Of the simulated ones."""
    asked: bool = True
    """False: nobody will be asked anything, so no key, certificate or proxy is looked for."""
    keys: dict[str, str | None] = field(default_factory=dict, repr=False)
    """By model, while they are made."""


def model_named(file: ExperimentFile, models: Mapping[str, BuiltModel], key: KeyPath, name: str) -> Model:
    """The model that the file names at this key, or a complaint that says which there are."""
    if name not in models:
        expected = f"expected one of {', '.join(models)}{closest(name, models)}"
        raise file.error(key, f"unknown model {name!r}; {expected}")
    return models[name].model


def make_models(
    file: ExperimentFile, dataset: Dataset | None, unset: list[FileError], *, asked: bool = True
) -> dict[str, BuiltModel]:
    """`asked`: False where nobody will be asked anything. `unset`: takes the complaints about variables that are to hold a
    key and do not, which are no mistake of the file."""
    built: dict[str, BuiltModel] = {}
    limits: dict[str, tuple[str, LimitsSpec]] = {}
    shared = Shared(Room(round(file.spec.replies_in_flight_mb * MIB)), unset, asked=asked)
    for name, spec in file.spec.models.items():
        try:
            make: Callable[..., Model] = _plugged if isinstance(spec, PluggedSpec) else _MAKERS[spec.provider]
            model = make(file, name, spec, dataset, shared)
        except FileError:
            raise
        except UsageError as error:
            raise file.error(("models", name), str(error)) from None
        endpoint = _endpoint_of(spec)
        declared = getattr(spec, "limits", None)
        if endpoint and declared:
            first, agreed = limits.setdefault(endpoint, (name, declared))
            if agreed != declared:
                problem = f"models {first!r} and {name!r} share {endpoint}, so they share its limits; expected the same"
                raise file.error(("models", name, "limits"), problem)
        params = {"max_tokens": spec.max_tokens} if isinstance(spec, SimulatedSpec) else getattr(spec, "params", {})
        tokens = _max_tokens(params, getattr(spec, "extra", {}))
        if isinstance(spec, PluggedSpec | ObjectSpec):
            tokens = getattr(model, "max_tokens", None)  # under a budget a priced model must say its longest reply
        retries, hedge = getattr(spec, "retries", RetriesSpec()), getattr(spec, "hedge", None)
        short = short_keys(spec, shared.keys.get(name)) if asked else ()
        built[name] = BuiltModel(model, endpoint, LimitsSpec(), retries, tokens, hedge, key_from(spec), short)
    if file.spec.budget_usd is not None:
        check_payable(file, built)
    return {
        name: replace(model_built, limits=limits[model_built.endpoint][1])
        if model_built.endpoint in limits
        else model_built
        for name, model_built in built.items()
    }


def check_payable(file: ExperimentFile, built: Mapping[str, BuiltModel]) -> None:
    """Under a budget. All who lack the same are told at once: whoever mends one after the other asks as often."""
    asked = {name: each for name, each in built.items() if not plays_back(each.model)}
    paid = {name: each for name, each in asked.items() if each.model.price is None or not each.model.price.free}
    unpriced = [name for name, each in paid.items() if each.model.price is None]
    unbounded = [name for name, each in paid.items() if each.max_tokens is None and name not in unpriced]
    price = "has no price, so no budget can be kept; expected price: {prompt: ..., completion: ...}"
    bound = "has a price but no max_tokens, so a call could cost anything; expected params: {max_tokens: ...}"
    for names, problem in ((unpriced, price), (unbounded, bound)):
        if names:
            others = f". The same of {', '.join(names[1:])}" if names[1:] else ""
            raise file.error(("models", names[0]), f"{problem}{others}")


def _max_tokens(*sources: Mapping[str, Any]) -> int | None:
    """The largest that is set anywhere: which of them the server obeys is not ours to know."""
    limits = [source[key] for source in sources for key in MAX_TOKENS_KEYS if isinstance(source.get(key), int)]
    return max(limits, default=None)


def _endpoint_of(spec: ModelSpec) -> str | None:
    if isinstance(spec, EndpointSpec):
        return spec.base_url.rstrip("/")
    if isinstance(spec, LitellmSpec):
        return spec.base_url.rstrip("/") if spec.base_url is not None else f"litellm:{spec.model}"
    return None


def _price(
    file: ExperimentFile, name: str, spec: EndpointSpec | LitellmSpec | SimulatedSpec, shared: Shared
) -> Price | None:
    try:
        return price_in_file(spec)
    except UsageError as error:
        if not shared.asked:
            return None
        raise file.error(("models", name, "price"), str(error)) from None


def _proxy(file: ExperimentFile, name: str, spec: EndpointSpec, key: str | None) -> str | None:
    """Where a proxy could read the key, which TLS prevents, somebody must have meant this very proxy."""
    if spec.proxy != ENV:
        return spec.proxy
    try:
        proxy = environment_proxy(spec.base_url)
    except UsageError as error:
        raise file.error(("models", name, "proxy"), str(error)) from None
    if proxy and spec.base_url.startswith("http:") and (key or spec.headers or spec.headers_env):
        problem = "the key or headers would pass the environment's proxy in the clear, since base_url is http://"
        expected = "expected https://, the host in NO_PROXY, or the proxy's own address here"
        raise file.error(("models", name, "proxy"), f"{problem}; {expected}")
    return proxy


def _certificate(file: ExperimentFile, name: str, spec: EndpointSpec, key: str) -> Path | None:
    if (named := getattr(spec, key)) is None:
        return None
    certificate = file.beside(named)
    if not certificate.is_file():
        raise file.error(("models", name, key), f"no such file: {certificate}")
    return certificate


def _endpoint(file: ExperimentFile, name: str, spec: EndpointSpec, dataset: Dataset | None, shared: Shared) -> Model:
    from moot.models.endpoint import EndpointModel, Network

    api_key = shared.keys[name] = key_of(file, name, spec, shared.unset) if shared.asked else None
    network = Network(spec.timeout_s, headers=spec.headers, query=spec.query)
    if shared.asked:
        network = replace(
            network,
            proxy=_proxy(file, name, spec, api_key),
            secret_headers=headers_from_environment(file, name, spec, shared.unset),
            ca_file=_certificate(file, name, spec, "ca_file"),
            client_cert=_certificate(file, name, spec, "client_cert"),
        )
        network.ssl_context()
    return EndpointModel(
        name,
        base_url=spec.base_url,
        model=spec.model,
        api_key=api_key,
        params=spec.params,
        extra=spec.extra,
        json_mode=spec.json_mode,
        stream=spec.stream,
        system=spec.system,
        price=_price(file, name, spec, shared),
        network=network,
        intake=Intake(round(spec.max_reply_mb * MIB), shared.room),
    )


def _local(file: ExperimentFile, name: str, spec: LocalSpec, *_: Any) -> Model:
    from moot.models.local import LocalModel

    model = str(file.beside(spec.model)) if spec.model.endswith(".gguf") else spec.model
    options = {key: value for key in ("threads", "context") if (value := getattr(spec, key)) is not None}
    return LocalModel(name, model, params=spec.params, **options)


def _litellm(file: ExperimentFile, name: str, spec: LitellmSpec, dataset: Dataset | None, shared: Shared) -> Model:
    from moot.models.litellm import LitellmModel

    if spec.base_url is not None and (problem := problem_with_address(spec.model)):
        raise file.error(("models", name, "base_url"), problem)
    api_key = shared.keys[name] = key_of(file, name, spec, shared.unset) if shared.asked else None
    return LitellmModel(
        name,
        model=spec.model,
        api_key=api_key,
        base_url=spec.base_url,
        params=spec.params,
        price=_price(file, name, spec, shared),
        timeout_s=spec.timeout_s,
    )


def _simulated(file: ExperimentFile, name: str, spec: SimulatedSpec, dataset: Dataset | None, shared: Shared) -> Model:
    from moot.simulate.simulated import SimulatedModel
    from moot.simulate.world import World

    if shared.world is None:
        shared.world = World(dataset or (), file.spec.seed, by_text=shared.asked)
    options = spec.model_dump(exclude={"provider", "price"}, exclude_none=True)
    return SimulatedModel(name, world=shared.world, price=_price(file, name, spec, shared) or FREE, **options)


def _recorded(file: ExperimentFile, name: str, spec: RecordedSpec, dataset: Dataset | None, shared: Shared) -> Model:
    return recorded_model(file, name, spec, dataset)


def _object(file: ExperimentFile, name: str, *_: Any) -> Model:
    return file.spec.objects.models[name]


def _plugged(file: ExperimentFile, name: str, spec: PluggedSpec, *_: Any) -> Model:
    """The model that a plug-in makes of its own keys, which are checked like the options of a strategy."""
    if "name" in spec.options:
        raise file.error(("models", name, "name"), "unknown key; a model is called what its key says")
    try:
        maker = PROVIDERS.load(spec.provider)
        with blaming("provider", spec.provider):
            model = made_by(maker, {"name": name, **spec.options}, named=f"provider {spec.provider!r}")
    except OptionError as error:
        place = ("models", name, error.option) if error.option is not None else ("models", name)
        raise file.error(place, error.problem) from None
    except (PluginRefused, PluginBroke) as error:
        raise file.error(("models", name, "provider"), str(error)) from None
    if not isinstance(model, Model) or model.name != name:
        problem = (
            f"provider {spec.provider!r} made no model called {name!r}; expected name, price, shape, generate, close"
        )
        raise file.error(("models", name, "provider"), problem)
    try:
        shape_in_json(model, Request(()))
        check_model_object(model)
    except PluginBroke as error:
        raise file.error(("models", name, "provider"), str(error)) from None
    return model


def made_by(maker: Any, options: Mapping[str, Any], *, named: str) -> Any:
    """What a dataclass or a typed function makes of these options, each checked strictly by the type it declares."""
    if is_dataclass(maker):
        return built(cast(type[Any], maker), options, named=named)
    typed = vars(maker).get("__init__", maker) if isinstance(maker, type) else maker
    hints = get_type_hints(typed, include_extras=True)
    parameters = [
        (parameter.name, hints.get(parameter.name, Any))
        if parameter.default is Parameter.empty
        else (parameter.name, hints.get(parameter.name, Any), field(default_factory=partial(_same, parameter.default)))
        for parameter in signature(maker).parameters.values()
        if parameter.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    ]
    form = make_dataclass(f"Options of {named}", parameters, kw_only=True)
    values = built(form, options, named=named)
    return maker(**{option.name: getattr(values, option.name) for option in fields(form)})


def _same(value: Any) -> Any:
    return value


_MAKERS: Mapping[str, Callable[..., Model]] = {
    "endpoint": _endpoint,
    "local": _local,
    "litellm": _litellm,
    "simulated": _simulated,
    "recorded": _recorded,
    "object": _object,
}
