"""Keys so short that a reply may say them by chance: what is cut out of it may have been a right answer."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from moot.experiment.model_specs import EndpointSpec, LitellmSpec, ModelSpec
from moot.models.cut_out import SHORT_KEY, keys_in_words
from moot.models.proxy import ENV
from moot.models.secret_names import is_no_key, names_a_secret
from moot.stats.counted_words import few_names

if TYPE_CHECKING:
    from moot.experiment.providers import BuiltModel


def short_keys(spec: ModelSpec, key: str | None) -> tuple[str, ...]:
    """Where they are: names of variables, files and headers. `key`: the model's, where there is one."""
    return tuple(dict.fromkeys(_short_keys(spec, key)))


def _short_keys(spec: ModelSpec, key: str | None) -> Iterator[str]:
    if not isinstance(spec, EndpointSpec | LitellmSpec):
        return
    if _is_short(key):
        yield spec.api_key_env or f"the file {spec.api_key_file}"
    if isinstance(spec, EndpointSpec):
        yield from (variable for variable in spec.headers_env.values() if _is_short(os.environ.get(variable)))
        yield from (
            f"the header {name}" for name, value in spec.headers.items() if names_a_secret(name) and _is_short(value)
        )
        if spec.proxy and spec.proxy != ENV and 0 < len(unquote(urlsplit(spec.proxy).password or "")) < SHORT_KEY:
            yield "the password of proxy"


def _is_short(key: str | None) -> bool:
    """Behind a scheme, such as Bearer, too."""
    return bool(key) and key is not None and not is_no_key(key) and len(key.rpartition(" ")[2]) < SHORT_KEY


def short_key_words(models: Mapping[str, BuiltModel]) -> Iterator[str]:
    """What is worth knowing of them before the first call, once for each place."""
    by_place: dict[str, list[str]] = {}
    for name, built in models.items():
        for place in built.short_keys:
            by_place.setdefault(place, []).append(name)
    for place, names in by_place.items():
        yield (
            f"the key of {few_names(names, room=20)} ({place}) has fewer than {SHORT_KEY} characters: wherever a reply says it"
            " by itself it is cut out, and an answer that has lost a part is not graded. Set a longer key at the server;"
            " where it looks at none, EMPTY or another that says so is cut out of nothing"
        )


def places_in_words(models: Iterable[BuiltModel]) -> str:
    """Whose keys may have been cut out; "" where none is short."""
    places = [place for built in models for place in built.short_keys]
    return keys_in_words(places) if places else ""
