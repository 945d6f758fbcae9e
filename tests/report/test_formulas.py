"""Attacks on whoever opens an exported table: questions and answers are anybody's words, and a spreadsheet computes some."""

from __future__ import annotations

import csv
from pathlib import Path

import polars

from moot.report.tables import write_tables

HOSTILE = [
    '=HYPERLINK("http://127.0.0.1/?"&A1)',
    "=cmd|' /C calc'!A0",
    "+1+cmd",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1,1)",
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    "＝1+1",
    "-1e5=x",
    " =1+1",
    "\u00a0=1+1",
    "\ufeff=1+1",
    "\u200b@SUM(1,1)",
    *(f"{unseen}=1+1" for unseen in "\x08\x7f\u034f\u061c\u180e\u202e\u2066\u3164\ufe0f\U000e0001"),
    "\x00=1+1",
    "﹦1+1",
    "﹫SUM(1,1)",
]
HARMLESS = ["", "the Nile", "-5", "+3.5", "-1e-7", "12%", "a=b", "1+1", "'=1", "–5", " -5", " a=b", "\u200ba"]


def test_no_cell_of_a_csv_file_is_a_formula(tmp_path: Path) -> None:
    texts = [*HOSTILE, *HARMLESS]
    values = [-float(number) for number in range(len(texts))]
    table = {"=answer": texts, "value": values, "none": [None] * len(texts), "again": texts}
    (path,) = write_tables(tmp_path, "csv", {"answers": table})
    with path.open(newline="", encoding="utf-8") as file:
        head, *rows = list(csv.reader(file))
    assert head == ["'=answer", "value", "none", "again"]
    for column in (0, 3):
        assert [row[column] for row in rows] == [*(f"'{text}" for text in HOSTILE), *HARMLESS]
    assert float(rows[1][1]) == -1, "a number is a number"
    (path,) = write_tables(tmp_path, "parquet", {"answers": table})
    assert polars.read_parquet(path)["=answer"].to_list() == texts, "a file of typed columns holds what was said"
