"""`.4s` packages: every field, what is skipped and why, variants of answers, and mistakes named by line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.data.case import read_case
from moot.data.four_s import Skipped, four_s_rows, skipped
from moot.data.four_s_text import alternatives, plain, unended, wordings
from moot.errors import FileError

PACKAGE = """\
### Кубок выдуманных вопросов

###LJ Кубок

#DATE 2024-03-09

#EDITOR Редактор — Анна Приме́рова (Вятка)

# _Спасибо тестерам._

## Тур 4SCOUNTER

? [Ведущему: не выделять голосом слово «круг».]
Геометр назвал _идеальной_ фигуру, у которой
нет ни одного угла. Какую?
! [Идеальный] Круг.
= Окружность; «Диск», «Кольцо»; по слову «кругл\\_ый» в любой форме.
!= Шар. Сфера.
/ Всё просто: у кру́га нет углов.

Это второй абзац комментария.
^
- https://example.org/Круг_(фигура)_2
- Записки \\_геометра\\_
@ Иван Выдумщик
# Перед следующим вопросом — пауза.

№ 0
? Разминка: сколько будет два и два?
! 4
@ Она же

? [Раздаточный материал: (img 001.png)]
Что на картинке?
! Кот.

> Строчка стихов
? Кто автор розданных строк?
! Никто.

? Что изображено (img w=10in h=3 file.png) здесь?
! Дом.

## Тур 4SCOUNTER

№№ 16
? Дуплет. Два вопроса по 30 секунд.
- Первая буква (screen «алфавита»|алфавита)?
- Последняя буква?
!
- А;
- Я.
= точные ответы.
^ - Азбука
@ Иван Выдумщик

? Послушайте разговор:
- Привет!
- Пока!
Сколько реплик?(PAGEBREAK)
! Две
"""


def write(folder: Path, text: str, name: str = "cup.4s") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def rows(tmp_path: Path) -> dict[str, Any]:
    return {row["id"]: row for _, row in four_s_rows(write(tmp_path, PACKAGE))}


def one(folder: Path, text: str) -> Any:
    ((_, row),) = four_s_rows(write(folder, text))
    return row


def test_every_field(rows: dict[str, Any]) -> None:
    assert rows["cup-1"] == {
        "id": "cup-1",
        "text": "Геометр назвал идеальной фигуру, у которой\nнет ни одного угла. Какую?",
        "answer": "Идеальный Круг",
        "accepted": ["Круг", "Окружность", "Диск", "Кольцо", "по слову «кругл_ый» в любой форме"],
        "rejected": ["Шар", "Сфера"],
        "comment": "Всё просто: у кру́га нет углов.\nЭто второй абзац комментария.",
        "source": "https://example.org/Круг_(фигура)_2\nЗаписки _геометра_",
        "author": "Иван Выдумщик",
        "package": "Кубок выдуманных вопросов",
        "year": 2024,
        "language": "ru",
        "lemmatize": True,
        "meta": {
            "number": "1",
            "tour": "Тур 1",
            "editor": "Редактор — Анна Приме́рова (Вятка)",
            "date": "2024-03-09",
        },
    }


def test_numbers_and_lines(tmp_path: Path) -> None:
    found = {row["id"]: line for line, row in four_s_rows(write(tmp_path, PACKAGE))}
    lines = PACKAGE.splitlines()
    assert list(found) == ["cup-1", "cup-0", "cup-16", "cup-17"], "№ leaves the counter alone, №№ sets it"
    assert all(lines[line - 1].startswith("? ") for line in found.values())


def test_what_text_cannot_carry_is_skipped_and_said(tmp_path: Path) -> None:
    found = skipped(write(tmp_path, PACKAGE))
    assert found == [
        Skipped("2", "the question has an image, sound or film", 33, "cup-2"),
        Skipped("3", "the question has a handout", 38, "cup-3"),
        Skipped("4", "the question has an image, sound or film", 41, "cup-4"),
    ]


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("? [Раздатка: слово]\nЧто?\n! X", "the question has a handout"),
        ("? [раздаточный материал]\nЧто?\n! X", "the question has a handout"),
        ("? Что?\n> слово\n! X", "the question has a handout"),
        ("? Что?\n! X\n> слово", "the question has a handout"),
        ("? Нарисуйте.\n! (img ответ.png)", "the answer is an image, sound or film"),
    ],
)
def test_reasons(question: str, reason: str, tmp_path: Path) -> None:
    path = write(tmp_path, question + "\n\n? Следующий?\n! Да\n")
    assert [each.reason for each in skipped(path)] == [reason]
    assert [row["id"] for _, row in four_s_rows(path)] == ["cup-2"]


def test_an_image_in_the_comment_is_no_reason(tmp_path: Path) -> None:
    row = one(tmp_path, "? Кто?\n! X\n/ Вот (img x.png) он.\n")
    assert row["comment"] == "Вот он."


def test_a_duplet_is_one_question(rows: dict[str, Any]) -> None:
    row = rows["cup-16"]
    assert row["text"] == "Дуплет. Два вопроса по 30 секунд.\n1. Первая буква алфавита?\n2. Последняя буква?"
    assert (row["answer"], row["accepted"]) == ("А; Я", ["1. А; 2. Я", "точные ответы"])
    assert row["meta"]["parts"] == 2
    assert row["meta"]["tour"] == "Тур 2"
    assert row["source"] == "Азбука"


def test_a_dialogue_is_not(rows: dict[str, Any]) -> None:
    assert rows["cup-17"]["text"] == "Послушайте разговор:\n- Привет!\n- Пока!\nСколько реплик?"
    assert "parts" not in rows["cup-17"]["meta"]


def test_rows_are_cases(rows: dict[str, Any]) -> None:
    case = read_case(rows["cup-1"], file="cup.4s", line=13)
    assert (case.question.language, case.lemmatize, case.year) == ("ru", True, 2024)


def test_numbers_that_begin_anew_in_each_tour(tmp_path: Path) -> None:
    text = "## Тур 1\n№№ 1\n? Раз?\n! X\n\n## Тур 2\n№№ 1\n? Два?\n! Y\n"
    assert [row["id"] for _, row in four_s_rows(write(tmp_path, text))] == ["cup-1", "cup-2.1"]


def test_byte_order_mark_windows_lines_and_tabs(tmp_path: Path) -> None:
    path = tmp_path / "cup.4s"
    path.write_bytes("\ufeff?\tКто?\r\n!\tОн.\r\n\r\n? Что?\r\nещё\r\n! Это\r\n".encode())
    first, second = (row for _, row in four_s_rows(path))
    assert (first["text"], first["answer"], second["text"]) == ("Кто?", "Он", "Что?\nещё")
    assert first["package"] == "cup"


def test_questions_without_a_blank_line_between(tmp_path: Path) -> None:
    text = "? Раз?\n! Один\n№ 7\n? Два?\n! Два\n= Двойка\n= Пара\n"
    first, second = (row for _, row in four_s_rows(write(tmp_path, text)))
    assert (first["id"], second["id"]) == ("cup-1", "cup-7")
    assert second["accepted"] == ["Двойка", "Пара"]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("? Кто?\n\n? Что?\n! X\n", 1, "question 1 has no answer"),
        ("? Кто?\n! \n", 1, "has no answer"),
        ("?\n! X\n", 1, "has no text"),
        ("### Кубок\n! X\n", 2, "an answer before any question"),
        ("? Кто?\n! X\n## Тур 2\n= Y\n", 4, "an accepted answer before any question"),
        ("Просто текст\n", 1, "a line that begins with a marker"),
        ("№№ пять\n? Кто?\n! X\n", 1, "found 'пять'"),
    ],
)
def test_mistakes(text: str, line: int, words: str, tmp_path: Path) -> None:
    path = write(tmp_path, text)
    with pytest.raises(FileError, match=words) as caught:
        list(four_s_rows(path))
    assert (caught.value.file, caught.value.line) == (path, line)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("? Кто?\n! Он\n".encode("cp1251"), "cp1251"),
        ("? Кто?\n! Он\n".encode("utf-16"), "UTF-16"),
        (b"? Who\n! caf\xe9 au lait\n", "expected UTF-8"),
    ],
)
def test_encodings(content: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "cup.4s"
    path.write_bytes(content)
    with pytest.raises(FileError, match=words):
        list(four_s_rows(path))


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("__жирный__ и _курсив_", "жирный и курсив"),
        ("____всё сразу____", "всё сразу"),
        ("пропуск ____ и ____ ещё", "пропуск ____ и ____ ещё"),
        ("~зачёркнуто~, примерно ~100", "зачёркнуто, примерно ~100"),
        ("a\\_b \\~ \\[x\\]", "a_b ~ [x]"),
        ("https://e.org/a_b_c и _это_", "https://e.org/a_b_c и это"),
        ("раз(LINEBREAK)два", "раз\nдва"),
        ("(screen Тот|тот) самый", "тот самый"),
        ("тайна (hidden-comment (вложено) потом)вся", "тайна вся"),
        ("удар`ение", "ударе\u0301ние"),
        ("(sc IV) век", "IV век"),
        ("!!Ответы: один", "один"),
        ("неразрывный\u00a0пробел", "неразрывный пробел"),
        ("смайлик \ue001 тут", "смайлик тут"),
        ("(img не закрыто", ""),
    ],
)
def test_plain(raw: str, text: str) -> None:
    assert plain(raw) == text


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Рим.", ["Рим"]),
        ("и так далее...", ["и так далее..."]),
        ("[Иван] Грозный", ["Иван Грозный", "Грозный"]),
        ("[Иван [Васильевич]] Грозный.", ["Иван Васильевич Грозный", "Иван Грозный", "Грозный"]),
        ("[по]бег", ["побег", "бег"]),
        ("Слон[ы] и кит[ы]", ["Слоны и киты", "Слоны и кит", "Слон и киты", "Слон и кит"]),
        ("[Рим]", ["Рим"]),
        ("скобка [не закрыта", ["скобка [не закрыта"]),
        ("]наоборот[", ["]наоборот["]),
    ],
)
def test_wordings(answer: str, expected: list[str]) -> None:
    assert wordings(answer) == expected


def test_sixteen_wordings_at_most() -> None:
    assert len(wordings(" ".join(f"[часть{number}]" for number in range(30)) + " конец")) == 16
    assert len(wordings("[" * 3_000 + "x" + "]" * 3_000)) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Икс; Игрек.", ["Икс", "Игрек"]),
        ("«Икс», «Игрек» и «Зет».", ["Икс", "Игрек", "Зет"]),
        ("по слову «Икс»", ["по слову «Икс»"]),
        ("по словам «Икс», «Игрек» без уточнений", ["по словам «Икс», «Игрек» без уточнений"]),
        ("Вымышленный город. Другой город. По смыслу.", ["Вымышленный город", "Другой город", "По смыслу"]),
        ("А. Б. Выдумщик", ["А. Б. Выдумщик"]),
        ("мост им. Выдумщика; проф. Выдумщик", ["мост им. Выдумщика", "проф. Выдумщик"]),
        ("«Раз; два» (или; так)", ["«Раз; два» (или; так)"]),
        ("[Большой] дом; хата", ["Большой дом", "дом", "хата"]),
        ("соль, перец", ["соль, перец"]),
    ],
)
def test_alternatives(text: str, expected: list[str]) -> None:
    assert alternatives(text) == expected


@settings(deadline=None)
@given(st.text(alphabet="аб [].;«»_\\~()\n", max_size=40))
def test_no_text_breaks_it(text: str) -> None:
    cleaned = plain(text)
    assert cleaned == cleaned.strip()
    assert len(wordings(cleaned)) <= 16
    assert all(each.strip() for each in alternatives(cleaned))
    assert not unended("слово.").endswith(".")


@settings(deadline=None)
@given(st.text(alphabet="?!=/^@#№> \nабв[]-", max_size=80))
def test_a_broken_package_is_an_error_with_a_place_or_rows(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = write(tmp_path_factory.getbasetemp(), text, "broken.4s")
    problem = None
    try:
        for line, row in four_s_rows(path):
            read_case(row, file=str(path), line=line)
    except FileError as error:
        problem = error
    assert problem is None or problem.line is not None


IN_WORDS = [
    ("! Наполеон\nЗачёт: Бонапарт; император", "Наполеон", ["Бонапарт", "император"], []),
    ("! Наполеон\nзачет: Бонапарт\nНезачёт: Кутузов", "Наполеон", ["Бонапарт"], ["Кутузов"]),
    ("! Наполеон. Зачёт: Бонапарт. Незачёт: Кутузов.", "Наполеон", ["Бонапарт"], ["Кутузов"]),
    ("! Наполеон\n= Бонапарт\nЗачёт: император", "Наполеон", ["Бонапарт", "император"], []),
    ("! Экзамен и зачёт: сессия", "Экзамен и зачёт: сессия", [], []),
    ("! Наполеон\n/ Комментарий\nЗачёт: это слово о другом", "Наполеон", [], []),
]


@pytest.mark.parametrize(("lines", "answer", "accepted", "rejected"), IN_WORDS)
def test_what_is_right_as_well_may_be_said_in_words(
    tmp_path: Path, lines: str, answer: str, accepted: list[str], rejected: list[str]
) -> None:
    path = tmp_path / "cup.4s"
    path.write_text(f"? Кто?\n{lines}\n", encoding="utf-8")
    ((_, row),) = four_s_rows(path)
    assert (row["answer"], row.get("accepted", []), row.get("rejected", [])) == (answer, accepted, rejected)
