"""Quizzes as people have them, put together from their parts: whatever is read of one has the right references, or it is refused.

A wrong column would be a wrong figure for every question, and nothing in a report would show it.
"""

from __future__ import annotations

import csv
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml

from moot.cli.app import app
from moot.cli.asked_columns import find_questions
from moot.cli.exit import run_app
from moot.data import Dataset, load
from moot.data.tables.proposal import Stated, propose_columns
from moot.errors import FileError

ROWS = 12
SAMPLED = 90
"""Files of each language, of all that can be put together."""
RIGHT, REFUSED = "right", "refused"


@dataclass(frozen=True)
class Headers:
    text: str
    stems: tuple[str, ...]
    keys: tuple[str, ...]
    others: tuple[str, ...]
    """Of columns that say nothing of what is right."""
    both: str
    """Between two letters of one cell."""


LANGUAGES = {
    "en": Headers(
        "Question",
        ("Response", "Option", ""),
        ("Correct answer(s)", "The right answer", "Answer key"),
        ("Points", "Level", "Round", "Weight", "Difficulty", "Rating", "Time limit", "Student answer"),
        " and ",
    ),
    "de": Headers(
        "Frage",
        ("Antwort", "Möglichkeit", ""),
        ("Lösung", "Richtige Antwort", "Richtig", "Lösungsbuchstabe"),
        ("Punkte", "Niveau", "Stufe", "Runde", "Gewichtung", "Schwierigkeitsgrad", "Bewertung", "Höchstpunktzahl"),
        " und ",
    ),
    "fr": Headers(
        "Question",
        ("Réponse", "Proposition", "Choix"),
        ("Bonne réponse", "Corrigé", "Réponse correcte"),
        ("Points", "Niveau", "Barème", "Difficulté", "Poids", "Manche", "Note"),
        " et ",
    ),
    "ru": Headers(
        "Вопрос",
        ("Вариант", "Ответ"),
        ("Правильный вариант", "Верный ответ", "Ключ", "Верно"),
        ("Баллы", "Уровень", "Раунд", "Вес", "Сложность вопроса", "Рейтинг", "Оценка"),
        " и ",
    ),
    "es": Headers(
        "Pregunta",
        ("Respuesta", "Alternativa"),
        ("Respuesta correcta", "Solución", "Clave correcta"),
        ("Puntos", "Nivel", "Ronda", "Dificultad", "Peso", "Puntuación", "Valoración de puntos"),
        " y ",
    ),
    "it": Headers(
        "Domanda",
        ("Risposta", "Opzione"),
        ("Risposta corretta", "Soluzione", "Risposta giusta"),
        ("Punti", "Livello", "Turno", "Difficoltà", "Peso", "Voto", "Punteggio"),
        " e ",
    ),
}
FORMS = (
    "{letter}",
    "{place}",
    "{text}",
    "{letter}) {text}",
    "{letter}. {text}",
    "({letter}) {text}",
    "{letter}: {text}",
)
ODD = (None, "two", "", "?", "keine")
BESIDE = (None, "numbers", "letters", "two of them", "without a word")
KEYS = ("named", "nameless", "missing")
ORDERS = ("last", "first", "behind")


@dataclass(frozen=True)
class Quiz:
    language: str
    stem: str
    form: str
    odd: str | None
    beside: str | None
    key: str
    order: str

    @property
    def is_plain(self) -> bool:
        """Whether everybody sees what is meant."""
        return self.key == "named" and self.odd is None

    @property
    def headers(self) -> Headers:
        return LANGUAGES[self.language]


def every_quiz(language: str) -> Iterator[Quiz]:
    for parts in product(LANGUAGES[language].stems, FORMS, ODD, BESIDE, KEYS, ORDERS):
        yield Quiz(language, *parts)


def sampled(language: str) -> list[Quiz]:
    """A third of them such as everybody reads in one way, which are a few of all."""
    draw, every = random.Random(f"quizzes in {language}"), list(every_quiz(language))
    plain = [quiz for quiz in every if quiz.is_plain]
    return [*draw.sample(plain, SAMPLED // 3), *draw.sample(every, SAMPLED - SAMPLED // 3)]


def rows_of(quiz: Quiz, draw: random.Random) -> tuple[list[str], list[list[str]], dict[str, str]]:
    """The header, the rows, and by question what is right."""
    headers = quiz.headers
    letters, numbered = "ABCD", quiz.form == "{place}" and bool(quiz.stem)
    family = [f"{quiz.stem} {end}".strip() for end in ("1234" if numbered else letters)]
    key = {"named": draw.choice(headers.keys), "nameless": "zq", "missing": None}[quiz.key]
    others = {None: 0, "two of them": 2}.get(quiz.beside, 1)
    beside = ["kx"] if quiz.beside == "without a word" else draw.sample(headers.others, others)
    rows, right = [], {}
    odd_row = draw.randrange(2, ROWS)
    for number in range(ROWS):
        text = f"{headers.text} {number}: which of these is the one that is meant?"
        choices = [f"{word} {number}" for word in ("north", "east", "south", "west")]
        place = number % 4 if number < 4 else draw.randrange(4)
        right[text] = choices[place]
        written = quiz.form.format(letter=letters[place], place=place + 1, text=choices[place])
        if quiz.odd is not None and number == odd_row:
            first, second = ("1", "2") if quiz.form == "{place}" else ("A", "B")
            two = draw.choice([f"{first};{second}", f"{first}, {second}", f"{first}{headers.both}{second}"])
            written = two if quiz.odd == "two" else quiz.odd
        drawn = [draw.randrange(4) for _ in beside]
        said = [letters[each] if quiz.beside == "letters" else str(each + 1) for each in drawn]
        cells = {headers.text: text, **dict(zip(family, choices, strict=True)), **dict(zip(beside, said, strict=True))}
        rows.append(cells | ({key: written} if key is not None else {}))
    held = [key] if key is not None else []
    names = {
        "last": [headers.text, *family, *beside, *held],
        "first": [headers.text, *held, *beside, *family],
        "behind": [headers.text, *family, *held, *beside],
    }[quiz.order]
    return names, [[row[name] for name in names] for row in rows], right


def written(path: Path, names: Sequence[str], rows: Sequence[Sequence[str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=";").writerows([names, *rows])
    return path


def verdict(dataset: Dataset, right: Mapping[str, str]) -> str:
    """That every reference is the right one, or what the first wrong one is."""
    for case in dataset:
        answer = case.answer
        if case.question.choices:
            answer = dict(zip(case.question.letters, case.question.choices, strict=True))[str(answer)]
        if answer != right[case.question.text]:
            return f"{case.question.text} {case.question.choices}: {case.answer!r}"
    return RIGHT if len(dataset) == len(right) else f"{len(dataset)} questions"


def stated_by(keys: Mapping[str, Any]) -> Stated:
    columns = {key: tuple(each) if isinstance(each, list) else each for key, each in keys.get("columns", {}).items()}
    return Stated(columns, keys.get("answers"))


def as_begun(path: Path, right: Mapping[str, str]) -> str:
    """What `moot init --yes` makes of it."""
    try:
        found = find_questions(path, path.with_suffix(".yaml"), yes=True, small=False)
    except FileError:
        return REFUSED
    if found.unsettled is not None:
        return REFUSED
    return verdict(load(path, stated=stated_by(found.written.keys)), right)


def as_run(path: Path, right: Mapping[str, str], stated: Stated) -> tuple[str, str]:
    """What a run makes of it, and what it says."""
    try:
        return verdict(load(path, stated=stated), right), ""
    except FileError as error:
        return REFUSED, str(error)


def pasted(message: str) -> Stated | None:
    found = re.search(r"such as columns: (\{.*?\})(?:[;,] |$)", message)
    return stated_by({"columns": yaml.safe_load(found[1])}) if found else None


@pytest.mark.parametrize("language", LANGUAGES)
def test_references_are_right_or_a_quiz_is_refused(language: str, tmp_path: Path) -> None:
    wrong, counted = [], {RIGHT: 0, REFUSED: 0}
    for number, quiz in enumerate(sampled(language)):
        names, rows, right = rows_of(quiz, random.Random(f"{quiz}"))
        path = written(tmp_path / f"quiz{number}.csv", names, rows)
        begun = as_begun(path, right)
        run, message = as_run(path, right, Stated())
        example = pasted(message)
        by_example = as_run(path, right, example)[0] if example is not None else REFUSED
        told = [begun, run, by_example]
        if {*told} - {RIGHT, REFUSED}:
            wrong.append((quiz, names, told))
        elif quiz.is_plain and begun != RIGHT:
            wrong.append((quiz, names, ["should be read", message]))
        else:
            counted[begun] += 1
    assert not wrong, "\n".join(map(str, wrong))
    assert min(counted.values()) > SAMPLED // 10, f"else nothing is shown: {counted}"


PLAIN = {"form": "{place}", "odd": None, "beside": "numbers", "key": "named", "order": "behind"}


@pytest.mark.parametrize(
    ("language", "parts", "read"),
    [
        ("de", {}, True),
        ("fr", {"form": "{letter}"}, True),
        ("ru", {"form": "{letter}) {text}"}, True),
        ("de", {"odd": "two"}, False),
        ("en", {"odd": "?"}, False),
        ("fr", {"key": "missing", "beside": "letters"}, False),
    ],
)
def test_the_same_by_the_command(
    language: str, parts: dict[str, Any], read: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    quiz = Quiz(language, LANGUAGES[language].stems[0], **(PLAIN | parts))
    names, rows, right = rows_of(quiz, random.Random(f"{quiz}"))
    path = written(Path("quiz.csv"), names, rows)
    assert run_app(app, ["init", "--yes", "--port", "9", "--questions", "quiz.csv"]) == (0 if read else 2)
    keys = yaml.safe_load(Path("moot.yaml").read_text(encoding="utf-8"))["questions"]
    if read:
        assert verdict(load(path, stated=stated_by(keys)), right) == RIGHT
    else:
        assert "answer" not in keys["columns"]


def cells(path: Path, header: str, *rows: Sequence[str]) -> Path:
    return written(path, header.split(";"), rows)


@pytest.mark.parametrize(
    "choices",
    [
        "A) Mars\nB) Jupiter\nC) Venus",
        "A) Mars B) Jupiter C) Venus",
        "1. Mars 2. Jupiter 3. Venus",
        "(a) Mars, (b) Jupiter, (c) Venus",
    ],
)
@pytest.mark.parametrize("answer", ["Jupiter", "B"])
def test_choices_in_one_cell_that_labels_part(choices: str, answer: str, tmp_path: Path) -> None:
    other = choices.replace("Mars", "Rome").replace("Jupiter", "Oslo").replace("Venus", "Bern")
    rows = [
        ["Which is the largest?", choices, answer],
        ["Which is in Norway?", other, answer.replace("Jupiter", "Oslo")],
    ]
    first, second = load(cells(tmp_path / "cup.csv", "question;options;answer", *rows))
    assert (first.question.choices, first.answer) == (("Mars", "Jupiter", "Venus"), "B")
    assert (second.question.choices, second.answer) == (("Rome", "Oslo", "Bern"), "B")


@pytest.mark.parametrize("choices", ["Mars, Jupiter", "Mars / Jupiter", "B) Mars A) Jupiter", "A) Mars C) Jupiter"])
def test_what_parts_choices_is_told_where_nothing_does(choices: str, tmp_path: Path) -> None:
    path = cells(
        tmp_path / "cup.csv", "question;options;answer", ["Which?", choices, "Mars"], ["Who?", choices, "Mars"]
    )
    with pytest.raises(FileError, match=r"expected choices with \| or ; between them, or with labels"):
        load(path)


def test_flags_are_no_answers(tmp_path: Path) -> None:
    flags = [[f"Which is {n}?", *(str(int(n % 4 == place)) for place in range(4)), *"wxyz"] for n in range(8)]
    path = cells(tmp_path / "cup.csv", "question;a_correct;b_correct;c_correct;d_correct;a;b;c;d", *flags)
    with pytest.raises(
        FileError, match="a_correct, b_correct, c_correct, d_correct say yes or no of one choice each"
    ) as caught:
        load(path)
    assert "such as" not in str(caught.value)


def test_a_title_above_the_names_is_told(tmp_path: Path) -> None:
    path = cells(tmp_path / "cup.csv", "Quiz 2026;;;", ["question", "A", "B", "answer"], ["Which?", "x", "y", "A"])
    with pytest.raises(FileError, match=r"row 1 names 1 of 4 columns: is it a title\?"):
        load(path)


@pytest.mark.parametrize("wrong", ['["Mars", "Venus"]', "Mars|Venus", "Mars; Venus"])
def test_wrong_choices_may_stand_in_one_column(wrong: str, tmp_path: Path) -> None:
    (case,) = load(
        cells(tmp_path / "cup.csv", "question;correct_answer;incorrect_answers", ["Which?", "Jupiter", wrong])
    )
    assert sorted(case.question.choices) == ["Jupiter", "Mars", "Venus"]
    assert case.question.choices[case.question.letters.index(str(case.answer))] == "Jupiter"
    with pytest.raises(FileError, match=r"expected wrong choices with \| or ; between them"):
        load(cells(tmp_path / "cup.csv", "question;correct_answer;incorrect_answers", ["Which?", "x", "Mars, Venus"]))


@pytest.mark.parametrize(
    "choices", ["Choose one:\nMars\nJupiter", "A) Mars, the\nred one\nB. Jupiter", "Mars\nJupiter"]
)
def test_a_line_may_be_half_a_choice_or_none_so_nothing_is_cut_there(choices: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="expected choices with"):
        load(cells(tmp_path / "cup.csv", "question;options;answer", ["Which is the largest?", choices, "B"]))


@pytest.mark.parametrize("note", ["dataset", "notes", "exam"])
def test_whoever_says_which_the_answer_is_is_told_of_choices_and_not_refused(note: str, tmp_path: Path) -> None:
    """Choices may stand in the question itself."""
    rows = [
        [f"Which? A) {one} B) {other}", letter, "x"]
        for one, other, letter in (("Oslo", "Rome", "A"), ("Bern", "Bonn", "B"))
    ]
    path = cells(tmp_path / "cup.csv", f"prompt;key;{note}", *rows)
    stated = Stated({"text": "prompt", "answer": "key"})
    assert [case.answer for case in load(path, stated=stated)] == ["A", "B"]


@pytest.mark.parametrize("header", ["Model answer", "Answer (year)", "Antwort (Jahr)", "Correct answer (unit: km)"])
def test_the_only_other_column_is_the_answer_where_a_word_of_it_says_so(header: str, tmp_path: Path) -> None:
    path = cells(
        tmp_path / "cup.csv", f"question;{header}", ["When did it end?", "1945"], ["When did it begin?", "1939"]
    )
    proposal = propose_columns(path, Stated({}))
    assert not [each for each in proposal.doubts if each.likely is None], proposal.doubts
