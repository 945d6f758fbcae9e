"""The safety net from file to figures: scripted models, and every figure against a count made here in plain Python."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console
from sqlalchemy import Connection

from moot.engine.runner import Runner
from moot.errors import FileError
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.measures.numbers import bounds, shown
from moot.measures.safety.multiple import multiple
from moot.measures.safety.sections import safety_sections
from moot.measures.section import Column, Section
from moot.models.scripted import Script, ScriptedModel
from moot.report.figures import figures, find_experiment
from moot.report.section_terminal import section_parts, section_tables
from moot.report.terminal import print_report
from moot.report.transcript import transcripts
from moot.types import Reply, Request

COHORTS = {"open": ("ann", "bob"), "closed": ("cat", "dan")}
PLAYERS = ("ann", "bob", "cat", "dan")
COUNT = 40
STAGES = ("single", "double", "review", "debate", "captain")
TRUTH = "A"
Words = dict[str, dict[str, str | None]]


@dataclass
class World:
    """What everybody says at every stage: a letter, or None for a refusal. A is right."""

    words: dict[str, Words] = field(default_factory=dict)
    stages: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    """What the transcripts of ann alone hold, where readers were needed: (who, stage) by question."""

    def __post_init__(self) -> None:
        draw = random.Random(8)
        for stage in STAGES:
            self.words[stage] = {player: {f"q{n}": draw.choice("AAAABC") for n in range(COUNT)} for player in PLAYERS}
        for n in (3, 4, 5):
            self.words["double"]["ann"][f"q{n}"] = None
        self.words["review"]["cat"]["q7"] = None

    def reply(self, player: str, request: Request) -> Script:
        prompt, question = request.messages[-1].content, str(request.question_id)
        if "review among equals" in prompt:
            stage = "review"
        elif "of a debate" in prompt or "A debate on the question" in prompt:
            stage = "debate"
        elif "You are the captain" in prompt:
            stage = "captain"
        elif "Explain why" in prompt:
            return "Because it is so."
        else:
            stage = "double" if request.schema is None else "single"
        said = self.words[stage][player][question]
        if said is None:
            return Reply("I would rather not.", finish="refusal")
        return f"Answer: {said}" if stage == "double" else {"reasoning": "So it is.", "answer": said}

    # What should come out, question by question.

    def debated(self, cohort: str, question: str) -> bool:
        natives = {self.words["double"][player][question] for player in COHORTS[cohort]}
        return len(natives) > 1 or None in natives

    def after(self, stage: str, player: str, question: str) -> str | None:
        cohort = next(name for name, members in COHORTS.items() if player in members)
        if stage == "debate" and not self.debated(cohort, question):
            return self.words["double"][player][question]
        return self.words[stage][player][question]

    def changes(self, stage: str, native: str, players: Sequence[str]) -> dict[str, list[int]]:
        counted: dict[str, list[int]] = {"rescues": [], "regressions": [], "recovered": []}
        for question in (f"q{n}" for n in range(COUNT)):
            pairs = [(self.words[native][p][question], self.after(stage, p, question)) for p in players]
            counted["rescues"].append(sum(b is not None and b != TRUTH and a == TRUTH for b, a in pairs))
            counted["regressions"].append(sum(b == TRUTH and a != TRUTH for b, a in pairs))
            counted["recovered"].append(sum(b is None and a == TRUTH for b, a in pairs))
        return counted


class Rambling(World):
    """Ann says something on q0 and q1 that nobody can read by rule; two readers agree on q0 only."""

    def reply(self, player: str, request: Request) -> Script:
        prompt, question = request.messages[-1].content, str(request.question_id)
        if player in READERS:
            self.words["double"].setdefault("read", {})[question] = prompt
            return {"answer": "B" if player == "ray" or question == "q0" else "none"}
        if player == "ann" and question in ("q0", "q1") and request.schema is None and "Explain why" not in prompt:
            return "Much speaks for the second one, and little against it; so let us leave it there, shall we."
        return super().reply(player, request)


READERS = ("ray", "sue")
BESIDE = ("judges", "rubric", "quiz", "squad", "discussion", "summaries", "position", "trust", "decided")
"""Measures that say nothing of the net; the run that many tests here read has them all."""


async def played(
    folder: Path,
    world: World,
    strategies: Sequence[Any],
    readers: Sequence[str] = (),
    hypotheses: Sequence[str] = (),
    more: Mapping[str, Any] | None = None,
    without: Sequence[str] = BESIDE,
    **team: Any,
) -> dict[str, Any]:
    lines = [
        {"id": f"q{n}", "text": f"Which, {n}?", "choices": ["one", "two", "three", "four"], "answer": TRUTH}
        for n in range(COUNT)
    ]
    sets: dict[str, list[str]] = {}
    for line in lines:
        sets.setdefault("odd" if int(line["id"][1:]) % 2 else "even", []).append(json.dumps(line))
    for name, written in sets.items():
        (folder / f"{name}.jsonl").write_text("\n".join(written), encoding="utf-8")
    seated = {"players": list(PLAYERS), "cohorts": {name: list(each) for name, each in COHORTS.items()}, **team}
    spec = {
        "name": "net",
        "seed": 3,
        "questions": [{"file": f"{name}.jsonl"} for name in sets],
        "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in (*PLAYERS, *readers)},
        **({"extract": {"models": list(readers)}} if readers else {}),
        "teams": {"four": {key: value for key, value in seated.items() if value}},
        "strategies": list(strategies),
        "hypotheses": list(hypotheses),
        **(more or {}),
    }
    path = folder / "net.yaml"
    path.write_text(json.dumps(spec), encoding="utf-8")
    plan = build(read_experiment(path))
    models = {
        name: replace(built, model=ScriptedModel(name, lambda request, name=name: world.reply(name, request)))
        for name, built in plan.models.items()
    }
    store = await plan.store().open()
    try:
        await Runner(replace(plan, models=models), store).run()
        if readers:
            world.stages = await store.run(lambda connection: _stages(connection, ("q0", "q1")))
        return await store.run(
            lambda connection: figures(connection, find_experiment(connection, plan.name), without=without)
        )
    finally:
        await store.close()


def _stages(connection: Connection, questions: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
    experiment = find_experiment(connection, "net")
    return {
        question: [(call["player"], call["stage"]) for call in episode.calls]
        for question in questions
        for episode in transcripts(connection, experiment, question, "solo(drafts=double-call)@ann")
    }


DOUBLE = {"solo": {"drafts": "double-call"}}
CLAIMS = ["safety_multiple(peer-review) > 1", "net(peer-review) > 0", "safety_multiple(debate) > 1", "net(debate) > 0"]


@pytest.fixture(scope="module")
def world() -> World:
    return World()


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory, world: World) -> dict[str, Any]:
    import asyncio

    folder = tmp_path_factory.mktemp("net")
    strategies = ["solo", DOUBLE, "peer-review", "debate", "silent"]
    return asyncio.run(played(folder, world, strategies, captain="each", hypotheses=CLAIMS, without=()))


@pytest.mark.parametrize("cohort", [*COHORTS, None])
@pytest.mark.parametrize(
    ("label", "stage", "native"),
    [("peer-review", "review", "double"), ("debate", "debate", "double"), ("silent", "captain", "single")],
)
def test_rescues_and_regressions(
    net: dict[str, Any], world: World, label: str, stage: str, native: str, cohort: str | None
) -> None:
    (row,) = (each for each in net["safety"] if each["stage"] == label and each["cohort"] == cohort)
    players = COHORTS[cohort] if cohort else PLAYERS
    expected = world.changes(stage, native, players)
    assert {key: row[key] for key in expected} == {key: sum(each) for key, each in expected.items()}
    assert row["rescues"] > 0 < row["regressions"], "there is something to count"
    ratio = multiple(expected["rescues"], expected["regressions"])
    assert (row["multiple"], row["low"], row["high"]) == pytest.approx((ratio.value, ratio.low, ratio.high))
    assert row["net"] == row["rescues"] - row["regressions"]
    assert (row["n_pairs"], row["n"]) == (COUNT * len(players), COUNT)
    natives = [world.words[native][player][f"q{n}"] for player in players for n in range(COUNT)]
    assert row["regression_rate"] == pytest.approx(row["regressions"] / natives.count(TRUTH))
    assert row["rescue_rate"] == pytest.approx(row["rescues"] / sum(each not in (TRUTH, None) for each in natives))


def test_refusals_are_counted_apart(net: dict[str, Any]) -> None:
    rows = {(row["stage"], row["cohort"]): row for row in net["safety"]}
    assert (rows["peer-review", "open"]["refused"], rows["peer-review", "open"]["refused_after"]) == (3, 0)
    assert (rows["peer-review", "closed"]["refused"], rows["peer-review", "closed"]["refused_after"]) == (0, 1)
    assert rows["silent", None]["refused"] == 0
    words = next(section for section in safety_sections(net) if section.id == "safety").words
    assert any("peer-review 3 alone, 1 after" in sentence for sentence in words)


def test_coverage_beside_guessing(net: dict[str, Any], world: World) -> None:
    (row,) = (each for each in net["coverage"] if each["stage"] == "peer-review" and each["cohort"] == "open")
    for side, stage in (("native", "double"), ("after", "review")):
        anybody = [any(world.words[stage][p][f"q{n}"] == TRUTH for p in COHORTS["open"]) for n in range(COUNT)]
        assert row[side] == pytest.approx(sum(anybody) / COUNT)
    assert row["guessing"] == pytest.approx(1 - 0.75**2)


def test_what_the_debate_adds(net: dict[str, Any], world: World) -> None:
    (row,) = (each for each in net["debate_lift"] if each["cohort"] is None)
    before, after = (world.changes(stage, "double", PLAYERS) for stage in ("review", "debate"))
    nets = [sum(each["rescues"]) - sum(each["regressions"]) for each in (before, after)]
    assert (row["net_before"], row["net_after"], row["net_difference"]) == (*nets, pytest.approx(nets[1] - nets[0]))
    assert row["lift"] == pytest.approx(row["multiple_after"] - row["multiple_before"])


def test_how_debates_ended(net: dict[str, Any], world: World) -> None:
    rows = {row["cohort"]: row for row in net["consensus"]}
    for cohort, members in COHORTS.items():
        debated = [f"q{n}" for n in range(COUNT) if world.debated(cohort, f"q{n}")]
        agreed = [q for q in debated if len({world.words["debate"][player][q] for player in members}) == 1]
        assert rows[cohort]["n"] == len(debated)
        assert rows[cohort]["value"] == pytest.approx(len(agreed) / len(debated))
        assert rows[cohort]["unanimous_before"] == COUNT - len(debated)
        assert rows[cohort]["endings"] == {"consensus": len(agreed), "stuck": len(debated) - len(agreed)}


def test_the_formatting_tax(net: dict[str, Any], world: World) -> None:
    tax = net["formatting_tax"]
    for side, stage in (("single", "single"), ("double", "double")):
        right = [word == TRUTH for player in PLAYERS for word in world.words[stage][player].values()]
        assert tax[side] == pytest.approx(sum(right) / len(right))
    assert tax["difference"] == pytest.approx(tax["double"] - tax["single"])
    assert (tax["n"], tax["n_pairs"]) == (COUNT, COUNT * len(PLAYERS))


async def test_the_authority_bias(tmp_path: Path) -> None:
    """The same reviewers on the same questions; where names are shown, dan and ann think better of it on q0 to q4."""
    better = [f"q{n}" for n in range(5)]

    class Impressed(World):
        def reply(self, player: str, request: Request) -> Script:
            named = ' from="' in request.messages[-1].content
            if named and player in ("ann", "dan") and request.question_id in better:
                return {"reasoning": "They must know.", "answer": TRUTH}
            return super().reply(player, request)

    world = Impressed()
    for player in ("ann", "dan"):
        world.words["review"][player] |= dict.fromkeys(better, "D")
    strategies = ["peer-review", {"peer-review": {"names": "shown"}}]
    found = await played(tmp_path, world, strategies, captain="each")
    rows = {row["cohort"]: row for row in found["authority_bias"]}
    assert set(rows) == {*COHORTS, None}
    for cohort, members in ((None, PLAYERS), *COHORTS.items()):
        moved = sum(player in ("ann", "dan") for player in members)
        row = rows[cohort]
        assert row["stage"] == "peer-review(names=shown)"
        assert row["difference"] == pytest.approx(len(better) * moved / (COUNT * len(members)))
        answered = sum(world.words["review"][player][f"q{n}"] is not None for player in members for n in range(COUNT))
        assert row["changed"] == pytest.approx(len(better) * moved / answered)
        assert (row["n"], row["n_pairs"]) == (COUNT, COUNT * len(members))
    (section,) = (each for each in safety_sections(found) if each.id == "authority-bias")
    assert [row["cohort"] for row in section.rows] == [*COHORTS, "all"]


def test_each_model_and_each_set(net: dict[str, Any], world: World) -> None:
    rows = [row for row in net["safety_models"] if row["stage"] == "peer-review"]
    assert {row["model"] for row in rows} == set(PLAYERS)
    for row in rows:
        for side, stage in (("native", "double"), ("after", "review")):
            said = list(world.words[stage][row["model"]].values())
            assert row[side] == pytest.approx(said.count(TRUTH) / COUNT)
        assert row["model"] in COHORTS[row["cohort"]]
    assert [row["stage"] for row in net["gain_by_strength"]] == ["peer-review", "debate", "silent"]
    assert [each["dataset"] for each in net["macro_average"][0]["datasets"]] == ["even", "odd"]


def test_gaps_are_between_cohorts(net: dict[str, Any]) -> None:
    for row in net["gap_closure"]:
        assert row["cohort"] != row["towards"]
        assert row["value"] == pytest.approx((row["after"] - row["alone"]) / (row["stronger"] - row["alone"]))


def test_everything_is_json_and_fits(net: dict[str, Any]) -> None:
    json.dumps(net, allow_nan=False)
    assert "safety_missing" not in net
    console = Console(width=80, record=True, file=io.StringIO())
    print_report(net, console)
    text = console.export_text()
    for section in safety_sections(net):
        if section.rows and section.id != "safety-models":
            assert section.title in text
    assert max(map(cell_len, text.splitlines())) <= 80


async def test_a_draft_stands_in_for_a_player_never_played_alone(tmp_path: Path, world: World) -> None:
    """No figure hangs on whether somebody also stands alone in the file."""
    stages = ["silent", "peer-review", "debate"]
    (tmp_path / "alone").mkdir()
    (tmp_path / "together").mkdir()
    alone = await played(tmp_path / "alone", world, ["solo", DOUBLE, *stages], captain="each")
    together = await played(tmp_path / "together", world, stages, captain="each")
    assert "safety_missing" not in together
    for key in ("safety", "safety_models", "coverage", "gap_closure", "debate_lift", "macro_average", "consensus"):
        assert together[key] == alone[key], key


async def test_what_is_missing_is_said(tmp_path: Path, world: World) -> None:
    """Ann sums up what others propose, and is nowhere asked alone."""
    mixture = {"mixture": {"proposers": ["bob", "cat"], "repeats": 1}}
    found = await played(tmp_path, world, ["peer-review", mixture], captain="ann", cohorts={})
    assert {row["stage"] for row in found["safety"]} == {"peer-review"}
    (missing,) = found["safety_missing"]
    (named,) = (row["label"] for row in found["accuracy"] if row["strategy"] == "mixture")
    assert missing == {"stage": named, "captains": ["ann"], "add": "- solo"}
    (section,) = (each for each in safety_sections(found) if each.id == "safety-missing")
    assert section.rows == [missing]


async def test_what_two_readers_find_counts_and_the_rest_is_unparsed(tmp_path: Path) -> None:
    world = Rambling()
    world.words["review"]["ann"] |= {"q0": "A", "q1": "A"}
    review = {"peer-review": {"replies": "strict"}}
    found = await played(tmp_path, world, [DOUBLE, review], readers=READERS, captain="each")
    readers = [("ray", "extract"), ("sue", "extract")]
    assert world.stages == {
        "q0": [("ann", "verdict"), *readers, ("ann", "rationale")],
        "q1": [("ann", "verdict"), *readers],
    }, "the transcript shows which stage settled it"
    shown = world.words["double"].pop("read")["q0"]
    assert shown is not None
    assert "Much speaks for the second one" in shown
    world.words["double"]["ann"] |= {"q0": "B", "q1": None}
    expected = world.changes("review", "double", PLAYERS)
    (row,) = (each for each in found["safety"] if each["cohort"] is None)
    assert {key: row[key] for key in expected} == {key: sum(each) for key, each in expected.items()}
    own = world.changes("review", "double", ("ann",))
    assert (own["rescues"][0], own["recovered"][1]) == (1, 1), "read wrong, then right; unparsed, then right"
    solo = next(each for each in found["accuracy"] if each.get("player") == "ann")
    assert solo["outcomes"] == {"answered": COUNT - 4, "unanswered": 1, "refused": 3}


async def test_without_cohorts_there_is_one_row_a_stage(tmp_path: Path, world: World) -> None:
    strategies = ["solo", {"peer-review": {"drafts": "single-call"}}, "vote"]
    found = await played(tmp_path, world, strategies, captain="each", cohorts=None)
    labels = ["peer-review(drafts=single-call)", "vote"]
    assert [(row["stage"], row["cohort"]) for row in found["safety"]] == [(label, None) for label in labels]
    expected = world.changes("review", "single", PLAYERS)
    assert found["safety"][0]["rescues"] == sum(expected["rescues"])
    assert "debate_lift" not in found
    assert "gap_closure" not in found


def test_hypotheses_count_as_the_rows_do(net: dict[str, Any]) -> None:
    said = {row["hypothesis"]: row for row in net["hypotheses"]}
    for stage in ("peer-review", "debate"):
        (row,) = (each for each in net["safety"] if each["stage"] == stage and each["cohort"] is None)
        assert row["recovered"] > 0, "there is something that is no rescue"
        assert said[f"safety_multiple({stage}) > 1"]["value"] == pytest.approx(row["multiple"])
        assert said[f"net({stage}) > 0"]["value"] == pytest.approx(row["net"])


async def test_what_never_came_is_no_rescue_by_drafts_either(tmp_path: Path, world: World) -> None:
    found = await played(tmp_path, world, ["peer-review"], captain="each", hypotheses=CLAIMS[:2])
    expected = {key: sum(each) for key, each in world.changes("review", "double", PLAYERS).items()}
    assert expected["recovered"] > 0
    multiple, net = (row["value"] for row in found["hypotheses"])
    assert multiple == pytest.approx(expected["rescues"] / expected["regressions"])
    assert net == pytest.approx(expected["rescues"] - expected["regressions"])


def test_each_cohort_has_a_table_and_a_skyline_of_its_own(net: dict[str, Any]) -> None:
    console = Console(width=80, record=True, file=io.StringIO())
    print_report(net, console)
    text = " ".join(console.export_text().split())
    for table in ("open (double-call)", "closed (double-call)", "open", "closed"):
        assert f"Skyline of {table} (at least one of 2 players right)" in text
        assert f"Share of the gap to the skyline closed ({table})" in text
        assert f"Gain over the captain alone ({table}), in points" in text
    assert text.count("As many guessers would reach 43.8 %.") == 4, "two guessers at four choices"
    assert "'better' and 'worse' there count questions, and are not sums over captains" in text
    pooled = next(row for row in net["gains"] if row["captain"] is None)
    single = [
        row
        for row in net["gains"]
        if row["captain"] and (row["team"], row["label"]) == (pooled["team"], pooled["label"])
    ]
    assert pooled["rescues"] + pooled["regressions"] <= pooled["n"] == COUNT
    assert pooled["rescues"] < sum(row["rescues"] for row in single)
    assert pooled["difference"] == pytest.approx(sum(row["difference"] for row in single) / len(single))


async def test_nobody_alone_no_figures(tmp_path: Path, world: World) -> None:
    found = await played(tmp_path, world, ["solo"])
    assert not {"safety", "coverage", "debate_lift", "consensus", "safety_missing"} & found.keys()


# --- sections in a terminal -------------------------------------------------------------------------------------------

SHOWN: Mapping[str, tuple[Any, Any, str]] = {
    "none": (None, "share", "–"),
    "share": (0.4337, "share", "43.4 %"),
    "no-minus-nothing": (-0.0001, "share", "0.0 %"),
    "points": (-0.012, "points", "-1.2"),
    "more-points": (0.012, "points", "+1.2"),
    "ratio": (4.178, "ratio", "4.18"),
    "number": (2, "number", "2.00"),
    "large-ratio": (41.78, "ratio", "41.8"),
    "usd": (0.00012, "usd", "$0.00012"),
    "usd-per-question": (0.00012, "usd-per-question", "$0.12"),
    "dollars": (1234.5, "usd", "$1,234.50"),
    "free": (0, "usd", "$0"),
    "p": (0.0004, "p", "<0.001"),
    "count": (12345, "", "12,345"),
    "whole": (3.0, "calls", "3"),
    "yes": (True, "", "yes"),
    "list": (("ann", "bob"), "", "ann, bob"),
    "empty-list": ((), "", "–"),
    "words": ("open", "", "open"),
}


@pytest.mark.parametrize(("value", "unit", "expected"), SHOWN.values(), ids=SHOWN)
def test_values_as_people_write_them(value: Any, unit: Any, expected: str) -> None:
    assert shown(value, unit) == expected


def test_intervals() -> None:
    assert bounds(0.39, 0.47, "share") == "(39.0–47.0)"
    assert bounds(-0.02, 0.04, "points") == "(-2.0 to 4.0)"
    assert bounds(3.0, None, "ratio") == "(from 3.00)"
    assert bounds(None, 0.5, "ratio") == "(to 0.50)"
    assert bounds(None, None, "ratio") == ""


def test_a_wide_table_is_parted_and_keeps_its_names() -> None:
    columns = (Column("who", "who"), *(Column(f"c{n}", f"figure {n}", "share", "low", "high") for n in range(9)))
    row = {"who": "somebody with a very long name indeed", "low": 0.1, "high": 0.9, **{f"c{n}": 0.5 for n in range(9)}}
    section = Section("wide", "Wide", ("So wide.",), columns, [row, {"who": None}])
    parts = list(section_tables(section))
    assert len(parts) > 1
    assert all(str(table.columns[0].header) == "who" for table in parts)
    assert sum(len(table.columns) - 1 for table in parts) == 9, "every column once"
    console = Console(width=80, record=True, file=io.StringIO())
    for part in section_parts(section):
        console.print(part)
    text = console.export_text()
    assert max(map(cell_len, text.splitlines())) <= 80
    assert "somebody with a very" in text
    assert "long name indeed" in text, "wrapped, not cut"
    assert text.count("50.0 % (10.0–90.0)") == 9
    assert text.rstrip().endswith("So wide.")


def share(world: World, stage: str, player: str) -> float:
    return list(world.words[stage][player].values()).count(TRUTH) / COUNT


def test_the_formatting_tax_of_each_model_by_name(net: dict[str, Any], world: World) -> None:
    rows = {row["model"]: row for row in net["formatting_tax_models"]}
    assert set(rows) == set(PLAYERS)
    for player, row in rows.items():
        single, double = (world.words[stage][player] for stage in ("single", "double"))
        assert (row["single"], row["double"]) == (
            pytest.approx(share(world, "single", player)),
            pytest.approx(share(world, "double", player)),
        )
        assert row["difference"] == pytest.approx(row["double"] - row["single"])
        assert row["rescues"] == sum(double[q] == TRUTH != single[q] for q in single)
        assert row["regressions"] == sum(single[q] == TRUTH != double[q] for q in single)
        assert (row["n"], row["test"], row["family"]) == (COUNT, "mcnemar", len(PLAYERS))
    (section,) = (each for each in safety_sections(net) if each.id == "formatting-tax")
    assert [row["model"] for row in section.rows] == ["all", *sorted(PLAYERS)]


def test_gap_closure_names_who_is_best_and_each_model(net: dict[str, Any], world: World) -> None:
    """Each model of the weaker cohort by itself, towards the best of the other."""
    for row in net["gap_closure"]:
        alone = {player: share(world, "double", player) for player in COHORTS[row["towards"]]}
        if row["stage"] == "peer-review":
            assert alone[row["best"]["stronger"]] == max(alone.values())
            native = {player: share(world, "double", player) for player in COHORTS[row["cohort"]]}
            assert native[row["best"]["alone"]] == max(native.values())
    rows = [row for row in net["gap_closure_models"] if row["stage"] == "peer-review"]
    assert rows
    for row in rows:
        assert row["model"] in COHORTS[row["cohort"]]
        assert row["cohort"] != row["towards"]
        assert row["alone"] == pytest.approx(share(world, "double", row["model"]))
        assert row["after"] == pytest.approx(share(world, "review", row["model"]))
        assert row["value"] == pytest.approx((row["after"] - row["alone"]) / (row["stronger"] - row["alone"]))
    (section,) = (each for each in safety_sections(net) if each.id == "gap-closure-models")
    assert {row["model"] for row in section.rows} == {row["model"] for row in net["gap_closure_models"]}
    (cohorts,) = (each for each in safety_sections(net) if each.id == "gap-closure")
    assert all(row["best_alone"] in PLAYERS and row["best_stronger"] in PLAYERS for row in cohorts.rows)


def test_native_beside_after_as_bars(net: dict[str, Any], world: World) -> None:
    (section,) = (each for each in safety_sections(net) if each.id == "native-and-after")
    assert section.chart is not None
    assert (section.chart.kind, section.chart.series, section.chart.panel) == ("bars", "when", "stage")
    rows = [row for row in section.rows if row["stage"] == "peer-review"]
    assert [(row["model"], row["when"]) for row in rows[:2]] == [
        (rows[0]["model"], "alone"),
        (rows[0]["model"], "after"),
    ]
    natives = [row["value"] for row in rows if row["when"] == "alone"]
    assert natives == sorted(natives, reverse=True), "the strongest alone first"
    for row in rows:
        assert row["value"] == pytest.approx(
            share(world, "double" if row["when"] == "alone" else "review", row["model"])
        )
        assert row["low"] < row["value"] < row["high"]


def test_every_model_beside_the_average_of_its_own_cohort(net: dict[str, Any], world: World) -> None:
    averages = {
        (row["stage"], row["cohort"], row["when"]): row
        for row in net["cohort_averages"]
        if row["stage"] == "peer-review"
    }
    for (_, cohort, when), row in averages.items():
        stage = "double" if when == "alone" else "review"
        expected = sum(share(world, stage, player) for player in COHORTS[cohort]) / len(COHORTS[cohort])
        assert row["value"] == pytest.approx(expected)
        assert (row["models"], row["n"]) == (len(COHORTS[cohort]), COUNT)
    assert len(averages) == 2 * len(COHORTS)
    rows = [row for row in net["cohort_models"] if row["stage"] == "peer-review"]
    assert len(rows) == 2 * len(PLAYERS)
    for row in rows:
        stage = "double" if row["when"] == "alone" else "review"
        average = averages["peer-review", row["cohort"], row["when"]]["value"]
        assert row["value"] == pytest.approx(share(world, stage, row["model"]))
        assert row["average"] == pytest.approx(average)
        assert row["difference"] == pytest.approx(row["value"] - average)
        assert row["low"] <= row["difference"] <= row["high"]
    (section,) = (each for each in safety_sections(net) if each.id == "cohort-models")
    assert [row["model"] for row in section.rows].count("average of open") > 0


async def test_what_vendors_report_stands_beside_a_calibration(tmp_path: Path, world: World) -> None:
    vendors = {
        "ann": {"name": "Anna Labs", "accuracy": 0.99},
        "bob": {"accuracy": {"odd": 0.5, "even": 0.6}},
        "cat": {"name": "Cat & Co"},
    }
    found = await played(tmp_path, world, ["solo", DOUBLE], more={"vendors": vendors, "kind": "calibration"})
    rows = {(row["label"], row["model"], row["dataset"]): row for row in found["calibration"]}
    ann = rows["solo", "ann", None]
    assert (ann["vendor"], ann["reported"], ann["n"]) == ("Anna Labs", 0.99, COUNT)
    assert ann["value"] == pytest.approx(share(world, "single", "ann"))
    assert ann["difference"] == pytest.approx(ann["value"] - 0.99)
    assert ann["difference_low"] == pytest.approx(ann["low"] - 0.99)
    assert ann["within"] is False
    assert rows["solo(drafts=double-call)", "ann", None]["value"] == pytest.approx(share(world, "double", "ann"))
    odd = [world.words["single"]["bob"][f"q{n}"] for n in range(COUNT) if n % 2]
    row = rows["solo", "bob", "odd"]
    assert (row["reported"], row["value"], row["n"]) == (0.5, pytest.approx(odd.count(TRUTH) / len(odd)), len(odd))
    cat = rows["solo", "cat", None]
    assert (cat["vendor"], cat["reported"], cat["difference"]) == ("Cat & Co", None, None)
    assert "file" in cat["why"]
    assert not [row for row in found["calibration"] if row["model"] == "dan"], "the file says nothing of dan's"
    (section,) = (each for each in safety_sections(found) if each.id == "calibration")
    assert [column.title for column in section.columns][:4] == ["model", "asked as", "vendor", "vendor reports"]


async def test_a_vendor_reports_shares_of_sets_that_there_are(tmp_path: Path, world: World) -> None:
    for vendors, mistake in (
        ({"ann": {"accuracy": 92.4}}, r"vendors\.ann\.accuracy.*a share from 0 to 1.*92\.4"),
        ({"ann": {"accuracy": {"evn": 0.5}}}, r"vendors\.ann\.accuracy\.evn.*even, odd"),
        ({"nan": {"accuracy": 0.5}}, r"vendors\.nan.*ann, bob, cat, dan"),
        ({"ann": {}}, r"vendors\.ann.*name or accuracy"),
    ):
        with pytest.raises(FileError, match=mistake):
            await played(tmp_path, world, ["solo"], more={"vendors": vendors})
