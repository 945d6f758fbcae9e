"""A status that is no success, as the error that it is: with the server's words, and what to do about it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from moot.errors import CallError, GenerationFailed, RateLimited, RequestRejected, ServerFailed
from moot.models import border
from moot.models.address_advice import no_such_model, path_advice
from moot.models.error_forms import error_code, error_in, error_words
from moot.models.hiccups import PASSING_STATUSES, preview
from moot.models.json_mode import complaint
from moot.models.retry_after import asked_pause_s
from moot.models.secrets import NO_SECRETS, Secrets
from moot.models.taken_params import SYSTEM_ADVICE, ParamRefused, param_advice, refused_params, without_system_role
from moot.models.wire import tell_bill
from moot.types import Price


class FormRefused(RequestRejected):
    """A rejection that is about the form. `mode`: the server does not know the mode at all."""

    def __init__(self, message: str, *, status: int, mode: bool) -> None:
        super().__init__(message, status=status)
        self.mode = mode


class NoSystemRole(RequestRejected):
    """A rejection that says that the model knows no system role."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """Who has said no."""

    base_url: str
    model: str
    secrets: Secrets
    price: Price | None

    def error(
        self,
        status: int,
        headers: Mapping[str, str],
        raw: bytes | bytearray,
        sent: Mapping[str, Any],
        *,
        default_temperature: Collection[str],
    ) -> CallError:
        """`sent`: the body that it says no to. `default_temperature`: holds the word where nobody has named one."""
        said = error_in(raw) or {}
        words = said_words(raw, self.secrets)
        message = f"{self.base_url} answered {status}: {words}"
        refused = refused_params(status, said, sent)
        if status in (400, 422) and default_temperature and "temperature" in message:
            message += " (a temperature of 0 is sent unless params says otherwise; temperature: null leaves it out)"
        elif refused:
            message += f" ({param_advice(refused)})"
        advice = path_advice(self.base_url, self.model, words, error_code(said)) if status in (404, 405) else None
        if advice is not None:
            message += f" ({advice})"
        pause_s = asked_pause_s(headers, said)
        error: CallError
        if without_system_role(status, said) and _has_system(sent):
            error = NoSystemRole(f"{message} ({SYSTEM_ADVICE})", status=status)
        elif status == 429:
            error = RateLimited(message, retry_after_s=pause_s)
        elif (status >= 500 and status != 501) or status in PASSING_STATUSES:
            error = ServerFailed(message, status=status, retry_after_s=pause_s)
        elif 300 <= status < 400:
            location = self.secrets.hidden_in(headers.get("Location", ""))
            shown = re.split(r"[?#]", location, maxsplit=1)[0]  # the rest may be a key that is not ours
            place = border.words(shown or "?", border.LONGEST_NAME)
            error = RequestRejected(f"{self.base_url} redirects to {place}; set base_url to it", status=status)
        elif refused:
            error = ParamRefused(message, status=status, names=refused)
        elif (about := complaint(status, raw)) == "generation":
            error = GenerationFailed(message)
        elif about is not None:
            error = FormRefused(message, status=status, mode=about == "mode")
        else:
            unknown = no_such_model(status, self.model, words, error_code(said))
            error = RequestRejected(message, status=status, no_such_path=advice is not None, no_such_model=unknown)
        tell_bill(error, told_usage(raw), self.price, generated=False)
        if isinstance(error, FormRefused | ParamRefused) and error.maybe_billed:
            # To ask in a lesser way is part of the same attempt, whose one bill would not hold this one.
            error = RequestRejected(message, status=status)
            tell_bill(error, told_usage(raw), self.price, generated=False)
        return error


def _has_system(sent: Mapping[str, Any]) -> bool:
    return any(message.get("role") == "system" for message in sent.get("messages", ()))


def told_usage(raw: bytes | bytearray) -> object:
    """The count of tokens in a failure, which is billed where there is one."""
    try:
        return json.loads(raw).get("usage")
    except (ValueError, AttributeError, RecursionError):
        return None


def said_words(raw: bytes | bytearray, secrets: Secrets = NO_SECRETS) -> str:
    """The server's own words, in whichever of the usual places they stand."""
    error = error_in(raw)
    if error is not None and (words := error_words(error)):
        return preview(words, 300, secrets=secrets)
    return preview(raw, 300, secrets=secrets) if raw else "no words"
