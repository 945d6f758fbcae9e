"""Rows for each reply, where the column of models has a name that is known or one that nobody knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from moot.data.logs.imported import ImportedLogs, import_logs
from moot.errors import FileError

ASKED = {"France": "Paris", "Italy": "Rome", "Spain": "Madrid", "Japan": "Tokyo"}
SAID = {"ant-1": ASKED, "bee-2": {**ASKED, "Spain": "Sevilla", "Japan": "Osaka"}}
HALF = [("ant-1", 1.0), ("bee-2", 0.5)]


def imported(folder: Path, head: str, models: Mapping[str, Mapping[str, str]] = SAID) -> ImportedLogs:
    rows = [
        [f"Capital of {land}?", city, model, said[land]]
        for land, city in ASKED.items()
        for model, said in models.items()
    ]
    return written(folder, head, rows)


def written(folder: Path, head: str, rows: Sequence[Sequence[object]], *models: str) -> ImportedLogs:
    (folder / "kept.csv").write_text("\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return import_logs("csv", [folder / "kept.csv"], models=models)


@pytest.mark.parametrize(
    "name", ["llm_name", "LLM", "llm_model", "model_used", "ai_model", "Model Version", "KI-Modell", "Модель ИИ"]
)
@pytest.mark.parametrize("reply", ["response", "llm_response"])
def test_names_that_say_it(name: str, reply: str, tmp_path: Path) -> None:
    logs = imported(tmp_path, f"question,gold,{name},{reply}")
    assert [(each.name, each.here) for each in logs.models] == HALF


def test_the_plainest_is_taken(tmp_path: Path) -> None:
    rows = [
        [f"Capital of {land}?", city, "someone", model, said[land]]
        for land, city in ASKED.items()
        for model, said in SAID.items()
    ]
    logs = written(tmp_path, "question,gold,provider,model_used,response", rows)
    assert [(each.name, each.here) for each in logs.models] == HALF


@pytest.mark.parametrize("name", ["chatbot", "who", "Assistant (version)"])
def test_one_of_another_name_is_told_where_replies_are_known(name: str, tmp_path: Path) -> None:
    logs = imported(tmp_path, f"question,gold,{name},response")
    told = f"kept.csv: no column names the model; it is called kept, as the file is; if {name} names the model, call it model"
    assert told in logs.notes


def test_and_refused_where_they_are_not(tmp_path: Path) -> None:
    with pytest.raises(
        FileError, match=r"who: it has the same few words .*; if who names the model, call it model, and"
    ):
        imported(tmp_path, "question,gold,who,words")
    logs = import_logs("csv", [tmp_path / "kept.csv"], models=["words"])
    assert [each.name for each in logs.models] == ["words"]


def test_nothing_of_the_kind_in_a_table_with_a_column_for_each_model_and_several_samples(tmp_path: Path) -> None:
    """Replies that are the same beside every question say the reference somewhere."""
    rows = [
        [f"Is {n} odd?", ("yes", "no")[n % 2], each, ("yes", "no")[n % 2]] for n in range(4) for each in ("yes", "no")
    ]
    logs = written(tmp_path, "question,answer,ant,bee", rows)
    assert [(each.name, each.here) for each in logs.models] == [("ant", 0.5), ("bee", 1.0)]


def test_nor_in_numbers_of_samples_and_settings(tmp_path: Path) -> None:
    rows = [
        [f"Capital of {land}?", city, number, number / 2, city] for land, city in ASKED.items() for number in (1, 2, 3)
    ]
    logs = written(tmp_path, "question,gold,take,warmth,response", rows)
    assert "kept.csv: no column names the model; it is called kept, as the file is" in logs.notes
