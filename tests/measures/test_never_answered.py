"""A player whose every call failed: no figure is evidence about how good it is, whatever it is held against."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from beside import in_a_thread
from worlds import in_form, number_of, questions

import moot
from moot import Request, ScriptedModel
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.errors import ReplyBroken
from moot.report.sections import all_sections
from moot.simulate.server import running
from moot.types import HumanRate

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


SAYS = {"ann": mostly_right, "bob": mostly_right, "sue": broken}


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


def test_whoever_answered_has_a_difference_and_no_p_since_the_team_played_without_another(
    figures: Mapping[str, Any],
) -> None:
    own = [row for row in figures["gains"] if row["captain"] == "ann"]
    assert [row["difference"] for row in own] == [0.0, 0.0]
    assert [row["p"] for row in own] == [None, None]
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
    assert row["accuracy_a"]["value"] == 0.75
    assert (row["accuracy_b"]["value"], row["accuracy_b"]["low"], row["accuracy_b"]["n"]) == (None, None, 0)
    assert row["accuracy_b"]["why"] == row["why"] == "every answer of bob failed, and nobody knows how good it is"
    assert "why" not in row["accuracy_a"]
    assert run_app(app, ["compare", str(store), "vote@bob", "solo@bob"]) == 0
    told = capsys.readouterr().out
    assert "is not known: every answer of bob failed, and nobody knows how good it is." in " ".join(told.split())
    assert "p <" not in told
    assert "count as not right" not in told, "nothing is counted"


def test_no_share_is_told_of_what_never_came(figures: Mapping[str, Any]) -> None:
    """It would be read as how good somebody is."""
    rows = {(row["label"], row.get("player") or row.get("captain")): row for row in figures["accuracy"]}
    for key in (("solo", "bob"), ("talkative", "bob")):
        assert (rows[key]["value"], rows[key]["low"], rows[key]["n"]) == (None, None, 0)
        assert FAILED in rows[key]["why"]
    assert rows["vote", "bob"]["value"] == 0.75, "which the others decide"


def test_a_primary_that_never_came_has_no_figure() -> None:
    headline = run_with(broken, primary="talkative@bob", hypotheses=[]).figures["headline"]
    assert (headline["value"], headline["low"]) == (None, None)
    first, *others = headline["words"]
    assert first == (
        "The primary, talkative@bob, has no figure: every answer of talkative@bob failed, and nobody knows how good it is."
    )
    assert any(words.startswith("The best row, ") for words in others)


FAULTS = [{"kind": "500", "model": "tom"}, {"kind": "refusal", "model": "shy"}]
SERVED = {"models": {"tom": {"accuracy": 0.7}, "shy": {"accuracy": 0.7}}, "faults": FAULTS}


@contextmanager
def ran(folder: Path, monkeypatch: pytest.MonkeyPatch, served: str, sample: int = 30) -> Iterator[None]:
    """In a folder with a file that was run with this model of a server that fails."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(folder)
    with in_a_thread(running(SERVED)) as server:
        models: dict[str, Any] = {name: {"provider": "simulated", "accuracy": 0.7} for name in ("ann", "cat")}
        one = {"provider": "endpoint", "base_url": server.base_url, "retries": {"attempts": 1}, "model": served}
        keys: dict[str, Any] = {"name": "cup", "questions": {"builtin": "facts-en", "sample": sample}}
        keys |= {"models": {**models, served: one}, "strategies": ["solo", "vote", "talkative"]}
        keys |= {"teams": {"all": {"players": [*models, served], "captain": "each"}}}
        Path("cup.yaml").write_text(json.dumps(keys))
        run_app(app, ["run", "cup.yaml"])
    yield


def flat(words: str) -> str:
    return " ".join(words.split())


AGAIN = "Next: moot doctor cup.yaml, then moot run cup.yaml again."


def test_whom_every_call_of_failed_is_named_with_what_to_type_on_one_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with ran(tmp_path, monkeypatch, "tom"):
        ended = capsys.readouterr()
        _progress, said = ended.err.split("\n", 1)
        assert run_app(app, ["report", "cup.yaml"]) == 0
        reported = capsys.readouterr().out
        for told in (ended.out + said, reported):
            assert "60 failed; tom never gave one" in flat(told)
            assert flat(told).count(AGAIN) == 1
            assert "0.0 % (0.0" not in told
            assert sum(-(-max(len(line.rstrip()), 1) // 80) for line in told.splitlines()) <= 25, told
        assert run_app(app, ["plan", "--from", "cup.yaml"]) == 2
        planned = capsys.readouterr().err
        assert "moot grade" not in planned, "which would change nothing"
        assert "every answer of tom failed" in planned
        assert "moot doctor" in planned


def test_advice_leaves_it_out_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with ran(tmp_path, monkeypatch, "tom", sample=60):
        capsys.readouterr()
        run_app(app, ["advise", "cup.yaml", "--json"])
        told = json.loads(capsys.readouterr().out)
        options = [*told["frontier"], *told["beside"]]
        assert {name for option in options for name in option["players"]} == {"ann", "cat"}
        left_out = "tom is left out: every call failed, and nobody knows how good it is"
        assert f"{left_out}; what is advised is among the others only" in told["notes"]


def test_so_is_who_refuses_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with ran(tmp_path, monkeypatch, "shy"):
        told = capsys.readouterr().out
        assert "refused; shy never gave one (--section outcomes)" in flat(told)
        assert AGAIN not in flat(told)


def test_one_that_failed_on_some_questions_is_compared_and_its_failures_stand_beside() -> None:
    figures = run_with(sometimes_broken).figures
    row = next(row for row in figures["gains"] if (row["label"], row["captain"]) == ("vote", "bob"))
    assert row["difference"] == pytest.approx(3 / 12)
    assert row["failed"] == {"a": 0, "b": pytest.approx(4 / 12)}
    section = next(section for section in all_sections(figures) if section.id == "gains")
    assert any("33.3 %" in sentence and FAILED in sentence for sentence in section.words)


def test_no_gap_is_closed_by_what_never_came(figures: Mapping[str, Any]) -> None:
    """Nor by a mean over captains of whom one never answered."""
    led = {row["captain"]: row for row in figures["gap"] if row["label"] == "talkative"}
    assert {captain: row["value"] is None for captain, row in led.items()} == {"ann": True, "bob": True, None: True}
    assert "bob" not in led["ann"]["why"]
    for captain in ("bob", None):
        assert led[captain]["why"].startswith("every answer of talkative@bob failed")


WHY = "every answer of {} failed, and nobody knows how good it is"


def parted(count: int) -> list[moot.Case]:
    """Questions of two categories, with what people got right."""
    people = HumanRate(1, 2)
    return [replace(case, category="ab"[number % 2], human=people) for number, case in enumerate(questions(count))]


def test_no_mean_over_captains_counts_it_as_wrong() -> None:
    """By category, by diversity, beside people, and the average of a cohort."""
    figures = run_with(broken, questions=parted(QUESTIONS), hypotheses=[]).figures
    for family, column, value in (
        ("categories", "accuracy", {"vote": {0.5, 1.0}}),
        ("diversity", "accuracy", {"vote": {0.75}}),
        ("diversity_by_difficulty", "accuracy", {"vote": {0.75}}),
        ("human", "accuracy", {"vote": {0.75}}),
    ):
        over_all = [row for row in figures[family] if row.get("captain") is None and row.get("player") is None]
        assert {row["label"] for row in over_all} == {"solo", "vote", "talkative"}, family
        for label, who in (("solo", "bob"), ("talkative", "talkative@bob")):
            own = [row for row in over_all if row["label"] == label]
            assert {(row[column], row["low"], row["why"]) for row in own} == {(None, None, WHY.format(who))}, family
        assert {row[column] for row in over_all if row["label"] == "vote"} == value["vote"], family
    averages = {(row["stage"], row["when"]): row for row in figures["cohort_averages"]}
    assert averages["vote", "after"]["value"] == 0.75
    for place, who in ((("vote", "alone"), "bob"), (("talkative", "after"), "talkative@bob")):
        assert (averages[place]["value"], averages[place]["why"]) == (None, WHY.format(who))
    sections = {section.id: section for section in all_sections(figures)}
    for ident in ("categories", "diversity"):
        assert any(WHY.format("bob") in sentence for sentence in sections[ident].words), ident


def test_nor_does_a_side_of_two_that_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = tmp_path / "cup.db"
    run_with(broken, store=f"sqlite:///{store}")
    assert run_app(app, ["compare", str(store), "talkative", "vote", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert (row["accuracy_a"]["value"], row["accuracy_a"]["why"]) == (None, WHY.format("talkative@bob"))
    assert row["accuracy_b"]["value"] == 0.75


def test_a_primary_over_captains_of_whom_one_never_came_has_no_figure() -> None:
    headline = run_with(broken, primary="talkative", hypotheses=[]).figures["headline"]
    assert (headline["value"], headline["low"], headline["why"]) == (None, None, WHY.format("talkative@bob"))


def test_no_criterion_of_a_rubric_gives_it_no_points() -> None:
    """Which would be read as how well it writes."""
    models = {name: {"provider": "simulated", "accuracy": 0.6, "words": 20} for name in ("ann", "jim")}
    asked = [moot.Case(moot.Question(f"q{number}", f"Write about {number}.", kind="text"), None) for number in range(4)]
    keys = {"models": {**models, "bob": ScriptedModel("bob", broken)}, "questions": asked, "strategies": ["solo"]}
    keys |= {
        "name": "texts",
        "players": {name: {"model": name} for name in ("ann", "bob")},
        "judge": {"models": ["jim"]},
    }
    keys |= {"rubric": [{"name": "clear", "points": 4, "says": "It is clear."}]}
    ann, bob = moot.run(keys).figures["rubric"]["criteria"]
    assert (bob["value"], bob["low"], bob["why"]) == (None, None, WHY.format("bob"))
    assert ann["value"] > 0


def test_nor_is_a_summariser_wrong_that_never_answered() -> None:
    figures = run_with(
        mostly_right,
        models={name: ScriptedModel(name, says) for name, says in SAYS.items()},
        strategies=["solo", {"mixture": {"summariser": "sue", "accuracies": "hidden"}}],
        hypotheses=[],
    ).figures
    (row,) = figures["mixtures"]
    assert (row["value"], row["why"]) == (None, WHY.format(row["label"]))
    assert {label["accuracy"] for label in row["right_labels"]} == {None}
    assert all(WHY.format(row["label"]) == label["why"] for label in row["right_labels"])


def test_nobody_chooses_among_the_silent_nor_guesses_with_them() -> None:
    """The best single is the highest of those who answered, and as many guessers as they are stand beside what they cover."""
    asked = [
        replace(case, question=replace(case.question, choices=("Paris", "Bern"), kind="choice"))
        for case in questions(QUESTIONS)
    ]
    asked = [replace(case, answer="A", accepted=()) for case in asked]
    letters = {"ann": "A", "bob": "B"}
    models: dict[str, Any] = {
        name: ScriptedModel(name, lambda r, said=said: in_form(r, said)) for name, said in letters.items()
    }
    models["sue"] = ScriptedModel("sue", broken)
    figures = run_with(
        mostly_right,
        questions=asked,
        models=models,
        teams={"three": {"players": list(models), "captain": "each"}},
        hypotheses=[],
    ).figures
    assert figures["best_single"]["players"] == figures["skyline"]["players"] == 2
    assert {row["models"] for row in figures["coverage"]} == {2}
    assert {row["guessing"] for row in figures["coverage"]} == {figures["skyline"]["guessing"]} == {0.75}


@pytest.mark.parametrize("order", [("ann", "bob", "cat"), ("cat", "bob", "ann")])
def test_all_who_are_the_best_single_are_named(order: tuple[str, ...]) -> None:
    def seldom(request: Request) -> Any:
        return in_form(request, "Bern" if number_of(request) % 4 else "Paris")

    says = {"ann": mostly_right, "bob": seldom, "cat": mostly_right}
    models = {name: ScriptedModel(name, says[name]) for name in order}
    teams = {"three": {"players": list(models)}}
    figures = run_with(mostly_right, models=models, teams=teams, strategies=["solo", "vote"], hypotheses=[]).figures
    single = figures["best_single"]
    assert {single["player"], *single["equals"]} == {"ann", "cat"}
    (section,) = [each for each in all_sections(figures) if each.id == "skyline"]
    (told,) = [row["what"] for row in section.rows if "best single" in row["what"]]
    assert "ann" in told
    assert "cat" in told
    assert "bob" not in told
    assert "equals" not in run_with(seldom, strategies=["solo", "vote"], hypotheses=[]).figures["best_single"]
