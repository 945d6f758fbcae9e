"""Worked examples must not give away a built-in question."""

from __future__ import annotations

import pytest

from moot.data import builtin, builtin_names, load
from moot.grade.normalise import normalise
from moot.prompts import LANGUAGES, SETS, Prompts


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", SETS)
def test_no_example_is_a_built_in_question(name: str, language: str) -> None:
    prompts = Prompts(language, name)
    shown = [message.content for template in ("draft", "captain") for message in prompts.examples(template)]
    assert shown
    asked = {normalise(case.question.text) for each in builtin_names() for case in load(builtin(each))}
    lines = {normalise(line) for text in shown for line in text.splitlines()}
    assert not lines & asked
