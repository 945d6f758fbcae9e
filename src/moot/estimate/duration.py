"""How long a run would take if its endpoints were kept as busy as their limits allow: no run is shorter.

What holds an endpoint up is how many calls it is given in a minute, how many tokens, or how many calls at once and how long
each takes. Endpoints work at the same time, so the one that takes longest counts. What a question must wait for, turn after
turn, is not in it: with many questions under way others fill the gaps.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from moot.estimate.counting_model import ModelEstimate
from moot.experiment.model_specs import LimitsSpec
from moot.experiment.providers import BuiltModel

FIRST_TOKEN_S = 1.0
TOKENS_A_SECOND = 50.0
"""How long a reply is taken to take where none is stored: until it begins, and from then on."""


@dataclass(frozen=True, slots=True)
class Duration:
    """Of the endpoint that takes longest."""

    seconds: float
    models: tuple[str, ...]
    """Those behind it that are asked."""
    held_by: str
    """Which of its limits, in words."""
    reply_s: float | None = None
    """How long a reply was taken to take, where that matters."""
    known: bool = True
    """False where no replies are stored that took so long."""


def shortest_duration(
    built: Mapping[str, BuiltModel], taken: Mapping[str, ModelEstimate], reply_s: Mapping[str, float]
) -> Duration | None:
    """`reply_s`: of the models whose stored replies say it. None where nobody behind an endpoint is asked."""
    behind: dict[str, list[str]] = defaultdict(list)
    for name, model in built.items():
        if model.endpoint is not None and taken[name].calls > 0:
            behind[model.endpoint].append(name)
    durations = [_of_endpoint(tuple(names), built[names[0]].limits, taken, reply_s) for names in behind.values()]
    return max(durations, key=lambda duration: duration.seconds, default=None)


def _of_endpoint(
    names: tuple[str, ...], limits: LimitsSpec, taken: Mapping[str, ModelEstimate], reply_s: Mapping[str, float]
) -> Duration:
    calls = sum(taken[name].calls for name in names)
    tokens = sum(taken[name].prompt_tokens + taken[name].completion_tokens for name in names)
    waited_s = sum(_waited_s(taken[name], reply_s.get(name)) for name in names)
    known = all(name in reply_s for name in names)
    held = [Duration(waited_s / limits.concurrent, names, f"{limits.concurrent} at once", waited_s / calls, known)]
    if limits.rpm is not None:
        held.append(Duration(60 * calls / limits.rpm, names, f"{limits.rpm:,g} requests a minute", None))
    if limits.tpm is not None:
        held.append(Duration(60 * tokens / limits.tpm, names, f"{limits.tpm:,g} tokens a minute", None))
    return max(held, key=lambda duration: duration.seconds)


def _waited_s(asked: ModelEstimate, reply_s: float | None) -> float:
    if reply_s is None:
        return asked.calls * FIRST_TOKEN_S + asked.completion_tokens / TOKENS_A_SECOND
    return asked.calls * reply_s
