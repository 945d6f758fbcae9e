"""A run with nothing left to do: it is told without loading what plays, and only while nothing has changed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from beside import in_a_thread
from workbooks import workbook

from moot.cli import settled
from moot.simulate.server import running

LOADED_FOR_PLAY = {
    *("aiohttp", "jinja2", "json_repair", "jsonschema", "numpy", "pymorphy3", "sqlalchemy", "starlette", "uvicorn"),
    *("uvloop", "xllamacpp", "yaml"),
}
"""Nothing of it is needed to say that all is there. Typer loads pydantic, to look at what was typed."""
OURS = {"moot.engine", "moot.experiment", "moot.grade", "moot.measures", "moot.report", "moot.store", "moot.strategies"}
COMMAND = """
import json, sys
{before}
from moot.cli import main
sys.argv = ["moot", *{arguments!r}]
try:
    main()
except SystemExit as stop:
    print(json.dumps([stop.code or 0, sorted(sys.modules)]), file=sys.stderr)
"""
FILE = """
name: cup
questions: {file: q.csv}
models:
  ann: {provider: simulated, accuracy: 0.7}
  bob: {provider: simulated, accuracy: 0.6}
strategies: [solo, vote]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cache").mkdir()
    work = tmp_path / "work"
    work.mkdir()
    (work / "cup.yaml").write_text(FILE, encoding="utf-8")
    rows = "".join(f"Which is number {number}?,word{number}\n" for number in range(4))
    (work / "q.csv").write_text(f"question,answer\n{rows}", encoding="utf-8")
    return work


def typed(folder: Path, *arguments: str, before: str = "", **variables: str) -> tuple[list[str], set[str]]:
    """The lines that it told, those on stderr first, and the modules that were loaded."""
    cache = {"MOOT_CACHE": str(folder.parent / "cache")}
    done = subprocess.run(
        [sys.executable, "-P", "-c", COMMAND.format(arguments=arguments, before=before)],
        cwd=folder,
        env={**os.environ, **cache, **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    code, modules = json.loads(done.stderr.splitlines()[-1])
    assert code == 0, done.stderr[:400]
    return [*done.stderr.splitlines()[:-1], *done.stdout.splitlines()], set(modules)


def at_once(modules: set[str]) -> bool:
    return "moot.cli.run" not in modules


def test_nothing_to_do_loads_nothing_that_plays(folder: Path) -> None:
    typed(folder, "run", "cup.yaml")
    lines, modules = typed(folder, "run", "cup.yaml")
    assert not LOADED_FOR_PLAY & {name.partition(".")[0] for name in modules}
    assert not OURS & modules
    assert len(modules) < 500
    looked_up, all_modules = typed(folder, "run", "cup.yaml", MOOT_CACHE=str(folder.parent / "empty"))
    assert not at_once(all_modules)
    assert lines == looked_up
    assert lines[0] == "nothing to do: all 12 episodes are done"
    assert len(lines) <= 3


def test_a_quiet_run_with_nothing_to_do_is_as_quick_and_leaves_the_next_one_quick(folder: Path) -> None:
    typed(folder, "run", "cup.yaml", "--quiet")
    said, modules = typed(folder, "run", "cup.yaml", "--quiet")
    assert not at_once(modules), "the first has found nothing new: it is what can be told"
    assert said == []
    said, modules = typed(folder, "run", "cup.yaml", "--quiet")
    assert at_once(modules)
    assert said == []
    lines, modules = typed(folder, "run", "cup.yaml")
    assert at_once(modules), "told by a quiet one"
    assert lines[0] == "nothing to do: all 12 episodes are done"
    looked_up, _ = typed(folder, "run", "cup.yaml", MOOT_CACHE=str(folder.parent / "empty"))
    assert lines == looked_up


def on_the_path(folder: Path) -> dict[str, str]:
    """As `python -m moot` has it: modules are looked for where it is typed."""
    return {"PYTHONPATH": os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), str(folder))))}


def test_what_nobody_read_changes_nothing(folder: Path) -> None:
    path = on_the_path(folder)
    typed(folder, "run", "cup.yaml", **path)
    (folder / "out.txt").write_text("as of `moot run cup.yaml > out.txt`", encoding="utf-8")
    (folder / "report.html").write_text("a page", encoding="utf-8")
    (folder / "other.yaml").write_text("another experiment", encoding="utf-8")
    (folder / "Makefile").write_text("all:", encoding="utf-8")
    lines, modules = typed(folder, "run", "cup.yaml", **path, OF_ANOTHER_PROGRAM="1", NO_COLOR="1")
    assert at_once(modules), "the first run has told the second, whatever stands beside it"
    assert lines[1].startswith("vote: ")
    narrow, modules = typed(folder, "run", "cup.yaml", **path, COLUMNS="24")
    assert at_once(modules)
    assert lines[1].startswith(narrow[1]), "a screen of another width shows as much as fits"
    assert len(narrow[1]) < len(lines[1])
    again, _ = typed(folder, "run", "cup.yaml", **path, COLUMNS="24", MOOT_CACHE=str(folder.parent / "empty"))
    assert narrow == again


PROMPT = '{{ question }} Reply as JSON: {"answer": "..."}'
NO_MODULE = "raise SystemExit('who is looked for first')"
CHANGES = {
    "a question": ("q.csv", "question,answer\nWhich is number 0?,word0\nWhich is the last?,last\n"),
    "a prompt": ("wording/draft.j2", f"Please. {PROMPT}"),
    "a prompt that was not there": ("wording/instructions/kind.j2", "Be kind."),
    "a document that is looked for": ("notes/second.md", "Number 7 is word7."),
    "a module that is looked for": ("some_module.py", NO_MODULE),
}


def test_what_was_read_or_would_be_is_looked_up_when_it_changes(folder: Path) -> None:
    for name, text in {
        "cup.yaml": FILE.replace("{file: q.csv}", "{file: q.csv, documents: notes}") + "prompts: wording\n",
        "notes/first.md": "Number 1 is word1.",
        "wording/draft.j2": PROMPT,
    }.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    path = on_the_path(folder)
    typed(folder, "run", "cup.yaml", **path)
    for what, (name, text) in CHANGES.items():
        assert at_once(typed(folder, "run", "cup.yaml", **path)[1]), f"before {what}"
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
        assert not at_once(typed(folder, "run", "cup.yaml", **path)[1]), what
    newer = "import moot; moot.__version__ = '99'"
    assert at_once(typed(folder, "run", "cup.yaml", **path)[1])
    assert not at_once(typed(folder, "run", "cup.yaml", before=newer, **path)[1]), "another moot looks for itself"


def test_another_question_is_played(folder: Path) -> None:
    typed(folder, "run", "cup.yaml")
    with (folder / "q.csv").open("a", encoding="utf-8") as file:
        file.write("Which is the last?,last\n")
    lines, modules = typed(folder, "run", "cup.yaml")
    assert not at_once(modules)
    assert "cup: 5 questions" in lines


def test_a_store_that_was_written_to_is_looked_up(folder: Path) -> None:
    typed(folder, "run", "cup.yaml")
    typed(folder, "run", "cup.yaml", "--limit", "2")
    lines, modules = typed(folder, "run", "cup.yaml")
    assert lines[0] == "nothing to do: all 12 episodes are done"
    assert not at_once(modules)
    assert at_once(typed(folder, "run", "cup.yaml")[1])


STORE = """
import asyncio, os, sqlite3, sys, time
from contextlib import closing
from pathlib import Path
from moot.cli import heard, settled
from moot.store.as_read import StoreAsRead
from moot.store.sqlite import SqliteStore

def store_read(path, before=None, after=None):
    async def look():
        store = SqliteStore(Path(path))
        await store.open()
        if before: before(store)
        read = await StoreAsRead.of(store)
        await store.close()
        if after: after()
        return read
    return asyncio.run(look())

def by_another(path="cup.db"):
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("CREATE TABLE IF NOT EXISTS other_words (word)")
        other.execute("INSERT INTO other_words VALUES (1)")

for name in ("read.txt", "moved.txt"):
    Path(name).write_text("a")
Path("looked").mkdir()
Path("looked/one").write_text("a")
store_read("cup.db").close()
ALL = ("all is there",)
rerun = settled.Rerun(Path("cup.yaml"), None, None)

def told():
    return rerun.told_before(80)

def keep(read):
    rerun.keep([ALL], read)
"""
WITNESS = f"""{STORE}
time.sleep(0.02)
heard.listen()

def look():
    Path("read.txt").read_text()
    os.listdir("looked")
    Path("absent.txt").exists() or Path("cup.yaml").read_text()
    os.environ.get("A_KEY")

def kept():
    keep(store_read("cup.db"))
    return told()

def said(problem):
    assert told() is None, problem

look()
assert kept() == ALL
Path("cup.db-wal").write_text("more")
said("somebody writes to the store")
Path("cup.db-wal").unlink()
assert told() == ALL
os.environ["A_KEY"] = "x"
said("a variable that was asked for is there now")
del os.environ["A_KEY"]
os.environ["ANOTHER"] = "x"
assert told() == ALL, "nobody asked for that one"
home, os.environ["HOME"] = os.environ["HOME"], "/elsewhere"
said("the home is another, and paths may go by it")
os.environ["HOME"] = home
assert told() == ALL
assert settled.Rerun(Path("cup.yaml"), None, 2).told_before(80) is None
Path("beside.txt").write_text("b")
assert told() == ALL, "nobody looked through its folder"
Path("looked/two").write_text("b")
said("a folder that was looked through has another file")
Path("looked/two").unlink()
assert told() == ALL
before = os.stat("read.txt")
Path("read.txt").write_text("b")
os.utime("read.txt", ns=(before.st_atime_ns, before.st_mtime_ns))
said("a file is another, though it says that it was written when the old one was")
place = next((Path(os.environ["MOOT_CACHE"]) / "settled").iterdir())
place.write_text("[" * 100_000)
said("what was kept cannot be read")
by_another()
said("the store is another")
assert kept() is None, "the folder was touched while it ran: it may have been read before"
"""
MEANWHILE = """
{store}
Path("real/a").mkdir(parents=True)
Path("real/b").mkdir()
for folder in "ab":
    Path("real", folder, "words.txt").write_text(folder)
Path("folder").symlink_to("real/a")
Path("words.txt").symlink_to("real/a/words.txt")
time.sleep(0.02)
heard.listen()
Path("read.txt").read_text()
time.sleep(0.02)
read = None
{meanwhile}
keep(read or store_read("cup.db"))
assert (told() is not None) is {told}
"""
TURNED = """
def turn(link, to):
    Path(link).unlink()
    Path(link).symlink_to(to)

turn("{link}", "{to}")
Path("{link}/words.txt" if Path("{link}").is_dir() else "{link}").read_text()
turn("{link}", "{back}")
"""


def run_code(folder: Path, code: str) -> None:
    env = {**os.environ, "MOOT_CACHE": str(folder.parent / "cache")}
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=folder, env=env, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr


def test_whatever_was_looked_at_and_is_another_now_is_noticed(folder: Path) -> None:
    run_code(folder, WITNESS)


@pytest.mark.parametrize(
    ("meanwhile", "told"),
    [
        ("pass", True),
        ("read = store_read('cup.db', before=lambda store: store._raw.execute('CREATE TABLE own (word)'))", True),
        ("by_another()", True),  # before it was opened
        (
            "read = store_read('cup.db', before=lambda store: by_another())",
            False,
        ),  # before or after the figures were read
        ("read = store_read('cup.db', after=by_another)", False),
        (
            "other = sqlite3.connect('cup.db'); other.execute('SELECT * FROM calls').fetchall()",
            False,
        ),  # who has it open
        ("Path('read.txt').write_text('b')", False),  # somebody edits the questions while they are played
        ("import subprocess; subprocess.run(['true'])", False),
        ("import socket; socket.getaddrinfo('localhost', 80)", False),
        ("import socket\nwith heard.only_played(): socket.getaddrinfo('localhost', 80)", True),
        (TURNED.format(link="folder", to="real/b", back="real/a"), False),
        (TURNED.format(link="words.txt", to="real/b/words.txt", back="real/a/words.txt"), False),
    ],
)
def test_what_may_have_been_another_while_it_ran_is_not_kept(folder: Path, meanwhile: str, told: bool) -> None:
    run_code(folder, MEANWHILE.format(store=STORE, meanwhile=meanwhile, told=told))


LINKS = {
    "its own": ("cup.db", "a.db", "b.db", "cup.db"),
    "of a folder": ("data", "a", "b", "data/x.db"),
    "to a link": ("second", "a.db", "b.db", "cup.db"),
    "up again": ("data", "deep/a", "other/b", "data/../x.db"),
}


@pytest.mark.parametrize(("link", "one", "another", "store"), LINKS.values(), ids=LINKS)
def test_a_link_on_the_way_to_the_store_that_was_turned_is_noticed(
    folder: Path, link: str, one: str, another: str, store: str
) -> None:
    for place in (one, another):
        (folder / place if "." not in place else folder).mkdir(parents=True, exist_ok=True)
    (folder / link).symlink_to(one)
    if link == "second":
        (folder / "cup.db").symlink_to("second")
    (folder / "cup.yaml").write_text(f"{FILE}store: sqlite:///{store}\n", encoding="utf-8")
    typed(folder, "run", "cup.yaml")
    assert at_once(typed(folder, "run", "cup.yaml")[1])
    (folder / link).unlink()
    (folder / link).symlink_to(another)
    lines, modules = typed(folder, "run", "cup.yaml")
    assert not at_once(modules)
    assert "cup: 4 questions" in lines, "played anew, since there is no store at the other place"


SHARED_MEMORY = Path("/dev/shm")


@pytest.mark.skipif(not os.access(SHARED_MEMORY, os.W_OK), reason="no files in shared memory here")
@pytest.mark.parametrize("gone", [False, True])
def test_files_are_known_by_what_they_are_and_not_by_where(folder: Path, gone: bool) -> None:
    with TemporaryDirectory(dir=SHARED_MEMORY) as elsewhere:
        questions = Path(elsewhere) / "q.csv"
        shutil.copy(folder / "q.csv", questions)
        file = folder / "cup.yaml"
        file.write_text(file.read_text(encoding="utf-8").replace("q.csv", str(questions)), encoding="utf-8")
        for _ in range(2):
            typed(folder, "run", "cup.yaml")
        told, modules = typed(folder, "run", "cup.yaml")
        assert not modules & OURS, "nothing has changed"
        if gone:
            questions.unlink()
            with pytest.raises(AssertionError, match=r"q\.csv"):
                typed(folder, "run", "cup.yaml")
            return
        questions.write_text(questions.read_text(encoding="utf-8") + "Which one more?,another\n", encoding="utf-8")
        assert typed(folder, "run", "cup.yaml")[0] != told


def test_what_the_system_tells_of_itself_is_not_remembered(tmp_path: Path) -> None:
    assert settled._can_be_marked(str(tmp_path))
    assert settled._can_be_marked(str(tmp_path / "nothing"))
    assert not settled._can_be_marked(os.devnull)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert not settled._can_be_marked(str(pipe))
    for path in ("/proc/cpuinfo", "/proc/self", "/sys/devices"):
        if os.path.exists(path):
            assert not settled._can_be_marked(path), path


def test_questions_in_the_home_are_those_of_this_home(folder: Path) -> None:
    (folder / "cup.yaml").write_text(FILE.replace("q.csv", "~/q.csv"), encoding="utf-8")
    for home, last in (("one", "A"), ("two", "B")):
        (folder.parent / home).mkdir()
        rows = f"question,answer\nWhich is first?,a\nWhich is {last}?,b\n"
        (folder.parent / home / "q.csv").write_text(rows, encoding="utf-8")
    typed(folder, "run", "cup.yaml", HOME=str(folder.parent / "one"))
    lines, modules = typed(folder, "run", "cup.yaml", HOME=str(folder.parent / "two"))
    assert not at_once(modules)
    assert "cup: 2 questions" in lines


def test_whoever_was_asked_by_the_play_is_not_asked_again(folder: Path) -> None:
    with in_a_thread(running({"models": {"ann": {"accuracy": 0.5}}})) as server:
        endpoint = f"{{provider: endpoint, base_url: '{server.base_url}', model: ann, params: {{max_tokens: 99}}}}"
        (folder / "cup.yaml").write_text(
            FILE.replace("{provider: simulated, accuracy: 0.7}", endpoint), encoding="utf-8"
        )
        typed(folder, "run", "cup.yaml")
    lines, modules = typed(folder, "run", "cup.yaml")
    assert at_once(modules), "the first run has told the second what there is"
    assert lines[0] == "nothing to do: all 12 episodes are done"


def test_a_judge_who_has_said_all_is_not_asked_again(folder: Path) -> None:
    rows = [{"model": "ann", "question_id": str(row), "answer": f"word{row - 1}, I think"} for row in range(1, 5)]
    (folder / "said.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    with in_a_thread(running({"models": {"eve": {"accuracy": 1}}})) as server:
        judge = {"provider": "endpoint", "base_url": server.base_url, "model": "eve"}
        keys = {
            "name": "cup",
            "questions": {"file": "q.csv"},
            "models": {"ann": {"provider": "recorded", "file": "said.jsonl", "model": "ann"}, "eve": judge},
            "players": {"ann": {"model": "ann"}},
            "strategies": ["solo"],
            "judge": {"models": ["eve"]},
        }
        (folder / "cup.yaml").write_text(json.dumps(keys), encoding="utf-8")
        typed(folder, "run", "cup.yaml")
        asked = len(server.log())
        assert asked == 4
        told, modules = typed(folder, "run", "cup.yaml")
        assert at_once(modules)
        assert told == typed(folder, "run", "cup.yaml", MOOT_CACHE=str(folder.parent / "empty"))[0]
        assert len(server.log()) == asked, "who looks it up asks nobody either"


def test_a_spreadsheet_is_read_by_a_process_of_our_own(folder: Path) -> None:
    pytest.importorskip("python_calamine")
    (folder / "cup.yaml").write_text(FILE.replace("q.csv", "q.xlsx"), encoding="utf-8")

    header, first = ["question", "answer"], ["Which is first?", "a"]
    workbook(folder / "q.xlsx", {"Cup": [header, first, ["Which is last?", "b"]]})
    typed(folder, "run", "cup.yaml")
    assert at_once(typed(folder, "run", "cup.yaml")[1])
    workbook(folder / "q.xlsx", {"Cup": [header, first, ["Which is last?", "c"]]})
    assert not at_once(typed(folder, "run", "cup.yaml")[1])


def test_a_file_that_is_not_read_by_python_is_noticed(folder: Path) -> None:
    polars = pytest.importorskip("polars")
    (folder / "cup.yaml").write_text(FILE.replace("q.csv", "q.parquet"), encoding="utf-8")
    rows = {"question": [f"Which is number {number}?" for number in range(4)], "answer": list("abcd")}
    polars.DataFrame(rows).write_parquet(folder / "q.parquet")
    typed(folder, "run", "cup.yaml")
    assert at_once(typed(folder, "run", "cup.yaml")[1])
    polars.DataFrame({**rows, "answer": list("abce")}).write_parquet(folder / "q.parquet")
    assert not at_once(typed(folder, "run", "cup.yaml")[1])
