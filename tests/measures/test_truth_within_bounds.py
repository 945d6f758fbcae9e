"""Every key of a report on an experiment whose judge fails now and then, beside the same experiment with a judge that does not.

The truth is known by construction: it must lie within the bounds that the report gives, a figure that the ungraded answers
have changed must say so, and one that is missing must say why.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

import moot
from moot import Case, Question, ScriptedModel
from moot.types import Request

PLAYERS = ("ann", "bob", "cat")
METALS = ("gold", "lead", "tin")
SAID = re.compile(r"((?:plain|final) \w+ from \w+|Ref\d+)")
STRATEGIES: list[Any] = [
    *("solo", {"solo": {"drafts": "double-call"}}, "vote", "silent", "talkative"),
    {"peer-review": {"drafts": "single-call"}},
    {"peer-review": {"drafts": "single-call", "names": "shown"}},
    {"debate": {"max_rounds": 2, "drafts": "single-call"}},
    {"mixture": {"summariser": "sum", "repeats": 2, "accuracies": "hidden"}},
    {"discuss": {"personas": "none", "max_turns": 2, "vote_from": 2, "challenge": "solution"}},
    {"discuss": {"personas": "none", "max_turns": 2, "vote_from": 2, "agents": 2, "challenge": "solution"}},
]
CLAIMS = ["accuracy(silent) - accuracy(vote) > 0", "skyline(vote) > 0.3", "net(silent) > 0", "gap_closure(silent) > 0"]

Fails = Callable[[str, str], bool]
"""By question and answer."""

Figures = Mapping[str, Any]


def drawn(*parts: object) -> int:
    return int(hashlib.sha256(repr(parts).encode()).hexdigest(), 16)


def player(name: str) -> ScriptedModel:
    """Alone it says one thing and after hearing the others another; what is gold is right, now and then word for word."""

    def reply(request: Request) -> Any:
        text = "\n".join(message.content for message in request.messages if message.role != "assistant")
        question = request.question_id
        heard = any(not said.endswith(f"from {name}") for said in SAID.findall(text))
        stage = "final" if heard else "plain"
        metal = METALS[drawn(stage, name, question) % 3 if drawn("half", name, question) % 2 else 0]
        matches = metal == "gold" and drawn("match", stage, name, question) % 5 < 2
        answer = f"Ref{question}" if matches else f"{stage} {metal} from {name}"
        if request.schema is None:
            return f"Thinking.\n\nFinal answer: {answer}"
        return {key: filled(field, answer, key, name) for key, field in request.schema["properties"].items()}

    return ScriptedModel(name, reply)


def filled(field: Mapping[str, Any], answer: str, key: str, name: str) -> Any:
    if key in ("answer", "solution"):
        return answer
    if "enum" in field:
        return field["enum"][drawn(name, key) % len(field["enum"])]
    if field.get("type") == "boolean":
        return bool(drawn(name, key, answer) % 2)
    if field.get("type") == "integer":
        return field.get("minimum", 1)
    if field.get("type") == "array":
        return list(range(1, (field.get("maxItems") or field.get("minItems") or 1) + 1))
    return f"because {name}"


def judge(fails: Fails) -> ScriptedModel:
    def reply(request: Request) -> Any:
        (answer,) = re.findall(r"(?:plain|final) \w+ from \w+", request.messages[-1].content)[-1:]
        if fails(request.question_id or "", answer):
            return "no idea"
        return {"grades": [{"id": 1, "is_correct": "gold" in answer}]}

    return ScriptedModel("judge", reply)


def grouping(request: Request) -> Any:
    assert request.schema is not None
    size = request.schema["properties"]["groups"]["maxItems"]
    groups: dict[str, list[int]] = {}
    for place, said in enumerate(SAID.findall(request.messages[-1].content)[-size:], 1):
        groups.setdefault("gold" if said.startswith("Ref") else said.split()[1], []).append(place)
    return {"groups": list(groups.values())}


def played(fails: Fails) -> Figures:
    cases = [
        Case(Question(str(n), f"Which one, {n}?"), f"Ref{n}", category="odd" if n % 2 else "even") for n in range(24)
    ]
    names = (*PLAYERS, "sum")
    models = {name: player(name) for name in names} | {"judge": judge(fails), "group": ScriptedModel("group", grouping)}
    keys = {
        "name": "half",
        "seed": 3,
        "questions": cases,
        "models": models,
        "players": {name: {"model": name} for name in PLAYERS},
        "teams": {"three": {"players": list(PLAYERS), "captain": "each"}},
        "strategies": STRATEGIES,
        "judge": {"models": ["judge"]},
        "grouping": {"model": "group"},
        "hypotheses": CLAIMS,
    }
    return dict(moot.run(keys).figures)


@pytest.fixture(scope="module")
def truth() -> Figures:
    return played(lambda *_: False)


FAILING: dict[str, Fails] = {
    "half": lambda question, answer: drawn("fails", question, answer) % 2 == 0,
    "few": lambda question, answer: drawn("fails", question, answer) % 15 == 0,
    "best": lambda question, answer: answer.startswith("plain") and answer.endswith("cat") and drawn(question) % 2 > 0,
}

NAMES = (
    *("strategy", "label", "captain", "player", "stage", "team", "d", "of", "before", "after", "model", "setting"),
    *("part", "a", "b", "category", "hypothesis", "when", "cohort", "protocol", "with", "against", "thinking", "along"),
)
BOUNDED = {
    **dict.fromkeys(("value", "accuracy", "difference", "net_difference", "multiple"), "bounds"),
    "net": "net_bounds",
    "within": "within_bounds",
    "native": "native_bounds",
    "after": "after_bounds",
    **{name: f"{name}_bounds" for name in ("accuracy_self", "accuracy_not_self")},
}
"""Figures, and where their bounds stand."""
MEANS = ("native", "after", "single", "double", "shown", "hidden", "alone", "stronger", "average", "best_single")
OTHERS = ("rho", "lift", "slope", "rescue_rate", "regression_rate", "net_share", *MEANS)
"""Figures that have no bounds of their own: they say why, or how much they leave out."""
ELSEWHERE = {"runs", "prompts", "measurement", "experiment", "power", "failures", "teams", "judges", "headline"}


def rows(figures: Figures) -> Iterator[tuple[str, tuple[Any, ...], Mapping[str, Any]]]:
    """Every row of every table, by what names it."""
    for key, value in figures.items():
        for row in value if isinstance(value, list) else [value]:
            if key not in ELSEWHERE and isinstance(row, Mapping):
                named = tuple((name, row[name]) for name in NAMES if isinstance(row.get(name), str | int))
                yield key, named if isinstance(value, list) else (), row


@pytest.fixture(scope="module", params=FAILING)
def ungraded(request: pytest.FixtureRequest) -> Figures:
    return played(FAILING[request.param])


def pairs(truth: Figures, ungraded: Figures) -> Iterator[tuple[str, Mapping[str, Any], Mapping[str, Any]]]:
    there = {(key, named): row for key, named, row in rows(truth)}
    for key, named, row in rows(ungraded):
        if (key, named) in there:
            yield f"{key} {dict(named)}", there[key, named], row


def bounds_of(place: str, name: str, row: Mapping[str, Any]) -> Any:
    if name == "value" and place.startswith("cohort_models"):
        return row.get("value_bounds")
    return row.get(BOUNDED[name]) if name in BOUNDED else None


def test_the_truth_lies_within_the_bounds(truth: Figures, ungraded: Figures, request: pytest.FixtureRequest) -> None:
    seen, outside = set(), []
    for place, true, row in pairs(truth, ungraded):
        for name in BOUNDED:
            ends = bounds_of(place, name, row)
            if ends is None or isinstance(true.get(name), str) or true.get(name) is None:
                continue
            seen.add(place.split()[0])
            low, high = ends["low"], ends["high"]
            if (low is not None and true[name] < low - 1e-9) or (high is not None and true[name] > high + 1e-9):
                outside.append((place, name, true[name], ends))
    assert not outside
    assert request.node.callspec.params["ungraded"] != "half" or seen >= {
        *("accuracy", "players", "skyline", "best_single", "gains", "comparisons", "diversity", "categories"),
        *("self_preference", "safety", "safety_models", "coverage", "debate_lift", "formatting_tax", "authority_bias"),
        *("cohort_models", "protocols", "similarity", "frontier", "mixtures", "hypotheses", "talk_by_diversity"),
    }


def test_nothing_changes_or_goes_missing_silently(truth: Figures, ungraded: Figures) -> None:
    silent = []
    for place, true, row in pairs(truth, ungraded):
        says_why = row.get("why") or row.get("note")
        for name in (*BOUNDED, *OTHERS):
            before, now = true.get(name), row.get(name)
            if isinstance(before, str) or before == now:
                continue
            if now is None and not says_why:
                silent.append((place, name, "is missing"))
            elif now is not None and not bounds_of(place, name, row) and not says_why and not row.get("ungraded"):
                silent.append((place, name, before, now))
    assert not silent


def test_all_tables_are_there(truth: Figures, ungraded: Figures) -> None:
    assert truth.keys() - ungraded.keys() <= {"power"}
    assert ungraded.keys() - truth.keys() <= {"ungraded"}
