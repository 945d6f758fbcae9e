"""Laws that hold in any experiment, whatever the figures are: what is no part of a figure does not change it."""

from __future__ import annotations

import copy
import json
import os
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from faults import troubles
from second_way import played
from second_way.worlds import all_strategies, experiment, label_of, rivals_waiting

Figures = dict[str, Any]

MORE = int(os.environ.get("MOOT_WORLDS", "12")) // 12 - 1
"""How many times `make test-more` plays of each law what stands here."""


def worlds(quick: int, first: int, many: int) -> list[int]:
    """The numbers of the experiments that a law is tried in: `make test` plays one of them, which is small and in which a
    mistake against this law shows; `make test-more` many from the first on."""
    return [quick, *(number for number in range(first, first + MORE * many) if number != quick)]


ABOUT_THE_FILE = frozenset(
    {
        "runs",
        "prompts",
        "bill_usd",
        "costs_known",
        "losses_usd",
        "losses_unknown",
        "losses_known_usd",
        "experiment",
        "seconds",
        "failures",
        "other_plans",
        "measurement",
    }
)
"""What tells of the file as a whole, or of the clock."""
CHOSEN = frozenset({"headline", "frontier", "best_single", "gap", "power", "teams", "talk_threshold"})
"""What is chosen among all that stands in the file, or corrected for it."""
ADJUSTED = frozenset(
    {
        "family",
        "from",
        *(f"{of}{end}_holm" for of in ("", "first_", "last_", "difference_") for end in ("p", "low", "high")),
    }
)
"""What is adjusted for the other rows of its table; and where a player's own answer was read."""
OVER_ALL = frozenset({"ungraded", "disputed", "judges", "attendance"})
"""What counts over all strategies of the file, so that another one is counted in."""
BESIDE_ALONE = frozenset({"calls_ratio", "tokens_ratio", "why"})
"""What is known only once somebody has played alone."""


EARLY = {"vote": {"early_stop": True}}
"""Whom it waits for is a matter of the clock."""
TWICE_ASKED = {"solo": {"drafts": "double-call"}}
"""What reviewers drafted by themselves is told under its name where it is there."""


def rows(figures: Figures) -> dict[str, set[str]]:
    """Every row of every table, without what may differ."""
    tables: dict[str, set[str]] = {}
    for key, value in figures.items():
        if key not in ABOUT_THE_FILE | CHOSEN:
            listed = value if isinstance(value, list) else [value]
            tables[key] = {json.dumps(_plain(row), sort_keys=True) for row in listed}
    return tables


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items() if key not in ADJUSTED | ABOUT_THE_FILE | BESIDE_ALONE}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if value == "drafted":
        return "solo"  # what players said alone is told under the name of who played alone, if anybody did
    return round(value, 9) if isinstance(value, float) else value


def reported(folder: Path, keys: Mapping[str, Any], *more: str) -> Figures:
    played.run(folder, keys, *more)
    return played.figures(folder)


def beside(folder: Path, number: int, *, choices: bool = False) -> tuple[Path, Path, dict[str, Any]]:
    """Two folders with the same questions, and the experiment of that number."""
    one, other = folder / "one", folder / "other"
    for place in (one, other):
        place.mkdir()
        keys = experiment(number, place, choices=choices)
    # What a file claims beforehand names its strategies, and when it did so.
    return one, other, {key: value for key, value in keys.items() if key not in ("primary", "hypotheses")}


@pytest.mark.parametrize("number", worlds(115, 100, 4))
def test_another_strategy_changes_no_row_of_the_others(number: int, tmp_path: Path) -> None:
    one, other, keys = beside(tmp_path, number)
    draw = random.Random(number)
    there = (*keys["strategies"], EARLY, TWICE_ASKED)
    added = draw.choice([entry for entry in all_strategies(draw) if entry not in there])
    before = _without_names(rows(reported(one, keys)))
    after = _without_names(rows(reported(other, {**keys, "strategies": [*keys["strategies"], added]})))
    for key, table in before.items():
        if key not in OVER_ALL:
            assert table <= after.get(key, set()), (key, added, sorted(table - after.get(key, set()))[:3])


@pytest.mark.parametrize("number", worlds(1201, 1200, 2))
def test_taking_a_strategy_out_after_the_run_makes_no_claim_better(number: int, tmp_path: Path) -> None:
    """Nor does another name, where the store is the same and what was the highest is declared under it."""
    draw = random.Random(f"pruned {number}")
    keys = {key: value for key, value in experiment(number, tmp_path).items() if key not in ("primary", "hypotheses")}
    others = [entry for entry in all_strategies(draw) if entry not in ("solo", EARLY)]
    keys |= {"store": "sqlite:///all.db", "strategies": ["solo", *draw.sample(others, 3)]}
    before = reported(tmp_path, keys)["headline"]
    chosen = next(entry for entry in keys["strategies"] if label_of(entry) == before["label"])
    beside = [entry for entry in keys["strategies"][1:] if entry != chosen]
    for left, more in ((beside[:1], {}), ([], {"name": f"late-{number}", "primary": before["of"]})):
        after = reported(tmp_path, {**keys, **more, "strategies": ["solo", chosen, *left]})["headline"]
        assert (after["of"], after["value"]) == (before["of"], before["value"])
        assert (after["chosen"], after["options"]) == ("declared late" if more else "after the fact", before["options"])
        assert [*_better(before, after)] == []


def _better(before: Mapping[str, Any], after: Mapping[str, Any]) -> Any:
    """What a shorter file claims that the whole one did not. Whom a team has to beat are the players of the file."""
    pairs = [("headline", before, after)]
    pairs += [(key, before[key], after[key]) for key in ("over_best_single", "over_captain", "after_the_fact")]
    for name, one, other in pairs:
        if not one or not other or one.get("of") != other.get("of") or _rivals(one) != _rivals(other):
            continue
        for key, sign in (("low", 1), ("low_holm", 1), ("high", -1), ("high_holm", -1), ("p", -1), ("p_holm", -1)):
            if other.get(key) is not None and (one[key] is None or sign * (other[key] - one[key]) > 1e-9):
                yield f"{name}.{key}: {one[key]} {other[key]}"


def _rivals(over: Mapping[str, Any]) -> list[tuple[str, float | None]]:
    return [(row["single"], row["difference"]) for row in over.get("each", ())]


@pytest.mark.parametrize("number", worlds(200, 200, 2))
def test_a_run_in_two_parts_is_the_same_run(number: int, tmp_path: Path) -> None:
    one, other, keys = beside(tmp_path, number)
    keys["strategies"] = [entry for entry in keys["strategies"] if entry != EARLY] or ["solo"]
    at_once = reported(one, keys)
    played.run(other, keys, "--limit", "3")
    in_parts = reported(other, keys)
    for figures in (at_once, in_parts):
        for key in ("runs", "other_plans"):
            figures.pop(key, None)
    assert _without_clock(in_parts) == _without_clock(at_once)


def _without_clock(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_clock(item) for key, item in value.items() if key != "seconds"}
    return [_without_clock(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("number", worlds(300, 300, 2))
def test_the_order_of_questions_changes_no_count(number: int, tmp_path: Path) -> None:
    """Intervals that are drawn may move in their third digit; nothing else may."""
    one, other, keys = beside(tmp_path, number, choices=True)
    keys["strategies"] = [entry for entry in keys["strategies"] if entry != EARLY] or ["solo"]
    before = reported(one, keys)
    for path in other.glob("*.jsonl"):
        lines = path.read_text(encoding="utf-8").splitlines()
        path.write_text("\n".join(reversed(lines)), encoding="utf-8")
    after = reported(other, keys)
    for row, again in zip(before["accuracy"], after["accuracy"], strict=True):
        for key in ("label", "value", "n", "outcomes", "calls", "ungraded"):
            assert again[key] == (pytest.approx(row[key]) if isinstance(row[key], float) else row[key]), (row, again)
    for key in ("diversity", "self_preference", "safety", "categories"):
        counts = [[_counts(row) for row in figures.get(key, ())] for figures in (before, after)]
        assert sorted(counts[0], key=str) == sorted(counts[1], key=str), key


def _counts(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if isinstance(value, int | str)}


@pytest.mark.parametrize("number", worlds(401, 400, 2))
def test_a_second_of_the_same_player_never_lowers_the_skyline(number: int, tmp_path: Path) -> None:
    one, other, keys = beside(tmp_path, number)
    keys = copy.deepcopy(keys)
    keys["strategies"] = ["solo", "vote"]
    keys["teams"] = {"table": {"players": list(keys["players"])}}
    for model in keys["models"].values():
        model["temperature"] = 0
    before = reported(one, keys)["skyline"]
    weakest = min(keys["players"].values(), key=lambda player: keys["models"][player["model"]]["accuracy"])
    twin = {"model": weakest["model"]}
    keys["players"] = {**keys["players"], "twin": twin}
    keys["teams"]["table"]["players"].append("twin")
    after = reported(other, keys)["skyline"]
    if before["value"] is not None and after["value"] is not None:
        assert after["value"] >= before["value"] - 1e-12
    else:
        assert after.get("bounds", {"high": 1.0})["high"] >= (before.get("bounds") or {"low": 0.0})["low"]


def recorded(number: int, folder: Path, *, order: str | None = None, seats: int = 1) -> dict[str, Any]:
    """Players whose replies to questions with choices are on record: what they say hangs on nothing. `order` puts the
    choices of every question in another order; `seats` of -1 turns the table round."""
    draw = random.Random(f"recorded {number}")
    questions, replies = [], []
    players = ["ann", "bob", "cat", "dan"]
    able = {player: draw.uniform(0.3, 0.8) for player in players}
    for place in range(14):
        texts = [f"{word} {place}" for word in ("red", "green", "blue")]
        shown = texts[::-1] if order == "reversed" else texts
        right = draw.choice(texts)
        letter = {text: "ABC"[shown.index(text)] for text in texts}
        questions.append({"id": f"q{place}", "text": f"Which {place}?", "choices": shown, "answer": letter[right]})
        for player in players:
            said = right if draw.random() < able[player] else draw.choice(texts)
            if draw.random() > 0.05:
                replies.append(
                    {"model": player, "question_id": f"q{place}", "answer": letter[said], "reasoning": "So."}
                )
    for name, rows_of in (("first.jsonl", questions), ("replies.jsonl", replies)):
        (folder / name).write_text("\n".join(map(json.dumps, rows_of)), encoding="utf-8")
    return {
        "name": f"recorded-{number}",
        "seed": number,
        "questions": {"file": "first.jsonl"},
        "models": {name: {"provider": "recorded", "file": "replies.jsonl", "model": name} for name in players},
        "players": {name: {"model": name} for name in players[::seats]},
        "teams": {"table": {"players": players[::seats], "captain": "each"}},
        "strategies": ["solo", "vote"],
    }


DRAWN = frozenset({"gain_by_strength"})
"""What chooses on a part of the questions: which part hangs on what is asked, the order of its choices included."""


def decided(figures: Figures) -> dict[str, list[str]]:
    """Every row of every table, but for what is drawn by the question as it is asked, or chosen among equals."""
    kept = {key: value for key, value in figures.items() if key not in ABOUT_THE_FILE | CHOSEN | DRAWN}
    return {
        key: sorted(json.dumps(_plain(row), sort_keys=True) for row in (value if isinstance(value, list) else [value]))
        for key, value in kept.items()
    }


@pytest.mark.parametrize("number", worlds(507, 500, 2))
def test_other_names_of_players_change_nothing_but_names(number: int, tmp_path: Path) -> None:
    one, other = _two(tmp_path)
    before = reported(one, recorded(number, one))
    keys = recorded(number, other)
    names = {name: f"{name}-the-great" for name in keys["players"]}  # in the same order
    keys["players"] = {names[name]: spec for name, spec in keys["players"].items()}
    keys["teams"]["table"]["players"] = [names[name] for name in keys["teams"]["table"]["players"]]
    after = json.loads(json.dumps(reported(other, keys)).replace("-the-great", ""))
    assert decided(after) == decided(before)


@pytest.mark.parametrize("number", worlds(600, 600, 2))
def test_another_order_of_choices_changes_nothing(number: int, tmp_path: Path) -> None:
    one, other = _two(tmp_path)
    before, after = reported(one, recorded(number, one)), reported(other, recorded(number, other, order="reversed"))
    assert decided(after) == decided(before)


@pytest.mark.parametrize("number", worlds(701, 700, 2))
def test_seats_change_nothing(number: int, tmp_path: Path) -> None:
    one, other = _two(tmp_path)
    before, after = reported(one, recorded(number, one)), reported(other, recorded(number, other, seats=-1))
    assert decided(after) == decided(before)


def _two(folder: Path) -> tuple[Path, Path]:
    for name in ("one", "other"):
        (folder / name).mkdir()
    return folder / "one", folder / "other"


@pytest.mark.parametrize("number", worlds(800, 800, 2))
def test_a_judge_who_agrees_with_the_match_changes_nothing(number: int, tmp_path: Path) -> None:
    """Every answer is the reference to the letter, or plainly another word; so the judge can only say the same."""
    one, other = _two(tmp_path)
    draw = random.Random(f"judged {number}")
    questions = [{"id": f"q{place}", "text": f"Who {place}?", "answer": f"word {place}"} for place in range(10)]
    replies = [
        {"model": name, "question_id": row["id"], "answer": row["answer"] if draw.random() < 0.6 else "nobody"}
        for name in ("ann", "bob", "cat")
        for row in questions
    ]
    keys: dict[str, Any] = {
        "name": f"judged-{number}",
        "seed": number,
        "questions": {"file": "first.jsonl"},
        "models": {n: {"provider": "recorded", "file": "replies.jsonl", "model": n} for n in ("ann", "bob", "cat")},
        "players": {name: {"model": name} for name in ("ann", "bob", "cat")},
        "teams": {"table": {"players": ["ann", "bob", "cat"], "captain": "each"}},
        "strategies": ["solo", "vote"],
    }
    for folder in (one, other):
        for name, listed in (("first.jsonl", questions), ("replies.jsonl", replies)):
            (folder / name).write_text("\n".join(map(json.dumps, listed)), encoding="utf-8")
    before = reported(one, keys)
    judge = {"provider": "simulated", "accuracy": 1.0, "judgement": 1.0}
    judged = {**keys, "models": {**keys["models"], "judy": judge}, "judge": {"models": ["judy"]}}
    after = reported(other, judged)
    left_out = ABOUT_THE_FILE | {"simulated"}
    assert {k: v for k, v in decided(after).items() if k not in left_out} == {
        k: v for k, v in decided(before).items() if k not in left_out
    }


@pytest.mark.parametrize("number", [9, *([2, 8] if MORE else []), *range(1300, 1300 + 3 * MORE)])
def test_what_the_judge_has_not_said_yet_is_within_the_bounds(number: int, tmp_path: Path) -> None:
    """Those against the best single player too, whoever that turns out to be."""
    one, other = _two(tmp_path)
    keys, shares = rivals_waiting(number, one)
    with troubles(shares):
        early = reported(one, keys)
    keys, _ = rivals_waiting(number, other)
    late = reported(other, keys)
    best = max(row["value"] for row in late["players"])
    assert _within(best, early["best_single"]["bounds"])
    if over := early["headline"]["over_best_single"]:
        assert _within(late["headline"]["value"] - best, over["bounds"])


def _within(value: float, bounds: Mapping[str, float]) -> bool:
    return bounds["low"] - 1e-9 <= value <= bounds["high"] + 1e-9


@pytest.mark.parametrize("number", worlds(901, 900, 2))
def test_a_team_of_others_changes_no_row(number: int, tmp_path: Path) -> None:
    one, other, keys = beside(tmp_path, number, choices=True)
    keys["strategies"] = [entry for entry in keys["strategies"] if entry != EARLY] or ["vote"]
    before = reported(one, keys)
    more = copy.deepcopy(keys)
    more["models"] |= {name: {"provider": "simulated", "accuracy": 0.5, "temperature": 0} for name in ("yan", "zoe")}
    more["players"] |= {name: {"model": name} for name in ("yan", "zoe")}
    more["teams"]["others"] = {"players": ["yan", "zoe"], "captain": "yan"}
    after = reported(other, more)
    told, again = (_without_names(rows(figures)) for figures in (before, after))
    for key, table in told.items():
        if key not in OVER_ALL | ON_TOP | {"simulated"}:
            assert table <= again.get(key, set()), (key, sorted(table - again.get(key, set()))[:3])


ON_TOP = frozenset({"skyline", "players", "diversity_left_out"})
"""Of the first table alone."""
NAMED_AMONG_OTHERS = frozenset({"team", "with"})
"""Where there are several tables a row says of which it is; and by what a protocol differs from the others."""


def _without_names(tables: Mapping[str, set[str]]) -> dict[str, set[str]]:
    return {
        key: {json.dumps(_nameless(json.loads(row)), sort_keys=True) for row in table} for key, table in tables.items()
    }


def _nameless(row: Any) -> Any:
    return {k: v for k, v in row.items() if k not in NAMED_AMONG_OTHERS} if isinstance(row, dict) else row


@pytest.mark.parametrize("number", worlds(1001, 1000, 2))
def test_another_set_of_questions_changes_no_row_of_the_others(number: int, tmp_path: Path) -> None:
    one, other, keys = beside(tmp_path, number, choices=True)
    keys["strategies"] = [entry for entry in keys["strategies"] if entry != EARLY] or ["solo"]
    for folder in (one, other):
        for name in ("second", "third"):
            listed = [
                {"id": f"{name}-{place}", "text": f"Which {name} {place}?", "choices": ["yes", "no"], "answer": "A"}
                for place in range(5)
            ]
            (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, listed)), encoding="utf-8")
    sets = [{"file": f"{name}.jsonl", "group": "all"} for name in ("first", "second", "third")]
    before = reported(one, {**keys, "questions": sets[:2]})
    after = reported(other, {**keys, "questions": sets})
    for row in before["question_sets"]:
        assert row in after["question_sets"], row


@pytest.mark.parametrize("number", worlds(1100, 1100, 2))
def test_clusters_change_intervals_and_nothing_else(number: int, tmp_path: Path) -> None:
    """And every interval knows of them: none is left that takes questions of one cluster for independent."""
    one, other, keys = beside(tmp_path, number, choices=True)
    keys["strategies"] = [entry for entry in keys["strategies"] if entry != EARLY] or ["solo"]
    summarised = {"mixture": {"repeats": 2}}
    keys["strategies"] = [entry for entry in keys["strategies"] if entry != summarised] + [summarised]
    before = reported(one, keys)
    for path in other.glob("*.jsonl"):
        listed = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for place, row in enumerate(listed):
            row["cluster"] = f"{path.stem} {place // 2}"
        path.write_text("\n".join(map(json.dumps, listed)), encoding="utf-8")
    after = reported(other, keys)
    clusters = after.pop("clusters")["clusters"]
    assert clusters < after["questions"]
    _without_untaught(before, after, clusters)
    assert [*_other_values(before, after)] == []
    assert [*_same_intervals(before, after, clusters)] == []


TEACH = 20
"""So many questions, or clusters where they hang together, teach a probability."""
UNTAUGHT = {"brier": None, "ece": None, "ece_low": None, "ece_high": None, "n": 0, "bins": [], "coverage": []}


def _without_untaught(before: dict[str, Any], after: dict[str, Any], clusters: int) -> None:
    """Takes out of both what enough questions had taught, and so few clusters cannot: the row is there, says nothing at all
    of it, and why, by just as many clusters as there are graded ones of. Whatever else changes is left to be found."""
    for one, other in zip(before.get("probability", ()), after.get("probability", ()), strict=True):
        if one.get("why") is not None or other.get("why") is None:
            continue
        assert one["n"] >= TEACH > clusters, (one["n"], clusters)
        graded, _, words = other["why"].partition(" graded question")
        assert 0 < int(graded) <= clusters, other["why"]
        assert words.removeprefix("s") == f" that do not hang together; {TEACH} or more teach a probability"
        names = {key: value for key, value in other.items() if key not in ("why", *UNTAUGHT)}
        assert other == {**names, **UNTAUGHT, "why": other["why"]}
        assert names.items() <= one.items()
        one.clear()
        other.clear()


OF_INTERVALS = ("low", "high", "p", "test", "small", "clusters", "note", "verdict", "words", "sentence", "beaten_by")
IN_FOLDS = frozenset({"folds", "of_folds", "talk_threshold", "gain_by_strength"})
"""Folds and halves of the questions keep clusters whole, so that others are chosen on and scored on."""
DRAWN_BY_CLUSTER = IN_FOLDS | {"runs", "prompts", "measurement", "power"}
"""And where questions hang together no pair stands for itself."""


def _other_values(one: Any, other: Any, place: str = "") -> Any:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for key in one.keys() | other.keys():
            told = any(key == end or key.endswith((f"_{end}", f"{end}_holm")) for end in OF_INTERVALS)
            # Of too few clusters there is no p, and what has none is of no family.
            told |= key == "family" and (one.get("p") is None) != (other.get("p") is None)
            if not told and key not in DRAWN_BY_CLUSTER | ABOUT_THE_FILE | {"why"}:
                yield from _other_values(one.get(key), other.get(key), f"{place}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, pair in enumerate(zip(one, other, strict=True)):
            yield from _other_values(*pair, f"{place}[{number}]")
    elif _plain(one) != _plain(other):
        yield f"{place}: {one!r} {other!r}"


NO_QUESTIONS = frozenset({"gain_by_strength", "bounds"})
"""A correlation of models, not of questions; and what is no interval."""


def _same_intervals(one: Any, other: Any, clusters: int, place: str = "") -> Any:
    """Rows over more questions than there are clusters whose interval is the one without clusters."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        ends = [(row.get("low"), row.get("high")) for row in (one, other)]
        if one.get("n", 0) > clusters and None not in ends[0] and ends[0] == ends[1] and "clusters" not in other:
            yield f"{place}: {ends[0]}"
        for key in one.keys() & other.keys() - NO_QUESTIONS:
            yield from _same_intervals(one[key], other[key], clusters, f"{place}.{key}")
    elif isinstance(one, list) and isinstance(other, list):
        for number, pair in enumerate(zip(one, other, strict=False)):
            yield from _same_intervals(*pair, clusters, f"{place}[{number}]")
