"""Tables of replies: a column of scores is a verdict in whole or in part, or is said to be none."""

from __future__ import annotations

from pathlib import Path

import pytest

from moot.data.logs.imported import ImportedLogs, import_logs


def imported(folder: Path, *lines: str) -> ImportedLogs:
    (folder / "kept.csv").write_text("\n".join(lines) + "\n")
    return import_logs("csv", [folder / "kept.csv"])


def stated(logs: ImportedLogs) -> list[float | None]:
    return [model.stated for model in logs.models]


@pytest.mark.parametrize("name", ["score", "grade"])
def test_parts_of_a_point(name: str, tmp_path: Path) -> None:
    logs = imported(tmp_path, f"question,model,output,answer,{name}", "Who?,m1,Ann,Ann,0.8", "Who?,m2,Bob,Ann,0.2")
    assert stated(logs) == [0.8, 0.2]
    assert (
        "m1: 1 verdict differs from the log's: 1 given a part of a point there, which is all or nothing here"
        in logs.notes
    )


def test_parts_of_a_point_beside_each_model(tmp_path: Path) -> None:
    logs = imported(tmp_path, "id,question,answer,ann,ann_score,bob,bob_score", "1,Who?,Ann,Ann,1,Bob,0.25")
    assert stated(logs) == [1.0, 0.25]


@pytest.mark.parametrize("scores", [("7", "9"), ("80 %", "good"), ("0.5", "1.5")])
def test_scores_of_another_kind_are_said_to_be_none(scores: tuple[str, str], tmp_path: Path) -> None:
    first, second = scores
    logs = imported(
        tmp_path, "question,model,output,answer,score", f"Who?,m1,Ann,Ann,{first}", f"Who?,m2,Bob,Ann,{second}"
    )
    assert stated(logs) == [None, None]
    assert "kept.csv: score holds no verdicts: expected right or wrong, or a share from 0 to 1" in logs.notes
    logs = imported(tmp_path, "id,question,answer,ann,ann_score,bob,bob_score", f"1,Who?,Ann,Ann,{first},Bob,{second}")
    assert any("ann_score" in note or "bob_score" in note for note in logs.notes)


def test_a_column_called_correct_may_be_the_reference(tmp_path: Path) -> None:
    logs = imported(tmp_path, "question,model,output,correct", "Half of one?,m1,0.5,0.5", "Half of two?,m1,1,1")
    assert (stated(logs), logs.models[0].here) == ([None], 1.0)
    assert not any("verdicts" in note for note in logs.notes)


def test_columns_that_nothing_is_made_of_are_named(tmp_path: Path) -> None:
    logs = imported(tmp_path, "question,model,output,answer,mood,temperature", "Who?,m1,Ann,Ann,good,0.7")
    assert "kept.csv: columns that are not used: mood, temperature" in logs.notes
