"""What a model's server did not take and changes its replies or what is known of their costs: told when a run ends, and kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from moot.experiment.providers import BuiltModel

NotApplied = Mapping[str, tuple[str, ...]]
"""By model, in words."""


def not_applied(models: Mapping[str, BuiltModel]) -> dict[str, tuple[str, ...]]:
    """As it is known now: a server that was not asked has refused nothing."""
    found = {name: getattr(built.model, "not_applied", ()) for name, built in models.items()}
    return {name: tuple(words) for name, words in found.items() if isinstance(words, tuple) and words}


def all_not_applied(parts: Iterable[NotApplied]) -> dict[str, tuple[str, ...]]:
    joined: dict[str, tuple[str, ...]] = {}
    for part in parts:
        for name, words in part.items():
            joined[name] = tuple(dict.fromkeys((*joined.get(name, ()), *words)))
    return joined


def not_applied_words(found: NotApplied) -> Iterator[str]:
    for name, said in found.items():
        for words in said:
            yield f"{name}: {words}"
