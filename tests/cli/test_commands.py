"""The commands as a user types them: what goes to stdout, what to stderr, and the exit code."""

from __future__ import annotations

import asyncio
import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from beside import in_a_thread
from jsonschema import Draft202012Validator

from moot.cli import progress
from moot.cli import schema as schema_module
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.engine.run_tally import RunTally
from moot.simulate.server import SimulatedServer, running

Captured = pytest.CaptureFixture[str]
TOM = {"provider": "simulated", "accuracy": 0.4}
ANN = {"provider": "simulated", "accuracy": 0.7}


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables that are not wrapped can be searched."""
    monkeypatch.setenv("COLUMNS", "250")
    monkeypatch.delenv("MOOT_DEBUG", raising=False)


@contextmanager
def simulated(**config: Any) -> Iterator[SimulatedServer]:
    """A simulated server in a thread of its own."""
    with in_a_thread(running({"models": {"ann": {"accuracy": 0.5}}, **config})) as server:
        yield server


def endpoint(base_url: str, **more: Any) -> dict[str, Any]:
    return {"provider": "endpoint", "base_url": base_url, "model": "ann", **more}


def experiment(folder: Path, models: Mapping[str, Any] | None = None, questions: int = 20, **more: Any) -> Path:
    lines = [{"id": f"q{n}", "text": f"Who is [bold]number[/] {n}?", "answer": f"Person {n}"} for n in range(questions)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    path = folder / "cup.yaml"
    spec = {"name": "cup", "questions": {"file": "questions.jsonl"}, "models": models or {"ann": ANN, "tom": TOM}}
    path.write_text(json.dumps({**spec, **more}), encoding="utf-8")
    return path


def moot(*arguments: object) -> int:
    return run_app(app, [str(each) for each in arguments])


# --- run ----------------------------------------------------------------------------------------------------------------


def test_run_shows_where_it_is_on_stderr_and_the_table_on_stdout(tmp_path: Path, capfd: Captured) -> None:
    assert moot("run", experiment(tmp_path)) == 0
    said = capfd.readouterr()
    assert said.err.splitlines()[-1].startswith("cup: 40/40 episodes, ")
    assert "\x1b" not in said.err + said.out, "no terminal, no colours"
    assert "cup: 20 questions" in said.out
    assert "Simulated, not real: ann, tom" in said.out
    assert "With fewer than 30 questions, results are very uncertain" in said.out


def test_quiet_is_quiet(tmp_path: Path, capfd: Captured) -> None:
    assert moot("run", experiment(tmp_path), "--quiet") == 0
    assert capfd.readouterr() == ("", "")


def test_progress_comes_in_plain_lines_with_the_state_of_endpoints(
    tmp_path: Path, capfd: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "LINE_EVERY_S", 0.05)
    with simulated(latency=0.2) as server:
        path = experiment(tmp_path, {"ann": endpoint(server.base_url, limits={"concurrent": 4})})
        assert moot("run", path) == 0
        host = server.url.removeprefix("http://")
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) >= 3
    assert all(line.startswith("cup: ") and "/20 episodes, " in line for line in lines)
    assert any(f"{host} 4/4" in line for line in lines), "four at a time, of which most lines come in the middle"
    assert "20 calls, 0 from the store, unknown" in lines[-1], "a price that is unknown is not nothing"


@pytest.mark.parametrize(("retries", "said"), [(1, "1 retry"), (2, "2 retries")])
def test_one_retry_is_not_several(retries: int, said: str, capfd: Captured) -> None:
    async def watched() -> None:
        async with progress.watch(RunTally(1, retries=Counter({"ann": retries})), title="cup"):
            await asyncio.sleep(0)

    asyncio.run(watched())
    assert f" · {said}" in capfd.readouterr().err


def test_limit_takes_the_first_questions(tmp_path: Path, capfd: Captured) -> None:
    path = experiment(tmp_path)
    assert moot("run", path, "--quiet", "--limit", 3) == 0
    moot("report", path, "--json")
    assert json.loads(capfd.readouterr().out)["questions"] == 3


def test_estimate_calls_nothing_and_keeps_nothing(tmp_path: Path, capfd: Captured) -> None:
    dear = {"price": {"prompt": 1.0, "completion": 1000.0}, "params": {"max_tokens": 50}}
    models = {
        "known": endpoint("http://127.0.0.1:9/v1", **dear),
        "unknown": endpoint("http://127.0.0.1:9/v1", stream=True),
    }
    models["unknown"]["model"] = "bob"
    path = experiment(tmp_path, models)
    assert moot("run", path, "--estimate") == 0
    said = capfd.readouterr()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["cup.yaml", "questions.jsonl"]
    lines = {line.split()[0]: line for line in said.out.splitlines() if line.startswith(("known ", "unknown "))}
    assert "$1.00" in lines["known"]
    assert lines["unknown"].count("unknown") == 2
    assert "unbounded" in lines["unknown"]
    assert "In total unknown" in said.out


# --- report and show ----------------------------------------------------------------------------------------------------


def test_report_as_json_is_json_and_nothing_else(tmp_path: Path, capfd: Captured) -> None:
    path = experiment(tmp_path)
    moot("run", path, "--quiet")
    assert moot("report", path, "--json") == 0
    said = capfd.readouterr()
    assert said.err == ""
    figures = json.loads(said.out)
    assert (figures["experiment"], figures["questions"]) == ("cup", 20)
    assert [row["player"] for row in figures["accuracy"]] == ["ann", "tom"]
    for row in figures["accuracy"]:
        assert row["strategy"] == "solo"
        assert 0 <= row["low"] <= row["value"] <= row["high"] <= 1
        assert (row["n"], row["calls"], row["outcomes"]) == (20, 20, {"answered": 20})
        assert row["cost_usd"] == 0.0
    assert figures["simulated"] == ["ann", "tom"]


def test_a_report_of_a_store_alone(tmp_path: Path, capfd: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    path = experiment(tmp_path)
    monkeypatch.chdir(tmp_path)
    moot("run", path, "--quiet", "--store", "sqlite:///elsewhere.db")
    for url in ("sqlite:///elsewhere.db", f"sqlite:///{tmp_path}/elsewhere.db"):
        assert moot("report", "--store", url, "--json") == 0
        assert json.loads(capfd.readouterr().out)["experiment"] == "cup"


def test_a_report_on_nothing_says_so_and_makes_nothing(tmp_path: Path, capfd: Captured) -> None:
    path = experiment(tmp_path)
    for command in (["report", path], ["report"], ["report", path, "--json"], ["show", path, "q1"]):
        assert moot(*command) == 2
        said = capfd.readouterr()
        assert said.out == ""
        assert said.err.startswith("moot: ")
    assert not path.with_suffix(".db").exists()


def test_show_has_every_prompt_reply_and_grade(tmp_path: Path, capfd: Captured) -> None:
    path = experiment(tmp_path)
    moot("run", path, "--quiet")
    assert moot("show", path, "q3") == 0
    shown = capfd.readouterr().out
    for words in ("solo@ann", "solo@tom", "Who is [bold]number[/] 3?", "[simulated]", "the reference is 'Person 3'"):
        assert words in shown
    assert moot("show", path, "q3", "--json", "--strategy", "solo@tom") == 0
    said = capfd.readouterr()
    (only,) = json.loads(said.out)
    assert said.err == ""
    assert (only["title"], only["reference"]) == ("solo@tom", "Person 3")
    assert only["score"] in (0.0, 1.0)
    assert "Who is [bold]number[/] 3?" in only["calls"][0]["messages"][-1]["content"]
    assert only["calls"][0]["version"] == "simulated/2 tom"


def test_show_without_an_id_lists_who_was_right(tmp_path: Path, capfd: Captured) -> None:
    path = experiment(tmp_path)
    moot("run", path, "--quiet")
    capfd.readouterr()
    assert moot("show", path, "--json") == 0
    listed = json.loads(capfd.readouterr().out)
    assert moot("show", path) == 0
    lines = capfd.readouterr().out.splitlines()
    assert len(lines) == len(listed) + 3, "a header, and how one is shown"
    for question, line in zip(listed, lines[1:], strict=False):
        assert moot("show", path, question["id"], "--json") == 0
        each = {play["title"]: [play["score"]] for play in json.loads(capfd.readouterr().out)}
        assert question["scores"] == each
        right = [title for title, scores in each.items() if scores == [1.0]]
        assert line.split()[0] == question["id"]
        assert line.endswith(", ".join(right) or "nobody")
    assert {len(question["scores"]) for question in listed} == {2}
    assert moot("show", path, "--json", "--strategy", "solo@tom") == 0
    assert {*json.loads(capfd.readouterr().out)[0]["scores"]} == {"solo@tom"}
    assert moot("show", path, "Q3") == 2
    assert "its ids are such as q0, q1, q2, q3" in capfd.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [["q99"], ["q3", "--strategy", "solo@nobody"], ["q3", "--strategy", "debate"], ["--strategy", "debate"]],
)
def test_show_what_is_not_there(tmp_path: Path, capfd: Captured, arguments: list[str]) -> None:
    path = experiment(tmp_path)
    moot("run", path, "--quiet")
    assert moot("show", path, *arguments) == 2
    said = capfd.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1


# --- ask ----------------------------------------------------------------------------------------------------------------


def team_file(folder: Path, models: Mapping[str, Any] | None = None, **more: Any) -> Path:
    path = folder / "team.yaml"
    path.write_text(json.dumps({"name": "team", "models": models or {"ann": ANN, "tom": TOM}, **more}))
    return path


def test_ask_as_json(tmp_path: Path, capfd: Captured) -> None:
    assert moot("ask", "Who is it?", "--team", team_file(tmp_path), "--json") == 0
    said = capfd.readouterr()
    asked = json.loads(said.out)
    assert said.err == ""
    assert asked["question"] == "Who is it?"
    (verdict,) = asked["verdicts"]
    assert verdict["title"] == "vote", "the file says nothing of how to decide, and a vote ends in an answer"
    assert verdict["outcome"] == "answered"
    assert verdict["answer"] == asked["answer"]
    assert (asked["calls"], asked["from_store"], asked["cost_usd"]) == (2, 0, 0.0)
    assert [each.name for each in tmp_path.iterdir()] == ["team.yaml"], "nobody wants to keep it"


def test_ask_shows_a_table(tmp_path: Path, capfd: Captured) -> None:
    assert moot("ask", "Which?", "--team", team_file(tmp_path), "--choice", "red", "--choice", "blue") == 0
    said = capfd.readouterr()
    assert "ann" in said.err
    assert "[simulated]" in said.err
    assert len(said.out.splitlines()) == 1, "into a pipe goes the answer alone"


TWO = {"teams": {"two": {"players": ["ann", "tom"], "captain": "each"}}}


def titles_asked(capfd: Captured, path: Path, *options: str) -> list[str]:
    assert moot("ask", "Who is it?", "--team", path, "--json", *options) == 0
    return [each["title"] for each in json.loads(capfd.readouterr().out)["verdicts"]]


@pytest.mark.parametrize(
    ("keys", "played"),
    [
        ({"strategies": ["solo", "vote", "silent", "talkative"]}, ["talkative@ann"]),
        ({"strategies": ["solo", "vote", "talkative"], "primary": "talkative@tom"}, ["talkative@tom"]),
        ({"strategies": ["solo", "vote", "talkative"], "primary": "vote"}, ["vote@ann"]),
        ({"strategies": ["solo", "silent", "vote"]}, ["vote@ann"]),
        ({"strategies": ["debate", "silent"]}, ["debate@ann"]),
        ({"strategies": ["solo"]}, ["solo@ann", "solo@tom"]),
    ],
)
def test_ask_plays_one_strategy(tmp_path: Path, capfd: Captured, keys: dict[str, Any], played: list[str]) -> None:
    assert titles_asked(capfd, team_file(tmp_path, **TWO, **keys)) == played


def test_ask_accepts_the_names_of_reports(tmp_path: Path, capfd: Captured) -> None:
    path = team_file(tmp_path, **TWO, strategies=["solo", "silent", {"adaptive": {"talk_from": 2}}])
    names = ["silent@tom", "adaptive(talk_from=2)@tom", "solo@ann", "vote@tom"]
    assert [titles_asked(capfd, path, "--strategy", name) for name in names] == [[name] for name in names]
    assert titles_asked(capfd, path, "--strategy", "two/silent@tom") == ["silent@tom"], "and those of serve"
    assert titles_asked(capfd, path, "--strategy", "silent") == ["silent@ann"]
    both = ["solo@ann", "solo@tom", "silent@ann", "silent@tom"]
    assert titles_asked(capfd, path, "--all") == [*both, "adaptive(talk_from=2)@ann", "adaptive(talk_from=2)@tom"]


def test_ask_ends_with_the_answer(tmp_path: Path, capfd: Captured) -> None:
    path = team_file(tmp_path, {"tom": {**TOM, "accuracy": 1.0}})
    assert moot("ask", "Which?", "--team", path, "--choice", "red", "--choice", "blue\n  green") == 0
    assert capfd.readouterr().out.splitlines()[-1] in ("A: red", "B: blue green")
    alone = team_file(tmp_path, strategies=["solo"])
    assert moot("ask", "Which?", "--team", alone, "--choice", "red", "--choice", "red wine") == 0
    assert re.fullmatch(
        "solo@ann: [AB]: red( wine)?; solo@tom: [AB]: red( wine)?", capfd.readouterr().out.splitlines()[-1]
    )
    refused = team_file(tmp_path, {"tom": {**TOM, "refuse": 1.0}})
    assert moot("ask", "Which?", "--team", refused) == 1
    assert capfd.readouterr().out.splitlines()[-1].startswith("refused")


def test_ask_shows_what_was_read_out_of_free_words(tmp_path: Path, capfd: Captured) -> None:
    path = team_file(tmp_path, **TWO, strategies=["debate"])
    assert moot("ask", "Which?", "--team", path, "--choice", "red", "--choice", "blue") == 0
    rows = [line.split("│") for line in capfd.readouterr().err.splitlines() if line.startswith("│")]
    said = {row[1].split()[0]: row[3].strip()[:1] for row in rows if row[1].strip()}
    assert said["ann"] in tuple("AB")
    assert said["tom"] in tuple("AB")


def piped(said: bytes) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(said), encoding="utf-8")


def test_ask_reads_the_question_from_stdin(tmp_path: Path, capfd: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    path = team_file(tmp_path)
    monkeypatch.setattr("sys.stdin", piped(b"Who is it,\nand why?\n"))
    assert moot("ask", "-", "--team", path, "--json") == 0
    assert json.loads(capfd.readouterr().out)["question"] == "Who is it,\nand why?"
    monkeypatch.setattr("sys.stdin", piped(b"Who was it?\n"))
    assert moot("ask", "--team", path, "--json") == 0, "a pipe is read where no question stands"
    assert json.loads(capfd.readouterr().out)["question"] == "Who was it?"
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    for nobody in (terminal, None):
        monkeypatch.setattr("sys.stdin", nobody)
        assert moot("ask", "--team", path) == 2
        assert 'expected a question: moot ask "…" --team' in capfd.readouterr().err
    for nothing in (piped(b""), None):
        monkeypatch.setattr("sys.stdin", nothing)
        assert moot("ask", "-", "--team", path) == 2
        assert "not empty" in capfd.readouterr().err
    monkeypatch.setattr("sys.stdin", piped(b"\xff"))
    assert moot("ask", "-", "--team", path) == 2
    assert "expected UTF-8 text" in capfd.readouterr().err


def test_ask_keeps_the_question_where_the_file_names_a_store(tmp_path: Path, capfd: Captured) -> None:
    path = team_file(tmp_path, store="sqlite:///kept.db")
    for _ in range(2):
        assert moot("ask", "Who?", "--team", path, "--json") == 0
    assert (tmp_path / "kept.db").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["  "], "not empty"),
        (["Who?", "--strategy", "magic"], "magic"),
        (["Who?", "--strategy", "solo@zed"], "zed"),
        (["Who?", "--strategy", "@"], "expected a strategy such as"),
        (["Who?", "--strategy", "vote", "--all"], "one of the two"),
        (["Who?", "--choice", "only one"], "2 to 26 choices"),
        (["Who?", *(f"--choice={n}" for n in range(27))], "2 to 26 choices"),
    ],
)
def test_ask_what_cannot_be_asked(tmp_path: Path, capfd: Captured, arguments: list[str], words: str) -> None:
    assert moot("ask", *arguments, "--team", team_file(tmp_path)) == 2
    assert words in capfd.readouterr().err


def test_ask_with_a_file_first_names_the_option_that_takes_it(tmp_path: Path, capfd: Captured) -> None:
    path = team_file(tmp_path)
    for arguments in ([path, "Who wrote it?"], ["Who wrote it?", path], [path]):
        assert moot("ask", *arguments) == 2
        words = capfd.readouterr().err
        assert f'moot ask --team {path} "' in words, "what to type instead"
    assert moot("ask", "Who", "wrote", "it?") == 2
    assert 'expected one question, in quotes: moot ask "Who wrote it?"' in capfd.readouterr().err


def test_ask_when_nobody_answers(tmp_path: Path, capfd: Captured) -> None:
    path = team_file(tmp_path, {"tom": {**TOM, "refuse": 1.0}})
    assert moot("ask", "Who?", "--team", path, "--json") == 1
    assert json.loads(capfd.readouterr().out)["verdicts"][0]["outcome"] == "refused"


def test_ask_keeps_to_the_budget(tmp_path: Path, capfd: Captured) -> None:
    with simulated() as server:
        own = {"price": {"prompt": 1.0, "completion": 1.0}, "params": {"max_tokens": 1000}}
        path = team_file(tmp_path, {"ann": endpoint(server.base_url, **own)}, budget_usd=0.0001)
        assert moot("ask", "Who?", "--team", path, "--json") == 3
        assert server.stats["requests"] == 0
    assert re.search(r"the budget of \$0\.00010* is reached", capfd.readouterr().err)


# --- doctor -------------------------------------------------------------------------------------------------------------


def test_doctor(tmp_path: Path, capfd: Captured) -> None:
    with simulated() as server:
        path = experiment(tmp_path, {"ann": endpoint(server.base_url), "tom": TOM})
        assert moot("doctor", path) == 0
        shown = capfd.readouterr().out
        assert shown.count("✓") == 2
        assert "20" in shown
        assert "new calls" in shown, "and what the run would take"
        assert shown.splitlines()[-1] == f"2 models answer. Next: moot run {path}"
    assert moot("doctor", path) == 1
    shown = capfd.readouterr().out
    assert (shown.count("✓"), shown.count("✗")) == (1, 2), "in the table, and where it is said why"
    assert shown.splitlines()[-1] == f"1 of 2 models failed; once that is fixed: moot doctor {path}"
    assert shown.index("✗ ann: ") > shown.index("new calls")
    assert server.url.removeprefix("http://") in shown


# --- schema -------------------------------------------------------------------------------------------------------------

EXAMPLE = """
name: spring-cup
seed: 7
questions: {file: cup.jsonl, sample: 100}
models:
  qwen:  {provider: endpoint, base_url: "http://127.0.0.1:8001/v1", model: qwen3-235b, api_key_env: QWEN_KEY,
          params: {temperature: 0, max_tokens: 800}, extra: {reasoning_effort: high},
          limits: {concurrent: 64, rpm: 600, tpm: 200000}, price: {prompt: 0.22, completion: 0.88}}
  gemma: {provider: local, model: gemma-3-270m}
  tom:   {provider: simulated, accuracy: 0.37}
  gpt4o: {provider: recorded, file: replies.jsonl, model: gpt-4o-2024-05-13}
players:
  ann: {model: qwen, instruction: break-down}
  bob: {model: gemma}
teams:
  six: {players: [ann, bob]}
strategies:
  - solo
  - adaptive: {talk_from: 3}
language: ru
repeats: 1
budget_usd: 20
store: sqlite:///spring-cup.db
"""


def fits(value: Any, schema: Mapping[str, Any]) -> bool:
    return bool(Draft202012Validator(schema).is_valid(value))


@pytest.fixture
def schema(capfd: Captured) -> dict[str, Any]:
    assert moot("schema") == 0
    said = capfd.readouterr()
    assert said.err == ""
    printed: dict[str, Any] = json.loads(said.out)
    return printed


def test_the_schema_takes_the_example(schema: dict[str, Any]) -> None:
    assert schema["$schema"].startswith("https://json-schema.org/")
    assert fits(yaml.safe_load(EXAMPLE), schema)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("nme",), "x"),
        (("name",), None),
        (("models", "tom", "accuracy"), "high"),
        (("models", "tom", "provider"), "magic"),
        (("models", "qwen", "limits", "rpms"), 1),
        (("players", "ann", "model"), 3),
        (("strategies",), "solo"),
        (("language",), "xx"),
    ],
)
def test_the_schema_refuses_mistakes(schema: dict[str, Any], place: tuple[str, ...], value: Any) -> None:
    example = yaml.safe_load(EXAMPLE)
    inner = example
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    assert not fits(example, schema)


# --- mistakes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name: [", "cup.yaml:"),
        ("just words", "cup.yaml"),
        ("name: cup\nmodels: {tom: {provider: simulated, accuracy: 0.4}}\nquestons: {}\n", "cup.yaml:3: questons"),
        ("name: cup\nmodels:\n  tom: {provider: magic}\n", "cup.yaml:3: models.tom"),
        ("name: cup\nmodels: {tom: {provider: simulated, accuracy: 0.4}}\n", "questions"),
        (EXAMPLE, "QWEN_KEY|cup.jsonl|gemma"),
    ],
    ids=["no YAML", "no keys", "unknown key", "unknown provider", "no questions", "not here"],
)
@pytest.mark.parametrize("command", ["run", "doctor"])
def test_a_mistake_in_the_file_is_one_line_with_its_place(
    tmp_path: Path, capfd: Captured, text: str, words: str, command: str
) -> None:
    if command == "doctor" and words == "questions":
        pytest.skip("a team file has no questions")
    path = tmp_path / "cup.yaml"
    path.write_text(text)
    assert moot(command, path) == 2
    said = capfd.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
    assert any(word in said.err for word in words.split("|"))


@pytest.mark.parametrize(
    "arguments", [["rum"], ["run"], ["run", "x.yaml", "--limit", "0"], ["run", "x.yaml", "--fast"]]
)
def test_a_wrong_command_is_a_mistake_too(capfd: Captured, arguments: list[str]) -> None:
    assert moot(*arguments) == 2
    said = capfd.readouterr()
    assert said.out == ""
    assert said.err
    assert "Traceback" not in said.err


def test_tracebacks_are_for_debugging(tmp_path: Path, capfd: Captured) -> None:
    assert moot("run", tmp_path / "absent.yaml") == 2
    assert "Traceback" not in capfd.readouterr().err
    for arguments in (["--debug", "run", tmp_path / "absent.yaml"], ["run", tmp_path / "absent.yaml", "--debug"]):
        assert moot(*arguments) == 2
        said = capfd.readouterr().err
        assert "Traceback" in said
        assert said.splitlines()[-1] == f"moot: {tmp_path / 'absent.yaml'}: no such file"


def test_a_bug_is_one_readable_line(capfd: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> int:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(schema_module, "schema_command", broken)
    assert moot("schema") == 1
    assert capfd.readouterr().err == "moot: a bug in moot: ZeroDivisionError: by zero; --debug shows where\n"
    assert moot("schema", "--debug") == 1
    assert "Traceback" in capfd.readouterr().err


def test_help_lists_every_command_once_by_what_it_is_for(capfd: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert moot("--help") == 0
    lines = capfd.readouterr().out.partition("Get started:")[2].splitlines()
    listed = [line.split()[0] for line in lines if line.startswith("  ")]
    assert sorted(listed) == sorted(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
    assert listed[:5] == ["init", "demo", "doctor", "import", "plan"]
    assert not [line for line in lines if line.endswith("...") or len(line) > 80], "each is said whole"


def test_version(capfd: Captured) -> None:
    assert moot("--version") == 0
    assert capfd.readouterr().out.startswith("moot ")


def test_ask_again_counts_each_call_once_and_says_that_none_was_made(tmp_path: Path, capfd: Captured) -> None:
    """The drafts of both strategies are the same calls."""
    path = team_file(tmp_path, **TWO, strategies=["vote", "solo"], store=f"sqlite:///{tmp_path / 'kept.db'}")
    for expected in ((2, 0), (2, 2)):
        assert moot("ask", "Who is it?", "--team", path, "--all", "--json") == 0
        asked = json.loads(capfd.readouterr().out)
        assert (asked["calls"], asked["from_store"]) == expected
    assert moot("ask", "Who is it?", "--team", path, "--all") == 0
    said = capfd.readouterr()
    assert "2 calls, all from the store · $0" in said.err
    assert [line.split(": ")[0] for line in said.out.splitlines()] == ["vote@ann", "vote@tom", "solo@ann", "solo@tom"]
