"""Who has how many, in words."""

from __future__ import annotations

from moot.stats.counted_words import of_them, whose_words


def test_those_with_most_come_first_and_equals_by_name() -> None:
    counts = {"tom": 60, "ann": 2, "shy": 60, "eve": 0, "bob": 2}
    assert whose_words(counts) == "shy (60), tom (60), ann (2) and 1 other"
    assert whose_words(dict(reversed(counts.items()))) == whose_words(counts)


def test_out_of_how_many() -> None:
    assert whose_words({"tom": 1200}, of=2000) == "tom (1,200 of 2,000)"


def test_a_part_of_several_is_a_number_and_of_one_nothing() -> None:
    assert (of_them(1, 1), of_them(2, 2), of_them(15, 39)) == ("", "all", "15 of them")
