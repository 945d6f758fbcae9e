"""Replies to choices that name them as the references of the table do."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from moot.data.logs.imported import ImportedLogs, import_logs

RIGHT = (0, 1, 2, 3, 2, 1, 0, 3)
SAID = {"ant": RIGHT, "bee": (0, 1, 2, 3, 1, 2, 3, 0)}
LATIN, RUSSIAN, FROM_0, FROM_1 = ("ABCD", "АБВГ", "0123", "1234")
HALF = [("ant", 1.0, 0), ("bee", 0.5, 0)]


def words(number: int) -> list[str]:
    return [f"word {number}{end}" for end in "prtf"]


def long(folder: Path, references: str, replies: str, *, form: str = "{}", listed: bool = True) -> ImportedLogs:
    head = ["question", *(["choices"] if listed else [f"option {label}" for label in references]), "answer", "model"]
    rows = [
        [
            f"Which fits {number}?",
            *([json.dumps(words(number))] if listed else words(number)),
            references[right],
            model,
            form.format(replies[said[number]]),
            right == said[number],
        ]
        for number, right in enumerate(RIGHT)
        for model, said in SAID.items()
    ]
    return written(folder, [*head, "response", "correct"], rows)


def written(folder: Path, head: Sequence[str], rows: Sequence[Sequence[object]], *models: str) -> ImportedLogs:
    lines = ["\t".join(map(str, row)) for row in (head, *rows)]
    (folder / "kept.tsv").write_text("\n".join(lines) + "\n")
    return import_logs("csv", [folder / "kept.tsv"], models=models)


def read(logs: ImportedLogs) -> list[tuple[str, float | None, int]]:
    return [(model.name, model.here, model.unread) for model in logs.models]


@pytest.mark.parametrize("labels", [FROM_0, FROM_1, RUSSIAN])
@pytest.mark.parametrize("form", ["{}", "Answer: {}", "So it is.<br> **Ответ: {}**", "({})"])
def test_are_read_as_references_are(labels: str, form: str, tmp_path: Path) -> None:
    logs = long(tmp_path, labels, labels, form=form)
    assert read(logs) == HALF
    assert [(model.stated, model.differing) for model in logs.models] == [(1.0, 0), (0.5, 0)]
    assert [row["answer"] for row in logs.replies if row["model"] == "ant"] == [LATIN[right] for right in RIGHT]


@pytest.mark.parametrize("labels", [FROM_1, RUSSIAN])
def test_with_a_column_for_each_choice(labels: str, tmp_path: Path) -> None:
    assert read(long(tmp_path, labels, labels, listed=False)) == HALF


def test_of_a_column_for_each_model(tmp_path: Path) -> None:
    rows = [
        [f"Which fits {n}?", *words(n), *(RUSSIAN[each] for each in (right, right, SAID["bee"][n]))]
        for n, right in enumerate(RIGHT)
    ]
    assert read(written(tmp_path, ["вопрос", *RUSSIAN, "ответ", "ant", "bee"], rows)) == HALF
    rows = [[f"Which fits {n}?", json.dumps(words(n)), right, right, SAID["bee"][n]] for n, right in enumerate(RIGHT)]
    assert read(written(tmp_path, ["question", "choices", "answer", "ant", "bee"], rows, "ant", "bee")) == HALF


def test_by_labels_that_the_choices_have(tmp_path: Path) -> None:
    rows = [
        [f"Which fits {n}?", json.dumps({"label": [*FROM_1], "text": words(n)}), FROM_1[right], model, FROM_1[said[n]]]
        for n, right in enumerate(RIGHT)
        for model, said in SAID.items()
    ]
    assert read(written(tmp_path, ["question", "choices", "answerKey", "model", "prediction"], rows)) == HALF


@pytest.mark.parametrize(("references", "replies"), [(FROM_0, LATIN), (FROM_1, "abcd"), (LATIN, LATIN)])
def test_letters_of_ours_are_read_beside_them(references: str, replies: str, tmp_path: Path) -> None:
    assert read(long(tmp_path, references, replies)) == HALF


@pytest.mark.parametrize(
    ("references", "replies", "form", "told"),
    [
        (FROM_0, FROM_1, "{}", "count choices otherwise than the references do, which are positions from 0 ('4' in line 8)"),
        (FROM_1, FROM_0, "{}", "count choices otherwise than the references do, which are positions from 1 ('0' in line 2)"),
        (LATIN, FROM_1, "{}", "name choices in a way that cannot be told, and the references are letters ('1' in line 2)"),
        (RUSSIAN, RUSSIAN, "I like {} best", "and the references are letters of the Russian alphabet ('I like А best' in"),
        (FROM_1, FROM_1, "I like number {} best", "the references are positions from 1 ('I like number 1 best' in line 2)"),
    ],
)  # fmt: skip
def test_what_cannot_be_told_has_no_figure(references: str, replies: str, form: str, told: str, tmp_path: Path) -> None:
    logs = long(tmp_path, references, replies, form=form)
    assert (logs.questions, [model.here for model in logs.models]) == ((), [None, None])
    assert any(told in note and "no reference is taken: write letters A, B, C" in note for note in logs.notes)


def test_a_number_that_is_the_words_of_another_choice(tmp_path: Path) -> None:
    """As the references were taken: by what most of a model's replies are."""
    choices = [*(words(n) for n in range(7)), ["2", "1", "7", "8"]]
    rows = [
        [f"Which fits {n}?", json.dumps(choices[n]), right + 1, model, reply]
        for n, right in enumerate((0, 1, 2, 3, 2, 1, 0, 0))
        for model, reply in (("ant", right + 1), ("bee", choices[n][right]))
    ]
    logs = written(tmp_path, ["question", "choices", "answer", "model", "prediction"], rows)
    assert read(logs) == [("ant", 1.0, 0), ("bee", 1.0, 0)]


def test_a_number_that_no_label_is_beside_those_that_are(tmp_path: Path) -> None:
    rows = [
        [f"Which fits {n}?", json.dumps(words(n)), right, "ant", 9 if n == 4 else right]
        for n, right in enumerate(RIGHT)
    ]
    logs = written(tmp_path, ["question", "choices", "answer", "model", "prediction"], rows)
    assert read(logs) == [("ant", 0.875, 1)]
