"""A question as somebody asks it: choices that nobody can tell apart are one."""

from __future__ import annotations

from pathlib import Path

import pytest
from served import serving

from moot.errors import UsageError
from moot.live.asked_question import question_of

ALIKE = {
    "the same": "a",
    "a joiner": "a\u200b",
    "a mark of direction": "\u202ea\u202c",
    "a selector": "a\ufe0f",
    "white space": "\u00a0a ",
    "a filler": "a\u3164",
    "a control": "a\x07",
}
OTHER = ("b", "A", "á", "а", "a.", "a a")
"""What looks otherwise, or is another letter."""


@pytest.mark.parametrize("name", ALIKE)
def test_choices_that_look_the_same_are_one(name: str) -> None:
    with pytest.raises(UsageError, match="expected each choice once, found 'a' twice"):
        question_of("Which?", ["a", "b", ALIKE[name]])


def test_an_accent_written_in_two_ways_is_one() -> None:
    with pytest.raises(UsageError, match="each choice once"):
        question_of("Which?", ["caf\u00e9", "cafe\u0301"])


def test_other_choices_are_other_choices() -> None:
    assert question_of("Which?", ["a", *OTHER]).choices == ("a", *OTHER)


async def test_they_are_refused_where_a_team_is_served(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        status, body = await served.chat("Which?", moot={"choices": ["a", "a\u200b"]})
        assert status == 400
        assert "expected each choice once, found 'a' twice" in body["error"]["message"]
