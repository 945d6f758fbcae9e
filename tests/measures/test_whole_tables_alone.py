"""A mean of a table's models alone is one of all of them, by seats: what only some have played is told, and claims nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from worlds import in_form, questions

import moot
from moot import Request, ScriptedModel
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.measures.discussion.by_themselves import STEP_BY_STEP
from moot.measures.discussion.sections import discussion_sections
from moot.types import Reply, Usage

LEVELS = {"strong": 0.9, "weak": 0.3, "weaker": 0.25}
MODELS = {name: {"provider": "simulated", "accuracy": level} for name, level in LEVELS.items()}
STEPS = "Think step by step."
MAJORITY = {"discuss": {"personas": "none", "decision": "majority-consensus"}}
ONE_AGENT = {
    "discuss": {"personas": "none", "agents": 1, "max_turns": 1, "vote_from": 1, "step_by_step": True},
}
NOT_ALL = "protocol_baselines_left_out"


def experiment(folder: Path, players: Mapping[str, Any], *strategies: Any, table: list[str] | None = None) -> Path:
    keys: dict[str, Any] = {
        "name": "talk",
        "seed": 7,
        "questions": {"builtin": "general-en", "sample": 12},
        "models": MODELS,
        "players": players,
        "teams": {"table": {"players": table or list(LEVELS)}},
        "strategies": list(strategies),
    }
    path = folder / "talk.yaml"
    path.write_text(json.dumps(keys), encoding="utf-8")
    return path


def plain(*names: str) -> dict[str, Any]:
    return {name: {"model": name} for name in names or LEVELS}


def told(instruction: str, *names: str) -> dict[str, Any]:
    return {f"told-{name}": {"model": name, "instruction": instruction} for name in names}


def scores(figures: Mapping[str, Any]) -> dict[str, float]:
    return {row["protocol"].removeprefix("solo@"): row["value"] for row in figures["protocols"] if row["whole"]}


def played(folder: Path, players: Mapping[str, Any], *strategies: Any, **more: Any) -> dict[str, Any]:
    path = experiment(folder, {**plain(), **players}, *strategies)
    keys = json.loads(path.read_text(encoding="utf-8"))
    keys["teams"] = {"table": {"players": [*LEVELS, *players]}}
    path.write_text(json.dumps({**keys, **more}), encoding="utf-8")
    return dict(moot.run(path).figures)


def against(figures: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    return [row for row in figures.get("protocol_baselines", ()) if row["against"] == name]


def test_one_model_told_to_think_is_no_mean_of_the_three_at_the_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = played(tmp_path, told(STEPS, "weaker"), "solo", MAJORITY)
    assert [row["players"] for row in figures["protocol_baselines"]] == [list(LEVELS)]
    (left,) = figures[NOT_ALL]
    assert (left["against"], left["players"]) == ("solo, step by step", ["told-weaker"])
    assert (left["models"], left["of_models"], left["missing"]) == (1, 3, ["strong", "weak"])
    assert not {"difference", "p", "p_holm", "low", "high"} & left.keys(), "it claims nothing"
    sections = ["--section", "protocol-baselines", "--section", "protocol-baselines-left-out"]
    assert run_app(app, ["report", str(tmp_path / "talk.yaml"), *sections]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "1 of 3" in printed
    assert printed.count("told-weaker") == 1, "only among those that are no mean"


def test_all_models_told_so_are_a_mean_of_their_seats(tmp_path: Path) -> None:
    """`weaker` has played so twice: it still is one of three models."""
    twice = {"again-weaker": {"model": "weaker", "instruction": STEPS}}
    players = {**told(STEPS, *LEVELS), **twice}
    figures = played(tmp_path, players, "solo", MAJORITY)
    assert NOT_ALL not in figures
    (row,) = against(figures, "solo, step by step")
    alone = scores(figures)
    weaker = (alone["told-weaker"] + alone["again-weaker"]) / 2
    mean = (alone["told-strong"] + alone["told-weak"] + weaker) / 3
    assert row["difference"] == pytest.approx(alone["majority-consensus"] - mean)
    assert row["thinking"] == "step by step"
    assert row["test"] == "score", "a mean is no pair of right and wrong"
    (section,) = (each for each in discussion_sections(figures) if each.id == "protocol-baselines")
    assert section.chart is not None
    assert {str(row[section.chart.series or ""]) for row in section.rows} == {
        "solo: strong, weak, weaker",
        "solo, step by step: told-strong, told-weak, told-weaker, again-weaker",
    }


def test_an_instruction_of_its_own_makes_no_other_way(tmp_path: Path) -> None:
    """One has an instruction and one has none: their mean is that of the table, and no other stands beside it."""
    players = {"strong": {"model": "strong", "instruction": "You are a careful expert."}, **plain("weak")}
    vote = {"discuss": {"personas": "none", "agents": 2, "decision": "simple-voting"}}
    figures = moot.run(experiment(tmp_path, players, "solo", vote, table=["strong", "weak"])).figures
    (row,) = figures["protocol_baselines"]
    assert (row["against"], row["thinking"], row["players"]) == ("solo", "as each was told", ["strong", "weak"])
    assert NOT_ALL not in figures
    alone = scores(figures)
    assert row["difference"] == pytest.approx(alone["simple-voting"] - (alone["strong"] + alone["weak"]) / 2)
    cost = next(each for each in figures["protocol_cost"] if each["protocol"] == "simple-voting")
    assert cost["alone"] == ["strong", "weak"]
    tokens = {each["protocol"]: each["prompt_tokens"] + each["completion_tokens"] for each in figures["protocol_cost"]}
    mean = (tokens["solo@strong"] + tokens["solo@weak"]) / 2
    assert cost["tokens_ratio"] == pytest.approx(tokens["simple-voting"] / mean)


def test_no_ratio_is_taken_to_some_of_the_models(tmp_path: Path) -> None:
    """Of three models one agent alone: the first."""
    agent = {"discuss": {**ONE_AGENT["discuss"], "step_by_step": False}}
    figures = moot.run(experiment(tmp_path, plain(), MAJORITY, agent, ONE_AGENT)).figures
    assert "protocol_baselines" not in figures
    assert {(row["models"], row["of_models"]) for row in figures[NOT_ALL]} == {(1, 3)}
    talk = next(row for row in figures["protocol_cost"] if row["protocol"] == "majority-consensus")
    assert (talk["calls_ratio"], talk["tokens_ratio"], talk["alone"]) == (None, None, [])
    words = {section.id: " ".join(section.words) for section in discussion_sections(figures)}
    assert "no model alone to compare with" in words["protocol-cost"]


VOTE = {"discuss": {"personas": "none", "decision": "simple-voting"}}


@pytest.mark.parametrize(
    ("players", "table", "strong"),
    [
        (
            {"s1": {"model": "strong"}, "s2": {"model": "strong"}, "w": {"model": "weak"}},
            ["s1", "s2", "w"],
            ["s1", "s2"],
        ),
        ({"s1": {"model": "strong"}, "w": {"model": "weak"}}, ["s1", "w"], ["s1"]),
    ],
    ids=["two-of-a-model", "one-comes-again"],
)
def test_a_model_counts_by_its_seats(
    players: dict[str, Any], table: list[str], strong: list[str], tmp_path: Path
) -> None:
    """Two of three seats: a table that hands on the word of one of them by lot is no better than its models alone."""
    figures = moot.run(experiment(tmp_path, players, "solo", VOTE, table=table)).figures
    (row,) = figures["protocol_baselines"]
    alone = scores(figures)
    seats = [*(strong * 2)[:2], "w"]
    by_lot = fmean(alone[name] for name in seats)
    assert alone["w"] < fmean(alone[name] for name in strong)
    assert alone["simple-voting"] - row["difference"] == pytest.approx(by_lot)
    costs = {each["protocol"]: each for each in figures["protocol_cost"]}
    tokens = {name: each["prompt_tokens"] + each["completion_tokens"] for name, each in costs.items()}
    ratio = tokens["simple-voting"] / fmean(tokens[f"solo@{name}"] for name in seats)
    assert costs["simple-voting"]["tokens_ratio"] == pytest.approx(ratio)


WRONG = "Say what nobody would."


def told_apart(request: Request) -> Any:
    """Right, but who was told otherwise."""
    everything = " ".join(message.content for message in request.messages)
    said = json.dumps(in_form(request, "Lyon" if WRONG in everything else "Paris"))
    return Reply(said, usage=Usage(len(everything), 10))


def one_model(table: list[str], *strategies: Any, **players: Any) -> dict[str, Any]:
    keys = {
        "name": "one-model",
        "seed": 7,
        "questions": questions(12),
        "models": {"m": ScriptedModel("m", told_apart)},
        "players": {name: {"model": "m", **told} for name, told in players.items()},
        "teams": {"table": {"players": table}},
        "strategies": list(strategies),
    }
    return dict(moot.run(keys).figures)


BOTH: dict[str, Any] = {"p": {}, "q": {"instruction": WRONG}}


@pytest.mark.parametrize(("agents", "alone"), [(2, 1 / 2), (3, 2 / 3), (4, 1 / 2), (5, 3 / 5)])
def test_two_of_one_model_who_are_told_different_things_count_by_their_own_seats(agents: int, alone: float) -> None:
    """The seats are p, q, p, …: p alone is always right, and q never."""
    talk = {"discuss": {**VOTE["discuss"], "agents": agents}}
    figures = one_model(["p", "q"], "solo", talk, **BOTH)
    (row,) = figures["protocol_baselines"]
    scored = scores(figures)
    assert (scored["p"], scored["q"]) == (1.0, 0.0)
    assert scored["simple-voting"] - row["difference"] == pytest.approx(alone)
    costs = {each["protocol"]: each for each in figures["protocol_cost"]}
    tokens = {name: each["prompt_tokens"] + each["completion_tokens"] for name, each in costs.items()}
    each_alone = fmean(tokens[f"solo@{'pq'[seat % 2]}"] for seat in range(agents))
    assert tokens["solo@p"] != tokens["solo@q"]
    assert costs["simple-voting"]["tokens_ratio"] == pytest.approx(tokens["simple-voting"] / each_alone)
    assert costs["simple-voting"]["alone"] == ["p", "q"]


def test_one_agent_alone_stands_for_nobody_who_was_told_otherwise() -> None:
    agent = {"discuss": {**ONE_AGENT["discuss"], "step_by_step": False}}
    figures = one_model(["p", "q"], VOTE, agent, **BOTH)
    assert "protocol_baselines" not in figures
    (left,) = figures[NOT_ALL]
    assert (left["models"], left["of_models"], left["missing"]) == (1, 1, ["q"])
    assert left["why"] == "not everybody who sits there"


def test_other_parts_of_the_seats_vary_with_the_agents() -> None:
    """Two agents are told two things; of three, two are told one of them."""
    several = [{"discuss": {**VOTE["discuss"], "agents": agents}} for agents in (2, 3)]
    (line,) = one_model(["p", "q"], *several, **BOTH)["scaling"]
    assert line["also_varied"] == ["instructions"]
    (line,) = one_model(["p", "q"], *several, p={}, q={})["scaling"]
    assert line["also_varied"] == [], "told the same, they are one"


STEPPING = {"strong": {"model": "strong", "instruction": STEPS}, **plain("weak", "weaker")}


def test_whoever_sits_there_is_as_it_was_told_whatever_the_words(tmp_path: Path) -> None:
    """One of them was told to think step by step: a mean of all three, and nothing is left out."""
    figures = moot.run(experiment(tmp_path, STEPPING, "solo", MAJORITY)).figures
    (row,) = figures["protocol_baselines"]
    assert (row["against"], row["thinking"], row["players"]) == ("solo", "as each was told", list(LEVELS))
    assert NOT_ALL not in figures
    talk = next(each for each in figures["protocol_cost"] if each["protocol"] == "majority-consensus")
    assert talk["alone"] == list(LEVELS)


def test_others_do_not_stand_for_whoever_sits_there(tmp_path: Path) -> None:
    """Others of its model were told nothing, or to think: that is another way for all, and none for what a seat was told."""
    players = {**STEPPING, "plain-strong": {"model": "strong"}, **told(STEPS, "weak", "weaker")}
    path = experiment(tmp_path, players, "solo", MAJORITY)
    keys = json.loads(path.read_text(encoding="utf-8"))
    keys["teams"] = {"table": {"players": list(players)}}
    path.write_text(json.dumps(keys), encoding="utf-8")
    figures = moot.run(path).figures
    assert {row["against"]: row["players"] for row in figures["protocol_baselines"]} == {
        "solo": list(LEVELS),
        "solo, step by step": ["strong", "told-weak", "told-weaker"],
    }
    talk = next(each for each in figures["protocol_cost"] if each["protocol"] == "majority-consensus")
    assert talk["alone"] == list(LEVELS)


def test_one_agent_is_the_first_player_and_is_named(tmp_path: Path) -> None:
    figures = moot.run(experiment(tmp_path, plain(), "solo", MAJORITY, ONE_AGENT)).figures
    (left,) = figures[NOT_ALL]
    assert left["against"] == "simple-voting, strong alone, step by step"
    assert (left["models"], left["of_models"], left["missing"]) == (1, 3, ["weak", "weaker"])
    assert {row["against"] for row in figures["protocol_baselines"]} == {"solo"}
    named = {row["with"] for row in figures["protocols"] if row["protocol"] == "simple-voting"}
    assert named == {"strong alone, step by step"}


def test_one_agent_stands_for_a_table_of_one_model(tmp_path: Path) -> None:
    """As in the paper: all seats have the model of the one agent."""
    figures = moot.run(experiment(tmp_path, plain("weak"), MAJORITY, ONE_AGENT, table=["weak"])).figures
    (row,) = figures["protocol_baselines"]
    assert (row["against"], row["players"]) == ("simple-voting, weak alone, step by step", ["weak"])
    assert NOT_ALL not in figures


@pytest.mark.parametrize(
    ("instruction", "thinking"),
    [
        ("think  step by step", "step by step"),
        ("Рассуждай шаг за шагом.", "step by step"),
        ("Do not think step by step.", "as each was told"),
        ("Never answer step-by-step: one word.", "as each was told"),
    ],
)
def test_only_the_sentence_itself_asks_for_steps(instruction: str, thinking: str, tmp_path: Path) -> None:
    figures = moot.run(
        experiment(tmp_path, {"weak": {"model": "weak", "instruction": instruction}}, "solo", MAJORITY, table=["weak"])
    ).figures
    assert [row["thinking"] for row in figures["protocol_baselines"]] == [thinking]


def test_the_sentences_are_those_of_the_prompts() -> None:
    prompts = Path(moot.__file__).parent / "strategies" / "discuss" / "prompts"
    assert len(STEP_BY_STEP) == len(list(prompts.iterdir()))
    for folder in prompts.iterdir():
        words = (folder / "solution.j2").read_text(encoding="utf-8").casefold()
        assert any(f"{sentence}." in words for sentence in STEP_BY_STEP), folder.name
