"""Teams inside other tools: a tool of MCP, a model of `llm`, a provider of LiteLLM. Each under an interpreter that has them.

`make test-clients` sets that environment up and names it in MOOT_PYTHON_PLUGGED.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

PYTHON = os.environ.get("MOOT_PYTHON_PLUGGED", "")
pytestmark = pytest.mark.skipif(not PYTHON, reason="these have an environment of their own: run make test-clients")
CUP = """
name: cup
questions: {builtin: general-en, sample: 12}
models:
  ann: {provider: simulated, accuracy: 0.7}
  bob: {provider: simulated, accuracy: 0.5}
  cat: {provider: simulated, accuracy: 0.6}
teams: {three: {players: [ann, bob, cat], captain: ann}}
strategies: [vote, silent]
"""
MCP = """
import asyncio, json, sys
from mcp import Client, StdioServerParameters

async def main():
    told = []
    async def progress(number, total, message):
        told.append(message)
    line = StdioServerParameters(command=sys.executable, args=["-m", "moot", "mcp", "cup.yaml"], cwd=sys.argv[1])
    async with Client(line) as client:
        found = {"tools": [tool.name for tool in (await client.list_tools()).tools]}
        async def ask(**arguments):
            reply = await client.call_tool("ask_team", arguments, progress_callback=progress)
            said = reply.content[0].text if reply.is_error else reply.structured_content
            return [bool(reply.is_error), said]
        found["open"] = await ask(question="What is the capital of France?")
        found["told"] = list(told)
        found["choice"] = await ask(question="Which is a town?", choices=["Rome", "Seine"], model="three/silent")
        found["nobody"] = await ask(question="Who?", model="nobody")
        found["unknown"] = await ask(question="Who?", choice=["Rome", "Seine"])
        found["empty"] = await ask(question=" ")
        found["nothing"] = await ask()
        found["no kind"] = await ask(question="Who?", kind="number")
        found["no text"] = await ask(question=3, about=["x"])
        found["no list"] = await ask(question="Who?", choices="Rome")
        found["no words"] = await ask(question="Who?", choices=["Rome", 2])
        found["one choice"] = await ask(question="Who?", choices=["Rome"])
        found["long"] = await ask(question="x" * 600_000, about="y" * 400_001)
        many = await asyncio.gather(*(ask(question=f"What is number {n}?") for n in range(40)))
        found["many"] = [wrong for wrong, _ in many]
    print(json.dumps(found))

asyncio.run(main())
"""
LITELLM = """
import asyncio, json, sys
import litellm
from moot.serve.litellm_provider import TeamProvider

team = TeamProvider("cup.yaml")
litellm.custom_provider_map = [{"provider": "moot", "custom_handler": team}]
asked = [{"role": "user", "content": "What is the capital of France?"}]
found = {}
reply = litellm.completion(model="moot/three", messages=asked, temperature=0.3)
found["reply"] = [reply.choices[0].message.content, reply.usage.prompt_tokens, reply.moot]

async def later():
    body = {"moot": {"choices": ["Rome", "Seine"]}}
    chosen = await litellm.acompletion(model="moot/three/silent", messages=asked, extra_body=body)
    stream = await litellm.acompletion(model="moot/three", messages=asked, stream=True)
    found["chosen"] = chosen.moot
    found["stream"] = "".join([chunk.choices[0].delta.content or "" async for chunk in stream])

asyncio.run(later())
try:
    litellm.completion(model="moot/nobody", messages=asked)
except litellm.NotFoundError as error:
    found["nobody"] = str(error)
try:
    form = {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object"}}}
    litellm.completion(model="moot/three", messages=[{"role": "user", "content": "x" * 1_000_001}])
except Exception as error:
    found["long"] = str(error)
try:
    litellm.completion(model="moot/three", messages=asked, response_format=form)
except litellm.BadRequestError as error:
    found["form"] = str(error)
team.close()
print(json.dumps(found))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cup.yaml").write_text(CUP, encoding="utf-8")
    return tmp_path


def ran(folder: Path, *command: str, ok: bool = True) -> str:
    environment = {**os.environ, "LLM_USER_PATH": str(folder / "llm"), "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    assert (done.returncode == 0) == ok, done.stdout + done.stderr
    return done.stdout if ok else done.stderr


def kept(folder: Path) -> int:
    """How many questions the store of the served team has."""

    with closing(sqlite3.connect(folder / "cup.db")) as store:
        (number,) = store.execute("SELECT count(*) FROM episodes").fetchone()
    return int(number)


def test_an_agent_convenes_a_team_by_mcp(folder: Path) -> None:
    found = json.loads(ran(folder, PYTHON, "-c", MCP, str(folder)))
    assert found["tools"] == ["ask_team"]
    wrong, said = found["open"]
    assert not wrong
    assert (said["outcome"], said["model"]) == ("answered", "three")
    assert said["moot"]["calls"] == 3
    assert sorted(found["told"]) == ["ann: draft", "bob: draft", "cat: draft"]
    wrong, said = found["choice"]
    assert not wrong
    assert said["choice"] == ["Rome", "Seine"]["AB".index(said["answer"])]
    for name, words in (
        ("nobody", "there is no team"),
        ("empty", "with a text"),
        ("one choice", "choices: "),
        (
            "unknown",
            "unknown argument 'choice'; expected question, choices, about, kind, model; did you mean 'choices'?",
        ),
        ("long", "at most 1,000,000"),
        ("nothing", "question: Field required; expected the question, a text with all that is needed to answer it"),
        ("no kind", "kind: expected open, choice, yes-no or text, found 'number'"),
        ("no text", "question: expected a text, found 3; about: expected a text, found a list"),
        ("no list", "choices: expected a list, found 'Rome'"),
        ("no words", "choices.1: expected a text, found 2"),
    ):
        wrong, said = found[name]
        assert wrong
        assert words in said
        assert "pydantic" not in said
        assert "\n" not in said
    assert not any(found["many"])
    assert kept(folder) == 42


def test_a_file_that_is_wrong_ends_the_command_in_a_line(folder: Path) -> None:
    said = ran(folder, PYTHON, "-m", "moot", "mcp", "nothing.yaml", ok=False)
    assert "nothing.yaml" in said
    assert "Traceback" not in said


def test_llm_has_teams_as_models(folder: Path) -> None:
    llm = str(Path(PYTHON).parent / "llm")
    assert "llm -m moot/cup" in ran(folder, llm, "moot", "add", "cup.yaml")
    assert "moot/cup" in ran(folder, llm, "models")
    first = ran(folder, llm, "-m", "moot/cup", "What is the capital of France?")
    assert first.strip()
    assert ran(folder, llm, "-m", "moot/cup", "-c", "And of Spain?").strip()
    assert ran(folder, llm, "-m", "moot/cup", "-o", "strategy", "three/silent", "Which river is the longest?").strip()
    wrong = ran(folder, llm, "-m", "moot/cup", "-o", "strategy", "three/nothing", "Which river?", ok=False)
    assert "three/nothing" in wrong
    assert "Traceback" not in wrong
    (folder / "long.txt").write_text("x" * 1_000_001, encoding="utf-8")
    long = ran(folder, "sh", "-c", f"{llm} -m moot/cup < long.txt", ok=False)
    assert "at most 1,000,000 characters" in long
    ran(folder, llm, "moot", "remove", "cup")
    assert "moot/cup" not in ran(folder, llm, "models")
    for broken in ("{", "[]", "7"):
        (folder / "llm" / "moot-teams.json").write_text(broken, encoding="utf-8")
        assert "moot/cup" not in ran(folder, llm, "models"), "other models are there all the same"
    ran(folder, llm, "moot", "add", "cup.yaml")
    assert "moot/cup" in ran(folder, llm, "models")


def test_what_llm_was_told_goes_on_with_the_conversation_and_what_nobody_reads_is_refused(folder: Path) -> None:
    llm = str(Path(PYTHON).parent / "llm")
    ran(folder, llm, "moot", "add", "cup.yaml")
    ran(folder, llm, "-m", "moot/cup", "-s", "Answer as a pirate would.", "What is the capital of France?")
    ran(folder, llm, "-m", "moot/cup", "-c", "And of Spain?")
    with closing(sqlite3.connect(folder / "cup.db")) as store:
        (asked,) = store.execute("SELECT count(*) FROM calls WHERE shape LIKE '%And of Spain?%'").fetchone()
        (told,) = store.execute(
            "SELECT count(*) FROM calls WHERE shape LIKE '%And of Spain?%'"
            " AND shape LIKE '%as a pirate would%' AND shape LIKE '%of France%'"
        ).fetchone()
    assert told == asked > 0
    (folder / "note.txt").write_text("The mill is Anna's.", encoding="utf-8")
    refused = ran(folder, llm, "-m", "moot/cup", "-a", "note.txt", "Whose is the mill?", ok=False)
    assert "the team reads words alone; expected no attachments" in refused
    assert kept(folder) == 2, "nobody was asked"
    assert ran(folder, llm, "-m", "moot/cup", "-f", "note.txt", "Whose is the mill?").strip()


def test_litellm_has_a_team_as_a_provider(folder: Path) -> None:
    found = json.loads(ran(folder, PYTHON, "-c", LITELLM).splitlines()[-1])
    text, prompt_tokens, report = found["reply"]
    assert text
    assert prompt_tokens > 0
    assert (report["strategy"], report["not_applied"]) == ("vote", ["temperature"])
    assert (found["chosen"]["strategy"], found["chosen"]["kind"]) == ("silent", "choice")
    assert found["stream"]
    assert "expected one of three" in found["nobody"]
    assert "moot serve" in found["form"]
    assert "at most 1,000,000 characters" in found["long"]


MCP_BY_NAME = """
import asyncio, json, sys
from mcp import Client, StdioServerParameters

async def main():
    line = StdioServerParameters(command=sys.executable, args=["-m", "moot", "mcp", "cup.yaml"], cwd=sys.argv[1])
    async with Client(line) as client:
        found = {}
        for name in sys.argv[2:]:
            reply = await client.call_tool("ask_team", {"question": "Which river?", "model": name})
            found[name] = reply.content[0].text if reply.is_error else reply.structured_content["moot"]["strategy"]
    print(json.dumps(found))

asyncio.run(main())
"""
LITELLM_BY_NAME = """
import json, sys
import litellm
from moot.serve.litellm_provider import TeamProvider

team = TeamProvider("cup.yaml")
litellm.custom_provider_map = [{"provider": "moot", "custom_handler": team}]
asked = [{"role": "user", "content": "Which river?"}]
found = {name: litellm.completion(model=f"moot/{name}", messages=asked).moot["strategy"] for name in sys.argv[2:]}
team.close()
print(json.dumps(found))
"""
BY_NAME = {"three/vote": "vote", "three/silent": "silent", "vote": "vote", "silent": "silent"}


def test_after_a_run_every_strategy_goes_by_its_name(folder: Path) -> None:
    """Also the one that the run's headline is not about."""
    ran(folder, PYTHON, "-m", "moot", "run", "cup.yaml", "--quiet")
    for script in (MCP_BY_NAME, LITELLM_BY_NAME):
        found = json.loads(ran(folder, PYTHON, "-c", script, str(folder), *BY_NAME).splitlines()[-1])
        assert found == BY_NAME
    llm = str(Path(PYTHON).parent / "llm")
    ran(folder, llm, "moot", "add", "cup.yaml")
    for name in BY_NAME:
        assert ran(folder, llm, "-m", "moot/cup", "-o", "strategy", name, "Which river?").strip()
