"""Questions of another kind than those that a rule was learnt from: of answers to them it tells no probability.

Whoever abstains by one then abstains from every such question, and a cascade asks everybody. That is said before the first call,
by whoever makes it: among the figures it would look like a team that knows nothing, and on the bill like another team.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from moot.data import Dataset
from moot.decide.cascade import Cascade
from moot.stats.counted_words import count, few_names

if TYPE_CHECKING:
    from moot.decide.deciding import Kept
    from moot.experiment.plan import Cell


def unlike_words(cells: Iterable[Cell], dataset: Dataset) -> Iterator[str]:
    """One line for each kinds that rules were learnt from and some of these questions are not of, and what comes of it."""
    by_reason: dict[tuple[frozenset[str], str], list[str]] = {}
    for cell in cells:
        kept = _rule_of(cell)
        if kept is not None and kept.kinds and not kept.together and not dataset.kinds <= kept.kinds:
            labels = by_reason.setdefault((kept.kinds, _consequence(cell)), [])
            labels += [] if cell.label in labels else [cell.label]
    for (kinds, consequence), labels in by_reason.items():
        unlike = sum(case.question.kind not in kinds for case in dataset)
        if unlike:
            rule = "its rule was" if len(labels) == 1 else "their rules were"
            here = count(unlike, "question here is", "questions here are")
            yield (
                f"{few_names(labels)}: {rule} learnt from questions of kind {' and '.join(sorted(kinds))}; {here} of another"
                f" kind, and for these {consequence}"
            )


def kinds_untold_words(cells: Iterable[Cell]) -> Iterator[str]:
    """Of rules that do not tell kinds apart, whatever is asked: one line for each, and what comes of it."""
    cells = list(cells)
    yield from _unsaid_words(cells)
    apart: dict[tuple[frozenset[str], str], dict[str, None]] = {}
    for cell in cells:
        kept = _rule_of(cell)
        if kept is not None and kept.together:
            apart.setdefault((kept.together, _consequence(cell)), {})[cell.label] = None
    for (kinds, consequence), named in apart.items():
        rule = "its rule was" if len(named) == 1 else "their rules were"
        yield (
            f"{few_names([*named])}: {rule} learnt from questions of kind {' and '.join(sorted(kinds))} as if they were one, by"
            f" an older moot: {consequence}; moot fit FILE -o rule.json learns them apart"
        )


def _unsaid_words(cells: Iterable[Cell]) -> Iterator[str]:
    """Of rules that were written before a file said it: whether they tell of such questions nobody can see."""
    labels = {
        cell.label: None for cell in cells if (kept := _rule_of(cell)) is not None and not (kept.kinds or kept.together)
    }
    if labels:
        rule, tells = ("its rule does", "it tells") if len(labels) == 1 else ("their rules do", "they tell")
        yield (
            f"{few_names([*labels])}: {rule} not say from questions of which kinds it was learnt, as an older moot wrote it: the"
            f" probability that {tells} may be that of other questions; moot fit FILE -o rule.json learns it for each kind"
        )


def _rule_of(cell: Cell) -> Kept | None:
    if cell.rule is not None:
        return cell.rule.kept_rule
    from moot.experiment.fitted import fitted_rule  # which is about plans, and a plan warns by this

    held = fitted_rule(cell.strategy)
    return None if held is None else held[1].kept_rule


def _consequence(cell: Cell) -> str:
    if cell.abstain is not None:
        return "no answer is given"
    if isinstance(cell.strategy, Cascade):
        return "everybody is asked"
    return "no probability is told"
