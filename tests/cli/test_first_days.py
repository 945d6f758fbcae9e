"""What somebody types in the first days, and what moot says to it: what is said can be done."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from beside import in_a_thread

import moot
from moot import ScriptedModel
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.simulate.server import running

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "250")


def typed(capfd: Captured, *words: str, ends: int = 0) -> str:
    capfd.readouterr()
    code = run_app(app, list(words))
    out, err = capfd.readouterr()
    assert code == ends, (out, err)
    return f"{out}{err}"


def cup(**more: Any) -> None:
    keys: dict[str, Any] = {
        "name": "cup",
        "questions": {"file": "q.csv"},
        "models": {name: {"provider": "simulated", "accuracy": 0.6} for name in ("ann", "bob", "cat")},
        "strategies": ["solo", "vote"],
    }
    Path("cup.yaml").write_text(json.dumps(keys | more), encoding="utf-8")


def asked(*answers: str) -> None:
    rows = "".join(f"Thing {n}?,a,b,c,{answer}\n" for n, answer in enumerate(answers))
    Path("q.csv").write_text(f"Question,Option A,Option B,Option C,Answer\n{rows}", encoding="utf-8")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_frame_may_have_the_texts_of_right_choices(library: str) -> None:
    frames = pytest.importorskip(library)
    rows = {"text": ["Largest?", "Smallest?"], "choices": [["Mars", "Jupiter"], ["Mercury", "Earth"]]}
    model = ScriptedModel("ann", lambda request: {"reasoning": "-", "answer": "B"})

    def right(answers: list[str]) -> float:
        keys = {"questions": frames.DataFrame({**rows, "answer": answers}), "models": {"ann": model}}
        played = moot.run({**keys, "name": "cup", "players": {"ann": {"model": "ann"}}, "strategies": ["solo"]})
        return float(played.figures["accuracy"][0]["value"])

    assert right(["Jupiter", "Mercury"]) == right(["B", "A"]) == 0.5
    with pytest.raises(
        moot.MootError, match=r"it is a choice's text: give its letter, 'B', or the texts .* in all rows"
    ):
        right(["Jupiter", "A"])


def test_a_corrected_reference_is_said_to_be_graded_anew(capfd: Captured) -> None:
    asked("A", "B", "C", "A")
    cup(models={"ann": {"provider": "recorded", "file": "said.jsonl", "model": "ann"}}, strategies=["solo"])
    said = [{"model": "ann", "question_id": str(n), "answer": "A"} for n in range(1, 5)]
    Path("said.jsonl").write_text("\n".join(map(json.dumps, said)), encoding="utf-8")
    typed(capfd, "run", "cup.yaml")
    assert typed(capfd, "run", "cup.yaml").startswith(("moot: q.csv", "nothing to do: all 4 episodes are done"))
    asked("A", "A", "C", "A")
    said_now = typed(capfd, "run", "cup.yaml")
    assert (
        "nothing to play, all 4 episodes are done; 1 question graded again, since the reference or the grader"
        in said_now
    )
    assert "nothing to do" in typed(capfd, "run", "cup.yaml")


def test_init_writes_nothing_where_the_server_that_was_named_wants_a_key(
    capfd: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RIGHT_KEY", "the-right-key")
    monkeypatch.setenv("WRONG_KEY", "the-wrong-key")
    asked("A", "B")
    with in_a_thread(running({"models": {"ann": {"accuracy": 0.5}}, "api_key_env": "RIGHT_KEY"})) as server:
        port = server.base_url.rpartition(":")[2].partition("/")[0]
        command = ("init", "--yes", "--port", port, "--questions", "q.csv", "-o", "k.yaml")
        told = typed(capfd, *command, ends=2)
        assert not Path("k.yaml").exists()
        (again,) = [line.strip() for line in told.splitlines() if line.strip().startswith("moot init")]
        refused = typed(capfd, *command, "--key-env", "WRONG_KEY", ends=2)
        assert "refuses the key in WRONG_KEY" in refused
        typed(capfd, *shlex.split(again.replace("SERVER_KEY", "RIGHT_KEY"))[1:])
        assert "q.csv" in Path("k.yaml").read_text()


def test_a_table_that_is_no_utf8_is_named_with_a_command(capfd: Captured) -> None:
    Path("Fälle 1.csv").write_bytes("Question,Answer\nWie heißt die größte Stadt?,Köln\n".encode("cp1252"))
    told = typed(capfd, "init", "--yes")
    assert "Fälle 1.csv is skipped" in told
    line = next(line for line in told.splitlines() if "skipped" in line)
    subprocess.run(line[line.index("iconv") :], shell=True, check=True)
    assert "größte" in Path("Fälle 1-utf8.csv").read_text(encoding="utf-8")


def test_what_compare_shows_can_be_typed(capfd: Captured) -> None:
    asked("A", "B", "C", "A")
    cup()
    typed(capfd, "run", "cup.yaml", "--quiet")
    told = typed(capfd, "compare", "cup.yaml", ends=2)
    command = told.partition("such as: ")[2].partition(" (or")[0]
    typed(capfd, *shlex.split(command)[1:])


def test_a_question_without_quotes_keeps_its_team(capfd: Captured) -> None:
    assert '"Which planet?" --team t.yaml' in typed(capfd, "ask", "Which", "planet?", "--team", "t.yaml", ends=2)


def test_what_is_declared_after_a_run_is_not_told_as_run(capfd: Captured) -> None:
    asked("A", "B", "C", "A")
    cup()
    typed(capfd, "run", "cup.yaml", "--quiet")
    assert "no run has written down" not in typed(capfd, "report", "cup.yaml")
    cup(primary="vote")
    assert "cup.yaml declares 'vote' now, which no run has written down yet" in typed(capfd, "report", "cup.yaml")
    typed(capfd, "run", "cup.yaml", "--quiet")
    assert "no run has written down" not in typed(capfd, "report", "cup.yaml")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("question,answer\nWho, what?,Bob\nWhere?,Rome\n", "line 2: more cells than the header has columns"),
        ("question,question,answer\na?,b?,c\n", "line 1: question: two columns have this name"),
    ],
)
def test_a_table_that_cannot_be_read_is_named_with_its_reason(text: str, reason: str, capfd: Captured) -> None:
    Path("cup.csv").write_text(text, encoding="utf-8")
    told = typed(capfd, "init", "--yes")
    assert f"cup.csv is skipped: {reason}" in told
    assert "questions of facts-en;" in told or "questions of general-en;" in told


def test_the_only_table_is_taken_where_each_column_can_be_proposed(capfd: Captured) -> None:
    Path("cup.csv").write_text(
        "Nr;Frage;Wert1;Wert2;Wert3;Loesung;Punkte\n"
        "1;Which planet is the largest?;Mars;Jupiter;Venus;b;2\n2;Which is the smallest?;Mercury;Earth;Neptune;a;2\n",
        encoding="utf-8",
    )
    told = typed(capfd, "init", "--yes")
    assert "Questions: cup.csv, the only table here" in told
    assert "2 questions; solo" in told
    assert "cup.csv" in Path("moot.yaml").read_text(encoding="utf-8")


def test_a_table_that_could_be_anything_is_not_taken(capfd: Captured) -> None:
    Path("sales.csv").write_text("name,amount,city\nann,5,Rome\nbob,6,Paris\n", encoding="utf-8")
    told = typed(capfd, "init", "--yes")
    assert "--questions sales.csv asks which of its columns is what" in told
    assert "file: sales.csv" not in Path("moot.yaml").read_text(encoding="utf-8")
