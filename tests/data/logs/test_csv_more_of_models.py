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


ASKED = [("France", "Paris"), ("Spain", "Madrid"), ("Italy", "Rome"), ("Japan", "Tokyo"), ("Peru", "Lima")]
BEGINNINGS = ["Kimi K2", "Claude 3.7 Sonnet"]
THINKING = ["Kimi K2 Thinking", "Claude 3.7 Sonnet (Thinking)", "Phi 4 Reasoning", "GPT-4o (CoT)"]


def named(folder: Path, names: Sequence[str], *more: Sequence[str], choices: bool = False) -> ImportedLogs:
    """Of as many as there are names the first has all right, each other one less. `more`: columns with their cells."""
    lines = [["question", *(["a", "b", "answer"] if choices else ["gold"]), *names, *(column[0] for column in more)]]
    for place, (land, city) in enumerate(ASKED):
        said = [city if place >= wrong else "Ulm" for wrong in range(len(names))]
        if choices:
            said, right = ["A" if word == city else "B" for word in said], [city, "Ulm", "A"]
        lines.append([f"Capital of {land}?", *(right if choices else [city]), *said, *(c[1 + place] for c in more)])
    (folder / "kept.csv").write_text("\n".join(map(",".join, lines)) + "\n")
    return import_logs("csv", [folder / "kept.csv"])


@pytest.mark.parametrize("names", [["gpt-4o", *THINKING], [*BEGINNINGS, *THINKING[:2]], THINKING], ids=str)
@pytest.mark.parametrize("choices", [False, True])
def test_a_model_may_be_called_by_how_it_thinks_where_its_cells_are_answers(
    names: list[str], choices: bool, tmp_path: Path
) -> None:
    logs = named(tmp_path, names, choices=choices)
    assert read(logs) == [(name, pytest.approx(1 - wrong / 5)) for wrong, name in enumerate(names)]
    assert not [note for note in logs.notes if "not used" in note or "no model" in note]


def test_few_of_its_answers_may_be_right(tmp_path: Path) -> None:
    logs = named(tmp_path, ["Kimi K2", "ant", "bee", "Kimi K2 Thinking"])
    assert read(logs)[-1] == ("Kimi K2 Thinking", pytest.approx(0.4))


def test_what_it_thought_and_cost_belongs_to_it_and_what_the_other_thought_to_the_other(tmp_path: Path) -> None:
    thoughts = [f"I think of {city}" for _, city in ASKED]
    costs = [[f"{name} cost ($)", *[cost] * 5] for name, cost in (("Kimi K2", "0.01"), ("Kimi K2 Thinking", "0.02"))]
    thought = [[f"{name} reasoning", *thoughts] for name in ("Kimi K2", "Kimi K2 Thinking")]
    logs = named(tmp_path, ["Kimi K2", "Kimi K2 Thinking"], *costs, *thought)
    assert {model.name: model.cost_usd for model in logs.models} == {
        "Kimi K2": pytest.approx(0.05),
        "Kimi K2 Thinking": pytest.approx(0.1),
    }
    assert "kept.csv: columns that are not used: Kimi K2 reasoning, Kimi K2 Thinking reasoning" in logs.notes


@pytest.mark.parametrize("form", ["answer_M", "M response", "answer (M)"])
@pytest.mark.parametrize(
    "models",
    [["claude", "claude_thinking"], ["Kimi K2", "Kimi K2 Thinking"], ["GPT-4o (May)", "GPT-4o [June]", "GPT-4o"]],
    ids=str,
)
def test_the_name_within_that_of_a_column_stays_whole(form: str, models: list[str], tmp_path: Path) -> None:
    cost = [[f"{models[0]} cost", *["0.01"] * 5]] if form == "M response" else []
    logs = named(tmp_path, [form.replace("M", model) for model in models], *cost)
    assert [name for name, _ in read(logs)] == models
    assert logs.models[0].cost_usd == (pytest.approx(0.05) if cost else None)
