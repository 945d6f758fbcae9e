"""The verdict in words, and what the run as a whole may claim: through a file, a run, and the figures of its store."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import moot
from moot import Case, Question, Request, ScriptedModel
from moot.engine.runner import Runner
from moot.errors import FileError
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.measures.claims.words import sentences
from moot.report.figures import Figures, figures, find_experiment
from moot.report.sections import all_sections
from moot.store import queries
from moot.store.declarations import declared

MODELS = {"ann": 0.7, "bob": 0.5, "cat": 0.4}
NOT_IN_A_HEADLINE = ("judges", "rubric", "squad", "summaries", "position", "trust", "decided")
"""Measures of which neither it nor a hypothesis here says anything."""
OVER: dict[str, Any] = {
    "difference": 0.068,
    "low": 0.029,
    "high": 0.107,
    "n": 572,
    "test": "mcnemar",
    "single": "bob",
    "rescues": 71,
    "regressions": 32,
}
ROW: dict[str, Any] = {
    "value": 0.442,
    "low": 0.402,
    "high": 0.483,
    "n": 572,
    "chosen": "declared",
    "of": "talkative@qwen",
    "strategy": "talkative",
    "label": "talkative",
    "captain": "qwen",
    "captains": 1,
    "led": True,
    "player": None,
    "team": "six",
    "alone": False,
    "options": 12,
    "ungraded": 0,
    "over_best_single": OVER,
    "over_captain": {"rescues": 9, "regressions": 8},
    "cost_ratio": 7.1,
    "cost_unit": "usd",
    "cost_usd": 0.01,
    "after_the_fact": None,
}


def said(**more: Any) -> str:
    return " ".join(sentences({**ROW, **more}))


def test_the_sentence() -> None:
    assert said() == (
        "On these 572 questions the team deciding by talkative with qwen as captain (declared in advance) got"
        " 44.2 % (40.2–48.3) right, 6.8 points (2.9–10.7) more than the best single model, bob; it fixed 71 of bob's errors and"
        " made 32 new ones, at 7.1 × the cost."
    )


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (
            {"over_best_single": OVER | {"difference": -0.05, "low": -0.08, "high": -0.02}},
            "5.0 points (2.0–8.0) less than the best single model, bob;",
        ),
        (
            {"over_best_single": OVER | {"difference": 0.01, "low": -0.02, "high": 0.04}},
            "cannot be told apart from the best single model, bob (+1.0 points, -2.0 to +4.0)",
        ),
        (
            {"over_best_single": OVER | {"difference": 0.01, "low": None, "high": None}},
            "+1.0 points against the best single model, bob;",
        ),
        (
            {"over_best_single": None, "played_alone": True, "never_answered": ["ann", "bob"]},
            "; no member of the team ever answered alone, so there is nothing to compare it with",
        ),
        ({"chosen": "declared late"}, "declared when some answers were already known"),
        ({"chosen": "declared late"}, "was declared late; this is one of 12"),
        ({"chosen": "after the fact"}, "with qwen as captain (the best of 12 options) got"),
        ({"chosen": "after the fact"}, "No primary was declared; this is the best of 12, picked afterwards"),
        (
            {"over_best_single": OVER | {"test": "score"}},
            "it did better than bob on 71 questions and worse on 32, at",
        ),
        (
            {"over_best_single": OVER | {"test": "score", "rescues": 1, "regressions": 0}},
            "it did better than bob on 1 question and worse on 0, at",
        ),
        ({"n": 29}, "With fewer than 30 questions, results are very uncertain"),
        (
            {"ungraded": 12.0, "bounds": {"low": 0.442, "high": 0.463}},
            "12 answers are not graded; over all of them the figure is between 44.2 and 46.3 % (bounds)",
        ),
        ({"over_best_single": None, "over_captain": None}, "; no player played alone"),
        ({"over_best_single": None, "over_captain": None, "played_alone": True}, "no member of the team played alone"),
        ({"cost_unit": "calls", "cost_usd": None}, "with 7.1 × the calls (cost unknown)"),
        ({"cost_unit": "calls", "cost_usd": 0.0}, "with 7.1 × the calls."),
        ({"over_best_single": OVER | {"rescues": 1, "regressions": 1}}, "fixed 1 of bob's errors and made 1 new one,"),
        (
            {"cost_ratio": None, "cost_unit": "calls", "calls": 7.25, "cost_usd": 0.0},
            "new ones, with 7.3 calls a question.",
        ),
        ({"captain": None, "captains": 6}, "averaged over its 6 captains"),
        ({"captain": None, "captains": 1}, 'the team "six", deciding by talkative (declared in advance), got'),
        ({"alone": True, "player": "ann", "over_captain": None, "over_best_single": None}, "ann alone (declared"),
        ({"value": None}, "Nothing has been played yet."),
        (
            {"low": None, "high": None, "n": 1},
            "On this one question the team deciding by talkative with qwen as captain (declared in advance) got"
            " 44.2 % right,",
        ),
        (
            {"after_the_fact": {"of": "x@y", "value": 0.5, "low": 0.4, "high": 0.6}},
            "x@y with 50.0 % (40.0–60.0; the lower end allows for the choice), was picked afterwards",
        ),
        (
            {
                "after_the_fact": {"of": "x@y", "value": 0.5, "low": 0.4, "high": 0.6}
                | {"unranked": [{"of": "z", "questions": 2}]}
            },
            "x@y with 50.0 % (40.0–60.0), was picked afterwards",
        ),
    ],
)
def test_honest_variants(more: dict[str, Any], words: str) -> None:
    assert words in said(**more)


def write(folder: Path, count: int = 60, **more: Any) -> Path:
    lines = [{"id": f"q{n}", "text": f"Who is number {n}?", "answer": f"Person {n}"} for n in range(count)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    spec = {
        "name": "cup",
        "seed": 3,
        "questions": {"file": "questions.jsonl"},
        "models": {name: {"provider": "simulated", "accuracy": share} for name, share in MODELS.items()},
        "teams": {"three": {"players": list(MODELS), "captain": "each"}},
        "strategies": ["solo", "vote", "talkative"],
        **more,
    }
    path = folder / "cup.yaml"
    path.write_text(json.dumps(spec), encoding="utf-8")
    return path


async def run(path: Path, *, limit: int | None = None, name: str = "cup", also: list[str] | None = None) -> Figures:
    plan = build(read_experiment(path), limit=limit)
    store = await plan.store().open()
    try:
        await Runner(plan, store).run()
        return await store.run(
            lambda connection: figures(
                connection, find_experiment(connection, name), hypotheses=also or [], without=NOT_IN_A_HEADLINE
            )
        )
    finally:
        await store.close()


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Figures]:
    """The file as it is written, played once, with its figures: whoever only declares more asks nobody again."""
    path = write(tmp_path_factory.mktemp("plain"))
    return path.parent, asyncio.run(run(path))


async def test_a_declared_primary_is_the_headline(tmp_path: Path) -> None:
    shown = await run(write(tmp_path, primary="talkative@ann"))
    head = shown["headline"]
    row = next(row for row in shown["accuracy"] if (row["label"], row.get("captain")) == ("talkative", "ann"))
    gain = next(row for row in shown["gains"] if (row["strategy"], row["captain"]) == ("talkative", "ann"))
    assert (head["of"], head["chosen"]) == ("talkative@ann", "declared")
    assert [head[key] for key in ("value", "low", "high", "n")] == [row[key] for key in ("value", "low", "high", "n")]
    assert head["over_captain"]["rescues"] == gain["rescues"]
    assert head["over_captain"]["regressions"] == gain["regressions"]
    alone = {row["player"]: row["value"] for row in shown["accuracy"] if row["label"] == "solo"}
    assert head["over_best_single"]["single"] == max(alone, key=alone.__getitem__)
    assert head["over_best_single"]["best_single"]["value"] == max(alone.values())
    assert head["over_best_single"]["difference"] == pytest.approx(head["value"] - max(alone.values()))
    assert (head["options"], head["over_best_single"]["singles"]) == (1, 3)
    assert head["cost_ratio"] == row["calls"] / 60
    assert head["sentence"].startswith(
        "On these 60 questions the team deciding by talkative with ann as captain (declared in"
    )
    after, top = head["after_the_fact"], max(shown["accuracy"], key=lambda each: each["value"])
    assert (after["value"], after["high"], after["n"]) == (top["value"], top["high"], 60)
    assert after["low"] < top["low"], "the highest of nine is no measurement of one"


async def test_without_one_the_highest_option_pays_for_the_choice(tmp_path: Path, plain: tuple[Path, Figures]) -> None:
    played, shown = plain
    shutil.copytree(played, tmp_path, dirs_exist_ok=True)
    head, over = shown["headline"], shown["headline"]["over_best_single"]
    assert (head["chosen"], head["options"]) == ("after the fact", 6)
    options = [row for row in shown["accuracy"] if row["label"] != "solo"]
    own = max(options, key=lambda row: row["value"])
    assert head["value"] == own["value"]
    assert head["low"] < own["low"], "the highest of six is no measurement of one"
    assert head["high"] == own["high"]
    assert "(the best of 6 options) got" in head["sentence"]
    assert "picked afterwards, and the intervals allow for it" in head["sentence"]
    late = await run(write(tmp_path, primary=head["of"]))
    assert (late["headline"]["chosen"], late["headline"]["options"]) == ("declared late", 6)
    assert [late["headline"]["over_best_single"][key] for key in ("low", "high", "p")] == [
        over[key] for key in ("low", "high", "p")
    ], "who declares when answers are there has chosen after the fact"


async def test_several_teams_stand_beside_all_their_players_alone(tmp_path: Path) -> None:
    teams = {"one": {"players": ["ann"]}, "two": {"players": ["bob"]}}
    shown = await run(write(tmp_path, 12, teams=teams, strategies=["solo", "discuss"]))
    head = shown["headline"]
    assert "played alone" not in head["sentence"]
    assert "best single model" in head["sentence"]
    best = max(shown["players"], key=lambda row: row["value"])
    over = head["over_best_single"]
    assert (over["single"], over["best_single"]["value"], over["singles"]) == (best["player"], best["value"], 2)
    assert [(row["player"], row["from"]) for row in shown["players"]] == [("ann", "solo"), ("bob", "solo")], (
        "what an agent ends on after a talk is not what it says alone"
    )


async def test_the_headline_has_the_interval_of_its_row(tmp_path: Path) -> None:
    for primary in ("vote@ann", "talkative@cat"):
        models = {name: {"provider": "simulated", "accuracy": 0.6, "temperature": 1.0} for name in MODELS}
        path = write(tmp_path, 24, repeats=2, models=models, primary=primary, name=primary.partition("@")[0])
        shown = await run(path, name=primary.partition("@")[0])
        head = shown["headline"]
        assert "score test" in head["over_best_single"]["rule"], "of means no test is exact"
        (row,) = (each for each in shown["accuracy"] if f"{each['label']}@{each.get('captain')}" == primary)
        assert [head[key] for key in ("value", "low", "high", "n")] == [
            row[key] for key in ("value", "low", "high", "n")
        ]


async def test_players_alone(tmp_path: Path) -> None:
    shown = await run(write(tmp_path, strategies=["solo"]))
    assert shown["headline"]["alone"]
    assert "ann alone (the best of 3 players) got" in shown["headline"]["sentence"]
    ann = {"ann": {"provider": "simulated", "accuracy": 0.5}}
    path = write(tmp_path, name="one", models=ann, teams={}, strategies=["solo"])
    one = await run(path, name="one")
    assert (one["headline"]["chosen"], one["headline"]["of"]) == ("only", "solo@ann")
    assert one["headline"]["after_the_fact"] is None


async def test_what_is_declared_later_is_exploratory(tmp_path: Path) -> None:
    first, second = "accuracy(talkative) - accuracy(vote) > 0", "accuracy(vote@ann) > 0.2"
    shown = await run(write(tmp_path, hypotheses=[first]))
    assert [(row["hypothesis"], row["frozen"]) for row in shown["hypotheses"]] == [(first, True)]
    assert shown["hypotheses"][0]["declared_at"] is not None
    shown = await run(write(tmp_path, hypotheses=[first, second], primary="vote@ann"), also=["cost(vote) < 1"])
    rows = {row["hypothesis"]: row for row in shown["hypotheses"]}
    assert [rows[text]["frozen"] for text in (first, second, "cost(vote) < 1")] == [True, False, False]
    assert rows[first]["p_holm"] == rows[first]["p"], "exploratory ones are a family of their own"
    assert [rows[text]["family"] for text in (first, second, "cost(vote) < 1")] == [1, 2, 2]
    assert shown["headline"]["chosen"] == "declared late"
    # A hypothesis that is taken out of the file again was still declared.
    shown = await run(write(tmp_path))
    assert {row["hypothesis"] for row in shown["hypotheses"]} == {first, second}


async def test_hypotheses_are_about_the_figures(tmp_path: Path) -> None:
    texts = [
        "accuracy(talkative@ann) - accuracy(vote@ann) > 0",
        "accuracy(vote) > 0.1",
        "skyline(vote) - accuracy(vote) > 0",
        "gap_closure(vote@ann) > 0",
        "net(talkative) > 0",
        "safety_multiple(talkative) > 1",
        "cost(vote) < 1",
    ]
    shown = await run(write(tmp_path, hypotheses=texts))
    values = {row["hypothesis"]: row for row in shown["hypotheses"]}
    paired = next(row for row in shown["comparisons"] if row["a"] == "talkative@ann" and row["b"] == "vote@ann")
    assert [values[texts[0]][key] for key in ("value", "low", "high", "p")] == [
        paired[key] for key in ("difference", "low", "high", "p")
    ]
    votes = [row["value"] for row in shown["accuracy"] if row["label"] == "vote"]
    assert values[texts[1]]["value"] == pytest.approx(sum(votes) / 3)
    assert values[texts[2]]["value"] == pytest.approx(shown["skyline"]["value"] - sum(votes) / 3)
    gap = next(row for row in shown["gap"] if (row["strategy"], row["captain"]) == ("vote", "ann"))
    assert [values[texts[3]][key] for key in ("value", "low", "high")] == [gap[key] for key in ("value", "low", "high")]
    led = [row for row in shown["gains"] if row["strategy"] == "talkative" and row["captain"]]
    rescues, regressions = (sum(row[key] for row in led) for key in ("rescues", "regressions"))
    assert values[texts[4]]["value"] == pytest.approx(rescues - regressions)
    assert values[texts[5]]["value"] == pytest.approx(rescues / regressions)
    assert values[texts[6]]["value"] == 0


@pytest.mark.parametrize(
    ("more", "key", "words"),
    [
        ({"hypotheses": ["accuracy(vote) > 0", "accuracy(voet) > 0"]}, "hypotheses[1]", "did you mean 'vote'"),
        ({"hypotheses": ["accuracy(vote > 0"]}, "hypotheses[0]", "closes accuracy("),
        ({"hypotheses": ["accuracy(vote@eve) > 0"]}, "hypotheses[0]", "leads no play"),
        ({"hypotheses": ["net(vote, open) > 0"]}, "hypotheses[0]", "this file has none"),
        ({"primary": "talkative@eve"}, "primary", "leads no play"),
        ({"primary": "silent"}, "primary", "is not played here"),
    ],
)
def test_mistakes_are_found_before_any_call(tmp_path: Path, more: dict[str, Any], key: str, words: str) -> None:
    with pytest.raises(FileError) as found:
        build(read_experiment(write(tmp_path, **more)))
    assert words in str(found.value)
    assert found.value.key is not None
    assert found.value.key.replace(".", "").replace("[", "").replace("]", "") == key.replace("[", "").replace("]", "")
    assert found.value.line is not None


async def test_a_trial_does_not_hide_the_whole_run(tmp_path: Path, plain: tuple[Path, Figures]) -> None:
    shutil.copytree(plain[0], tmp_path, dirs_exist_ok=True)
    shown = await run(write(tmp_path), limit=5)
    assert shown["questions"] == 60
    assert [each["questions"] for each in shown["other_plans"]] == [5]
    # Another plan (other cells) is another thing, and the last one is meant.
    shown = await run(write(tmp_path, strategies=["solo"]), limit=7)
    assert shown["questions"] == 7


def test_frontier_and_power(plain: tuple[Path, Figures]) -> None:
    _, shown = plain
    rows = {row["of"]: row for row in shown["frontier"]}
    assert [row["cost"] for row in shown["frontier"]] == sorted(row["cost"] for row in shown["frontier"])
    best_alone = max((row for row in shown["frontier"] if row["alone"]), key=lambda row: row["accuracy"])
    assert best_alone["on_frontier"]
    assert rows["talkative@ann"]["cost"] == pytest.approx(4, abs=0.01)
    assert all(not row["on_frontier"] for row in rows.values() if row["accuracy"] < best_alone["accuracy"])
    solos = [row["within"] for row in rows.values() if row["alone"]]
    assert solos == [best_alone["accuracy"]] * 3
    assert {row["within_of"] for row in rows.values() if row["alone"]} == {best_alone["of"]}
    assert best_alone["beaten_by"] is None
    paired = {(row["a"], row["b"]): row for row in shown["comparisons"] if row["test"] == "mcnemar"}
    for row in shown["power"]:
        if (row["a"], row["b"]) in paired:
            found = paired[row["a"], row["b"]]
            assert row["discordant"] == found["rescues"] + found["regressions"]
    against_best = [row for row in shown["power"] if row["b"] == "best single"]
    assert [row["family"] for row in against_best] == [shown["headline"]["options"]], "the claim pays for the choice"


async def test_every_section_can_be_drawn(tmp_path: Path) -> None:
    shown = await run(write(tmp_path, hypotheses=["accuracy(vote) > 0.1"]))
    sections = {section.id: section for section in all_sections(shown)}
    wanted = {"accuracy", "outcomes", "by-captain", "skyline", "gap", "gains", "frontier", "power", "hypotheses"}
    assert wanted | {"comparisons", "diversity", "self-preference", "runs"} <= set(sections)
    for section in sections.values():
        keys = {key for row in section.rows for key in row}
        for column in section.columns:
            assert {column.key, *(each for each in (column.low, column.high) if each)} & keys, (section.id, column)
        if section.chart:
            drawn = {section.chart.x, section.chart.y, section.chart.label, section.chart.series} - {None}
            assert drawn <= keys, section.id
        json.dumps(list(map(dict, section.rows)), allow_nan=False)


async def test_what_a_store_remembers(tmp_path: Path) -> None:
    path = write(tmp_path, count=3, hypotheses=["accuracy(vote) > 0.1"], primary="vote@ann")
    await run(path)
    store = await build(read_experiment(path)).store().open()
    try:
        kept = await store.run(lambda connection: declared(connection, "cup"))
        names = await store.run(
            lambda connection: [row["size"] for row in queries.experiments_named(connection, "cup")]
        )
    finally:
        await store.close()
    assert [(each.kind, each.text, each.frozen) for each in kept] == [
        ("hypothesis", "accuracy(vote) > 0.1", True),
        ("primary", "vote@ann", True),
    ]
    assert names == [3]


async def test_cohorts(tmp_path: Path) -> None:
    texts = [
        "accuracy(peer-review, open) > 0",
        "safety_multiple(peer-review, open) > 1",
        "net(peer-review, open) > 0",
        "skyline(peer-review, open) > 0.1",
        "gap_closure(peer-review, open) > -9",
        "safety_multiple(peer-review) > 1",
    ]
    models = {"ann": 0.8, "bob": 0.6, "cat": 0.5, "dan": 0.45}
    cohorts = {"closed": ["ann", "bob"], "open": ["cat", "dan"]}
    shown = await run(
        write(
            tmp_path,
            models={name: {"provider": "simulated", "accuracy": share} for name, share in models.items()},
            teams={"both": {"players": list(models), "captain": "each", "cohorts": cohorts}},
            strategies=["solo", {"peer-review": {"drafts": "single-call"}}],
            hypotheses=texts,
        )
    )
    rows = {row["hypothesis"]: row for row in shown["hypotheses"]}
    assert all(row["note"] is None or row["value"] is not None for row in rows.values()), rows
    counted = {row["cohort"]: row for row in shown["safety"]}
    for text, cohort in ((texts[1], "open"), (texts[5], None)):
        for mine, theirs in (("value", "multiple"), ("low", "low"), ("high", "high")):
            assert rows[text][mine] == pytest.approx(counted[cohort][theirs])
    assert rows[texts[2]]["value"] == pytest.approx(counted["open"]["net"])
    led = [row["value"] for row in shown["accuracy"] if row.get("captain") in ("cat", "dan")]
    assert rows[texts[0]]["value"] == pytest.approx(sum(led) / 2)
    cover = next(row for row in shown["coverage"] if row["cohort"] == "open")
    assert rows[texts[3]]["value"] == pytest.approx(cover["native"])
    gap = next(row for row in shown["gap_closure"] if row["cohort"] == "open")
    assert [rows[texts[4]][key] for key in ("value", "low", "high")] == [gap[key] for key in ("value", "low", "high")]


def equals(names: tuple[str, ...], strategies: list[str]) -> dict[str, Any]:
    """Everybody is right on the same half of the questions, so that all rows tie."""

    def says(request: Request) -> dict[str, str]:
        number = int(re.findall(r"capital number (\d+)", request.messages[-1].content)[-1])
        return {"reasoning": "", "answer": f"Word {number}" if number % 2 else "x"}

    cases = [Case(Question(str(n), f"What is capital number {n}?"), f"Word {n}") for n in range(8)]
    models = {name: ScriptedModel(name, says) for name in names}
    keys = {"name": "cup", "models": models, "questions": cases, "strategies": strategies}
    teams = {"three": {"players": list(names), "captain": names[0]}}
    return dict(moot.run({**keys, "teams": teams}).figures["headline"])


def test_of_options_that_tie_one_is_the_highest_wherever_that_is_said() -> None:
    """The cheaper, whichever stands first in the file."""
    for strategies in (["talkative", "vote"], ["vote", "talkative"]):
        head = equals(("ann", "bob", "cid"), strategies)
        assert (head["of"], head["after_the_fact"]["of"]) == ("vote@ann", "vote@ann")
        assert head["value"] == head["after_the_fact"]["value"] == 0.5
        assert head["sentence"].count("the best of 2 options") == 1


def test_a_player_who_is_as_high_as_the_team_is_not_told_of_as_higher() -> None:
    head = equals(("ann", "bob", "cid"), ["vote", "solo", "talkative"])
    assert (head["of"], head["after_the_fact"]["of"]) == ("vote@ann", "solo@ann"), "alone it costs less"
    assert "The best row" not in head["sentence"]


@pytest.mark.parametrize(
    "over",
    [
        {"bounds": {"low": -0.01, "high": 0.11}},
        {"bounds": {"low": 0.068, "high": 0.068}, "low": -0.02},
        {"bounds": {"low": -0.167, "high": 0.083}, "difference": None, "n": 0, "why": "12 of 25 pairs are ungraded"},
    ],
    ids=["could turn", "settled over all", "withheld"],
)
@pytest.mark.parametrize("counted", [True, False])
def test_where_not_all_is_graded_every_part_is_two_lines_at_the_most(over: dict[str, Any], counted: bool) -> None:
    counts = {} if counted else {"rescues": None, "regressions": None, "counts_why": "1 question waits for a grade"}
    open_row = {"ungraded": 1, "questions": 573, "bounds": {"low": 0.441, "high": 0.443}, "cost_usd": None}
    parts = sentences({**ROW, **open_row, "cost_unit": "calls", "over_best_single": {**OVER, **counts, **over}})
    assert all(len(part) <= 160 and part.endswith(".") and part[0] in "OTIHW1" for part in parts), parts
    assert parts[0].endswith("got 44.2 % (40.2–48.3) of the 572 graded right.")
    assert "the best single model" in parts[1]
    assert ("bounds" in parts[1]) is (over["bounds"]["low"] != over["bounds"]["high"])
    assert "7.1 × the calls (cost unknown)" in " ".join(parts[2:4])
    assert parts[-1] == "1 answer is not graded; over all of them the figure is between 44.1 and 44.3 % (bounds)."


def test_without_a_figure_the_bounds_are_told_first() -> None:
    why = "3 of 24 answers are ungraded, and whether one is graded hangs on what it says"
    row = {**ROW, "value": None, "ungraded": 3, "questions": 24, "bounds": {"low": 0.875, "high": 1.0}, "why": why}
    told, more = sentences(row)
    assert (
        told == "On these 24 questions the team deciding by talkative with qwen as captain got between 87.5 and 100.0 %"
        " (bounds) right."
    )
    assert more == f"Nothing closer is known: {why}."


@pytest.mark.parametrize("names", [("cheap", "dear"), ("zcheap", "adear")])
async def test_of_equally_good_players_the_cheapest_is_held_against(tmp_path: Path, names: tuple[str, str]) -> None:
    """What they are called says nothing of what the team costs beside them."""
    prices = {names[0]: 0.5, names[1]: 50.0, "other": 0.5}
    models = {
        name: {"provider": "simulated", "accuracy": 0.7, "correlation": 1, "price": {"prompt": usd, "completion": usd}}
        for name, usd in prices.items()
    }
    models["other"] |= {"accuracy": 0.5, "correlation": 0.1}
    path = write(tmp_path, 30, models=models, teams={"all": {"players": list(models)}}, strategies=["solo", "vote"])
    figured = await run(path)
    alone = {row["player"]: row["value"] for row in figured["players"]}
    assert alone[names[0]] == alone[names[1]] == max(alone.values())
    headline = figured["headline"]
    assert (headline["of"], headline["over_best_single"]["single"]) == ("vote", names[0])
    assert headline["cost_ratio"] > 50
