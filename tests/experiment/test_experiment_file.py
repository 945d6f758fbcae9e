"""The experiment file where it is right: defaults, forms, and what YAML's surprises become."""

from __future__ import annotations

from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.config.yaml_file import checked, read_yaml
from moot.errors import FileError
from moot.experiment.build import build
from moot.experiment.model_specs import SimulatedParameters
from moot.experiment.spec import Experiment, read_experiment
from moot.simulate.simulated import SimulatedModel
from moot.strategies.blind import masked

SMALL = "name: cup\nquestions: {builtin: facts-en}\nmodels:\n  tom: {provider: simulated, accuracy: 0.4}\n"


def written(folder: Path, text: str = SMALL) -> Path:
    path = folder / "cup.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def spec(folder: Path, text: str = SMALL) -> Experiment:
    return read_experiment(written(folder, text)).spec


def test_players_left_out_are_one_for_each_model(tmp_path: Path) -> None:
    text = SMALL + "  tim: {provider: simulated, accuracy: 0.3}\n"
    assert {name: player.model for name, player in spec(tmp_path, text).players.items()} == {"tom": "tom", "tim": "tim"}


def test_defaults(tmp_path: Path) -> None:
    read = spec(tmp_path)
    assert (read.seed, read.repeats, read.language, read.strategies) == (0, 1, "en", ["solo"])
    assert (read.budget_usd, read.store, read.teams) == (None, None, {})


def test_a_strategy_with_a_colon_and_no_options(tmp_path: Path) -> None:
    assert spec(tmp_path, SMALL + "strategies:\n- solo:\n- vote\n- adaptive: {talk_from: 3}\n").strategies == [
        {"solo": {}},
        "vote",
        {"adaptive": {"talk_from": 3}},
    ]


SURPRISES: dict[str, tuple[str, Any]] = {
    "exponent": ("1e-3", 0.001),
    "exponent-with-point": ("1.5e3", 1500.0),
    "date": ("2024-01-31", "2024-01-31"),
    "impossible-date": ("2024-13-45", "2024-13-45"),
    "quoted-number": ("'7'", "7"),
    "null": ("null", None),
    "number-as-key": ("{50256: -100}", {"50256": -100}),
    "nested": ("{a: [1, 2.5, true]}", {"a": [1, 2.5, True]}),
}


@pytest.mark.parametrize(("written_as", "value"), SURPRISES.values(), ids=SURPRISES)
def test_values_are_those_of_json(written_as: str, value: Any, tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(f"key: {written_as}\n")
    assert read_yaml(path).values == {"key": value}


def test_anchors_and_merges_work(tmp_path: Path) -> None:
    text = (
        "name: cup\nquestions: {builtin: facts-en}\nmodels:\n"
        "  tom: &base {provider: simulated, accuracy: 0.4}\n  tim: {<<: *base, accuracy: 0.3}\n"
    )
    models = spec(tmp_path, text).models
    assert [getattr(model, "accuracy", None) for model in models.values()] == [0.4, 0.3]


def test_a_byte_order_mark_is_no_key(tmp_path: Path) -> None:
    path = tmp_path / "cup.yaml"
    path.write_text(SMALL, encoding="utf-8-sig")
    assert read_experiment(path).spec.name == "cup"


def test_a_team_file_needs_no_questions(tmp_path: Path) -> None:
    path = written(tmp_path, SMALL.replace("questions: {builtin: facts-en}\n", ""))
    assert read_experiment(path, with_questions=False).spec.questions is None
    with pytest.raises(FileError, match="questions"):
        read_experiment(path)


def test_paths_are_beside_the_file(tmp_path: Path) -> None:
    file = read_experiment(written(tmp_path))
    assert file.beside("a/b.jsonl") == tmp_path / "a" / "b.jsonl"
    assert file.beside("/a") == Path("/a")
    assert file.beside("~/a") == Path.home() / "a"
    assert file.store_url == "sqlite:///cup.db"


def test_the_simulated_model_has_all_its_parameters_in_the_file_with_its_own_defaults() -> None:
    apart = {"name", "world", "price", "max_tokens"}  # those of a file's models alone
    of_model = {each.name: each.default for each in fields(SimulatedModel) if each.name not in apart}
    of_file = {name: field.default for name, field in SimulatedParameters.model_fields.items()}
    assert list(of_file) == list(of_model)
    assert of_model.pop("accuracy") is MISSING
    assert SimulatedParameters(accuracy=0.5).model_dump(exclude={"accuracy"}) == of_model


def test_the_parameters_reach_the_model(tmp_path: Path) -> None:
    more = (
        "correlation: 0.3, family: f, family_correlation: 0.1, attraction: 0.2, tell: 2, power: 1, pull: 0, refuse: 0.1"
    )
    text = SMALL.replace("accuracy: 0.4", f"accuracy: 1, {more}, garble: 0.05")
    model = build(read_experiment(written(tmp_path, text))).models["tom"].model
    assert isinstance(model, SimulatedModel)
    assert (model.accuracy, model.correlation, model.family, model.family_correlation) == (1, 0.3, "f", 0.1)
    assert (model.attraction, model.tell, model.power, model.pull) == (0.2, 2, 1, 0)
    assert (model.refuse, model.garble) == (0.1, 0.05)


def test_more_than_one_mistake_names_the_others(tmp_path: Path) -> None:
    path = written(tmp_path, SMALL + "repeats: no\nbudget_usd: -1\nseeds: 3\n")
    with pytest.raises(FileError) as caught:
        read_experiment(path)
    assert (caught.value.line, caught.value.key) == (7, "seeds")
    assert caught.value.problem.endswith("did you mean 'seed'? (and 2 more: repeats, budget_usd)")


def test_plain_values_without_a_file_name_their_key() -> None:
    with pytest.raises(FileError, match=r"^accuracy: Field required; expected a number between 0 and 1$"):
        checked(SimulatedParameters, {})


KEYS = st.sampled_from(
    [
        "name",
        "models",
        "questions",
        "players",
        "teams",
        "strategies",
        "seed",
        "provider",
        "simulated",
        "accuracy",
        "price",
    ]
) | st.sampled_from(["endpoint", "base_url", "params", "file", "builtin", "a", "0", "[key]"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=10,
)


@given(st.dictionaries(KEYS, VALUES, max_size=6))
@settings(deadline=None, max_examples=80)
def test_any_values_are_a_spec_or_a_mistake_in_words(values: dict[str, Any]) -> None:
    try:
        checked(Experiment, values)
    except FileError as error:
        words = error.problem
    else:
        return
    assert words
    assert "Input should" not in words, "that is the validator's way of speaking"


VENDORS = """
name: cup
questions: {builtin: facts-en}
models:
  big: {provider: endpoint, base_url: "https://api.mistral.ai/v1", model: openai/gpt-4o}
  small: {provider: endpoint, base_url: "http://127.0.0.1:1/v1", model: qwen/qwen3-8b}
  other: {provider: simulated, accuracy: 0.4}
players: {sonny: {model: big}, bobby: {model: small}, kate: {model: other}}
teams: {two: {players: [sonny, bobby], captain: sonny}, one: {players: [kate], captain: kate}}
vendors: {other: {name: Acme}}
strategies: [talkative]
"""


@pytest.mark.parametrize("team", ["two", "one"])
def test_vendors_are_no_more_told_than_players(tmp_path: Path, team: str) -> None:
    """Whoever's table they sit at, and with cohorts or without."""
    table = build(read_experiment(written(tmp_path, VENDORS))).teams[team]
    said = "OpenAI's GPT-4o, by Mistral, and Qwen's qwen3-8b and Kate of ACME"
    assert masked(said, table) == "[…]'s […], by […], and […]'s […] and […] of […]"


def test_whoever_reads_a_text_again_has_values_of_its_own(tmp_path: Path) -> None:
    path = written(tmp_path, VENDORS)
    values: Any = read_yaml(path).values
    values["models"]["other"]["accuracy"] = 1.0
    values["strategies"].append("solo")
    again = read_yaml(path).values
    assert again["models"]["other"]["accuracy"] == 0.4
    assert again["strategies"] == ["talkative"]


@pytest.mark.parametrize("text", ["name: cup\nname: cup\n", "seed: 99999999999999999999\n", "a: [\n", "- a\n"])
def test_the_same_mistake_in_two_files_is_told_of_each(tmp_path: Path, text: str) -> None:
    for name in ("one.yaml", "two.yaml", "one.yaml"):
        (tmp_path / name).write_text(text)
        with pytest.raises(FileError, match=name):
            read_yaml(tmp_path / name)
