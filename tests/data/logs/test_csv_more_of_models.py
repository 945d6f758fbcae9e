"""Of a table with a column for each model, columns with words about a model's replies that are no replies themselves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from moot.data.logs.imported import ImportedLogs, import_logs

CITIES = {"France": "Paris", "Spain": "Madrid", "Italy": "Rome", "Japan": "Tokyo"}
HALF = [("gpt-4o", 1.0), ("ant", 0.5)]


def table(folder: Path, *forms: str, alone: Sequence[str] = (), models: Sequence[str] = ()) -> ImportedLogs:
    """`forms`: with M for the model. Each cell says the reply among other words, but that under M alone or M_pred."""
    rows = []
    for place, (land, city) in enumerate(CITIES.items()):
        said = [city, city if place % 2 else "Ulm"]
        cells = [said[m] if form in ("M", "M_pred") else f"I say: {said[m]}" for m in range(2) for form in forms]
        rows.append([f"Capital of {land}?", city, *cells, *(f"It is {city}" for _ in alone)])
    head = ["question", "gold", *(form.replace("M", model) for model in ("gpt-4o", "ant") for form in forms), *alone]
    (folder / "kept.csv").write_text("\n".join(",".join(row) for row in (head, *rows)) + "\n")
    return import_logs("csv", [folder / "kept.csv"], models=models)


def read(logs: ImportedLogs) -> list[tuple[str, float | None]]:
    return [(model.name, model.here) for model in logs.models]


@pytest.mark.parametrize("more", ["M reasoning", "M_thoughts", "M judge", "cot_M", "M Begründung", "M (explanation)"])
@pytest.mark.parametrize("reply", ["M", "M_pred"])
def test_thoughts_about_a_reply_are_none(reply: str, more: str, tmp_path: Path) -> None:
    logs = table(tmp_path, reply, more)
    assert read(logs) == HALF
    assert any(f"not used: {more.replace('M', 'gpt-4o')}, {more.replace('M', 'ant')}" in note for note in logs.notes)


@pytest.mark.parametrize(
    "name", ["Begründung", "Erklärung", "обоснование", "пояснение", "Hint", "Remarque", "justification"]
)
def test_nor_are_those_of_nobody(name: str, tmp_path: Path) -> None:
    logs = table(tmp_path, "M", alone=[name])
    assert read(logs) == HALF
    assert "kept.csv: each column is a model's replies: gpt-4o, ant" in logs.notes


def test_what_is_raw_is_the_reply_of_which_the_answer_was_taken(tmp_path: Path) -> None:
    logs = table(tmp_path, "M_pred", "M_raw")
    assert read(logs) == HALF
    assert {row["text"][:6] for row in logs.replies} == {"I say:"}
    assert {row["answer"] for row in logs.replies} == {*CITIES.values(), "Ulm"}


@pytest.mark.parametrize("name", ["gpt-4o verbose log", "gpt-4o_second opinion"])
def test_more_words_make_no_model_unless_somebody_says_so(name: str, tmp_path: Path) -> None:
    logs = table(tmp_path, "M", alone=[name])
    assert read(logs) == HALF
    assert (
        f"kept.csv: {name} is taken for no model's replies; --models NAME,NAME names those that are models"
        in logs.notes
    )
    assert [each for each, _ in read(table(tmp_path, "M", alone=[name], models=["ant", name]))] == ["ant", name]


@pytest.mark.parametrize(
    "name",
    [
        "gpt-4o-mini",
        "gpt-4o mini",
        "gpt-4o-thinking",
        "gpt-4o 70b",
        "gpt-4o_run2",
        "gpt-4o with search",
        "gpt-4owl",
        "my gpt-4o",
    ],
)
def test_those_of_another_model_do(name: str, tmp_path: Path) -> None:
    assert [each for each, _ in read(table(tmp_path, "M", alone=[name]))] == ["gpt-4o", "ant", name]
