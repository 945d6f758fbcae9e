"""Tables that everybody has: each is played as it is meant, or refused with a line that has only to be pasted.

What is asked is compared as a model would see it: a choice, a passage or a right answer that is lost shows in no figure.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars
import pytest
import yaml
from public_tables import TABLES, Asked, PublicTable

from moot.data import Dataset, load
from moot.data.tables.advised_columns import WHICH_COLUMN
from moot.data.tables.proposal import NOTHING_STATED, Stated, stated_too
from moot.errors import FileError

PLAYED, REFUSED = sum(not table.advised for table in TABLES), sum(table.advised > 0 for table in TABLES)
LONGEST = 4 * 80
"""Letters of a refusal, without the name of the file."""


def written(folder: Path, table: PublicTable) -> Path:
    path, content = folder / table.name, table.content
    if isinstance(content, str):
        path.write_text(content, encoding="utf-8")
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in content), encoding="utf-8")
    elif path.suffix == ".json":
        path.write_text(json.dumps(content), encoding="utf-8")
    elif path.suffix == ".parquet":
        polars.DataFrame(list(content)).write_parquet(path)
    else:
        with path.open("w", encoding="utf-8", newline="") as file:
            rows = csv.DictWriter(file, list(content[0]))
            rows.writeheader()
            rows.writerows(content)
    return path


def shown(dataset: Dataset, table: PublicTable) -> list[Asked]:
    found = []
    for case in list(dataset)[: len(table.asked)]:
        question = case.question
        choices = tuple(sorted(question.choices)) if table.drawn else question.choices
        lettered = dict(zip(question.letters, question.choices, strict=True))
        right = lettered[str(case.answer)] if question.choices else case.answer
        found.append(Asked(question.text, right, choices, question.context, case.accepted))
    return found


def meant(table: PublicTable) -> list[Asked]:
    return [
        Asked(each.text, each.right, tuple(sorted(each.choices)) if table.drawn else each.choices, each.context, each.accepted)
        for each in table.asked
    ]


def pasted(message: str, which: str | None) -> Stated:
    """What a refusal says to write, as it would be read from an experiment file."""
    found = re.search(r"columns: (\{.*?\})(?=[;,:. ]|$)", message)
    assert found is not None, f"no line to paste in {message}"
    line = found[1].replace(WHICH_COLUMN, which) if which is not None else found[1]
    return stated_by({"columns": yaml.safe_load(line)})


def stated_by(keys: Mapping[str, Any]) -> Stated:
    columns = {key: tuple(each) if isinstance(each, list) else each for key, each in keys.get("columns", {}).items()}
    return Stated(columns, keys.get("answers"))


PENDING: set[str] = set()


@pytest.mark.parametrize(
    "table",
    [
        pytest.param(table, marks=pytest.mark.xfail(strict=True)) if table.name in PENDING else table
        for table in TABLES
    ],
    ids=lambda table: table.name,
)
def test_a_public_table_is_played_as_it_is_meant_or_refused_with_what_to_write(
    table: PublicTable, tmp_path: Path
) -> None:
    path = written(tmp_path, table)
    stated = NOTHING_STATED
    for _ in range(table.advised):
        with pytest.raises(FileError) as caught:
            load(path, stated=stated)
        message = str(caught.value).removeprefix(str(path))
        assert len(message) <= LONGEST, message
        stated = stated_too(stated, pasted(message, table.which))
    assert shown(load(path, stated=stated), table) == meant(table)


def test_most_of_them_need_no_word() -> None:
    assert (PLAYED, REFUSED) == (68, 2)
    assert max(Counter(table.name for table in TABLES).values()) == 1
