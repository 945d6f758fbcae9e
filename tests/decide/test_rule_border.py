"""A rule that somebody else wrote: whatever stands in the file, it is refused in one clear message or it decides."""

from __future__ import annotations

import copy
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import moot
from moot.decide.candidates import Candidates
from moot.decide.learnt import LearntVote
from moot.decide.rule_border import MOST_VALUES
from moot.decide.rule_file import rule_of
from moot.decide.rules import winners
from moot.decide.weighted import WeightedVote
from moot.errors import FileError, UsageError
from moot.experiment.fitted import MOST_RULE, read_rule
from moot.models.scripted import ScriptedModel
from moot.types import Case, Question

PLAYERS = ("ann", "bob", "cat")
RULE: dict[str, Any] = {
    "form": 1,
    "kept": "learnt",
    "why": "learnt from 200 questions",
    "leader": None,
    "players": {name: {"model": name, "right": 0.8, "model_mark": "ab12", "asked_mark": "cd34"} for name in PLAYERS},
    "prompts": "9f60c5a11403",
    "probability": {
        "weights": {"ann": 0.6, "bob": -0.3, "cat": -0.3},
        "common": 1.4,
        "none": [0.5, 0.5, -2.9],
        "penalty": 3.0,
    },
    "figures": {"learnt": {"value": 0.83, "low": 0.77, "high": 0.88, "n": 200}},
    "learnt_from": {"experiment": "cup", "team": "three", "questions": 200},
    "promises": {
        "learnt": [
            {
                "target": 0.9,
                "threshold": 0.8,
                "coverage": 0.5,
                "answered": 60,
                "right": 58,
                "questions": 120,
                "fewest": 29,
            }
        ]
    },
    "chosen_on": ["0040b0c1ee2a773d88da7a6aa5b90d3d"],
}


def changed(value: Any, *path: str | int) -> dict[str, Any]:
    content = copy.deepcopy(RULE)
    place: Any = content
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return content


def written(folder: Path, content: object) -> Path:
    path = folder / "rule.json"
    path.write_text(json.dumps(content))
    return path


def test_as_moot_fit_writes_it_a_rule_is_read(tmp_path: Path) -> None:
    content, learnt_on = read_rule(written(tmp_path, RULE))
    assert rule_of(content).expected is not None
    assert learnt_on.marks == set(RULE["chosen_on"])


WHOLE = 10**400
FALSE: dict[str, tuple[Any, ...]] = {
    "a whole number without end": (WHOLE, "probability", "common"),
    "the same, of the penalty": (WHOLE, "probability", "penalty"),
    "the same, of a player": (WHOLE, "probability", "weights", "ann"),
    "a weight that makes no probability": (1e308, "probability", "weights", "ann"),
    "the same, of none": ([1e308, 1e308, 1e308], "probability", "none"),
    "the same, the other way": ([-1e308, 0, 0], "probability", "none"),
    "a truth value as form": (True, "form"),
    "a newer form": (2, "form"),
    "a form without end": (WHOLE, "form"),
    "half a surrogate in why": ("\ud800", "why"),
    "NUL in why": ("a\0b", "why"),
    "a why of five megabytes": ("y" * 5_000_000, "why"),
    "half a surrogate in a model's name": ("\ud800", "players", "ann", "model"),
    "half a surrogate in a name": ({**RULE["players"], "\ud800": RULE["players"]["ann"]}, "players"),
    "half a surrogate in a mark": (["\ud800"], "chosen_on"),
    "a mark that is none": (["elsewhere"], "chosen_on"),
    "no marks": ([], "chosen_on"),
    "fewer questions than none": (-5, "figures", "learnt", "n"),
    "questions without end": (WHOLE, "figures", "learnt", "n"),
    "half a question": (1.5, "figures", "learnt", "n"),
    "a truth value as questions": (True, "figures", "learnt", "n"),
    "a truth value as a share": (True, "figures", "learnt", "high"),
    "low above high": (0.9, "figures", "learnt", "low"),
    "a share above one": (1.2, "figures", "learnt", "high"),
    "a promise from fewer questions than none": (-5, "promises", "learnt", 0, "questions"),
    "more right than answered": (61, "promises", "learnt", 0, "right"),
    "more answered than asked": (121, "promises", "learnt", 0, "answered"),
    "fewer answers than none": (-1, "promises", "learnt", 0, "fewest"),
    "half an answer": (0.5, "promises", "learnt", 0, "right"),
    "a truth value as answers": (True, "promises", "learnt", 0, "right"),
    "learnt from fewer than none": (-5, "learnt_from", "questions"),
    "learnt from half a question": (0.5, "learnt_from", "questions"),
    "much beside": ({"x": list(range(MOST_VALUES + 1))}, "figures"),
    "a deep one": ({"x": json.loads("[" * 30 + "]" * 30)}, "figures"),
}


@pytest.mark.parametrize("change", FALSE.values(), ids=FALSE)
def test_what_no_fit_writes_is_refused(change: tuple[Any, ...], tmp_path: Path) -> None:
    value, *path = change
    content = changed(value, *path)
    with pytest.raises(FileError, match=r"expected what moot fit writes|does not say which questions") as refused:
        read_rule(written(tmp_path, content))
    str(refused.value).encode()
    assert len(str(refused.value)) < 1_000
    if path != ["chosen_on"]:
        with pytest.raises(UsageError):
            LearntVote(from_=content)


def test_a_file_is_not_read_past_some_megabytes(tmp_path: Path) -> None:
    path = written(tmp_path, {**RULE, "notes": "x" * MOST_RULE})
    with pytest.raises(FileError, match="is longer than"):
        read_rule(path)


def test_why_is_cut_where_every_question_repeats_it() -> None:
    assert len(rule_of({**RULE, "why": "y" * 1_900}).kept_rule.why) == 500


ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([WHOLE, -WHOLE, 2**63, 10**308]),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from(["\ud800", "a\0", "learnt", "plurality", "best single", *PLAYERS]),
)
JSON = st.recursive(
    ODD,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


def places(content: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Of every value in it."""
    inside = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    return [*([path] if path else []), *(found for key, item in inside for found in places(item, (*path, key)))]


PLACES = places(RULE)


def candidates_of(players: tuple[str, ...]) -> Candidates:
    """All say the same; everybody another thing; the last alone speaks; nobody does."""
    seats = len(players)
    support = np.zeros((4, seats, seats), dtype=np.bool_)
    support[0, 0, :] = True
    support[1] = np.eye(seats, dtype=np.bool_)
    support[2, 0, -1] = True
    return Candidates(players, support, np.zeros((4, seats)))


def check_decides(content: object) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rule.json"
        path.write_text(json.dumps(content))
        try:
            read, _ = read_rule(path)
        except UsageError as refused:
            str(refused).encode()  # it can be shown
            return
    rule = rule_of(read)
    support = candidates_of(rule.players)
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        won = winners(rule.kept_rule.rule, support)
        assert rule.kept_rule.model is not None
        assert np.isfinite(rule.kept_rule.model.probabilities(support)).all()
    assert won.any(axis=1).tolist() == support.given.any(axis=1).tolist(), "where there is an answer one is taken"
    json.dumps(read, allow_nan=False).encode()
    assert len(rule.kept_rule.why) <= 500
    if rule.expected is not None:
        low, high = rule.expected.low, rule.expected.high
        assert low is not None
        assert high is not None
        assert 0 <= low <= rule.expected.value <= high <= 1
        assert rule.expected.n >= 0


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.lists(st.tuples(st.sampled_from(PLACES), JSON), min_size=1, max_size=3))
def test_whatever_stands_in_its_places_is_refused_or_decides(changes: list[tuple[tuple[str | int, ...], Any]]) -> None:
    content: Any = copy.deepcopy(RULE)
    for path, value in changes:
        place = content
        try:
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = value
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change has taken the place away
    check_decides(content)


@settings(deadline=None, max_examples=50)
@given(JSON)
def test_any_json_is_refused_or_decides(content: Any) -> None:
    check_decides(content)


@pytest.mark.parametrize("weight", [1e308, 100_001, float("inf"), float("nan"), -1], ids=str)
def test_weights_that_are_given_are_bounded_too(weight: float, tmp_path: Path) -> None:
    models = {name: ScriptedModel(name, ["x"]) for name in PLAYERS}
    for strategy in ({"weighted": {"weights": {"ann": weight}}}, WeightedVote(weights={"ann": weight})):
        with pytest.raises(UsageError, match=r"weights.* a number from 0 to 100000"):
            moot.run(
                moot.Experiment(
                    name="cup",
                    players={name: {"model": name} for name in PLAYERS},
                    questions=[Case(Question("q", "Which?"), "x")],
                    models=models,
                    strategies=[strategy],
                ),
                store=f"sqlite:///{tmp_path / 'cup.db'}",
            )
    assert not any(model.requests for model in models.values())
