"""How far an answer can be trusted, through whole runs: what is told, of whom, and where nothing is."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from half_judged import run as half_judged
from half_judged import said as half_said
from rich.console import Console
from scipy.stats import beta
from worlds import World, questions, row

from moot import Case, Results
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.measures.trust import measure as trust_measure
from moot.measures.trust.figures import surest_limits
from moot.report.sections import all_sections
from moot.report.terminal import print_sections

SIZE = 64
RIGHT = {"ann": 85, "bob": 55, "cat": 50}
"""In how many of a hundred."""
WRONG = ("Rome", "Oslo", "Bern")


def lot(*of: Any) -> int:
    return int(hashlib.sha256(repr(of).encode()).hexdigest(), 16)


def says(player: str, number: int, repeat: int) -> str:
    drawn = lot(player, number, repeat)
    return "Paris" if drawn % 100 < RIGHT[player] else WRONG[drawn // 100 % 3]


def believes_first(player: str, number: int, texts: Sequence[str]) -> str:
    return texts[0]


def knows_more(player: str, number: int, texts: Sequence[str]) -> str:
    """Right on nine of ten, whatever the others say."""
    return "Paris" if number % 10 else "Nowhere"


def played(
    strategies: Sequence[Any] = ("vote", "talkative"),
    after: Callable[[str, int, Sequence[str]], str] = believes_first,
    asked: Sequence[Case] | None = None,
    **keys: Any,
) -> Results:
    team = {"players": list(RIGHT), "captain": "ann"}
    return World(says, after, asked=asked or questions(SIZE)).play(strategies, teams={"team": team}, **keys)


def trust(results: Results) -> list[Mapping[str, Any]]:
    rows: list[Mapping[str, Any]] = results.figures["probability"]
    return rows


def shown(figures: Mapping[str, Any], width: int = 80) -> str:
    out = io.StringIO()
    print_sections(dict(figures), Console(file=out, width=width), ["trust"])
    return out.getvalue()


def test_every_strategy_has_a_row_that_adds_up() -> None:
    results = played()
    assert [(found["strategy"], found["captain"], found["n"]) for found in trust(results)] == [
        ("vote", "ann", SIZE),
        ("talkative", "ann", SIZE),
    ]
    for found in trust(results):
        accuracy = row(results.figures["accuracy"], strategy=found["strategy"])["value"]
        assert found["accuracy"] == pytest.approx(accuracy), "every play has an answer"
        assert sum(each["n"] for each in found["bins"]) == SIZE
        told = sum(each["n"] * each["right"] for each in found["bins"]) / SIZE
        assert told == pytest.approx(accuracy)
        distance = sum(each["n"] * abs(each["said"] - each["right"]) for each in found["bins"]) / SIZE
        assert found["ece"] == pytest.approx(distance)
        assert 0 <= found["ece_low"] <= found["ece"] <= found["ece_high"]
        assert found["brier_low"] <= found["brier"] <= found["brier_high"]
        assert [each["coverage"] for each in found["coverage"]] == [tenths / 10 for tenths in range(1, 11)]
        assert [each["n"] for each in found["coverage"]] == [6, 13, 19, 26, 32, 38, 45, 51, 58, 64]
        surest, all_of_them = found["coverage"][4], found["coverage"][-1]
        least_sure = 2 * all_of_them["accuracy"] - surest["accuracy"]
        assert surest["accuracy"] > least_sure + 0.1, "that of which it is sure is right more often"
        assert found["small"]
    json.dumps(results.figures, allow_nan=False)


def test_the_table_fits_a_terminal_and_says_that_few_questions_are_rough() -> None:
    text = shown(played().figures)
    assert text.count("talkative") == 1, "in one part"
    assert max(map(len, text.splitlines())) <= 80
    assert "With fewer than 100 questions these probabilities are rough" in " ".join(text.split())
    assert "surest" in text


def test_sections_of_the_page_hold_what_the_terminal_leaves_out() -> None:
    sections = {section.id: section for section in all_sections(played().figures)}
    assert {"trust", "brier", "reliability", "surest"} <= sections.keys()
    assert len(sections["surest"].rows) == 20
    assert {each["name"] for each in sections["reliability"].rows} == {"vote@ann", "talkative@ann"}
    assert [sections[name].terminal for name in ("brier", "reliability", "surest")] == ["table"] * 3


def test_a_row_does_not_depend_on_what_else_stands_in_the_file() -> None:
    together = trust(played(["talkative", "solo", "silent", "vote"]))
    for name in ("vote", "talkative"):
        (alone,) = trust(played([name]))
        assert row(together, strategy=name) == alone


def test_nor_on_the_order_of_the_questions() -> None:
    there = {found["label"]: found for found in trust(played())}
    back = {found["label"]: found for found in trust(played(asked=questions(SIZE)[::-1]))}
    for label, found in there.items():
        drawn = ("brier_low", "brier_high", "ece_low", "ece_high", "ece_by_chance")
        for each in (found, back[label]):
            assert isinstance(each, dict)
            for key in drawn:
                del each[key]
        _alike(found, back[label])


def _alike(one: Any, other: Any) -> None:
    if isinstance(one, Mapping):
        assert one.keys() == other.keys()
        for key in one:
            _alike(one[key], other[key])
    elif isinstance(one, list):
        for first, second in zip(one, other, strict=True):
            _alike(first, second)
    else:
        assert one == (pytest.approx(other) if isinstance(other, float) else other)


def test_repeats_are_more_answers_and_no_more_questions() -> None:
    (found,) = trust(played(["vote"], repeats=3))
    assert found["n"] == SIZE
    assert sum(each["n"] for each in found["bins"]) == 3 * SIZE
    assert found["small"], "a question that is asked three times is one"


def test_questions_that_hang_together_count_once() -> None:
    cases = [replace(case, cluster=f"passage {place // 2}") for place, case in enumerate(questions(SIZE))]
    (apart,), (together,) = trust(played(["vote"])), trust(played(["vote"], asked=cases))
    assert together["n"] == apart["n"] == SIZE
    few = [replace(case, cluster=f"passage {place // 4}") for place, case in enumerate(questions(SIZE))]
    (found,) = trust(played(["vote"], asked=few))
    assert found["ece"] is None
    assert found["why"] == "16 graded questions that do not hang together; 20 or more teach a probability"


def test_with_fewer_than_twenty_there_is_none() -> None:
    results = played(asked=questions(19))
    for found in trust(results):
        assert (found["ece"], found["brier"], found["n"], found["bins"], found["coverage"]) == (None, None, 0, [], [])
        assert found["why"] == "19 graded questions; 20 or more teach a probability"
    assert "No figure in 2 rows: 19 graded questions; 20 or more" in " ".join(shown(results.figures).split())
    assert all(found["ece"] is not None for found in trust(played(asked=questions(20))))


def test_while_many_answers_wait_for_a_grade_there_is_none() -> None:
    """What matches is right by construction."""
    for found in half_judged(["vote", "talkative"]).figures["probability"]:
        assert found["ece"] is None
        assert "20 of 40 questions have an ungraded answer" in found["why"]
        assert "hangs on what it says" in found["why"]


def test_the_few_that_wait_are_left_out_and_counted() -> None:
    def answers(player: str, number: int) -> str:
        return half_said("match" if number % 2 else "right" if number % 4 else "wrong", number)

    found, _ = half_judged(["vote", "talkative"], answers, lambda number: number != 0).figures["probability"]
    assert (found["n"], found["ungraded"]) == (39, 1)


def test_a_strategy_without_drafts_is_told_by_how_it_ended_whatever_stands_beside_it() -> None:
    talk = {"discuss": {"max_turns": 1, "vote_from": 1, "personas": "none"}}
    alone, beside = (
        row(trust(played(strategies, asked=questions(20))), strategy="discuss")
        for strategies in ([talk], ["vote", talk])
    )
    assert alone == beside
    assert alone["ece"] is not None
    few = row(trust(played([talk], asked=questions(19))), strategy="discuss")
    assert few["why"].startswith("19 graded questions; 20 or more teach a probability")


def test_a_captain_who_knows_more_is_believed_more() -> None:
    """And less where it says what nobody had drafted, if that is mostly wrong."""
    (found,) = trust(played(["talkative"], knows_more, grouping={"match": "only"}))
    (believing,) = trust(played(["talkative"], grouping={"match": "only"}))
    assert found["accuracy"] == pytest.approx(57 / 64)
    assert found["coverage"][4]["accuracy"] == 1.0, "without what nobody had drafted"
    said, believed = (sum(each["n"] * each["said"] for each in row["bins"]) for row in (found, believing))
    assert said > believed


FIRST_ALONE = {"cascade": {"order": "best", "until": 0.7}}


def test_a_cascade_is_no_surer_than_what_it_heard() -> None:
    """It asks the best alone: nothing tells its questions apart, whatever the others would have said."""
    (beside, found) = trust(played(["learnt", FIRST_ALONE]))
    assert len(beside["bins"]) > 2, "by all drafts questions are told apart"
    said = [each["said"] for each in found["bins"]]
    assert max(said) - min(said) < 0.1, "one probability in each part"
    assert all(abs(each - found["accuracy"]) < 0.1 for each in said)


def test_nor_does_it_hang_on_what_others_would_have_said() -> None:
    def otherwise(player: str, number: int, repeat: int) -> str:
        return says(player, number, repeat) if player == "ann" else says(player, number + 1_000, repeat)

    team = {"players": list(RIGHT), "captain": "ann"}
    other = World(otherwise, asked=questions(SIZE)).play(["learnt", FIRST_ALONE], teams={"team": team})
    (_, one), (_, two) = trust(played(["learnt", FIRST_ALONE])), trust(other)
    assert one == two


def test_where_a_last_stage_decided_it_is_learnt_apart() -> None:
    """It is right on nine of ten, whatever the drafts say; so is what was sure enough without it."""
    results = played([{"cascade": {"order": "best", "until": 0.9, "then": "talkative"}}, "vote"], knows_more)
    found = next(row for row in trust(results) if row["strategy"] == "cascade")
    (path,) = results.figures["cascade"]
    sure = path["stopped"]["sure"]
    assert 0.3 * SIZE < sure < 0.8 * SIZE
    assert sum(each["n"] for each in found["bins"] if each["said"] >= 0.75) > 0.8 * SIZE


def test_plays_without_an_answer_are_no_part_of_it() -> None:
    def silent_at_times(player: str, number: int, repeat: int) -> str:
        return "" if number % 8 == 0 else says(player, number, repeat)

    (found,) = trust(World(silent_at_times, count=SIZE).play(["vote"], teams={"team": {"players": list(RIGHT)}}))
    assert (found["without_answer"], found["n"]) == (8, SIZE - 8)


def test_nor_are_those_of_a_row_without_a_figure_and_they_are_counted() -> None:
    def mostly_silent(player: str, number: int, repeat: int) -> str:
        return "" if number >= 10 else says(player, number, repeat)

    figures = World(mostly_silent, count=SIZE).play(["vote"], teams={"team": {"players": list(RIGHT)}}).figures
    (found,) = figures["probability"]
    assert (found["ece"], found["n"], found["without_answer"]) == (None, 0, SIZE - 10)
    section = next(section for section in all_sections(figures) if section.id == "trust")
    assert f"{SIZE - 10} plays without an answer are not counted here." in section.words


def test_the_same_twice() -> None:
    assert trust(played(["vote"], seed=5)) == trust(played(["vote"], seed=5))


def test_a_verdict_in_the_terminal_does_not_pay_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [{"id": f"q{n}", "text": f"Thing {n}?", "choices": ["a", "b"], "answer": "AB"[n % 2]} for n in range(24)]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    models = {name: {"provider": "simulated", "accuracy": 0.7} for name in ("ann", "bob", "cat")}
    keys = {"name": "cup", "questions": {"file": "q.jsonl"}, "models": models, "strategies": ["vote"]}
    keys["teams"] = {"team": {"players": [*models]}}
    (tmp_path / "cup.yaml").write_text(json.dumps(keys), encoding="utf-8")
    taken = []

    def counted(source: Any, figures: Callable[[Any], Any] = trust_measure.trust_figures) -> Any:
        taken.append(source)
        return figures(source)

    monkeypatch.setattr(trust_measure, "trust_figures", counted)
    assert run_app(app, ["run", "cup.yaml", "--quiet"]) == 0
    assert run_app(app, ["report", "cup.yaml"]) == 0
    assert not taken
    for words in (["--section", "trust"], ["--all"], ["--json"], ["-o", "cup.html"]):
        taken.clear()
        assert run_app(app, ["report", "cup.yaml", *words]) == 0
        assert taken, words
    capsys.readouterr()


@pytest.mark.parametrize(("right", "of"), [(20, 20), (19, 20), (49, 50)])
def test_the_surest_are_held_to_no_score_interval_alone(right: int, of: int) -> None:
    low, high = surest_limits({str(n): float(n < right) for n in range(of)})
    assert low is not None
    assert high is not None
    assert low <= beta.ppf(0.025, right, of - right + 1) + 1e-9
    assert high >= (beta.isf(0.025, right + 1, of - right) if right < of else 1.0) - 1e-9
