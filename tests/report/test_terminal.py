"""The report in a terminal: every section there where there is something to say, and all of it within 80 columns."""

from __future__ import annotations

import asyncio
import base64
import gzip
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import pytest
from rich.cells import cell_len
from rich.console import Console
from sqlalchemy import Connection

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.engine.runner import Runner
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.measures.section import Chart, Column, Section
from moot.measures.source import Source
from moot.models.scripted import Script, ScriptedModel
from moot.needs import Needs
from moot.report.figures import Figures, figures, find_experiment
from moot.report.page import page_html, read_run
from moot.report.remarks import remarks
from moot.report.sections import all_sections
from moot.report.story import stories
from moot.report.terminal import LONG, print_report, print_sections
from moot.simulate.prompt_reading import read_shown
from moot.store.statements import Row
from moot.types import Request

T = TypeVar("T")

SIX = {"ann": 0.6, "bob": 0.5, "cat": 0.4, "dan": 0.3, "eve": 0.3, "a-player-with-a-rather-long-name": 0.2}
STRATEGIES = ["solo", "vote", "silent", "talkative", {"adaptive": {"talk_from": 4}}]
TITLES = (
    "by captain: right",
    "Skyline (at least one of 6 players right)",
    "Best single player",
    "Share of the gap",
    "Gain over the captain alone",
    "Captains and their own drafts",
    "By the number of different answers",
    "Beside people",
    "Learnt: talk from",
    "How far can you trust an answer?",
)


def write(folder: Path, count: int, **more: Any) -> Path:
    lines = [
        {"id": f"q{n}", "text": f"Who is number {n}?", "answer": f"Person {n}", "human": {"solved": n % 7, "asked": 7}}
        for n in range(count)
    ]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    models = {name: {"provider": "simulated", "accuracy": share, "refuse": 0.1} for name, share in SIX.items()}
    spec = {
        "name": "cup",
        "questions": {"file": "questions.jsonl"},
        "models": models,
        "teams": {"six": {"players": list(models), "captain": "each"}},
        "strategies": STRATEGIES,
        **more,
    }
    path = folder / "cup.yaml"
    path.write_text(json.dumps(spec), encoding="utf-8")
    return path


Scripts = dict[str, Callable[[Request], Script]]


async def run(path: Path, scripts: Scripts | None = None) -> tuple[Figures, list[str]]:
    return await played(path, scripts, lambda *run: (figures(*run), stories(*run)))


async def stories_of(path: Path, scripts: Scripts | None = None) -> list[str]:
    return await played(path, scripts, stories)


async def played(path: Path, scripts: Scripts | None, read: Callable[[Connection, Row], T]) -> T:
    plan = build(read_experiment(path))
    if scripts:
        scripted = {name: replace(plan.models[name], model=ScriptedModel(name, each)) for name, each in scripts.items()}
        plan = replace(plan, models={**plan.models, **scripted})
    store = await plan.store().open()
    try:
        await Runner(plan, store).run()
        return await store.run(lambda connection: read(connection, find_experiment(connection)))
    finally:
        await store.close()


def printed(shown: Figures, width: int = 80) -> str:
    console = Console(width=width, record=True, file=io.StringIO())
    print_report(shown, console)
    return console.export_text()


def widest(text: str) -> int:
    return max(cell_len(line.rstrip()) for line in text.splitlines())


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Figures:
    """The six in every strategy, on twenty questions: played once."""
    shown, _ = asyncio.run(run(write(tmp_path_factory.mktemp("cup"), 20)))
    return shown


@pytest.fixture(scope="module")
def whole(cup: Figures) -> str:
    """All of it in 80 columns, printed once."""
    return printed(cup)


@pytest.mark.long
def test_every_section_is_there_and_fits(cup: Figures, whole: str) -> None:
    shown, text = cup, whole
    for title in TITLES:
        assert title in text, title
    assert widest(text) <= 80
    heads = [line.split() for line in text.splitlines() if line.split()[:1] == ["strategy"]]
    assert heads[0][:2] == ["strategy", "who"], "no column is squeezed"
    assert heads[0][-3:] == ["n", "calls", "$/1,000"]
    assert len(heads) == 9, "accuracy, outcomes, gap, gains, own drafts, people, trust in two parts, and its score"
    for name in ("ann", "bob", "adaptive(talk_from=4)", "a-player-with-"):
        assert name in text
    single = next(row for row in shown["players"] if row["player"] == "ann")
    row = next(line for line in text.splitlines() if line.split()[:1] == ["ann"])
    assert f"{100 * single['value']:.1f} (" in row


@pytest.mark.parametrize("width", [60, 80, 120])
async def test_no_line_is_longer_than_the_terminal_is_wide(tmp_path: Path, width: int) -> None:
    shown, _ = await run(write(tmp_path, 6, strategies=["solo", {"adaptive": {"talk_from": 12}}]))
    assert widest(printed(shown, width)) <= width


def test_all_is_all_that_a_section_by_its_name_is(cup: Figures, whole: str) -> None:
    """Whatever `--section` prints stands in `--all`, line by line, in the order of the page."""
    sections = all_sections(cup)
    rare = {"frontier", "comparisons", "power", "runs", "prompts", "position-places", "brier", "reliability", "surest"}
    assert rare <= {section.id for section in sections}
    begins = 0
    for section in sections:
        found = whole.find(own(cup, section).strip()[:400] if len(section.rows) <= LONG else section.title, begins)
        assert found >= begins, section.id
        begins = found


def own(shown: Figures, section: Section) -> str:
    """What `--section` prints."""
    console = Console(width=80, record=True, file=io.StringIO())
    print_sections(shown, console, [section.id])
    return console.export_text()


def test_by_its_name_a_section_is_printed_however_long_it_is(cup: Figures, whole: str) -> None:
    section = min((each for each in all_sections(cup) if len(each.rows) > LONG), key=lambda each: len(each.rows))
    told = f"{section.title}: {len(section.rows):,} rows (--section {section.id},"
    assert told in " ".join(whole.split())
    assert len(own(cup, section).splitlines()) > len(section.rows)


def test_what_was_not_answered_stands_below(cup: Figures, whole: str) -> None:
    shown, text = cup, whole
    below = text[text.index("Undecided or not answered") :]
    refused = [
        row["outcomes"]["refused"] for row in shown["accuracy"] if row.get("player") and "refused" in row["outcomes"]
    ]
    assert refused
    assert all(f"{count} refused" in below for count in refused)
    assert "not answered" not in text[: text.index("Undecided or not answered")]


def test_few_questions_say_so(whole: str) -> None:
    assert "20 questions prove nothing" in whole


async def test_players_alone_have_a_table_and_nothing_more(tmp_path: Path) -> None:
    shown, told = await run(write(tmp_path, 5, strategies=["solo"]))
    text = printed(shown)
    assert not any(title in text for title in TITLES)
    assert told == []


def test_ungraded_answers_are_said_with_their_bounds() -> None:
    row = {
        "label": "vote", "strategy": "vote", "team": "six", "captain": "ann", "value": 0.4, "low": 0.3, "high": 0.5,
        "n": 50, "outcomes": {"answered": 50}, "missing": 0, "ungraded": 5, "disputed": 2, "calls": 1, "cost_usd": None,
        "bounds": {"low": 0.4, "high": 0.5},
    }  # fmt: skip
    shown = {"experiment": "cup", "questions": 50, "accuracy": [row], "simulated": [], "failures": []}
    assert remarks(shown) == ["vote@ann: 5 ungraded, 2 of them disputed; right lies between 40.0 % and 50.0 %."]
    assert "5 ungraded" in printed(shown)


@dataclass(frozen=True)
class Loudness:
    """A measure that no view has ever heard of."""

    name: ClassVar[str] = "loudness"
    needs: ClassVar[Needs] = Needs()

    def figures(self, run: Source) -> dict[str, Any]:
        return {"loudness": [{"who": player, "decibels": 60.0 + place} for place, player in enumerate(("ann", "bob"))]}

    def sections(self, figures: Mapping[str, Any]) -> Iterator[Section]:
        columns = (Column("who", "player"), Column("decibels", "loudness", "number"))
        chart = Chart("dots", "decibels", "who", label="who")
        yield Section("loudness", "How loud they are", ("Bob is louder.",), columns, figures.get("loudness", ()), chart)


async def test_a_measure_from_elsewhere_is_drawn_as_any_other(tmp_path: Path) -> None:
    """Given as an object: its figures, its table in the terminal, its chart on the page, and nothing else touched."""
    path = write(tmp_path, 3, strategies=["solo"])
    await run(path)
    store = await build(read_experiment(path)).store().open()
    try:
        page = await store.read(
            lambda connection: read_run(connection, find_experiment(connection, "cup"), given=[Loudness()])
        )
    finally:
        await store.close()
    (section,) = (section for section in page.sections if section.id == "loudness")
    assert section.chart is not None
    assert section in all_sections(page.figures, given=[Loudness()])
    assert "loudness" not in {each.id for each in all_sections(page.figures)}
    console = Console(width=80, record=True, file=io.StringIO())
    print_report(dict(page.figures), console, given=[Loudness()])
    text = console.export_text()
    assert "How loud they are" in text
    assert ["bob", "61.00"] in [line.split() for line in text.splitlines()]
    assert "Bob is louder." in text
    html = page_html(page.figures, page.sections, page.questions)
    (packed_index,) = re.findall(r'id="index">([^<]*)<', html)
    (index,) = json.loads(gzip.decompress(base64.b64decode(packed_index)))["runs"]
    (drawn,) = (each for each in index["sections"] if each["id"] == "loudness")
    assert drawn["chart"]["kind"] == "dots"
    assert [row["decibels"] for row in drawn["rows"]] == [60.0, 61.0]


# --- stories ------------------------------------------------------------------------------------------------------------


def three(said: dict[str, list[str]], word: list[str]) -> dict[str, Callable[[Request], Script]]:
    def reply(player: str) -> Callable[[Request], Script]:
        def script(request: Request) -> Script:
            number = int(str(request.question_id)[1:])
            captain = bool(read_shown(request.messages))
            text = word[number] if captain else said[player][number]
            return {"reasoning": "They [bold]convinced[/bold] me.", "answer": text} if text else "Nothing."

        return script

    return {player: reply(player) for player in said}


async def test_a_rescue_a_regression_and_a_split_team_are_told(tmp_path: Path) -> None:
    said = {
        "ann": ["Bob", "Person 1", "Zoe", "Person 3"],
        "bob": ["Person 0", "Yan", "Yan", "Person 3"],
        "cat": ["Person 0", "", "Xia", "Person 3"],
    }
    scripts = three(said, ["person 0", "yan", "Zoe", "Person 3"])
    teams = {"three": {"players": list(said), "captain": "ann"}}
    models = {name: {"provider": "simulated", "accuracy": 0.5} for name in said}
    path = write(tmp_path, 4, models=models, teams=teams, strategies=["vote", "silent"])
    told = await stories_of(path, scripts)
    rescue, regression, split = told
    assert rescue.splitlines() == [
        "A rescue (silent@ann, question q0): Who is number 0?",
        "bob and cat said “Person 0”; ann said “Bob”: 2 different answers.",
        "The captain ann, alone for “Bob” (wrong), read what all had said and settled on “person 0”.",
        "Its reason: “They [bold]convinced[/bold] me.”",
        "That is right: the answer is “Person 0”.",
    ]
    assert regression.splitlines()[0].startswith("A regression (silent@ann, question q1)")
    assert "cat gave no answer." in regression.splitlines()
    assert "That is wrong: the answer is “Person 1”." in regression
    assert split.splitlines()[0].startswith("A split team")
    assert "3 different answers" in split
    assert all(4 <= len(story.splitlines()) <= 8 for story in told)
    assert await stories_of(path, scripts) == told, "the same store tells the same stories"


async def test_a_vote_is_told_as_a_vote(tmp_path: Path) -> None:
    said = {"ann": ["Bob"], "bob": ["Person 0"], "cat": ["Person 0"]}
    models = {name: {"provider": "simulated", "accuracy": 0.5} for name in said}
    teams = {"three": {"players": list(said), "captain": "ann"}}
    path = write(tmp_path, 1, models=models, teams=teams, strategies=["vote"])
    (story,) = await stories_of(path, three(said, [""]))
    assert story.splitlines()[0] == "A right answer that won (vote@ann, question q0): Who is number 0?"
    assert "2 voices of 3 won the vote: “Person 0”." in story


async def test_a_lost_tie_is_no_lost_vote(tmp_path: Path) -> None:
    """Three answers with a voice each: nobody outvoted the right one."""
    said = {"ann": ["Bob"], "bob": ["Person 0"], "cat": ["Yan"]}
    models = {name: {"provider": "simulated", "accuracy": 0.5} for name in said}
    teams = {"three": {"players": list(said), "captain": "ann"}}
    path = write(tmp_path, 1, models=models, teams=teams, strategies=["vote"])
    told = await stories_of(path, three(said, [""]))
    assert [story.split(" (")[0] for story in told] == ["A right answer that lost a tie"]


async def test_no_draft_stands_above_the_others_in_a_vote(tmp_path: Path) -> None:
    """Whoever breaks ties is rescued from nothing and led astray by nobody: q0 goes against ann, q1 with her."""
    said = {"ann": ["Bob", "Yan"], "bob": ["Person 0", "Yan"], "cat": ["Person 0", "Person 1"]}
    models = {name: {"provider": "simulated", "accuracy": 0.5} for name in said}
    for captain in said:
        folder = tmp_path / captain
        folder.mkdir()
        teams = {"three": {"players": list(said), "captain": captain}}
        path = write(folder, 2, models=models, teams=teams, strategies=["vote"])
        told = await stories_of(path, three(said, ["", ""]))
        assert [story.split(" (")[0] for story in told] == ["A right answer that won", "A right answer outvoted"]
        assert told[1].splitlines()[2:] == [
            "2 voices of 3 won the vote: “Yan”.",
            "That is wrong: the answer is “Person 1”.",
        ]


@pytest.mark.parametrize(
    ("captain", "who"), [("cat", "the captain cat's own answer won: “Xia”"), ("dan", "the lot decided: ")]
)
async def test_a_tie_is_told_with_who_broke_it(tmp_path: Path, captain: str, who: str) -> None:
    said = {"ann": ["Zoe"], "bob": ["Yan"], "cat": ["Xia"], "dan": [""]}
    models = {name: {"provider": "simulated", "accuracy": 0.5} for name in said}
    teams = {"four": {"players": list(said), "captain": captain}}
    path = write(tmp_path, 1, models=models, teams=teams, strategies=["vote"])
    (story,) = await stories_of(path, three(said, [""]))
    assert f"A tie: 3 answers with 1 voice each of 3; {who}" in story


async def test_a_mixture_is_told_by_its_summariser(tmp_path: Path) -> None:
    said = {"ann": ["Zoe"], "bob": ["Yan"], "cat": ["Xia"]}
    models = {name: {"provider": "simulated", "accuracy": 0.5} for name in (*said, "sue")}
    mixtures = [{"mixture": {"summariser": "sue", "repeats": times}} for times in (1, 2)]
    path = write(tmp_path, 1, models=models, teams={"three": {"players": list(said)}}, strategies=mixtures)
    scripts = three({**said, "sue": ["Yan"]}, ["Yan"])
    (story,) = await stories_of(path, scripts)
    assert story.splitlines()[0].startswith("A split team (mixture(repeats=1), question q0)")
    assert "The summariser sue read the 3 responses and settled on “Yan”." in story
    assert "captain" not in story


ROLES = {"peer-review": "The reviewer ", "debate": "; the debater ", "silent": "The captain "}


@pytest.mark.parametrize("strategy", ROLES)
async def test_who_has_the_last_word_is_called_what_it_is(tmp_path: Path, strategy: str) -> None:
    teams = {"four": {"players": ["ann", "bob", "cat", "dan"], "captain": "each"}}
    told = await stories_of(write(tmp_path, 12, teams=teams, strategies=[strategy]))
    assert told
    assert all(ROLES[strategy] in story for story in told)
    assert strategy == "silent" or not any("captain" in story for story in told)


ENDINGS: dict[str, dict[str, Any]] = {
    "After 1 turn of talk a vote decided, ": {"decision": "ranked-voting", "vote_from": 1},
    "After 5 turns of talk nothing was decided (no single winner in 3 votes; ": {"decision": "simple-voting"},
    "After 3 turns of talk the judge picked “": {"decision": "judge", "judge": "eve"},
}


@pytest.mark.parametrize("words", ENDINGS)
async def test_a_discussion_is_told_as_one(tmp_path: Path, words: str) -> None:
    teams = {"four": {"players": ["ann", "bob", "cat", "dan"]}}
    options = {"style": "reasoning", "agents": 4, **ENDINGS[words]}
    told = await stories_of(write(tmp_path, 8, teams=teams, strategies=[{"discuss": options}]))
    assert told
    assert all(words in story for story in told)
    assert not any("won the vote" in story or "None" in story for story in told)


async def test_labels_are_wrapped_and_not_cut(tmp_path: Path) -> None:
    strategies = ["solo", *({"discuss": {"decision": name, "agents": 2}} for name in ("ranked-voting", "judge"))]
    strategies[-1]["discuss"]["judge"] = "eve"
    teams = {"two": {"players": ["ann", "bob"]}}
    shown, _ = await run(write(tmp_path, 6, teams=teams, strategies=strategies))
    labels = {row["label"] for row in shown["accuracy"] if row["strategy"] == "discuss"}
    assert labels == {"discuss(decision=ranked-voting, agents=2)", "discuss(decision=judge, agents=2, judge=eve)"}
    for width in (80, 140):
        text = printed(shown, width)
        assert "…" not in text
        assert "decision=ranked-voting)" in text
        assert "decision=judge," in text
        assert widest(text) <= width
    assert "Every discuss here has agents=2." in text


def test_the_page_has_short_labels_and_the_json_whole_ones(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    strategies = [{"discuss": {"agents": 2, "vote_from": turn}} for turn in (1, 2)]
    path = str(write(tmp_path, 4, teams={"two": {"players": ["ann", "bob"]}}, strategies=strategies))
    assert run_app(app, ["run", path, "--quiet"]) == 0
    assert run_app(app, ["report", path, "-o", str(tmp_path / "page.html")]) == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "discuss(vote_from=" in page
    assert "agents=2" not in page, "of what stands there in plain words; the data are packed"
    capfd.readouterr()
    assert run_app(app, ["report", path, "--json"]) == 0
    shown = json.loads(capfd.readouterr().out)
    assert {row["label"] for row in shown["accuracy"]} == {f"discuss(agents=2, vote_from={turn})" for turn in (1, 2)}
    assert "discuss(agents=2, vote_from=" in shown["headline"]["sentence"]


def test_stories_of_a_small_team_are_told_with_all_of_it_and_nothing_when_quiet(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = str(write(tmp_path, 12, strategies=["vote", "silent"]))
    assert run_app(app, ["run", path, "--quiet"]) == 0
    assert capfd.readouterr().out == ""
    assert run_app(app, ["report", path, "--all"]) == 0
    assert "different answers" in capfd.readouterr().out
    assert run_app(app, ["report", path, "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["skyline"]["n"] == 12
