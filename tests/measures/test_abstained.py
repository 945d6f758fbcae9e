"""An answer that is not given because it is not sure enough: not right over all, and neither rescue nor regression."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from beside import rows
from page_data import page_text

import moot
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.models.scripted import Script, ScriptedModel
from moot.store.rows import verdict_of
from moot.strategies.talkative import Talkative
from moot.strategies.traits import Traits
from moot.team import Team
from moot.traces import Abstained, of_kind
from moot.types import Case, Question, Request, Verdict

CASES = [
    Case(Question(f"q{n}", f"Which letter has number {n}?", choices=tuple("wxyz"), kind="choice"), "ABCD"[n % 4])
    for n in range(40)
]


@dataclass(frozen=True, slots=True)
class Timid(Talkative):
    """A captain who keeps every fourth answer to itself."""

    name: ClassVar[str] = "timid"
    traits: ClassVar[Traits] = Talkative.traits

    async def play(self, question: Question, team: Team) -> Verdict:
        verdict = await super(Timid, self).play(question, team)
        if not question.id.startswith("q") or int(question.id[1:]) % 4:
            return verdict
        kept = Abstained(verdict.answer or "", "it is the fourth", who=verdict.who)
        return replace(
            verdict, answer=None, outcome="abstained", who=(), cause="not sure", traces=(*verdict.traces, kept)
        )


def model(name: str) -> ScriptedModel:
    drafted: set[str] = set()

    def reply(request: Request) -> Script:
        number = int(str(request.question_id).removeprefix("q"))
        right = number % 5 != 0 if request.question_id in drafted else number % 3 != 0
        drafted.add(str(request.question_id))
        return {"reasoning": "So.", "answer": "ABCD"[(number + (not right)) % 4]}

    return ScriptedModel(name, reply)


async def run(folder: Path, *, strategies: list[Any] | None = None) -> Any:
    players = ("ann", "bob")
    experiment = moot.Experiment(
        name="cup",
        questions=CASES,
        models={name: model(name) for name in players},
        players={name: {"model": name} for name in players},
        teams={"two": {"players": list(players), "captain": "ann"}},
        strategies=strategies or ["solo", "talkative", Timid()],
    )
    return await moot.arun(experiment, store=f"sqlite:///{folder / 'cup.db'}")


async def test_what_is_not_given_counts_as_it_should(tmp_path: Path) -> None:
    results = await run(tmp_path)
    by_name = {row["strategy"]: row for row in results.figures["accuracy"] if row.get("captain")}
    timid, talkative = by_name["timid"], by_name["talkative"]
    assert timid["outcomes"] == {"answered": 30, "abstained": 10}
    assert timid["n"] == 40
    assert timid["coverage"]["value"] == 0.75
    assert timid["coverage"]["n"] == 40
    assert timid["coverage"]["low"] < 0.75 < timid["coverage"]["high"]
    assert timid["answered"]["n"] == 30
    right_and_given = sum(n % 4 != 0 and bool(n % 5) for n in range(40))
    assert timid["value"] == pytest.approx(right_and_given / 40)
    assert timid["answered"]["value"] == pytest.approx(right_and_given / 30)
    assert "coverage" not in talkative

    safety = {row["stage"]: row for row in results.figures["safety"]}
    gone = [n for n in range(40) if n % 4 == 0]
    assert safety["timid"]["abstained"] == len(gone)
    assert "abstained" not in safety["talkative"]
    for change, alone, after in (("rescues", False, True), ("regressions", True, False)):
        every = [n for n in range(40) if bool(n % 3) is alone and bool(n % 5) is after]
        assert safety["talkative"][change] == len(every)
        assert safety["timid"][change] == len([n for n in every if n not in gone])
    assert safety["timid"]["n_pairs"] == 40


def test_it_is_told_wherever_outcomes_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asyncio.run(run(tmp_path))
    store = f"sqlite:///{tmp_path / 'cup.db'}"

    def said(*words: str) -> str:
        assert run_app(app, [*words]) == 0
        return " ".join(capsys.readouterr().out.split())

    sentence = "timid@ann gave an answer to 75 % of the questions; of these 80.0 % were right"
    text = said("report", "--store", store, "--all")
    assert sentence in text
    assert "10 abstained" in text
    assert "Abstained: timid on 10 of 40 pairs. They are neither rescues nor regressions, and in no rate." in text
    assert json.loads(said("compare", store, "timid", "talkative", "--json"))["abstained"] == {"a": 10, "b": 0}
    page = tmp_path / "report.html"
    said("report", "--store", store, "-o", str(page))
    assert sentence in page_text(page)
    (verdict,) = rows(tmp_path / "cup.db", "SELECT verdict FROM episodes WHERE outcome = 'abstained' LIMIT 1")[0]
    (record,) = of_kind(verdict_of(verdict).traces, Abstained)
    assert record.answer in "ABCD"
    assert record.who == ("ann",)


async def test_an_answer_beside_abstained_is_a_bug_of_the_strategy(tmp_path: Path) -> None:
    @dataclass(frozen=True, slots=True)
    class Odd:
        name: ClassVar[str] = "odd"

        def lineups(self, team: Team) -> tuple[Team, ...]:
            return (team,)

        async def play(self, question: Question, team: Team) -> Verdict:
            return Verdict("A", "abstained")

    results = await run(tmp_path, strategies=[Odd()])
    (row,) = results.figures["accuracy"]
    assert row["outcomes"] == {"failed": 40}


async def test_what_is_not_given_is_no_error_made(tmp_path: Path) -> None:
    """The headline, the gains and `moot compare` count it apart; what is over all questions stays so."""
    results = await run(tmp_path, strategies=["solo", Timid()])
    head = results.figures["headline"]
    over = head["over_best_single"]
    right_alone = [n for n in range(40) if n % 3]
    right_after = [n for n in range(40) if n % 5 and n % 4]
    kept = [n for n in right_alone if n % 4 == 0]
    made = [n for n in right_alone if n not in right_after and n not in kept]
    fixed = [n for n in right_after if n not in right_alone]
    counts = {"rescues": len(fixed), "regressions": len(made), "abstained": len(kept)}
    (gain,) = [row for row in results.figures["gains"] if row["captain"] == "ann"]
    for row in (over, head["over_captain"], gain):
        assert {key: row[key] for key in counts} == counts
        assert row["difference"] == pytest.approx((len(right_after) - len(right_alone)) / 40)
    (safety,) = [row for row in results.figures["safety"] if row["stage"] == "timid"]
    assert (safety["rescues"], safety["regressions"]) == (len(fixed), len(made))
    told = f"it fixed {len(fixed)} of ann's errors, made {len(made)} new ones, and abstained on {len(kept)} that ann had right"
    assert told in head["sentence"]
    assert f"got {100 * len(right_after) / 40:.1f} %" in head["sentence"], "answered is said of what was given"


def test_compare_tells_what_was_not_given_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asyncio.run(run(tmp_path))
    file = f"sqlite:///{tmp_path / 'cup.db'}"
    assert run_app(app, ["report", "--store", file, "--json"]) == 0
    rows = [row for row in json.loads(capsys.readouterr().out)["comparisons"] if "timid" in row["a"]]
    assert rows
    for row in rows:
        assert (row["rescues"], row["regressions"]) == (0, 0)
        assert row["worse_by_abstaining"] == {"a": 8, "b": 0}
    assert run_app(app, ["report", "--store", file, "--section", "comparisons"]) == 0
    assert "abstained on 8 that talkative@ann did better on" in " ".join(capsys.readouterr().out.split())
    for names in (("timid", "talkative"), ("talkative", "timid")):
        assert run_app(app, ["compare", f"sqlite:///{tmp_path / 'cup.db'}", *names, "--json"]) == 0
        row = json.loads(capsys.readouterr().out)
        assert row["rescues"] == row["regressions"] == 0
        assert row["worse_by_abstaining"] == {"a": 8 * (names[0] == "timid"), "b": 8 * (names[0] != "timid")}
        assert row["difference"] == pytest.approx(-0.2 if names[0] == "timid" else 0.2)
    assert run_app(app, ["compare", f"sqlite:///{tmp_path / 'cup.db'}", "timid", "talkative"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "timid was better on 0 and worse on 0; timid abstained on 8 that talkative did better on." in said
