"""What a team was chosen on says nothing for it: through the commands, from `moot select` to the report."""

from __future__ import annotations

import json
import random
import re
import shlex
import sqlite3
import textwrap
import unicodedata
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml

from moot import load_team, open_store
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.report.sections import all_sections
from moot.types import Question

CHOICE = """
name: chosen
seed: 3
questions: {file: questions.jsonl}
models:
  a: {provider: simulated, accuracy: 0.6}
  b: {provider: simulated, accuracy: 0.5}
  s: {provider: simulated, accuracy: 0.4, power: 0.6}
players:
  a-break: {model: a, instruction: break-down}
  a-opposite: {model: a, instruction: opposite}
  b-break: {model: b, instruction: break-down}
strategies:
  - solo
  - mixture: {summariser: s, repeats: 2}
"""


def written(tmp_path: Path, questions: int = 30) -> Path:
    draw = random.Random(1)
    lines = [
        {"id": f"q{n}", "text": f"Question {n}?", "choices": ["w", "x", "y", "z"], "answer": draw.choice("ABCD")}
        for n in range(questions)
    ]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)))
    file = tmp_path / "chosen.yaml"
    file.write_text(CHOICE)
    return file


def moot(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[str, str]:
    capsys.readouterr()
    assert run_app(app, [str(argument) for argument in arguments]) == 0
    out, err = capsys.readouterr()
    return out, err


def chosen(tmp_path: Path, capsys: pytest.CaptureFixture[str], m: int = 20) -> tuple[Path, list[dict[str, Any]]]:
    """The experiment after a choice of two, with the file that plays what was chosen."""
    file = written(tmp_path)
    moot(capsys, "run", file, "--quiet")
    out, _ = moot(capsys, "select", file, "--k", 2, "--m", m, "--method", "top-accuracy", "--json")
    (tmp_path / "team.json").write_text(out)
    file.write_text(CHOICE.replace("repeats: 2", "repeats: 2, shown_accuracies: team.json"))
    return file, json.loads(out)


def test_what_it_was_chosen_on_is_no_play_too_many_where_all_failed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, _ = chosen(tmp_path, capsys)
    moot(capsys, "run", file, "--quiet")
    with closing(sqlite3.connect(tmp_path / "chosen.db")) as connection, connection:
        connection.execute("UPDATE episodes SET outcome = 'failed', answer = NULL")
        connection.execute("DELETE FROM scores")
    held = json.loads(moot(capsys, "runs", file, "--json")[0])
    assert [row["missing"] for row in held[0]["runs"]] == [0, 0]


def only(rows: list[dict[str, Any]]) -> dict[str, Any]:
    (row,) = [row for row in rows if row["strategy"] == "mixture"]
    return row


def test_a_chosen_team_is_measured_on_other_questions_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, rows = chosen(tmp_path, capsys)
    on = rows[0]["chosen_on"]
    assert len(on) == len(set(on)) == 20
    _, err = moot(capsys, "run", file, "--quiet")
    assert "20 of its 30 questions are those that it was chosen on" in " ".join(err.split())
    report = json.loads(moot(capsys, "report", file, "--json")[0])
    row = only(report["accuracy"])
    assert (row["n"], row["chosen_on"], row["missing"]) == (10, 20, 0)
    assert sum(row["outcomes"].values()) == 2 * 10
    (mixture,) = report["mixtures"]
    assert mixture["n"] == 10
    assert mixture["episodes"] == 20
    page = " ".join(moot(capsys, "report", file)[0].split())
    assert "20 of 30 questions are those that it was chosen on; its figures are over the other 10" in page
    for row in walked(report):
        if row.get("strategy") == "mixture" and "n" in row:
            assert row["n"] <= 10, row


def walked(value: Any) -> Any:
    if isinstance(value, dict):
        yield value
        for part in value.values():
            yield from walked(part)
    elif isinstance(value, list):
        for part in value:
            yield from walked(part)


def respelt(text: str) -> str:
    """As another file may have it: other spaces, and letters in two parts."""
    return unicodedata.normalize("NFD", f" {text}".replace(" ", "  \n"))


def test_a_question_is_the_one_it_was_chosen_on_under_any_id(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, _ = chosen(tmp_path, capsys)
    lines = [json.loads(line) for line in (tmp_path / "questions.jsonl").read_text().splitlines()]
    for number, line in enumerate(lines):
        line |= {"id": f"other {number}", "text": respelt(line["text"]), "choices": line["choices"][::-1]}
        line["answer"] = "DCBA"["ABCD".index(line["answer"])]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert "20 of its 30 questions" in " ".join(moot(capsys, "run", file, "--quiet")[1].split())
    row = only(json.loads(moot(capsys, "report", file, "--json")[0])["accuracy"])
    assert (row["n"], row["chosen_on"]) == (10, 20)
    choices = open_store(f"sqlite:///{tmp_path}/chosen.db").frame("choices")
    assert len(choices.filter(choices["question_id"].str.starts_with("other"))) == 20


def test_digests_that_moot_wrote_before_are_known_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They hold the id: on the same file they leave out what they did, and from then on under any id."""
    file, rows = chosen(tmp_path, capsys)
    lines = [json.loads(line) for line in (tmp_path / "questions.jsonl").read_text().splitlines()]
    asked = [Question(line["id"], line["text"], tuple(line["choices"]), kind="choice") for line in lines]
    wordings = set(rows[0]["chosen_on"])
    rows[0]["chosen_on"] = [question.digest for question in asked if question.wording in wordings]
    (tmp_path / "team.json").write_text(json.dumps(rows))
    for number, name in enumerate(("chosen", "later")):
        file.write_text(file.read_text().replace("name: chosen", f"name: {name}"))
        renamed = [line | {"id": f"{line['id']}{' again' * number}"} for line in lines]
        (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, renamed)))
        moot(capsys, "run", file, "--quiet", "--store", f"sqlite:///{tmp_path}/one.db")
        report = json.loads(moot(capsys, "report", file, "--json", "--store", f"sqlite:///{tmp_path}/one.db")[0])
        assert only(report["accuracy"])["chosen_on"] == 20


def test_a_served_team_is_not_measured_on_what_it_was_chosen_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, _ = chosen(tmp_path, capsys)
    lines = [json.loads(line) for line in (tmp_path / "questions.jsonl").read_text().splitlines()]
    team = load_team(file, store=f"sqlite:///{tmp_path}/served.db")
    for line in lines:
        team.ask_sync(respelt(line["text"]), choices=line["choices"])
    team.close_sync()
    told = moot(capsys, "report", file, "--served", "--json", "--store", f"sqlite:///{tmp_path}/served.db")[0]
    row = only(json.loads(told)["accuracy"])
    assert (sum(row["outcomes"].values()), row["chosen_on"]) == (10, 20)


def test_what_is_asked_twice_is_not_chosen_on_and_tested_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Under another id, and at that in a cluster: then that is on one side too."""
    file = written(tmp_path)
    lines = [json.loads(line) for line in (tmp_path / "questions.jsonl").read_text().splitlines()]
    again = [{**line, "id": f"again {line['id']}", "text": respelt(line["text"])} for line in lines]
    again[0]["package"] = again[1]["package"] = "both"
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, [*lines, *again])))
    file.write_text(file.read_text().replace("questions.jsonl}", "questions.jsonl, cluster: package}"))
    moot(capsys, "run", file, "--quiet")
    options = ("--k", 2, "--m", 30, "--method", "top-accuracy", "--splits", 1, "--json")
    for seed in range(3):
        (row,) = json.loads(moot(capsys, "select", file, *options, "--seed", seed)[0])
        assert row["n"] == 60 - 2 * len(row["chosen_on"])
        pair = {Question("", line["text"], tuple(line["choices"])).wording for line in lines[:2]}
        assert len(pair & set(row["chosen_on"])) != 1


def test_where_nothing_is_left_nothing_is_claimed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, rows = chosen(tmp_path, capsys, 20)
    wordings = set(rows[0]["chosen_on"])
    kept = [json.loads(line) for line in (tmp_path / "questions.jsonl").read_text().splitlines()]
    asked = [
        question
        for question in kept
        if Question(question["id"], question["text"], tuple(question["choices"]), kind="choice").wording in wordings
    ]
    assert len(asked) == 20
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, asked)))
    file.write_text(file.read_text().replace("name: chosen", "name: again"))
    moot(capsys, "run", file, "--quiet")
    report = json.loads(moot(capsys, "report", file, "--json")[0])
    row = only(report["accuracy"])
    assert (row["value"], row["low"], row["high"], row["n"], row["chosen_on"]) == (None, None, None, 0, 20)
    assert "chosen on" in row["why"]
    assert "mixture" not in json.dumps(report.get("headline"))
    page = " ".join(moot(capsys, "report", file)[0].split())
    assert "all 20 questions are those that it was chosen on: nothing is left to measure it by" in page


def test_no_prompt_calls_them_other_questions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, rows = chosen(tmp_path, capsys)
    moot(capsys, "run", file, "--quiet")
    told = moot(capsys, "show", file, "q1", "--strategy", "mixture")[0]
    assert f'accuracy="{100 * max(rows[0]["accuracies"].values()):.1f} %"' in told
    assert "other questions" not in told


def test_a_choice_on_a_label_matrix_is_known_by_the_ids(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path)
    lines = ["question_id,model,pred,answer"]
    draw = random.Random(2)
    for question in map(json.loads, (tmp_path / "questions.jsonl").read_text().splitlines()):
        answer = question["answer"]
        lines += [
            f"{question['id']},{model},{answer if draw.random() < 0.6 else 'A'},{answer}"
            for model in ("a-break", "a-opposite", "b-break")
        ]
    (tmp_path / "labels.csv").write_text("\n".join(lines))
    out, _ = moot(capsys, "select", tmp_path / "labels.csv", "--k", 2, "--m", 12, "--method", "greedy", "--json")
    (tmp_path / "team.json").write_text(out)
    file.write_text(CHOICE.replace("repeats: 2", "repeats: 2, shown_accuracies: team.json"))
    moot(capsys, "run", file, "--quiet")
    report = json.loads(moot(capsys, "report", file, "--json")[0])
    assert (only(report["accuracy"])["n"], only(report["accuracy"])["chosen_on"]) == (18, 12)


def test_ids_of_a_label_matrix_that_nobody_here_has_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They may be these very questions under other ids, for all that anybody knows."""
    file, rows = chosen(tmp_path, capsys)
    del rows[0]["chosen_on"]
    rows[0]["chosen_on_ids"] = ["q1", "elsewhere 1", "elsewhere 2"]
    (tmp_path / "team.json").write_text(json.dumps(rows))
    said = (
        "2 of those ids are of no question here, and whether it is asked one of these questions under another id nobody"
    )
    assert said in " ".join(moot(capsys, "run", file, "--quiet")[1].split())
    row = only(json.loads(moot(capsys, "report", file, "--json")[0])["accuracy"])
    assert (row["n"], row["chosen_on"], row["chosen_on_ids"]) == (29, 1, 2)
    assert said in " ".join(moot(capsys, "report", file)[0].split())


def test_an_old_selection_without_its_questions_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, rows = chosen(tmp_path, capsys)
    del rows[0]["chosen_on"]
    (tmp_path / "team.json").write_text(json.dumps(rows))
    assert run_app(app, ["run", str(file), "--quiet"]) == 2
    assert "does not say which questions it was chosen on" in capsys.readouterr().err


def test_a_comparison_says_that_it_was_chosen_on_what_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, _ = chosen(tmp_path, capsys)
    moot(capsys, "run", file, "--quiet")
    label = only(json.loads(moot(capsys, "report", file, "--json")[0])["accuracy"])["label"]
    asked = ("compare", file, "--a", label, "--b", "solo@a-break")
    row = json.loads(moot(capsys, *asked, "--json")[0])
    assert (row["n"], row["left_out"], row["chosen_on"]) == (10, 0, 20)
    said = " ".join(moot(capsys, *asked)[0].split())
    assert "On the 10 questions that both played and that neither was chosen on" in said
    assert "20 questions that one of them was chosen on are left out" in said
    assert "only one of them has played" not in said


def test_sets_say_how_many_questions_are_a_rows_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The team was chosen on two in three of all questions; its players have all of them."""
    file, _ = chosen(tmp_path, capsys)
    lines = (tmp_path / "questions.jsonl").read_text().splitlines()
    (tmp_path / "first.jsonl").write_text("\n".join(lines[:20]))
    (tmp_path / "second.jsonl").write_text("\n".join(lines[20:]))
    file.write_text(file.read_text().replace("{file: questions.jsonl}", "[{file: first.jsonl}, {file: second.jsonl}]"))
    moot(capsys, "run", file, "--quiet")
    report = json.loads(moot(capsys, "report", file, "--json")[0])
    own = {row["question_set"]: row["n"] for row in report["question_sets"] if row["strategy"] == "mixture"}
    assert sum(own.values()) == 10
    section = next(section for section in all_sections(report) if section.id == "sets")
    assert section.words[0] == (
        f"Graded questions: first {own['first']} to 20, second {own['second']} to 10; n says how many are a row's own."
    )
    assert [column.title for column in section.columns].count("n") == 2
    assert {row["set first n"] for row in section.rows} == {own["first"], 20}


@pytest.mark.parametrize("played_by", ["vote", "mixture"])
def test_select_ends_with_a_team_to_paste_whose_figures_leave_out_what_it_was_chosen_on(
    played_by: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last lines do what they say: the command writes the file, the lines are taken as they stand."""
    monkeypatch.chdir(tmp_path)
    file = written(tmp_path)
    plain = CHOICE[: CHOICE.index("strategies:")]
    if played_by == "vote":
        file.write_text(f"{plain}\nstrategies: [solo]\n")
    moot(capsys, "run", file, "--quiet")
    choose = ("select", file, "--k", 2, "--m", 20, "--method", "top-accuracy,conditioned-diversity")
    told = moot(capsys, *choose, "--option", "conditioned-diversity.tau=0.2")[0].splitlines()
    ending = told[next(place for place, line in enumerate(told) if line.startswith("The team to take")) :]
    to_paste = ending[
        next(place for place, line in enumerate(ending) if line.startswith("In the experiment file")) + 1 :
    ]
    ending = [line.strip() for line in ending]
    command = next(line for line in ending if line.startswith("moot select "))
    words = shlex.split(command.removeprefix("moot ").removesuffix(" > team.json"))
    (tmp_path / "team.json").write_text(moot(capsys, *words)[0])
    assert json.loads((tmp_path / "team.json").read_text())[0]["team"] == ending[1].split(", ")
    pasted = textwrap.dedent("\n".join(to_paste))
    file.write_text(f"{plain}\n{pasted}\n")
    _, err = moot(capsys, "run", file, "--quiet")
    assert re.search(rf"{played_by}.*: 20 of its 30 questions are those that it was chosen on", " ".join(err.split()))
    rows = {row["strategy"]: row for row in json.loads(moot(capsys, "report", file, "--json")[0])["accuracy"]}
    assert (rows[played_by]["n"], rows[played_by]["chosen_on"]) == (10, 20)
    assert played_by == "mixture" or rows["solo"]["n"] == 30


def test_a_team_that_names_anothers_selection_is_a_mistake(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file, rows = chosen(tmp_path, capsys)
    others = sorted({"a-break", "a-opposite", "b-break"} - {rows[0]["team"][0]})
    plain = CHOICE[: CHOICE.index("strategies:")]
    file.write_text(
        f"{plain}\nteams: {{two: {{players: {json.dumps(others)}, selection: team.json}}}}\nstrategies: [vote]\n"
    )
    assert run_app(app, ["run", str(file), "--quiet"]) == 2
    assert "teams.two.selection: team.json chose" in capsys.readouterr().err


def test_fewer_proposers_than_asked_for_are_all_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path)
    moot(capsys, "run", file, "--quiet")
    out, err = moot(capsys, "select", file, "--k", "2,5,7", "--m", 20, "--method", "top-accuracy", "--json")
    assert [row["k"] for row in json.loads(out)] == [2, 3]
    assert "there are 3 proposers, where teams of 5, 7 are asked for: k 3" in err


def test_a_primary_of_which_nothing_is_left_is_not_called_undeclared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, rows = chosen(tmp_path, capsys, 20)
    wordings = set(rows[0]["chosen_on"])
    kept = [json.loads(line) for line in (tmp_path / "questions.jsonl").read_text().splitlines()]
    asked = [each for each in kept if Question("", each["text"], tuple(each["choices"])).wording in wordings]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, asked)))
    config = yaml.safe_load(file.read_text()) | {"name": "again"}
    config |= {"primary": "mixture", "hypotheses": ["accuracy(mixture) > 0.5"]}
    file.write_text(yaml.safe_dump(config, sort_keys=False))
    moot(capsys, "run", file, "--quiet")
    report = json.loads(moot(capsys, "report", file, "--json")[0])
    headline, (hypothesis,) = report["headline"], report["hypotheses"]
    why = "every question that it has played is one that it was chosen on"
    assert headline["primary_unmeasured"]["of"] == "mixture"
    assert headline["primary_unmeasured"]["why"].startswith(why)
    assert f"The declared primary, mixture, has no figure: {why}" in headline["sentence"]
    assert "No primary was declared" not in headline["sentence"]
    assert why in hypothesis["note"]
    assert "not been played" not in hypothesis["note"]
