"""A template that cannot be compiled or filled in is told with its line, however it is broken."""

from __future__ import annotations

from pathlib import Path

import pytest

from moot.errors import FileError
from moot.prompts.template import TOO_DEEP, compiled, filled, names_used

PLACE = Path("draft.j2")
BEFORE = "{{ question }}\n\n"

DEEP = {
    "brackets": "{{ " + "(" * 3_000 + "1" + ")" * 3_000 + " }}",
    "lists": "{{ " + "[" * 500 + "]" * 500 + " }}",
    "minus signs": "{{ " + "-" * 4_000 + "1 }}",
    "not": "{{ " + "not " * 4_000 + "1 }}",
    "ifs": "{% if question %}" * 1_500 + "x" + "{% endif %}" * 1_500,
    "loops": "{% for a in [1] %}" * 30 + "{% endfor %}" * 30,
    "filters": "{{ question" + " | trim" * 4_000 + " }}",
    "sums": "{{ 1" + " + 1" * 4_000 + " }}",
    "attributes": "{{ question" + ".a" * 4_000 + " }}",
    "places": "{{ question" + "[0]" * 2_000 + " }}",
    "choices": "{{ 1" + " if 1 else 1" * 3_000 + " }}",
    "calls": "{{ " + "question.strip(" * 1_000 + ")" * 1_000 + " }}",
}


@pytest.mark.parametrize("kind", DEEP)
def test_what_is_nested_too_deeply_is_told_with_its_line(kind: str) -> None:
    with pytest.raises(FileError) as refused:
        compiled(PLACE, f"{BEFORE}{DEEP[kind]}\n\n{{{{ question | trim }}}}")
    assert str(refused.value) == f"draft.j2:3: not a valid template: {TOO_DEEP}"
    assert refused.value.line == 3


@pytest.mark.parametrize("deep", [50, 100, 150, 200, 250, 300, 400, 600])
@pytest.mark.parametrize("unit", [("-", "1"), ("not ", "1"), ("(", ")")], ids=lambda unit: unit[0])
def test_there_is_no_depth_between_what_works_and_what_is_told(unit: tuple[str, str], deep: int) -> None:
    opening, closing = unit
    source = "{{ " + opening * deep + (closing if closing == "1" else "1" + closing * deep) + " }}"
    told = None
    try:
        template = compiled(PLACE, source)
        assert not names_used(source)
        assert filled(lambda name: PLACE, "draft", template, {})
    except FileError as error:
        told = str(error)
    assert told in (None, f"draft.j2:1: not a valid template: {TOO_DEEP}")


@pytest.mark.parametrize(
    "breaks",
    [
        "{{ 1 / 0 }}",
        "{{ question < 1 }}",
        "{{ question.text }}",
        "{% for a in [1] %}\n{{ choices[question] }}{% endfor %}",
        "{{ [] | max | int + question }}",
    ],
)
def test_what_cannot_be_filled_in_is_told_with_its_line(breaks: str) -> None:
    template = compiled(PLACE, BEFORE + breaks)
    with pytest.raises(FileError, match="cannot be filled in") as refused:
        filled(lambda name: PLACE, "draft", template, {"question": "Who?", "choices": {}})
    assert refused.value.line == 3 + breaks.count("\n")
