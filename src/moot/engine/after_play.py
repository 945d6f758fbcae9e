"""What is asked for once all is played: grades that need a judge, comparisons of long answers, whose words a captain used.

Each part is taken off the list of what is left when it has come to its end: so a run that ends sooner can say what it was at.
"""

from __future__ import annotations

from collections.abc import Iterator

from moot.engine.grading import GradedCells, grade_all
from moot.engine.matching import drafts_together, match_all
from moot.engine.preferences import compare_all
from moot.engine.run_tally import AfterPlay, RunTally
from moot.experiment.plan import Plan
from moot.needs import Needs
from moot.store.store import Store


def asked_after(seated: Plan, needs: Needs, tally: RunTally) -> Iterator[AfterPlay]:
    """In the order in which they are asked for."""
    if _judged(seated) or tally.ungraded:
        yield "grades"
    if seated.comparing is not None:
        yield "comparisons"
    if (needs.grouped_drafts or needs.matched_words) and any(map(drafts_together, seated.cells)):
        yield "groups"


def _judged(seated: Plan) -> bool:
    """A grader that is not ours has heard the answers; what was only drafted or claimed it has not."""
    return bool(seated.grading.judges) or seated.grading.asked is not None


async def ask_after(store: Store, seated: Plan, needs: Needs, tally: RunTally) -> None:
    """All that is left to ask."""
    if "grades" in tally.to_ask:
        judged = _judged(seated)
        # Answers that a judge must see, and episodes that were graded by an earlier reference.
        cases = (case for case in seated.dataset or () if judged or case.digest in tally.ungraded)
        cells = GradedCells.of(((cell.id, cell.traits) for cell in seated.cells), needs)
        graded = await grade_all(store, seated.grading, cells, cases)
        tally.graded = graded if tally.graded is None else tally.graded + graded
        tally.to_ask.remove("grades")
    if "comparisons" in tally.to_ask:
        tally.compared = await compare_all(store, seated.comparing, seated.id, seated.dataset or ())
        tally.to_ask.remove("comparisons")
    if "groups" in tally.to_ask:
        # Measurement, not play: so it comes last and is counted apart.
        assert tally.calls is not None, "a run has begun"
        made = tally.calls.made
        tally.add_matched(await match_all(store, seated, needs), made)
        tally.to_ask.remove("groups")
