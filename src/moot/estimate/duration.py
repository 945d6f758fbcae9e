"""How long a run would take if its endpoints were kept as busy as their limits allow: no run is shorter.

What holds an endpoint up is how many calls it is given in a minute, how many tokens, or how many calls at once and how long
each takes. Endpoints work at the same time, so the one that takes longest counts. What a question must wait for, turn after
turn, is not in it: with many questions under way others fill the gaps. One reply is, or a few calls would take no time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from moot.estimate.counting_model import ModelEstimate
from moot.experiment.model_specs import LimitsSpec
from moot.experiment.providers import BuiltModel
from moot.models.local import SLOTS, LocalModel

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
    """False where no replies are known that took so long."""


def shortest_duration(
    built: Mapping[str, BuiltModel], taken: Mapping[str, ModelEstimate], reply_s: Mapping[str, float]
) -> Duration | None:
    """`reply_s`: of the models whose replies say it, stored or heard just now. None where nobody behind an endpoint is asked,
    nor a model in this process of which that is known."""
    behind: dict[str, list[str]] = defaultdict(list)
    inside: list[str] = []
    for name, model in built.items():
        if taken[name].calls > 0:
            if model.endpoint is not None:
                behind[model.endpoint].append(name)
            elif isinstance(model.model, LocalModel) and name in reply_s:
                inside.append(name)
    durations = [_of_endpoint(tuple(names), built[names[0]].limits, taken, reply_s) for names in behind.values()]
    if inside:  # they share one machine, and none is quick while another works
        durations.append(_of_endpoint(tuple(inside), LimitsSpec(concurrent=SLOTS), taken, reply_s))
    return max(durations, key=lambda duration: duration.seconds, default=None)


def untimed(
    built: Mapping[str, BuiltModel], taken: Mapping[str, ModelEstimate], reply_s: Mapping[str, float]
) -> tuple[str, ...]:
    """Models in this process that would be asked, and of which nobody knows how fast they are on this machine."""
    inside = (name for name, model in built.items() if isinstance(model.model, LocalModel))
    return tuple(name for name in inside if taken[name].calls > 0 and name not in reply_s)


def _of_endpoint(
    names: tuple[str, ...], limits: LimitsSpec, taken: Mapping[str, ModelEstimate], reply_s: Mapping[str, float]
) -> Duration:
    calls = sum(taken[name].calls for name in names)
    tokens = sum(taken[name].prompt_tokens + taken[name].completion_tokens for name in names)
    waited_s = sum(_waited_s(taken[name], reply_s.get(name)) for name in names)
    known = all(name in reply_s for name in names)
    longest_s = max(_waited_s(taken[name], reply_s.get(name)) / taken[name].calls for name in names)
    # However many at once, no run is shorter than its longest reply.
    busy_s = max(waited_s / limits.concurrent, longest_s)
    held = [Duration(busy_s, names, f"{limits.concurrent} at once", waited_s / calls, known)]
    if limits.rpm is not None:
        held.append(Duration(60 * calls / limits.rpm, names, f"{limits.rpm:,g} requests a minute", None))
    if limits.tpm is not None:
        held.append(Duration(60 * tokens / limits.tpm, names, f"{limits.tpm:,g} tokens a minute", None))
    return max(held, key=lambda duration: duration.seconds)


def _waited_s(asked: ModelEstimate, reply_s: float | None) -> float:
    if reply_s is None:
        return asked.calls * FIRST_TOKEN_S + asked.completion_tokens / TOKENS_A_SECOND
    return asked.calls * reply_s
