"""How run and report end: on one screen of 80 columns, with what to type next; the rest by section or all at once."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from moot.cli.app import app
from moot.cli.conditions import judged
from moot.cli.console import print_lines
from moot.cli.exit import run_app
from moot.errors import UsageError
from moot.report.ending import LINES, print_ending
from moot.report.next_commands import NextCommands
from moot.report.sections import all_sections
from moot.report.short_ending import short_ending
from moot.report.terminal import print_sections

PLAYERS = {"ann": 0.6, "bob": 0.5, "eve": 0.3, "a-player-with-a-rather-long-name": 0.2}
MANY = [
    *("solo", "vote", "silent", "talkative", {"adaptive": {"talk_from": 3}}),
    *({"solo": {"drafts": "double-call"}}, {"peer-review": {"drafts": "single-call"}}),
]


def write(folder: Path, strategies: list[Any], count: int = 8, **more: Any) -> Path:
    lines = [{"id": f"q{n}", "text": f"Who is number {n}?", "answer": f"Person {n}"} for n in range(count)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    price = {"prompt": 0.5, "completion": 2.0}
    models = {
        name: {"provider": "simulated", "accuracy": share, "refuse": 0.3, "price": price}
        for name, share in PLAYERS.items()
    }
    keys = {
        "name": "cup",
        "questions": {"file": "questions.jsonl"},
        "models": models,
        "teams": {"four": {"players": list(models), "captain": "each"}},
        "strategies": strategies,
        **more,
    }
    path = folder / "cup.yaml"
    path.write_text(json.dumps(keys), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = write(tmp_path_factory.mktemp("cup"), MANY, primary="vote@bob")
    assert run_app(app, ["run", str(path), "--quiet"]) == 0
    return path


@pytest.fixture(scope="module")
def figures(cup: Path) -> dict[str, Any]:
    with StringIO() as out, redirect_stdout(out):
        assert run_app(app, ["report", str(cup), "--json"]) == 0
        return dict(json.loads(out.getvalue()))


def printed(draw: Callable[..., None], figures: dict[str, Any], *more: Any) -> list[str]:
    out = StringIO()
    draw(figures, Console(file=out, width=80), *more)
    lines = out.getvalue().splitlines()
    assert max(map(cell_len, lines)) <= 80
    return lines


@pytest.fixture(autouse=True)
def eighty(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """A terminal of 80 columns, in the folder of the file: so a command that is shown is as long as a user sees it."""
    monkeypatch.setenv("COLUMNS", "80")
    if "cup" in request.fixturenames:
        monkeypatch.chdir(request.getfixturevalue("cup").parent)
    elif "tmp_path" in request.fixturenames:
        monkeypatch.chdir(request.getfixturevalue("tmp_path"))


def ended(capfd: pytest.CaptureFixture[str], *command: str) -> list[str]:
    capfd.readouterr()
    assert run_app(app, list(command)) == 0
    lines = capfd.readouterr().out.splitlines()
    assert max(map(cell_len, lines)) <= 80
    return lines


def test_a_report_of_many_strategies_fits_a_screen(cup: Path, capfd: pytest.CaptureFixture[str]) -> None:
    lines = ended(capfd, "report", "cup.yaml")
    assert len(lines) <= LINES
    whole = "\n".join(lines)
    assert lines[0].startswith("On these 8 questions the team deciding by vote with bob as captain ")
    assert "vote, declared" in whole
    assert "solo " in whole, "the best of who answers alone is never cut"
    assert "$/1,000" in whole
    assert "$0.0000" not in whole
    assert "Simulated, not real" in whole
    assert "With fewer than 30 questions, results are very uncertain" in whole
    assert "No answer in some of" in whole
    typed = [line for line in lines if line.startswith("moot report ")]
    assert typed[0].startswith("moot report cup.yaml -o cup.html"), "the page comes first, and stays"
    assert "Not shown: frontier (--section)." in whole, "every strategy has a row"


def test_a_fall_back_is_an_answer(figures: dict[str, Any]) -> None:
    """Undecided episodes have an answer, which is graded: they are told apart from those without one."""
    row = figures["accuracy"][0]
    some = {**figures, "accuracy": [{**row, "outcomes": {"answered": 5, "undecided": 2, "refused": 1}}], "runs": []}
    whole = " ".join(printed(print_ending, some, NextCommands("cup.yaml")))
    assert "No answer in some of 8 episodes: 1 refused (--section outcomes)." in whole
    assert "Undecided, so a fallback stands as the answer: 2 of 8 episodes." in whole


@pytest.mark.parametrize(
    ("facts", "said"),
    [({}, "Interim results, after "), ({"dropped": 3}, "The run is unfinished; slow answers")],
)
def test_a_look_before_the_end_says_so_and_fits_a_screen(
    cup: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    facts: dict[str, int],
    said: str,
) -> None:
    shutil.copytree(cup.parent, tmp_path / "early")
    monkeypatch.chdir(tmp_path / "early")
    with closing(sqlite3.connect("cup.db")) as connection, connection:
        connection.execute(
            "DELETE FROM episodes WHERE question IN (SELECT question FROM experiment_questions WHERE position > 5)"
        )
        connection.execute("UPDATE runs SET state = 'interrupted', facts = ?", (json.dumps(facts),))
    lines = ended(capfd, "report", "cup.yaml")
    assert len(lines) <= LINES
    assert said in " ".join(" ".join(lines).split())


def test_money_is_for_a_thousand_questions(figures: dict[str, Any]) -> None:
    row = next(row for row in figures["accuracy"] if (row["label"], row.get("captain")) == ("vote", "bob"))
    (line,) = [line for line in printed(print_ending, figures, NextCommands("cup.yaml")) if "vote, declared" in line]
    assert line.split()[-1] == f"${1000 * row['cost_usd'] / 8:.3f}"


def test_who_decides_several_times_from_the_same_drafts_pays_for_them_in_each(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A question's drafts are one call each for all ten decisions of a mixture; whoever asks it a question pays for all."""
    mixtures = [{"mixture": {"summariser": "sum"}}, {"mixture": {"summariser": "sum", "repeats": 1}}]
    path = write(tmp_path, ["solo", *mixtures], primary="mixture(summariser=sum)")
    keys = json.loads(path.read_text(encoding="utf-8"))
    for model in keys["models"].values():
        del model["refuse"]
    keys["models"]["sum"] = keys["models"]["ann"]
    path.write_text(json.dumps(keys), encoding="utf-8")
    assert run_app(app, ["run", str(path), "--quiet"]) == 0
    assert run_app(app, ["report", str(path), "--json"]) == 0
    figures = json.loads(capfd.readouterr().out)
    of_mixtures = [row for row in figures["accuracy"] if row["strategy"] == "mixture"]
    assert [row["calls_per_question"] for row in of_mixtures] == [5, 5]
    assert [sum(row["outcomes"].values()) for row in of_mixtures] == [80, 8], "plays and questions are two things"
    paid = {row["of"]: row["cost"] for row in figures["frontier"]}
    lines = printed(print_ending, figures, NextCommands("cup.yaml"))
    told = [line.split()[-2:] for line in lines if re.match(r"mixture.*\$[\d.]+$", line)]
    for row, (calls, usd) in zip(of_mixtures, told, strict=True):
        assert row["usd_per_question"] == pytest.approx(paid[row["label"]])
        assert (calls, usd) == ("5.0", f"${1000 * row['usd_per_question']:.3f}")
    assert figures["headline"]["cost_usd"] == pytest.approx(of_mixtures[0]["usd_per_question"])


def test_nothing_to_do_is_told_in_three_lines(cup: Path, capfd: pytest.CaptureFixture[str]) -> None:
    lines = ended(capfd, "run", cup.name)
    assert len(lines) == 3
    assert lines[0].startswith("nothing to do: all ")
    assert lines[1].startswith("vote@bob: ")


def test_one_section_and_all_of_a_family(cup: Path, figures: dict[str, Any], capfd: pytest.CaptureFixture[str]) -> None:
    skyline = "\n".join(ended(capfd, "report", cup.name, "--section", "skyline"))
    assert skyline.startswith("Skyline (at least one of 4 players right)")
    assert "Gain over" not in skyline
    titles = "\n".join(printed(print_sections, figures, ["safety"]))
    assert "Rescues and regressions" in titles
    assert "Each model alone and after" in titles, "what is else only on the page"


def test_every_section_can_be_asked_for(figures: dict[str, Any]) -> None:
    names = [section.id for section in all_sections(figures)]
    assert {"accuracy", "gains", "diversity", "outcomes", "frontier", "position-bias"} <= set(names)
    for name in names:
        assert printed(print_sections, figures, [name]), name


def test_a_misspelt_section(figures: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="this report has no 'skylin'; did you mean 'skyline'\\?"):
        printed(print_sections, figures, ["skylin"])


def test_a_key_of_the_figures_is_told_by_the_names_of_its_sections(figures: dict[str, Any]) -> None:
    assert figures["probability"]
    with pytest.raises(UsageError, match=r"no 'probability'; what --json calls so is in trust( and .*)? \(it has"):
        printed(print_sections, figures, ["probability"])


@pytest.mark.parametrize("command", ["report", "runs", "watch"])
@pytest.mark.parametrize("url", ["sqlite:///cup.db", "postgresql://moot@there/cup"])
def test_a_store_in_the_place_of_a_file_is_told_where_it_belongs(
    command: str, url: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run_app(app, [command, url]) == 2
    assert "a store goes after --store" in capfd.readouterr().err


def test_a_condition_that_does_not_hold_ends_with_one(cup: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_app(app, ["report", cup.name, "--fail-under", "over_best_single.low>0"]) == 1
    assert "not met: over_best_single.low>0: it is -" in capfd.readouterr().err


def test_a_condition_that_holds(figures: dict[str, Any]) -> None:
    assert all(told.holds for told in judged(["value >= 0", "skyline.value<=1"], figures))


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("over_best_single.lo>0", "there is no 'lo'; did you mean 'low'?"),
        ("value", "expected a figure, one of > >= < <= and a number"),
        ("value>nan", "expected a figure"),
        ("accuracy>0", "accuracy is no number"),
    ],
)
def test_a_condition_that_cannot_be_read(condition: str, said: str, figures: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as error:
        judged([condition], figures)
    assert said in str(error.value)


def test_what_is_not_known_meets_no_condition() -> None:
    figures = {"headline": {"value": None, "why": "nothing is graded", "over_best_single": None}}
    assert judged(["value>=0", "over_best_single.low>0"], figures) == [
        (False, "value>=0: value is not known (nothing is graded)"),
        (False, "over_best_single.low>0: over_best_single.low is not known (nothing is graded)"),
    ]


def test_where_not_all_have_played_the_same_none_is_called_the_highest(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, ["solo", "vote"], count=6)
    assert run_app(app, ["run", str(path), "--quiet"]) == 0
    with closing(sqlite3.connect(tmp_path / "cup.db")) as connection, connection:
        (cell,) = connection.execute("SELECT id FROM cells WHERE player = 'eve'").fetchone()
        connection.execute(
            "DELETE FROM episodes WHERE cell = ? AND question IN (SELECT question FROM episodes LIMIT 3)", (cell,)
        )
    lines = ended(capfd, "report", path.name)
    assert len(lines) <= LINES
    assert not [line for line in lines if line.startswith("solo") and "top of" in line]
    assert len([line for line in lines if line.startswith("solo ")]) > 1
    assert any("not played yet" in line for line in lines)


@pytest.mark.parametrize(("width", "settled"), [(0.0, True), (1.0, False)])
def test_nor_where_a_grade_that_is_awaited_could_make_another_the_highest(
    figures: dict[str, Any], width: float, settled: bool
) -> None:
    """Bounds that settle who is the highest are as good as all the grades."""
    waiting = [
        {
            **row,
            "ungraded": 1,
            "bounds": {"low": max(0.0, row["value"] - width), "high": min(1.0, row["value"] + width)},
        }
        for row in figures["accuracy"]
    ]
    lines = printed(print_ending, {**figures, "accuracy": waiting}, NextCommands("cup.yaml"))
    assert any("top of" in line for line in lines) == settled


def test_nor_where_all_have_questions_left_to_play(figures: dict[str, Any]) -> None:
    early = {**figures, "accuracy": [{**row, "missing": 2} for row in figures["accuracy"]]}
    assert any("top of" in line for line in printed(print_ending, figures, NextCommands("cup.yaml")))
    assert not any("top of" in line for line in printed(print_ending, early, NextCommands("cup.yaml")))


def test_the_best_who_answers_alone_stays_where_all_teams_are_better(figures: dict[str, Any]) -> None:
    """A team that is more often right is left out for it, and the other way of playing alone before that."""
    rows = [{**row, "value": 0.3 if row.get("player") else 0.9} for row in figures["accuracy"]]
    best = next(row for row in rows if row.get("player") == "bob")
    best["value"] = 0.4
    out = StringIO()
    console = Console(file=out, width=80, height=20, force_terminal=True, color_system=None)
    print_ending({**figures, "accuracy": rows}, console, NextCommands("cup.yaml"))
    shown = [line for line in out.getvalue().splitlines() if line.split()[-1:] and line.split()[-1].startswith("$0")]
    assert len(shown) <= 6, "of eight, six of which are teams"
    assert [line.split()[1] for line in shown if line.startswith("solo")] == ["bob,"]


def test_what_ended_the_last_run_is_said(figures: dict[str, Any]) -> None:
    run = figures["runs"][0]
    runs = [{**run, "cause": "the key was refused"}, {**run, "cause": "the money is spent."}]
    whole = " ".join(printed(print_ending, {**figures, "runs": runs}, NextCommands("cup.yaml")))
    assert "the money is spent. " in whole, "one full stop, whatever the cause ends with"
    assert "the key was refused" not in whole
    ended = " ".join(printed(print_ending, {**figures, "runs": [*runs, run]}, NextCommands("cup.yaml")))
    assert "the money is spent" not in ended


@pytest.mark.parametrize("name", ["paper-chgk-teams", "paper-safety-multiple", "a-name-that-is-much-longer-than-those"])
def test_what_a_command_shows_is_cut_at_a_word_and_for_its_own_line_only(name: str, figures: dict[str, Any]) -> None:
    following = NextCommands.of(Path(f"{name}.yaml"), None)
    figures = {**figures, "accuracy": [row for row in figures["accuracy"] if row["strategy"] in ("solo", "vote")]}
    out = StringIO()
    print_ending(figures, Console(file=out, width=80), following)
    told = dict(following.lines([section.id for section in all_sections(figures)]))
    for line, (command, words) in zip(out.getvalue().splitlines()[-3:], told.items(), strict=True):
        assert line.startswith(command)
        beside = line.removeprefix(command).strip()
        whole, _, more = beside.partition(" …")
        assert not more
        assert words == whole if "…" not in beside and beside else words.startswith(f"{whole} " if whole else "")
        assert beside or len(command) > 58, "the room is there"


def test_every_strategy_has_a_row_before_the_frontier_has_a_line(figures: dict[str, Any]) -> None:
    """Also one that is less often right than all variants of the others; what is not shown is named."""
    rows = [
        {**row, "value": 0.0 if row["strategy"] == "talkative" else row["value"]}
        for row in figures["accuracy"]
        if row["strategy"] != "peer-review"  # the name of whose captain is three lines long
    ]
    assert figures["frontier"]
    lines = printed(print_ending, {**figures, "accuracy": rows}, NextCommands("cup.yaml"))
    assert len(lines) <= LINES
    table = lines[: next(place for place, line in enumerate(lines) if line.startswith("Calls: "))]
    whole = " ".join(" ".join(lines).split())
    assert any(line.startswith("talkative ") for line in table)
    assert "Not shown: frontier (--section)." in whole
    assert "None is both cheaper and better" not in whole


@pytest.mark.long
def test_many_strategies_that_are_not_shown_are_counted(figures: dict[str, Any]) -> None:
    row = next(row for row in figures["accuracy"] if row["label"] == "talkative")
    rows = [{**row, "label": f"talkative-{n}", "value": n / 100} for n in range(30)]
    lines = printed(print_ending, {**figures, "accuracy": [*figures["accuracy"], *rows]}, NextCommands("cup.yaml"))
    assert len(lines) <= LINES
    assert re.search(r"Not shown: .* and \d+ others; frontier \(--section\)\.", " ".join(" ".join(lines).split()))


@pytest.mark.long
def test_declared_hypotheses_are_one_line(figures: dict[str, Any]) -> None:
    def told(*hypotheses: tuple[str, bool]) -> str:
        rows = [
            {"hypothesis": "h", "verdict": verdict, "frozen": frozen, "family": 3, "note": None}
            for verdict, frozen in hypotheses
        ]
        lines = printed(print_ending, {**figures, "hypotheses": rows}, NextCommands("cup.yaml"))
        assert len(lines) <= LINES
        return next((line for line in lines if line.startswith("Hypotheses: ")), "")

    declared = [("open", True), ("open", True), ("refuted", True)]
    assert told(*declared) == "Hypotheses: 3 declared, 0 confirmed, 1 refuted, 2 open (--section hypotheses)."
    late = ("confirmed", False)
    assert "3 declared, 0 confirmed, 1 refuted, 2 open, 1 exploratory (" in told(*declared, late)
    assert "Hypotheses: 0 declared, 1 exploratory (" in told(late)
    assert not told()


def test_long_paths_can_be_pasted() -> None:
    """A command is one line, whatever the width."""
    out = StringIO()
    figures: dict[str, Any] = {"experiment": "cup", "questions": 40, "accuracy": [], "simulated": [], "failures": []}
    path = Path("/a/very/long/path/of/somebody/who/keeps/experiments/in/folders/within/folders/cup of tea.yaml")
    print_ending(figures, Console(file=out, width=80), NextCommands.of(path, None))
    assert f"moot report '{path}' -o '{path.with_suffix('.html')}'\n" in out.getvalue()


@pytest.mark.parametrize(
    ("times", "told"),
    [
        ([1], "1 call failed, to ann (ServerFailed)"),
        ([3], "3 calls failed, all to ann (ServerFailed)"),
        ([4, 3, 3], "10 calls failed, 4 of them to ann (ServerFailed)"),
    ],
)
def test_of_calls_that_failed_it_says_how_many_were_of_one_model(times: list[int], told: str) -> None:
    rows = [
        {"model": name, "kind": "ServerFailed", "times": number}
        for name, number in zip(("ann", "bob", "cat"), times, strict=False)
    ]
    figures: dict[str, Any] = {"experiment": "cup", "questions": 40, "accuracy": [], "simulated": [], "failures": rows}
    assert told in " ".join(" ".join(printed(print_ending, figures, NextCommands.of(Path("cup.yaml"), None))).split())


def _some_open(figures: dict[str, Any]) -> dict[str, Any]:
    """Of one row so many answers are open that it has no figure; of another one is, which judges dispute."""
    first, second, *_ = figures["accuracy"]
    none = dict.fromkeys(("value", "low", "high"))
    why = "3 of 8 answers are ungraded, and whether one is graded hangs on what it says"
    waits = {**first, **none, "n": 0, "ungraded": 3, "bounds": {"low": 0.5, "high": 0.875}, "why": why}
    disputed = {**second, "n": 7, "ungraded": 1, "disputed": 1, "bounds": {"low": 0.25, "high": 0.375}}
    return {**figures, "accuracy": [waits, disputed]}


def test_what_is_not_graded_is_told_with_its_bounds_and_the_command(figures: dict[str, Any]) -> None:
    lines = printed(print_ending, _some_open(figures), NextCommands.of(Path("cup.yaml"), None))
    whole = " ".join(" ".join(lines).split())
    assert re.search(r"^solo +ann +bounds 50\.0–87\.5 % +0 ", "\n".join(lines), re.MULTILINE), lines
    assert "Bounds: over all questions, with every ungraded answer counted as wrong, and as right." in whole
    assert "3 answers without a grade: moot grade cup.yaml; 1 answer disputed: moot grade cup.yaml --settle" in whole
    assert "(bounds: --section accuracy)." in whole
    table = printed(print_sections, _some_open(figures), ["accuracy"])
    below = " ".join(" ".join(table).split())
    assert any("ann" in line and "50.0–87.5" in line and "*" not in line for line in table)
    assert any("bob" in line and ")*" in line and "25.0–37.5" in line for line in table)
    assert "* Graded answers only; some are not graded yet. Bounds: over all questions" in below
    assert "No figure in 1 row: 3 of 8 answers are ungraded" in below


@pytest.mark.parametrize("disputed", [0, 8], ids=["waiting", "disputed"])
def test_one_command_is_named_where_one_will_do(disputed: int, figures: dict[str, Any]) -> None:
    row = {**figures["accuracy"][0], "ungraded": 8, "disputed": disputed, "bounds": {"low": 0.0, "high": 1.0}}
    lines = printed(print_ending, {**figures, "accuracy": [row]}, NextCommands.of(Path("cup.yaml"), None))
    (line,) = [line for line in lines if "moot grade" in line]
    assert line == (
        "8 answers disputed: moot grade cup.yaml --settle (bounds: --section accuracy)."
        if disputed
        else "8 answers without a grade: moot grade cup.yaml (bounds: --section accuracy)."
    )


def test_each_part_of_what_is_not_graded_is_told_with_who_can_grade_it(figures: dict[str, Any]) -> None:
    parts = {"ungraded": 10, "disputed": 1, "unsaid": 5, "for_a_person": 3}
    row = {**figures["accuracy"][0], **parts, "bounds": {"low": 0.0, "high": 1.0}}
    lines = printed(print_ending, {**figures, "accuracy": [row]}, NextCommands.of(Path("cup.yaml"), None))
    whole = " ".join(" ".join(lines).split())
    assert (
        "1 answer without a grade: moot grade cup.yaml; 3 answers for a person to grade: moot grade cup.yaml --settle; "
        "1 answer disputed: moot grade cup.yaml --settle; 5 answers without a grade, as nobody has said what is right "
        "(POST /v1/feedback, docs/serve.md) (bounds: --section accuracy)."
    ) in whole


@pytest.mark.parametrize("above", [0, 3])
def test_an_ending_fits_the_screen_with_what_stands_above_it(above: int, figures: dict[str, Any]) -> None:
    out = StringIO()
    console = Console(file=out, width=80, height=24, force_terminal=True, color_system=None)
    print_ending(figures, console, NextCommands("cup.yaml"), above=above)
    lines = out.getvalue().splitlines()
    assert len(lines) + above < 24, "the prompt is a line too"
    assert lines[0].startswith("On these 8 questions")


def test_a_short_ending_is_never_cut(figures: dict[str, Any], capfd: pytest.CaptureFixture[str]) -> None:
    head = {
        **figures["headline"],
        **dict.fromkeys(("value", "low", "high")),
        "ungraded": 2,
        "questions": 27,
        "cut_short": True,
        "bounds": {"low": 0.926, "high": 1.0},
    }
    after = (
        "moot run a-file-with-a-rather-long-name.yaml goes on; moot report a-file-with-a-rather-long-name.yaml shows it"
    )
    primary = {
        "value": None,
        "words": ["The primary, vote, has no figure: " + "several teams play it, " * 5 + "as it is."],
    }
    for headline, said in (
        (head, "vote@bob: between 92.6 and 100.0 %; 2 answers are not graded, so far"),
        (primary, primary["words"][0]),
    ):
        lines = short_ending({**figures, "headline": headline}, 80, "interrupted: 27 of 60 episodes are kept", after)
        print_lines(lines)
        assert capfd.readouterr().out.splitlines()[1:] == [said, after]


def test_remarks_give_way_where_the_verdict_is_long(
    cup: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who comes back after a week: more questions, a mended reference, a rule, another plan of the name."""
    run_app(app, ["report", str(cup), "--json"])
    figures = json.loads(capsys.readouterr().out)
    words = [f"Sentence {number} of a verdict that is told in long sentences, after a week. " for number in range(5)]
    long = {**figures, "headline": {**figures["headline"], "words": [each * 2 for each in words]}}
    asides = [f"Aside {number}: what every table can be read without, in more than a line. " * 2 for number in range(3)]
    monkeypatch.setattr("moot.report.ending.asides_of", lambda figures: iter(asides))
    lines = printed(print_ending, long, NextCommands("cup.yaml"))
    whole = " ".join(" ".join(lines).split())
    assert len(lines) <= LINES
    assert "Sentence 4" in whole, "the verdict is whole"
    assert re.search(r"Not shown: .*3 remarks \(--all\)", whole)
    assert lines[-1].startswith("moot report cup.yaml -o report.html"), "the page stays"
