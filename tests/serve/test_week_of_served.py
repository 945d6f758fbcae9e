"""A week later: what a served team was asked since, how much of it is graded, and whether it is still what was measured."""

from __future__ import annotations

import asyncio
import io
import json
import random
import shutil
import sqlite3
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from rich.console import Console
from served import serving

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.errors import GenerationFailed
from moot.measures.served.sections import served_sections
from moot.measures.served.words import opening_words
from moot.models.model import Model
from moot.report.next_commands import NextCommands
from moot.report.served_terminal import print_served
from moot.types import Reply, Request

DAY = 86_400
CUP: dict[str, Any] = {
    "name": "cup",
    "seed": 7,
    "questions": {"builtin": "general-en"},
    "models": {
        name: {"provider": "simulated", "accuracy": accuracy, "price": {"prompt": 1, "completion": 2}}
        for name, accuracy in (("ann", 0.8), ("bob", 0.7), ("cat", 0.75))
    },
    "teams": {"three": {"players": ["ann", "bob", "cat"], "captain": "ann"}},
    "strategies": ["vote", "silent"],
}


class Odd:
    """A model of which something can be wrong from some question on: what it says, that it fails, or that it is slow."""

    def __init__(self, inner: Model, wrong: Mapping[str, str]) -> None:
        self.inner, self.wrong = inner, wrong

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    async def generate(self, request: Request) -> Reply:
        match self.wrong.get(self.inner.name):
            case "fails":
                raise GenerationFailed("gone")
            case "slow":
                await asyncio.sleep(0.2)
            case "odd":
                reply = await self.inner.generate(request)
                return replace(reply, text=json.dumps({"answer": f"odd {random.random()}"}))
        return await self.inner.generate(request)


async def ask(
    folder: Path,
    config: dict[str, Any],
    many: int,
    *,
    told: Callable[[int], bool | None] = lambda number: None,
    wrong: Callable[[int], Mapping[str, str]] = lambda number: {},
    model: str = "three/silent",
    asked: Callable[[int], str] = lambda number: f"Which one is number {number}?",
) -> None:
    now: dict[str, str] = {}
    async with serving(folder, config, wrap=lambda name, inner: Odd(inner, now)) as served:
        for number in range(many):
            now.clear()
            now.update(wrong(number))
            status, body = await served.chat(asked(number), model)
            assert status == 200, body
            if (right := told(number)) is not None:
                said = {"episode": body["moot"]["episode"], "correct": right}
                assert (await served.post("/v1/feedback", said))[0] == 200


def spread(folder: Path, days: float, *, ago: float = 0.0) -> None:
    """What was asked, from so many days before `ago` on, one after the other."""
    with sqlite3.connect(folder / "cup.db") as store:
        places = "select question from experiment_questions p join experiments e on e.id = p.experiment"
        asked = (
            f"select rowid from episodes where question in ({places} where e.name = 'cup:served') order by created_at"
        )
        rows = [row for (row,) in store.execute(asked)]
        first = time.time() - (days + ago) * DAY
        for place, row in enumerate(rows):
            at = first + days * DAY * (place + 0.5) / len(rows)
            store.execute("update episodes set created_at = ?, seconds = ? where rowid = ?", (at, 1 + place % 5, row))


@pytest.fixture(scope="module")
def as_before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A team that was measured on 60 questions, and then asked 48 in six days; every fourth answer was told right or wrong."""
    folder = tmp_path_factory.mktemp("week")
    asyncio.run(ask(folder, CUP, 48, told=lambda number: number % 8 == 0 if number % 4 == 0 else None))
    assert run_app(app, ["run", str(folder / "team.yaml"), "--quiet"]) == 0
    spread(folder, 6)
    return folder


@pytest.fixture
def folder(as_before: Path, tmp_path: Path) -> Path:
    return shutil.copytree(as_before, tmp_path / "own")


@pytest.fixture
def moot(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    def command(*arguments: object) -> tuple[int, str]:
        capsys.readouterr()
        code = run_app(app, list(map(str, arguments)))
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return command


Command = Callable[..., tuple[int, str]]


def in_one_line(text: str) -> str:
    return " ".join(text.split())


def served_of(moot: Command, folder: Path, *options: object) -> dict[str, Any]:
    code, printed = moot("report", folder / "team.yaml", "--served", "--json", *options)
    assert code == 0, printed
    served: dict[str, Any] = json.loads(printed)["served"]
    return served


def test_what_is_graded_is_told_first_and_a_screen_holds_it(folder: Path, moot: Command) -> None:
    code, printed = moot("report", folder / "team.yaml", "--served")
    assert code == 0
    lines = printed.splitlines()
    assert lines[0] == "Of 48 questions 12 were told right or wrong (25.0 %)."
    assert len(lines) <= 25
    assert max(map(len, lines[:-1])) <= 80
    told = in_one_line(printed)
    assert "Of the graded answers 50.0 % (25.4–74.6) were right; over all, with those that nobody has graded" in told
    assert "between 12.5 and 87.5 %" in told
    assert "A question took 3.0 s (median; 95 % of them at most 5.0 s); 1,000 cost $" in told
    assert "Every question was answered, nobody was absent and no call failed." in told
    assert "Alert" not in told


def test_what_was_asked_before_is_left_out_of_everything(folder: Path, moot: Command) -> None:
    since = served_of(moot, folder, "--since", "3d")
    assert (since["asked"], since["left_out"]) == (24, 24)
    assert sum(row["asked"] for row in since["by_day"]) == 24
    assert since["graded"]["n"] == 6
    code, printed = moot("report", folder / "team.yaml", "--served", "--since", "3d")
    assert code == 0
    assert in_one_line(printed).startswith(f"Of 24 questions since {since['since'][:10]} ")
    assert "; 24 asked before are left out." in in_one_line(printed)
    whole = json.loads(moot("report", folder / "team.yaml", "--served", "--since", "3d", "--json")[1])
    assert whole.keys() == {"experiment", "questions", "served"}, "what is over all that was asked is not beside it"
    code, printed = moot("report", folder / "team.yaml", "--served", "--since", "30m")
    assert (code, "48 questions before that, which --since leaves out." in in_one_line(printed)) == (0, True), printed


@pytest.mark.parametrize(
    ("since", "seconds"),
    [
        ("30m", 1_800),
        ("12h", 12 * 3_600),
        ("7d", 7 * DAY),
        ("2w", 14 * DAY),
        ("1.5h", 5_400),
    ],
)
def test_how_far_back(folder: Path, moot: Command, since: str, seconds: float) -> None:
    told = served_of(moot, folder, "--since", since)
    starts = time.mktime(time.strptime(told["until"], "%Y-%m-%dT%H:%M:%SZ")) - seconds
    assert time.mktime(time.strptime(told["since"], "%Y-%m-%dT%H:%M:%SZ")) == pytest.approx(starts, abs=2)


@pytest.mark.parametrize(
    ("since", "told"),
    [
        ("2026-02-03", "2026-02-03T00:00:00Z"),
        ("2026-02-03T08:00", "2026-02-03T08:00:00Z"),
        ("2026-02-03T08:00+02:00", "2026-02-03T06:00:00Z"),
        ("2026-02-03 08:00Z", "2026-02-03T08:00:00Z"),
    ],
)
def test_from_when_on(folder: Path, moot: Command, since: str, told: str) -> None:
    """Without a zone it is UTC, which the first line says."""
    assert served_of(moot, folder, "--since", since)["since"] == told
    printed = moot("report", folder / "team.yaml", "--served", "--since", since)[1]
    assert f"since {told[:10]} {told[11:16]} UTC" in in_one_line(printed)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--served", "--since", "yesterday"), "expected 30m, 12h, 7d or 2w, or a date or a time such as 2026-11-10"),
        (("--served", "--since", "7"), "(without a zone: UTC); found '7'"),
        (("--served", "--since", "0d"), "found '0d'"),
        (("--served", "--since", "-3d"), "found '-3d'"),
        (("--served", "--since", "2999-01-01"), "lies ahead"),
        (("--since", "7d"), "--since goes with --served"),
        (("--served", "--since", "7d", "--all"), "expected it without --section, --all and --format"),
        (("--served", "--since", "7d", "--section", "accuracy"), "expected it without --section"),
        (("--served", "--since", "7d", "--format", "csv"), "expected it without --section"),
    ],
)
def test_nonsense_is_refused_with_what_is_expected(
    folder: Path, moot: Command, arguments: tuple[str, ...], expected: str
) -> None:
    code, printed = moot("report", folder / "team.yaml", *arguments)
    assert code == 2
    assert expected in in_one_line(printed)


def asked_of(tmp_path: Path, many: int, config: dict[str, Any] = CUP, **how: Any) -> Path:
    asyncio.run(ask(tmp_path, config, many, **how))
    return tmp_path


def test_before_any_feedback_nobody_reads_dashes(tmp_path: Path, moot: Command) -> None:
    """And before any run there is nothing to compare with."""
    folder = asked_of(tmp_path, 3)
    code, printed = moot("report", folder / "team.yaml", "--served")
    assert code == 0
    told = in_one_line(printed)
    assert told.startswith(
        "Of 3 questions none was told right or wrong yet. 3 answers without a grade, as nobody has said"
    )
    assert "There is nothing to compare with: the experiment was never run." in told
    assert "–\n" not in printed
    assert " – " not in printed
    assert "% right" not in printed


def test_no_table_has_rows_of_who_was_never_asked(folder: Path, moot: Command) -> None:
    """The vote of the same team, that is; `--json` has every row as ever."""
    file = folder / "team.yaml"
    for options in (("--all",), ("--section", "accuracy")):
        code, printed = moot("report", file, "--served", *options)
        assert code == 0
        assert "silent" in printed
        assert "nothing has been played yet" not in in_one_line(printed)
    rows = json.loads(moot("report", file, "--served", "--json")[1])["accuracy"]
    assert [row["label"] for row in rows] == ["vote", "silent"]


def test_a_team_without_questions_was_never_measured(tmp_path: Path, moot: Command) -> None:
    config = {key: value for key, value in CUP.items() if key != "questions"}
    folder = asked_of(tmp_path, 2, config)
    code, printed = moot("report", folder / "team.yaml")
    assert code == 0
    assert "this file has no questions of its own, so the team was never measured" in in_one_line(printed)


def test_what_was_never_served_says_what_to_type(tmp_path: Path, moot: Command) -> None:
    (tmp_path / "cup.yaml").write_text(json.dumps(CUP), encoding="utf-8")
    assert moot("run", tmp_path / "cup.yaml", "--quiet", "--limit", 2)[0] == 0
    code, printed = moot("report", tmp_path / "cup.yaml", "--served")
    assert code == 2
    assert f"cup was never served from this store; first: moot serve {tmp_path}/cup.yaml" in in_one_line(printed)


def test_a_model_that_changed_is_an_alert(as_before: Path, tmp_path: Path, moot: Command) -> None:
    """From the thirtieth question on one of three says something else: one line, and an exit code for who asks for it."""
    folder = shutil.copytree(as_before, tmp_path / "own")
    (folder / "cup.db").unlink()
    asyncio.run(ask(folder, CUP, 48, wrong=lambda number: {"cat": "odd", "bob": "odd"} if number >= 24 else {}))
    moot("run", folder / "team.yaml", "--quiet")
    spread(folder, 6)
    file = folder / "team.yaml"
    code, printed = moot("report", file, "--served", "--fail-under", "served.alerts<1")
    assert code == 1
    assert printed.count("Alert: ") == 1
    told = in_one_line(printed)
    assert "Alert: agreement of three/silent was " in told
    assert ": the questions or the models have changed." in told
    served = served_of(moot, folder)
    assert (served["alerts"], served["alert"][:6]) == (1, "Alert:")
    (row,) = [row for row in served["drift"] if row["figure"] == "agreement"]
    assert row["live"]["value"] < row["measured"]["low"]
    assert row["p"] <= row["level"]


def test_as_before_is_no_alert(folder: Path, moot: Command) -> None:
    code, _ = moot("report", folder / "team.yaml", "--served", "--since", "7d", "--fail-under", "served.alerts<1")
    assert code == 0
    served = served_of(moot, folder)
    (row,) = [row for row in served["drift"] if row["figure"] == "agreement"]
    assert (row["why"], row["alert"]) == (None, False)
    (graded,) = [row for row in served["drift"] if row["figure"] == "accuracy"]
    assert graded["why"] == "12 graded answers; 30 or more are held against the experiment"


@pytest.mark.parametrize("answers", [["Seine", "Homer", "Nile", "Rome"], None], ids=["a few words", "each its own"])
def test_questions_of_ones_own_make_no_other_team_of_simulated_models(
    tmp_path: Path, moot: Command, answers: list[str] | None
) -> None:
    """A served model is told none of the questions from which, in the experiment, it drew its wrong answers."""
    told = [answers[n % len(answers)] if answers else f"Answer {n}" for n in range(12)]
    rows = [{"id": f"{n}", "text": f"Q {n}?", "answer": answer} for n, answer in enumerate(told)]
    (tmp_path / "own.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    config = {**CUP, "questions": {"file": "own.jsonl"}, "strategies": ["silent", "solo"]}
    asyncio.run(ask(tmp_path, config, 6))
    asyncio.run(ask(tmp_path, config, 2, model="solo@bob", told=lambda number: True))
    assert run_app(app, ["run", str(tmp_path / "team.yaml"), "--quiet"]) == 0
    served = served_of(moot, tmp_path)
    row = next(row for row in served["drift"] if row["figure"] == "agreement" and row["label"] == "silent")
    assert row["why"] is None
    assert row["measured"]["n"] == 12
    accuracy = next(row for row in served["drift"] if row["figure"] == "accuracy" and row["player"] == "bob")
    assert accuracy["why"] == "2 graded answers; 30 or more are held against the experiment"
    told_all = in_one_line(moot("report", tmp_path / "team.yaml", "--served")[1])
    assert "other models, instructions or prompts" not in told_all


@pytest.mark.parametrize(
    "changed",
    [
        {"language": "ru"},
        {"models": {**CUP["models"], "ann": {"provider": "simulated", "accuracy": 0.9}}},
        {"seed": 8},
    ],
    ids=["other prompts", "another model", "another seed"],
)
def test_another_team_is_held_against_no_experiment(tmp_path: Path, moot: Command, changed: dict[str, Any]) -> None:
    rows = [{"id": f"{n}", "text": f"Q {n}?", "answer": f"Answer {n}"} for n in range(4)]
    (tmp_path / "own.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    config = {**CUP, "questions": {"file": "own.jsonl"}, "strategies": ["silent"]}
    (tmp_path / "team.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    assert run_app(app, ["run", str(tmp_path / "team.yaml"), "--quiet"]) == 0
    asyncio.run(ask(tmp_path, {**config, **changed}, 2))
    row = next(row for row in served_of(moot, tmp_path)["drift"] if row["figure"] == "agreement")
    assert row["why"] == "the experiment was of other models, instructions or prompts"


def all_day(number: int) -> str:
    """One question is asked 20 times, in two spellings; eight others once."""
    return "Which town  is it?" if number < 10 else "Which town is it?" if number < 20 else f"Which one is {number}?"


@pytest.fixture(scope="module")
def asked_all_day(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("all-day")
    asyncio.run(ask(folder, CUP, 29, told=lambda number: None if number == 28 else number >= 20, asked=all_day))
    assert run_app(app, ["run", str(folder / "team.yaml"), "--quiet"]) == 0
    spread(folder, 6)
    return folder


def test_a_share_is_of_the_answers_that_people_got(asked_all_day: Path, moot: Command) -> None:
    """All 20 answers to one question were wrong and 8 others right: 8 of 28, and no 8 of 9."""
    served = served_of(moot, asked_all_day)
    right = served["accuracy"]
    assert (served["asked"], served["questions"], served["graded"]["n"]) == (29, 10, 28)
    assert (right["value"], right["n"], right["clusters"]) == (pytest.approx(8 / 28), 28, 9)
    assert right["bounds"] == {"low": pytest.approx(8 / 29), "high": pytest.approx(9 / 29)}
    assert right["high"] - right["low"] > 0.7, "28 answers to 9 questions, of which one is most of them"
    told = in_one_line(moot("report", asked_all_day / "team.yaml", "--served")[1])
    assert told.startswith(
        "Of 29 questions (10 different; intervals are over these) 28 were told right or wrong (96.6 %)."
    )
    assert " Of the graded answers 28.6 % (" in told


def test_every_total_lies_among_its_rows(asked_all_day: Path, moot: Command) -> None:
    """All that is a mean over answers is the mean of its days', each by how many it has."""
    served = served_of(moot, asked_all_day)
    for figure in ("accuracy", "agreement"):
        days = [day[figure] for day in served["by_day"] if day[figure]["n"]]
        weighted = sum(day["value"] * day["n"] for day in days) / sum(day["n"] for day in days)
        assert served[figure]["value"] == pytest.approx(weighted)
        assert served[figure]["n"] == sum(day["n"] for day in days)
        assert served["by_team"][0][figure] == served[figure]
    (drift,) = [row for row in served["drift"] if row["figure"] == "agreement"]
    assert {key: drift["live"][key] for key in served["agreement"]} == served["agreement"]


def test_what_one_question_does_all_day_is_no_alert(tmp_path: Path, moot: Command) -> None:
    """However often it is asked it is one question; and others, which go the other way, are no evidence for it."""
    folder = asked_of(
        tmp_path, 100, told=lambda number: number >= 40, asked=lambda number: f"Which is {max(39, number)}?"
    )
    moot("run", folder / "team.yaml", "--quiet")
    served = served_of(moot, folder)
    (row,) = [row for row in served["drift"] if row["figure"] == "accuracy"]
    assert row["live"]["value"] == pytest.approx(0.6)
    assert row["live"]["value"] < row["measured"]["low"]
    assert row["p"] <= row["level"], "others are right more often than measured"
    assert not row["alert"]


def test_who_fails_is_told_by_name(tmp_path: Path, moot: Command) -> None:
    folder = asked_of(tmp_path, 4, wrong=lambda number: {"bob": "fails"} if number % 2 else {})
    served = served_of(moot, folder)
    by_name = {row["player"]: row for row in served["absences"] if row["office"] == "player"}
    assert (by_name["bob"]["asked"], by_name["bob"]["failed"], by_name["cat"]["failed"]) == (4, 2, 0)
    printed = moot("report", folder / "team.yaml", "--served")[1]
    assert "Absent: bob 2 failed of 4." in in_one_line(printed)


def test_whom_nobody_waited_for_may_have_agreed_or_not(tmp_path: Path, moot: Command) -> None:
    """A served vote is decided by two who agree: of the third nothing is known, and so there are bounds, and no alert."""
    folder = asked_of(tmp_path, 12, model="three/vote", wrong=lambda number: {"cat": "slow"} if number < 9 else {})
    moot("run", folder / "team.yaml", "--quiet")
    served = served_of(moot, folder)
    agreed = served["agreement"]
    assert agreed["value"] is None
    assert 0 < agreed["bounds"]["low"] < agreed["bounds"]["high"] <= 1
    assert agreed["low"] < agreed["bounds"]["low"]
    assert agreed["high"] >= agreed["bounds"]["high"]
    (cat,) = [row for row in served["absences"] if row["player"] == "cat"]
    assert (cat["late"], cat["not_needed"] > 0) == (0, True)
    printed = moot("report", folder / "team.yaml", "--served")[1]
    assert "whoever was not waited for, the answer being decided, may have agreed or not" in in_one_line(printed)


def test_long_answers_have_no_agreement(tmp_path: Path, moot: Command) -> None:
    config = {**CUP, "strategies": ["talkative"], "questions": {"file": "long.jsonl", "kind": "text"}}
    (tmp_path / "long.jsonl").write_text('{"id": "1", "text": "Write a plan."}\n', encoding="utf-8")
    asyncio.run(ask(tmp_path, config, 2, model="three/talkative"))
    printed = moot("report", tmp_path / "team.yaml", "--served")[1]
    assert "There is no agreement: long answers differ in words however much they agree." in in_one_line(printed)


@pytest.mark.parametrize("changed", [{}, {"language": "ru"}], ids=["as measured", "in other words"])
def test_that_is_why_they_are_held_against_no_experiment(
    tmp_path: Path, moot: Command, changed: dict[str, Any]
) -> None:
    """Also where the experiment was of other prompts: nothing that it could have measured would be there to compare."""
    config = {**CUP, "strategies": ["talkative"], "questions": {"file": "long.jsonl", "kind": "text"}}
    rows = [{"id": f"{n}", "text": f"Write a plan, number {n}."} for n in range(3)]
    (tmp_path / "long.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (tmp_path / "team.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    assert run_app(app, ["run", str(tmp_path / "team.yaml"), "--quiet"]) == 0
    asyncio.run(ask(tmp_path, {**config, **changed}, 2, model="three/talkative"))
    row = next(row for row in served_of(moot, tmp_path)["drift"] if row["figure"] == "agreement")
    assert row["why"] == "long answers differ in words however much they agree"


def test_long_answers_that_are_graded_are_held_against_the_experiment(tmp_path: Path, moot: Command) -> None:
    """By how right they were, as all others: a served long answer is of the cell that was measured."""
    rubric = [{"name": "clear", "points": 1, "says": "It is."}]
    models = {**CUP["models"], "jim": {"provider": "simulated", "accuracy": 0.5}}
    judged = {"models": models, "players": {name: {"model": name} for name in CUP["models"]}, "rubric": rubric}
    long = {"strategies": ["talkative"], "questions": {"file": "long.jsonl", "kind": "text"}}
    rows = [{"id": f"{n}", "text": f"Write a plan, number {n}."} for n in range(30)]
    (tmp_path / "long.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    config = {**CUP, **long, **judged, "judge": {"models": ["jim"]}}
    asyncio.run(ask(tmp_path, config, 30, told=lambda number: False, model="three/talkative"))
    assert run_app(app, ["run", str(tmp_path / "team.yaml"), "--quiet"]) == 0
    served = served_of(moot, tmp_path)
    row = next(row for row in served["drift"] if row["figure"] == "accuracy")
    assert row["why"] is None
    assert row["alert"], "the experiment found them good, and of those who ask nobody does"
    assert served["alert"].startswith("Alert: accuracy of three/talkative was 0.0 %")
    (beside,) = [section.words for section in served_sections(served) if section.id == "served-accuracy"]
    assert beside[0] == served["alert"], "an alert stands beside the figure that it is of"


def test_all_versions_of_a_file_are_told_together(tmp_path: Path, moot: Command) -> None:
    asyncio.run(ask(tmp_path, CUP, 2))
    asyncio.run(ask(tmp_path, {**CUP, "strategies": ["silent"], "language": "ru"}, 3))
    served = served_of(moot, tmp_path)
    assert (served["plans"], served["asked"]) == (2, 5)
    first = served["by_team"][0]
    assert (first["label"], first["asked"]) == ("silent", 5)


def test_a_screen_holds_it_also_where_all_goes_wrong(folder: Path, moot: Command) -> None:
    served = served_of(moot, folder)
    (row,) = [row for row in served["drift"] if row["figure"] == "agreement"]
    absent = {"office": "player", "asked": 300, "late": 3, "failed": 4, "refused": 1, "unanswered": 2, "not_needed": 0}
    served |= {
        "since": "2026-11-10T12:00:00Z",
        "left_out": 1_200,
        "plans": 3,
        "questions": 40,
        "waiting": 3,
        "taught": 4,
        "outcomes": {"answered": 250, "undecided": 10, "unanswered": 20, "refused": 5, "failed": 15},
        "absences": [{**absent, "player": f"player-{number}"} for number in range(7)],
        "failures": [{"model": "large", "kind": "TimedOut", "times": 4, "message": "no reply"}],
        "by_team": [{**served["by_team"][0], "label": f"talkative-{number}"} for number in range(6)],
        "drift": [{**row, "figure": figure} for figure in ("agreement", "probability", "accuracy")],
        "alert": "Alert: agreement of three/silent was 51.2 % (45.2–57.1) on 2026-11-16; the experiment measured 77.2 %"
        " (69.9–83.2): the questions or the models have changed. 2 more alerts: --json, drift.",
        "measured_note": "team.yaml as it is now was not run; this is the run of 2026-11-01 12:00",
    }
    out = io.StringIO()
    print_served(
        "cup:served", served, Console(file=out, width=80), NextCommands.of(Path("team.yaml"), None, served=True)
    )
    lines = out.getvalue().splitlines()
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 80
    assert " days, 6 who answered (-o, --json)." in out.getvalue()


def test_weeks_where_there_are_many_days(folder: Path, moot: Command) -> None:
    spread(folder, 40)
    served = served_of(moot, folder)
    assert served["days_each"] == 7
    assert 6 <= len(served["by_day"]) <= 7
    assert all(time.strptime(row["from"], "%Y-%m-%d").tm_wday == 0 for row in served["by_day"])
    printed = moot("report", folder / "team.yaml", "--served")[1]
    assert len(printed.splitlines()) <= 25
    assert "week of " in printed


def test_a_store_alone_tells_what_was_served_last(folder: Path, moot: Command) -> None:
    code, printed = moot("report", "--store", f"sqlite:///{folder}/cup.db", "--served")
    assert code == 0
    assert printed.startswith("Of 48 questions 12 were told")


def test_the_page(folder: Path, moot: Command) -> None:
    """Of a part of the time it has the figures, and none of the questions that were asked before."""
    for options in ((), ("--since", "3d")):
        page = folder / "served.html"
        assert moot("report", folder / "team.yaml", "--served", *options, "-o", page)[0] == 0
        text = page.read_text(encoding="utf-8")
        assert "were told right or wrong" in text
        assert ('id="part-0-0"' in text) is (not options)


def test_a_share_of_nothing_is_a_figure_and_a_count_of_nothing_is_none(folder: Path, moot: Command) -> None:
    """Who was never right has the worst figure there is: a column that is not there would hide it."""
    served = served_of(moot, folder)
    for row in [*served["by_day"], *served["by_team"]]:
        row["accuracy"] |= {"value": 0.0, "low": 0.0, "high": 0.3}
        row["agreement"] |= {"value": 0.0, "low": 0.0, "high": 0.1}
    shown = {section.id: [column.key for column in section.columns] for section in served_sections(served)}
    for section in ("served-days", "served-teams"):
        assert {"right", "agreed"} <= {*shown[section]}
        assert "failed" not in shown[section]


def test_grades_that_do_not_count_are_not_called_missing(folder: Path, moot: Command) -> None:
    """What was told of questions that a team was chosen on was told."""
    served = served_of(moot, folder)
    words = list(opening_words({**served, "taught": 6, "graded": {**served["graded"], "n": 0}}))
    assert words[0] == "Of 48 questions none was told right or wrong that counts."
    assert "6 graded answers to questions that the team was chosen or its rule learnt on: not counted" in words[1]
