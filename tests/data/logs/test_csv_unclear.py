"""A column of verdicts by its name that may as well say what is right: of that no share of right replies is made."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from moot.data.logs.imported import ImportedLogs, import_logs

MODELS = ("m1", "m2", "m3")


def imported(folder: Path, head: str, rows: Iterable[Iterable[object]], metric: str | None = None) -> ImportedLogs:
    lines = [head, *(";".join(map(str, row)) for row in rows)]
    (folder / "kept.csv").write_text("\n".join(lines) + "\n")
    return import_logs("csv", [folder / "kept.csv"], metric=metric)


def stated(logs: ImportedLogs) -> set[float | None]:
    return {model.stated for model in logs.models}


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("Richtig", ("ja", "nein")),
        ("right", ("yes", "no")),
        ("verdict", ("True", "False")),
        ("score", (1, 0)),
        ("correct", (1, 0)),
    ],
)
def test_what_replies_to_a_question_share_is_taken_for_neither(
    name: str, cells: tuple[object, ...], tmp_path: Path
) -> None:
    rows = [[f"Is {n} so?", cells[n % 3 == 0], m, cells[(n + len(m)) % 2]] for n in range(12) for m in MODELS]
    logs = imported(tmp_path, f"question;{name};model;response", rows)
    assert (stated(logs), logs.questions) == ({None}, ())
    told = f"{name} may be the right answer or whether the reply is right, so it is taken for neither"
    assert f"kept.csv: {told}: call it is_correct or say --metric {name}, or call it answer" in logs.notes
    assert None not in stated(imported(tmp_path, f"question;{name};model;response", rows, metric=name))


def test_so_it_is_where_few_questions_have_several_replies(tmp_path: Path) -> None:
    rows = [
        [f"Is {n} so?", m, f"{n} weighed by {m}", ("yes", "no")[n % 2]]
        for n in range(21)
        for m in MODELS[: 1 + (n < 4)]
    ]
    assert stated(imported(tmp_path, "question;model;response;correct", rows)) == {None}


@pytest.mark.parametrize(
    "said", ["Well, I think the answer would be {} here", json.dumps({"answer": "{}"}).replace('"{}"', " {} ")]
)
def test_so_it_is_with_one_reply_each_that_says_yes_or_no(said: str, tmp_path: Path) -> None:
    rows = [
        [f"Is {n} so?", "m1", said.replace("{}", ("yes", "no")[n % 3 > 0]), ("yes", "no")[n % 2]] for n in range(12)
    ]
    assert stated(imported(tmp_path, "question;model;response;correct", rows)) == {None}


@pytest.mark.parametrize("cells", [("yes", "no"), (1, 0)])
def test_with_one_reply_each_it_is_told_what_it_is_taken_for(cells: tuple[object, ...], tmp_path: Path) -> None:
    rows = [[f"Capital of {n}?", "m1", f"City {n + 50}", cells[n % 4 == 0]] for n in range(12)]
    logs = imported(tmp_path, "question;model;response;correct", rows)
    told = "correct is taken for whether the reply is right: if it is the right answer, call it answer"
    assert (stated(logs), f"kept.csv: {told}" in logs.notes) == ({0.75}, True)


@pytest.mark.parametrize("head", ["question;correct;model;response;target", "question;right;model;response;target"])
def test_beside_a_reference_it_is_the_verdict_though_all_are_alike(head: str, tmp_path: Path) -> None:
    rows = [
        [f"Capital of {n}?", ("yes", "no")[n % 2], m, "Rome", ("Rome", "Oslo")[n % 2]] for n in range(6) for m in MODELS
    ]
    logs = imported(tmp_path, head, rows)
    assert (stated(logs), any("taken for" in note for note in logs.notes)) == ({0.5}, False)


@pytest.mark.parametrize("name", ["is_correct", "passed", "accuracy"])
def test_so_it_is_by_a_name_that_is_no_references(name: str, tmp_path: Path) -> None:
    rows = [[f"Is {n} so?", (1, 0)[n % 2], m, "yes"] for n in range(6) for m in MODELS]
    logs = imported(tmp_path, f"question;{name};model;response", rows)
    assert (stated(logs), any("taken for" in note for note in logs.notes)) == ({0.5}, False)
