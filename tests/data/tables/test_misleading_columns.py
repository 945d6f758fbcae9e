"""Tables of which a column is called something that it is not: each is read rightly, or refused with a line to write.

Every question would be asked, or graded, against the wrong thing, and no figure would show it.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from moot.cli.asked_columns import find_questions
from moot.data import Dataset, load
from moot.data.tables.advised_columns import WHICH_COLUMN
from moot.data.tables.proposal import NOTHING_STATED, Stated, propose_columns
from moot.errors import FileError

ROWS = (
    ("Der größte Planet ist der", ("Mars", "Jupiter", "Venus", "Saturn"), 1),
    ("Die Hauptstadt von Frankreich ist", ("Paris", "Rom", "Madrid", "Berlin"), 0),
    ("Das Zeichen von Gold lautet", ("Ag", "Fe", "Pb", "Au"), 3),
    ("Der längste Fluss von Afrika heißt", ("Kongo", "Niger", "Nil", "Sambesi"), 2),
    ("Das Tier mit dem längsten Hals ist", ("Giraffe", "Katze", "Kuh", "Maus"), 0),
    ("Nennen Sie die Beine einer Spinne:", ("vier", "acht", "sechs", "zehn"), 1),
    ("Wer schrieb Faust?", ("Kant", "Marx", "Heine", "Goethe"), 3),
    ("Wie heißt der höchste Berg?", ("K2", "Lhotse", "Everest", "Eiger"), 2),
)
RIGHT = {text: choices[place] for text, choices, place in ROWS}
WHY = "Das steht in allen Büchern und wird auch in der Schule gelehrt, seit vielen Jahren schon, in jedem Land."

Cells = Callable[[int, str, Sequence[str], int], dict[str, Any]]
"""Of a row: its number, text, choices and the place of the right one."""


def filled(path: Path, cells: Cells) -> Path:
    rows = [cells(number, *row) for number, row in enumerate(ROWS)]
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return path
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]), delimiter=";")
        table.writeheader()
        table.writerows(rows)
    return path


def wrong(dataset: Dataset) -> list[tuple[str, str | None]]:
    """The questions with what they would be graded against, where that is not what is right."""
    found = []
    for case in dataset:
        answer = case.answer
        if case.question.choices:
            answer = dict(zip(case.question.letters, case.question.choices, strict=True))[str(answer)]
        if RIGHT.get(case.question.text) != answer:
            found.append((case.question.text, answer))
    return found


def by_yaml(keys: Mapping[str, Any]) -> Stated:
    columns = {key: tuple(each) if isinstance(each, list) else each for key, each in keys.get("columns", {}).items()}
    return Stated(columns, keys.get("answers"))


def begun(path: Path) -> str:
    """What `moot init --yes` makes of it."""
    found = find_questions(path, path.with_suffix(".yaml"), yes=True, small=False)
    if found.unsettled is not None:
        return "refused"
    dataset = load(path, stated=by_yaml(found.written.keys))
    return "right" if not wrong(dataset) else str(wrong(dataset))


def apart(names: Sequence[str], choices: Sequence[str]) -> dict[str, str]:
    return dict(zip(names, choices, strict=True))


ABCD = ["A", "B", "C", "D"]


@pytest.mark.parametrize(
    ("question", "why", "stem", "key"),
    [
        ("Frage", "Erklärung", "Antwort", "Lösung"),
        ("Satz", "Erklärung", "Antwort", "Lösung"),
        ("Frage", "Begründung der Frage", "Antwort", "Richtige Antwort"),
        ("Énoncé", "Explication", "Proposition", "Bonne réponse"),
        ("Pregunta", "Explicación", "Opción", "Respuesta correcta"),
        ("Domanda", "Spiegazione", "Opzione", "Risposta corretta"),
        ("Вопрос викторины", "Примечание", "Версия", "Правильный ответ"),
        ("Item", "Rationale", "Response", "Answer key"),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_an_explanation_is_no_question(
    question: str, why: str, stem: str, key: str, first: bool, tmp_path: Path
) -> None:
    def cells(number: int, text: str, choices: Sequence[str], place: int) -> dict[str, Any]:
        told = {why: f"{WHY} {choices[place]}"}
        row = {question: text, **apart([f"{stem} {each}" for each in ABCD], choices), key: ABCD[place]}
        return told | row if first else row | told

    path = filled(tmp_path / "quiz.csv", cells)
    assert begun(path) == "right"
    with pytest.raises(FileError) as caught:
        load(path)
    assert f"'{why}' could be it" not in str(caught.value)


def test_of_two_that_could_be_asked_the_longer_one_is_not_taken(tmp_path: Path) -> None:
    path = filled(
        tmp_path / "quiz.csv",
        lambda number, text, choices, place: {
            "Merksatz": f"{WHY} {number}",
            "Satz": text,
            "Lösung": choices[place],
        },
    )
    assert begun(path) == "refused"


@pytest.mark.parametrize("header", ["Question id", "Frage Nr.", "Fragennummer"])
def test_a_number_is_no_question_whatever_it_is_called(header: str, tmp_path: Path) -> None:
    path = filled(
        tmp_path / "quiz.csv",
        lambda number, text, choices, place: {header: f"Q{number}", "Satz": text, "Lösung": choices[place]},
    )
    assert begun(path) == "right"


OPTIONS = ["option_a", "option_b", "option_c", "option_d"]


def of_a_log(number: int, text: str, choices: Sequence[str], place: int) -> dict[str, Any]:
    row = {"question": text, **apart(OPTIONS, choices)}
    return row | {"given": ABCD[place if number % 3 else (place + 1) % 4], "correct": int(number % 3 != 0)}


def test_whether_somebody_knew_it_is_no_position(tmp_path: Path) -> None:
    path = filled(tmp_path / "log.csv", of_a_log)
    with pytest.raises(FileError, match="correct: all answers are 0 or 1, though there are up to 4 choices"):
        load(path)
    assert begun(path) == "refused"
    dataset = load(path, stated=Stated(answers="from-0"))
    assert [case.answer for case in dataset][:2] == ["A", "B"], "whoever says that they are positions is believed"


def test_a_few_rows_are_enough_where_the_name_may_be_of_a_verdict(tmp_path: Path) -> None:
    rows = [("x", 0), ("y", 1), ("z", 1)]
    text = "".join(f"Which {each}?,r,s,t,{place}\n" for each, place in rows)
    for name, refused in (("correct", True), ("correct_answer", False)):
        (tmp_path / "cup.csv").write_text(f"question,A,B,C,{name}\n{text}")
        assert bool(propose_columns(tmp_path / "cup.csv").doubts) == refused


@pytest.mark.parametrize("said", [(0, 1), ("true", "false"), ("ja", "nein")])
@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_nor_beside_what_is_right(said: tuple[Any, Any], ending: str, tmp_path: Path) -> None:
    path = filled(
        tmp_path / f"log.{ending}",
        lambda *row: of_a_log(*row) | {"correct": said[row[0] % 2], "Lösung": ABCD[row[3]]},
    )
    with pytest.raises(FileError, match="2 columns could be answer: correct and Lösung") as caught:
        load(path)
    assert "such as columns: {answer: Lösung}" in str(caught.value)
    assert begun(path) == "right"


@pytest.mark.parametrize("said", [("true", "false"), (True, False), ("1", "0"), ("yes", "no")])
@pytest.mark.parametrize(("reply", "read"), [("final_answer", "right"), ("reply", "refused"), ("given", "refused")])
def test_a_verdict_is_no_answer_to_open_questions(said: tuple[Any, Any], reply: str, read: str, tmp_path: Path) -> None:
    path = filled(
        tmp_path / "log.jsonl",
        lambda number, text, choices, place: {
            "question": text,
            reply: choices[place],
            "correct": said[number % 2],
            "round": str(number),
        },
    )
    with pytest.raises(FileError, match=r"could be answer|says yes or no in every row"):
        load(path)
    assert begun(path) == read


@pytest.mark.parametrize(
    "header", ["question,correct", "question,answer,note", "question,correct,chapter", "question,correct,explanation"]
)
def test_questions_of_true_or_false_are_played(header: str, tmp_path: Path) -> None:
    rows = "".join(f"Is {n} odd?,{'yes' if n % 2 else 'no'},w{n}\n" for n in range(8))
    names = [*header.split(","), "chapter"][:3]
    (tmp_path / "cup.csv").write_text(f"{','.join(names)}\n{rows}")
    assert [case.answer for case in load(tmp_path / "cup.csv")][:2] == ["no", "yes"]


def one_cell(names: Sequence[str], cell: Callable[[Sequence[str]], str], first: int) -> Cells:
    question, choices_in, key = names
    return lambda number, text, choices, place: {question: text, choices_in: cell(choices), key: place + first}


POINTED_AT: dict[str, Cells] = {
    "bars": one_cell(("question", "answers", "correct"), "|".join, 1),
    "bars from 0": one_cell(("question", "answers", "correct"), "|".join, 0),
    "semicolons": one_cell(("question", "possible_answers", "answer"), "; ".join, 1),
    "commas": one_cell(("question", "possible_answers", "answer"), ", ".join, 1),
    "lines": one_cell(("question", "possible_answers", "answer"), "\n".join, 1),
    "a list of Python": one_cell(("question", "answers", "correct"), lambda choices: str(list(choices)), 0),
    "columns": lambda number, text, choices, place: {
        "question": text,
        **apart(["first", "second", "third", "fourth"], choices),
        "correct": place + 1,
    },
}


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
@pytest.mark.parametrize("kind", POINTED_AT)
def test_positions_of_choices_that_nobody_named(kind: str, ending: str, tmp_path: Path) -> None:
    """They would be open questions, graded against a number."""
    path = filled(tmp_path / f"quiz.{ending}", POINTED_AT[kind])
    with pytest.raises(
        FileError, match=r"no column is known to be choices, though the answers \(\w+\) could be"
    ) as caught:
        load(path)
    told = yaml.safe_load(str(caught.value).partition("such as columns: ")[2].partition(", or choices: null")[0])
    if kind not in ("commas", "lines"):
        assert wrong(load(path, stated=by_yaml({"columns": told}))) == []
    assert begun(path) in (("refused",) if kind in ("commas", "lines", "columns") else ("right",))
    assert wrong(load(path, stated=Stated({"choices": None}))), "whoever says that there are none is believed"


def test_what_is_to_be_pasted_names_such_choices_with_the_answer(tmp_path: Path) -> None:
    path = filled(tmp_path / "quiz.csv", one_cell(("Frage", "Antworten", "Lösung"), " | ".join, 1))
    with pytest.raises(FileError, match=r"such as columns: {text: Frage, choices: Antworten, answer: Lösung}"):
        load(path)
    letters = filled(
        tmp_path / "letters.csv",
        lambda number, text, choices, place: {"Frage": text, "Antworten": "/".join(choices), "Lösung": ABCD[place]},
    )
    with pytest.raises(FileError, match=f"choices: {WHICH_COLUMN}, answer: Lösung"):
        load(letters)


@pytest.mark.parametrize(
    "beside", [{}, {"teacher": "Ann"}, {"teacher": "Ann", "school": "Rome"}, {"hint": "a, b, c"}, {"asked": "4, 5"}]
)
def test_sums_are_still_played(beside: dict[str, str], tmp_path: Path) -> None:
    rows = [{"question": f"What is {n} + 1?", "answer": n + 1, **beside} for n in range(7)]
    path = tmp_path / "sums.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert [case.answer for case in load(path)] == [str(n + 1) for n in range(7)]


@pytest.mark.parametrize(
    ("known", "other", "right_one"),
    [
        ("label", "answer_text", "answer_text"),
        ("reference", "answer_text", "answer_text"),
        ("reference", "Lösung", "Lösung"),
        ("target", "final_answer", "final_answer"),
        ("expected", "Right", "Right"),
        ("answer", "Richtig", None),
        ("output", "final_answer", "final_answer"),
    ],
)
@pytest.mark.parametrize("with_choices", [True, False])
def test_a_header_that_plainly_says_what_is_right_is_not_passed_over(
    known: str, other: str, right_one: str | None, with_choices: bool, tmp_path: Path
) -> None:
    def cells(number: int, text: str, choices: Sequence[str], place: int) -> dict[str, Any]:
        row = {"question": text} | (apart(ABCD, choices) if with_choices else {})
        said = (
            {known: number % 4 + 1, other: ABCD[place]}
            if with_choices
            else {known: f"S. {number}", other: choices[place]}
        )
        return row | said

    path = filled(tmp_path / "quiz.csv", cells)
    with pytest.raises(FileError, match=f"2 columns could be answer: {known} and {other}; say which") as caught:
        load(path)
    assert f"such as columns: {{answer: {right_one or WHICH_COLUMN}}}" in str(caught.value)
    assert begun(path) == ("right" if right_one is not None else "refused")
    assert not wrong(load(path, stated=Stated({"answer": other})))


@pytest.mark.parametrize(
    ("other", "cell"),
    [
        ("Right answer text", lambda choices, place: choices[place]),
        ("answer explained", lambda choices, place: WHY),
        ("Lösungsweg", lambda choices, place: f"{WHY} {choices[place]}"),
        ("Correct in words", lambda choices, place: f"{WHY} {choices[place]}"),
        ("answer_start", lambda choices, place: "2"),
        ("student answer", lambda choices, place: ABCD[(place + 1) % 4]),
        ("answer_idx", lambda choices, place: str(place + 1)),
        ("Alternative answer", lambda choices, place: choices[place - 1]),
        ("correct_pct", lambda choices, place: "3"),
        ("is_correct", lambda choices, place: "true" if place else "false"),
        ("Richtig", lambda choices, place: "1" if place % 2 else "0"),
    ],
)
def test_what_says_the_same_or_no_answer_at_all_is_no_rival(
    other: str, cell: Callable[[Sequence[str], int], str], tmp_path: Path
) -> None:
    path = filled(
        tmp_path / "quiz.csv",
        lambda number, text, choices, place: {
            "question": text,
            **apart(ABCD, choices),
            "answer": ABCD[place],
            other: cell(choices, place),
        },
    )
    assert not wrong(load(path))


@pytest.mark.parametrize("known", ["answer", "Correct answer", "Ответ"])
@pytest.mark.parametrize(
    "other",
    [
        *("gpt4_answer", "Claude answer", "human_answer", "previous_answer", "answer_de", "short_answer", "Alt Answer"),
        *("normalized_answer", "answer_sentence", "answer_notes", "gold_passage", "right_context", "Correct spelling"),
        *("worked solution", "solution_path", "Ключевые слова", "Правильный ответ (англ.)", "Also correct"),
    ],
)
def test_what_stands_beside_an_answer_that_is_called_so_keeps_no_table_from_being_read(
    known: str, other: str, tmp_path: Path
) -> None:
    path = filled(
        tmp_path / "quiz.csv",
        lambda number, text, choices, place: {"question": text, known: choices[place], other: choices[place - 1]},
    )
    assert not wrong(load(path))


def test_choices_in_the_question_itself_are_no_open_question(tmp_path: Path) -> None:
    path = filled(
        tmp_path / "quiz.csv",
        lambda number, text, choices, place: {
            "question": "\n".join([text, *(f"{letter}) {each}" for letter, each in zip(ABCD, choices, strict=False))]),
            "answer": ABCD[place],
        },
    )
    with pytest.raises(FileError, match="the choices stand in the question") as caught:
        load(path)
    assert "columns: {choices: null}" in str(caught.value)
    assert len({case.answer for case in load(path, stated=Stated({"choices": None}))}) > 1


def test_several_right_answers_in_a_cell_are_no_choice(tmp_path: Path) -> None:
    """As TruthfulQA has them: all that is right would be one choice, which gives itself away."""
    path = filled(
        tmp_path / "quiz.csv",
        lambda number, text, choices, place: {
            "Question": text,
            "Best Answer": choices[place],
            "Correct Answers": f"{choices[place]}; It is {choices[place]}",
            "Incorrect Answers": "; ".join(each for each in choices if each != choices[place]),
        },
    )
    with pytest.raises(FileError, match="Correct Answers holds several right answers in one cell") as caught:
        load(path, stated=Stated({"answer": "Correct Answers"}))
    assert "format: truthfulqa" in str(caught.value)
    cases = load(path, stated=Stated({"answer": "Best Answer"}))
    assert [len(case.question.choices) for case in cases] == [4] * len(cases)


def test_a_verdict_is_not_taken_in_place_of_a_weak_name(tmp_path: Path) -> None:
    path = filled(
        tmp_path / "log.csv",
        lambda number, text, choices, place: {
            "question": text,
            **apart(ABCD, choices),
            "target": ABCD[place],
            "Richtig": number % 2,
        },
    )
    assert begun(path) == "refused"
    assert not wrong(load(path, stated=Stated({"answer": "target"})))


@pytest.mark.parametrize("code", ["Q{}", "{}", "Question {}", "2026-{}", "{}."])
def test_a_number_of_a_question_is_not_asked(code: str, tmp_path: Path) -> None:
    path = filled(
        tmp_path / "quiz.csv",
        lambda number, text, choices, place: {
            "Question": code.format(number + 1),
            "Body": text,
            "Note": WHY,
            **apart(ABCD, choices),
            "Answer": ABCD[place],
        },
    )
    with pytest.raises(FileError, match="Question has nothing but numbers and codes, and Body has sentences") as caught:
        load(path)
    assert "such as columns: {text: Body}" in str(caught.value)
    assert begun(path) == "right"
    assert load(path, stated=Stated({"text": "Question"})), "whoever says so is believed"


def test_sums_that_look_like_codes_are_asked(tmp_path: Path) -> None:
    rows = "".join(f"{n}-3,{n - 3},it is done by taking three away from {n}\n" for n in range(3, 9))
    (tmp_path / "sums.csv").write_text(f"question,answer,explanation\n{rows}")
    assert next(iter(load(tmp_path / "sums.csv"))).question.text == "3-3"


@pytest.mark.parametrize(
    ("cell", "choices"),
    [
        ("A) Mars|B) Jupiter|C) Venus", ("Mars", "Jupiter", "Venus")),
        ("(a) Mars | (b) Jupiter | (c) Venus", ("Mars", "Jupiter", "Venus")),
        ('["A. Mars", "B. Jupiter", "C. Venus"]', ("Mars", "Jupiter", "Venus")),
        ("1) Mars;2) Jupiter;3) Venus", ("Mars", "Jupiter", "Venus")),
        ("A) Mars|Jupiter|C) Venus", ("A) Mars", "Jupiter", "C) Venus")),
        ("1. Mai|2. Juni|3. Juli", ("1. Mai", "2. Juni", "3. Juli")),
        ("A. Jarry|B. Brecht", ("A. Jarry", "B. Brecht")),
        ("A) x|B) x|C) y", ("A) x", "B) x", "C) y")),
    ],
)
def test_labels_before_all_choices_are_no_part_of_them(cell: str, choices: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "cup.jsonl"
    for answer, right in (
        ("B", "B"),
        (json.loads(cell)[1] if cell[0] == "[" else cell.replace(";", "|").split("|")[1], "B"),
    ):
        path.write_text(json.dumps({"question": "Which?", "options": cell, "answer": answer}) + "\n")
        (case,) = load(path, stated=NOTHING_STATED)
        assert (case.question.choices, case.answer) == (choices, right)


def test_wrong_choices_in_spanish(tmp_path: Path) -> None:
    path = filled(
        tmp_path / "quiz.csv",
        lambda number, text, choices, place: {
            "Pregunta": text,
            "Respuesta correcta": choices[place],
            **apart([f"Incorrecta {n}" for n in (1, 2, 3)], [*choices[:place], *choices[place + 1 :]]),
        },
    )
    found = find_questions(path, tmp_path / "quiz.yaml", yes=True, small=False)
    dataset = load(path, stated=by_yaml(found.written.keys))
    assert not wrong(dataset)
    assert {len(case.question.choices) for case in dataset} == {4}


def test_points_of_each_choice_are_no_answer(tmp_path: Path) -> None:
    path = filled(
        tmp_path / "quiz.csv",
        lambda number, text, choices, place: {
            "question": text,
            **apart(ABCD, choices),
            **{f"w{each + 1}": 100 * (each == place) for each in range(4)},
        },
    )
    with pytest.raises(FileError, match="w1, w2, w3, w4 say yes or no of one choice each") as caught:
        load(path)
    assert "could be it" not in str(caught.value)
