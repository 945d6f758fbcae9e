"""`moot init`: what it finds, what it asks, and that the file it writes passes `moot doctor`.

No test looks at a usual port: something else may listen there on the machine of whoever runs them.
"""

from __future__ import annotations

import asyncio
import importlib.util
import inspect
import io
import json
import os
import pty
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from beside import in_a_thread
from served import serving
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from workbooks import workbook

from moot.cli import offers, tried_models
from moot.cli.app import app
from moot.cli.choosing import in_numbers, numbers, numbers_or_names
from moot.cli.exit import run_app
from moot.experiment import starter_file
from moot.experiment.starter_file import StarterFile, StarterModel, StarterQuestions
from moot.live import doctor
from moot.live.discovery import servers
from moot.live.discovery.hosted import HOSTED
from moot.models.packaged import CATALOGUE
from moot.openai_form.listening import Listening
from moot.simulate.server import SimulatedServer, running

Captured = pytest.CaptureFixture[str]
SMALL = "smollm2-135m"
SECRET = "sk-never-written-anywhere"

needs_weights = [
    pytest.mark.local,
    pytest.mark.skipif(not CATALOGUE[SMALL].there, reason=f"no weights: moot models add {SMALL}"),
    pytest.mark.skipif(importlib.util.find_spec("xllamacpp") is None, reason='no llama.cpp: pip install "moot[local]"'),
]

OWN = """\
Question;Option A;Option B;Option C;Correct;Level
Which planet is the largest?;Mars;Jupiter;Venus;b;1
Which is the smallest?;Mercury;Earth;Saturn;a;1
"""
OPEN = """\
id,text,answer,Round
1,Which city is the capital of France?,Paris,1
2,Which city is the capital of Italy?,Rome,2
"""
DOUBT = """\
question,prompt,options,answer
Which planet is the largest?,Which one?,Mars|Jupiter|Venus,1
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, no keys, nobody at any usual port and no weights, unless a test brings them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("MOOT_DEBUG", raising=False)
    monkeypatch.setenv("MOOT_CACHE", str(tmp_path / ".cache"))
    for api in HOSTED:
        for variable in api.variables:
            monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(servers, "USUAL_PORTS", {})
    return tmp_path


def moot(*arguments: object) -> int:
    return run_app(app, [str(each) for each in arguments])


def typing(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def written(path: Path = Path("moot.yaml")) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@contextmanager
def simulated(**config: Any) -> Iterator[SimulatedServer]:
    models = {"ann": {"accuracy": 0.9}, "bob": {"accuracy": 0.6}}
    with in_a_thread(running({"models": models, **config})) as server:
        yield server


def port_of(server: SimulatedServer) -> int:
    return int(server.url.rpartition(":")[2])


# --- over real HTTP -----------------------------------------------------------------------------------------------------


def test_a_server_that_is_there(capfd: Captured) -> None:
    Path("cup.csv").write_text(OWN)
    with simulated() as server:
        assert moot("init", "--yes", "--port", port_of(server)) == 0
        said = capfd.readouterr().out
        assert f"moot simulate at {server.url.removeprefix('http://')}, simulated: not real" in said
        assert "cup.csv, the only question file here" in said
        next_steps = [line.split("  ")[1] for line in said.partition("Next:\n")[2].splitlines()]
        assert next_steps == ["moot doctor moot.yaml", "moot run moot.yaml --estimate", "moot run moot.yaml"]
        file = written()
        assert [model["base_url"] for model in file["models"].values()] == [server.base_url] * 2
        assert file["models"]["ann"]["params"] == {"temperature": 0, "max_tokens": 1000}
        assert file["teams"] == {"all": {"players": ["ann", "bob"], "captain": "each"}}
        assert file["strategies"] == ["solo", "vote", "talkative"]
        assert "judge" not in file, "choices need none"
        columns = {"text": "Question", "choices": ["Option A", "Option B", "Option C"], "answer": "Correct"}
        assert file["questions"] == {"file": "cup.csv", "columns": columns, "answers": "letters"}
        assert moot("doctor", "moot.yaml") == 0
        assert moot("run", "moot.yaml", "--quiet") == 0


def test_open_answers_get_judges_and_columns_too_many_are_kept(capfd: Captured) -> None:
    Path("sub").mkdir()
    Path("open.csv").write_text(OPEN)
    with simulated() as server:
        assert moot("init", "--yes", "--port", port_of(server), "--questions", "open.csv", "-o", "sub/a b.yaml") == 0
        assert "moot doctor 'sub/a b.yaml'" in capfd.readouterr().out
        file = written(Path("sub/a b.yaml"))
        assert file["judge"] == {"models": ["ann", "bob"]}
        assert file["players"] == {"ann": {"model": "ann"}, "bob": {"model": "bob"}}, "who judges may play too"
        assert file["questions"]["file"] == "../open.csv"
        assert file["questions"]["columns"]["meta"] == ["Round"]
        assert moot("doctor", "sub/a b.yaml") == 0


def test_some_of_them_are_taken_by_their_numbers(monkeypatch: pytest.MonkeyPatch, capfd: Captured) -> None:
    with simulated() as server:
        typing(monkeypatch, "7-9", "bob", "2")
        assert moot("init", "--port", port_of(server)) == 0
        assert capfd.readouterr().out.count("expected numbers of 1-") == 2
        file = written()
        assert list(file["models"]) == ["bob"]
        assert file["questions"] == {"builtin": "general-en"}
        assert {each.get("instruction", "") for each in file["players"].values()} == {"", "break-down", "opposite"}
        assert moot("doctor", "moot.yaml") == 0


def test_enter_takes_what_is_proposed(monkeypatch: pytest.MonkeyPatch) -> None:
    with simulated() as server:
        typing(monkeypatch, "")
        assert moot("init", "--port", port_of(server)) == 0
    assert list(written()["models"]) == ["ann", "bob"]


def test_a_server_that_wants_a_key(monkeypatch: pytest.MonkeyPatch, capfd: Captured) -> None:
    monkeypatch.setenv("SERVER_KEY", "open-sesame")
    with simulated(api_key_env="SERVER_KEY") as server:
        assert moot("init", "--yes", "--port", port_of(server)) == 2
    assert f"  moot init --port {port_of(server)} --key-env SERVER_KEY --yes\n" in capfd.readouterr().err
    assert not Path("moot.yaml").exists(), "nobody asked for another model"


def test_the_key_of_a_server_is_named_and_shown_to_nobody_else(
    monkeypatch: pytest.MonkeyPatch, capfd: Captured
) -> None:
    monkeypatch.setenv("SERVER_KEY", SECRET)
    heard: list[str | None] = []
    with simulated(api_key_env="SERVER_KEY") as server, in_a_thread(_answering('{"data": []}', heard)) as open_to_all:
        ports = ("--port", port_of(server), "--port", open_to_all)
        assert moot("init", "--yes", *ports, "--key-env", "SERVER_KEY") == 0
        assert heard == [None]
        models = written()["models"]
        assert {name: model["api_key_env"] for name, model in models.items()} == dict.fromkeys(
            ("ann", "bob"), "SERVER_KEY"
        )
        assert moot("doctor", "moot.yaml") == 0
        monkeypatch.setenv("OTHER_KEY", "the-wrong-key")
        assert moot("init", "--yes", *ports, "--key-env", "OTHER_KEY", "-o", "other.yaml") == 2
        assert "refuses the key in OTHER_KEY" in capfd.readouterr().err
    assert moot("init", "--yes", "--key-env", "NO_SUCH_KEY", "-o", "none.yaml") == 2
    assert "--key-env NO_SUCH_KEY: no such variable is set" in capfd.readouterr().err
    assert SECRET not in Path("moot.yaml").read_text()


@pytest.mark.long
@pytest.mark.parametrize("local", [pytest.param(True, marks=needs_weights)])
def test_the_server_of_llama_cpp(local: bool, monkeypatch: pytest.MonkeyPatch, capfd: Captured) -> None:
    import xllamacpp

    monkeypatch.delenv("MOOT_CACHE")
    params = xllamacpp.CommonParams()
    params.model.path = str(CATALOGUE[SMALL].file)
    params.n_ctx, params.n_parallel, params.cpuparams.n_threads = 4096, 1, 2
    params.hostnames, params.port, params.verbosity = ["127.0.0.1"], free_port(), -1
    server = xllamacpp.Server(params)
    port = int(server.listening_address.rpartition(":")[2])
    assert moot("init", "--yes", "--port", port) == 0
    assert f"llama.cpp at 127.0.0.1:{port}" in capfd.readouterr().out
    (model,) = written()["models"].values()
    assert model["provider"] == "endpoint"
    assert model["limits"] == {"concurrent": 4}
    assert written()["prompts"] == "small", "by what the server says of its size"
    assert moot("doctor", "moot.yaml") == 0
    assert "✓" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("listed", "small"),
    [
        ({"id": "SmolLM2-135M-Instruct"}, True),
        ({"id": "org/qwen2.5:0.5b"}, True),
        ({"id": "0.5b/qwen2.5:1.5b"}, False),
        ({"id": "mix-30b-a3b-4bit"}, False),
        ({"id": "qwen2.5-7b-instruct-1m"}, False),
        ({"id": "large"}, False),
        ({"id": "weights-135m", "meta": {"n_params": 8_000_000_000}}, False),
        ({"id": "weights", "meta": {"n_params": 135_000_000}}, True),
        ({"id": "weights", "meta": {"n_params": "few"}}, False),
    ],
)
def test_small_models_are_given_words_for_small_models(listed: dict[str, Any], small: bool) -> None:
    with in_a_thread(_answering(json.dumps({"data": [listed]}))) as port:
        assert moot("init", "--yes", "--port", port) == 0
    file = written()
    (model,) = file["models"].values()
    assert (file.get("prompts"), model["params"]["max_tokens"]) == (("small", 400) if small else (None, 1000))


def _talks_on(asked: str) -> str:
    return "Well, one could say a lot about it."


def _only_short(asked: str) -> str:
    return IN_FORM if "Who wrote the Odyssey?" in asked or "Norway" in asked or "coal" in asked else _talks_on(asked)


def test_a_model_that_fails_the_usual_form_is_given_the_one_that_it_can_do(capfd: Captured) -> None:
    with in_a_thread(_answering('{"data": [{"id": "large"}]}', says=_only_short)) as port:
        assert moot("init", "--yes", "--port", port) == 0
        assert "large does not answer in the required form: " in (said := capfd.readouterr().out)
        assert "with the prompts for small models it does" in said
        assert written()["prompts"] == "small"
        assert moot("doctor", "moot.yaml") == 0


def test_who_cannot_do_it_is_left_out_where_others_can(capfd: Captured) -> None:
    with in_a_thread(_answering('{"data": [{"id": "wise"}, {"id": "vain"}]}', says=_by_name)) as port:
        assert moot("init", "--yes", "--port", port) == 0
        assert "vain does not answer in the required form: " in (said := capfd.readouterr().out)
        assert "; it is left out." in said
        assert list(written()["models"]) == ["wise"]
        assert moot("doctor", "moot.yaml") == 0


def _by_name(asked: str) -> str:
    return _talks_on(asked) if json.loads(asked)["model"] == "vain" else IN_FORM


def test_where_nobody_can_it_is_said_what_to_take_instead(capfd: Captured) -> None:
    with in_a_thread(_answering('{"data": [{"id": "vain"}]}', says=_talks_on)) as port:
        assert moot("init", "--yes", "--port", port) == 1
        said = capfd.readouterr().err
        assert "moot: vain does not answer in the required form: " in said
        assert "moot init -o moot.yaml   such as smollm2-135m, " in said
        assert moot("doctor", "moot.yaml") == 1, "as it was said"


class TestWhoSaysNothing:
    """A server may list a model that it is still loading: nobody waits for long, and it is not called unable."""

    @pytest.fixture(autouse=True)
    def impatient(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert tried_models.PATIENCE_S < doctor.PATIENCE_S / 2, "doctor is the one who waits"
        monkeypatch.setattr(tried_models, "PATIENCE_S", 1.5)

    def test_it_is_asked_once_and_written_down(self, capfd: Captured) -> None:
        asked = Silent()
        with in_a_thread(_answering('{"data": [{"id": "slow"}, {"id": "slower"}]}', says=asked)) as port:
            assert moot("init", "--yes", "--port", port, "-o", "my file.yaml") == 0
        assert (sorted(asked.whom), asked.most_at_once) == (["slow", "slower"], 2), "side by side, and not again"
        assert list(written(Path("my file.yaml"))["models"]) == ["slow", "slower"]
        said = capfd.readouterr()
        for name in ("slow", "slower"):
            assert f"{name} has not answered within 1.5 s; it is in the file all the same" in said.out
        assert "moot doctor 'my file.yaml' waits longer" in said.out
        assert said.err == "moot: asking 2 models one easy question, for at most 1.5 s\n", "also where nobody watches"

    def test_who_is_late_is_kept_beside_who_answers_and_who_cannot(self, capfd: Captured) -> None:
        silent = Silent(only="slow")

        async def says(asked: str) -> str:
            return await silent(asked) and _by_name(asked)

        listed = '{"data": [{"id": "wise"}, {"id": "slow"}, {"id": "vain"}]}'
        with in_a_thread(_answering(listed, says=says)) as port:
            assert moot("init", "--yes", "--port", port) == 0
        assert list(written()["models"]) == ["wise", "slow"]
        said = capfd.readouterr().out
        assert "vain does not answer in the required form: " in said
        assert "slow has not answered within 1.5 s" in said

    def test_who_fails_otherwise_than_in_form_is_not_asked_in_another(self, capfd: Captured) -> None:
        heard: list[str] = []
        refused = JSONResponse({"error": {"message": "no such thing here"}}, 400)
        with in_a_thread(
            _answering('{"data": [{"id": "cross"}]}', says=lambda asked: heard.append(asked) or refused)
        ) as port:
            assert moot("init", "--yes", "--port", port) == 1
            once = len(heard)
            assert moot("doctor", "moot.yaml") == 1
        assert len(heard) == 2 * once, "as often as doctor asks"
        assert "moot: cross does not answer: " in capfd.readouterr().err


class Silent:
    """Says nothing, for longer than anybody waits."""

    def __init__(self, only: str | None = None) -> None:
        self.only = only
        self.whom: list[str] = []
        self.waiting = self.most_at_once = 0

    async def __call__(self, asked: str) -> str:
        name = json.loads(asked)["model"]
        if self.only not in (None, name):
            return IN_FORM
        self.whom.append(name)
        self.waiting += 1
        self.most_at_once = max(self.most_at_once, self.waiting)
        await asyncio.sleep(10.0)
        self.waiting -= 1
        return IN_FORM


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


# --- without a server -----------------------------------------------------------------------------------------------------


def test_nothing_there_at_all(capfd: Captured) -> None:
    assert moot("init", "--yes", "--port", port := free_port()) == 0
    said = capfd.readouterr().out
    assert f"No model server answers at 127.0.0.1:{port}\n" in said
    assert "Simulated models are not real" in said
    assert "moot models add smollm2-135m" in said, "the embedded model is offered"
    assert "no question file here" in said
    text = Path("moot.yaml").read_text()
    assert "Simulated models say nothing about real ones" in text
    assert moot("doctor", "moot.yaml") == 0


def test_the_embedded_model_that_is_not_there_yet(monkeypatch: pytest.MonkeyPatch, capfd: Captured) -> None:
    typing(monkeypatch, "1")
    assert moot("init") == 0
    assert "moot models add smollm2-135m" in capfd.readouterr().out.partition("Next:\n")[2].splitlines()[0]
    file = written()
    assert list(file["models"]) == [SMALL]
    assert file["prompts"] == "small"
    assert len(file["players"]) == len({str(each["examples"]) for each in file["players"].values()}) == 6


@pytest.mark.long
@pytest.mark.parametrize("local", [pytest.param(True, marks=needs_weights)])
def test_the_embedded_model(local: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MOOT_CACHE")
    assert moot("init", "--yes") == 0
    assert written()["models"][SMALL]["provider"] == "local"
    assert moot("doctor", "moot.yaml") == 0


# --- keys in the environment ----------------------------------------------------------------------------------------------


def test_a_key_is_named_and_never_written_nor_used_unasked(monkeypatch: pytest.MonkeyPatch, capfd: Captured) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setenv("GOOGLE_API_KEY", SECRET)
    monkeypatch.setattr(offers, "hosted_models", None)  # whoever asks it breaks
    assert moot("init", "--yes") == 0
    said, text = capfd.readouterr(), Path("moot.yaml").read_text()
    assert "OPENAI_API_KEY is set" in said.out
    assert SECRET not in said.out + said.err + text
    assert {model["provider"] for model in written()["models"].values()} == {"simulated"}
    assert "  #   api_key_env: OPENAI_API_KEY" in text
    assert "  #   api_key_env: GOOGLE_API_KEY" in text
    Path("moot.yaml").write_text(re.sub(r"^  # (OpenAI:|Google-Gemini:|  \w)", r"  \1", text, flags=re.MULTILINE))
    assert "OPENAI_API_KEY is set. To use a model of OpenAI" in text
    assert written()["models"]["OpenAI"]["api_key_env"] == "OPENAI_API_KEY", "a comment that can be taken off"


def test_models_of_a_hosted_api_by_name(monkeypatch: pytest.MonkeyPatch, capfd: Captured) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setattr(offers, "hosted_models", None)
    typing(monkeypatch, "1", "gpt-5-mini, gpt-4.1")
    assert moot("init") == 0
    file = written()
    assert list(file["models"]) == ["gpt-5-mini", "gpt-4.1"]
    hosted = file["models"]["gpt-5-mini"]
    assert hosted["api_key_env"] == "OPENAI_API_KEY"
    assert hosted["params"] == {"temperature": None, "max_completion_tokens": 4000}
    assert file["models"]["gpt-4.1"]["params"] == {"temperature": 0, "max_completion_tokens": 1000}
    text = Path("moot.yaml").read_text()
    assert SECRET not in text
    assert "# price: {prompt: X" in text, "no number that somebody could forget to change"
    assert moot("run", "moot.yaml", "--estimate") == 0, "which calls nobody"


def test_models_of_a_hosted_api_from_its_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """The API is a simulated one: its address stands in the place of a hosted one's."""
    with simulated() as server:
        (groq,) = [api for api in HOSTED if api.name == "Groq"]
        monkeypatch.setattr("moot.live.discovery.hosted.HOSTED", (replace(groq, base_url=server.base_url),))
        monkeypatch.setenv("GROQ_API_KEY", SECRET)
        typing(monkeypatch, "1", "", "7", "2, ")
        assert moot("init") == 0
        file = written()
        assert list(file["models"]) == ["bob"]
        assert file["models"]["bob"]["api_key_env"] == "GROQ_API_KEY"
        assert moot("doctor", "moot.yaml") == 0


# --- questions ------------------------------------------------------------------------------------------------------------


def test_doubts_are_asked_as_choices(monkeypatch: pytest.MonkeyPatch, capfd: Captured) -> None:
    Path("doubt.csv").write_text(DOUBT)
    typing(monkeypatch, "3", "3", "1", "2")
    assert moot("init", "--questions", "doubt.csv") == 0
    said = capfd.readouterr().out
    assert "2 columns could be text: question and prompt" in said
    assert written()["questions"]["columns"]["text"] == "question"
    assert written()["questions"]["answers"] == "from-1"
    assert moot("run", "moot.yaml", "--estimate") == 0


@pytest.mark.parametrize("lines", [("3", "1"), ("3", "1", "nonsense"), ()])
def test_the_input_may_end_anywhere(monkeypatch: pytest.MonkeyPatch, capfd: Captured, lines: tuple[str, ...]) -> None:
    Path("doubt.csv").write_text(DOUBT)
    typing(monkeypatch, *lines)
    assert moot("init", "--questions", "doubt.csv") == 2
    assert "the input ended" in capfd.readouterr().err
    assert [path.name for path in Path().iterdir()] == ["doubt.csv"]


def test_doubts_that_nobody_is_asked_about(capfd: Captured) -> None:
    Path("doubt.csv").write_text(DOUBT)
    assert moot("init", "--yes", "--questions", "doubt.csv") == 2
    said = capfd.readouterr()
    assert "2 columns could be text" in said.err
    assert "Next:" not in said.out
    text = Path("moot.yaml").read_text()
    assert "# TO SETTLE: 2 columns could be text" in text
    Path("moot.yaml").write_text(text.replace("columns: {", "columns: {text: question, "))
    assert moot("run", "moot.yaml", "--estimate") == 2, "one doubt after the other"
    assert "answers: from-0" in capfd.readouterr().err


@pytest.mark.parametrize("odd", ["\x07\x1b[2J", "\x7f", "\x9b", "\x85", "\u2028", "\u202e", "\ufeff", "\uffff"])
@pytest.mark.parametrize("settled", [True, False])
def test_headers_that_yaml_and_terminals_do_not_take_as_they_are(odd: str, settled: bool, capfd: Captured) -> None:
    """The file can be read whatever stands in a header, and shows it instead of obeying it."""
    column = f"Rou{odd}nd"
    head = f"text,answer,{column}" if settled else f"question,prompt,answer,{column},Que{odd}stion"
    row = "Which planet is the largest?,Jupiter,1" if settled else "Which planet is the largest?,Welcher?,Jupiter,1,y"
    Path("odd.csv").write_text(f"{head}\n{row}\n{row.replace('largest', 'smallest')}\n", encoding="utf-8", newline="")
    assert moot("init", "--yes", "--questions", "odd.csv") == (0 if settled else 2), capfd.readouterr().err
    lines = Path("moot.yaml").read_text(encoding="utf-8").split("\n")
    assert all(map(str.isprintable, lines)), lines
    questions = written()["questions"]
    if settled:
        (kept,) = questions["columns"]["meta"]
        assert kept in column
        assert moot("run", "moot.yaml", "--estimate") == 0, capfd.readouterr().err
    else:
        assert "TO SETTLE" in Path("moot.yaml").read_text(encoding="utf-8")


def test_a_header_that_no_store_takes_is_told_before_anything_is_written(capfd: Captured) -> None:
    Path("odd.csv").write_text("text,answer,Rou\x00nd\nWhich planet is the largest?,Jupiter,1\n")
    assert moot("init", "--yes", "--questions", "odd.csv") == 2
    assert "questions.columns.meta.0: expected text, found half of a surrogate pair or a NUL" in capfd.readouterr().err
    assert not Path("moot.yaml").exists()


def test_advice_names_a_column_that_is_there(capfd: Captured) -> None:
    Path("long.csv").write_text(f"{'q' * 3000},answer\nred,x\n")
    assert moot("init", "--yes", "--questions", "long.csv") == 2
    assert "such as columns: {text: NAME}" in capfd.readouterr().err


def test_a_file_that_words_cannot_settle(monkeypatch: pytest.MonkeyPatch, capfd: Captured) -> None:
    Path("bad.csv").write_text("question,options,answer\nWhich?,red or blue,red\nWhich?,a|b,a\n")
    typing(monkeypatch, "3")
    assert moot("init", "--questions", "bad.csv") == 2
    assert "bad.csv:2: options: expected choices with | between them" in capfd.readouterr().err
    assert not Path("moot.yaml").exists()


QUIZ = """\
Nr;Frage;Antwort A;Antwort B;Antwort C;Antwort D;Lösung;Punkte
1;Welcher Planet ist der größte?;Mars;Jupiter;Venus;Erde;B;10
2;Welcher Fluss ist der längste?;Nil;Rhein;Wolga;Elbe;A;10
3;Hauptstadt von Frankreich?;Lyon;Paris;Nizza;Lille;B;5
4;Farbe des Himmels?;rot;grün;blau;gelb;C;5
"""
LETTERED = ["Antwort A", "Antwort B", "Antwort C", "Antwort D"]


class TestAnAnswerThatPointsAtChoices:
    """No name tells it; every row does."""

    @pytest.mark.parametrize("asked", [True, False])
    def test_it_is_proposed(self, asked: bool, monkeypatch: pytest.MonkeyPatch, capfd: Captured) -> None:
        Path("quiz.csv").write_text(QUIZ)
        typing(monkeypatch, "3", "", "", "")
        assert moot("init", "--questions", "quiz.csv", *([] if asked else ["--yes"])) == 0, capfd.readouterr().err
        columns = {"text": "Frage", "choices": LETTERED, "answer": "Lösung"}
        assert written()["questions"] == {"file": "quiz.csv", "columns": columns, "answers": "letters"}
        said = capfd.readouterr().out
        assert "Lösung could say which of Antwort A, Antwort B, Antwort C, Antwort D it is" in said
        assert "right: B" in said

    @pytest.mark.parametrize(
        ("head", "rows", "choices", "answer"),
        [
            ("frage;option_1;option_2;x;lsg", "Wer?;ich;du;u;2\nWas?;dies;das;v;1\n", ["option_1", "option_2"], "lsg"),
            ("frage;A;B;C;x;lsg", "Wer?;ich;du;er;u;a\nWas?;ei;das;es;v;c\n", ["A", "B", "C"], "lsg"),
            ("frage;r 1;r 2;x;lsg", "Wer?;ich;du;u;du\nWas?;ei;das;v;ei\n", ["r 1", "r 2"], "lsg"),
            ("frage;r a;r b;x;lsg", "Wie alt?;7;8;u;B\nWie viele?;70;80;v;A\n", ["r a", "r b"], "lsg"),
        ],
        ids=["numbers", "letters alone", "texts", "numbers to choose from"],
    )
    def test_however_they_are_called(
        self, head: str, rows: str, choices: list[str], answer: str, capfd: Captured
    ) -> None:
        Path("quiz.csv").write_text(f"{head}\n{rows}")
        assert moot("init", "--yes", "--questions", "quiz.csv") == 0, capfd.readouterr().err
        assert written()["questions"]["columns"] == {"text": "frage", "choices": choices, "answer": answer}

    @pytest.mark.parametrize(
        ("column", "values"),
        [("zweite Lösung", "ABCA"), ("Richtig", "1231"), ("Lösung", ["Jupiter!", "der Nil", "?", "?"])],
        ids=["letters too", "positions too", "nothing fits"],
    )
    def test_nobody_guesses_between_two_or_none(self, column: str, values: list[str], capfd: Captured) -> None:
        """Not even in an example: taken as it stands it would be played."""
        head, *rows = (line.split(";") for line in QUIZ.splitlines())
        head[7] = head[7] if column == "Lösung" else column
        for row, value in zip(rows, values, strict=True):
            row[head.index(column)] = value
        lines = [";".join(row) for row in (head, *rows)]
        Path("quiz.csv").write_text("\n".join(lines) + "\n")
        assert moot("init", "--yes", "--questions", "quiz.csv") == 2
        error, text = capfd.readouterr().err, Path("moot.yaml").read_text()
        assert "Antwort A (Mars), Antwort B (Jupiter)" in error
        for said in (error, text):
            assert "answer: WHICH_COLUMN}" in said
            assert "answer: Antwort" not in said
        if column != "Lösung":
            assert f"'Lösung' or '{column}' could be it" in error
            assert f"choices: [{', '.join(LETTERED)}], answer: WHICH_COLUMN" in text

    def test_a_run_takes_choices_that_letters_point_at(self, capfd: Captured) -> None:
        Path("quiz.csv").write_text(QUIZ)
        Path("own.yaml").write_text(
            "name: own\nquestions: {file: quiz.csv, columns: {text: Frage, answer: Lösung}}\n"
            "models: {a: {provider: simulated, accuracy: 1}}\nstrategies: [solo]\n"
        )
        assert moot("run", "own.yaml", "--quiet") == 0
        assert f"{', '.join(LETTERED)} are taken for choices, as Lösung points at one of them" in capfd.readouterr().err
        assert moot("show", "own.yaml", "1") == 0
        assert "Jupiter" in capfd.readouterr().out

    @pytest.mark.parametrize(
        ("columns", "said"),
        [
            ("answer: Antwort A", "Antwort A is taken for what is right, and looks like one choice beside Antwort B, Antwort C"),
            ("answer: Antwort C", "Antwort C is taken for what is right, and looks like one choice beside Antwort A, Antwort B"),
            ("answer: Lösung", None),
            ("answer: Antwort A, choices: null", None),
            ("answer: Lösung, choices: null", None),
            ("answer: Punkte", None),
            ("answer: Antwort A, accepted: [Antwort B, Antwort C, Antwort D]", None),
            (f"answer: Lösung, choices: [{', '.join(LETTERED)}]", None),
        ],
    )  # fmt: skip
    def test_choices_that_are_left_out_are_told(self, columns: str, said: str | None, capfd: Captured) -> None:
        Path("quiz.csv").write_text(QUIZ)
        Path("own.yaml").write_text(
            f"name: own\nquestions: {{file: quiz.csv, columns: {{text: Frage, {columns}}}}}\n"
            "models: {a: {provider: simulated, accuracy: 0.5}}\nstrategies: [solo]\n"
        )
        for command in (("doctor", "own.yaml"), ("run", "own.yaml", "--quiet")):
            moot(*command)
            told = [line for line in capfd.readouterr().err.splitlines() if "look like" in line or "looks like" in line]
            assert len(told) == (said is not None), told
            assert said is None or said in told[0]


SUPPORT = """\
Ticket;Frage;Antwort 1;Antwort 2;Antwort 3;Antwort 4;Lösung;Thema
T-1;What is the capital of France?;Santiago;Muscat;Paris;Riga;Paris;other
T-2;What is the capital of Spain?;Madrid;Tallinn;Oslo;Riga;madrid;geo
T-3;What is the capital of Norway?;Oslo;Tallinn;Minsk;Riga;Oslo;geo
"""
FOUR = ["Antwort 1", "Antwort 2", "Antwort 3", "Antwort 4"]


class TestColumnsThatNoNameTells:
    def test_choices_are_found_by_what_stands_in_them(self, monkeypatch: pytest.MonkeyPatch, capfd: Captured) -> None:
        Path("support.csv").write_text(SUPPORT)
        typing(monkeypatch, "3", "2", "7", "")
        assert moot("init", "--questions", "support.csv") == 0
        said = capfd.readouterr().out
        assert "Antwort 1, Antwort 2, Antwort 3, Antwort 4 could be choices: in all 3 rows" in said
        assert "answers are read as texts of choices" in said
        assert "not used: Ticket, Thema" in said
        assert "the columns are" not in said
        columns = {"text": "Frage", "choices": FOUR, "answer": "Lösung"}
        assert written()["questions"] == {"file": "support.csv", "columns": columns, "answers": "texts"}
        assert moot("run", "moot.yaml", "--estimate") == 0

    def test_or_are_said_to_be_none(self, monkeypatch: pytest.MonkeyPatch, capfd: Captured) -> None:
        Path("support.csv").write_text(SUPPORT)
        typing(monkeypatch, "3", "2", "7", "none")
        assert moot("init", "--questions", "support.csv") == 0
        assert f"not used: Ticket, {', '.join(FOUR)}, Thema" in capfd.readouterr().out
        assert written()["questions"]["columns"]["choices"] is None
        assert moot("run", "moot.yaml", "--estimate") == 0

    @pytest.mark.parametrize(
        ("text", "choices", "answers"),
        [
            ("question,red 1,red 2,answer\nWhy?,so,no,so\nWho?,you,me,me\n", ["red 1", "red 2"], "texts"),
            ("question,left,right,answer\nWhy?,so,no,so\nWho?,you,me,me\n", ["left", "right"], "texts"),
            ("question,p_a,p_b,p_c,answer\nWhy?,so,no,x,b\nWho?,you,me,y,c\n", ["p_a", "p_b", "p_c"], "letters"),
            ("text,answer,Antwort 1,Antwort 2,Round\nWhy?,so,so,no,1\nWho?,I,you,I,2\n", ["Antwort 1", "Antwort 2"], "texts"),
        ],
    )  # fmt: skip
    def test_whatever_they_are_called(self, text: str, choices: list[str], answers: str) -> None:
        Path("cup.csv").write_text(text)
        assert moot("init", "--yes") == 0
        assert written()["questions"]["columns"]["choices"] == choices
        assert written()["questions"]["answers"] == answers

    @pytest.mark.parametrize(
        "text",
        [
            "question,copy,answer\nWhy?,so,so\nWho?,me,me\n",
            "question,level 1,level 2,answer\nHow many?,1,5,2\nHow old?,3,3,1\n",
            "question,theme,hint,answer\nWhich city?,Paris,east,Paris\nWho?,verse,me,I\n",
            "question,Antwort 1,Antwort 2,answer\nWhy?,so,so,so\nWho?,you,me,me\n",
        ],
        ids=["a copy", "numbers", "by chance", "the same twice"],
    )
    def test_nothing_else_is_taken_for_choices(self, text: str, capfd: Captured) -> None:
        Path("cup.csv").write_text(text)
        assert moot("init", "--yes") == 0, capfd.readouterr().err
        assert "choices" not in written()["questions"]["columns"]

    def test_answers_that_point_at_nothing_known_are_asked_about(
        self, monkeypatch: pytest.MonkeyPatch, capfd: Captured
    ) -> None:
        Path("cup.csv").write_text("question,left,right,answer\nWhy?,so,no,A\nWho?,you,me,B\n")
        typing(monkeypatch, "3", "2-3")
        assert moot("init") == 0
        assert "no column is known to be choices, though the answers are letters" in capfd.readouterr().out
        assert written()["questions"]["columns"]["choices"] == ["left", "right"]

    def test_answers_that_point_at_nothing_known_are_refused_where_nobody_is_asked(self, capfd: Captured) -> None:
        """Open questions would be graded against letters, by whatever command."""
        Path("cup.csv").write_text("question,left,right,answer\nWhy?,so,no,A\nWho?,you,me,B\n")
        assert moot("init", "--yes", "--questions", "cup.csv") == 2
        assert "no column is known to be choices, though the answers are letters" in capfd.readouterr().err
        assert moot("run", "moot.yaml", "--estimate") == 2
        assert "choices: WHICH_COLUMN is an example" in capfd.readouterr().err

    def test_a_header_that_is_nearly_known_is_proposed(self, monkeypatch: pytest.MonkeyPatch, capfd: Captured) -> None:
        Path("cup.csv").write_text("Number,Prompt text,Right answer in brief\n7,Why?,so\n8,Who?,me\n")
        typing(monkeypatch, "3", "", "")
        assert moot("init", "--questions", "cup.csv") == 0
        assert written()["questions"]["columns"] == {"text": "Prompt text", "answer": "Right answer in brief"}
        said = capfd.readouterr().out
        assert "did you mean" not in said
        assert "not used: Number" in said
        assert moot("init", "--yes", "--questions", "cup.csv", "-o", "other.yaml") == 0
        assert written(Path("other.yaml"))["questions"]["columns"] == written()["questions"]["columns"]
        assert (
            "no column is known to be text, the question itself: using columns: {text: Prompt text}"
            in capfd.readouterr().out
        )
        Path("bare.yaml").write_text(
            "name: bare\nquestions: {file: cup.csv}\nmodels: {a: {provider: simulated, accuracy: 0.5}}\nstrategies: [solo]\n"
        )
        assert moot("run", "bare.yaml") == 2, "a run takes nothing that only looks so"
        assert "('Prompt text' could be it)" in (error := capfd.readouterr().err)
        assert "such as columns: {text: Prompt text, answer: Right answer in brief}" in error
        assert error.count("the columns are") == 1

    def test_the_only_table_of_the_folder_is_taken(self, capfd: Captured) -> None:
        Path("support.csv").write_text(SUPPORT)
        assert moot("init", "--yes") == 0
        said = capfd.readouterr().out.splitlines()
        assert "Questions: support.csv, the only table here" in said
        assert moot("init", "--yes", "--questions", "support.csv", "-o", "other.yaml") == 0
        assert written(Path("other.yaml"))["questions"] == written()["questions"]

    def test_the_only_table_of_the_folder_is_offered(self, monkeypatch: pytest.MonkeyPatch, capfd: Captured) -> None:
        table = Path("golden set.csv")
        table.write_text("Customer message,Team,Gold verdict\nWhere is my parcel?,a,late\nCan I return it?,b,yes\n")
        typing(monkeypatch, "3", "", "1", "3")
        assert moot("init") == 0, capfd.readouterr().err
        assert "golden set.csv: use it?" in capfd.readouterr().out
        assert written()["questions"]["file"] == "golden set.csv"
        typing(monkeypatch, "3", "maybe", "n")
        assert moot("init", "-o", "other.yaml") == 0
        assert "builtin" in written(Path("other.yaml"))["questions"]

    def test_a_letter_that_is_short_for_something_is_no_choice(
        self, monkeypatch: pytest.MonkeyPatch, capfd: Captured
    ) -> None:
        rows = "Which is red?,blood,sky,grass,snow,A\nWhich is blue?,blood,sky,grass,snow,B\n"
        Path("quiz.csv").write_text("q,A,B,C,D,key\n" + rows)
        typing(monkeypatch, "3", "")
        assert moot("init", "--questions", "quiz.csv") == 0, capfd.readouterr().err
        assert written()["questions"]["columns"] == {"text": "q", "choices": ["A", "B", "C", "D"], "answer": "key"}
        Path("quiz.csv").write_text("q,A,B,C,D,r\n" + rows)
        typing(monkeypatch, "3", "", "r")
        assert moot("init", "--questions", "quiz.csv", "-o", "other.yaml") == 0, "the one column that is left"
        assert written(Path("other.yaml"))["questions"]["columns"]["answer"] == "r"
        capfd.readouterr()
        assert moot("init", "--questions", "quiz.csv", "--yes", "-o", "third.yaml") == 2, "it may be anything"
        assert "'r' could be it" in capfd.readouterr().err

    def test_rows_without_a_reference_are_left_out_if_somebody_says_so(
        self, monkeypatch: pytest.MonkeyPatch, capfd: Captured
    ) -> None:
        Path("holes.csv").write_text("question,answer\nWhy?,so\nWho?,\nWhen?,now\nWhere?,\n")
        typing(monkeypatch, "3", "n")
        assert moot("init", "--questions", "holes.csv") == 2
        assert "the reference is missing in 2 rows: 3, 5" in capfd.readouterr().out
        typing(monkeypatch, "3", "")
        assert moot("init", "--questions", "holes.csv") == 0
        assert written()["questions"]["skip_blank"] is True
        capfd.readouterr()
        assert moot("run", "moot.yaml", "--limit", "1", "--quiet") == 0
        assert "holes.csv: 2 rows are left out: they have no reference (line 3, 5)" in capfd.readouterr().err

    @pytest.mark.parametrize("header", ["question,answer,who", "Frage,Antwortet,Wer"])
    def test_a_table_that_is_not_utf8_is_told_before_anything_is_asked(self, header: str, capfd: Captured) -> None:
        rows = "".join(f"Why {number}?,so,x\n" for number in range(3000))
        Path("old.csv").write_bytes((header + "\n" + rows + "Café?,so,x\n").encode("cp1252"))
        assert moot("init", "--questions", "old.csv") == 2
        said = capfd.readouterr()
        assert "UTF-8" in said.err
        assert "Models" not in said.out


def test_several_files_of_questions(monkeypatch: pytest.MonkeyPatch, capfd: Captured) -> None:
    Path("a.csv").write_text(OWN)
    Path("b.jsonl").write_text('{"id": "1", "text": "Какой город — столица?", "answer": "Москва"}\n')
    Path("replies.jsonl").write_text('{"model": "m", "question_id": "1", "text": "x", "answer": "A"}\n')
    Path("people.csv").write_text("name,age\nann,7\n")
    typing(monkeypatch, "3", "2", "")
    assert moot("init") == 0
    assert "replies.jsonl" not in capfd.readouterr().out
    assert written()["questions"] == {"file": "b.jsonl"}
    assert written()["language"] == "ru"
    assert moot("init", "--yes", "-o", "other.yaml") == 0
    assert written(Path("other.yaml"))["questions"] == {"builtin": "general-en"}
    text = Path("other.yaml").read_text()
    assert "several question files here; these come with moot" in text
    assert "--questions FILE picks one of a.csv, b.jsonl" in text


HEADER = ["id", "question", "answer"]


def test_the_sheet_that_holds_questions_is_proposed(tmp_path: Path, capfd: Captured) -> None:
    cover, old = [["Quiz 2026"], ["by us"]], [HEADER, [1, "old?", "x"]]
    questions = [HEADER, [1, "Which is first?", "one"], [2, "Which is next?", "two"]]
    workbook(tmp_path / "cup.xlsx", {"Cover": cover, "Autumn": questions, "Spring": old, "Notes": []})
    assert moot("init", "--yes") == 0, "a cover in front does not hide that there are questions"
    told = capfd.readouterr().out
    assert "the sheet 'Autumn' is taken, whose columns are those of questions" in told
    assert "beside it: 'Cover', 'Spring' (questions too), 'Notes'" in told
    columns = {"id": "id", "text": "question", "answer": "answer"}
    assert written()["questions"] == {"file": "cup.xlsx", "sheet": "Autumn", "columns": columns}
    assert "first question: Which is first?" in told


def test_a_sheet_is_asked_about_with_its_own_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Captured
) -> None:
    questions = [["id", "question", "prompt", "answer"], [1, "Which?", "Say which", "one"]]
    workbook(tmp_path / "cup.xlsx", {"Cover": [["Quiz"], ["by us"]], "Autumn": questions})
    typing(monkeypatch, "3", "2", "")
    assert moot("init", "--questions", "cup.xlsx") == 0
    assert "the sheet 'Autumn' is taken; beside it: 'Cover'" in capfd.readouterr().out
    assert written()["questions"]["columns"]["text"] == "question"
    assert written()["questions"]["sheet"] == "Autumn"


def test_two_files_of_a_folder_have_two_names() -> None:
    """They would be versions of one experiment else, and share a store."""
    Path("golden set.csv").write_text(OWN)
    names = {}
    for file in ("moot.yaml", "cup.yaml", "cup3.yaml", "golden-set.yaml", "Cup.yml"):
        assert moot("init", "--yes", "--questions", "golden set.csv", "-o", file) == 0
        names[file] = written(Path(file))["name"]
    assert names == {
        "moot.yaml": "golden-set",
        "cup.yaml": "cup",
        "cup3.yaml": "cup3",
        "golden-set.yaml": "golden-set-2",
        "Cup.yml": "Cup-2",
    }


def test_questions_that_are_not_there(capfd: Captured) -> None:
    assert moot("init", "--yes", "--questions", "absent.csv") == 2
    assert "absent.csv: no such question file" in capfd.readouterr().err


# --- what is there already, and who leaves ----------------------------------------------------------------------------------


def test_nothing_is_written_over_unasked(monkeypatch: pytest.MonkeyPatch, capfd: Captured) -> None:
    Path("moot.yaml").write_text("mine")
    assert moot("init", "--yes") == 2
    for refusal in ("", "n"):
        typing(monkeypatch, refusal)
        assert moot("init") == 2
    assert Path("moot.yaml").read_text() == "mine"
    assert capfd.readouterr().err.count("-o FILE writes elsewhere") == 3
    typing(monkeypatch, "y", "3")
    assert moot("init") == 0
    assert written()["models"]
    assert [path.name for path in Path().iterdir()] == ["moot.yaml"]
    assert moot("init", "-o", "absent/moot.yaml") == 2
    assert moot("init", "-o", ".") == 2


def test_stdin_that_is_closed(monkeypatch: pytest.MonkeyPatch, capfd: Captured) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert moot("init") == 2
    assert "the input ended" in capfd.readouterr().err


def test_ctrl_c_at_a_terminal() -> None:
    main, theirs = pty.openpty()
    command = [sys.executable, "-m", "moot", "init", "--port", str(free_port())]
    moot_init = subprocess.Popen(
        command,
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # who runs these may ignore it
    )
    try:
        assert moot_init.stdout is not None
        shown = b""
        while b"Enter accepts" not in shown:
            more = os.read(moot_init.stdout.fileno(), 4096)
            assert more, shown
            shown += more
        moot_init.send_signal(signal.SIGINT)
        _, errors = moot_init.communicate(timeout=60)
    finally:
        moot_init.kill()
        os.close(main)
        os.close(theirs)
    assert moot_init.returncode == 130
    assert errors.decode() == "moot: interrupted\n"
    assert list(Path().iterdir()) == []


# --- strangers ------------------------------------------------------------------------------------------------------------


def test_what_a_server_calls_its_models_is_only_text(capfd: Captured) -> None:
    names = ["\x1b[2J", "a: {b}", "x\n  y: z", "yes", "'", "#hash", "each", "org/a b:latest", "nomic-embed-text", "1e3"]
    listed = {"data": [{"id": name, "owned_by": "library"} for name in names]}
    with in_a_thread(_answering(json.dumps(listed))) as port:
        assert moot("init", "--yes", "--port", port) == 0
    assert "\x1b" not in capfd.readouterr().out
    models = written()["models"]
    assert [model["model"] for model in models.values()] == ["a: {b}", "yes", "'", "#hash", "each", "org/a b:latest"]
    assert list(models) == ["a-b", "yes", "model", "hash", "each-1", "a-b-2"]


@pytest.mark.parametrize("body", ["", "[]", "<html>", '{"data": {}}', '{"data": [{"name": "a"}]}', "[" * 100_000])
def test_whoever_lists_no_models_is_no_server(body: str, capfd: Captured) -> None:
    with in_a_thread(_answering(body)) as port:
        assert moot("init", "--yes", "--port", port) == 0
    assert f"No model server answers at 127.0.0.1:{port}\n" in capfd.readouterr().out
    assert {model["provider"] for model in written()["models"].values()} == {"simulated"}


IN_FORM = '{"reasoning": "It is.", "answer": "Paris"}'


def _answering(
    body: str, heard: list[str | None] | None = None, says: Callable[[str], Any] = lambda asked: IN_FORM
) -> Any:
    """A server that lists these; its port. `heard`: the keys that it was shown. `says`: what to a prompt."""

    @asynccontextmanager
    async def answering() -> Any:
        async def models(request: Any) -> Response:
            if heard is not None:
                heard.append(request.headers.get("authorization"))
            return Response(body, media_type="application/json")

        async def chat(request: Any) -> Response:
            said = says((await request.body()).decode())
            words = await said if inspect.isawaitable(said) else said
            if isinstance(words, Response):
                return words
            told = {"role": "assistant", "content": words}
            return JSONResponse({"choices": [{"index": 0, "message": told, "finish_reason": "stop"}]})

        routes = [Route("/v1/models", models), Route("/v1/chat/completions", chat, methods=["POST"])]
        listening = Listening(Starlette(routes=routes))
        url = await listening.start("127.0.0.1", 0)
        try:
            yield int(url.rpartition(":")[2])
        finally:
            await listening.stop()

    return answering()


# --- who it is --------------------------------------------------------------------------------------------------------------

USUAL = dict(servers.USUAL_PORTS)
"""As they are outside of these tests."""


def test_the_usual_ports(monkeypatch: pytest.MonkeyPatch, capfd: Captured) -> None:
    assert set(USUAL) == {11434, 8080, 8000, 1234, 30000}
    with in_a_thread(_answering(json.dumps({"data": [{"id": "llama3.2:3b"}, {"id": "nomic-embed-text"}]}))) as port:
        monkeypatch.setattr(servers, "USUAL_PORTS", {free_port(): "vLLM", port: "Ollama"})
        assert moot("init", "--yes") == 0
    said = capfd.readouterr().out
    assert f"llama3.2:3b             Ollama at 127.0.0.1:{port}" in said
    assert f"Ollama at 127.0.0.1:{port}, by its name not for questions" in said
    assert [model["model"] for model in written()["models"].values()] == ["llama3.2:3b"]
    assert list(written()["models"]) == ["llama3.2-3b"]


@pytest.mark.parametrize(
    ("owner", "kind"),
    [("vllm", "vLLM"), ("sglang", "SGLang"), ("llamacpp", "llama.cpp"), ("organization_owner", "LM Studio")],
)
def test_a_server_is_known_by_what_it_says(owner: str, kind: str, capfd: Captured) -> None:
    with in_a_thread(_answering(json.dumps({"data": [{"id": "deepseek-r1", "owned_by": owner}]}))) as port:
        assert moot("init", "--yes", "--port", port) == 0
    assert f"{kind} at 127.0.0.1:{port}" in capfd.readouterr().out
    (model,) = written()["models"].values()
    assert model["limits"] == {"concurrent": 64 if kind in ("vLLM", "SGLang") else 4}
    assert model["params"]["max_tokens"] == 4000, "it thinks"


def test_a_served_team_is_listed_and_not_proposed(tmp_path: Path, capfd: Captured) -> None:
    (tmp_path / "served").mkdir()
    with in_a_thread(serving(tmp_path / "served")) as served:
        assert moot("init", "--yes", "--port", served.url.rpartition(":")[2]) == 0
        said = capfd.readouterr().out
        assert f"three/vote              moot serve at {served.url.removeprefix('http://')}, a team" in said
    assert {model["provider"] for model in written()["models"].values()} == {"simulated"}


def test_proxies_of_the_environment_are_not_used_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    with simulated() as server:
        assert moot("init", "--yes", "--port", port_of(server)) == 0
    assert list(written()["models"]) == ["ann", "bob"]


def test_a_hosted_api_behind_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", SECRET)
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example.org:3128")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    typing(monkeypatch, "1", "mistral-small, mistral-small")
    assert moot("init") == 0
    assert written()["models"]["mistral-small"]["proxy"] == "env"


def test_who_judges() -> None:
    """Real models judge real ones, and small ones nobody."""
    asked = StarterQuestions({"builtin": "quiz-en"}, open_answers=True)
    real = [starter_file.endpoint("http://127.0.0.1:1/v1", name, "", concurrent=1) for name in ("a", "b")]
    made_up, small = starter_file.simulated(), starter_file.packaged(SMALL)

    def judges(*models: StarterModel) -> list[str]:
        return StarterFile(Path("moot.yaml"), models, asked).judges

    assert judges(*made_up, *real, small) == ["a", "b"]
    assert judges(real[0], *made_up, small) == []
    assert judges(*made_up) == ["ann", "bob"]
    assert judges(small) == []


# --- numbers --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "chosen"),
    [
        ("1", [0]),
        ("3,1", [0, 2]),
        ("1 3", [0, 2]),
        ("2 - 4, 2", [1, 2, 3]),
        ("all", [0, 1, 2, 3]),
        ("NONE", []),
        ("5", None),
        ("0", None),
        ("3-2", None),
        ("1,,2", [0, 1]),
        ("1-", None),
        ("-1", None),
        ("²", None),
        ("9" * 5000, None),
    ],
)
def test_numbers_of_a_line(line: str, chosen: list[int] | None) -> None:
    assert numbers(line, range(4)) == chosen
    if chosen:
        assert numbers(in_numbers(chosen), range(4)) == chosen


# --- columns of one's own ---------------------------------------------------------------------------------------------------

CASES = "ref;user_text;wanted;team;case_id\n" + "".join(
    f"x;Who wrote letter number {n}?;author {n};{'red' if n % 2 else 'blue'};c-{n}\n" for n in range(40)
)


def test_columns_keep_their_numbers_and_show_what_is_in_them(monkeypatch: pytest.MonkeyPatch, capfd: Captured) -> None:
    Path("cases.csv").write_text(CASES)
    typing(monkeypatch, "3", "", "", "2", "3")
    assert moot("init", "--questions", "cases.csv") == 0
    said = capfd.readouterr().out
    assert written()["questions"]["columns"] == {"id": "case_id", "text": "user_text", "answer": "wanted"}
    assert re.search(r"2 +user_text +Who wrote letter number 0\?\n", said)
    assert "Which? Enter accepts [2]" in said
    assert "Which? Type a number or name (1,3-5)" in said
    assert "expected one number or name: 1,3-5" in said  # neither enter nor the column that is the question already
    assert re.search(r"first question: Who wrote letter number 0\?\n +right: author 0\n", said)
    assert "case_id is used as the id" in said
    assert "are different" not in said


def test_a_column_that_repeats_is_never_proposed_as_the_question(
    monkeypatch: pytest.MonkeyPatch, capfd: Captured
) -> None:
    Path("cases.csv").write_text("team;stage;points\n" + "red;final;1\n" * 20)
    typing(monkeypatch, "3", "", "1", "3")
    assert moot("init", "--questions", "cases.csv") == 0
    said = capfd.readouterr().out
    assert "Which? Type a number or name (1-3)" in said
    assert "only 1 of these 20 questions are different; is this the right column?" in said


# --- as it is typed ------------------------------------------------------------------------------------------------------

UNKNOWN = """\
frage,gemeint,stufe
Which planet is the largest?,Jupiter,1
Which is the smallest?,Mercury,2
Which of them is red?,Mars,2
"""


def test_columns_are_taken_by_their_names_too(monkeypatch: pytest.MonkeyPatch, capfd: Captured) -> None:
    Path("own.csv").write_text(UNKNOWN)
    typing(monkeypatch, "", "frage", "nobody", "Gemeint")
    assert moot("init", "--port", 9, "--questions", "own.csv") == 0, capfd.readouterr().err
    assert written()["questions"]["columns"] == {"text": "frage", "answer": "gemeint"}
    said = capfd.readouterr().out
    assert said.count("Which? Type a number or name (2-3)") == 2, "nobody is no column"


def test_several_columns_are_taken_by_their_names_too(monkeypatch: pytest.MonkeyPatch, capfd: Captured) -> None:
    """A name may hold what stands between names; a number is a place, whatever a column is called."""
    names = ("a, b", "Right", "x y", "2")
    offered = range(4)
    assert numbers_or_names("a, b", offered, names) == [0]
    assert numbers_or_names("right; x y", offered, names) == [1, 2]
    assert numbers_or_names("right, 3-4", offered, names) == [1, 2, 3]
    assert numbers_or_names("2", offered, names) == [1]
    assert numbers_or_names("right, left", offered, names) is None
    assert numbers_or_names(",", offered, names) is None
    assert numbers_or_names("Right", [0, 2], names) is None, "it is not offered"


def test_the_only_column_that_it_can_be_is_taken_with_yes(capfd: Captured) -> None:
    Path("own.csv").write_text("q,a\nWhich planet is the largest?,Jupiter\nWhich is the smallest?,Mercury\n")
    assert moot("init", "--yes", "--port", 9, "--questions", "own.csv") == 0, capfd.readouterr().err
    assert written()["questions"]["columns"] == {"text": "q", "answer": "a"}
    said = capfd.readouterr().out
    assert "using columns: {text: q}" in said
    assert "using columns: {answer: a}" in said


def test_an_id_is_no_answer_though_no_other_column_is_there(capfd: Captured) -> None:
    Path("own.csv").write_text("question,Case id\nWhich planet is the largest?,7\nWhich is the smallest?,8\n")
    assert moot("init", "--yes", "--port", 9, "--questions", "own.csv") == 2
    assert "no column is known to be answer" in capfd.readouterr().err


def test_what_is_to_be_settled_is_one_line_to_paste(capfd: Captured) -> None:
    """With the columns that are known already: the key stands only once."""
    Path("own.csv").write_text(UNKNOWN)
    assert moot("init", "--yes", "--port", 9, "--questions", "own.csv") == 2
    text = Path("moot.yaml").read_text()
    (advice,) = (line for line in text.splitlines() if line.startswith("#") and "columns: {" in line)
    pasted = advice.partition("example, ")[2]
    assert pasted == "columns: {text: frage, answer: WHICH_COLUMN}"
    assert text.count("  columns: {text: frage}\n") == 1
    text = text.replace("  columns: {text: frage}\n", f"  {pasted}\n")
    Path("moot.yaml").write_text(text)
    capfd.readouterr()
    assert moot("run", "moot.yaml", "--estimate") == 2, "as it stands it names no column"
    error = capfd.readouterr().err
    assert "answer: WHICH_COLUMN is an example: put the name of a column in its place" in error
    assert "frage (Which planet is the…), gemeint (Jupiter), stufe (1)" in error
    Path("moot.yaml").write_text(text.replace("answer: WHICH_COLUMN", "answer: gemeint"))
    assert moot("run", "moot.yaml", "--estimate") == 0, capfd.readouterr().err
    both = Path("both.csv")
    both.write_text("foo,bar\nred,blue\ngreen,black\n")
    capfd.readouterr()
    assert moot("init", "--yes", "--port", 9, "--questions", "both.csv", "-o", "both.yaml") == 2
    assert capfd.readouterr().err.count("columns: {") == 1
    assert Path("both.yaml").read_text().count("columns: {") == 1


@pytest.mark.parametrize("ending", ["csv", "jsonl", "xlsx", "txt"])
def test_a_file_of_questions_alone(capfd: Captured, ending: str) -> None:
    """The experiment gets their name, and stands beside them."""
    Path("sub").mkdir()
    path = Path(f"sub/spring.{ending}")
    rows = [
        ["id", "text", "answer"],
        ["1", "Which planet is the largest?", "Jupiter"],
        ["2", "The smallest?", "Mercury"],
    ]
    if ending == "xlsx":
        workbook(path, {"Sheet1": rows})
    elif ending == "jsonl":
        path.write_text("".join(json.dumps(dict(zip(rows[0], row, strict=True))) + "\n" for row in rows[1:]))
    else:
        path.write_text("".join(("," if ending == "csv" else "\t").join(row) + "\n" for row in rows))
    assert moot("init", path, "--yes", "--port", 9) == 0, capfd.readouterr().err
    file = written(Path("sub/spring.yaml"))
    assert (file["name"], file["questions"]["file"]) == ("spring", f"spring.{ending}")
    assert "moot run sub/spring.yaml" in capfd.readouterr().out
    assert moot("init", path, "--yes", "--port", 9) == 2, "nothing is written over"
    assert moot("init", path, "--yes", "--port", 9, "-o", "other.yaml") == 0
    assert written(Path("other.yaml"))["questions"]["file"] == str(path)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("cup.yaml",), "moot init -o cup.yaml writes an experiment there"),
        (("cup.doc",), "cup.doc is not a question file; expected one that ends with .jsonl, "),
        (("cup.csv", "--questions", "other.csv"), "two question files; expected one"),
        (("cup.csv",), "no such question file"),
    ],
)
def test_what_is_no_file_of_questions_alone(arguments: tuple[str, ...], said: str, capfd: Captured) -> None:
    assert moot("init", *arguments, "--yes", "--port", 9) == 2
    assert said in capfd.readouterr().err


@pytest.mark.parametrize("command", ["run", "doctor", "report"])
@pytest.mark.parametrize("name", ["my cup.csv", "cup.jsonl", "cup.json", "cup.txt"])
def test_questions_instead_of_an_experiment(command: str, name: str, capfd: Captured) -> None:
    as_json = json.dumps({"id": "1", "text": "Which?", "answer": "this"})
    content = {"jsonl": f"{as_json}\n", "json": f"[{as_json}]"}.get(name.rpartition(".")[2], "text\tanswer\na\tb\n")
    Path(name).write_text(content)
    assert moot(command, name) == 2
    quoted = f"'{name}'" if " " in name else name
    assert f"{name}: a file of questions, not an experiment; moot init {quoted} writes" in capfd.readouterr().err


def test_a_text_without_tabs_is_refused_with_what_to_do(capfd: Captured) -> None:
    Path("cup.txt").write_text("text,answer\nWhich?,this\n")
    assert moot("init", "cup.txt", "--yes", "--port", 9) == 2
    assert "cup.txt:1: a .txt file is read as a table with tabs" in (said := capfd.readouterr().err)
    assert ".csv for commas" in said
