"""The methods on recorded answers to MMLU-Pro, where they are at hand: see docs/selection-on-mmlu-pro.md."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from moot.errors import FileError
from moot.select import read_labels, registered, selector
from moot.select.trial import trials

DATA = Path(os.environ.get("MOOT_DATA") or Path(__file__).parents[3] / "shared" / "data")
LABELS = DATA / "mmlu_pro_answers.parquet"

pytestmark = pytest.mark.skipif(not LABELS.exists(), reason=f"no {LABELS.name} in {DATA}")


async def test_what_the_page_says_holds_on_one_split() -> None:
    labels = read_labels(LABELS, ["same_version"])
    assert labels.codes.shape == (34, 12_032)
    assert labels.classes == tuple("abcdefghij")
    methods = [selector(name) for name in registered()]
    found = {each.method: each async for each in trials(labels, methods, 3)}
    accuracy = {name: each.test_accuracy for name, each in found.items()}
    assert accuracy["greedy"] > accuracy["best-model"] > accuracy["top-accuracy"] > accuracy["input-all"]
    assert accuracy["conditioned-diversity"] < accuracy["best-model"]
    assert set(found["model-first"].team) == set(found["greedy"].team)
    assert found["oracle-surrogate"].distance == pytest.approx(0, abs=0.01)
    assert all(each.distance is None or each.distance >= 0 for each in found.values())


def test_versions_must_not_be_mixed() -> None:
    with pytest.raises(FileError, match="--where"):
        read_labels(LABELS)
