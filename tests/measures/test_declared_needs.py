"""What all measures need is written down once: it must be what they say themselves."""

from __future__ import annotations

from dataclasses import fields
from pkgutil import resolve_name

from moot.measures import BUILT_IN, OURS_NEED, needs
from moot.needs import Needs, summed


def test_what_ours_need_is_what_they_declare() -> None:
    assert summed(resolve_name(place).needs for place in BUILT_IN.values()) == OURS_NEED


def test_a_measure_that_is_given_is_asked_too() -> None:
    class Own:
        name = "own"
        asked = 0

        @property
        def needs(self) -> Needs:
            self.asked += 1
            return Needs()

    own = Own()
    assert needs([own]) == needs()  # type: ignore[list-item]
    assert own.asked
    assert all(getattr(OURS_NEED, need.name) for need in fields(Needs)), "else the sum above would say nothing of own"
