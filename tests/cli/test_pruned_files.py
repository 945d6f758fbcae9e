"""Who takes the losers out of a file after a run has still chosen among them: no claim is better for it."""

from __future__ import annotations

import io
import json
import random
import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import closing, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from moot.cli.app import app
from moot.cli.exit import run_app

STRATEGIES = ["solo", "vote", "silent", "talkative"]
Figures = dict[str, Any]


def write(folder: Path, file_name: str, /, **keys: Any) -> Path:
    """Three equal players, each of them captain; in this world talkative@cat is the highest of nine."""
    file: Figures = {
        "name": "cup",
        "seed": 1,
        "store": f"sqlite:///{folder}/all.db",
        "questions": {"file": "q.jsonl", "columns": {"text": "question"}},
        "models": {name: {"provider": "simulated", "accuracy": 0.55} for name in ("ann", "bob", "cat")},
        "teams": {"three": {"players": ["ann", "bob", "cat"], "captain": "each"}},
        "strategies": STRATEGIES,
    }
    path = folder / f"{file_name}.yaml"
    path.write_text(json.dumps(file | keys), encoding="utf-8")
    return path


PRUNED: Mapping[str, Any] = {
    "strategies": ["solo", "talkative"],
    "teams": {"three": {"players": ["ann", "bob", "cat"], "captain": "cat"}},
}
LATE: Mapping[str, Any] = {**PRUNED, "name": "late", "primary": "talkative@cat"}


def questions(folder: Path, name: str, start: int = 0) -> None:
    draw = random.Random(1)
    rows = [
        {"id": f"q{n}", "question": f"Thing {n} of 1?", "choices": ["a", "b", "c", "d"], "answer": draw.choice("abcd")}
        for n in range(start, start + 100)
    ]
    (folder / name).write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


@dataclass(frozen=True)
class Played:
    """One store: the whole file, what was left of it, and that again under another name with the winner as its primary."""

    folder: Path
    whole: Figures
    """What was reported before anything was taken out: reports go by the last run of a name."""
    whole_words: str


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    folder = tmp_path_factory.mktemp("played")
    questions(folder, "q.jsonl")
    run(write(folder, "whole"))
    found = Played(folder, headline(folder / "whole.yaml"), report(folder / "whole.yaml"))
    run(write(folder, "pruned", **PRUNED))
    run(write(folder, "late", **LATE))
    return found


def run(path: Path, *more: str) -> None:
    assert command("run", str(path), "--quiet", *more) == (0, "")


def command(*words: str) -> tuple[int, str]:
    """How it ends, and what it prints, with single spaces."""
    said = io.StringIO()
    with redirect_stdout(said):
        status = run_app(app, list(words))
    return status, " ".join(said.getvalue().split())


def report(path: Path, *more: str) -> str:
    return command("report", str(path), *more)[1]


def headline(path: Path) -> Figures:
    head: Figures = json.loads(report(path, "--json"))["headline"]
    return head


@pytest.mark.parametrize(("file", "chosen"), [("pruned", "after the fact"), ("late", "declared late")])
def test_what_is_left_claims_no_more_than_the_whole_file(file: str, chosen: str, played: Played) -> None:
    path = played.folder / f"{file}.yaml"
    left = headline(path)
    assert (left["of"], left["chosen"], left["options"]) == ("talkative@cat", chosen, 9)
    assert len(left["unlisted"]) == 8
    assert left["unlisted"][0] == {"of": "three/vote@ann", "experiment": "cup", "questions": 100}
    assert "unlisted" not in played.whole
    for key in ("value", "low", "high", "over_best_single", "over_captain", "after_the_fact"):
        assert left[key] == played.whole[key], key
    assert "cannot be told apart from the best single model" in left["sentence"]
    assert command("report", str(path), "--fail-under", "over_best_single.low>0")[0] == 1


def test_the_words_say_out_of_how_many_it_was_chosen(played: Played) -> None:
    pruned, late = played.folder / "pruned.yaml", played.folder / "late.yaml"
    short, all_of_it = report(pruned), report(pruned, "--all")
    assert "cat as captain (picked afterwards from 9 options, 8 of them not in this file) got 74.0 %" in short
    assert "this is one of 9, picked afterwards, and the intervals allow for it" in short
    assert "8 of them were played on these questions and are not in the file" in report(late)
    for told in (short, all_of_it, report(late)):
        assert "8 other options were played on these questions and are not in this file: the tables" in told
    assert "this file" not in played.whole_words


def test_a_list_of_runs_and_a_plan_say_the_same(played: Played) -> None:
    path, whole = str(played.folder / "pruned.yaml"), played.whole["over_best_single"]
    heads = [row["headline"] for row in json.loads(command("runs", path, "--json")[1])[0]["runs"]]
    assert [head["options"] for head in heads] == [9, 9, 9]
    assert {head["over_best_single"]["low"] for head in heads} == {whole["low"]}
    pilot = json.loads(command("plan", path, "--from", path, "--gain", "0.1", "--json")[1])["pilot"]
    assert (pilot["low"], pilot["high"]) == (whole["low"], whole["high"])


def test_new_questions_under_a_new_name_pay_nothing(tmp_path: Path) -> None:
    """Only both: the same questions have been seen, and under the same name so has the file."""
    for name, start in (("q.jsonl", 0), ("new.jsonl", 100)):
        questions(tmp_path, name, start)
    new = {**LATE, "questions": {"file": "new.jsonl", "columns": {"text": "question"}}}
    run(write(tmp_path, "whole", strategies=["solo", "talkative"]), "--limit", "20")
    for name, keys, chosen in (("anew", new, "declared"), ("named", {**new, "name": "cup"}, "declared late")):
        run(write(tmp_path, name, **keys), "--limit", "20")
        head = headline(tmp_path / f"{name}.yaml")
        assert (head["chosen"], head["options"], "unlisted" in head) == (chosen, 1, False)


def test_a_frozen_primary_pays_for_nothing_that_is_taken_out(tmp_path: Path) -> None:
    questions(tmp_path, "q.jsonl")
    heads = []
    for name, keys in (("whole", {}), ("left", PRUNED)):
        path = write(tmp_path, name, **keys, primary="talkative@cat")
        run(path, "--limit", "20")
        heads.append(headline(path))
    before, after = heads
    assert (after["chosen"], after["options"], len(after["unlisted"])) == ("declared", 1, 8)
    assert after["over_best_single"] == before["over_best_single"]
    assert "not in this file" not in after["sentence"]


def test_a_primary_that_was_played_and_changed_is_not_declared_beforehand(tmp_path: Path) -> None:
    """Who tries until the declared option wins has chosen, under whatever words."""
    questions(tmp_path, "q.jsonl")
    models = {name: {"provider": "simulated", "accuracy": 0.55} for name in ("ann", "bob", "cat")}
    heads = []
    for accuracy in (0.55, 0.6, 0.65):
        models["cat"] = {"provider": "simulated", "accuracy": accuracy}
        path = write(tmp_path, "cup", **{**LATE, "name": "cup"}, models=models)
        run(path, "--limit", "20")
        heads.append(headline(path))
    told = [(head["chosen"], head["options"], head.get("earlier_versions")) for head in heads]
    assert told == [("declared", 1, None), ("declared late", 2, 1), ("declared late", 3, 2)]
    assert "declared in advance and changed since" in heads[-1]["sentence"]
    assert "was changed after it had been played; this is one of 3" in heads[-1]["sentence"]
    run(path, "--limit", "20")
    assert headline(path)["chosen"] == "declared late", "to run it again changes nothing"


def test_a_hypothesis_whose_sides_were_changed_is_not_declared_beforehand(tmp_path: Path) -> None:
    """Whichever side it is, and by model or seed: each version that was played is one more try."""
    questions(tmp_path, "q.jsonl")
    models = {name: {"provider": "simulated", "accuracy": 0.55} for name in ("ann", "bob", "cat")}
    texts = ["accuracy(solo@cat) > 0.1", "accuracy(solo@ann) > 0.1", "accuracy(talkative) - accuracy(solo@ann) > 0.9"]
    told = []
    for accuracy, seed in ((0.55, 1), (0.6, 1), (0.65, 1), (0.65, 2)):
        models["cat"] = {"provider": "simulated", "accuracy": accuracy}
        path = write(tmp_path, "cup", **PRUNED, models=models, hypotheses=texts, seed=seed)
        run(path, "--limit", "40")
        rows = json.loads(report(path, "--json"))["hypotheses"]
        told.append([(row["frozen"], row.get("earlier_versions", 0), row["family"]) for row in rows])
    assert told == [
        [(True, 0, 3), (True, 0, 3), (True, 0, 3)],
        [(False, 1, 4), (True, 0, 1), (False, 1, 4)],  # ann alone is as it was
        [(False, 2, 6), (True, 0, 1), (False, 2, 6)],
        [(False, 3, 10), (False, 1, 10), (False, 3, 10)],
    ]
    assert "0 declared, 3 changed since (--section hypotheses)" in report(path)
    assert "counts the earlier versions too" in report(path, "--section", "hypotheses")
    run(path, "--limit", "40")
    assert json.loads(report(path, "--json"))["hypotheses"][0]["family"] == 10, "to run it again changes nothing"


def test_questions_that_are_taken_out_after_a_look_are_a_choice(tmp_path: Path) -> None:
    """ "On physics it works": declared before that, and not of physics."""
    questions(tmp_path, "q.jsonl")
    text = "accuracy(talkative) > 0.1"
    keys = {**PRUNED, "primary": "talkative@cat", "hypotheses": [text]}
    path = write(tmp_path, "cup", **keys)
    run(path, "--limit", "60")
    run(path, "--limit", "80")
    more = json.loads(report(path, "--json"))
    assert (more["headline"]["chosen"], more["hypotheses"][0]["frozen"]) == ("declared", True), "more is no choice"
    rows = (tmp_path / "q.jsonl").read_text(encoding="utf-8").splitlines()
    (tmp_path / "q.jsonl").write_text("\n".join(rows[20:60]), encoding="utf-8")
    run(path)
    figures = json.loads(report(path, "--json"))
    head, (row,) = figures["headline"], figures["hypotheses"]
    assert (head["n"], head["chosen"], head["taken_out"], head["questions_chosen"]) == (40, "declared late", 40, True)
    assert (row["frozen"], row["taken_out"], "earlier_versions" in row) == (False, 40, False)
    short = report(path)
    assert "declared before questions were taken out" in short
    assert "40 questions that were played under this name before are not among these" in short
    assert "0 declared, 1 exploratory" in short

    # Other questions were not chosen by anything that was seen.
    questions(tmp_path, "q.jsonl", 100)
    run(path, "--limit", "40")
    figures = json.loads(report(path, "--json"))
    assert (figures["headline"]["chosen"], figures["hypotheses"][0]["frozen"]) == ("declared", True)


def test_a_name_more_in_the_file_is_no_other_option(tmp_path: Path) -> None:
    """A judge, or a model that plays nowhere, is a name more to hide from who reads what others said: nobody played otherwise."""
    questions(tmp_path, "q.jsonl")
    keys = {"strategies": ["solo", "talkative"], "primary": "talkative@cat"}
    path = write(tmp_path, "whole", **keys)
    run(path, "--limit", "20")
    before = json.loads(report(path, "--json"))
    models = json.loads(path.read_text(encoding="utf-8"))["models"]
    judge = {"models": {**models, "ivy": {"provider": "simulated", "accuracy": 0.9}}, "judge": {"models": ["ivy"]}}
    run(write(tmp_path, "whole", **keys, **judge), "--limit", "20")
    after = json.loads(report(path, "--json"))
    for found in (before, after):
        assert (found["headline"]["chosen"], found["headline"]["options"]) == ("declared", 1)
        assert "unlisted" not in found["headline"]
    assert [row["family"] for row in after["gains"]] == [row["family"] for row in before["gains"]]


def test_a_team_by_another_name_has_been_seen(tmp_path: Path) -> None:
    questions(tmp_path, "q.jsonl")
    run(write(tmp_path, "whole", strategies=["solo", "vote", "talkative"]), "--limit", "20")
    team = {"players": ["ann", "bob", "cat"], "captain": "each"}
    again = write(tmp_path, "again", name="other", teams={"trio": team}, strategies=["solo", "talkative"])
    run(again, "--limit", "20")
    head = headline(again)
    assert (head["options"], len(head["unlisted"])) == (6, 3)


def test_the_price_does_not_hang_on_who_is_highest(tmp_path: Path) -> None:
    """Under another name the file has a strategy less and another more, which is the highest and never stood under the first."""
    questions(tmp_path, "q.jsonl")
    run(write(tmp_path, "whole", strategies=["solo", "vote", "silent"]))
    again = write(tmp_path, "again", name="other", strategies=["solo", "vote", "talkative"])
    run(again)
    head = headline(again)
    assert head["of"] == "talkative@cat"
    assert (head["options"], len(head["unlisted"])) == (9, 3)


def test_a_trial_with_fewer_questions_is_no_other_option(tmp_path: Path) -> None:
    questions(tmp_path, "q.jsonl")
    path = write(tmp_path, "cup", strategies=["solo", "vote"])
    for limit in ("10", "30"):
        run(path, "--limit", limit)
    head = headline(path)
    assert (head["options"], head["n"], "unlisted" in head) == (3, 30, False)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole file, with a discussion that nobody leads, under two names; then what is left of it."""
    folder = tmp_path_factory.mktemp("small")
    questions(folder, "q.jsonl")
    for name in ("cup", "copy"):
        run(write(folder, name, name=name, strategies=["solo", "vote", "talkative", "discuss"]), "--limit", "12")
    run(write(folder, "pruned", **PRUNED), "--limit", "12")
    return folder


VOTES = "SELECT id FROM cells WHERE strategy = 'vote'"
CHANGED: Mapping[str, tuple[str, Figures]] = {
    "as it was": ("SELECT 1", {}),
    "never graded": (f"DELETE FROM scores WHERE cell IN ({VOTES})", {}),
    "all failed": (
        f"UPDATE episodes SET outcome = 'failed', answer = NULL WHERE cell IN ({VOTES})",
        {"vote": None},
    ),
    "chosen on some": (
        "INSERT INTO choices SELECT DISTINCT episodes.cell, episodes.question FROM episodes JOIN cells ON"
        " cells.id = episodes.cell WHERE strategy = 'vote' AND question IN"
        " (SELECT question FROM episodes GROUP BY question ORDER BY question LIMIT 5)",
        {"vote": 7},
    ),
    "led by nobody, of an older store": ("UPDATE cells SET captain = 'bob' WHERE strategy = 'discuss'", {}),
    "older": ("UPDATE experiments SET created_at = 1.0 WHERE name = 'cup'", {"first": "cup"}),
    "newer": ("UPDATE experiments SET created_at = 1.0 WHERE name = 'copy'", {"first": "copy"}),
}


def changed(small: Path, folder: Path, statement: str) -> Figures:
    """The headline of what is left, after something else has become of the rest."""
    for name in ("all.db", "q.jsonl"):
        shutil.copy(small / name, folder / name)
    with closing(sqlite3.connect(folder / "all.db")) as store:
        store.execute(statement)
        store.commit()
    return headline(write(folder, "pruned", **PRUNED))


@pytest.mark.parametrize("change", CHANGED)
def test_what_stands_beside_a_file_is_told_as_its_own_report_would(change: str, small: Path, tmp_path: Path) -> None:
    statement, found = CHANGED[change]
    head, before = changed(small, tmp_path, statement), headline(small / "pruned.yaml")
    told = {row["of"]: (row["questions"], row["experiment"]) for row in head["unlisted"]}
    assert "three/discuss" in told
    assert told.get("three/vote@ann", (None,))[0] == found.get("vote", 12)
    assert {first for _, first in told.values()} == {found.get("first", "cup")}
    if not found or "first" in found:
        assert {**head, "unlisted": []} == {**before, "unlisted": []}, "the same answers, whoever has graded them"


def test_a_served_team_is_no_plan(small: Path, tmp_path: Path) -> None:
    """Nobody planned who plays what there, and nobody has chosen from it."""
    newest = "(SELECT max(created_at) FROM experiments)"
    served = f"UPDATE experiments SET config = json_set(config, '$.served', json('true')) WHERE created_at < {newest}"
    head = changed(small, tmp_path, served)
    assert (head["options"], "unlisted" in head) == (1, False)


def test_two_runs_side_by_side_pay_for_what_is_in_neither(tmp_path: Path) -> None:
    questions(tmp_path, "q.jsonl")
    families = []
    for strategies in (STRATEGIES, ["solo", "vote"]):
        paths = [write(tmp_path, name, strategies=strategies, seed=seed) for name, seed in (("one", 1), ("other", 2))]
        for place, name in enumerate(("one", "other")):
            keys = json.loads(paths[place].read_text(encoding="utf-8"))
            paths[place].write_text(json.dumps(keys | {"name": name}), encoding="utf-8")
            run(paths[place], "--limit", "12")
        both = json.loads(report(paths[0], str(paths[1]), "--json"))["comparisons"]
        families.append({row["family"] for row in both})
    assert families == [{12}, {12}]


LEFT: list[Any] = ["solo", "vote", "talkative", "discuss", "cascade"]
TAKEN_OUT: list[Any] = [
    "silent",
    {"weighted": {"weights": {"ann": 3}}},
    {"discuss": {"decision": "unanimity-consensus"}},
]
TABLES: Mapping[str, tuple[str, ...]] = {
    "gains": ("label", "captain"),
    "comparisons": ("a", "b", "captain"),
    "human": ("label", "captain", "player"),
    "safety_models": ("stage", "model"),
    "protocol_baselines": ("protocol", "against", "whole"),
    "cascade_beside": ("label", "captain", "against"),
    "position_bias": ("label", "by", "captain"),
}
"""By table: what tells its rows apart."""


@pytest.fixture(scope="module")
def tabled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Figures, Figures]:
    """The figures of a file, and of what is left of it. People have answered as well."""
    folder = tmp_path_factory.mktemp("tabled")
    questions(folder, "q.jsonl")
    rows = (folder / "q.jsonl").read_text(encoding="utf-8").splitlines()
    (folder / "q.jsonl").write_text("\n".join(f'{row[:-1]}, "human": "4/10"}}' for row in rows), encoding="utf-8")
    told = []
    for strategies in ([*LEFT, *TAKEN_OUT], LEFT):
        run(path := write(folder, "cup", strategies=strategies), "--limit", "30")
        told.append(json.loads(report(path, "--json")))
    return told[0], told[1]


@pytest.mark.parametrize("table", TABLES)
def test_no_row_of_a_table_is_surer_for_those_that_are_gone(table: str, tabled: tuple[Figures, Figures]) -> None:
    """What is left has the p that pays, and its interval, of the whole file, or none that says more."""
    whole, left = ({tuple(map(row.get, TABLES[table])): row for row in figures[table]} for figures in tabled)
    assert whole.keys() > left.keys(), "some are gone"
    told = 0
    for name, after in left.items():
        before = whole[name]
        for key in [key for key in after if key.endswith("p_holm") and after[key] is not None]:
            ends = "difference_" if table == "human" else key.removesuffix("p_holm")
            assert after[key.removesuffix("_holm")] == before[key.removesuffix("_holm")], "by itself it is as it was"
            assert after[key] >= before[key]
            assert after[f"{ends}low_holm"] <= before[f"{ends}low_holm"]
            assert after[f"{ends}high_holm"] >= before[f"{ends}high_holm"]
            told += 1
        if table != "position_bias":  # of places a plan knows no more than how many there can be
            assert after["family"] == before["family"]
    assert told
