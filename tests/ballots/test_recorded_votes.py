"""2,881 votes that language models cast: our count comes to the recorded decisions, and equal answers make no ties.

The data are no part of the project; where they are absent, what needs them is skipped.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = Path(os.environ.get("MOOT_DATA") or ROOT / ".." / "shared" / "data")

pytestmark = pytest.mark.skipif(
    not (FOLDER / "mallm_discussions.jsonl.gz").is_file(), reason=f"no recorded discussions in {FOLDER}"
)


@pytest.fixture(scope="module")
def replay() -> ModuleType:
    spec = importlib.util.spec_from_file_location("replay_votes", ROOT / "bench" / "replay_votes.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_votes(replay: ModuleType) -> None:
    found = {row.protocol: row for row in replay.rows(list(replay.recorded_votes(FOLDER)))}
    simple, approval, consensus = (found[name] for name in ("simple_voting", "approval_voting", "consensus_voting"))
    assert [each.votes for each in (simple, approval, consensus)] == [135, 135, 2611]
    assert [each.discussions for each in (simple, approval, consensus)] == [27, 27, 373]
    for each in (simple, approval, consensus):
        assert each.same_decision == each.votes, "every count of ours comes to the recorded decision"
    assert [each.recorded_decided for each in (simple, approval, consensus)] == [135, 0, 2608]
    assert (approval.ties_before, approval.ties_gone, approval.ties_left) == (135, 135, 0)
    assert (consensus.ties_before, consensus.ties_gone, consensus.ties_left) == (3, 0, 3)
    assert (simple.merged_same_answer, consensus.merged_same_answer) == (135, 2608)
    assert (simple.recorded_right, approval.recorded_right, consensus.recorded_right) == (116, 0, 1572)
    assert (simple.merged_right, approval.merged_right, consensus.merged_right) == (116, 130, 1572)


def test_consensus_that_never_fired(replay: ModuleType) -> None:
    found = replay.consensus(FOLDER)
    assert found["majority-consensus", False] == {1: 16, 2: 7, None: 12}
    assert found["majority-consensus", True] == {1: 35}
    assert found["unanimity-consensus", False] == {1: 9, 2: 11, 6: 1, None: 12}
    assert found["unanimity-consensus", True] == {1: 29, 2: 3, None: 1}
