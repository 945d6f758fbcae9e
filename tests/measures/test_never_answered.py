"""A player whose every call failed: no figure is evidence about how good it is, whatever it is held against."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from worlds import in_form, number_of, questions

import moot
from moot import Request, ScriptedModel
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.errors import ReplyBroken
from moot.report.sections import all_sections

QUESTIONS = 12
FAILED = "failed"


def broken(request: Request) -> Any:
    raise ReplyBroken("no reply")


def mostly_right(request: Request) -> Any:
    return in_form(request, "Paris" if number_of(request) % 4 else "Bern")


def sometimes_broken(request: Request) -> Any:
    if not number_of(request) % 3:
        raise ReplyBroken("no reply")
    return mostly_right(request)


def run_with(bob: Any, **more: Any) -> moot.Results:
    keys = {
        "name": "broken",
        "questions": questions(QUESTIONS),
        "models": {"ann": ScriptedModel("ann", mostly_right), "bob": ScriptedModel("bob", bob)},
        "teams": {"two": {"players": ["ann", "bob"], "captain": "each"}},
        "strategies": ["solo", "vote", "talkative"],
        "hypotheses": ["accuracy(vote@bob) - accuracy(solo@bob) > 0", "accuracy(solo@bob) < 0.5"],
        **more,
    }
    return moot.run(keys)


@pytest.fixture(scope="module")
def figures() -> Mapping[str, Any]:
    return run_with(broken).figures


def claims_in(told: Any, place: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every row with a difference that is tested, and where it stands."""
    if isinstance(told, Mapping):
        if "p" in told:
            yield place, told
        for key, value in told.items():
            yield from claims_in(value, f"{place}.{key}" if place else key)
    elif isinstance(told, list | tuple):
        for number, value in enumerate(told):
            yield from claims_in(value, f"{place}[{number}]")


def speaks_of(row: Mapping[str, Any], name: str) -> bool:
    return name in (row.get("captain"), row.get("model"), row.get("player"))


def test_no_row_of_such_a_player_has_a_difference_and_each_says_why(figures: Mapping[str, Any]) -> None:
    """But the votes that it leads, which came, and are held against those that came."""
    own = [(place, row) for place, row in claims_in(figures) if speaks_of(row, "bob")]
    assert {place.partition("[")[0] for place, _ in own} >= {"gains", "comparisons", "safety_models", "cohort_models"}
    for place, row in own:
        if place.startswith("cohort_models") and (row["stage"], row["when"]) == ("vote", "after"):
            continue
        assert (row["difference"], row["low"], row["p"]) == (None, None, None), (place, row)
        assert FAILED in row["why"], (place, row)


def test_nor_has_one_over_captains_or_players_of_whom_it_is_one(figures: Mapping[str, Any]) -> None:
    """What is the mean of somebody who answered and of somebody who never did is no figure of either."""
    for family in ("gains", "comparisons", "talk_by_diversity"):
        (*_, over_all) = [row for row in figures[family] if row["captain"] is None]
        assert over_all["difference"] is None, family
        assert "bob" in over_all["why"], family
    average = [row for row in figures["cohort_models"] if row["model"] == "ann" and row["when"] == "alone"]
    assert [row["difference"] for row in average] == [None, None]
    assert figures["talk_threshold"]["over_talk"]["p"] is None
    assert "talkative@bob" in figures["talk_threshold"]["why"]


def test_whoever_answered_is_compared_as_ever(figures: Mapping[str, Any]) -> None:
    own = [row for row in figures["gains"] if row["captain"] == "ann"]
    assert [row["difference"] for row in own] == [0.0, 0.0]
    assert [row["p"] for row in own] == [1.0, 1.0]
    assert {row["family"] for row in own} == {2}


def test_a_hypothesis_about_such_a_player_is_open(figures: Mapping[str, Any]) -> None:
    assert [row["verdict"] for row in figures["hypotheses"]] == ["open", "open"]
    assert all(FAILED in row["note"] and row["p"] is None for row in figures["hypotheses"])


def test_the_tables_say_it(figures: Mapping[str, Any]) -> None:
    sections = {section.id: section for section in all_sections(figures)}
    for ident in ("gains", "comparisons", "safety-models", "cohort-models"):
        assert any("bob" in sentence and FAILED in sentence for sentence in sections[ident].words), ident


def test_compare_says_it_instead_of_a_difference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = tmp_path / "cup.db"
    run_with(broken, store=f"sqlite:///{store}")
    assert run_app(app, ["compare", str(store), "vote@bob", "solo@bob", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert (row["difference"], row["low"], row["p"]) == (None, None, None)
    assert row["failed"] == {"a": 0.0, "b": 1.0}
    assert (row["accuracy_a"]["value"], row["accuracy_b"]["value"]) == (0.75, 0.0)
    assert run_app(app, ["compare", str(store), "vote@bob", "solo@bob"]) == 0
    told = capsys.readouterr().out
    assert "cannot be told: every answer of bob failed, and nobody knows how good it is." in " ".join(told.split())
    assert "p <" not in told


def test_one_that_failed_on_some_questions_is_compared_and_its_failures_stand_beside() -> None:
    figures = run_with(sometimes_broken).figures
    row = next(row for row in figures["gains"] if (row["label"], row["captain"]) == ("vote", "bob"))
    assert row["difference"] == pytest.approx(3 / 12)
    assert row["failed"] == {"a": 0, "b": pytest.approx(4 / 12)}
    section = next(section for section in all_sections(figures) if section.id == "gains")
    assert any("33.3 %" in sentence and FAILED in sentence for sentence in section.words)
