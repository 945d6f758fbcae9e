"""Replies as models really write them: what is taken, what is asked for again, and that reading never takes long."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from moot.team.forms import AnswerForm, GivenAnswer, Unusable, read_reply, settle
from moot.types import Question, Reply

OPEN = Question("q", "Which city is the capital of France?")
CHOICE = Question("q", "Which city?", choices=("London", "Paris", "Rome", "Bern"), kind="choice")
RUSSIAN = Question("q", "Какой город?", choices=("Лондон", "Париж", "Рим", "Берн"), kind="choice", language="ru")
YES_NO = Question("q", "Is Paris in France?", kind="yes-no")


def read(text: str, question: Question = OPEN, finish: str = "stop") -> GivenAnswer:
    return read_reply(Reply(text, finish), AnswerForm(question)).value


def problem(text: str, question: Question = OPEN, finish: str = "stop") -> str:
    with pytest.raises(Unusable) as caught:
        read(text, question, finish)
    return caught.value.problem


PARIS = '{"reasoning": "known", "answer": "Paris"}'

TAKEN = {
    "strict": (PARIS, False),
    "blanks": (f"\n\n  {PARIS}\n", False),
    "thoughts": (f'<think>maybe {{"answer": "Rome"}}</think>\n{PARIS}', False),
    "thinking": (f"<Thinking>hm</Thinking>{PARIS}", False),
    "thoughts-without-beginning": (f'or {{"answer": "Rome"}}?\n</think>\n\n{PARIS}', False),
    "fence": (f"```json\n{PARIS}\n```", True),
    "fence-without-language": (f"Here:\n```\n{PARIS}\n```\nDone.", True),
    "thoughts-then-fence": (f"<think>x</think>\n```json\n{PARIS}\n```", True),
    "prose": (f"Sure! {PARIS} I hope this helps {{:-)}}.", True),
    "latex-before": (rf"As \frac{{1}}{{2}} shows: {PARIS}", True),
    "line-breaks-in-string": ('{"reasoning": "one\ntwo", "answer": "Paris"}', True),
    "trailing-comma": ('{"reasoning": "known", "answer": "Paris",}', True),
    "trailing-comma-after-object": ('{"reasoning": {"step": 1}, "answer": "Paris",}', True),
    "single-quotes": ("{'reasoning': 'known', 'answer': 'Paris'}", True),
    "keys-without-quotes": ('{reasoning: "known", answer: "Paris"}', True),
    "bad-escape": (r'{"reasoning": "\alpha", "answer": "Paris"}', True),
    "twice-the-same": (f"{PARIS}\n{PARIS}", True),
    "other-object-beside": (f'The set {{"a": 1}} matters. {PARIS}', True),
    "in-a-list": (f"[{PARIS}]", True),
    "more-keys": ('{"confidence": 0.9, "reasoning": "", "answer": "Paris"}', False),
    "reasoning-list": ('{"reasoning": ["a"], "answer": " Paris "}', False),
    "no-reasoning": ('{"answer": "Paris"}', False),
}


@pytest.mark.parametrize(("text", "repaired"), TAKEN.values(), ids=TAKEN)
def test_taken(text: str, repaired: bool) -> None:
    taken = read_reply(Reply(text), AnswerForm(OPEN))
    assert taken.value.answer == "Paris"
    assert taken.repaired is repaired


UNUSABLE = {
    "empty": ("", "empty"),
    "blank": (" \n\t", "empty"),
    "words": ("Paris.", "no-json"),
    "only-thoughts": (f"<think>I would say {PARIS}", "no-json"),
    "nothing-after-thoughts": (f"<think>{PARIS}</think>", "no-json"),
    "string": ('"Paris"', "no-json"),
    "number": ("42", "no-json"),
    "list": ('["Paris"]', "no-json"),
    "null": ("null", "no-json"),
    "null-answer": ('{"reasoning": "?", "answer": null}', "no-field"),
    "empty-answer": ('{"reasoning": "?", "answer": " "}', "no-field"),
    "no-answer": ('{"reasoning": "?"}', "no-field"),
    "list-answer": ('{"answer": ["Paris"]}', "no-field"),
    "nested-answer": ('{"answer": {"answer": "Paris"}}', "no-field"),
    "nested": ('{"result": {"answer": "Paris"}}', "no-field"),
    "nan": ('{"answer": NaN}', "no-field"),
    "infinite": ('{"answer": -Infinity}', "no-field"),
    "two-that-differ": ('{"answer": "Paris"} or rather {"answer": "Rome"}', "many"),
    "two-fences": ('```json\n{"answer": "Paris"}\n```\n```json\n{"answer": "Rome"}\n```', "many"),
    "two-with-single-quotes": ("{'answer': 'Paris'} {'answer': 'Rome'}", "no-json"),
    "cut-but-said-to-be-whole": ('{"reasoning": "known", "answer": "Par', "no-json"),
    "cut-after-a-brace": ('{"reasoning": "the set {x} is", "answer": "Par', "no-field"),
    "inside-a-broken-one": ('{"draft": {"answer": "Paris"}, "x" ' + "y" * 5000 + "}", "no-json"),
}


@pytest.mark.parametrize(("text", "expected"), UNUSABLE.values(), ids=UNUSABLE)
def test_asked_again(text: str, expected: str) -> None:
    assert problem(text) == expected


CUT = [
    '{"reasoning": "known", "answer": "Par',
    '{"reasoning": "known", "answer": "Paris"',
    '{"reasoning": "the set {x} is", "answer": "Par',
    f"{PARIS}\nAs I said, the ci",
    "{'answer': 'Paris'}, that is",
    "<think>one could",
    "<think>x</think>",
    "",
]


def test_the_answer_of_a_broken_object_is_not_that_of_an_object_inside_it() -> None:
    assert read('{"draft": {"answer": "Paris"}, "answer": "Rome",}').answer == "Rome"


@pytest.mark.parametrize("text", CUT)
def test_a_reply_that_was_cut_is_never_completed(text: str) -> None:
    assert problem(text, finish="length") == "cut"


def test_a_whole_reply_of_exactly_the_length_allowed_counts() -> None:
    assert read(PARIS, finish="length").answer == "Paris"


NUMBERS = {"42": "42", "-1": "-1", "3.5": "3.5", "42.0": "42", "1e3": "1000", "true": "true", "false": "false"}


@pytest.mark.parametrize(("value", "expected"), NUMBERS.items(), ids=NUMBERS)
def test_numbers_and_truth_values_are_written_out(value: str, expected: str) -> None:
    assert read(f'{{"answer": {value}}}').answer == expected


LETTERS = {
    **dict.fromkeys(("B", "b", "(b)", "B.", "B)", " **B** ", '"B"', "[B]", "`B`"), "B"),
    **dict.fromkeys(("B) Paris", "(B) Paris", "B. Paris.", "b: paris", "**B) Paris"), "B"),
    **dict.fromkeys(("Paris", "paris.", "«Paris»", "  PARIS "), "B"),
    "Rome": "C",
}
NO_LETTERS = [
    "Based on the map, D",
    "The answer is B",
    "Option B",
    "B) Rome",
    "A) is wrong, so B",
    "B or C",
    "A/B",
    "AB",
    "E",
    "Z",
    "1",
    "Paris, I think",
    "not B",
    "≠B",
    "-",
    "I don't know",
    "B" * 100_000,
    "(" * 100_000,
]


@pytest.mark.parametrize(("answer", "letter"), LETTERS.items(), ids=LETTERS)
def test_letters(answer: str, letter: str) -> None:
    assert read(json.dumps({"answer": answer}), CHOICE).answer == letter


@pytest.mark.parametrize("answer", NO_LETTERS, ids=lambda answer: answer[:20])
def test_a_letter_is_never_picked_out_of_words(answer: str) -> None:
    assert problem(json.dumps({"answer": answer}), CHOICE) == "no-letter"


def test_an_option_that_looks_like_another_letter() -> None:
    people = Question("q", "Who?", choices=("B. Franklin", "A. Lincoln"), kind="choice")
    assert settle("A. Lincoln", people) == "B"
    assert settle("B. Franklin", people) == "A"
    assert settle("A", people) == "A"


def test_two_options_of_the_same_words_need_the_letter() -> None:
    twins = Question("q", "?", choices=("x", "X"), kind="choice")
    with pytest.raises(Unusable, match="no-letter"):
        settle("x y", twins)
    assert settle("A", twins) == "A"


LOOK_ALIKES = {"А": "A", "а": "A", "С": "C", "с)": "C", "Париж": "B", "B": "B", "D) Берн": "D"}


@pytest.mark.parametrize(("answer", "letter"), LOOK_ALIKES.items(), ids=LOOK_ALIKES)
def test_cyrillic_letters_that_can_only_be_one_option(answer: str, letter: str) -> None:
    assert settle(answer, RUSSIAN) == letter


@pytest.mark.parametrize("answer", ["В", "Б", "Г", "Е", "Я"])
def test_cyrillic_letters_that_could_be_two_options_or_none_are_asked_again(answer: str) -> None:
    """В looks like B, and is the third of А, Б, В."""
    with pytest.raises(Unusable, match="no-letter"):
        settle(answer, RUSSIAN)


def test_with_two_options_only_the_look_alike_is_left() -> None:
    assert settle("В", Question("q", "?", choices=("да", "нет"), kind="choice", language="ru")) == "B"


AGREED = {"yes": "yes", "No.": "no", "YES!": "yes", "да": "yes", "«Нет»": "no", "true": "yes", "**no**": "no"}
AGREED |= {
    "Yes, it is.": "yes",
    "No, it isn't!": "no",
    "«Да, это так.»": "yes",
    "Нет, это не так": "no",
    "No, they did not": "no",
}


@pytest.mark.parametrize(("answer", "word"), AGREED.items(), ids=AGREED)
def test_yes_and_no(answer: str, word: str) -> None:
    assert settle(answer, YES_NO) == word


def test_a_truth_value_is_yes_or_no_where_that_is_asked() -> None:
    assert read('{"answer": true}', YES_NO).answer == "yes"
    assert problem('{"answer": true}', CHOICE) == "no-letter"


@pytest.mark.parametrize(
    "answer",
    [
        "I don't agree",
        "not yes",
        "yes and no",
        "нет, да",
        "agree",
        "maybe",
        "y",
        "No, it is",
        "Yes, it is not",
        "да, но это не так",
    ],
)
def test_other_words_are_neither_yes_nor_no(answer: str) -> None:
    assert problem(json.dumps({"answer": answer}), YES_NO) == "no-yes-no"


def test_what_no_store_can_hold_is_replaced() -> None:
    taken = read(r'{"reasoning": "\u0000", "answer": "a\ud800b \ud83d\ude00"}')
    assert taken == GivenAnswer("a\ufffdb 😀", "\ufffd")


def test_the_schema_names_what_is_allowed() -> None:
    allowed = [AnswerForm(each).schema["properties"]["answer"].get("enum") for each in (OPEN, CHOICE, YES_NO)]
    assert allowed == [None, ["A", "B", "C", "D"], ["yes", "no"]]


# --- any text at all -------------------------------------------------------------------------------------------------

PIECES = [*"{}[]\"':,\\ntu01.e-`\n <>/B", "```json", "</think>", '"answer"', '{"answer": "', '"reasoning": ']
JSON_LIKE = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
QUESTIONS = st.sampled_from([OPEN, CHOICE, RUSSIAN, YES_NO])


@given(st.one_of(st.text(max_size=80), JSON_LIKE), QUESTIONS, st.sampled_from(["stop", "length", "empty"]))
@example('{"answer": "\\ud800"}', OPEN, "stop")
@example("{" * 3000, OPEN, "stop")
@example('{"a":' * 3000, OPEN, "stop")
@settings(deadline=None, max_examples=150)
def test_any_text_is_read_or_unusable(text: str, question: Question, finish: str) -> None:
    try:
        taken = read(text, question, finish)
    except Unusable as unusable:
        said = unusable.problem
    else:
        said = "taken"
        assert taken.answer.strip()
        taken.answer.encode()
        taken.reasoning.encode()
        assert not question.choices or taken.answer in question.letters
    assert said in {"taken", "empty", "cut", "no-json", "no-field", "many", "no-letter", "no-yes-no"}


VISIBLE = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), min_size=1).filter(str.strip)
AROUND = st.sampled_from(["{}", "```json\n{}\n```", "So: {}", "{}\n\nDone.", "<think>a</think>{}"])


@given(VISIBLE, st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00")), AROUND, st.booleans())
@settings(deadline=None, max_examples=120)
def test_round_trip(answer: str, reasoning: str, around: str, ascii_only: bool) -> None:
    said = json.dumps({"reasoning": reasoning, "answer": answer}, ensure_ascii=ascii_only)
    if "</think" in said.lower():
        return
    assert read(around.replace("{}", said)) == GivenAnswer(answer.strip(), reasoning.strip())


# --- time ------------------------------------------------------------------------------------------------------------


def nested(size: int) -> str:
    return "[" * (size // 2) + "]" * (size // 2)


HOSTILE: dict[str, Callable[[int], str]] = {
    "brackets": nested,
    "braces": lambda size: "{" * size,
    "nested-objects": lambda size: '{"a":' * (size // 5),
    "nested-in-lists": lambda size: '{"a":[' * (size // 6),
    "open-strings": lambda size: '{"' * (size // 2),
    "empty-objects-unclosed": lambda size: '{"a":[' + "{}," * (size // 3),
    "braces-and-blanks": lambda size: "{ \n" * (size // 3),
    "backticks": lambda size: "`" * size,
    "fence-and-blanks": lambda size: "```json" + "\n" * size,
    "fences": lambda size: "```\n" * (size // 4),
    "backslashes": lambda size: '{"answer": "' + "\\" * size,
    "quotes": lambda size: '{"answer": "' + '\\"' * (size // 2) + "}",
    "thoughts": lambda size: "<think>" * (size // 7),
    "thoughts-ended": lambda size: "</think>" * (size // 8),
    "blanks": lambda size: " " * size + "x",
    "text": lambda size: "Paris is nice. " * (size // 15),
    "whole": lambda size: json.dumps({"reasoning": "x" * size, "answer": "Paris"}),
}


LONG = {
    "words": lambda size: "river the answer plan " * (size // 22),
    "announcements": lambda size: "The answer is A. " * (size // 17),
    "objects": lambda size: '{"answer": "A"} ' * (size // 16),
}


@pytest.mark.parametrize("make", LONG.values(), ids=LONG)
def test_a_reply_of_megabytes_keeps_nobody_waiting_for_long(make: Callable[[int], str]) -> None:
    """From some length on it takes no more than to go over the text, which is a small part of reading it."""
    assert fastest_s(make(4_000_000)) < 3 * max(0.05, fastest_s(make(500_000)))


def fastest_s(text: str) -> float:
    times = []
    for _ in range(3):
        started = time.process_time()  # of this process alone: others may keep the machine busy
        with suppress(Unusable):
            read(text)
        times.append(time.process_time() - started)
    return min(times)


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
def test_time_grows_with_the_length_and_not_with_its_square(make: Callable[[int], str]) -> None:
    """Twenty times the text may take twenty times as long, give or take; a square law would take 400 times."""
    small, large = fastest_s(make(50_000)), fastest_s(make(1_000_000))
    assert large < 200 * max(small, 0.002)


def test_ten_megabytes_are_read() -> None:
    said: Any = {"reasoning": "x" * 10_000_000, "answer": "Paris"}
    assert read(f"So: {json.dumps(said)}").answer == "Paris"


def test_mending_is_only_for_short_replies() -> None:
    body = "{'answer': 'Paris', 'reasoning': '%s'}"
    assert read(body % ("x" * 3_000)).answer == "Paris"
    assert problem(body % ("x" * 10_000)) == "no-json"
