"""Is every model there, and does it answer in the required form? One short question to each tells."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from moot.errors import CallError, ConnectionFailed, MootError, RequestRejected, TimedOut
from moot.experiment.plan import Plan
from moot.experiment.providers import BuiltModel
from moot.live.listed_models import listing_words
from moot.models.cut_out import CUT_FROM_ANSWER, keys_in_words, was_cut
from moot.models.endpoint import EndpointModel, SystemRole
from moot.models.key_gate import REFUSING, key_advice
from moot.models.model import Wrapper
from moot.models.price_table import installed_table, known_host, price_words
from moot.models.recorded import RecordedModel
from moot.models.rejected import NoSystemRole
from moot.models.taken_params import SYSTEM_ADVICE
from moot.prompts import Prompts
from moot.stats.counted_words import count
from moot.team import Player, Team
from moot.types import Question, Reply, Request

REFUSED_ONCE = "a server that refused a system role once, and took it when it was asked again"

LATE = "no answer in time"

PATIENCE_S = 120.0
"""A model that has not answered one easy question by then is not well."""

LISTING_S = 30.0
"""An endpoint that has not said by then which models it has is not asked for anything else."""

QUESTIONS = {
    "en": Question("doctor", "What is the capital of France?"),
    "ru": Question("doctor", "Какой город — столица Франции?", language="ru"),
}


Trouble = Literal["form", "silence", "other"]
"""`form`: replies came, of which none could be used. `silence`: none came in time, as from a model that is still loading."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What was found about one model."""

    model: str
    well: bool
    words: str
    version: str | None = None
    attempts: int = 0
    json_support: str | None = None
    seconds: float | None = None
    reply_s: float | None = None
    """How long its last reply took, without what came before it, such as loading weights."""
    remark: str | None = None
    """What is odd, although it is well."""
    adapted: tuple[str, ...] = ()
    """What the server does not take as the file says it, and what is sent in its place."""
    price: str | None = None
    """Where its entry has no price: what the table of prices says of it."""
    trouble: Trouble | None = None
    """What kind of thing is wrong where it is not well."""


@dataclass(frozen=True, slots=True)
class _Office:
    """What every model is asked with."""

    prompts: Prompts
    """The file's own."""
    cases: Sequence[str]
    """Ids of the questions, where somebody only plays back what is recorded."""
    spoken_to: Mapping[str, Player]
    """By model: a player of it that is told who it is, as not every model can be."""
    patience_s: float


async def examine(experiment: Plan, patience_s: float | None = None) -> list[Diagnosis]:
    """All models at once; nothing is stored. `patience_s`: with each; left out, doctor's own."""
    patients = experiment.models.items()
    recorded = any(isinstance(built.model, RecordedModel) for built in experiment.models.values())
    cases = [case.question.id for case in experiment.dataset or ()] if recorded else []
    told = [player for player in experiment.players.values() if player.instruction or player.persona]
    spoken_to = {player.model.name: player for player in reversed(told)}
    office = _Office(experiment.grading.team.prompts, cases, spoken_to, patience_s or PATIENCE_S)
    try:
        return list(await asyncio.gather(*(_examine(name, built, office) for name, built in patients)))
    finally:
        for built in experiment.models.values():
            await built.model.close()


async def _examine(name: str, built: BuiltModel, office: _Office) -> Diagnosis:
    try:
        return await _asked(name, built, office)
    except TimeoutError:
        return Diagnosis(name, False, f"no answer within {office.patience_s:g} s", trouble="silence")
    except MootError as error:
        return Diagnosis(name, False, str(error), trouble="other")
    except Exception as error:  # noqa: BLE001  one sick model must not keep us from the others
        return Diagnosis(name, False, f"{type(error).__name__}: {error}", trouble="other")


def _recording(name: str, model: RecordedModel, cases: Sequence[str]) -> Diagnosis:
    """A recording cannot be asked anything new; what matters is whether it covers the questions."""
    if model.model in model.recording.of_calls:
        kept = sum(name == model.model for name, _, _ in model.recording.calls)
        return Diagnosis(name, True, f"a recording of {count(kept, 'call')}", version=model.model)
    answered = sum((model.model, ident, 0) in model.recording.replies for ident in cases)
    words = f"answers {answered} of the {len(cases)} questions" if cases else "a recording"
    return Diagnosis(name, answered > 0 or not cases, words, version=model.model)


class _Refusals(Wrapper):
    """Keeps what a draft does not: with which status a request was rejected, and why the last one brought no reply."""

    last: RequestRejected | None = None
    failed: CallError | None = None

    async def generate(self, request: Request) -> Reply:
        self.failed = None
        try:
            return await self.inner.generate(request)
        except CallError as error:
            self.failed = error
            if isinstance(error, RequestRejected):
                self.last = error
            raise


async def _asked(name: str, built: BuiltModel, office: _Office) -> Diagnosis:
    model = built.model
    if isinstance(model, RecordedModel):
        return _recording(name, model, office.cases)
    listing: str | None = None
    if isinstance(model, EndpointModel):
        try:
            listing = await _listing(model, min(LISTING_S, office.patience_s))
        except ConnectionFailed as error:
            return Diagnosis(name, False, str(error), trouble="other")
        except (TimedOut, TimeoutError) as error:
            return Diagnosis(name, False, str(error) or f"{model.base_url} does not answer", trouble="silence")
    refusals = _Refusals(model)
    told = office.spoken_to.get(name, Player(name, model))
    team = Team(name, (Player(name, refusals, told.instruction, told.persona),), office.prompts)
    started = time.perf_counter()
    try:
        async with asyncio.timeout(office.patience_s):
            draft = await team.draft(team.players[0], QUESTIONS[office.prompts.language])
    except TimeoutError:
        replies = [call.reply for call in team.journal if call.reply is not None]
        words = _no_answer_words(replies, office.patience_s)
        return Diagnosis(name, False, words, trouble="form" if replies else "silence")
    last = team.journal[-1].reply
    cut = was_cut(draft.text)
    well = draft.text is not None and not cut
    tries = len(team.journal)
    words = f"answers {draft.text!r}" if draft.text is not None else f"{draft.outcome}: {draft.cause}"
    if cut or was_cut(last.text if last else None):
        keys = f" ({keys_in_words(built.short_keys)})" if built.short_keys else ""
        words += f": {CUT_FROM_ANSWER}{keys}" if cut else keys
    if refusals.last is not None and refusals.last.status in REFUSING:
        words += f". {key_advice(refusals.last.status, built.key_from)}"
    elif isinstance(refusals.last, NoSystemRole) and isinstance(model, EndpointModel):
        folded = await _with_system("fold", model, team, office)
        again = await _with_system("send", model, team, office) if folded.answer is not None else None
        if again is not None and again.answer is not None:
            well, words, listing = True, f"answers {again.answer!r}", REFUSED_ONCE
        elif again is not None and again.refused:
            words += f". {folded.words}"
        else:  # there is no ground to change anything of the file
            words = words.replace(f" ({SYSTEM_ADVICE})", "")
            words += f". {folded.words if again is None else _untold_again(again)}"
    elif listing is not None and not well:
        words += f"; it is {listing}"
    return Diagnosis(
        model=name,
        well=well,
        words=words,
        version=last.version if last else None,
        attempts=tries,
        json_support=model.json_support if isinstance(model, EndpointModel) else None,
        seconds=time.perf_counter() - started,
        reply_s=last.known_latency_s if last else None,
        remark=listing if well else None,
        adapted=model.adapted if isinstance(model, EndpointModel) else (),
        price=_listed_price(model) if isinstance(model, EndpointModel) else None,
        trouble=None if well else "form" if draft.outcome == "unanswered" else "other",
    )


def _no_answer_words(replies: Sequence[Reply], patience_s: float) -> str:
    """A model that talks on and on is there, and more patience does not help it."""
    none = f"no answer within {patience_s:g} s"
    if not replies:
        return none
    cut = sum(reply.finish == "length" for reply in replies)
    at_limit = f", {cut} of them cut off by max_tokens" if cut else ""
    return f"{none} that could be used; {count(len(replies), 'reply', 'replies')} came{at_limit}"


@dataclass(frozen=True, slots=True)
class _Tried:
    """How it went with the system's words sent in one way."""

    answer: str | None
    words: str
    refused: bool = False
    """Whether the request was."""
    untold: str | None = None
    """What came between, and tells nothing of the way."""


def _untold_again(again: _Tried) -> str:
    """Of a system role that was refused once, where nothing says that it would be again."""
    if again.untold is None:
        return "Asked again it took the system role, with a reply that could not be used"
    return f"Whether it refuses a system role again could not be told: {again.untold}; ask once more with moot doctor"


async def _with_system(way: SystemRole, model: EndpointModel, team: Team, office: _Office) -> _Tried:
    """Tried once. What passes, such as a server that is busy, tells nothing of the way."""
    player = team.players[0]
    asked = _Refusals(player.model)
    model.system = way
    try:
        async with asyncio.timeout(office.patience_s):
            draft = await team.draft(replace(player, model=asked), QUESTIONS[office.prompts.language])
    except TimeoutError:
        return _Tried(None, f"Whether it answers with system: {way} could not be told: {LATE}", untold=LATE)
    finally:
        model.system = "send"
    if draft.text is not None:
        return _Tried(draft.text, f"With system: {way} it answers {draft.text!r}")
    if asked.failed is None or isinstance(asked.failed, RequestRejected):
        return _Tried(None, f"With system: {way} it does not answer either", refused=asked.failed is not None)
    untold = str(asked.failed)
    return _Tried(None, f"Whether it answers with system: {way} could not be told: {untold}", untold=untold)


def _listed_price(model: EndpointModel) -> str | None:
    table = installed_table() if model.price is None and known_host(model.base_url) else None
    name = table.named(model.model, model.base_url) if table is not None else None
    if table is None or name is None:
        return None
    return (
        f"it has no price; {table.source} lists {price_words(table.prices[name])}, and price: table takes it from there"
    )


async def _listing(model: EndpointModel, patience_s: float) -> str | None:
    """What is odd about the endpoint's own list of models. Raises where there is nobody to ask.

    No more than a hint: many servers take names that they do not list, some list nothing, and a key that may ask need
    not be one that may look.
    """
    try:
        async with asyncio.timeout(patience_s):
            listed = await model.versions()
    except (ConnectionFailed, TimedOut):
        raise
    except MootError:
        return None
    return listing_words(model.model, listed)
