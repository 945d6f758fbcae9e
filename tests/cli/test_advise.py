"""`moot advise`: what it reads, what it prints, what it writes, and what it refuses."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from moot.advise.known import parted_in_two
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.experiment.selected import read_selection
from moot.experiment.spec import read_experiment

Moot = Callable[..., str]
PLAYERS: Mapping[str, float] = {"ann": 0.75, "bob": 0.7, "cat": 0.65}


@pytest.fixture
def moot(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Moot:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments: object, ends: int = 0, errors: bool = False, printed: bool = False) -> str:
        capsys.readouterr()
        code = run_app(app, [str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        assert code == ends, (out, err)
        return err if (ends or errors) and not printed else out

    return run


def said(name: str, number: int) -> str:
    draw = random.Random(f"{name} {number}")
    return "A" if draw.random() < PLAYERS[name] else draw.choice("BCD")


def write_labels(path: Path, questions: int = 80) -> None:
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["question_id", "model", "pred", "answer"])
        rows.writerows([number, name, said(name, number), "A"] for number in range(questions) for name in PLAYERS)


def write_cup(folder: Path, questions: int = 80, **keys: Any) -> None:
    cases = [
        {"id": f"q{n}", "text": f"Question {n}?", "choices": ["r", "x", "y", "z"], "answer": "A"}
        for n in range(questions)
    ]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, cases)))
    replies = [
        {"model": name, "question_id": f"q{number}", "answer": said(name, number)}
        for name in PLAYERS
        for number in range(questions)
    ]
    (folder / "replies.jsonl").write_text("\n".join(map(json.dumps, replies)))
    models = {name: {"provider": "recorded", "file": "replies.jsonl", "model": name} for name in PLAYERS}
    cup = {"name": "cup", "questions": {"file": "questions.jsonl"}, "models": models, "strategies": ["solo"], **keys}
    (folder / "cup.yaml").write_text(yaml.safe_dump(cup))


def test_the_same_answers_are_advised_alike_from_wherever_they_come(moot: Moot, tmp_path: Path) -> None:
    """A run, and its recordings."""
    write_cup(tmp_path)
    moot("run", "cup.yaml", "--quiet")
    of_run = json.loads(moot("advise", "cup.yaml", "--json"))
    of_replies = json.loads(moot("advise", "replies.jsonl", "--questions", "questions.jsonl", "--json"))
    assert {row["usd_per_1000"] for row in of_run["frontier"]} == {None}, "no recording says what it cost"
    assert of_run["frontier"] == of_replies["frontier"]
    assert of_run["n"] == of_replies["n"] == 80
    assert set(of_run["recommended"]) >= {"option", "players", "rule", "accuracy", "low", "high", "calls", "sentence"}


@pytest.mark.parametrize(
    ("costs", "by", "words"),
    [
        ({"ann": (0.03, 0.03), "bob": (0.02, 0.02), "cat": (0.01, 0.01)}, "usd_per_1000", "by money"),
        ({"ann": (0.03, 0.03), "bob": (0.02, None), "cat": (0.01, 0.01)}, "calls", "by calls (cost of bob unknown)"),
        ({"ann": (0.03, None), "bob": (None, 0.02), "cat": (0.01, None)}, "calls", "by calls (costs unknown)"),
        ({}, "calls", "by calls (costs unknown)"),
        (dict.fromkeys(PLAYERS, (0.0, 0.0)), "calls", "by calls (nothing costs money)"),
    ],
    ids=["all", "one-half-known", "all-half-known", "none", "free"],
)
def test_cheap_says_by_what_and_a_cost_that_is_known_in_part_is_not_known(
    costs: Mapping[str, tuple[float | None, float | None]],
    by: str,
    words: str,
    moot: Moot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of the questions with even numbers, and of those with odd ones."""
    _learns_nothing(monkeypatch)
    write_cup(tmp_path)
    replies = [json.loads(line) for line in (tmp_path / "replies.jsonl").read_text().splitlines()]
    for row in replies:
        row["cost_usd"] = costs.get(row["model"], (None, None))[int(row["question_id"][1:]) % 2]
    (tmp_path / "replies.jsonl").write_text("\n".join(map(json.dumps, replies)))
    moot("run", "cup.yaml", "--quiet")
    screen = " ".join(moot("advise", "cup.yaml").split())
    told = json.loads(moot("advise", "cup.yaml", "--json"))
    for advice in (told, json.loads(moot("advise", "replies.jsonl", "--questions", "questions.jsonl", "--json"))):
        assert advice["cost"] == by
        assert f"cheap{'er' if 'cheaper' in advice['recommended']['sentence'] else 'est'} {words}" in screen
        why = None if by == "usd_per_1000" else words.removeprefix("by calls (").removesuffix(")")
        assert advice["why_calls"] == why
        for row in (*advice["frontier"], *advice["beside"]):
            known = all(costs.get(name) and None not in costs[name] for name in row["players"])
            assert (row["usd_per_1000"] is not None) is known
    partly = [name for name, ends in costs.items() if ends.count(None) == 1]
    for name in partly:
        assert f"the cost of {name} is known for 40 of 80 drafts only, and so taken as unknown" in told["notes"]


def test_it_is_one_screen(moot: Moot, tmp_path: Path) -> None:
    write_labels(tmp_path / "labels.csv")
    lines = moot("advise", "labels.csv").rstrip("\n").split("\n")
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert lines[0] == "3 players, 80 graded questions: searched on 40, tested on the other 40."
    assert any(line.startswith("> ") for line in lines)
    assert any(line.startswith("Take ") for line in lines)


def test_a_promise_that_cannot_be_made_is_not(moot: Moot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _learns_nothing(monkeypatch)
    write_labels(tmp_path / "labels.csv")
    told = json.loads(moot("advise", "labels.csv", "--min-accuracy", "0.99", "--json", ends=2, printed=True))
    assert (told["recommended"]["likely"], told["recommended"]["promised"]) == (False, False)
    sentence = told["recommended"]["sentence"]
    assert told["recommended"]["least_accuracy"] == "not reached"
    none = f"None of the {told['weighed']} options weighed reaches 99 % on these questions. The most accurate is "
    assert sentence.startswith(none)
    assert "cheapest" not in sentence
    assert "options weighed reaches 99 % on these" in moot(
        "advise", "labels.csv", "--min-accuracy", "0.99", ends=2, printed=True
    )
    kept = json.loads(moot("advise", "labels.csv", "--min-accuracy", "0.3", "--json"))
    assert (kept["recommended"]["likely"], kept["recommended"]["promised"]) == (True, True)
    assert kept["recommended"]["low"] >= 0.3


def test_a_player_alone_who_is_cheaper_and_more_accurate_is_weighed_whatever_the_first_half_says(
    moot: Moot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the half searched on bob is as right as ann and the frontier has one of them; on the other half she is far ahead."""
    _learns_nothing(monkeypatch)
    numbers = range(80)
    search = set(parted_in_two([str(number) for number in numbers]).search.tolist())
    with (tmp_path / "labels.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["question_id", "model", "pred", "answer"])
        for number in numbers:
            easy = number % 4 > 0
            right = {
                "ann": easy or number not in search,
                "bob": easy and (number in search or number % 8 > 4),
                "cat": False,
            }
            rows.writerows([number, name, "A" if right[name] else "B", "A"] for name in right)
    for goal in ((), ("--most-accurate",)):
        told = json.loads(moot("advise", "labels.csv", "--json", *goal))
        weighed = [*told["frontier"], *told["beside"]]
        assert {row["players"][0] for row in weighed if row["rule"] == "single"} == {"ann", "bob", "cat"}
        assert told["weighed"] == len(weighed)
        assert told["recommended"]["option"] == "ann alone"
        assert told["most_accurate"]["pooled"] == max(row["pooled"] for row in weighed)
        screen = moot("advise", "labels.csv", *goal)
        assert len(screen.splitlines()) <= 24
        assert f"of the {told['weighed']} options weighed" in " ".join(screen.split())


def test_what_is_likely_and_not_shown_is_written_with_what_would_show_it(
    moot: Moot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _learns_nothing(monkeypatch)
    write_cup(tmp_path)
    moot("run", "cup.yaml", "--quiet")
    best = json.loads(moot("advise", "cup.yaml", "--json"))["most_accurate"]
    asked = str(round(best["low"] + 0.02, 2))
    told = json.loads(moot("advise", "cup.yaml", "--json", "--min-accuracy", asked))["recommended"]
    assert (told["least_accuracy"], told["likely"], told["promised"]) == ("likely", True, False)
    assert told["to_show"] > 0
    assert "likely reaches" in told["sentence"]
    assert "That is likely but not shown: its interval extends below; about " in told["sentence"]
    assert "Written: team.yaml" in moot("advise", "cup.yaml", "--min-accuracy", asked, "-o", "team.yaml", errors=True)


def test_a_team_that_does_not_reach_the_least_accuracy_is_not_written(
    moot: Moot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _learns_nothing(monkeypatch)
    write_cup(tmp_path)
    moot("run", "cup.yaml", "--quiet")
    said = moot("advise", "cup.yaml", "--min-accuracy", "0.99", "-o", "team.yaml", ends=2)
    assert "team.yaml is not written: none of the " in said
    assert " reaches 99 % on these questions. " in said
    assert not (tmp_path / "team.yaml").exists()


def test_who_answers_at_once_has_no_times(moot: Moot, tmp_path: Path) -> None:
    write_cup(tmp_path)
    moot("run", "cup.yaml", "--quiet")
    said = moot("advise", "cup.yaml", "--max-seconds", "2", ends=2)
    assert "expected a run whose models take time" in said


def test_few_questions_are_said_to_tell_nothing(moot: Moot, tmp_path: Path) -> None:
    write_labels(tmp_path / "labels.csv", 30)
    assert "30 graded questions are too few" in moot("advise", "labels.csv", ends=2, printed=True).replace("\n  ", " ")
    told = json.loads(moot("advise", "labels.csv", "--json", ends=2, printed=True))
    assert told["recommended"] is None
    assert told["frontier"] == []
    assert "too few" in told["why"]


@pytest.mark.parametrize(
    ("strategy", "rule"),
    [("vote", "single"), ("weighted", "weighted"), ("leader", "leader")],
)
def test_the_team_is_written_ready_to_be_asked(
    moot: Moot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, strategy: str, rule: str
) -> None:
    """Whatever is chosen: here all but one kind of option are kept from it."""
    _only(monkeypatch, rule)
    write_cup(tmp_path)
    moot("run", "cup.yaml", "--quiet")
    assert "Written: team.yaml" in moot("advise", "cup.yaml", "-o", "team.yaml", errors=True)
    team = read_experiment(tmp_path / "team.yaml", with_questions=False).spec
    (entry,) = team.strategies
    assert (entry if isinstance(entry, str) else next(iter(entry))) == strategy
    chosen = read_selection(tmp_path / "team.chosen.json")
    assert set(chosen.team) == set(team.teams["advised"].players)
    several = json.loads(moot("advise", "cup.yaml", "--json"))["weighed"] > 1
    assert len(chosen.chosen_on.marks) == (80 if several else 40), "all questions choose between several points"
    _measured_beside(moot, tmp_path, left_out=80 if several else 40)


@pytest.mark.parametrize("rule", ["learnt", "cascade"])
def test_what_was_learnt_goes_with_the_team(
    moot: Moot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rule: str
) -> None:
    _only(monkeypatch, rule)
    monkeypatch.setattr("moot.decide.learning.mean_and_error", lambda values, units: (0.1, 0.01))
    write_cup(tmp_path)
    moot("run", "cup.yaml", "--quiet")
    moot("advise", "cup.yaml", "-o", "team.yaml")
    (entry,) = read_experiment(tmp_path / "team.yaml", with_questions=False).spec.strategies
    assert isinstance(entry, dict)
    assert rule in entry
    content = json.loads((tmp_path / "team.rule.json").read_text())
    assert len(content["chosen_on"]) == 40, "it was learnt on these"
    several = json.loads(moot("advise", "cup.yaml", "--json"))["weighed"] > 1
    _measured_beside(moot, tmp_path, left_out=80 if several else 40)


def _learns_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which takes most of the time."""
    monkeypatch.setattr("moot.advise.find.FEWEST", 1_000)


def _only(monkeypatch: pytest.MonkeyPatch, rule: str) -> None:
    import moot.advise.advice as advising

    every = advising.find_options
    if rule not in ("learnt", "cascade"):
        _learns_nothing(monkeypatch)

    def found(drafts: Any, **limits: Any) -> Any:
        all_of_them = every(drafts, **limits)
        kept = [
            each for each in all_of_them.options if each.kind == rule and (rule != "cascade" or each.learnt is not None)
        ]
        return type(all_of_them)(kept, len(kept), all_of_them.every_team)

    monkeypatch.setattr(advising, "find_options", found)


def _measured_beside(moot: Moot, folder: Path, left_out: int) -> None:
    """Played on the same questions the team's figures leave out what it was chosen on."""
    team = yaml.safe_load((folder / "team.yaml").read_text())
    (folder / "again.yaml").write_text(yaml.safe_dump({**team, "questions": {"file": "questions.jsonl"}}))
    moot("run", "again.yaml", "--quiet")
    rows = json.loads(moot("report", "again.yaml", "--json"))["accuracy"]
    assert [row["n"] for row in rows] == [80 - left_out]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["labels.csv", "-o", "team.yaml"], "name no endpoint that could be served"),
        (["cup.yaml", "-o", "cup.yaml"], "is the experiment file itself"),
        (["cup.yaml", "-o", "team.json"], "expected a name that ends in .yaml"),
        (["cup.yaml", "-o", "sub/team.yaml"], "expected a file beside cup.yaml"),
        (["labels.csv", "--budget-usd-per-1000", "2"], "of no player it is known what it costs"),
        (["labels.csv", "--max-seconds", "2"], "it is not known how long anybody took"),
        (["labels.csv", "--min-accuracy", "80"], "for 80 % write 0.8"),
        (["labels.csv", "--min-accuracy", "1.5"], "expected a share between 0 and 1, found 1.5$"),
        (["labels.csv", "--min-accuracy", "inf"], "expected a share between 0 and 1, found inf$"),
        (["labels.csv", "--min-accuracy", "nan"], "expected a share between 0 and 1, found nan$"),
        (["labels.csv", "labels.csv"], "a label matrix goes alone"),
        (["labels.csv", "--store", "sqlite:///x.db"], "--store goes with an experiment file"),
        (["cup.yaml", "--questions", "questions.jsonl"], "does not go with an experiment file"),
        (["replies.jsonl"], "expected --questions"),
        (["nothing.txt"], "expected an experiment file"),
    ],
)
def test_what_is_refused(moot: Moot, tmp_path: Path, arguments: list[str], words: str) -> None:
    write_cup(tmp_path)
    write_labels(tmp_path / "labels.csv")
    assert words in " ".join(moot("advise", *arguments, ends=2).split()) + "$"


def test_one_player_is_no_choice(moot: Moot, tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text("question_id,model,pred,answer\n" + "1,ann,A,A\n2,ann,B,A\n")
    assert "there is one player (ann)" in moot("advise", "labels.csv", ends=2)


def test_a_run_without_drafts_says_what_is_missing(moot: Moot, tmp_path: Path) -> None:
    write_cup(tmp_path)
    moot("run", "cup.yaml", "--quiet")
    turned = dict(zip(PLAYERS, ("bob", "cat", "ann"), strict=True))
    other = {name: {"provider": "recorded", "file": "replies.jsonl", "model": turned[name]} for name in PLAYERS}
    write_cup(tmp_path, models=other)
    assert "no graded drafts of ann, bob, cat" in " ".join(moot("advise", "cup.yaml", ends=2).split())


def test_other_names_change_no_advice(moot: Moot, tmp_path: Path) -> None:
    """Ties of the search fall to a seat, which hangs on no name."""
    names = dict(zip(("ann", "bob", "cat", "dan", "eve"), ("zoe", "bea", "yun", "abe", "mia"), strict=True))
    draw = random.Random(3)
    able = dict(zip(names, (0.75, 0.62, 0.62, 0.6, 0.6), strict=True))
    rows = [
        (number, name, "A" if draw.random() < accuracy else draw.choice("BCD"), "A")
        for number in range(60)
        for name, accuracy in able.items()
    ]
    for file, called in (("one.csv", dict(zip(names, names, strict=True))), ("other.csv", names)):
        with (tmp_path / file).open("w", newline="") as out:
            csv.writer(out).writerows(
                [["question_id", "model", "pred", "answer"], *([row[0], called[row[1]], *row[2:]] for row in rows)]
            )
    one, other = (json.loads(moot("advise", file, "--json")) for file in ("one.csv", "other.csv"))
    for told, renamed in zip(one["frontier"], other["frontier"], strict=True):
        assert sorted(names[player] for player in told["players"]) == sorted(renamed["players"])
        for key in ("rule", "accuracy", "low", "high", "calls"):
            assert told[key] == renamed[key]
    assert one["looked_at"] == other["looked_at"]
    assert one["recommended"]["accuracy"] == other["recommended"]["accuracy"]


def test_answers_that_are_missing_are_told(moot: Moot, tmp_path: Path) -> None:
    """Whether somebody was silent or never asked stands in no label file."""
    rows = ["question_id,model,pred,answer"]
    for number in range(60):
        rows += [f"q{number},{name},{'A' if number % part else 'B'},A" for name, part in (("old", 3), ("older", 2))]
        rows += [f"q{number},new,A,A"] if number % 5 else []
    (tmp_path / "labels.csv").write_text("\n".join(rows) + "\n")
    told = json.loads(moot("advise", "labels.csv", "--json"))
    assert told["notes"][0] == "12 of 180 answers are missing and count as not right: of new (12 of 60)"


def write_team_that_wins(folder: Path, questions: int) -> None:
    """Each of three errs on its own questions, so the vote is ahead of all of them."""
    write_cup(folder, questions, strategies=["solo", "vote"], primary="vote")
    replies = [
        {"model": name, "question_id": f"q{number}", "answer": "B" if number % 10 == place else "A"}
        for place, name in enumerate(PLAYERS)
        for number in range(questions)
    ]
    (folder / "replies.jsonl").write_text("\n".join(map(json.dumps, replies)))


def test_advice_against_the_runs_own_verdict_is_said_to_be(
    moot: Moot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _learns_nothing(monkeypatch)
    monkeypatch.setattr("moot.advise.choice.mean_and_error", lambda gaps, units: (float(gaps.mean()), 1.0))
    write_team_that_wins(tmp_path, 100)
    moot("run", "cup.yaml", "--quiet")
    headline = json.loads(moot("report", "cup.yaml", "--json"))["headline"]
    assert headline["over_best_single"]["low"] > 0, "the run's verdict is for the team"
    told = json.loads(moot("advise", "cup.yaml", "--json"))
    assert told["recommended"]["rule"] == "single"
    over = {key: headline["over_best_single"][key] for key in ("single", "difference", "low", "high")}
    verdict = told["run_verdict"]
    assert (verdict.pop("of"), verdict.pop("single"), verdict.pop("agrees")) == ("vote", over.pop("single"), False)
    assert verdict == pytest.approx(over, abs=1e-6)
    assert told["most_accurate"]["rule"] != "single"
    screen = moot("advise", "cup.yaml")
    assert len(screen.splitlines()) <= 24
    words = " ".join(screen.split())
    assert (
        "no goal was given, so it is the cheapest by calls (costs unknown) within one standard error of the most"
        " accurate, of the"
        f" {told['weighed']} options weighed on all 100 questions" in words
    )
    assert f"The most accurate of them over all questions: {told['most_accurate']['option']} has " in words
    assert "--most-accurate picks it." in words
    better = f"vote is better than {headline['over_best_single']['single']} alone: +10.0 points"
    assert f"The run's own verdict differs: {better}" in words
    told_apart = told["surer"]["told_apart"] and told["surer"]["difference"] < 0
    assert ("But on the held-out questions the most accurate is ahead, by more than chance." in words) is told_apart


def test_the_most_accurate_is_taken_where_it_is_asked_for(
    moot: Moot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _learns_nothing(monkeypatch)
    write_team_that_wins(tmp_path, 100)
    moot("run", "cup.yaml", "--quiet")
    usual = json.loads(moot("advise", "cup.yaml", "--json"))
    told = json.loads(moot("advise", "cup.yaml", "--most-accurate", "--json"))
    taken = {key: told["recommended"][key] for key in usual["most_accurate"]}
    assert taken == usual["most_accurate"] == told["most_accurate"]
    assert told["run_verdict"]["agrees"]
    words = " ".join(moot("advise", "cup.yaml", "--most-accurate").split())
    assert "it is the most accurate on all 100 questions, as requested." in words
    assert "verdict" not in words
    assert "expected one" in moot("advise", "cup.yaml", "--most-accurate", "--min-accuracy", "0.5", ends=2)


def test_where_nobody_is_ever_right_nothing_is_recommended(moot: Moot, tmp_path: Path) -> None:
    with (tmp_path / "labels.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["question_id", "model", "pred", "answer"])
        rows.writerows([number, name, f"{name} {number}", "A"] for number in range(80) for name in PLAYERS)
    told = " ".join(moot("advise", "labels.csv", ends=2, printed=True).split())
    assert "Nothing can be advised: nobody was right on any of 80 graded questions, so that no option is better" in told
    assert "Take " not in told
    figures = json.loads(moot("advise", "labels.csv", "--json", ends=2, printed=True))
    assert figures["recommended"] is None
    assert figures["why"].startswith("nobody was right on any of 80 graded questions")


@pytest.mark.parametrize(("blank", "left"), [({3, 7}, 78), (set(range(50)), None)])
def test_questions_without_a_reference(blank: set[int], left: int | None, moot: Moot, tmp_path: Path) -> None:
    """A few are left out with a note; of most nobody would have meant that. No key of a file is named, since there is none."""
    write_cup(tmp_path)
    path = tmp_path / "questions.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows = [{**row, "answer": ""} if place in blank else row for place, row in enumerate(rows)]
    path.write_text("\n".join(map(json.dumps, rows)))
    asked = ("advise", "replies.jsonl", "--questions", "questions.jsonl", "--json")
    if left is None:
        said = moot(*asked, ends=2)
        assert "the reference is missing in 50 of 80 rows (line 1, 2, " in said
        assert "skip_blank" not in said
        return
    told = json.loads(moot(*asked))
    assert told["n"] == left
    assert "questions.jsonl: 2 rows are left out: they have no reference (line 4, 8)" in told["notes"]
