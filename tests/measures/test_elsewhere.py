"""A strategy that no measure has ever heard of: figures go by what it declares and records, and invent nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from moot import strategies
from moot.engine.runner import Runner
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.measures.position.sections import position_sections
from moot.models.scripted import Script, ScriptedModel
from moot.report.figures import figures, find_experiment
from moot.report.story import stories
from moot.strategies.traits import Traits
from moot.team import Team
from moot.team.forms import AnswerForm
from moot.traces import Shown
from moot.types import Question, Verdict

PLAYERS = ("ann", "bob", "cat")
JURORS = {"juror-1": "sue", "juror-2": "tom"}
COUNT = 12


@dataclass(frozen=True, slots=True)
class Panel:
    """Jurors who do not play read all drafts, each in an order of its own; the first has the last word."""

    name: ClassVar[str] = "panel"
    traits: ClassVar[Traits] = Traits(
        prompts=("draft", "captain"),
        drafts="single-call",
        word="office",
        hears="answers",
        offices=JURORS,
        asks="nobody",
    )

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (replace(team, captain=None),)

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        looks = []
        for name in JURORS:
            order = team.random(question, "panel", name).sample(drafts, len(drafts))
            asked = {"question": question.text, "choices": (), "context": None, "kind": question.kind}
            prompt = team.prompts.render("captain", **asked, answers=[(draft.text, None) for draft in order])
            heard = await team.ask(team.officers[name], question, prompt, AnswerForm(question), stage="jury", turn=2)
            word = heard.value.answer if heard.value else None
            looks.append(Shown(name, "juror", tuple((draft.player,) for draft in order), 2, answer=word))
        return Verdict(looks[0].answer, "answered", answers=tuple(drafts), turns=2, traces=tuple(looks))


def script(name: str) -> Callable[[Any], Script]:
    """Players say their own names; the first juror takes what stands first, the second what stands last."""

    def say(request: Any) -> Script:
        shown = [part.split("</answer>")[0] for part in request.messages[-1].content.split("<answer")[1:]]
        if name in PLAYERS:
            return {"reasoning": "", "answer": name}
        taken = shown[0] if name == "sue" else shown[-1]
        return {"reasoning": "", "answer": next(player for player in PLAYERS if player in taken)}

    return say


@pytest.fixture
def panel(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setitem(strategies.BUILT_IN, "panel", f"{__name__}:Panel")


async def test_whoever_read_in_an_order_has_a_row_and_nobody_is_called_captain(tmp_path: Path, panel: None) -> None:
    lines = [{"id": f"q{n}", "text": f"Who, {n}?", "answer": "ann"} for n in range(COUNT)]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    names = (*PLAYERS, *JURORS.values())
    spec = {
        "name": "jury",
        "questions": {"file": "questions.jsonl"},
        "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in names},
        "players": {name: {"model": name} for name in PLAYERS},
        "teams": {"three": {"players": list(PLAYERS), "captain": "each"}},
        "strategies": ["panel", {"vote": {"captain": "ann"}}],
        "grouping": {"match": "only"},
    }
    path = tmp_path / "jury.yaml"
    path.write_text(json.dumps(spec), encoding="utf-8")
    plan = build(read_experiment(path))
    models = {name: replace(built, model=ScriptedModel(name, script(name))) for name, built in plan.models.items()}
    store = await plan.store().open()
    try:
        await Runner(replace(plan, models=models), store).run()
        found = await store.read(lambda connection: figures(connection, find_experiment(connection, "jury")))
        told = await store.read(lambda connection: stories(connection, find_experiment(connection, "jury")))
    finally:
        await store.close()

    whole, first, second = found["position_bias"]
    assert [row["by"] for row in found["position_bias"]] == ["juror"] * 3, "a vote shows nobody anything in an order"
    assert [row["captain"] for row in (whole, first, second)] == [None, None, None]
    assert (first["juror"], second["juror"]) == ("sue", "tom")
    assert (whole["decisions"], whole["chance"]) == (2 * COUNT, pytest.approx(1 / 3))
    assert (first["first"], first["last"], second["first"], second["last"]) == (1.0, 0.0, 0.0, 1.0)
    sections = {section.id: section for section in position_sections(found)}
    assert {row["name"] for row in sections["position-bias"].rows} == {"panel"}
    assert [row["name"] for row in sections["position-deciders"].rows[::2]] == ["panel@sue", "panel@tom"]

    assert {row["stage"] for row in found["safety"]} == {"vote"}, "no captain, no stage"
    assert "mixtures" not in found
    assert "consensus" not in found
    jury = [story for story in told if "(panel" in story]
    assert jury
    assert all("captain" not in story for story in jury)
    assert all("The juror sue read the 3 responses and settled on" in story for story in jury), "hers is the answer"
