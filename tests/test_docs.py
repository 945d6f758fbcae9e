"""The documentation is executed: every page from top to bottom, in a folder of its own.

How a page is written, so that it renders anywhere and still can be run:

- a block with a title (```yaml title="cup.yaml") is written to the file of that name;
- a line of a `console` block that starts with `$ ` is run: by bash, or in this process where it is moot and nothing else.
  Lines below it must occur in its output, in that order and but for white space; a line of `...`
  stands for anything, and so does `...` inside a line. A command has to succeed, or say at its end how it ends:
  `# exits with 2`. One that ends with `&` goes on until the block is over;
- a `python` block is run, all of a page in one namespace; a `text` block right after it is what it prints;
- a `yaml` block without a title is a part of an experiment file, and is checked as one.

A comment right before a block: `<!-- not run -->`; `<!-- needs: smollm2-135m -->` (run only where the weights are);
`<!-- installs -->` (what pip would do with a pyproject.toml is done by hand, for this page alone).

Tables of keys after `<!-- table: experiment EndpointSpec -->` and the page of help texts are generated. The last column
is written by hand and kept. `MOOT_UPDATE_DOCS=1 pytest tests/test_docs.py` brings them up to date.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer.main
import yaml
from installing import forget_plugins, write_metadata
from typer.testing import CliRunner

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.data.case import KEYS
from moot.experiment.build import build
from moot.experiment.spec import Experiment, read_experiment
from moot.models import packaged
from moot.simulate.server_config import SimulateConfig
from moot.store import schema as store_schema

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
LONG_PAGES = (
    "tutorial-engineer.md",
    "tutorial-quiz.md",
    "tutorial-researcher.md",
    "packaged-models.md",
    "extending.md",
    "strategies.md",
    "advise.md",
    "select.md",
    "discuss.md",
    "safety.md",
    "models.md",
    "import.md",
    "leaderboard.md",
    "documents.md",
)
FRONT = ROOT / "README.md"
MADE_APART = {"docs/demo.svg", "bench/README.md"}
"""What the front page links to and a checkout may not have yet: a picture and figures that are made by running moot."""
EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))
UPDATE = bool(os.environ.get("MOOT_UPDATE_DOCS"))
STALE = "out of date; MOOT_UPDATE_DOCS=1 pytest tests/test_docs.py brings it up to date"

_FENCE = re.compile(r"^```(\w*)(?: title=\"([^\"]+)\")?$")
_REMARK = re.compile(r"^<!-- (.*) -->$")
_PORT = re.compile(r"\b184\d\d\b")
_ENDS_WITH = re.compile(r"\s*# exits with (\d+)$")
_QUOTED = re.compile(r"'[^']*'|\"[^\"$`\\]*\"")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def name_of(path: Path) -> str:
    return path.name


# --- reading a page ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Block:
    """A fenced block: where it stands, what it is, and the comment before it."""

    place: str
    language: str
    title: str | None
    text: str
    remark: str


def blocks(page: Path) -> Iterator[Block]:
    """Ports that a page names (18432) become free ones, so that two who read it at once do not meet."""
    text = page.read_text(encoding="utf-8")
    for port in sorted(set(_PORT.findall(text))):
        text = text.replace(port, _free_port())
    lines = iter(enumerate(text.splitlines(), start=1))
    remark = ""
    for number, line in lines:
        if found := _FENCE.match(line):
            body: list[str] = []
            for _, inner in lines:
                if inner == "```":
                    break
                body.append(inner)
            yield Block(f"{page.name}:{number}", found[1], found[2], "\n".join(body) + "\n", remark)
        if line.strip():
            remark = found[1] if (found := _REMARK.match(line)) else ""


def _free_port() -> str:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return str(listener.getsockname()[1])


@dataclass
class Command:
    """A command of a console block, the output that is shown, and how it ends."""

    text: str
    status: int = 0
    shown: list[str] = field(default_factory=list)

    @property
    def stays(self) -> bool:
        return self.text.endswith("&")


def commands(block: Block) -> list[Command]:
    found: list[Command] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            ends = _ENDS_WITH.search(line)
            found.append(Command(_ENDS_WITH.sub("", line[2:]), int(ends[1]) if ends else 0))
        elif found and found[-1].text.endswith("\\"):
            ends = _ENDS_WITH.search(line)
            found[-1].text += "\n" + _ENDS_WITH.sub("", line)
            found[-1].status = int(ends[1]) if ends else 0
        elif line.strip():
            assert found, f"{block.place}: expected a line that starts with '$ ', found {line!r}"
            found[-1].shown.append(line)
    return found


_TO_FILE = re.compile(r"(.*) > (\S+)")
_KEEPS_A_SHELL = re.compile(r".*&|(export|cd|kill) .*", re.DOTALL)


def plain_arguments(text: str) -> list[str] | None:
    """What follows `moot`, or None where the command is another or means something to a shell."""
    line = text.replace("\\\n", " ")
    if re.search(r"[|&;<>$`*?~#(){}\n\\]", _QUOTED.sub("", line)):
        return None
    program, *arguments = shlex.split(line)
    return arguments if program == "moot" else None


def missing_line(shown: Sequence[str], output: str) -> str | None:
    """The first line shown that the output does not have, in this order."""
    lines = iter(" ".join(line.split()) for line in output.splitlines())
    for line in shown:
        if line.strip() == "...":
            continue
        pattern = re.compile(".*".join(re.escape(" ".join(part.split())) for part in line.split("...")))
        if not any(pattern.search(each) for each in lines):
            return line
    return None


# --- running a page ---------------------------------------------------------------------------------------------------


@dataclass
class Reader:
    """Somebody who follows a page, in a folder of their own."""

    folder: Path
    notes: Path
    importable: Callable[[Path], None]
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})
    printed: str | None = None
    """By the block before, where it was Python."""
    environment: dict[str, str] = field(default_factory=dict)

    def follow(self, block: Block) -> None:
        if block.title is not None:
            path = self.folder / block.title
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.remark == "not run" or _weights_are_absent(block.remark):
            pass
        elif block.remark == "installs":
            self._install()
        elif block.language == "console":
            self._run(block)
        elif block.language == "python":
            self._execute(block)
        elif block.language == "text" and self.printed is not None:
            line = missing_line(block.text.splitlines(), self.printed)
            assert line is None, f"{block.place}: {line!r} is not in the output:\n{self.printed}"
            self.printed = None
        elif block.language == "yaml":
            _check_part(block)

    def _run(self, block: Block) -> None:
        """Plain commands in this process: importing everything again takes longer than most commands. What means
        something to a shell is given to one: all of the block where one command counts on another's."""
        listed = commands(block)
        if self.environment or any(_KEEPS_A_SHELL.fullmatch(command.text) for command in listed):
            self._run_in_a_shell(dict(enumerate(listed)))
        else:
            for number, command in enumerate(listed):
                to_file = _TO_FILE.fullmatch(command.text)
                arguments = plain_arguments(to_file[1] if to_file else command.text)
                if arguments is None:
                    self._run_in_a_shell({number: command})
                else:
                    self._run_here(number, arguments, to_file[2] if to_file else None)
        for number, command in enumerate(listed):
            output = (self.notes / f"{number}.out").read_text(encoding="utf-8")
            where = f"{block.place}: {command.text}"
            status = int((self.notes / f"{number}.status").read_text())
            assert status == command.status, f"{where} ended with {status}:\n{output}"
            line = missing_line(command.shown, output)
            assert line is None, f"{where}: {line!r} is not in the output:\n{output}"

    def _run_here(self, number: int, arguments: list[str], to_file: str | None) -> None:
        printed, written = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch, contextlib.chdir(self.folder):
            patch.delenv("FORCE_COLOR", raising=False)
            patch.setenv("COLUMNS", "100")
            patch.setenv("NO_COLOR", "1")
            with contextlib.redirect_stderr(printed), contextlib.redirect_stdout(written if to_file else printed):
                status = run_app(app, arguments)
            if to_file:
                Path(to_file).write_text(written.getvalue(), encoding="utf-8")
        (self.notes / f"{number}.out").write_text(printed.getvalue(), encoding="utf-8")
        (self.notes / f"{number}.status").write_text(str(status))

    def _run_in_a_shell(self, listed: Mapping[int, Command]) -> None:
        """All commands in one shell, so that a server started by one can serve the next and be stopped by the last."""
        script = []
        for number, command in listed.items():
            place = self.notes / f"{number}.out"
            place.write_text("")
            script.append(f"{{ {command.text}\n}} > {place} 2>&1; echo $? > {self.notes / f'{number}.status'}")
            if command.stays:
                script.append(f"for _ in $(seq 1200); do [ -s {place} ] && break; sleep 0.1; done")
            elif command.text.startswith("kill "):
                script.append("wait")
        self._bash("\n".join(script))

    def _bash(self, script: str) -> None:
        """Run it to its end, and then end whatever it left running."""
        environment = {name: value for name, value in os.environ.items() if name != "FORCE_COLOR"}
        environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment |= {"COLUMNS": "100", "NO_COLOR": "1", **self.environment}
        shell = subprocess.Popen(["bash", "-c", script], cwd=self.folder, env=environment, start_new_session=True)
        try:
            shell.wait(timeout=600)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(shell.pid, signal.SIGTERM)

    def _execute(self, block: Block) -> None:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.chdir(self.folder):
            exec(compile(block.text, block.place, "exec", dont_inherit=True), self.names)
        self.printed = printed.getvalue()

    def _install(self) -> None:
        """What `pip install -e .` would do, without it."""
        write_metadata(self.folder)
        self.environment["PYTHONPATH"] = str(self.folder)
        self.importable(self.folder)


def _weights_are_absent(remark: str) -> bool:
    needed = remark.removeprefix("needs: ")
    return needed != remark and not packaged.find(needed).there


def _check_part(block: Block) -> None:
    whole = {"name": "part", "models": {"any": {"provider": "simulated", "accuracy": 0.5}}}
    Experiment.model_validate({**whole, **yaml.safe_load(block.text)})


@pytest.mark.long
@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=pytest.mark.long if page.name in LONG_PAGES else ()) for page in PAGES],
    ids=list(map(name_of, PAGES)),
)
def test_a_page_does_what_it_says(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Reader(tmp_path / "folder", tmp_path / "notes", monkeypatch.syspath_prepend)
    reader.folder.mkdir()
    reader.notes.mkdir()
    listed = list(blocks(page))
    try:
        for block in listed:
            if block.remark == "installs":  # what it installs is written further down
                listed_files = (later for later in listed if later.title is not None)
                for written in listed_files:
                    reader.follow(written)
            reader.follow(block)
    finally:
        monkeypatch.undo()
        forget_plugins(reader.folder)


@pytest.mark.parametrize("page", [FRONT, *PAGES], ids=lambda page: str(page.relative_to(ROOT)))
def test_each_python_block_imports_what_it_uses(page: Path) -> None:
    """All of a page are run in one namespace, and whoever copies one of them has that one alone."""
    imported: set[str] = set()
    for block in blocks(page):
        if block.language != "python":
            continue
        own, used, made = _names_of(ast.parse(block.text))
        missing = sorted((used - own - made) & imported)
        assert not missing, f"{block.place} uses {', '.join(missing)} and does not import it"
        imported |= own


def _names_of(tree: ast.Module) -> tuple[set[str], set[str], set[str]]:
    """What a block imports, what it reads, and what it gives a value."""
    own = {
        each.asname or each.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for each in node.names
    }
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    used = {node.id for node in names if isinstance(node.ctx, ast.Load)}
    made = {node.id for node in names if not isinstance(node.ctx, ast.Load)}
    made |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    return own, used, made


@pytest.mark.parametrize("page", [FRONT, *PAGES], ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in _LINK.findall(page.read_text(encoding="utf-8")):
        if re.match(r"\w+:", target):
            continue
        if page == FRONT and target in MADE_APART and not (ROOT / target).exists():
            continue
        path, _, anchor = target.partition("#")
        goal = (page.parent / path).resolve() if path else page
        assert goal.exists(), f"{page.name}: {target} leads nowhere"
        assert not anchor or anchor in _anchors(goal), f"{page.name}: {target} has no such heading"


def _anchors(page: Path) -> set[str]:
    """Headings as GitHub names them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}


def test_the_front_page_shows_experiments_that_are_valid() -> None:
    shown = [block for block in blocks(FRONT) if block.language == "yaml"]
    assert shown, "the front page has an example"
    for block in shown:
        _check_part(block)


def test_the_index_names_every_page() -> None:
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    assert [page.name for page in PAGES if page.name != "README.md" and f"({page.name})" not in index] == []


# --- the help texts ---------------------------------------------------------------------------------------------------


def test_help_texts_are_up_to_date() -> None:
    page = DOCS / "commands.md"
    if UPDATE:
        page.write_text(help_page(), encoding="utf-8")
    assert page.read_text(encoding="utf-8") == help_page(), f"{page.name} is {STALE}"


def help_page() -> str:
    parts = ["# Every command\n\nWhat `moot COMMAND --help` says. A page about each: [README.md](README.md).\n"]
    for path in [(), *_paths(typer.main.get_command(app))]:
        said = CliRunner().invoke(app, [*path, "--help"], prog_name="moot", env={"COLUMNS": "80"})
        parts.append(f"## {' '.join(('moot', *path))}\n\n```text\n{said.output.strip()}\n```\n")
    return "\n".join(parts)


def _paths(command: Any, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, each in getattr(command, "commands", {}).items():
        yield (*above, name)
        yield from _paths(each, (*above, name))


# --- the tables -------------------------------------------------------------------------------------------------------

Rows = Mapping[str, Sequence[str]]
"""By key: the cells between it and the meaning."""


@dataclass(frozen=True)
class Source:
    """Where a kind of table comes from, and the page that has to have all of them."""

    page: str
    columns: tuple[str, ...]
    tables: Callable[[], Mapping[str, Rows]]


def form_tables(form: Any) -> dict[str, Rows]:
    schema = form.model_json_schema()
    forms = {form.__name__: schema, **schema["$defs"]}
    return {name: _form_rows(each) for name, each in forms.items()}


def _form_rows(form: Mapping[str, Any]) -> Rows:
    required = form.get("required", ())
    return {
        f"`{key}`": (_kind(each), "**required**" if key in required else _default(each))
        for key, each in form["properties"].items()
    }


def _default(form: Mapping[str, Any]) -> str:
    value = form.get("default")
    if value in (None, [], {}):
        return "–"
    if isinstance(value, dict):
        return "its defaults"
    if isinstance(value, float):
        return f"`{value:g}`"
    return f"`{value}`" if isinstance(value, str) else f"`{json.dumps(value)}`"


def _kind(form: Mapping[str, Any]) -> str:
    """A JSON Schema in words."""
    if "$ref" in form:
        return _link(form["$ref"])
    if "const" in form:
        return f"`{form['const']}`"
    if "enum" in form:
        return ", ".join(f"`{each}`" for each in form["enum"])
    if options := form.get("anyOf") or form.get("oneOf"):
        return " or ".join(dict.fromkeys(_kind(each) for each in options if each.get("type") != "null"))
    kind = form.get("type")
    if kind == "array":
        return f"list of {_kind(form.get('items', {}))}"
    if kind == "object":
        inner = form.get("additionalProperties")
        if isinstance(inner, Mapping):
            return f"name: {_kind(inner)}"
        patterns = form.get("patternProperties")
        return f"name: {_kind(next(iter(patterns.values())))}" if patterns else "any keys"
    words = {"string": "text", "integer": "whole number", "number": "number", "boolean": "`true`, `false`"}
    return words.get(str(kind), "anything") + _bounds(form)


def _bounds(form: Mapping[str, Any]) -> str:
    low, high = form.get("minimum"), form.get("maximum")
    if low == -(2**63):  # what a store can hold: nothing to tell
        return ""
    above, below = form.get("exclusiveMinimum"), form.get("exclusiveMaximum")
    if low is not None and high is not None:
        return f", {low:g} to {high:g}"
    if above is not None and below is not None:
        return f", between {above:g} and {below:g}"
    if low is not None:
        return f", {low:g} or more"
    return f", more than {above:g}" if above is not None else ""


def _link(reference: str) -> str:
    name = re.sub(r"(Spec|Config|Parameters)$", "", reference.rsplit("/", 1)[-1]).lower()
    return f"[{name}](#{name})"


def store_tables() -> dict[str, Rows]:
    words = {"VARCHAR": "text", "TEXT": "text", "FLOAT": "number", "INTEGER": "whole number"}
    return {
        name: {f"`{column.name}`": (words[str(column.type)],) for column in table.columns}
        for name, table in store_schema.metadata.tables.items()
    }


def simulate_tables() -> dict[str, Any]:
    """How questions are named stands on the page of the experiment file."""
    return {
        name: rows for name, rows in form_tables(SimulateConfig).items() if name not in ("QuestionsSpec", "ColumnsSpec")
    }


SOURCES = {
    "experiment": Source("experiment-file.md", ("key", "type", "default"), lambda: form_tables(Experiment)),
    "simulate": Source("simulate.md", ("key", "type", "default"), simulate_tables),
    "store": Source("store.md", ("column", "type"), store_tables),
    "questions": Source("questions.md", ("key",), lambda: {"fields": {f"`{key}`": () for key in KEYS}}),
}


@pytest.mark.parametrize("kind", SOURCES)
def test_tables_are_up_to_date(kind: str) -> None:
    source = SOURCES[kind]
    page = DOCS / source.page
    lines = page.read_text(encoding="utf-8").splitlines()
    wanted = dict(source.tables())
    fresh: list[str] = []
    inside = False
    for number, line in enumerate(lines):
        inside = inside and line.startswith("|")
        if not inside:
            fresh.append(line)
        if found := re.fullmatch(rf"<!-- table: {kind} (\w+) -->", line):
            assert found[1] in wanted, f"{page.name}: there is no {found[1]} any more"
            fresh += _table(source, wanted.pop(found[1]), _meanings(lines[number + 1 :]))
            inside = True
    for name, rows in wanted.items():  # new since the page was written
        fresh += ["", f"### {name}", "", f"<!-- table: {kind} {name} -->", *_table(source, rows, {})]
    if UPDATE:
        page.write_text("\n".join(fresh) + "\n", encoding="utf-8")
        lines = fresh
    assert lines == fresh, f"{page.name} is {STALE}"
    unsaid = [line for line in fresh if line.startswith("|") and line.endswith("| |")]
    assert unsaid == [], f"{page.name} does not say what these mean"


def _meanings(lines: Sequence[str]) -> dict[str, str]:
    """What the last column says of each key; a bar inside a cell is written as \\|."""
    found = {}
    for line in lines:
        if not line.startswith("|"):
            break
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        found[cells[0]] = cells[-1]
    return found


def _table(source: Source, rows: Rows, meanings: Mapping[str, str]) -> list[str]:
    head = [*source.columns, "meaning"]
    body = [(key, *cells, meanings.get(key, "")) for key, cells in rows.items()]
    return [_row(head), _row(["---"] * len(head)), *map(_row, body)]


def _row(cells: Sequence[str]) -> str:
    return "|" + "".join(f" {cell} |" if cell else " |" for cell in cells)


# --- the examples -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("example", EXAMPLES, ids=name_of)
def test_an_example_builds(example: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = read_experiment(example)
    for model in file.spec.models.values():
        if getattr(model, "provider", None) == "local" and not _is_here(model.model):  # type: ignore[union-attr]
            pytest.skip(f"the weights of {model.model} are not here")  # type: ignore[union-attr]
        if variable := getattr(model, "api_key_env", None):
            monkeypatch.setenv(variable, "a key for the test")
    assert build(file).episodes > 0


@cache
def _is_here(model: str) -> bool:
    return model.endswith(".gguf") or packaged.find(model).there
