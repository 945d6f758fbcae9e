"""What nobody can tell of the questions of a table: replies settle it, or the way out is one of the table's own."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from moot.data.logs.imported import ImportedLogs, import_logs
from moot.errors import FileError


def imported(folder: Path, head: str, rows: Iterable[Iterable[object]]) -> ImportedLogs:
    (folder / "kept.csv").write_text("\n".join([head, *("\t".join(map(str, row)) for row in rows)]) + "\n")
    return import_logs("csv", [folder / "kept.csv"])


class TestLabelsThatAreNumbers:
    GOLD = (0, 1, 1, 0, 1, 0, 0, 1)
    SAID = (0, 1, 0, 0, 1, 1, 0, 1)

    @pytest.mark.parametrize("head", ["question\tgold\tmodel\tpred", "text\tlabel\tmodel\tprediction"])
    def test_are_answers_where_replies_are_numbers(self, head: str, tmp_path: Path) -> None:
        rows = [
            [f"spam {n}", gold, "ant", said] for n, (gold, said) in enumerate(zip(self.GOLD, self.SAID, strict=True))
        ]
        logs = imported(tmp_path, head, rows)
        assert [(model.name, model.here) for model in logs.models] == [("ant", 0.75)]
        assert [row["answer"] for row in logs.questions] == [*map(str, self.GOLD)]

    def test_beside_verdicts(self, tmp_path: Path) -> None:
        both = enumerate(zip(self.GOLD, self.SAID, strict=True))
        rows = [[f"spam {n}", gold, "ant", said, int(gold == said)] for n, (gold, said) in both]
        logs = imported(tmp_path, "text\tgold\tmodel\tprediction\tcorrect", rows)
        assert [(model.stated, model.here) for model in logs.models] == [(0.75, 0.75)]

    def test_with_a_column_for_each_model(self, tmp_path: Path) -> None:
        rows = [
            [f"spam {n}", gold, gold, said] for n, (gold, said) in enumerate(zip(self.GOLD, self.SAID, strict=True))
        ]
        logs = imported(tmp_path, "text\tgold\tant\tbee", rows)
        assert [(model.name, model.here) for model in logs.models] == [("ant", 1.0), ("bee", 0.75)]

    def test_are_none_where_replies_are_words(self, tmp_path: Path) -> None:
        rows = [[f"spam {n}", gold, "ant", ("ham", "spam")[gold]] for n, gold in enumerate(self.GOLD)]
        logs = imported(tmp_path, "text\tgold\tmodel\tprediction", rows)
        told = "kept.csv: gold: all answers are 0 and 1, perhaps labels whose names the file does not tell; no reference is taken"
        assert (logs.questions, logs.models[0].here) == ((), None)
        assert any(note.startswith(f"{told}: write there what replies call them") for note in logs.notes)


@pytest.mark.parametrize("words", [("True", "False"), (1, 0), ("yes", "no")])
@pytest.mark.parametrize("end", ["", "."])
def test_what_stands_for_yes_is_right_as_it_is_written(words: tuple[object, object], end: str, tmp_path: Path) -> None:
    rows = [
        [f"Is {n} so?", words[n % 2], model, f"{said[n % 2]}{end}"]
        for n in range(8)
        for model, said in (("ant", words), ("bee", ("yes", "no")), ("cat", (words[0], words[0])))
    ]
    logs = imported(tmp_path, "question\tanswer\tmodel\tresponse", rows)
    assert [(model.name, model.here) for model in logs.models] == [("ant", 1.0), ("bee", 1.0), ("cat", 0.5)]


def test_semicolons_that_may_part_answers(tmp_path: Path) -> None:
    rows = [[f"Who wrote {n}?", f"Ann {n}; Bob {n}", "ant", f"Ann {n}"] for n in range(6)]
    logs = imported(tmp_path, "question\tanswer\tmodel\treply", rows)
    assert (logs.questions, len(logs.replies)) == ((), 6)
    assert any("no reference is taken: write | between answers each of which is right" in note for note in logs.notes)
    rows = [[asked, right.replace(";", " |"), *more] for asked, right, *more in (map(str, row) for row in rows)]
    assert imported(tmp_path, "question\tanswer\tmodel\treply", rows).models[0].here == 1.0


NOTHING_TO_WRITE_IN = re.compile(r"under questions|columns: |answers: |kind: ")


@pytest.mark.parametrize(
    ("head", "row"),
    [
        ("question\tprompt\tanswer\tmodel\treply", "Who {}?\tWhat {}?\tAnn {}\tant\tAnn"),
        ("question\tanswer\tmodel\treply", "Which of {}? A) x B) y\tA\tant\tA"),
        ("question\tanswer\ttarget\tmodel\treply", "Who {}?\tAnn {}\tBob {}\tant\tAnn"),
        ("question\tanswer\tB\tA\tC\tmodel\treply", "Who {}?\t2\tx{}\ty{}\tz{}\tant\tA"),
        ("question\t__expected\tanswer\tmodel\treply", "Who {}?\tequals: Ann\tequals: Ann\tant\tAnn"),
        ("question\tanswer\timage\tmodel\treply", "Who {}?\tAnn\tfile{}.png\tant\tAnn"),
        ("question\tanswer\tpassage_text\tstory_extra\tmodel\treply", "Who {}?\tAnn\tIt is Ann.\tx\tant\tAnn"),
    ],
)
def test_no_way_out_is_one_of_an_experiment_file(head: str, row: str, tmp_path: Path) -> None:
    rows = [row.replace("{}", str(n)).split("\t") for n in range(8)]
    try:
        logs = imported(tmp_path, head, rows)
    except FileError as error:
        told = [error.problem]
    else:
        told = list(logs.notes)
    assert not any(NOTHING_TO_WRITE_IN.search(words) for words in told), told


def test_an_id_that_numbers_replies_is_told(tmp_path: Path) -> None:
    rows = [
        [2 * n + place, f"Who {n}?", "Ann", model, "Ann"]
        for n in range(3)
        for place, model in enumerate(("ant", "bee"))
    ]
    with pytest.raises(FileError, match=r"id: it numbers replies, .* 2 models .*; delete or rename id"):
        imported(tmp_path, "id\tquestion\tanswer\tmodel\treply", rows)
    assert imported(tmp_path, "nth\tquestion\tanswer\tmodel\treply", rows).models[0].here == 1.0


def test_times_that_may_be_milliseconds_are_told(tmp_path: Path) -> None:
    told = (
        "kept.csv: latency is read as seconds, and half are 812 and more: if these are milliseconds, call it latency_ms"
    )
    for seconds, head, is_told in ((812, "latency", True), (2, "latency", False), (812, "latency_ms", False)):
        logs = imported(tmp_path, f"question\tanswer\tmodel\treply\t{head}", [["Who?", "Ann", "ant", "Ann", seconds]])
        assert (told in logs.notes) is is_told
