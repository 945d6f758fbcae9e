"""Who does what moot has advised still sees an ending that fits a screen, with the page to open and a row of what was added."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from beside import in_a_thread

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.simulate.server import running

LINES = 25
PLAYERS = ("klein", "mittel", "gross", "klein2")


@pytest.fixture(autouse=True)
def _narrow(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)


class Cases:
    """A file of a team of four, which is changed step by step."""

    def __init__(self, capfd: pytest.CaptureFixture[str]) -> None:
        self._capfd = capfd
        self.keys: dict[str, Any] = {
            "name": "cases",
            "questions": {"builtin": "general-en", "sample": 32},
            "models": {name: {"provider": "simulated", "accuracy": 0.5 + 0.1 * n} for n, name in enumerate(PLAYERS)},
            "teams": {"all": {"players": [*PLAYERS], "captain": "each"}},
            "strategies": ["solo", "vote", "talkative"],
        }

    def moot(self, *words: str, ends: int = 0) -> list[str]:
        self._capfd.readouterr()
        assert run_app(app, list(words)) == ends
        return self._capfd.readouterr().out.splitlines()

    def run(self, **keys: Any) -> list[str]:
        self.keys |= keys
        Path("cases.yaml").write_text(json.dumps(self.keys), encoding="utf-8")
        return self.moot("run", "cases.yaml")

    @property
    def report(self) -> list[str]:
        return self.moot("report", "cases.yaml")


@pytest.fixture
def cases(capfd: pytest.CaptureFixture[str]) -> Cases:
    return Cases(capfd)


def check(lines: list[str]) -> None:
    """It fits, and the page is the first thing to type."""
    assert len(lines) <= LINES, "\n".join(lines)
    commands = [line for line in lines if line.startswith("moot report ")]
    assert commands[0].startswith("moot report cases.yaml -o cases.html  "), "\n".join(lines)


def rows_of(lines: list[str]) -> list[str]:
    """The first words of the table's rows."""
    start = next(place for place, line in enumerate(lines) if line.startswith("───"))
    end = next(place for place, line in enumerate(lines) if line.startswith("Calls: "))
    return [line.split()[0] for line in lines[start + 1 : end]]


def test_after_fit_each_captain_is_not_a_remark_of_its_own(cases: Cases, capfd: pytest.CaptureFixture[str]) -> None:
    cases.run()
    cases.run(strategies=["solo", "vote", "silent", "talkative"])
    cases.moot("fit", "cases.yaml", "-o", "rule.yaml")
    learnt: list[Any] = [*cases.keys["strategies"], {"learnt": {"from": "rule.yaml"}}]
    ended = cases.run(strategies=learnt)
    for lines in (ended, cases.report):
        check(lines)
        whole = " ".join(" ".join(lines).split())
        said = re.findall(
            r"(learnt\S*), under each of 4 captains: all 32 questions are those that it was chosen on", whole
        )
        assert len(said) == whole.count("chosen on:") == 1
        assert {"solo", "vote", "silent", "talkative"} <= {name.rstrip(",") for name in rows_of(lines)}
        assert any(name.startswith("learnt") for name in rows_of(lines)), "what was just added has a row"


LEARNT_ON = ", under each of 4 captains: 32 of its 32 questions are those that it was chosen on"
NOTHING_LEFT = ", under each of 4 captains: all 32 questions are those that it was chosen on"


def test_run_warns_once_for_all_captains(cases: Cases, capfd: pytest.CaptureFixture[str]) -> None:
    """Before its first call; and whatever shows a figure says it again, be it that nothing is left to do."""
    cases.run(strategies=["solo", "vote"])
    cases.moot("fit", "cases.yaml", "-o", "rule.yaml")
    cases.keys["strategies"] = ["solo", "vote", {"learnt": {"from": "rule.yaml"}}]
    Path("cases.yaml").write_text(json.dumps(cases.keys), encoding="utf-8")
    capfd.readouterr()
    for warns in (1, 0):
        assert run_app(app, ["run", "cases.yaml", "--quiet"]) == 0
        out, err = capfd.readouterr()
        warned = [line for line in err.splitlines() if "chosen on" in line]
        assert (len(warned), out) == (warns, ""), "no figure, and nothing to say of it"
        assert all(LEARNT_ON in line for line in warned)


def test_a_run_with_nothing_to_do_says_what_was_chosen_on_these(cases: Cases, monkeypatch: pytest.MonkeyPatch) -> None:
    cases.run(strategies=["solo", "vote"])
    cases.moot("fit", "cases.yaml", "-o", "rule.yaml")
    cases.run(strategies=["solo", "vote", {"learnt": {"from": "rule.yaml"}}])
    fitting = {
        200: NOTHING_LEFT,
        100: "Chosen on some of these questions: learnt",
        40: "Some of it was chosen on these",
    }
    for columns, said in fitting.items():
        monkeypatch.setenv("COLUMNS", str(columns))
        first, headline, caveat, following = cases.moot("run", "cases.yaml")
        assert first.startswith("nothing to do: ")
        assert headline.startswith("vote@")
        assert said in caveat
        assert following.startswith("moot report cases.yaml")


def test_what_weakens_a_team_is_said_where_it_ends(capfd: pytest.CaptureFixture[str]) -> None:
    """One who is silent on half of the questions, and a rule that mostly falls back on the best single."""
    draw, players = random.Random(3), {"ann": 0.8, "bob": 0.6, "cat": 0.6}
    asked, said = [], []
    for number in range(120):
        right = "ABCD"[number % 4]
        asked.append({"id": f"q{number}", "text": f"Q {number}?", "choices": ["r", "x", "y", "z"], "answer": right})
        for name, share in players.items():
            word = right if draw.random() < share else draw.choice("ABCD".replace(right, ""))
            silent = name == "cat" and number % 2
            said.append({"model": name, "question_id": f"q{number}", "answer": "None of these." if silent else word})
    Path("q.jsonl").write_text("\n".join(map(json.dumps, asked)))
    Path("said.jsonl").write_text("\n".join(map(json.dumps, said)))
    cases = Cases(capfd)
    models = {name: {"provider": "recorded", "file": "said.jsonl", "model": name} for name in players}
    cases.keys |= {"questions": {"file": "q.jsonl"}, "models": models, "teams": {"three": {"players": [*players]}}}
    ended = cases.run(strategies=["solo", "vote", "learnt"])
    check(ended)
    assert "cat said nothing to 60 of 120." in ended
    (voices,) = json.loads("\n".join(cases.moot("report", "cases.yaml", "--json")))["voices"]
    assert voices["kept"] == "best single"
    assert voices["plays"] >= 60
    assert f"learnt used the best single on {voices['plays']} of 120 (--section voices)." in ended
    advised = " ".join(" ".join(cases.moot("advise", "cases.yaml")).split())
    assert "Note: cat said nothing to 60 of 120: its weight is made of the others." in advised


def test_after_select(cases: Cases) -> None:
    cases.run(strategies=["solo", "vote", "silent", "talkative"])
    Path("team.json").write_text("\n".join(cases.moot("select", "cases.yaml", "--k", "3", "--m", "24", "--json")))
    team = json.loads(Path("team.json").read_text())[0]["team"]
    chosen = {"players": team, "captain": team[0], "selection": "team.json"}
    ended = cases.run(teams={"chosen": chosen}, strategies=["solo", "vote", "silent"])
    for lines in (ended, cases.report):
        check(lines)
        assert {"solo", "vote", "silent"} <= {*rows_of(lines)}


def test_after_an_endpoint_went_away(cases: Cases) -> None:
    with in_a_thread(running({"models": {"quick": {"accuracy": 0.5}}})) as server:
        odd = {"provider": "endpoint", "base_url": "http://127.0.0.1:9/v1", "model": "x", "retries": {"attempts": 1}}
        quick = {"provider": "endpoint", "base_url": server.base_url, "model": "quick"}
        price = {"price": {"prompt": 1, "completion": 2}}
        cases.keys |= {"questions": {"builtin": "general-en", "sample": 8}, "strategies": ["solo"]}
        cases.run(models={"quick": quick | price}, teams={"all": {"players": ["quick"]}})
        cases.keys |= {"models": {"quick": quick | price, "odd": odd | price}, "strategies": ["solo", "vote"]}
        Path("cases.yaml").write_text(json.dumps(cases.keys | {"teams": {"all": {"players": ["quick", "odd"]}}}))
        cases.moot("run", "cases.yaml", ends=1)
    lines = cases.report
    check(lines)
    whole = " ".join(" ".join(lines).split())
    assert "nothing listens there: start the server" in whole
    assert "?." not in whole
