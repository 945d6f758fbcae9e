"""What is told where an endpoint turns every call away: which line of the file it is, what is kept, and what to type.

A judge's is another matter than a player's: everything is played by then, and what is missing is grades.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from moot.engine.runner import Runner
from moot.errors import EndpointClosed, StoreError
from moot.experiment.plan import Plan
from moot.pasted import pasted
from moot.stats.counted_words import count, few_names
from moot.store.graded_by import count_ungraded


async def told_with_what_is_kept(error: EndpointClosed, runner: Runner) -> EndpointClosed:
    """The same error, with what a user does next."""
    plan, path = runner.experiment, pasted(runner.experiment.file.path)
    kept = f"{runner.tally.kept} of {runner.tally.total} episodes are kept"
    told = f"{kept}. Next: moot doctor {path}, then moot run {path} to go on."
    if (judges := _judges_behind(str(error), plan)) and runner.tally.kept == runner.tally.total:
        who = f"{few_names(judges, room=20)} {'is a judge' if len(judges) == 1 else 'are judges'}"
        missing = await _missing_grades(runner)
        following = f"Next: moot doctor {path}, then moot run {path}: it asks for grades alone."
        told = f"{who}: {missing}; {kept}.\n{following}"
    return type(error)(f"{error}{line_of(str(error), plan)}\n{told}")


async def _missing_grades(runner: Runner) -> str:
    plan = runner.experiment
    try:
        await runner.store.flush()
        missing = await runner.store.read(partial(count_ungraded, ident=plan.id, grader=plan.grading.name))
    except StoreError:  # what is being told matters more
        return "grades are missing"
    return f"{count(missing, 'answer')} {'has' if missing == 1 else 'have'} no grade"


def _judges_behind(cause: str, plan: Plan) -> Sequence[str]:
    """Judges at the address that an error names; none where a player sits there too."""
    judges = plan.spec.judge.models if plan.spec.judge is not None else []
    there = [name for name, spec in plan.spec.models.items() if _stands_in(getattr(spec, "base_url", None), cause)]
    return there if there and all(name in judges for name in there) else []


def line_of(cause: str, plan: Plan) -> str:
    """The line of the file that an error is about: of the model that it names, or at this address whose name its words have
    in quotes. Not every server repeats the name that it was asked for."""
    for name, spec in plan.spec.models.items():
        address, model = getattr(spec, "base_url", None), getattr(spec, "model", None)
        quoted = model and any(f"{mark}{model}{mark}" in cause for mark in "'`\"")
        named = any(f" for model {name}: {address}{after}" in cause for after in " :")
        if _stands_in(address, cause) and (quoted or named):
            line = plan.file.places.line(("models", name))
            return f" ({plan.file.path.name}:{line}: models.{name})" if line is not None else ""
    return ""


def _stands_in(address: str | None, cause: str) -> bool:
    return bool(address) and str(address) in cause
