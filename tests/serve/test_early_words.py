"""What is told of an answer while it is written is the beginning of what it will be, however it comes in pieces."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.models.border import storable
from moot.models.secrets import Secrets
from moot.serve.early_answer import EarlyAnswer
from moot.serve.final_bounds import FinalBounds
from moot.team.final_line import spoken_whole
from moot.team.final_line.spoken_so_far import SpokenSoFar
from moot.types import Reply

TAGS = ("<think>", "</think>", "<thinking>", "</THINKING>", "<thi", "nk>", "</", "think", ">", "<")
WORDS = (
    "word",
    "\ufeff",
    "\u200b",
    "Plan",
    "STOP",
    "ST",
    "OP",
    "é",
    "数",
    "12345",
    "_",
    ".",
    " ",
    "\n\n",
    "\ud83d",
    "\ude00",
    "\x00",
)
PARTS = st.sampled_from((*TAGS, *WORDS))
TEXTS = st.lists(PARTS, max_size=14).map("".join)


def cut_up(text: str, cuts: list[int]) -> list[str]:
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    return [text[start:end] for start, end in pairwise(places)]


@given(TEXTS, st.lists(st.integers(0, 200), max_size=8))
def test_of_a_model_that_is_not_known_nothing_is_told_that_is_taken_back(text: str, cuts: list[int]) -> None:
    so_far = SpokenSoFar(plain=False)
    told = "".join(map(so_far.take, cut_up(text, cuts)))
    assert spoken_whole(storable(text).strip()).startswith(told)


@given(TEXTS, st.lists(st.integers(0, 200), max_size=8))
def test_of_a_plain_model_only_a_closing_tag_alone_takes_anything_back(text: str, cuts: list[int]) -> None:
    so_far = SpokenSoFar(plain=True)
    told = "".join(map(so_far.take, cut_up(text, cuts)))
    whole = spoken_whole(storable(text).strip())
    assert whole.startswith(told) or "</" in text


@given(
    st.lists(
        st.sampled_from(["a", "b ", " ", "\n", "longer", "数", "12345", "STOP", "ST", "OP", "."]), max_size=14
    ).map("".join),
    st.lists(st.integers(0, 100), max_size=8),
    st.integers(1, 6) | st.none(),
    st.lists(st.sampled_from(["STOP", "OP", "b S", "TO", "\n"]), max_size=3),
)
def test_bounds_hold_as_it_is_written(text: str, cuts: list[int], most: int | None, stops: list[str]) -> None:
    bounds = FinalBounds(most, tuple(stops))
    so_far = bounds.so_far()
    told = "".join(map(so_far.take, cut_up(text, cuts)))
    whole = bounds.cut(text).text
    assert whole.startswith(told)
    if not stops and most is None:
        assert told == text


LETTERS = {
    "space": ("a" + " " * 24_000 + "b", FinalBounds()),
    "space and a bound": ("a" + " " * 24_000 + "b", FinalBounds(5)),
    "nothing that is seen": ("\u200b" * 24_000 + "b", FinalBounds()),
    "thoughts without end": ("<think>" + "a" * 24_000, FinalBounds()),
    "what may be a tag": ("<" * 24_000, FinalBounds()),
    "a stop that never comes": ("a" * 24_000, FinalBounds(None, ("a" * 999 + "b",))),
    "words": ("word " * 4_800, FinalBounds()),
}


@pytest.mark.parametrize("case", LETTERS)
def test_letter_by_letter_takes_no_longer_than_there_are_letters(case: str) -> None:
    """In the time of the processor, and by how it grows: four times as much may take no more than some eight times as long."""
    text, bounds = LETTERS[case]

    def cpu_s(size: int) -> float:
        early = EarlyAnswer("final", bounds, lambda words: None)
        voices = [early.voice(plain=True), early.voice(plain=True)]  # two at once: one hears what the other has told
        begun = time.thread_time()
        for letter in text[:size]:
            for tell in voices:
                tell(letter)
        return time.thread_time() - begun

    assert cpu_s(24_000) < 8 * max(0.02, min(cpu_s(6_000) for _ in range(2)))


def test_many_thoughts_take_no_longer_than_there_are() -> None:
    def cpu_s(count: int) -> float:
        text = "<think></think>" * count + "Yes"
        begun = time.thread_time()
        assert spoken_whole(text) == "Yes"
        assert SpokenSoFar(plain=True).take(text) == "Yes"
        return time.thread_time() - begun

    assert cpu_s(24_000) < 8 * max(0.02, cpu_s(6_000))


def test_what_is_sure_is_told_at_once() -> None:
    so_far = SpokenSoFar(plain=True)
    assert [so_far.take(piece) for piece in ("Take ", "the <b", "us> ", "now")] == ["Take", " the <b", "us>", " now"]
    thinking = SpokenSoFar(plain=False)
    assert [thinking.take(piece) for piece in ("<th", "ink>hm", "m</think>", "\nYes", ", no")] == [
        "",
        "",
        "",
        "Yes",
        ", no",
    ]
    unopened = SpokenSoFar(plain=False)
    assert [unopened.take(piece) for piece in ("hm, ", "so</thi", "nk> Yes", ".")] == ["", "", "Yes", "."]


KEY = "sk-secret-0123456789"
SPELT = [KEY, "".join(f"\\u{ord(letter):04x}" for letter in KEY), KEY.replace("-", "\\u002d")]


@pytest.mark.parametrize("spelt", SPELT)
@given(
    st.lists(st.sampled_from(["a", "sk-", "\\", "\\u0073", " ", "secret"]), max_size=6).map("".join),
    st.lists(st.integers(0, 200), max_size=8),
)
def test_no_part_of_a_secret_is_told(spelt: str, around: str, cuts: list[int]) -> None:
    secrets = Secrets([KEY])
    text = f"{around}{spelt}{around}"
    so_far = secrets.words_so_far()
    told = "".join(map(so_far.take, cut_up(text, cuts)))
    assert secrets.without(Reply(text)).text.startswith(told)
    assert len(told) <= len(around)


def test_backslashes_do_not_silence_a_formula() -> None:
    so_far = Secrets([KEY]).words_so_far()
    text = r"Then \(\frac{1}{2} + \alpha\) is \beta, and that is all of it."
    assert len("".join(map(so_far.take, text))) > len(text) - 60
