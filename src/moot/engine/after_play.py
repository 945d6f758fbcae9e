"""Which models are asked once all is played: grades, comparisons, and whose words a captain used."""

from __future__ import annotations

from collections.abc import Iterator

from moot.engine.matching import drafts_together
from moot.engine.run_tally import AfterPlay
from moot.experiment.plan import Plan
from moot.needs import Needs


def asked_after(plan: Plan, needs: Needs, *, ungraded: bool) -> Iterator[AfterPlay]:
    """In their order. `ungraded`: some episodes were graded by an earlier reference."""
    if asks_graders(plan) or ungraded:
        yield "grades"
    if plan.comparing is not None:
        yield "comparisons"
    if (needs.grouped_drafts or needs.matched_words) and any(map(drafts_together, plan.cells)):
        yield "groups"


def asks_graders(plan: Plan) -> bool:
    """A grader that is not ours has heard the answers; what was only drafted or claimed it has not."""
    return bool(plan.grading.judges) or plan.grading.asked is not None
