"""Parameters that a model does not take, and what is done about it.

What means the same under another name is sent under that: `max_tokens` and `max_completion_tokens`. The temperature of 0 that
nobody asked for is left out, and that is told wherever results are, since replies vary then. What the file, or who asks, has
named is never left out: it would be another experiment than the one that was written, so the call fails and says what to write.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from moot.errors import RequestRejected
from moot.models.error_forms import error_words

_SAME = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
_NOT_HERE = frozenset(("model", "messages", "stream", "stream_options", "response_format"))
"""What is no parameter, or is adapted elsewhere."""

_UNSUPPORTED = re.compile(
    r"\bun(?:supported|known|recogni[sz]ed|expected)\b|(?:\bnot|n't)\s+(?:\w+\s+)?(?:support|available|allow|permit|recogni[sz]e"
    r"|known|valid\b|accept)|extra (?:input|field)|cannot find field|deprecated",
    re.IGNORECASE,
)
_OF_ITS_VALUE = re.compile(
    r"too (?:large|small|high|low|long|many)|must be|should be|between|less than|greater than|at (?:most|least)|exceed"
    r"|maximum|minimum|out of range",
    re.IGNORECASE,
)
_NO_SYSTEM = re.compile(
    r"system (?:role|message|prompt|instruction)s? (?:is |are )?(?:not|un)|does(?:n't| not) support '?(?:system|developer)\b"
    r"|developer instruction is not|only user and assistant roles"
    r"|roles must alternate|unexpected role '?system|(?:unsupported|invalid|unknown) (?:value: '?)?(?:message )?role:? '?system",
    re.IGNORECASE,
)
SYSTEM_ADVICE = "it knows no system role: write system: fold in this model's entry"


class ParamRefused(RequestRejected):
    """A rejection that is about parameters."""

    def __init__(self, message: str, *, status: int, names: tuple[str, ...]) -> None:
        super().__init__(message, status=status)
        self.names = names


@dataclass(frozen=True, slots=True)
class TakenParams:
    """What is known of the parameters that one model's server takes."""

    renamed: frozenset[str] = frozenset()
    """Sent under the other name that means the same."""
    left_out: frozenset[str] = frozenset()
    """Our own defaults that are not sent."""

    @property
    def is_everything(self) -> bool:
        """Nothing is known that it does not take."""
        return not self.renamed and not self.left_out

    def applied(self, body: dict[str, Any], ours: Iterable[str]) -> dict[str, Any]:
        """`ours`: what nobody has named."""
        gone = self.left_out.intersection(ours)
        if not gone and not self.renamed:
            return body
        names = {name: _SAME[name] for name in self.renamed if _SAME[name] not in body}
        return {names.get(name, name): value for name, value in body.items() if name not in gone}

    def after(self, refused: ParamRefused, ours: Iterable[str]) -> TakenParams | None:
        """What is to be tried next; None: nothing is left to try."""
        learnt = self
        for name in refused.names:
            if name in _SAME and _SAME[name] not in self.renamed and name not in self.renamed:
                learnt = TakenParams(learnt.renamed | {name}, learnt.left_out)
            elif name in ours and name not in self.left_out:
                learnt = TakenParams(learnt.renamed, learnt.left_out | {name})
            else:
                return None
        return learnt if learnt != self else None

    def joined(self, other: TakenParams) -> TakenParams:
        return TakenParams(self.renamed | other.renamed, self.left_out | other.left_out)

    def words(self) -> tuple[str, ...]:
        return (
            *(f"{name} is sent as {_SAME[name]}, which the server takes in its place" for name in sorted(self.renamed)),
            *self.not_applied(),
        )

    def not_applied(self) -> tuple[str, ...]:
        """What may change the replies."""
        return tuple(
            f"{name} is not sent, since the server does not take the default of 0: its replies may vary"
            for name in sorted(self.left_out)
        )


def refused_params(status: int, error: Mapping[str, Any], sent: Iterable[str]) -> tuple[str, ...]:
    """Which of the parameters that were sent the server does not know, or not with this model. A value that is out of its
    bounds is another matter."""
    words = error_words(error)[:4_000]
    if status not in (400, 422) or not _UNSUPPORTED.search(words) or _OF_ITS_VALUE.search(words):
        return ()
    names = [name for name in sent if name not in _NOT_HERE]
    if (param := error.get("param")) in names:
        return (str(param),)
    return tuple(name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", words))


def without_system_role(status: int, error: Mapping[str, Any]) -> bool:
    """Whether a rejection says that there is no system role."""
    return status in (400, 422, 500) and _NO_SYSTEM.search(error_words(error)[:4_000]) is not None


def param_advice(names: Iterable[str]) -> str:
    """What to write about parameters that are named and not taken."""
    said = list(names)
    if said == ["temperature"]:
        return "temperature: null leaves it out"
    return f"it does not take {', '.join(said)} with this model: leave {'them' if said[1:] else 'it'} out of params"
