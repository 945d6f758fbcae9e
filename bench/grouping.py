"""How well each stage of grouping tells answers that mean the same from answers that do not.

A hundred hand-written pairs, half of them the same, full of traps (`answer_pairs.jsonl`), go two by two through the real
grouper, one stage more each time. Precision: of the pairs that were put together, the share that belongs together;
recall: of the pairs that belong together, the share that was. The pairs are harder than play, where most different
answers are plainly different: compare the stages with each other, not with accuracies elsewhere.

    python bench/grouping.py [--model NAME_OR_PATH]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from moot.grade.embedding import Embedding, set_apart
from moot.grade.group import Stages
from moot.models.local import LocalModel
from moot.prompts import Prompts
from moot.stats.proportion import wilson
from moot.team import Player, Team
from moot.types import Answer, Estimate, Question, seeded

PAIRS = Path(__file__).with_name("answer_pairs.jsonl")
FOLDS = 5
ROUNDS = 20


@dataclass(frozen=True)
class Pair:
    language: str
    question: str
    one: str
    other: str
    same: bool
    trap: str


@dataclass(frozen=True)
class Stage:
    """A stage's word on every pair: together or not."""

    name: str
    together: list[bool]
    note: str = ""


def precision(pairs: Sequence[Pair], together: Sequence[bool]) -> Estimate:
    joined = [pair.same for pair, yes in zip(pairs, together, strict=True) if yes]
    return wilson(sum(joined), len(joined))


def recall(pairs: Sequence[Pair], together: Sequence[bool]) -> Estimate:
    found = [yes for pair, yes in zip(pairs, together, strict=True) if pair.same]
    return wilson(sum(found), len(found))


async def play(pairs: Sequence[Pair], grouper: Stages) -> list[tuple[str, bool]]:
    """Each pair through the grouper: the stage that joined it ("alone" if none did), and whether a stage fell back."""
    result = []
    for number, pair in enumerate(pairs):
        team = Team("pairs", (), Prompts(pair.language), grouper=grouper).seated()
        question = Question(str(number), pair.question, language=pair.language)
        grouping = await team.group(question, [Answer("one", pair.one), Answer("other", pair.other)])
        result.append((grouping.stages[0] if len(grouping.groups) == 1 else "alone", grouping.fell_back is not None))
    return result


async def stages(pairs: Sequence[Pair], model: str | None) -> list[Stage]:
    plain = [stage for stage, _ in await play(pairs, Stages())]
    embedded = [stage for stage, _ in await play(pairs, Stages(similarity=Embedding()))]
    result = [
        Stage("normalised", [stage == "normalised" for stage in plain]),
        Stage("+ lemmas, any order", [stage != "alone" for stage in plain]),
        Stage("+ embedding", [stage != "alone" for stage in embedded]),
    ]
    if model:
        asked = LocalModel("grouping", model)
        started = time.perf_counter()
        told = await play(pairs, Stages(model=Player("grouping", asked)))
        await asked.close()
        note = f"fell back on {sum(fell for _, fell in told)} pairs; {time.perf_counter() - started:.0f} s"
        result.append(Stage(f"+ {Path(model).stem} (no embedding)", [stage != "alone" for stage, _ in told], note))
    return result


def best_threshold(scored: Sequence[tuple[float, bool]]) -> float:
    """The middle of the thresholds with the highest F0.5: a wrong join costs a vote twice, a missed one once."""

    def f_half(threshold: float) -> float:
        joined = [same for cosine, same in scored if cosine >= threshold]
        right, wanted = sum(joined), sum(same for _, same in scored)
        return 1.25 * right / (0.25 * wanted + len(joined)) if joined else 0.0

    candidates = [hundredth / 100 for hundredth in range(30, 100)]
    scores = [f_half(each) for each in candidates]
    return statistics.median_low(each for each, score in zip(candidates, scores, strict=True) if score == max(scores))


def cross_validated(pairs: Sequence[Pair], left: Sequence[int]) -> str:
    """Precision and recall of the embedding alone, on pairs that did not choose the threshold."""
    embedding = Embedding()
    open_pairs = [n for n in left if not set_apart(pairs[n].one, pairs[n].other)]
    scored = {n: (embedding.cosine(pairs[n].one, pairs[n].other), pairs[n].same) for n in open_pairs}
    thresholds, joined, right, wanted = [], 0, 0, 0
    for again in range(ROUNDS):
        order = list(scored)
        seeded(0, "folds", again).shuffle(order)
        for fold in range(FOLDS):
            held = order[fold::FOLDS]
            threshold = best_threshold([scored[n] for n in order if n not in held])
            thresholds.append(threshold)
            joined += sum(scored[n][0] >= threshold for n in held)
            right += sum(scored[n][0] >= threshold and scored[n][1] for n in held)
        wanted += sum(pairs[n].same for n in left)
    spread = f"{min(thresholds):.2f} to {max(thresholds):.2f}, median {statistics.median(thresholds):.2f}"
    return (
        f"The threshold, by {ROUNDS} x {FOLDS}-fold cross-validation on the {len(left)} pairs that the stages before "
        f"leave apart\n(of them {len(open_pairs)} reach the cosine): {spread}; on all of them "
        f"{best_threshold(list(scored.values())):.2f}. In use: {embedding.threshold:.2f}.\n"
        f"Held out: precision {right / max(joined, 1):.2f}, recall {right / wanted:.2f} of what was left."
    )


def shown(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return f"{'-':>4}{'':15}"
    return f"{estimate.value:4.2f} [{estimate.low:.2f}, {estimate.high:.2f}]"


def print_tables(pairs: Sequence[Pair], results: Sequence[Stage]) -> None:
    print(f"{'stage, cumulative':32} {'precision':20} {'recall':20} joined")
    for language in (None, "en", "ru"):
        chosen = [n for n, pair in enumerate(pairs) if language in (None, pair.language)]
        print(f"-- {language or 'all'}, {len(chosen)} pairs")
        some = [pairs[n] for n in chosen]
        for stage in results:
            yes = [stage.together[n] for n in chosen]
            figures = f"{shown(precision(some, yes)):20} {shown(recall(some, yes)):20}"
            print(f"{stage.name:32} {figures} {sum(yes):6} {stage.note if language is None else ''}".rstrip())
    print("\nBy trap: same pairs put together, then different pairs put together by mistake")
    print(f"{'trap':14}" + "".join(f"{stage.name[:24]:>26}" for stage in results))
    for trap in sorted({pair.trap for pair in pairs}):
        cells = (f"{_count(pairs, stage, trap, True)}  {_count(pairs, stage, trap, False)}" for stage in results)
        print(f"{trap:14}" + "".join(f"{cell:>26}" for cell in cells))


def _count(pairs: Sequence[Pair], stage: Stage, trap: str, same: bool) -> str:
    yes = [stage.together[n] for n, pair in enumerate(pairs) if pair.trap == trap and pair.same is same]
    return f"{sum(yes):>2}/{len(yes):<2}" if yes else "     "


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", help="a local grouping model: a packaged name or a .gguf")
    parser.add_argument("--mistakes", action="store_true", help="also print every pair that a stage gets wrong")
    chosen = parser.parse_args()
    pairs = [Pair(**json.loads(line)) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    results = asyncio.run(stages(pairs, chosen.model))
    print_tables(pairs, results)
    print("\n" + cross_validated(pairs, [n for n, yes in enumerate(results[1].together) if not yes]))
    if chosen.mistakes:
        for stage in results:
            print(f"\n{stage.name}:")
            for pair, yes in zip(pairs, stage.together, strict=True):
                if yes != pair.same:
                    print(f"  {'joined' if yes else 'missed'}: {pair.one} / {pair.other}")


if __name__ == "__main__":
    main()
