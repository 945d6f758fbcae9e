"""Tables with a column for each model: what is told of its replies belongs to it, and what is no reply is nobody's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from moot.data.logs.imported import ImportedLogs, import_logs
from moot.errors import FileError, UsageError

ASKED = (("France", "Paris"), ("Spain", "Madrid"), ("Italy", "Rome"), ("Japan", "Tokyo"), ("Peru", "Lima"))
SAID = {"gpt-4o": ("Paris", "Madrid", "Rome", "Tokyo", "Cuzco"), "ant": ("Lyon", "Madrid", "Rome", "Kyoto", "Cuzco")}
RIGHT = {"gpt-4o": 0.8, "ant": 0.4}


def imported(folder: Path, head: Sequence[str], *rows: Sequence[object], **options: Sequence[str]) -> ImportedLogs:
    lines = [",".join(map(str, row)) for row in (head, *rows)]
    (folder / "kept.csv").write_text("\n".join(lines) + "\n")
    return import_logs("csv", [folder / "kept.csv"], models=options.get("models", ()))


def table(folder: Path, *names: str, **options: Sequence[str]) -> ImportedLogs:
    """With columns of these names, in which M stands for each model in turn."""
    head, rows = ["question", "expected"], [[f"Capital of {land}?", city] for land, city in ASKED]
    for model, said in SAID.items():
        for name in names:
            head.append(name.replace("M", model))
            for row, word, (_, city) in zip(rows, said, ASKED, strict=True):
                row.append(str(_cell(name, word, right=word == city)))
    return imported(folder, head, *rows, **options)


def _cell(name: str, word: str, *, right: bool) -> object:
    if any(each in name for each in ("correct", "passed")):
        return int(right)
    cells = {
        "cost": "0.001",
        "coût": "0.001",
        "ms": "1500",
        "latency": "1.5",
        "temps": "2",
        "tokens": "20",
        "notes": "",
    }
    return next((cell for key, cell in cells.items() if key in name), word)


def figures(logs: ImportedLogs) -> dict[str, Any]:
    return {model.name: (model.stated, model.here, model.cost_usd) for model in logs.models}


@pytest.mark.parametrize(
    "names",
    [
        ("M", "M correct", "M cost ($)", "M tokens", "M latency (s)"),
        ("M_response", "M_correct", "M_cost"),
        ("M_answer", "M_correct", "M_cost_usd", "M_latency_ms"),
        ("response_M", "correct_M", "cost_M"),
        ("M.output", "M.passed", "M.cost (USD)", "M.notes"),
        ("response (M)", "correct (M)", "cost (M)"),
        ("M", "is_correct_M", "total_cost_M"),
    ],
    ids=" ".join,
)
def test_what_is_told_of_a_model_belongs_to_it(names: tuple[str, ...], tmp_path: Path) -> None:
    logs = table(tmp_path, *names)
    assert figures(logs) == {
        name: (pytest.approx(right), pytest.approx(right), pytest.approx(0.005)) for name, right in RIGHT.items()
    }
    assert not any("taken for no model" in note for note in logs.notes)


def test_replies_alone_name_their_models(tmp_path: Path) -> None:
    assert [each.name for each in table(tmp_path, "M_response").models] == [*SAID]


@pytest.mark.parametrize(("name", "seconds"), [("M latency (s)", 1.5), ("M latency (ms)", 1.5), ("latency_M", 1.5)])
def test_a_unit_in_brackets_is_read(name: str, seconds: float, tmp_path: Path) -> None:
    logs = table(tmp_path, "M", name)
    assert {row["seconds"] for row in logs.replies} == {seconds}


@pytest.mark.parametrize("name", ["M cost (EUR)", "M_coût", "M_temps", "M tokens", "M latency (min)"])
def test_one_in_another_unit_or_in_none_is_not(name: str, tmp_path: Path) -> None:
    logs = table(tmp_path, "M", name)
    assert figures(logs) == {model: (None, pytest.approx(right), None) for model, right in RIGHT.items()}
    told = ", ".join(name.replace("M", model) for model in SAID)
    assert f"kept.csv: columns that are not used: {told}" in logs.notes


def test_another_model_may_begin_with_the_name_of_one(tmp_path: Path) -> None:
    logs = table(tmp_path, "M", "M-mini", "M-mini_cost", "M-reasoning")
    assert [each.name for each in logs.models] == [
        f"{name}{end}" for name in SAID for end in ("", "-mini", "-reasoning")
    ]


def test_what_is_no_reply_is_nobodys(tmp_path: Path) -> None:
    head = ["#", "question", "expected", *SAID, "notes", "winner", "date", "effort", "easy"]
    rows = [
        [
            n,
            f"Capital of {land}?",
            city,
            *(said[n] for said in SAID.values()),
            "",
            "ant",
            f"2024-01-0{n + 1}",
            n / 2,
            "yes",
        ]
        for n, (land, city) in enumerate(ASKED)
    ]
    rows[0][5] = "hm"
    logs = imported(tmp_path, head, *rows)
    assert [(each.name, each.here) for each in logs.models] == [*RIGHT.items()]
    none = "#, notes, winner, date, effort, easy are taken for no model's replies"
    assert f"kept.csv: {none}; --models NAME,NAME names those that are models" in logs.notes


def test_numbers_are_replies_where_references_are_numbers(tmp_path: Path) -> None:
    rows = [[f"{n} + {n}?", 2 * n, 2 * n, 2 * n + (n > 2), n] for n in range(1, 6)]
    logs = imported(tmp_path, ["question", "expected", "ant", "bee", "total_cost"], *rows)
    assert [(each.name, each.here) for each in logs.models] == [("ant", 1.0), ("bee", 0.4)]


def test_so_are_words_of_yes_and_no_where_references_are(tmp_path: Path) -> None:
    rows = [[f"Is {n} even?", ("yes", "no")[n % 2], ("yes", "no")[n % 2], "yes"] for n in range(4)]
    logs = imported(tmp_path, ["question", "expected", "ant", "bee"], *rows)
    assert [(each.name, each.here) for each in logs.models] == [("ant", 1.0), ("bee", 0.5)]


def test_of_words_that_are_never_right_it_is_told_that_they_may_be_none(tmp_path: Path) -> None:
    rows = [
        [f"Capital of {land}?", city, said, "geography"] for (land, city), said in zip(ASKED, SAID["ant"], strict=True)
    ]
    logs = imported(tmp_path, ["question", "expected", "ant", "area"], *rows)
    told = "kept.csv: no reply under area says a reference: if that is no model, --models ant"
    assert told in logs.notes
    named = import_logs("csv", [tmp_path / "kept.csv"], models=["ant"])
    assert ([each.name for each in named.models], told in named.notes) == (["ant"], False)
    assert "kept.csv: columns that are not used: area" in named.notes


class TestNamed:
    def test_which_are_models(self, tmp_path: Path) -> None:
        rows = [[f"Year of {n}?", "long ago", 1900 + n, 1.5, "x"] for n in range(4)]
        head = ["question", "expected", "ant", "ant_cost", "bee"]
        assert [each.name for each in imported(tmp_path, head, *rows).models] == ["bee"]
        logs = imported(tmp_path, head, *rows, models=["ant"])
        assert [(each.name, each.cost_usd) for each in logs.models] == [("ant", 6.0)]

    def test_by_the_model_within_the_name_of_a_column(self, tmp_path: Path) -> None:
        assert figures(table(tmp_path, "M_response", "M_correct", models=["ant"])) == {"ant": (0.4, 0.4, None)}

    def test_one_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(FileError, match=r"--models ants: no column is called so; there is .*did you mean 'ant'"):
            table(tmp_path, "M", models=["ant", "ants"])

    def test_of_other_logs(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match=r"--models ant names columns of a table; expected it with csv"):
            import_logs("inspect", [tmp_path], models=["ant"])


class TestOfPeople:
    def test_what_one_said_is_a_reply_as_any(self, tmp_path: Path) -> None:
        rows = [[f"Capital of {land}?", city, city, "Ulm"] for land, city in ASKED]
        logs = imported(tmp_path, ["question", "expected", "human", "ant"], *rows)
        assert [(each.name, each.here) for each in logs.models] == [("human", 1.0), ("ant", 0.0)]

    def test_how_many_solved_it_is_none(self, tmp_path: Path) -> None:
        rows = [[f"Capital of {land}?", city, "30/40", city] for land, city in ASKED]
        logs = imported(tmp_path, ["question", "expected", "human", "ant"], *rows)
        assert [each.name for each in logs.models] == ["ant"]
        assert "kept.csv: columns that are not used: human" in logs.notes


def test_choices_under_numbers_are_no_models(tmp_path: Path) -> None:
    rows = [[f"Which is {n}?", *(f"word {n}{end}" for end in "prt"), n % 3 + 1, n % 3 + 1, 2] for n in range(6)]
    head = ["question", "1", "2", "3", "answer", "ant", "bee"]
    with pytest.raises(FileError, match=r"under ant, bee are numbers, .* or --models NAME,NAME if these are replies"):
        imported(tmp_path, head, *rows)
    logs = imported(tmp_path, head, *rows, models=["ant", "bee"])
    assert [(each.name, each.here) for each in logs.models] == [("ant", 1.0), ("bee", 1 / 3)]
    assert [len(row["choices"]) for row in logs.questions] == [3] * 6


@pytest.mark.parametrize("form", ["gpt-4o_run{}", "gpt-4o (sample {})", "gpt-4o-Lauf {}"])
def test_columns_that_are_numbered_as_samples_are_told(form: str, tmp_path: Path) -> None:
    names = [form.format(number) for number in (1, 2)]
    rows = [[f"Capital of {land}?", city, city, city] for land, city in ASKED]
    logs = imported(tmp_path, ["question", "expected", *names], *rows)
    assert [each.name for each in logs.models] == names
    assert any(
        note.startswith(f"kept.csv: {names[0]}, {names[1]} are a model each: samples of one") for note in logs.notes
    )


def test_what_is_to_be_typed_is_quoted_where_names_have_spaces(tmp_path: Path) -> None:
    rows = [[f"Capital of {land}?", city, city, "ok", "geography"] for land, city in ASKED]
    logs = imported(tmp_path, ["question", "expected", "Mistral Large", "bee 2", "area"], *rows)
    told = "kept.csv: no reply under bee 2, area says a reference: if that is no model, --models 'Mistral Large'"
    assert told in logs.notes


@pytest.mark.parametrize(
    ("cost", "time", "right"),
    [
        ("Cost (USD)", "Latency (s)", "Correct?"),
        ("Kosten (USD)", "Zeit (s)", "Korrekt?"),
        ("cost [$]", "temps (s)", "correct"),
        ("Стоимость ($)", "Время (с)", "Верно?"),
    ],
)
@pytest.mark.parametrize("wide", [True, False])
def test_names_with_units_are_read_alike_in_both_forms(
    cost: str, time: str, right: str, wide: bool, tmp_path: Path
) -> None:
    said = [[f"Capital of {land}?", city, city, 0.5, 2, "TRUE"] for land, city in ASKED]
    if wide:
        logs = imported(
            tmp_path, ["question", "expected", "ant", *(f"ant {each}" for each in (cost, time, right))], *said
        )
    else:
        rows = [[*each, "ant"] for each in said]
        logs = imported(tmp_path, ["question", "expected", "reply", cost, time, right, "model"], *rows)
    assert [(each.name, each.cost_usd, each.stated) for each in logs.models] == [("ant", 2.5, 1.0)]
    assert [row["seconds"] for row in logs.replies] == [2.0] * 5
