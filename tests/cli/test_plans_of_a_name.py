"""Several plans under one name: every command tells of the same one, and says that there are others."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from cup_commands import command, ended, questions, run, told, write


@pytest.mark.parametrize("cleaned", ["a row out of the middle", "the last row out", "another reference"])
def test_a_question_file_that_was_cleaned_is_what_every_command_tells_of(
    cleaned: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = questions(12)
    path = write(tmp_path, rows)
    run(path)
    match cleaned:
        case "a row out of the middle":
            rows = [*rows[:5], *rows[6:]]
        case "the last row out":
            rows = rows[:11]
        case _:
            rows = [{**rows[0], "answer": "b"}, *rows[1:11]]
    write(tmp_path, rows)
    assert "all 44 episodes are done" in command("run", path)
    assert "On these 11 questions" in command("report", path)
    figures = told(path)
    assert figures["questions"] == 11
    assert ended("report", path, "--fail-under", f"headline.value>={figures['headline']['value']}")[0] == 0
    assert json.loads(command("compare", path, "vote", "solo@ann", "--json"))["n"] == 11
    assert "44 answers" in ended("grade", path)[1]
    held = json.loads(command("runs", path, "--json"))[0]["runs"]
    assert [(row["questions"], row.get("trials")) for row in held] == [(11, None), (12, None)]
    assert held[0]["headline"]["value"] == figures["headline"]["value"]
    page = tmp_path / "page.html"
    command("report", path, "-o", page)
    assert "On these 11 questions" in page.read_text(encoding="utf-8")

    # The other one is named in the short report, and can be had. What to type next would take its line where a path is long.
    monkeypatch.chdir(tmp_path)
    short = command("report", path.name)
    named = re.search(r"Not shown: another plan of this name, of 12 questions \(--plan (\w+)\)", short)
    assert named is not None, short
    assert told(path, "--plan", named[1])["questions"] == 12
    assert "On these 12 questions" in command("report", path, "--plan", figures["other_plans"][0]["id"])


def test_a_trial_hides_no_run_of_the_very_same_questions(tmp_path: Path) -> None:
    rows = questions(12)
    path = write(tmp_path, rows)
    run(path)
    run(path, "--limit", 4)
    assert told(path)["questions"] == 12
    (held,) = json.loads(command("runs", path, "--json"))[0]["runs"]
    assert (held["questions"], held["trials"]) == (12, [4])

    # Of a file that was changed since it is a part of something else, though the first four are the same.
    write(tmp_path, rows[:11])
    run(path, "--limit", 4)
    assert told(path)["questions"] == 4
    assert "Not shown: 2 other plans of this name, up to 12 questions" in command("report", path)
    run(path)
    assert told(path)["questions"] == 11
    run(path, "--limit", 3)
    assert told(path)["questions"] == 11


def test_a_trial_of_other_prompts_is_no_part_of_the_whole_run(tmp_path: Path) -> None:
    """The file's words are the same, and what is asked is not."""
    prompts = tmp_path / "prompts"
    prompts.mkdir()
    wording = "{# inputs: instruction, persona #}\nYou answer questions"
    (prompts / "player.j2").write_text(wording, encoding="utf-8")
    path = write(tmp_path, questions(6), prompts="prompts")
    run(path)
    (prompts / "player.j2").write_text(f"{wording} well.", encoding="utf-8")
    run(path, "--limit", 4)
    assert told(path)["questions"] == 4


def test_a_trial_with_another_seed_is_no_part_of_the_whole_run(tmp_path: Path) -> None:
    """Whoever is simulated or drawn by lot answers otherwise."""
    path = write(tmp_path, questions(6))
    run(path)
    write(tmp_path, questions(6), seed=2)
    run(path, "--limit", 4)
    assert told(path)["questions"] == 4


def test_a_store_from_before_knows_a_trial_by_its_questions(tmp_path: Path) -> None:
    """Runs did not say of which questions theirs were the first."""
    import sqlite3
    from contextlib import closing

    rows = questions(8)
    path = write(tmp_path, rows)
    run(path)
    run(path, "--limit", 4)
    with closing(sqlite3.connect(tmp_path / "cup.db")) as connection, connection:
        connection.execute("UPDATE runs SET facts = '{}'")
    assert told(path)["questions"] == 8
    write(tmp_path, [*rows[:2], *rows[3:]])
    run(path)
    with closing(sqlite3.connect(tmp_path / "cup.db")) as connection, connection:
        connection.execute("UPDATE runs SET facts = '{}'")
    assert told(path)["questions"] == 7


def test_a_plan_that_is_not_there_is_said(tmp_path: Path) -> None:
    path = write(tmp_path, questions(4))
    run(path)
    status, said = ended("report", path, "--plan", "nowhere")
    assert status != 0
    assert "no plan of 'cup' begins with 'nowhere'" in said


def test_the_plan_of_a_file_that_has_not_changed_is_known_without_reading_its_questions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = questions(12)
    path = write(tmp_path, rows)
    run(path)

    def read(*_: object) -> None:
        raise AssertionError("its questions are read")

    with monkeypatch.context() as patched:
        patched.setattr("moot.experiment.build.questions_of", read)
        figures = told(path)
        assert (figures["questions"], figures.get("not_of_file")) == (12, None)
    write(tmp_path, [{**rows[0], "text": "And which one is another?"}, *rows[1:]])
    with monkeypatch.context() as patched:
        patched.setattr("moot.experiment.build.questions_of", read)
        with pytest.raises(AssertionError, match="its questions are read"):
            told(path)
    assert "have changed since" in told(path)["not_of_file"]
