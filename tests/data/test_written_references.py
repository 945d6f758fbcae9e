"""How references are written: what is read as what is answered, what stays as it stands, and what is asked about."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from moot.cli.asked_columns import find_questions
from moot.data import Dataset, fingerprint_of, load
from moot.data.listed_texts import listed_texts
from moot.data.solution_answers import answers_within
from moot.data.tables.proposal import NOTHING_STATED, Stated
from moot.data.written_references import AS_WRITTEN
from moot.errors import FileError
from moot.grade.match import match

SOLUTION = "First 2 + 2 = 4.\n#### 4"


def ours(folder: Path, answers: Sequence[Any], text: str = "What is {}?", **more: Any) -> Path:
    """In our own form."""
    path = folder / "cup.jsonl"
    rows = [{"id": f"q{n}", "text": text.format(n), "answer": answer, **more} for n, answer in enumerate(answers)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def theirs(folder: Path, answers: Sequence[Any], text: str = "What is {}?", answer: str = "gold") -> Path:
    path = folder / "cup.jsonl"
    rows = [{"question": text.format(n), answer: each} for n, each in enumerate(answers)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def read(dataset: Dataset) -> list[tuple[str, str | None, tuple[str, ...]]]:
    return [(case.question.kind, case.answer, case.accepted) for case in dataset]


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        ('["a", "b", "a"]', ("a", "b")),
        ("['a', 'b']", ("a", "b")),
        ("['a' 'b c'\n \"d's\"]", ("a", "b c", "d's")),
        ("['a' 'b', 'c']", ("a", "b", "c")),
        ("[\"x 'a' 'b' y\"]", ("x 'a' 'b' y",)),
        (["a", " ", "b"], ("a", "b")),
        ([["a"], ["b"]], ("a", "b")),
        ([18], ("18",)),
        ({"value": "The Liss", "aliases": ["Liss"]}, ("The Liss", "Liss")),
        ("{'text': array(['a', 'b'],\n dtype=object), 'answer_start': array([1, 2])}", ("a", "b")),
        ("{'text': array(['a'], dtype=object), 'answer_start': array([-1], dtype=int32)}", ("a",)),
        ("[1, 2]", None),
        ([1, 2], None),
        ("[2, 5)", None),
        ("[a, b]", None),
        ("['a'b']", None),
        ("[]", None),
        ([], None),
        ("{1, 2}", None),
        ({"spam": "a"}, None),
        ("a", None),
        (3, None),
        ("[" * 9_000 + "]", None),
    ],
)  # fmt: skip
def test_lists_in_cells(value: object, texts: tuple[str, ...] | None) -> None:
    assert listed_texts(value) == texts


@pytest.mark.parametrize(
    ("box", "also"),
    [
        (r"\dfrac{3}{4}", (r"\frac{3}{4}", "3/4")),
        (r"\frac12", ("1/2",)),
        (r"\frac{x+1}{2}", ("(x+1)/2",)),
        (r"1\frac{1}{2}", ("1 1/2", "3/2")),
        (r"-2\tfrac13", (r"-2\frac13", "-2 1/3", "-7/3")),
        (r"10\frac12\%", ("10 1/2%", "21/2")),
        (r"x\frac{1}{2}", ("x(1/2)",)),
        (r"\frac{1}{2}x", ("(1/2)x",)),
        (r"\frac{1}{2x}", ("1/(2x)",)),
        (r"\frac{3\pi}{4}", ("3pi/4",)),
        (r"\frac{\sqrt{3}}{2}", ("sqrt(3)/2",)),
        (r"2^3\frac{1}{2}", ("2^3(1/2)",)),
        (r"1\frac{1}{2}x", ()),
        (r"2^{n+1}", ("2^(n+1)",)),
        (r"\textbf{(B)} 12", ("(B) 12", "12", "B")),
        (r"\text{(C)}\ \ \frac{3}{4}", ("(C) 3/4", r"\frac{3}{4}", "3/4", "C")),
        (r"\mathrm{(E)}\qquad\overline{AB}", (r"\overline{AB}", "E")),
        ("(D) none of these", ("none of these", "D")),
        (r"\textbf{(B)}", ("(B)",)),
        (r"(X) 12", ()),
        (r"90^\circ", ("90",)),
        (r"\text{(C)}", ("(C)",)),
        (r"10,\!236", ("10,236",)),
        (r"\$5\%", ("5%",)),
        (r"3\sqrt{13}", ("3sqrt(13)",)),
        (r"\left[0, \infty\right)", ("[0, infinity)",)),
        (r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}", ()),
        ("18", ()),
    ],
)  # fmt: skip
def test_an_answer_in_a_box_is_written_without_tex_too(box: str, also: tuple[str, ...]) -> None:
    assert answers_within(f"So it is $\\boxed{{{box}}}$.") == (box, *also)


@pytest.mark.parametrize("write", [ours, theirs])
def test_a_set_that_keeps_its_answers_in_boxes_and_its_copy_that_does_not_are_graded_alike(
    tmp_path: Path, write: Any
) -> None:
    answers = [r"\frac{1}{2}", r"\text{Evelyn}", r"\dfrac{3}{4}", r"\left( 3, 4 \right)", r"1\frac{1}{2}"]
    answers += [r"\textbf{(B)}\ 12", r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}"]
    said = [("1/2",), ("Evelyn",), ("3/4", r"\frac34"), ("(3, 4)", "(3,4)"), ("1 1/2", "3/2", r"\tfrac{3}{2}")]
    said += [("12", "B", "(B) 12"), (r"\left.\begin{pmatrix} 1 \\ 2 \end{pmatrix}\right.",)]
    for written in (answers, [f"So it is $\\boxed{{{answer}}}$." for answer in answers]):
        dataset = load(write(tmp_path, written))
        assert any("a letter in brackets before what is said" in note for note in dataset.notes)
        for case, right in zip(dataset, said, strict=True):
            assert [match(case, each).value for each in right] == [1.0] * len(right), case
            assert match(case, "11/2").value == match(case, "D").value == 0.0


def test_a_solution_is_the_comment_of_its_answer(tmp_path: Path) -> None:
    for path in (ours(tmp_path, [SOLUTION]), theirs(tmp_path, [SOLUTION])):
        (case,) = load(path)
        assert (case.answer, case.comment) == ("4", SOLUTION)
    (case,) = load(ours(tmp_path, [SOLUTION], comment="Easy."))
    assert case.comment == "Easy."


@pytest.mark.parametrize("write", [ours, theirs])
def test_a_short_answer_may_stand_among_solutions_and_a_long_one_without_a_mark_may_not(
    tmp_path: Path, write: Any
) -> None:
    dataset = load(write(tmp_path, [SOLUTION, "5", SOLUTION]))
    assert [case.answer for case in dataset] == ["4", "5", "4"]
    assert any("what follows the last ####" in note and "(in 2 of 3 rows)" in note for note in dataset.notes)
    with pytest.raises(
        FileError, match=r":2: \w+: a solution in which no answer follows the last ####, as in 2 other rows"
    ):
        load(write(tmp_path, [SOLUTION, "First 2 + 2,\nthen 4.", SOLUTION]))


@pytest.mark.parametrize("write", [ours, theirs])
@pytest.mark.parametrize(
    ("answers", "stated", "expected"),
    [
        (["yes", "FALSE"], NOTHING_STATED, [("yes-no", "yes", ()), ("yes-no", "no", ())]),
        ([True, False], NOTHING_STATED, [("yes-no", "yes", ()), ("yes-no", "no", ())]),
        (["Y", "N"], NOTHING_STATED, [("yes-no", "yes", ()), ("yes-no", "no", ())]),
        (["Y", "Y"], NOTHING_STATED, [("open", "Y", ()), ("open", "Y", ())]),
        (["yes", "maybe"], NOTHING_STATED, [("open", "yes", ()), ("open", "maybe", ())]),
        (["yes", None], NOTHING_STATED, [("open", "yes", ()), ("open", None, ())]),
        (["yes", "no"], Stated(kind="open"), [("open", "yes", ()), ("open", "no", ())]),
        ([1, 0], Stated(kind="yes-no"), [("yes-no", "yes", ()), ("yes-no", "no", ())]),
        (["1", "0"], NOTHING_STATED, [("open", "1", ()), ("open", "0", ())]),
        (["['a', 'b']", "c"], Stated(references="lists"), [("open", "a", ("b",)), ("open", "c", ())]),
        (["['a', 'b']", "c"], Stated(references="as-written"), [("open", "['a', 'b']", ()), ("open", "c", ())]),
        ([SOLUTION], Stated(references="as-written"), [("open", SOLUTION, ())]),
        ([SOLUTION], Stated(kind="text"), [("text", SOLUTION, ())]),
        (["033", "104"], NOTHING_STATED, [("open", "033", ("33",)), ("open", "104", ())]),
        (["033", "14"], NOTHING_STATED, [("open", "033", ()), ("open", "14", ())]),
        (["[1, 2]", "[2, 5)"], NOTHING_STATED, [("open", "[1, 2]", ()), ("open", "[2, 5)", ())]),
    ],
)  # fmt: skip
def test_what_is_read_otherwise_than_it_stands(
    tmp_path: Path, write: Any, answers: list[Any], stated: Stated, expected: list[Any]
) -> None:
    assert read(load(write(tmp_path, answers), stated=stated)) == expected


def test_zero_and_one_are_no_and_yes_where_each_question_asks_so(tmp_path: Path) -> None:
    for text in ("Is {} odd?", "did they sail in {}", "Правда ли, что {} чётно?", "Чётно ли {}?"):
        assert read(load(theirs(tmp_path, ["1", "0"], text))) == [("yes-no", "yes", ()), ("yes-no", "no", ())]
    with pytest.raises(FileError, match="all answers are 0 and 1, perhaps labels whose names the file does not tell"):
        load(theirs(tmp_path, ["1", "0"] * 3))
    with pytest.raises(FileError, match="all answers are small numbers, perhaps labels"):
        load(theirs(tmp_path, ["1", "0", "2"], answer="label"))
    assert [case.answer for case in load(theirs(tmp_path, ["1", "0", "2"], answer="answer"))] == ["1", "0", "2"]
    assert [case.answer for case in load(theirs(tmp_path, ["1", "70"], answer="label"))] == ["1", "70"]


@pytest.mark.parametrize("write", [ours, theirs])
def test_lists_in_writing_beside_others_are_asked_about(tmp_path: Path, write: Any) -> None:
    with pytest.raises(
        FileError, match=r":2: \w+: 1 of the 2 answers are lists in writing, and that of line 1 is none"
    ):
        load(write(tmp_path, ["c", "['a', 'b']"]))


def test_a_question_may_say_that_its_reference_is_what_it_is(tmp_path: Path) -> None:
    assert read(load(ours(tmp_path, [SOLUTION], meta=dict(AS_WRITTEN)))) == [("open", SOLUTION, ())]
    assert read(load(ours(tmp_path, [SOLUTION], meta={"score": "listed"}))) == [("open", SOLUTION, ())]
    assert read(load(ours(tmp_path, ["yes"], kind="open"))) == [("open", "yes", ())]


def test_what_is_accepted_beside_it_stays(tmp_path: Path) -> None:
    assert read(load(ours(tmp_path, [["a", "b"]], accepted=["c", "a"]))) == [("open", "a", ("b", "c", "a"))]


def test_a_file_that_is_read_otherwise_is_another_set_and_others_are_what_they_were(tmp_path: Path) -> None:
    path = ours(tmp_path, ["yes", "no"])
    assert load(path).fingerprint != fingerprint_of(path, "en", None)
    path = ours(tmp_path, ["Paris", "Rome"])
    assert load(path).fingerprint == fingerprint_of(path, "en", None)


def test_who_begins_is_told_how_answers_of_a_file_in_our_form_are_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    find_questions(ours(tmp_path, [SOLUTION]), tmp_path / "cup.yaml", yes=True, small=False)
    said = capsys.readouterr()
    assert "answer: what follows the last #### of answer" in said.out + said.err
    assert "right: 4" in said.out + said.err


def quiz(folder: Path, lines: Sequence[str], header: str = "question\tanswer") -> Path:
    path = folder / "cup.tsv"
    path.write_text("\n".join((header, *lines)) + "\n")
    return path


@pytest.mark.parametrize(
    "header", ["question\tanswer\taccepted_answers", "question\tanswer\taliases", "Вопрос\tОтвет\tЗачёт"]
)
def test_several_accepted_answers_in_a_cell_are_each_accepted_and_that_is_said(tmp_path: Path, header: str) -> None:
    lines = [
        "Who wrote it?\tGoethe\tJ. W. Goethe; Johann Wolfgang (von; as some say) Goethe;",
        "Where?\tRome\tRoma|Urbs",
    ]
    lines += ["Who?\tTolstoy\tLeo Tolstoy", "Which firm?\tBell\tAT&amp;T; Bell Labs", "And?\tx\t"]
    dataset = load(quiz(tmp_path, lines, header))
    goethe = ("J. W. Goethe", "Johann Wolfgang (von; as some say) Goethe")
    assert [case.accepted for case in dataset] == [
        *(goethe, ("Roma", "Urbs"), ("Leo Tolstoy",), ("AT&amp;T", "Bell Labs"), ())
    ]
    column = header.rpartition("\t")[2]
    assert f"accepted: ; parts the entries of {column} (in 2 cells)" in dataset.notes[0]
    assert f"accepted: | parts the entries of {column} (in 1 cell)" in dataset.notes[0]


def test_that_commas_part_no_accepted_answers_is_said(tmp_path: Path) -> None:
    dataset = load(quiz(tmp_path, ["Who?\tGoethe\tJ. W. Goethe, Johann Wolfgang"], "question\tanswer\taliases"))
    assert [case.accepted for case in dataset] == [("J. W. Goethe, Johann Wolfgang",)]
    assert "a comma parts no entries of aliases (in 1 cell); write | or ; between them" in dataset.notes[0]


@pytest.mark.parametrize("header", ["question\tanswer", "id\ttext\tanswer"])
def test_a_reference_with_bars_is_a_list(tmp_path: Path, header: str) -> None:
    answers = ["Paris|City of Light", "Rome", "|x|", "P(A|B)", "a|b", "x || y", "{n | n > 3}"]
    first = "1\t" if header.startswith("id") else ""
    lines = [f"{first.replace('1', str(number))}What is {number}?\t{answer}" for number, answer in enumerate(answers)]
    dataset = load(quiz(tmp_path, lines, header))
    assert read(dataset) == [("open", "Paris", ("City of Light",)), *(("open", each, ()) for each in answers[1:])]
    assert any(
        "answer: | in answer parts answers, and each is accepted (in 1 of 7 rows)" in note for note in dataset.notes
    )
    as_written = load(quiz(tmp_path, lines, header), stated=Stated(references="as-written"))
    assert [case.answer for case in as_written] == answers


def test_semicolons_in_references_are_asked_about_where_several_have_them(tmp_path: Path) -> None:
    goethe, prose = "Who?\tGoethe; J. W. Goethe", f"Why?\tIt was late; {'so ' * 40}they went"
    others = [f"What is {number}?\tplain" for number in range(3)]
    assert load(quiz(tmp_path, [goethe, prose, "Loop?\tx = 1; y = 2", *others])).size == 6
    several = quiz(tmp_path, [goethe, "Where?\tRome; Roma", *others])
    with pytest.raises(
        FileError, match=r":2: answer: 2 of the 5 answers have ; between words, such as 'Goethe; J. W. Go"
    ):
        load(several)
    as_lists = load(several, stated=Stated(references="lists"))
    assert [case.accepted for case in as_lists][:3] == [("J. W. Goethe",), ("Roma",), ()]
    assert "answer: ; in answer parts answers, and each is accepted (in 2 of 5 rows)" in as_lists.notes[0]
    assert next(case.answer for case in load(several, stated=Stated(references="as-written"))) == "Goethe; J. W. Goethe"
    ours_too = quiz(tmp_path, [f"{n}\tWho {n}?\tGoethe; J. W. Goethe" for n in range(4)], "id\ttext\tanswer")
    assert {case.answer for case in load(ours_too)} == {"Goethe; J. W. Goethe"}


def test_answers_as_a_page_has_them_are_read_as_what_it_shows(tmp_path: Path) -> None:
    lines = ["Where?\t<b>Paris</b>", "Which firm?\tAT&amp;T", "How many?\t10<sup>6</sup>&nbsp;", "Who?\tBohr"]
    dataset = load(quiz(tmp_path, lines))
    assert [case.answer for case in dataset] == ["Paris", "AT&T", "10^6", "Bohr"]
    assert "tags and signs of HTML in answer are read as what a page shows (in 3 of 4 rows)" in dataset.notes[0]
    about_html = ["What is bold?\t<b>", "How is & written?\t&amp;", "And a link?\t<a>x</a>"]
    seldom = [*lines[:1], *(f"What is {number}?\tplain" for number in range(3))]
    assert [case.answer for case in load(quiz(tmp_path, about_html))] == ["<b>", "&amp;", "<a>x</a>"]
    assert next(iter(load(quiz(tmp_path, seldom)))).answer == "<b>Paris</b>"
    ours_too = quiz(tmp_path, ["1\tWhere?\t<b>Paris</b>"], "id\ttext\tanswer")
    assert [case.answer for case in load(ours_too)] == ["<b>Paris</b>"]


def test_what_a_tool_asserts_is_no_answer(tmp_path: Path) -> None:
    with pytest.raises(
        FileError, match=r":2: __expected: what promptfoo asserts .* `moot import promptfoo output.json`"
    ):
        load(quiz(tmp_path, ["Where?\tequals: Paris", "Who?\tcontains: Bohr"], "question\t__expected"))
    assert [case.answer for case in load(quiz(tmp_path, ["Where?\tParis"], "question\t__expected"))] == ["Paris"]


@pytest.mark.parametrize("write", [ours, theirs])
def test_a_solution_that_lost_the_ends_of_its_lines_still_ends_in_its_number(tmp_path: Path, write: Any) -> None:
    dataset = load(write(tmp_path, ["He pays 2+3=5. #### 5", "It costs more. #### $1,200.50", "A heading #### Title"]))
    assert [case.answer for case in dataset] == ["5", "$1,200.50", "A heading #### Title"]
