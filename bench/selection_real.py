"""All label-level methods on recorded answers to MMLU-Pro: three pools, three sizes of team, twenty splits.

The tables of docs/selection-on-mmlu-pro.md are what this prints. The data are not part of moot: MOOT_DATA names the
folder that holds mmlu_pro_answers.parquet.

    python bench/selection_real.py [SPLITS]
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np

from moot.measures.selection.figures import method_rows
from moot.select.aggregate import aggregators, inferred
from moot.select.files import read_labels
from moot.select.labels import LabelMatrix
from moot.select.registry import registered, selector
from moot.select.trial import aggregated, by_vote, trials

DATA = Path(os.environ.get("MOOT_DATA") or Path(__file__).parents[2] / "shared" / "data") / "mmlu_pro_answers.parquet"
SIZES = (3, 5, 7)
NEAR_EQUALS = 10


def pools(labels: LabelMatrix) -> dict[str, LabelMatrix]:
    """Everybody; without the strongest; and the ten neighbours in the ranking that lie closest together."""
    order = np.argsort(-labels.accuracy, kind="stable")
    ranked = labels.accuracy[order]
    spans = ranked[: -NEAR_EQUALS + 1] - ranked[NEAR_EQUALS - 1 :]
    start = int(spans.argmin())
    return {
        "full pool": labels,
        "without the strongest": labels.only(sorted(order[1:])),
        "near-equals": labels.only(sorted(order[start : start + NEAR_EQUALS])),
    }


async def table(name: str, labels: LabelMatrix, splits: int, *, two_class: bool) -> None:
    started = time.perf_counter()
    low, high = labels.accuracy.min(), labels.accuracy.max()
    words = f"{len(labels.proposers)} proposers, alone {100 * low:.1f} to {100 * high:.1f} %"
    print(f"\n### {name}, {'two-class' if two_class else 'c-class'} weights ({words})\n")
    methods = [selector(each) for each in registered()]
    cells: dict[str, list[str]] = {}
    for k in SIZES:
        maker = partial(by_vote, two_class=two_class)
        found = [each async for each in trials(labels, methods, k, splits=splits, summarisers=maker)]
        for row in method_rows(labels, found):
            if row["why_same"]:  # one prompt a model: per-model-top is input-all, model-first is greedy
                continue
            spread = "" if row["deviation"] is None else f" ± {100 * row['deviation']:.1f}"
            away = "–" if row["distance"] is None else f"{100 * row['distance']:.1f}"
            cells.setdefault(row["method"], []).append(f"{100 * row['test_accuracy']:.1f}{spread} | {away}")
    print("| method | " + " | ".join(f"k = {k} | to optimum" for k in SIZES) + " |")
    print("| --- |" + " --- |" * (2 * len(SIZES)))
    for method, texts in cells.items():
        print(f"| {method} | {' | '.join(texts)} |")
    print(f"\n({time.perf_counter() - started:.0f} s)", flush=True)


def beside(labels: LabelMatrix, splits: int) -> None:
    rows = method_rows(labels, aggregated(labels, aggregators(labels), splits=splits), "aggregator")
    shown = {row["method"]: 100 * row["test_accuracy"] for row in rows}
    shown |= {name: 100 * float((said == labels.truth).mean()) for name, said in inferred(labels).items()}
    print("\n" + "; ".join(f"{name} {value:.1f}" for name, value in shown.items()), flush=True)


async def gaps(labels: LabelMatrix, splits: int) -> None:
    """Where does a team gain over the strongest proposer: where that one answered, or where it was silent?"""
    top = int(labels.accuracy.argmax())
    print("\n| team | weights | where the strongest answered | where it was silent |\n| --- | --- | --- | --- |")
    for two_class in (False, True):
        for name, k in (("greedy", 3), ("truth-prediction", 3), ("conditioned-diversity", 5), ("greedy", 5)):
            maker = partial(by_vote, two_class=two_class)
            parts = []
            async for each in trials(labels, [selector(name)], k, splits=splits, summarisers=maker):
                answered = labels.codes[top, each.tested] >= 0
                gain = each.right - labels.right[top, each.tested]
                parts.append((gain[answered].sum() / len(gain), gain[~answered].sum() / len(gain)))
            spoke, silent = 100 * np.mean(parts, axis=0)
            weights = "two classes" if two_class else "ten classes"
            print(f"| `{name}`, k = {k} | {weights} | {spoke:+.1f} | {silent:+.1f} |", flush=True)


async def main(splits: int) -> None:
    labels = read_labels(DATA, ["same_version"])
    print(f"{len(labels.proposers)} models, {labels.size} questions, {splits} splits, m = 400, seed 0")
    for name, pool in pools(labels).items():
        for two_class in (False, True):
            await table(name, pool, splits, two_class=two_class)
        beside(pool, splits)
    await gaps(labels, splits)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20))
