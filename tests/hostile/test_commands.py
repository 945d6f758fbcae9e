"""Whole commands with a model that says everything in the corpus: in the terminal, in JSON and on the page it stays words.

It plays and is captain in its turn; its like groups answers, judges them and reads them out of replies.
"""

from __future__ import annotations

import io
import json
import re
import sqlite3
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from moot.cli.app import app
from moot.cli.console import Console
from moot.cli.exit import run_app
from moot.cli.safe_text import print_json, tamed
from moot.simulate.schema_instance import instance
from moot.strategies import registered

sys.path.insert(0, str(Path(__file__).parent))
from corpus import SMALL

OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
NAMES = [name for name in SMALL if name.startswith(("characters-", "injection-", "forged-"))]
SAID = [SMALL[name] for name in NAMES]
QUESTIONS = 2 * len(SAID)
OPTIONS: dict[str, dict[str, Any]] = {
    "discuss": {"max_turns": 3},
    "debate": {"max_rounds": 1},
    "mixture": {"repeats": 1},
}


class Hostile(BaseHTTPRequestHandler):
    """Question n gets the n-th text: first as the whole reply, then as every free text inside the form asked for."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        numbers = re.findall(r"number (\d+)", json.dumps(asked["messages"]))
        number = int(numbers[0]) if numbers else 0
        said = SAID[number % len(SAID)]
        if number >= len(SAID):
            schema = asked["response_format"]["json_schema"]["schema"]
            names = [name for name, form in schema["properties"].items() if form.get("type") == "string"]
            said = json.dumps(instance(schema, dict.fromkeys(names, said), lambda place: 0.5))
        body = json.dumps({"choices": [{"message": {"content": said}, "finish_reason": "stop"}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


@dataclass(frozen=True)
class Cup:
    """An experiment with every strategy there is, played."""

    path: Path
    shown: str


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cup]:
    folder = tmp_path_factory.mktemp("cup")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hostile)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    lines = [{"id": f"q{n}", "text": f"Who is number {n}?", "answer": f"Person {n}"} for n in range(QUESTIONS)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    models: dict[str, Any] = {name: {"provider": "simulated", "accuracy": 0.6} for name in ("ann", "bob", "clerk")}
    address = f"http://127.0.0.1:{server.server_port}/v1"
    for name in ("mal", "malicious-clerk"):
        models[name] = {"provider": "endpoint", "base_url": address, "model": name, "retries": {"attempts": 1}}
    described = {
        "name": "cup",
        "questions": {"file": "questions.jsonl"},
        "models": models,
        "teams": {"all": {"players": ["ann", "mal", "bob"], "captain": "mal"}},
        "strategies": [{name: OPTIONS[name]} if name in OPTIONS else name for name in sorted(registered())],
        "grouping": {"model": "malicious-clerk"},
        "judge": {"models": ["malicious-clerk", "clerk"]},
        "extract": {"models": ["malicious-clerk", "clerk"]},
        "store": f"sqlite:///{folder}/cup.db",
    }
    path = folder / "cup.yaml"
    path.write_text(json.dumps(described), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        shown = Shown(patch)
        code = run_app(app, ["run", str(path)])
    assert code in (0, 1), shown.taken()
    yield Cup(path, shown.taken())
    server.shutdown()
    server.server_close()
    thread.join()


class Shown:
    """What a terminal would be sent."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._streams = io.StringIO(), io.StringIO()
        patch.setattr(sys, "stdout", self._streams[0])
        patch.setattr(sys, "stderr", self._streams[1])

    def taken(self) -> str:
        return "".join(each.getvalue() for each in self._streams)


def test_a_run_shows_words_and_no_orders(cup: Cup) -> None:
    assert not OBEYED.search(cup.shown)
    assert f"cup: {QUESTIONS} questions" in cup.shown
    assert "a bug in" not in cup.shown


@pytest.mark.parametrize(
    "command",
    [
        ["report"],
        ["report", "--json"],
        ["compare", "--a", "vote", "--b", "solo@ann"],
        ["grade"],
        ["run", "--estimate"],
        ["ask"],
        ["ask", "--json"],
        ["doctor"],
    ],
    ids=" ".join,
)
def test_every_other_command(cup: Cup, command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    name, *options = command
    for number in (NAMES.index("characters-escapes-of-terminals"), QUESTIONS - 1) if name == "ask" else (0,):
        asked = [f"Who is number {number}?", "--team", str(cup.path)] if name == "ask" else [str(cup.path)]
        shown = Shown(monkeypatch)
        code = run_app(app, [name, *asked, *options])
        assert code in (0, 1), shown.taken()
        assert not OBEYED.search(shown.taken())
        assert "a bug in" not in shown.taken()


def test_every_transcript(cup: Cup, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(0, QUESTIONS, 5):
        for options in ((), ("--json",)):
            shown = Shown(monkeypatch)
            assert run_app(app, ["show", str(cup.path), f"q{number}", *options]) == 0
            assert not OBEYED.search(shown.taken())
        said = [call["text"] for each in json.loads(shown.taken()) for call in each["calls"] if call["player"] == "mal"]
        expected = SAID[number % len(SAID)]
        if number < len(SAID) and not re.search("[\x00\ud800-\udfff]", expected):
            assert expected in said, "in JSON nothing is lost"


def test_the_page_holds_no_tag_of_theirs(cup: Cup, monkeypatch: pytest.MonkeyPatch) -> None:
    page = cup.path.with_suffix(".html")
    shown = Shown(monkeypatch)
    assert run_app(app, ["report", str(cup.path), "-o", str(page)]) == 0, shown.taken()
    written = page.read_text(encoding="utf-8")
    assert "<script>alert(1)" not in written
    assert "<img src=x" not in written


def test_nothing_was_said_for_the_others(cup: Cup) -> None:
    """Who plays alone beside all that answers as if the hostile one were not there."""
    connection = sqlite3.connect(cup.path.with_suffix(".db"))
    query = "SELECT answer FROM episodes JOIN cells ON id = cell WHERE player IN ('ann', 'bob')"
    answers = [answer for (answer,) in connection.execute(query)]
    broken = connection.execute("SELECT verdict FROM episodes WHERE verdict LIKE '%a bug in%'").fetchall()
    connection.close()
    assert len(answers) >= 2 * QUESTIONS
    assert set(answers).isdisjoint(SAID)
    assert not broken


# --- the console itself --------------------------------------------------------------------------------------------------


def test_all_that_can_be_drawn_is_tame(monkeypatch: pytest.MonkeyPatch) -> None:
    for text in SMALL.values():
        shown = Shown(monkeypatch)
        console = Console()
        table = Table(title=text, caption=text)
        table.add_column(text)
        table.add_row(text)
        table.add_row(Text(text, "bold"))
        for each in (table, text, Text(text), Text.assemble((text, "cyan"), text), Padding(Text(text), 1)):
            console.print(each)
        console.print(Rule(text.partition("\n")[0]))
        assert not OBEYED.search(shown.taken())


def test_what_is_tamed_and_what_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    assert tamed("\x1b[2J\x9b1m\x07\x7f\u202e\r") == "␛[2J�1m␇␡�␍"
    kept = "words\tand\nlines, «слова», العربية, 👩\u200d🔬, a\u0301"
    assert tamed(kept) == kept
    value = {"said": "\x1b[2J\x9b\u202e\x7f", "kept": kept}
    print_json(value)
    written = capsys.readouterr().out
    assert not OBEYED.search(written)
    assert json.loads(written) == value
    assert "«слова»" in written


def test_brackets_are_brackets(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Shown(monkeypatch)
    table = Table("[red]head")
    table.add_row("[bold]x[/nothing] :smile:")
    Console().print(table, "[/] and [link=http://x]y")
    for words in ("[red]head", "[bold]x[/nothing] :smile:", "[/] and [link=http://x]y"):
        assert words in shown.taken()
