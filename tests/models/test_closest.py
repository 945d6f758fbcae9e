"""A name that is nearly right."""

from __future__ import annotations

from moot.models.closest import closest


def test_the_same_letters_in_another_case_are_nearest() -> None:
    assert closest("Antwort a", ["Antwort D", "Antwort B", "Antwort A"]) == "; did you mean 'Antwort A'?"


def test_nothing_near_is_nothing() -> None:
    assert closest("players", ["budget_usd", "store"]) == ""
