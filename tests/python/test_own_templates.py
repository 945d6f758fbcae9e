"""A misspelt name in a strategy's own template is told before any call: which file, which name, which there are."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from installing import write_points

import moot
from moot import Case, Question, ScriptedModel, Team, Traits, Verdict
from moot.errors import UsageError
from moot.strategies import prompts_for
from moot.testing import check_strategy

CASES = [Case(Question("1", "Capital of France?"), "Paris")]


@dataclass(frozen=True)
class Thinks:
    name: ClassVar[str] = "thinks"
    traits: ClassVar[Traits] = Traits(prompts=("draft", "think"), drafts="single-call")
    prompts: ClassVar[Mapping[str, str]]

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (team,)

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        prompts_for(self, team.prompts).render("think", question=question.text, answers=["Paris"])
        return Verdict(drafts[0].text, "answered", who=(drafts[0].player,), answers=drafts)


def thinking(template: str) -> Any:
    return type("Thinks", (Thinks,), {"prompts": {"think": template}})()


def run(strategy: Any) -> tuple[moot.Results | None, str, int]:
    ann = ScriptedModel("ann", lambda _: {"reasoning": "r", "answer": "Paris"})
    try:
        results = moot.run({"name": "cup", "models": {"ann": ann}, "questions": CASES, "strategies": [strategy]})
    except UsageError as error:
        return None, str(error), len(ann.requests)
    return results, "", len(ann.requests)


INPUTS = "{# inputs: question, answers #}\n"


@pytest.mark.parametrize(
    ("template", "words"),
    [
        (
            INPUTS + "{{ question | block }} {% for answer in anwsers %}{{ answer }}{% endfor %}",
            "think.j2: uses anwsers; the inputs of this prompt are: answers, question; did you mean 'answers'?",
        ),
        (
            "{{ question | block }}",
            "think.j2: uses question and names no inputs; expected {# inputs: question #} in it",
        ),
        (INPUTS + "{% for %}", "think.j2:2: not a valid template"),
    ],
)
def test_it_is_refused_before_any_call(template: str, words: str) -> None:
    _, told, calls = run(thinking(template))
    assert "strategies.0: strategy 'thinks'" in told
    assert words in told
    assert calls == 0


@pytest.mark.parametrize(
    ("brought", "found"),
    [
        ({"think": 3}, "found 3 as 'think'"),
        ({1: "think"}, "found 'think' as 1"),
        (["think"], "or a Path, found ['think']"),
        ("prompts", "or a Path, found 'prompts'"),
    ],
)
async def test_what_is_no_template_is_refused_before_any_call(brought: Any, found: str) -> None:
    strategy = type("Thinks", (Thinks,), {"prompts": brought})()
    _, told, calls = await asyncio.to_thread(run, strategy)
    assert "strategies.0: strategy 'thinks'" in told
    assert "the strategy's own prompts: expected a mapping from names to texts" in told
    assert told.endswith(found)
    assert calls == 0
    with pytest.raises(AssertionError, match="prompts: the strategy's own prompts: expected a mapping"):
        await check_strategy(strategy)


def test_one_that_fits_is_played() -> None:
    results, told, _ = run(
        thinking(INPUTS + "{{ question | block }} {% for answer in answers %}{{ answer }}{% endfor %}")
    )
    assert told == ""
    assert results is not None
    assert results.state == "done"


def test_what_a_user_has_in_its_place_names_no_inputs(tmp_path: Path) -> None:
    (tmp_path / "think.j2").write_text("Say it: {{ question | block }}", encoding="utf-8")
    ann = ScriptedModel("ann", lambda _: {"reasoning": "r", "answer": "Paris"})
    keys = {"name": "cup", "models": {"ann": ann}, "questions": CASES, "prompts": str(tmp_path)}
    assert moot.run({**keys, "strategies": [thinking(INPUTS + "{{ question | block }}")]}).state == "done"


def test_of_a_package_it_is_told_by_its_file(tmp_path: Path, installed: Callable[[Path], None]) -> None:
    package = tmp_path / "thinking_pack"
    (package / "prompts" / "en").mkdir(parents=True)
    lines = Path(__file__).read_text(encoding="utf-8").partition("@dataclass")
    code = "".join(lines[1:]).partition("def thinking")[0].replace("    prompts: ClassVar[Mapping[str, str]]\n", "")
    (package / "__init__.py").write_text(f"{lines[0].partition('CASES')[0]}\n{code}", encoding="utf-8")
    template = package / "prompts" / "en" / "think.j2"
    template.write_text(INPUTS + "{{ qestion | block }}", encoding="utf-8")
    write_points(tmp_path, "thinking-pack", {"moot.strategies": {"thinks": "thinking_pack:Thinks"}})
    installed(tmp_path)
    try:
        _, told, calls = run("thinks")
    finally:
        sys.modules.pop("thinking_pack", None)
    assert f"{template}: uses qestion; the inputs of this prompt are: answers, question; did you mean" in told
    assert calls == 0
