"""A free answer is read back as it was written, signs and all, out of every frame that models put it in."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.models.scripted import ScriptedModel
from moot.strategies import strategy
from moot.team import Player, Team
from moot.team.final_line import final_answer
from moot.team.reading import Announced
from moot.types import Question, Reply

OPEN = Question("q", "What is it?")
RUSSIAN = Question("q", "Что это?", language="ru")
REASONS = "We add both sides: -3 + 8 > 4, so\n- x is *small*,\n- y < 3 | y > 5.\n\n"

FRAMES = (
    "Answer: {}",
    "Answer: {}.",
    "Answer:\n{}",
    "ANSWER: {}\n",
    "**Answer:** {}",
    "**Answer: {}**",
    "**Final answer: {}**",
    "**Final answer:** **{}**",
    "Final answer: **{}**",
    "Final answer: **{}**.",
    "Final answer: `{}`",
    "Final answer:\n\n**{}**",
    'Final answer: "{}"',
    "The answer is {}.",
    "The answer is **{}**.",
    "Thus, the final answer is: {}",
    "So the answer is therefore {}.",
    "<answer>{}</answer>",
    "<answer>\n{}\n</answer>",
    "Answer: <b>{}</b>",
    "<b>Answer: {}</b>",
    "| Answer | {} |",
    "\\boxed{{{}}}",
    "Final answer: $\\boxed{{{}}}$",
    "Ответ: {}",
    "**Ответ:** {}",
    "Итак, ответ — {}.",
)
SIGNED = ("", "-", "−", "+", "±")
MAGNITUDES = (
    *("5", "0.5", ".5", "1/2", "3 1/2", "1,000", "5 °C", "50%", "$5", "√3", "x", "2x", "π", "∞", "10⁶", "10^-3", "5!"),
    *("\\frac{1}{2}", "(a + b)", "|x|", "x/y", "1:2", "5'", '4"', "f'(x)"),
)
COMPARED = (
    "x < 3",
    "x<3",
    "x > -3",
    "x>=3",
    "x ≤ -1/2",
    "<5",
    ">5",
    "≥ -5",
    "a ≠ b",
    "-1 < x < 1",
    "~p",
    "¬p",
    "p -> q",
)
SETS = ("(0, 1]", "[-1, 1)", "{1, 2}", "(-∞, 3)", "(-1, 2)", "[UNKNOWN]")
CODE = (
    "C#",
    "C++",
    "F#",
    "*p",
    "int*",
    "i++",
    "--verbose",
    "-v",
    "#include",
    "#1",
    "List<int>",
    "<h1>",
    "a && b",
    "a || b",
)
WORDS = (
    "Paris",
    "Right",
    "Still Life",
    "The Who",
    "the right bank",
    "J. R. R. Tolkien",
    "Wi-Fi",
    "Then",
    "Option",
    "AC/DC",
)
ANSWERS = (*(sign + size for sign, size in product(SIGNED, MAGNITUDES)), *COMPARED, *SETS, *CODE, *WORDS)


async def announced(text: str, question: Question = OPEN) -> str | None:
    return (await Announced().read(question, Reply(text), Team("t", ()))).answer


@pytest.mark.parametrize("frame", FRAMES)
def test_an_answer_is_read_back_out_of_its_frame(frame: str) -> None:
    wrong = {}
    for answer, before in product(ANSWERS, ("", REASONS)):
        if '"' in answer and '"' in frame:
            continue
        read = final_answer(before + frame.format(answer), OPEN)
        if read != answer:
            wrong[answer] = read
    assert not wrong


async def test_an_answer_by_itself_is_the_answer() -> None:
    read = {answer: await announced(answer) for answer in ANSWERS if answer != "<h1>"}
    assert {answer: found for answer, found in read.items() if found != answer} == {}


@pytest.mark.parametrize("text", ["[1, 2", "```json", "I think {", "[note] It depends", '{"answer": ', "{'a': 1}"])
async def test_what_begins_something_else_is_no_answer(text: str) -> None:
    assert await announced(text) is None


numbers = st.one_of(
    st.integers(-(10**6), 10**6).map(str),
    st.decimals(-1000, 1000, allow_nan=False, places=2).map(str),
    st.tuples(st.integers(-99, 99), st.integers(1, 99)).map(lambda pair: f"{pair[0]}/{pair[1]}"),
)
letters = st.sampled_from("xyznkabAπθ")
terms = st.one_of(
    numbers,
    letters,
    letters.map("-{}".format),
    st.tuples(numbers, letters).map("".join),
    letters.map("√{}".format),
    letters.map("|{}|".format),
)
formulas = st.tuples(terms, st.sampled_from(["+", "-", "*", "/", "^", "<", ">", "≤", "≥", "=", "≠"]), terms).map(
    " ".join
)
intervals = st.tuples(st.sampled_from("[("), numbers, numbers, st.sampled_from("])")).map(
    lambda parts: f"{parts[0]}{parts[1]}, {parts[2]}{parts[3]}"
)
names = st.from_regex(r"[A-Za-z][a-z]{1,6}(\+\+|#|\(\)|\[0\]|<int>|\.[a-z]{2,4})?", fullmatch=True)
answers = st.one_of(numbers, terms, formulas, intervals, names)


@settings(deadline=None, max_examples=300)
@given(answers, st.sampled_from(FRAMES), st.sampled_from(["", REASONS, "It is so.\n"]))
def test_whatever_the_answer(answer: str, frame: str, before: str) -> None:
    if any(word in answer.casefold() for word in ("none", "both", "either", "nothing", "answer", "unknown")):
        return  # these say that there is no answer, or announce one
    assert final_answer(before + frame.format(answer), OPEN) == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Answer: - Paris", "Paris"),
        ("Answer:\n- Paris", "Paris"),
        ("Answer:\n\n- 5", "- 5"),
        ("Answer: > 5", "> 5"),
        ("Answer:\n* 5", "5"),
        ("Answer:\n> Paris", "Paris"),
        ("Answer:- 5", "5"),
        ("Answer: - 5", "- 5"),
        ("Answer: - x", "- x"),
        ("Answer --> 5", "5"),
        ("Answer => -5", "-5"),
        ("Answer – 5", "5"),
        ("Answer = -5", "-5"),
        ("### Final Answer\n-5", None),
        ("### Final Answer:\n# Paris", "Paris"),
        ("Final answer:\n```\n-5\n```", "-5"),
        ("Final answer: probably -5", "-5"),
        ("The answer is most likely the Louvre.", "the Louvre"),
        ('"The answer is -5."', "-5"),
        ("(Answer: -5)", "-5"),
        ("Final answer: \\(-5\\)", "-5"),
        ("Final answer: $-5$", "-5"),
        ("Final answer: $$x < 3$$", "x < 3"),
        ("The answer is *Paris.* It lies on the Seine.", "Paris"),
        ('The answer is "-5." It is below zero.', "-5"),
        ("Paris is a city, and the answer must satisfy x > 3", None),
        ("The answer x<=3", None),
        ("Final answer: Paris</answer>", "Paris"),
        ("Final answer: Paris<br>", "Paris"),
        ('Answer: "Imagine" by John Lennon', '"Imagine" by John Lennon'),
    ],
)
def test_frames_and_bullets_are_no_part_of_it(text: str, answer: str | None) -> None:
    assert final_answer(text, OPEN) == answer


def test_in_russian() -> None:
    assert final_answer("Складываем.\n\nОтвет: -5", RUSSIAN) == "-5"
    assert final_answer("Ответ: −1/2.", RUSSIAN) == "−1/2"
    assert final_answer("Итак, ответ – 5.", RUSSIAN) == "5"
    assert final_answer("Ответ: - Париж", RUSSIAN) == "Париж"


@pytest.mark.parametrize(
    ("options", "text", "answer"),
    [
        (("5", "7"), "Answer: -5", None),
        (("5", "-5"), "Answer: -5", "B"),
        (("5", "7"), "Answer: >5", None),
        (("5", ">5"), "Answer: > 5", None),
        (("5", ">5"), "Answer: >5", "B"),
        (("√3", "-√3"), "The answer is -√3.", "B"),
        (("√3", "2"), "The answer is -√3.", None),
        (("x", "|x|"), "Answer: |x|", "B"),
        (("Java", "C#", "Ada"), "C#", "B"),
        (("Java", "C#", "Ada"), "Answer: C#", "B"),
        (("Java", "C", "Ada"), "Answer: C#", None),
        (("Java", "C++", "Ada"), "**Answer: C++**", "B"),
        (("Rome", "Paris"), "Answer: - Paris", "B"),
        (("Rome", "Paris"), "Answer: - B", "B"),
        (("Rome", "Paris"), "Answer: <b>B</b>", "B"),
        (("Rome", "Paris"), "Answer: <b>Paris</b>", "B"),
        (("Rome", "Paris"), "<answer>Paris</answer>", "B"),
        (("Rome", "Paris"), "| Answer | Paris |", "B"),
    ],
)
def test_an_option_is_not_another_for_its_sign(options: tuple[str, ...], text: str, answer: str | None) -> None:
    assert final_answer(text, Question("q", "Which?", choices=options, kind="choice")) == answer


@pytest.mark.parametrize("text", ["Answer: <b>yes</b>", "<answer>yes</answer>", "Answer: - yes", "**Answer: yes**"])
def test_yes_and_no(text: str) -> None:
    assert final_answer(text, Question("q", "Is it?", kind="yes-no")) == "yes"


async def test_what_is_no_single_plain_line_is_not_taken_for_an_answer() -> None:
    for text in ("", "***", "<", "-", "{}", "<think>", "Let me see.\n-5", "What do you mean?"):
        assert await announced(text) is None
    assert await announced("**Paris**") == "Paris"
    assert await announced("- Paris") == "Paris"
    assert await announced("<b>-5</b>") == "-5"


@pytest.mark.parametrize("said", ["Answer: -5", "-5", "**Final answer: -5**", "<answer>-5</answer>"])
async def test_a_player_who_answers_in_free_words_keeps_the_minus(said: str) -> None:
    model = ScriptedModel("m", lambda request: said)
    team = Team("t", (Player("ann", model),))
    played = strategy("solo", {"drafts": "double-call"})
    (lineup,) = played.lineups(team)
    verdict = await played.play(OPEN, lineup.seated())
    assert (verdict.answer, verdict.outcome) == ("-5", "answered")
