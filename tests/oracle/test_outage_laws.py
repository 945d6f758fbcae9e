"""After an outage: whatever keeps an interval or a p is what it is without the outage. No list of tables stands here, so that a
new one is held to it too.

Each experiment is played while some calls about a part of its questions fail, reported, run again with everybody there, and
reported again. A figure that the second run moves was about plays that went on without somebody."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from faults import outage
from outages import Down, asked, gone
from persons import settle
from second_way import played
from second_way.worlds import (
    chosen_team,
    cohorts_and_names,
    compared_texts,
    discussions,
    experiment,
    judged_by_rubric,
    one_after_another,
    people_and_sets,
    two_teams,
)
from unknown_costs import told_of_unknown_cost

Figures = dict[str, Any]
World = Callable[[int, Path], dict[str, Any]]

MORE = int(os.environ.get("MOOT_WORLDS", "12")) // 12 - 1
"""How many more `make test-more` plays of each kind."""

ONE_BY_ONE = frozenset({"headline", "hypotheses"})
"""What was chosen out of all, or stays open: their intervals may be others, and what they claim may not (`claimed`)."""
BY_THE_CLOCK = {"vote": {"early_stop": True}}
NAMES = (
    *("of", "a", "b", "label", "from", "stage", "team", "cohort", "captain", "player", "against", "question_set"),
    *("group", "category", "dataset", "difficulty", "d", "judge", "judges", "model", "turn", "place", "office"),
)


def kept(value: Any, place: str = "", named: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every end of an interval and every p, but for adjusted ones and bounds, with where it stands and of whom."""
    if isinstance(value, list):
        for each in value:
            yield from kept(each, place, named)
    elif isinstance(value, Mapping):
        named = (*named, *((name, str(value[name])) for name in NAMES if isinstance(value.get(name), str | int)))
        for key, each in value.items():
            if key == "detectable_low":
                continue  # no end of an interval, but what it would take to show something
            if key.rpartition("_")[2] in ("low", "high", "p") and isinstance(each, int | float):
                yield (f"{place}.{key}", named, round(each, 9))
            elif key != "bounds" and not key.endswith("_bounds"):
                yield from kept(each, f"{place}.{key}", named)


def claimed(value: Any, place: str = "", named: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """What is said to be more, or less: verdicts, and differences of which p or the interval says so, adjusted or not."""
    if isinstance(value, list):
        for each in value:
            yield from claimed(each, place, named)
    elif isinstance(value, Mapping):
        named = (*named, *((name, str(value[name])) for name in NAMES if isinstance(value.get(name), str | int)))
        if value.get("verdict", "open") != "open":
            yield place, value["hypothesis"], value["verdict"]
        for paid in ("", "_holm"):
            p, low, high = (value.get(f"{end}{paid}") for end in ("p", "low", "high"))
            if "difference" in value and low is not None and high is not None and not low <= 0 <= high:
                yield f"{place}{paid}", named, low > 0
            elif "difference" not in value and p is not None and p <= 0.05:
                yield f"{place}{paid}", named
        for key, each in value.items():
            yield from claimed(each, f"{place}.{key}", named)


def moved(during: Figures, after: Figures) -> list[tuple[Any, ...]]:
    """What had an interval during an outage, and another one, or none, after it."""
    there = Counter(kept({key: value for key, value in after.items() if key not in ONE_BY_ONE}))
    told = Counter(kept({key: value for key, value in during.items() if key not in ONE_BY_ONE}))
    return sorted((told - there).elements(), key=str)


def _check(number: int, make: World, folder: Path, but: Sequence[Any] = (BY_THE_CLOCK,)) -> None:
    """`but`: strategies that are left out."""
    keys = {key: value for key, value in make(number, folder).items() if key not in ("primary", "hypotheses")}
    keys["strategies"] = [entry for entry in keys["strategies"] if entry not in but] or ["solo"]
    during = _compare(folder, keys, outage(number, keys))
    assert [*kept(during)] or make in ALL_PAIRS, "somebody was reached all the time"


def _compare(
    folder: Path, keys: dict[str, Any], down: Down, graded: Callable[[Path], object] = lambda _: None, about: str = ""
) -> Figures:
    """The figures of the outage. `graded`: who grades what was played, each time. `about`: only of rows that name this, where so
    few plays of the others lack somebody that they keep their intervals."""
    with asked(down):
        played.run(folder, keys)
    graded(folder)
    during = played.figures(folder)
    with asked():
        played.run(folder, keys)
    graded(folder)
    after = played.figures(folder)
    assert "unreached" in during
    assert "unreached" not in after
    assert not told_of_unknown_cost(during), "a ratio of what nobody knows the cost of"
    apart = [each for each in moved(during, after) if about in str(each)]
    assert not apart, "\n".join(map(str, apart[:40]))
    _claims_stand(during, after)
    return during


def _claims_stand(during: Figures, after: Figures) -> None:
    """What is claimed after an outage is claimed once all were reached."""
    gone = Counter(claimed(during)) - Counter(claimed(after))
    assert not gone, "\n".join(map(str, [*gone][:40]))


ALL_PAIRS: list[World] = [compared_texts]
"""Where whatever is told is a text held against one of a team that somebody was missing in."""
KINDS: list[World] = [
    *(experiment, two_teams, cohorts_and_names, discussions, one_after_another, chosen_team, compared_texts),
    *(people_and_sets, judged_by_rubric),
]


FEW = [pytest.param(number, marks=[pytest.mark.long] if number else []) for number in range(4 + 2 * MORE)]


@pytest.mark.parametrize("number", FEW)
def test_no_claim_of_a_run_that_a_few_plays_were_missing_of_is_gone_after_it(number: int, tmp_path: Path) -> None:
    """So few that shares keep their intervals; of players who are equal, or nearly so."""
    questions, lost = 100 + 40 * number, 4 + number
    rows = [{"id": f"q{n}", "text": f"Who is number {n}?", "answer": f"Person {n}"} for n in range(questions)]
    (tmp_path / "few.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    right = {"ann": 0.97 + 0.01 * (number % 4), "bob": 0.98, "cat": 0.99}
    keys: dict[str, Any] = {
        "name": f"few-{number}",
        "seed": number,
        "questions": {"file": "few.jsonl"},
        "models": {name: {"provider": "simulated", "accuracy": share} for name, share in right.items()},
        "teams": {"table": {"players": list(right), "captain": "each"}},
        "strategies": ["solo", "vote", "talkative", "peer-review"],
        "primary": "vote@ann",
        "hypotheses": ["accuracy(vote@ann) - accuracy(solo@ann) > 0", "accuracy(solo@ann) > 0.92", "net(vote@ann) > 0"],
    }
    with asked(gone("ann", questions=lambda n: n < lost)):
        played.run(tmp_path, keys)
    during = played.figures(tmp_path)
    with asked():
        played.run(tmp_path, keys)
    assert None not in [row["low"] for row in during["accuracy"]]
    _claims_stand(during, played.figures(tmp_path))


def test_what_keeps_an_interval_is_what_it_is_once_all_are_reached(tmp_path: Path) -> None:
    """Without what learns, which takes long."""
    _check(7, people_and_sets, tmp_path, but=("cascade",))


@pytest.mark.long
@pytest.mark.parametrize("number", range(2, 4 + 2 * MORE))
@pytest.mark.parametrize("make", KINDS)
def test_so_it_is_in_any_experiment(make: World, number: int, tmp_path: Path) -> None:
    _check(number, make, tmp_path)


def texts_in_part(number: int, folder: Path, *, many: int, few: int, criterion: bool) -> dict[str, Any]:
    """So many texts by two players, of which the first few have, or may have, a criterion of their own."""
    clear, safe = ({"name": name, "points": 2, "says": f"It is {name}."} for name in ("clear", "safe"))
    own = {"rubric": [clear, safe]} if criterion else {}
    rows = [
        {"id": f"q{n}", "text": f"Write about {n}.", "kind": "text", **(own if n < few else {})} for n in range(many)
    ]
    (folder / "texts.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    models = {name: {"provider": "simulated", "accuracy": 0.6, "words": 12 + number} for name in ("ann", "bob")}
    judges = {"jim": {"provider": "simulated", "accuracy": 0.9}} if criterion else {}
    keys: dict[str, Any] = {
        "name": f"in-part-{number}",
        "seed": number,
        "questions": {"file": "texts.jsonl"},
        "models": models | judges,
        "players": {name: {"model": name} for name in models},
        "teams": {"table": {"players": list(models), "captain": "ann"}},
        "strategies": ["solo", "talkative"],
    }
    return keys | ({"judge": {"models": list(judges)}, "rubric": [clear]} if criterion else {})


IN_PART = [pytest.param(number, marks=[pytest.mark.long] if number else []) for number in range(3 + 2 * MORE)]


@pytest.mark.parametrize("number", IN_PART)
def test_so_it_is_of_texts_of_which_people_have_graded_a_part(number: int, tmp_path: Path) -> None:
    """Who was missing was missing on a few of all questions, and on half of those that have a grade."""
    few = 6 + 2 * number
    keys = texts_in_part(number, tmp_path, many=10 * few, few=few, criterion=False)

    def word(shown: str) -> bool | None:
        about = int(shown.partition("Write about ")[2].partition(".")[0])
        return None if about >= few else len(shown) % 3 > 0

    def persons(folder: Path) -> None:
        assert settle(lambda: played.command(folder, "grade", "world.yaml", "--settle"), word)

    _compare(tmp_path, keys, gone("bob", questions=lambda n: n < few and n % 2 == 0), persons)


@pytest.mark.parametrize("number", IN_PART)
def test_so_it_is_of_a_criterion_that_a_part_of_the_questions_has(number: int, tmp_path: Path) -> None:
    few = 4 + 2 * number
    keys = texts_in_part(number, tmp_path, many=12 * few, few=few, criterion=True)
    down = gone("bob", questions=lambda n: n < few and n % 2 == 0)
    during = _compare(tmp_path, keys, down, about="'safe'")
    of_bob = [row for row in during["rubric"]["criteria"] if row.get("player") == "bob"]
    assert {row["criterion"]: row["low"] is None for row in of_bob} == {"clear": False, "safe": True}
