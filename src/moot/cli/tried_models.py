"""What `moot init` finds out about models on this machine before it writes them down: whether they answer in form.

A server says which models it has, not what they can do. A file that fails at its first command is a bad beginning, so each is
asked what doctor would ask it. Who cannot do the usual form is given the words for small models, and who cannot do these
either is left out, or, where nobody can, told with what to take instead. Who says nothing may still be loading: nobody waits
for that here as long as doctor does, and it is written down untried. Nobody is asked who may have to be paid.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from moot.cli.safe_text import say
from moot.experiment.build import build
from moot.experiment.starter_file import StarterFile, StarterQuestions
from moot.live.doctor import Diagnosis, examine
from moot.pasted import pasted
from moot.stats.counted_words import count

PATIENCE_S = 20.0
"""For all of them at once. Whoever wants a file should not wait for weights to load; doctor can."""

_LEFT_OUT = "it is left out"
_IN_SHORT = "with the prompts for small models it does, so prompts: small is written"


@dataclass(frozen=True, slots=True)
class Fitted:
    """The file as its models can play it."""

    starter: StarterFile
    said: tuple[str, ...] = ()
    """Who got other words, was left out or has not answered yet, and why."""
    failed: tuple[str, ...] = ()
    """Where nobody could do it: what each said."""


def fitted_to_models(starter: StarterFile) -> Fitted:
    at = [place for place, model in enumerate(starter.models) if model.keys.get("provider") == "endpoint"]
    found = _examined(starter, [place for place in at if not starter.models[place].priced], "one easy question")
    late = [_late_words(each, starter) for each in found.values() if each.trouble == "silence"]
    failed = {place: each for place, each in found.items() if each.trouble not in (None, "silence")}
    words = {place: _failed_words(each) for place, each in failed.items()}
    if len(failed) < len(starter.models):
        return Fitted(_without(starter, failed), (*(f"{each}; {_LEFT_OUT}" for each in words.values()), *late))
    in_other_words = [place for place, each in failed.items() if each.trouble == "form"]
    if not starter.only_small:
        smaller = replace(starter, models=tuple(replace(model, small=True) for model in starter.models))
        again = _examined(smaller, in_other_words, "again, with the prompts for small models")
        cannot = [place for place in failed if place not in again or not again[place].well]
        if len(cannot) < len(failed):
            said = [f"{each}; {_LEFT_OUT if place in cannot else _IN_SHORT}" for place, each in words.items()]
            return Fitted(_without(smaller, cannot), tuple(said))
    return Fitted(starter, failed=tuple(words.values()))


def _without(starter: StarterFile, places: Collection[int]) -> StarterFile:
    kept = tuple(model for place, model in enumerate(starter.models) if place not in places)
    return replace(starter, models=kept)


def _failed_words(found: Diagnosis) -> str:
    return f"{found.model} does not answer{' in the required form' if found.trouble == 'form' else ''}: {found.words}"


def _late_words(found: Diagnosis, starter: StarterFile) -> str:
    kept = "it is in the file all the same, as it may still be loading"
    doctor = f"moot doctor {pasted(starter.path)} waits longer"
    return f"{found.model} has not answered within {PATIENCE_S:g} s; {kept}: {doctor}"


def _examined(starter: StarterFile, places: Sequence[int], what: str) -> dict[int, Diagnosis]:
    """What is found of the models at these places, all asked at once."""
    if not places:
        return {}
    questions = StarterQuestions({"builtin": "general-en"}, open_answers=True, language=starter.questions.language)
    models = tuple(starter.models[place] for place in places)
    trial = replace(starter, models=models, others=(), questions=questions)
    say(f"moot: asking {count(len(models), 'model')} {what}, for at most {PATIENCE_S:g} s", file=sys.stderr)
    return dict(zip(places, asyncio.run(examine(build(trial.checked()), PATIENCE_S)), strict=True))
