"""Is every model there, and does it answer in the required form? One short question to each tells."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

from moot.errors import CallError, MootError
from moot.experiment.plan import Plan
from moot.experiment.providers import BuiltModel
from moot.models.endpoint import EndpointModel
from moot.models.recorded import RecordedModel
from moot.prompts import Prompts
from moot.team import Player, Team
from moot.types import Question

PATIENCE_S = 120.0
"""A model that has not answered one easy question by then is not well."""

QUESTIONS = {
    "en": Question("doctor", "What is the capital of France?"),
    "ru": Question("doctor", "Какой город — столица Франции?", language="ru"),
}


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


async def examine(experiment: Plan) -> list[Diagnosis]:
    """All models at once; nothing is stored."""
    language = experiment.spec.language
    patients = experiment.models.items()
    recorded = any(isinstance(built.model, RecordedModel) for built in experiment.models.values())
    cases = [case.question.id for case in experiment.dataset or ()] if recorded else []
    try:
        return list(await asyncio.gather(*(_examine(name, built, language, cases) for name, built in patients)))
    finally:
        for built in experiment.models.values():
            await built.model.close()


async def _examine(name: str, built: BuiltModel, language: str, cases: Sequence[str]) -> Diagnosis:
    try:
        return await _ask(name, built, language, cases)
    except TimeoutError:
        return Diagnosis(name, False, f"no answer within {PATIENCE_S:.0f} s")
    except MootError as error:
        return Diagnosis(name, False, str(error))
    except Exception as error:  # noqa: BLE001  one sick model must not keep us from the others
        return Diagnosis(name, False, f"{type(error).__name__}: {error}")


def _recording(name: str, model: RecordedModel, cases: Sequence[str]) -> Diagnosis:
    """A recording cannot be asked anything new; what matters is whether it covers the questions."""
    answered = sum((model.model, ident, 0) in model.recording.replies for ident in cases)
    words = f"answers {answered} of the {len(cases)} questions" if cases else "a recording"
    return Diagnosis(name, answered > 0 or not cases, words, version=model.model)


async def _ask(name: str, built: BuiltModel, language: str, cases: Sequence[str]) -> Diagnosis:
    model = built.model
    if isinstance(model, RecordedModel):
        return _recording(name, model, cases)
    if isinstance(model, EndpointModel) and (problem := await _listing_problem(model)):
        return Diagnosis(name, False, problem)
    team = Team(name, (Player(name, model),), Prompts(language))
    started = time.perf_counter()
    async with asyncio.timeout(PATIENCE_S):
        draft = await team.draft(team.players[0], QUESTIONS[language])
    last = team.journal[-1].reply
    return Diagnosis(
        model=name,
        well=draft.text is not None,
        words=f"answers {draft.text!r}" if draft.text is not None else f"{draft.outcome}: {draft.cause}",
        version=last.version if last else None,
        attempts=len(team.journal),
        json_support=model.json_support if isinstance(model, EndpointModel) else None,
        seconds=time.perf_counter() - started,
    )


async def _listing_problem(model: EndpointModel) -> str | None:
    """Whether the endpoint is there and knows the model. Servers that list nothing are not blamed for it."""
    try:
        async with asyncio.timeout(30):
            listed = await model.versions()
    except TimeoutError:
        return f"{model.base_url} does not answer"
    except CallError as error:
        return None if getattr(error, "status", None) in (404, 405, 501) else str(error)
    if listed and model.model not in listed:
        return f"{model.base_url} does not have {model.model!r}; it has {', '.join(listed[:8])}"
    return None
