"""Files in which tickets or reviews are sorted: the answer is one of a few words, which nobody who is asked would know."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import pytest

from moot.cli.asked_columns import find_questions
from moot.data import fingerprint_of, load
from moot.data.tables.proposal import Stated

QUEUES = ("billing", "shipping", "repair", "account")
REMARK = "are one of"
SAID = "which most questions do not name: unless an instruction names them to the players"


def table(
    path: Path, texts: Sequence[str], answers: Sequence[str], header: tuple[str, str] = ("ticket", "label")
) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *zip(texts, answers, strict=True)])
    return path


def notes(path: Path, stated: Stated) -> str:
    return " ".join(load(path, stated=stated).notes)


TICKETS = [f"My parcel number {n} is lost" for n in range(12)]
SORTED = [QUEUES[n % 4] for n in range(12)]
ROWS = list(zip(TICKETS, SORTED, strict=True))
COLUMNS = {"text": "ticket", "answer": "label"}


def test_labels_that_nobody_is_told_are_named(tmp_path: Path) -> None:
    said = notes(table(tmp_path / "tickets.csv", TICKETS, SORTED), Stated(COLUMNS))
    assert f"answer: all 12 are one of 4 (account, billing, repair, shipping), {SAID}" in said


def test_and_in_a_file_of_our_own_form_which_stays_the_file_that_it_was(tmp_path: Path) -> None:
    path = tmp_path / "ours.csv"
    rows = "".join(f"{n},{text},{label}\n" for n, (text, label) in enumerate(zip(TICKETS, SORTED, strict=True)))
    path.write_text(f"id,text,answer\n{rows}")
    found = load(path)
    assert SAID in " ".join(found.notes)
    assert found.fingerprint == fingerprint_of(path, "en", None), "whatever was played is played still"


def test_who_says_that_they_are_open_hears_no_more_of_it(tmp_path: Path) -> None:
    path = table(tmp_path / "tickets.csv", TICKETS, SORTED)
    assert REMARK not in notes(path, Stated(COLUMNS, kind="open"))
    assert REMARK not in notes(path, Stated(COLUMNS, references="as-written"))


@pytest.mark.parametrize(
    ("texts", "answers"),
    [
        ([f"On which continent is country {n}?" for n in range(12)], SORTED),
        ([f"国家{n}在哪个洲？" for n in range(12)], SORTED),
        ([f"“On which continent is country {n}?” Answer in one word." for n in range(12)], SORTED),
        ([f"Billing, shipping, repair or account: parcel {n} is lost" for n in range(12)], SORTED),
        ([f"Add {n} to 3, modulo 4" for n in range(12)], ["21", "22", "23", "24"] * 3),
        ([f"The author of book {n}" for n in range(12)], [f"Somebody {n}" for n in range(12)]),
        (TICKETS[:8], SORTED[:8]),
        (TICKETS, ["yes", "no"] * 6),
    ],
    ids=[
        "questions",
        "in another script",
        "in quotes, with the form behind it",
        "named in the text",
        "numbers",
        "many",
        "few rows",
        "yes or no",
    ],
)
def test_what_may_well_be_known_is_not_spoken_of(tmp_path: Path, texts: list[str], answers: list[str]) -> None:
    assert REMARK not in notes(table(tmp_path / "quiz.csv", texts, answers), Stated(COLUMNS))


@pytest.mark.parametrize("ours", [True, False], ids=["our form", "columns of its own"])
def test_nor_where_the_context_names_them(ours: bool, tmp_path: Path) -> None:
    path = tmp_path / "tickets.csv"
    rows = [(n, text, label, "Queues: billing, shipping, repair.") for n, (text, label) in enumerate(ROWS)]
    header = ("id", "text", "answer", "context") if ours else ("nr", "ticket", "label", "passage")
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    stated = Stated() if ours else Stated({**COLUMNS, "context": "passage"})
    assert REMARK not in notes(path, stated)


def test_init_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = table(tmp_path / "tickets.csv", TICKETS, SORTED, ("text", "label"))
    find_questions(path, tmp_path / "moot.yaml", yes=True, small=False)
    assert f"all 12 are one of 4 (account, billing, repair, shipping), {SAID}" in " ".join(
        capsys.readouterr().out.split()
    )
