"""The prompts' hashes in the run's facts: on the page as a table, in the terminal as one word for all of them."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from moot.engine.runner import Runner
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.measures.facts.figures import prompts_digest
from moot.prompts import Prompts
from moot.report.figures import figures, find_experiment
from moot.report.sections import all_sections
from moot.report.tables import as_frame, section_columns
from moot.report.terminal import print_report


async def played(folder: Path, **more: Any) -> dict[str, Any]:
    (folder / "questions.jsonl").write_text('{"id": "q", "text": "Which city?", "answer": "Paris"}', encoding="utf-8")
    spec = {
        "name": "cup",
        "questions": {"file": "questions.jsonl"},
        "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in ("ann", "bob")},
        "teams": {"two": {"players": ["ann", "bob"], "captain": "ann"}},
        "strategies": ["solo", "vote", "silent"],
        **more,
    }
    (folder / "cup.yaml").write_text(json.dumps(spec), encoding="utf-8")
    plan = build(read_experiment(folder / "cup.yaml"))
    store = await plan.store().open()
    try:
        await Runner(plan, store).run()
        return await store.run(lambda connection: figures(connection, find_experiment(connection, "cup")))
    finally:
        await store.close()


async def test_each_template_with_its_hash_and_who_used_it(tmp_path: Path) -> None:
    found = await played(tmp_path)
    names = ("again", "captain", "draft", "group", "player")
    assert {row["template"]: row["hash"] for row in found["prompts"]} == Prompts("en").hashes(names)
    users = {row["template"]: row["strategies"] for row in found["prompts"]}
    assert users["draft"] == ["solo", "vote", "silent"]
    assert (users["group"], users["captain"]) == (["vote"], ["silent"])
    sections = {section.id: section for section in all_sections(found)}
    assert list(sections)[-2:] == ["runs", "prompts"]
    assert prompts_digest(found["prompts"]) in sections["prompts"].words[0]
    assert [row["template"] for row in sections["prompts"].rows] == list(names)
    assert as_frame(section_columns(sections["prompts"])).columns == ["template", "hash", "strategies"]


@pytest.mark.parametrize("width", [60, 80, 200])
async def test_one_word_for_all_of_them_in_a_terminal(tmp_path: Path, width: int) -> None:
    found = await played(tmp_path)
    console = Console(file=io.StringIO(), width=width, color_system=None)
    print_report(found, console)
    said = console.file.getvalue()  # type: ignore[attr-defined]
    assert f"Prompts {prompts_digest(found['prompts'])}: 5 templates" in " ".join(said.split())
    assert "The prompts' hashes" in said


async def test_another_wording_is_another_hash(tmp_path: Path) -> None:
    for name in ("plain", "russian"):
        (tmp_path / name).mkdir()
    plain = await played(tmp_path / "plain")
    russian = await played(tmp_path / "russian", language="ru")
    assert prompts_digest(plain["prompts"]) != prompts_digest(russian["prompts"])
