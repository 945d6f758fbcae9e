"""`moot fit`: what it writes, what it refuses, and that a rule decides for its own team alone."""

from __future__ import annotations

import json
import random
import re
import shlex
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml
from fit_commands import FitFolder

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.decide.drift import Drift
from moot.stats.estimates import estimate
from moot.types import Estimate

PLAYERS = ("ann", "bob", "cat", "dan")


class Cup(FitFolder):
    """An experiment with recorded players, so that every answer is known: 0 is the right choice."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], accuracies: Mapping[str, float]) -> None:
        super().__init__(folder, capsys, "cup.yaml")
        self.said: dict[tuple[str, int], str | None] = {}
        draw = random.Random(5)
        for name, accuracy in accuracies.items():
            for number in range(80):
                self.said[name, number] = "A" if draw.random() < accuracy else draw.choice("BCD")
        self.keys: dict[str, Any] = {
            "name": "cup",
            "questions": {"file": "questions.jsonl"},
            "models": {name: {"provider": "recorded", "file": "replies.jsonl", "model": name} for name in accuracies},
            "strategies": ["solo", "vote"],
        }

    def write(self, questions: int = 40, **keys: Any) -> None:
        lines = [
            {"id": f"q{n}", "text": f"Question {n}?", "choices": ["r", "x", "y", "z"], "answer": "A"}
            for n in range(questions)
        ]
        (self.folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)))
        replies = [
            {"model": name, "question_id": f"q{number}", **({"text": "Hm."} if word is None else {"answer": word})}
            for (name, number), word in self.said.items()
        ]
        (self.folder / "replies.jsonl").write_text("\n".join(map(json.dumps, replies)))
        self.file.write_text(yaml.safe_dump({**self.keys, **keys}))


@pytest.fixture
def cup(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Cup:
    return Cup(tmp_path, capsys, {"ann": 0.9, "bob": 0.4, "cat": 0.4, "dan": 0.4})


FROM = ["solo", "vote", {"learnt": {"from": "rule.json"}}]


def test_from_a_run_to_a_rule_that_decides(cup: Cup) -> None:
    cup.write()
    cup.moot("run", cup.file, "--quiet")
    said = cup.fit()
    rule = cup.rule
    assert rule["kept"] in ("learnt", "best single")
    assert set(rule["figures"]) == {"learnt", "plurality", "best single"}
    assert all(figure["n"] == 40 for figure in rule["figures"].values())
    assert rule["figures"][rule["kept"]]["value"] > rule["figures"]["plurality"]["value"]
    assert rule["learnt_from"] == {"experiment": "cup", "team": "all", "questions": 40}
    assert len(set(rule["chosen_on"])) == 40
    assert list(rule["players"]) == list(PLAYERS)
    assert rule["players"]["ann"]["right"] > 0.8
    assert f"Kept: {rule['kept']} (" in said
    assert "own figure comes from learning and choosing again" in said
    kept = rule["figures"][rule["kept"]]
    assert kept["low"] < estimate([1.0] * round(40 * kept["value"]) + [0.0] * (40 - round(40 * kept["value"]))).low  # type: ignore[union-attr, operator]
    assert "strategies: [{learnt: {from: rule.json}}]" in said
    assert f"moot serve {cup.file}" in said
    assert all(words in said for words in rule["words"])

    cup.write(questions=80, strategies=FROM)
    said = cup.moot("run", cup.file, "--quiet")
    assert "40 of its 80 questions are those that it was chosen on; no figure uses them" in said
    cup._capsys.readouterr()
    assert run_app(app, ["report", str(cup.file), "--json"]) == 0
    figures = json.loads(cup._capsys.readouterr().out)
    by_name = {row["strategy"]: row for row in figures["accuracy"] if row["strategy"] != "solo"}
    assert (by_name["learnt"]["n"], by_name["learnt"]["chosen_on"]) == (40, 40)
    assert by_name["learnt"]["value"] > by_name["vote"]["value"]


def test_a_cascade_decides_by_a_rule_and_asks_as_few_as_it_takes(cup: Cup) -> None:
    for model in cup.keys["models"].values():
        model["price"] = {"prompt": 1, "completion": 1}
    cup.write()
    cup.moot("run", cup.file, "--quiet")
    cup.fit()
    stages = [set(stage["weights"]) for stage in cup.rule["stages"]]
    assert {"ann"} in stages
    assert all(len(stage) < len(PLAYERS) for stage in stages)
    orders = [{"order": order, "until": 0.6, "from": "rule.json"} for order in ("learnt", "best", "cheapest")]
    strategies = ["vote", {"learnt": {"from": "rule.json"}}, *({"cascade": each} for each in orders)]
    cup.write(80, strategies=strategies)
    cup.moot("run", cup.file, "--quiet")
    cup._capsys.readouterr()
    assert run_app(app, ["report", str(cup.file), "--json"]) == 0
    figures = json.loads(cup._capsys.readouterr().out)
    assert len(figures["cascade"]) == 3
    assert all(row["n"] == 40 for row in figures["cascade"])
    assert figures["cascade"][1]["calls_per_question"] < 2
    assert figures["cascade"][1]["accuracy"] > 0.8
    assert {row["against"].partition("(")[0] for row in figures["cascade_beside"]} == {"vote", "learnt"}
    said = cup.moot("ask", "Question 3?", "--team", cup.file, "--strategy", "cascade", ends=2)
    assert "cascade" in said
    del cup.keys["models"]["ann"]["price"]
    cup.write(80, strategies=[{"cascade": orders[-1]}])
    unknown = "order: cheapest: what ann costs is not known; expected a price, as in models: {ann: {price: {"
    assert unknown in cup.moot("run", cup.file, "--quiet", ends=2), "what nobody knows is no order"


def test_a_rule_that_does_not_know_who_was_asked_is_refused(cup: Cup) -> None:
    cup.write()
    cup.moot("run", cup.file, "--quiet")
    cup.fit()
    order = ["dan", "cat", "ann", "bob"]
    cup.write(strategies=[{"cascade": {"order": order, "until": 0.6, "from": "rule.json"}}])
    said = cup.moot("run", cup.file, ends=2)
    assert "from: it does not tell how sure an answer is where only dan and cat was asked" in said
    (cup.folder / "rule.json").write_text(json.dumps({**cup.rule, "stages": 7}))
    assert "stages: expected a list of keys and values, found 7" in cup.moot("run", cup.file, ends=2)


def test_what_is_in_a_rule_makes_it_another_and_not_where_it_is(cup: Cup) -> None:
    def cells() -> set[str]:
        with closing(sqlite3.connect(cup.folder / "cup.db")) as connection:
            return {ident for (ident,) in connection.execute("SELECT id FROM cells WHERE strategy = 'learnt'")}

    cup.write()
    cup.moot("run", cup.file, "--quiet")
    cup.fit()
    cup.write(strategies=FROM)
    cup.moot("run", cup.file, "--quiet")
    first = cells()
    assert len(first) == 1
    content = cup.rule
    (cup.folder / "other.json").write_text(json.dumps({**content, "made": "yesterday", "words": []}))
    cup.write(strategies=["solo", "vote", {"learnt": {"from": "other.json"}}])
    cup.moot("run", cup.file, "--quiet")
    assert cells() == first
    content["probability"]["common"] += 1
    (cup.folder / "other.json").write_text(json.dumps(content))
    cup.moot("run", cup.file, "--quiet")
    assert len(cells()) == 2


def test_a_rule_that_stands_in_the_file_itself_tells_its_questions_too(cup: Cup) -> None:
    cup.write()
    cup.moot("run", cup.file, "--quiet")
    cup.fit()
    cup.write(questions=44, strategies=["vote", {"learnt": {"from": cup.rule}}])
    assert "40 of its 44 questions are those that it was chosen on" in cup.moot("run", cup.file, "--quiet")
    unsaid = {key: value for key, value in cup.rule.items() if key != "chosen_on"}
    cup.write(questions=44, strategies=["vote", {"learnt": {"from": unsaid}}])
    said = cup.moot("run", cup.file, "--quiet", ends=2)
    assert "strategies.1.learnt.from: does not say which questions it was learnt from (chosen_on)" in said


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"players": {name: {"model": name} for name in PLAYERS[:3]}},
            "the rule was learnt of ann, bob, cat, dan, and no team here is these (all has ann, bob, cat)",
        ),
        (
            {
                "players": {
                    name: {"model": "bob" if name == "ann" else "ann" if name == "bob" else name} for name in PLAYERS
                }
            },
            "the rule was learnt of ann with another model (ann), or with other parameters",
        ),
        (
            {"players": {name: {"model": name, "instruction": "Be quick about it."} for name in PLAYERS}},
            "the rule was learnt of ann with another instruction, persona or worked examples",
        ),
        ({"language": "ru"}, "the rule was learnt with other prompts, or in another language"),
    ],
    ids=["players", "model", "instruction", "prompts"],
)
def test_a_rule_decides_for_no_other_team(cup: Cup, change: dict[str, Any], words: str) -> None:
    cup.write()
    cup.moot("run", cup.file, "--quiet")
    cup.fit()
    cup.write(strategies=FROM, **change)
    said = cup.moot("run", cup.file, "--quiet", ends=2)
    assert words in said
    assert "strategies.2.learnt.from" in said
    assert "moot fit FILE -o rule.json learns one anew" in said


@pytest.mark.parametrize(
    ("written", "words"),
    [
        (None, "cannot be read: No such file or directory; moot fit FILE -o {rule} writes it"),
        ("no JSON", "expected what moot fit writes: JSON"),
        ([], "expected what moot fit writes: keys and values"),
        ({"form": 1}, "does not say which questions it was learnt from (chosen_on)"),
        ({"form": 3, "chosen_on": ["x"]}, "form 1 or 2, found 3 (a newer moot wrote it)"),
        ({"form": 1, "chosen_on": ["x"], "players": []}, "players: expected keys and values"),
    ],
)
def test_a_file_that_is_no_rule(cup: Cup, written: Any, words: str) -> None:
    cup.write(strategies=FROM)
    rule = cup.folder / "rule.json"
    if written is not None:
        rule.write_text(written if isinstance(written, str) else json.dumps(written))
    assert words.replace("{rule}", shlex.quote(str(rule))) in cup.moot("run", cup.file, "--quiet", ends=2)


@pytest.mark.parametrize(
    ("where", "value", "words"),
    [
        (("kept",), "mine", "kept: expected learnt, plurality or best single, found 'mine'"),
        (("probability", "common"), "1e999", "probability.common: expected a number"),
        (("probability", "none"), [1], "probability.none: expected three numbers"),
        (("probability", "weights"), {"ann": 1}, "probability.weights: expected one for each of ann, bob, cat, dan"),
        (("players", "ann", "model_mark"), None, "players.ann: expected a text under model_mark"),
    ],
)
def test_a_rule_that_somebody_spoilt(cup: Cup, where: tuple[str, ...], value: Any, words: str) -> None:
    cup.write()
    cup.moot("run", cup.file, "--quiet")
    cup.fit()
    content = part = cup.rule
    for key in where[:-1]:
        part = part[key]
    part[where[-1]] = value
    (cup.folder / "rule.json").write_text(json.dumps(content))
    cup.write(strategies=FROM)
    assert words in cup.moot("run", cup.file, "--quiet", ends=2)


def test_fewer_than_twenty_graded_questions(cup: Cup) -> None:
    cup.write(questions=19)
    cup.moot("run", cup.file, "--quiet")
    assert "nothing is learnt: 19 graded questions; expected 20 or more" in cup.fit(ends=2)
    assert not (cup.folder / "rule.json").exists()


def test_nothing_is_there_to_learn_from(cup: Cup) -> None:
    cup.write()
    assert "run the experiment first" in cup.fit(ends=2)
    cup.moot("run", cup.file, "--quiet")
    cup.write(players={name: {"model": name, "instruction": "Be quick about it."} for name in PLAYERS})
    assert "the store has no drafts of ann, bob, cat, dan of team 'all' with these models and prompts" in cup.fit(
        ends=2
    )


def test_of_whom_it_is_not_told_how_sure_they_are_is_said_by_name(cup: Cup) -> None:
    cup.said |= {(name, number): None for name in ("cat", "dan") for number in range(10, 80)}
    cup.write()
    cup.moot("run", cup.file, "--quiet")
    assert re.findall(r"(\S+): its confidence is not known", cup.fit()) == ["solo@cat", "solo@dan"]


def test_odd_players_are_told_of(cup: Cup) -> None:
    for number in range(40):
        cup.said["ann", number] = "A"
        if number % 2:
            cup.said["bob", number] = None
    cup.write()
    cup.moot("run", cup.file, "--quiet")
    said = cup.fit()
    assert "ann was right on all 40: nobody can be better" in said
    assert "bob said nothing to 20 of 40: its weight is made of the others" in said
    tied = "9 questions are tied votes, here at what a lot comes to"
    assert f"{tied}; as it is played or served, a tie goes to the answer of a captain who plays" in said
    assert len(cup.rule["notes"]) == 2
    cup.write(strategies=["weighted"])
    cup.moot("run", cup.file, "--quiet")
    (row,) = json.loads(cup.moot("report", cup.file, "--json"))["voices"]
    assert row["odd"] == cup.rule["notes"], "a run says the same of those it learns from"
    assert "Note: ann was right on all 40" in " ".join(cup.moot("report", cup.file, "--section", "voices").split())


@pytest.mark.parametrize(
    ("accuracies", "kept", "words"),
    [
        ({"ann": 0.97, "bob": 0.3, "cat": 0.3}, "best single", "Served as solo@ann: strategies: [solo]"),
        ({"ann": 0.6, "bob": 0.6, "cat": 0.6}, "plurality", "Cheaper: a vote says the same"),
    ],
)
def test_what_does_as_well_for_less_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], accuracies: dict[str, float], kept: str, words: str
) -> None:
    cup = Cup(tmp_path, capsys, accuracies)
    cup.write()
    cup.moot("run", cup.file, "--quiet")
    said = cup.fit()
    assert cup.rule["kept"] == kept
    assert words in said
    cup.write(strategies=["solo", {"learnt": {"from": "rule.json"}}])
    assert "rule.json, which cup.yaml already uses" in cup.fit()


def test_a_leader_alone_is_no_more_than_it_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The rule has the others' answer where the leader is silent; how often the leader alone has none is told."""
    cup = Cup(tmp_path, capsys, {"ann": 0.95, "bob": 0.6, "cat": 0.6})
    for number in range(0, 80, 8):
        cup.said["ann", number] = None
    cup.write(questions=80)
    cup.moot("run", cup.file, "--quiet")
    said = cup.fit()
    assert cup.rule["kept"] == "best single"
    assert "ann alone says the same in one call, unless ann has no answer, as on 10 of 80 questions. Served" in said


def test_all_alike(cup: Cup) -> None:
    for number in range(40):
        for name in PLAYERS:
            cup.said[name, number] = cup.said["bob", number]
    cup.write()
    cup.moot("run", cup.file, "--quiet")
    said = cup.fit()
    assert "all said the same to every question: no rule makes a difference" in said
    assert cup.rule["kept"] == "plurality"
    assert cup.rule["words"] == ["everybody counts alike"]


def test_whoever_speaks_says_the_same(cup: Cup) -> None:
    for number in range(40):
        for name in PLAYERS:
            cup.said[name, number] = cup.said["bob", number]
        if number % 2:
            cup.said[PLAYERS[-1], number] = None
    cup.write()
    cup.moot("run", cup.file, "--quiet")
    said = cup.fit()
    assert (
        "whoever said anything said the same to every question: no rule makes a difference, a vote says the same"
        in said
    )
    assert cup.rule["words"] == ["everybody counts alike"]


def test_of_whom_nobody_is_ever_right_nothing_is_learnt_and_nothing_advised(cup: Cup) -> None:
    for number in range(40):
        for name in PLAYERS:
            cup.said[name, number] = f"No word {number} of {name}"
    cup.write()
    cup.moot("run", cup.file, "--quiet")
    assert "nothing is learnt: nobody was right on any of 40 graded questions: see whether" in cup.fit(ends=2)
    assert not (cup.folder / "rule.json").exists()


def test_of_questions_of_another_kind_a_rule_tells_no_probability(cup: Cup) -> None:
    cup.write()
    cup.moot("run", cup.file, "--quiet")
    cup.fit()
    assert cup.rule["kinds"] == ["choice"]
    cascade = {"cascade": {"order": "learnt", "until": 0.6, "from": "rule.json"}}
    cup.write(name="other", store="sqlite:///other.db", strategies=[{"learnt": {"from": "rule.json"}}, cascade])
    rows = [{"id": f"q{number}", "text": f"Which letter is number {number}?", "answer": "A"} for number in range(30)]
    (cup.folder / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    said = cup.moot("run", cup.file, "--quiet")
    unlike = "learnt from questions of kind choice; 30 questions here are of another kind, and for these"
    assert f"{unlike} no probability is told" in said
    assert f"{unlike} everybody is asked" in said
    with closing(sqlite3.connect(cup.folder / "other.db")) as connection:
        verdicts = [json.loads(verdict) for (verdict,) in connection.execute("SELECT verdict FROM episodes")]
    traces = [{trace["kind"]: trace for trace in verdict["traces"]} for verdict in verdicts]
    assert len(traces) == 60
    for trace in traces:
        told, decided = trace["told-probability"], trace["decided-by-rule"]
        assert (told.get("probability"), decided.get("probability")) == (None, None)
        assert told["why"].startswith("learnt from questions of kind choice, and this one is of kind open: ")
    assert all(len(trace["cascaded"]["asked"]) == 4 for trace in traces if "cascaded" in trace), (
        "nobody is spared by it"
    )
    (cup.folder / "rule.json").write_text(json.dumps({**cup.rule, "kinds": ["maths"]}))
    assert "kinds: expected a list of open, choice, yes-no, text, found ['maths']" in cup.moot("run", cup.file, ends=2)


def test_several_teams_need_a_name(cup: Cup) -> None:
    teams = {"all": {"players": list(PLAYERS)}, "two": {"players": ["ann", "bob"]}}
    cup.write(teams=teams)
    cup.moot("run", cup.file, "--quiet")
    assert "has several teams; expected --team with one of all, two" in cup.fit(ends=2)
    assert "has no team 'three'" in cup.fit("--team", "three", ends=2)
    cup.fit("--team", "two")
    assert list(cup.rule["players"]) == ["ann", "bob"]
    cup.write(questions=44, teams=teams, strategies=FROM)
    cup.moot("run", cup.file, "--quiet")
    with closing(sqlite3.connect(cup.folder / "cup.db")) as connection:
        played = {team for (team,) in connection.execute("SELECT team FROM cells WHERE strategy = 'learnt'")}
    assert played == {"two"}, "a rule is about its own players"


def test_one_at_a_time_there_is_nothing_to_learn_from(cup: Cup) -> None:
    cup.write(strategies=["learnt"])
    said = cup.moot("ask", "Which?", "--team", cup.file, "--strategy", "learnt", ends=2)
    assert "moot fit FILE -o rule.json, then learnt: {from: rule.json}" in said


def test_drift_is_told_with_an_interval() -> None:
    before = Estimate(0.9, 0.86, 0.93, 200)
    worse = Drift(Estimate(0.6, 0.5, 0.69, 100), before)
    assert worse.words() == "it has got worse"
    assert worse.difference.low == pytest.approx(-0.3 - (0.1**2 + 0.03**2) ** 0.5)
    assert worse.difference.high == pytest.approx(-0.3 + (0.09**2 + 0.04**2) ** 0.5)
    assert Drift(Estimate(0.85, 0.7, 0.93, 40), before).words() == "no drift beyond chance"
    assert Drift(Estimate(0.5, None, None, 1), before).words() == "too few questions to tell a drift"
    assert Drift(before, Estimate(0.5, 0.4, 0.6, 90)).words() == "it has got better"


def test_while_much_waits_for_a_grade_nothing_is_learnt(cup: Cup) -> None:
    """What matches is right at once; the rest waits for a judge who says nothing usable."""
    cup.keys["models"]["jay"] = {"provider": "simulated", "accuracy": 0.5, "garble": 1.0}
    cup.write(judge={"models": ["jay"]}, players={name: {"model": name} for name in PLAYERS})
    lines = [{"id": f"q{n}", "text": f"Question {n}?", "answer": "A"} for n in range(40)]
    (cup.folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)))
    run_app(app, ["run", str(cup.file), "--quiet"])
    said = cup.fit(ends=2)
    assert "nothing is learnt" in said
    assert "and whether one is graded hangs on what it says" in said
    assert not (cup.folder / "rule.json").exists()


def test_questions_that_not_all_were_asked_teach_nothing(cup: Cup) -> None:
    """Who was not asked yet did not say nothing."""
    cup.write(strategies=["solo"])
    cup.moot("run", cup.file, "--quiet")
    with closing(sqlite3.connect(cup.folder / "cup.db")) as connection, connection:
        gone = "SELECT rowid FROM episodes WHERE cell = (SELECT id FROM cells WHERE player = 'bob') LIMIT {}"
        connection.execute(f"DELETE FROM episodes WHERE rowid IN ({gone.format(5)})")
    assert "5 questions are left out: some players have not been asked yet" in cup.fit()
    assert cup.rule["figures"]["learnt"]["n"] == 35
    with closing(sqlite3.connect(cup.folder / "cup.db")) as connection, connection:
        connection.execute(f"DELETE FROM episodes WHERE rowid IN ({gone.format(40)})")
    assert "no question has been put to all of ann, bob, cat, dan of team 'all', and 40 questions to some" in cup.fit(
        ends=2
    )
