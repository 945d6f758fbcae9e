"""What `moot init` finds out about models on this machine before it writes them down: whether they answer in form.

A server says which models it has, not what they can do. A file that fails at its first command is a bad beginning, so each is
asked what doctor would ask it. Who cannot do the usual form is given the words for small models, and who cannot do these
either is left out, or, where nobody can, told with what to take instead. Nobody is asked who may have to be paid.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from moot.cli.console import Console
from moot.experiment.build import build
from moot.experiment.starter_file import StarterFile, StarterQuestions
from moot.live.doctor import examine
from moot.stats.counted_words import count

_LEFT_OUT = "it is left out"
_IN_SHORT = "with the words for small models (prompts: small) it does, so these are written"


@dataclass(frozen=True, slots=True)
class Fitted:
    """The file as its models can play it."""

    starter: StarterFile
    said: tuple[str, ...] = ()
    """Who got other words, or was left out, and why."""
    failed: tuple[str, ...] = ()
    """Where nobody could do it: what each said."""


def fitted_to_models(starter: StarterFile) -> Fitted:
    at = [place for place, model in enumerate(starter.models) if model.keys.get("provider") == "endpoint"]
    failed = _failing(starter, [place for place in at if not starter.models[place].priced])
    if not failed:
        return Fitted(starter)
    if len(failed) < len(starter.models):
        return Fitted(_without(starter, failed), tuple(f"{words}; {_LEFT_OUT}" for words in failed.values()))
    if not starter.only_small:
        smaller = replace(starter, models=tuple(replace(model, small=True) for model in starter.models))
        cannot = _failing(smaller, range(len(smaller.models)))
        if len(cannot) < len(smaller.models):
            said = [f"{words}; {_LEFT_OUT if place in cannot else _IN_SHORT}" for place, words in failed.items()]
            return Fitted(_without(smaller, cannot), tuple(said))
    return Fitted(starter, failed=tuple(failed.values()))


def _without(starter: StarterFile, places: Collection[int]) -> StarterFile:
    kept = tuple(model for place, model in enumerate(starter.models) if place not in places)
    return replace(starter, models=kept)


def _failing(starter: StarterFile, places: Sequence[int]) -> dict[int, str]:
    """Of the models at these places who does not answer, and in what words that is said."""
    if not places:
        return {}
    questions = StarterQuestions({"builtin": "general-en"}, open_answers=True, language=starter.questions.language)
    models = tuple(starter.models[place] for place in places)
    trial = replace(starter, models=models, others=(), questions=questions)
    with Console(stderr=True).status(f"asking {count(len(models), 'model')} one easy question ..."):
        diagnoses = asyncio.run(examine(build(trial.checked())))
    return {
        place: f"{diagnosis.model} does not answer in form: {diagnosis.words}"
        for place, diagnosis in zip(places, diagnoses, strict=True)
        if not diagnosis.well
    }
