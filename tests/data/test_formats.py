"""Published formats, each from a small file as its authors write it: the case that comes out, and what a bad row says."""

from __future__ import annotations

import csv
import gzip
import json
import sys
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import polars
import pytest
from installing import bring

from moot.data import Dataset, load_published
from moot.data.formats import dataset_format, registered
from moot.data.published import Published
from moot.data.sample import sample_size
from moot.errors import FileError, UsageError
from moot.types import Case

Write = Callable[[Path], Path]


def as_json(name: str, document: Any) -> Write:
    def write(folder: Path) -> Path:
        path = folder / name
        text = json.dumps(document, ensure_ascii=False).encode()
        path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
        return path

    return write


def as_jsonl(name: str, *rows: Any) -> Write:
    def write(folder: Path) -> Path:
        text = "".join(json.dumps(row) + "\n" for row in rows).encode()
        (folder / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
        return folder / name

    return write


def as_csv(name: str, *lines: list[str]) -> Write:
    def write(folder: Path) -> Path:
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(lines)
        return folder / name

    return write


def as_parquet(name: str, *rows: Any) -> Write:
    def write(folder: Path) -> Path:
        polars.DataFrame(list(rows)).write_parquet(folder / name)
        return folder / name

    return write


def cases(path: Path, name: str, *, seed: int = 0, choices: int | None = None) -> list[Case]:
    return list(load_published(path, dataset_format(name, seed=seed, choices=choices)))


def right_choice(case: Case) -> str:
    return case.question.choices[case.question.letters.index(case.answer or "")]


MMLU_LINE = ["What is 2 + 2?", "3", "4", "five, or so", "22", "B"]
PRO = {
    "question_id": 70,
    "question": "Which?",
    "options": ["one", "two", "three"],
    "answer": "B",
    "answer_index": 1,
    "category": "business",
    "src": "ori_mmlu-business_ethics",
    "cot_content": "",
}
GPQA_HEAD = ["Question", "Correct Answer", "Incorrect Answer 1", "Incorrect Answer 2", "Incorrect Answer 3"]
GPQA_HEAD += ["Explanation", "High-level domain", "Writer's Difficulty Estimate", "Record ID"]
GPQA_LINE = ["Which\nparticle?", "the right one", "w1", "w2", "w3", "Because.", "Physics", "Hard", "rec1"]
STRATEGY = {"qid": "q1", "term": "Caracal", "description": "a cat", "question": "Can it?", "answer": False}
STRATEGY |= {"facts": ["A caracal is a cat.", "Cats bend."], "decomposition": ["What is it?"], "evidence": []}
STORY = {
    "context": "Once there was a zoo.",
    "questions": [{"question": "Who?", "answer": 1, "choices": ["Ann", "Bob"]}],
}
MUSR_ROW = {"narrative": "Once.", "question": "Who?", "choices": "['Ann', \"Bob's\"]", "answer_index": "1"}
QAS = [
    {"id": "s1", "question": "When?", "is_impossible": False}
    | {"answers": [{"text": "in 1066", "answer_start": 3}, {"text": "1066", "answer_start": 6}, {"text": "1066"}]},
    {"id": "s2", "question": "Why?", "answers": [], "is_impossible": True, "plausible_answers": [{"text": "war"}]},
]
SQUAD = {"version": "v2.0", "data": [{"title": "Normans", "paragraphs": [{"context": "It was in 1066.", "qas": QAS}]}]}
SQUAD_ROW = {"id": "s1", "title": "Normans", "context": "It was in 1066.", "question": "When?"}
MC1 = {
    "question": "Do pigs fly?",
    "mc1_targets": {"No": 1, "Yes": 0, "At night": 0},
    "mc2_targets": {"No": 1, "Yes": 0},
}
MC1_HUB = {"question": "Do pigs fly?", "mc1_targets": {"choices": ["No", "Yes", "At night"], "labels": [1, 0, 0]}}
MC1_CSV = (
    ["Type", "Category", "Question", "Best Answer", "Correct Answers", "Incorrect Answers", "Source"],
    ["Adversarial", "Animals", "Do pigs fly?", "No", "No; Never", "Yes; At night", "a book"],
)
AIME = {"ID": "2024-I-1", "Problem": "Find n.", "Solution": "n = 25", "Answer": 25}
CLADDER = {"question_id": 16, "desc_id": "x", "given_info": "P is 35%.", "question": "Will it?", "answer": "no"}
CLADDER |= {"reasoning": "…", "meta": {"query_type": "ate", "rung": 2, "model_id": 7, "graph_id": "IV"}}


def mmlu_folder(folder: Path) -> Path:
    for subject in ("college_physics", "world_religions"):
        as_csv(f"{subject}_test.csv", MMLU_LINE, [*MMLU_LINE[:5], "D"])(folder)
    return folder


class TestMmlu:
    def test_a_folder_of_subjects(self, tmp_path: Path) -> None:
        found = cases(mmlu_folder(tmp_path), "mmlu")
        assert [case.question.id for case in found] == [
            *("college_physics-1", "college_physics-2", "world_religions-1", "world_religions-2"),
        ]
        assert found[0].question.choices == ("3", "4", "five, or so", "22")
        assert [case.answer for case in found] == ["B", "D", "B", "D"]
        assert found[0].category == "college_physics"

    def test_one_file(self, tmp_path: Path) -> None:
        (case,) = cases(as_csv("anatomy_val.csv", MMLU_LINE)(tmp_path), "mmlu")
        assert (case.question.id, case.category) == ("anatomy-1", "anatomy")

    def test_rows_with_choices(self, tmp_path: Path) -> None:
        row = {"question": "Which?", "subject": "anatomy", "choices": ["a", "b", "c", "d"], "answer": 2}
        (case,) = cases(as_parquet("test.parquet", row)(tmp_path), "mmlu")
        assert (case.answer, case.category) == ("C", "anatomy")

    def test_the_stem_subjects(self, tmp_path: Path) -> None:
        found = cases(mmlu_folder(tmp_path), "mmlu-stem")
        assert {case.category for case in found} == {"college_physics"}

    def test_bad_rows(self, tmp_path: Path) -> None:
        with pytest.raises(
            FileError, match=r"law_test\.csv:2: answer: expected one of the letters A, B, C, D, found 'E'"
        ):
            cases(as_csv("law_test.csv", MMLU_LINE, [*MMLU_LINE[:5], "E"])(tmp_path), "mmlu")
        with pytest.raises(FileError, match=r"law_test\.csv:1: more cells than the 6 columns"):
            cases(as_csv("law_test.csv", [*MMLU_LINE, "!"])(tmp_path), "mmlu")
        with pytest.raises(FileError, match=r"law_test\.csv:1: C: expected a text"):
            cases(as_csv("law_test.csv", MMLU_LINE[:3])(tmp_path), "mmlu")

    def test_an_empty_folder(self, tmp_path: Path) -> None:
        with pytest.raises(FileError, match=r"no file in it that ends with \.json"):
            cases(tmp_path, "mmlu")


class TestMmluPro:
    @pytest.mark.parametrize(
        "write", [as_parquet("t.parquet", PRO), as_jsonl("t.jsonl", PRO), as_jsonl("t.jsonl.gz", PRO)]
    )
    def test_a_row(self, write: Write, tmp_path: Path) -> None:
        (case,) = cases(write(tmp_path), "mmlu-pro")
        assert (case.question.id, case.question.choices, case.answer) == ("70", ("one", "two", "three"), "B")
        assert (case.category, case.source) == ("business", "ori_mmlu-business_ethics")

    @pytest.mark.parametrize(
        ("change", "problem"),
        [
            ({"answer": "D", "answer_index": None}, "answer: expected one of the letters A, B, C, found 'D'"),
            ({"answer_index": 0}, "answer_index: says another choice than the answer 'B'"),
            ({"answer_index": 5}, "answer_index: expected 0 to 2, found 5"),
            ({"options": "one"}, "options: expected a list"),
            ({"options": None}, "options: expected a list"),
            ({"options": ["one"], "answer_index": None}, "choices: expected 2 to 26 choices, found 1"),
            ({"question": " "}, "question: expected a text that is not empty"),
            ({"question_id": None}, "question_id: expected a text"),
        ],
    )
    def test_bad_rows(self, change: dict[str, Any], problem: str, tmp_path: Path) -> None:
        path = as_jsonl("t.jsonl", PRO, {**PRO, "question_id": 71, **change})(tmp_path)
        with pytest.raises(FileError) as error:
            cases(path, "mmlu-pro")
        assert f"t.jsonl:2: {problem}" in str(error.value)

    def test_the_same_id_twice(self, tmp_path: Path) -> None:
        with pytest.raises(FileError, match=r"t\.jsonl:2: id: '70' is the question of line 1 already"):
            cases(as_jsonl("t.jsonl", PRO, PRO)(tmp_path), "mmlu-pro")


class TestGpqa:
    def test_the_choices_are_shuffled_by_the_seed(self, tmp_path: Path) -> None:
        lines = [[*GPQA_LINE[:8], f"rec{number}"] for number in range(40)]
        path = as_csv("gpqa_diamond.csv", GPQA_HEAD, *lines)(tmp_path)
        one, again, other = cases(path, "gpqa", seed=1), cases(path, "gpqa", seed=1), cases(path, "gpqa", seed=2)
        assert one == again
        assert [case.answer for case in one] != [case.answer for case in other]
        assert {case.answer for case in one} == set("ABCD"), "each question has an order of its own"
        assert {right_choice(case) for case in one} == {"the right one"}
        assert all(sorted(case.question.choices) == ["the right one", "w1", "w2", "w3"] for case in one)
        assert (one[0].question.id, one[0].category, one[0].difficulty) == ("rec0", "Physics", "Hard")
        assert one[0].question.text == "Which\nparticle?"

    def test_what_a_set_is_includes_the_order(self, tmp_path: Path) -> None:
        path = as_csv("gpqa_diamond.csv", GPQA_HEAD, GPQA_LINE, [*GPQA_LINE[:8], "rec2"])(tmp_path)
        prints = {load_published(path, dataset_format("gpqa", seed=seed)).fingerprint for seed in range(5)}
        assert len(prints) > 1
        assert load_published(path, dataset_format("gpqa")).fingerprint in prints

    def test_bad_rows(self, tmp_path: Path) -> None:
        with pytest.raises(FileError, match=r"g\.csv:2: Incorrect Answer 3: expected a text that is not empty"):
            cases(as_csv("g.csv", GPQA_HEAD, [*GPQA_LINE[:4], "", *GPQA_LINE[5:]])(tmp_path), "gpqa")


class TestYesNo:
    def test_strategyqa(self, tmp_path: Path) -> None:
        (case,) = cases(as_json("strategyqa_train.json", [STRATEGY])(tmp_path), "strategyqa")
        assert (case.question.id, case.question.kind, case.answer) == ("q1", "yes-no", "no")
        assert case.comment == "A caracal is a cat. Cats bend."
        assert case.question.context is None, "facts and description would give the answer away"

    def test_strategyqa_flat(self, tmp_path: Path) -> None:
        row = {**STRATEGY, "answer": True, "facts": "A cat. Cats bend."}
        (case,) = cases(
            as_parquet("s.parquet", {key: row[key] for key in ("qid", "question", "answer", "facts")})(tmp_path),
            "strategyqa",
        )
        assert (case.answer, case.comment) == ("yes", "A cat. Cats bend.")

    def test_strategyqa_bad(self, tmp_path: Path) -> None:
        with pytest.raises(FileError, match=r"s\.json:2: answer: expected true or false, found 'maybe'"):
            cases(as_json("s.json", [STRATEGY, {**STRATEGY, "answer": "maybe"}])(tmp_path), "strategyqa")

    def test_cladder_with_the_background_of_its_model(self, tmp_path: Path) -> None:
        as_json("cladder-v1-meta-models.json", [{"model_id": 7, "background": "Imagine a world."}])(tmp_path)
        (case,) = cases(as_json("cladder-v1-q-easy.json", [CLADDER])(tmp_path), "cladder")
        assert (case.question.id, case.question.kind, case.answer) == ("16", "yes-no", "no")
        assert (case.question.text, case.question.context) == ("Will it?", "Imagine a world.\n\nP is 35%.")
        assert (case.category, case.difficulty) == ("ate", "rung 2")

    def test_cladder_without_it_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(FileError, match=r"cladder-v1-meta-models\.json: expected this file"):
            cases(as_json("c.json", [CLADDER])(tmp_path), "cladder")

    def test_cladder_unknown_model(self, tmp_path: Path) -> None:
        as_json("cladder-v1-meta-models.json", [{"model_id": 8, "background": "Another."}])(tmp_path)
        with pytest.raises(
            FileError, match=r"c\.json:1: model_id: cladder-v1-meta-models\.json has no background for 7"
        ):
            cases(as_json("c.json", [CLADDER])(tmp_path), "cladder")

    def test_cladder_as_on_the_hub(self, tmp_path: Path) -> None:
        row = {"id": 3, "prompt": "Imagine. Will it?", "label": "yes", "rung": 1, "query_type": "marginal"}
        (case,) = cases(as_parquet("full.parquet", row)(tmp_path), "cladder")
        assert (case.question.text, case.answer, case.category) == ("Imagine. Will it?", "yes", "marginal")
        with pytest.raises(FileError, match="label: expected yes or no, found 'Yes!'"):
            cases(as_parquet("full.parquet", {**row, "label": "Yes!"})(tmp_path), "cladder")


class TestMusr:
    def test_a_story_with_its_questions(self, tmp_path: Path) -> None:
        (case,) = cases(as_json("murder_mysteries.json", [STORY])(tmp_path), "musr")
        assert (case.question.id, case.category) == ("murder_mysteries-1.1", "murder_mysteries")
        assert (case.question.context, case.question.text) == ("Once there was a zoo.", "Who?")
        assert (case.question.choices, case.answer) == (("Ann", "Bob"), "B")

    def test_csv_with_a_list_as_python_writes_it(self, tmp_path: Path) -> None:
        (case,) = cases(as_csv("all.csv", list(MUSR_ROW), list(MUSR_ROW.values()))(tmp_path), "musr")
        assert (case.question.choices, case.answer, case.question.context) == (("Ann", "Bob's"), "B", "Once.")

    def test_bad_rows(self, tmp_path: Path) -> None:
        for change, problem in [
            ({"choices": "__import__('os')"}, "choices: expected a list"),
            ({"answer_index": "2"}, "answer_index: expected 0 to 1, found 2"),
            ({"answer_index": "-1"}, "answer_index: expected a whole number, found '-1'"),
        ]:
            row = {**MUSR_ROW, **change}
            with pytest.raises(FileError) as error:
                cases(as_csv("all.csv", list(row), list(row.values()))(tmp_path), "musr")
            assert f"all.csv:2: {problem}" in str(error.value)
        with pytest.raises(FileError, match=r"m\.json:1: questions: expected an object"):
            cases(as_json("m.json", [{**STORY, "questions": ["Who?"]}])(tmp_path), "musr")


class TestSquad:
    def test_as_the_authors_nest_it(self, tmp_path: Path) -> None:
        first, second = cases(as_json("dev-v2.0.json", SQUAD)(tmp_path), "squad")
        assert (first.question.id, first.question.kind, first.question.context) == ("s1", "open", "It was in 1066.")
        assert (first.answer, first.accepted, first.category) == ("in 1066", ("1066",), "Normans")
        assert (second.answer, second.accepted) == (None, ())
        assert first.meta == second.meta == {"score": "f1"}

    @pytest.mark.parametrize(("texts", "answer"), [(["in 1066", "1066"], "in 1066"), ([], None)])
    def test_as_on_the_hub(self, texts: list[str], answer: str | None, tmp_path: Path) -> None:
        row = {**SQUAD_ROW, "answers": {"text": texts, "answer_start": [0] * len(texts)}}
        (case,) = cases(as_jsonl("v.jsonl", row)(tmp_path), "squad")
        assert case.answer == answer

    def test_bad_rows(self, tmp_path: Path) -> None:
        with pytest.raises(FileError, match=r"v\.jsonl:1: answers: expected a list of answers"):
            cases(as_jsonl("v.jsonl", SQUAD_ROW)(tmp_path), "squad")
        with pytest.raises(FileError, match="answers: expected an answer, since is_impossible is false"):
            cases(as_jsonl("v.jsonl", {**SQUAD_ROW, "answers": [], "is_impossible": False})(tmp_path), "squad")
        with pytest.raises(FileError, match=r'd\.json: expected a list of objects, or \{"data"'):
            cases(as_json("d.json", {"version": "v2.0"})(tmp_path), "squad")


class TestTruthfulQa:
    @pytest.mark.parametrize(
        "write",
        [
            as_json("mc_task.json", [MC1]),
            as_jsonl("v.jsonl", MC1_HUB),
            as_parquet("v.parquet", MC1_HUB),
            as_csv("t.csv", *MC1_CSV),
        ],
    )
    def test_one_true_answer(self, write: Write, tmp_path: Path) -> None:
        (case,) = cases(write(tmp_path), "truthfulqa")
        assert right_choice(case) == "No"
        assert sorted(case.question.choices) == ["At night", "No", "Yes"]

    def test_it_does_not_stand_first_always(self, tmp_path: Path) -> None:
        found = cases(as_json("mc_task.json", [MC1] * 30)(tmp_path), "truthfulqa", seed=3)
        assert {case.answer for case in found} == set("ABC")

    def test_more_choices_than_there_are_letters(self, tmp_path: Path) -> None:
        head, line = MC1_CSV
        many = [*line[:5], "; ".join(f"no {number}" for number in range(30)), line[6]]
        with pytest.raises(FileError, match=r"t\.csv:2: choices: expected 2 to 26 choices, found 31"):
            cases(as_csv("t.csv", head, many)(tmp_path), "truthfulqa")

    def test_bad_rows(self, tmp_path: Path) -> None:
        for targets in ({"No": 1, "Yes": 1}, {"No": 0, "Yes": 0}, {"No": 1}, {"No": 1, "Yes": 2}):
            with pytest.raises(FileError, match=r"mc_task\.json:1: mc1_targets: expected one answer labelled 1"):
                cases(as_json("mc_task.json", [{**MC1, "mc1_targets": targets}])(tmp_path), "truthfulqa")


class TestAime:
    def test_open(self, tmp_path: Path) -> None:
        (case,) = cases(as_parquet("aime_2024.parquet", AIME)(tmp_path), "aime")
        assert (case.question.id, case.question.kind, case.answer) == ("2024-I-1", "open", "25")
        assert case.accepted == ("025",)

    def test_other_spellings_of_the_columns(self, tmp_path: Path) -> None:
        row = {"id": 60, "problem": "Find n.", "solution": "…", "answer": "025", "url": "…", "year": "2024"}
        (case,) = cases(as_jsonl("train.jsonl", row)(tmp_path), "aime")
        assert (case.question.id, case.answer, case.year) == ("60", "25", 2024)
        head = ["ID", "Year", "Problem Number", "Question", "Answer", "Part"]
        (case,) = cases(as_csv("AIME.csv", head, ["1983-1", "1983", "1", "Find m.", "60", ""])(tmp_path), "aime")
        assert (case.question.id, case.question.text, case.answer, case.year) == ("1983-1", "Find m.", "60", 1983)

    def test_five_choices(self, tmp_path: Path) -> None:
        rows = [{**AIME, "ID": str(number), "Answer": number % 1000} for number in range(200)]
        path = as_jsonl("a.jsonl", *rows)(tmp_path)
        found = cases(path, "aime", seed=5, choices=5)
        assert found == cases(path, "aime", seed=5, choices=5)
        assert found != cases(path, "aime", seed=6, choices=5)
        for row, case in zip(rows, found, strict=True):
            numbers = [int(choice) for choice in case.question.choices]
            assert len(set(numbers)) == 5, "no number twice, so no wrong choice equals the answer"
            assert all(0 <= number <= 999 for number in numbers)
            assert int(right_choice(case)) == row["Answer"]
        assert {case.answer for case in found} == set("ABCDE")

    def test_no_choice_that_cannot_be_an_answer(self, tmp_path: Path) -> None:
        rows = [{**AIME, "ID": str(number), "Answer": number} for number in range(1000)]
        path = as_jsonl("a.jsonl", *rows)(tmp_path)
        offered = [{int(choice) for choice in case.question.choices} for case in cases(path, "aime", choices=5)]
        assert max(set().union(*offered)) == 999
        # An olympiad's answers may be above 999, so there it is a choice; and the choices beside it are those of before.
        of_imo = [{int(choice) for choice in case.question.choices} for case in cases(path, "imo", choices=5)]
        assert max(set().union(*of_imo)) == 1000
        assert all(one == other for one, other in zip(offered, of_imo, strict=True) if 1000 not in other)

    def test_bad_rows(self, tmp_path: Path) -> None:
        for answer, problem in [
            (1000, "expected 0 to 999, found 1000"),
            (-1, "expected 0 to 999, found -1"),
            ("n + 1", "expected a whole number, found 'n + 1'"),
        ]:
            with pytest.raises(FileError) as error:
                cases(as_jsonl("a.jsonl", {**AIME, "Answer": answer})(tmp_path), "aime")
            assert f"a.jsonl:1: Answer: {problem}" in str(error.value)


class TestImo:
    def test_any_whole_number(self, tmp_path: Path) -> None:
        for answer, read in (
            (25, "25"),
            (1000, "1000"),
            (-7, "-7"),
            ("−12", "-12"),
            ("2024.0", "2024"),
            (10**12, str(10**12)),
            ("1" * 40, "1" * 40),
        ):
            (case,) = cases(as_jsonl("a.jsonl", {**AIME, "Answer": answer})(tmp_path), "imo")
            assert (case.question.kind, case.answer, case.accepted) == ("open", read, ())

    def test_five_choices(self, tmp_path: Path) -> None:
        rows = [{**AIME, "ID": str(number), "Answer": number * 37 - 2000} for number in range(100)]
        found = cases(as_jsonl("a.jsonl", *rows)(tmp_path), "imo", seed=5, choices=5)
        for row, case in zip(rows, found, strict=True):
            assert int(right_choice(case)) == row["Answer"]
            others = [int(choice) for choice in case.question.choices if int(choice) != row["Answer"]]
            assert len(set(others)) == 4
            assert all(0 <= number <= 1000 for number in others)

    def test_bad_rows(self, tmp_path: Path) -> None:
        for answer in ("n + 1", "1/2", "--3", "-", "3.5"):
            with pytest.raises(FileError, match="Answer: expected a whole number"):
                cases(as_jsonl("a.jsonl", {**AIME, "Answer": answer})(tmp_path), "imo")


def test_unknown_formats_name_the_closest() -> None:
    with pytest.raises(UsageError, match=r"'mmlu_pro' is unknown; expected one of aime, .*did you mean 'mmlu-pro'"):
        dataset_format("mmlu_pro")


def test_choices_only_where_they_can_be_made() -> None:
    with pytest.raises(UsageError, match="format 'gpqa' takes no number of choices"):
        dataset_format("gpqa", choices=5)


def test_a_format_is_called_as_in_the_file() -> None:
    assert {name: dataset_format(name).name for name in registered()} == {name: name for name in registered()}


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("q.txt", "", "unknown kind of file '.txt'; expected .json, .jsonl, .csv, .parquet or a folder"),
        ("q.json", "[1]", "q.json:1: expected an object"),
        ("q.json", "[", "not valid JSON"),
        ("q.jsonl", "[]\n", "q.jsonl:1: expected an object"),
        ("q.jsonl", "nonsense", "q.jsonl:1: not valid JSON"),
        ("q.json.gz", "not gzipped", "cannot be read: Not a gzipped file"),
        ("q.parquet", "not parquet", "not a readable Parquet file"),
        ("q.csv", 'question\n"never closed', "not valid CSV"),
    ],
)
def test_files_that_cannot_be_read(name: str, text: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(FileError) as error:
        cases(tmp_path / name, "mmlu-pro")
    assert problem in str(error.value)
    assert name in str(error.value)


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file or folder"):
        cases(tmp_path / "none.json", "musr")


@pytest.mark.long
def test_a_large_file_is_not_held_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("moot.data.KEPT_BYTES", 0)

    def peak(count: int) -> int:
        path = tmp_path / f"{count}.jsonl"
        with path.open("w") as file:
            for number in range(count):
                file.write(json.dumps({**PRO, "question_id": number, "question": "long " * 400}) + "\n")
        tracemalloc.start()
        dataset: Dataset = load_published(path, dataset_format("mmlu-pro"), sample=50)
        assert sum(1 for _ in dataset) == 50
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    assert peak(1_500) < peak(300) + 1_000_000  # 1,200 more texts are 2.4 MB; ids alone are kept


@pytest.mark.parametrize(
    ("population", "size"), [(14_042, 374), (12_032, 373), (546, 226), (2_290, 330), (250, 152), (11_873, 373)]
)
def test_a_sample_that_stands_for_the_set(population: int, size: int) -> None:
    assert sample_size(population) == size


def test_small_sets_are_taken_whole(tmp_path: Path) -> None:
    assert [sample_size(n) for n in (1, 2, 10)] == [1, 2, 10]
    with pytest.raises(ValueError, match="at least one"):
        sample_size(0)
    rows = [{**PRO, "question_id": number} for number in range(250)]
    dataset = load_published(as_jsonl("t.jsonl", *rows)(tmp_path), dataset_format("mmlu-pro"), sample="auto", seed=3)
    assert len(dataset) == len(list(dataset)) == 152


@dataclass(frozen=True)
class Riddles:
    """A format that another package might bring."""

    name: ClassVar[str] = "riddles"
    columns: ClassVar[tuple[str, ...]] = ()

    def cases(self, row: Published) -> Iterator[Mapping[str, Any]]:
        yield {"id": row.needed("no"), "text": row.needed("riddle"), "answer": row.needed("solution")}


def test_formats_of_others(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    module = ModuleType("riddles_of_others")
    module.Riddles = Riddles  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "riddles_of_others", module)
    bring(monkeypatch, "moot.datasets", {"riddles": "riddles_of_others:Riddles"})
    path = as_jsonl("r.jsonl", {"no": 1, "riddle": "What has keys?", "solution": "a piano"})(tmp_path)
    (case,) = cases(path, "riddles")
    assert (case.question.id, case.answer) == ("1", "a piano")
