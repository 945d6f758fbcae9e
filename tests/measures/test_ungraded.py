"""Nothing that is ungraded counts as wrong: in no figure, in no sentence; and a figure stands on what is graded."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from moot.engine.runner import Runner
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.live.team import LiveTeam
from moot.measures.columns import ungraded_words
from moot.measures.source import Source
from moot.models.scripted import Script, ScriptedModel
from moot.report.compare import compared, words
from moot.report.figures import figures, find_experiment
from moot.report.remarks import remarks
from moot.report.sections import all_sections
from moot.stats.graded import graded_value
from moot.stats.graded_pairs import compared_row
from moot.types import Request

THREE: dict[str, Any] = {
    "name": "three",
    "models": {name: {"provider": "simulated", "accuracy": 0.6} for name in ("ann", "bob", "cat")},
    "teams": {"three": {"players": ["ann", "bob", "cat"], "captain": "ann"}},
    "strategies": ["vote", "talkative"],
}


async def served(folder: Path, feedback: int, asked: int = 40) -> tuple[dict[str, Any], dict[str, Any]]:
    """So many questions asked of a served team's vote, all answers to the first of them said to be right."""
    path = folder / "team.yaml"
    path.write_text(yaml.safe_dump(THREE), encoding="utf-8")
    live = LiveTeam(read_experiment(path, with_questions=False), serving=True)
    async with live:
        for number in range(asked):
            play = await live.play(replace_text(number), "three/vote")
            assert play.verdict.answer is not None
            if number < feedback:
                await live.record.feedback(play.id, correct=True)
        await live.record.flush()
        shown = await live.store.run(lambda connection: figures(connection, find_experiment(connection)))
    return shown, next(row for row in shown["accuracy"] if row["strategy"] == "vote")


def replace_text(number: int) -> Any:
    from moot.live.asked_question import question_of

    return question_of(f"What is {number} and {number}?")


async def test_served_traffic_with_little_feedback(tmp_path: Path) -> None:
    shown, row = await served(tmp_path, feedback=3)
    assert (row["value"], row["n"], row["ungraded"]) == (1.0, 3, 37)
    assert row["bounds"] == {"low": 3 / 40, "high": 1.0}
    head = shown["headline"]
    assert (head["value"], head["n"], head["ungraded"], head["bounds"]) == (1.0, 3, 37, {"low": 0.075, "high": 1.0})
    assert "100.0 % (43.9–100.0) of the 3 graded" in head["sentence"]
    assert "37 answers are not graded; over all of them the figure is between 7.5 and 100.0 %" in head["sentence"]
    assert "got 7.5 %" not in head["sentence"]
    assert all(option["missing"] == 0 for option in shown["accuracy"]), "nobody planned who is asked what"
    section = next(section for section in all_sections(shown) if section.id == "accuracy")
    drawn = next(drawn for drawn in section.rows if drawn["label"] == "vote")
    assert (drawn["value"], drawn["least"], drawn["most"]) == (1.0, 0.075, 1.0)
    assert not any("7.5" in sentence for sentence in section.words)


async def test_a_served_team_is_not_wrong_on_what_it_was_never_asked(tmp_path: Path) -> None:
    """Four questions go to one strategy and six to another, and all answers are said to be right."""
    path = tmp_path / "team.yaml"
    path.write_text(yaml.safe_dump(THREE), encoding="utf-8")
    async with LiveTeam(read_experiment(path, with_questions=False), serving=True) as live:
        for number in range(10):
            play = await live.play(replace_text(number), "three/talkative" if number < 4 else "three/vote")
            await live.record.feedback(play.id, correct=True)
        await live.record.flush()
        shown = await live.store.run(lambda connection: figures(connection, find_experiment(connection)))
    assert {row["strategy"]: (row["value"], row["n"]) for row in shown["accuracy"] if row["n"]} == {
        "vote": (1.0, 6),
        "talkative": (1.0, 4),
    }
    assert "frontier" not in shown, "they share no question"
    left_out = {row["of"].split("@")[0]: row["why"] for row in shown["frontier_left_out"]}
    assert dict.fromkeys(left_out, "fewer than two of 2 have enough questions in common to be ranked") == left_out
    assert left_out.keys() == {"talkative", "vote"}
    headline = shown["headline"]
    assert (headline["value"], headline["after_the_fact"]) == (1.0, None)
    assert "100.0 %" in headline["sentence"]
    assert "points less" not in headline["sentence"]
    assert "new one" not in headline["sentence"] or "made no new ones" in headline["sentence"]
    for row in shown["gap"]:
        assert row["value"] in (None, 0.0) or row["value"] > 0, "no way back for what was never asked"
    assert "not played" not in " ".join(remarks(shown))
    assert not any(column.key == "missing" for section in all_sections(shown) for column in section.columns)


async def test_served_traffic_without_feedback(tmp_path: Path) -> None:
    shown, row = await served(tmp_path, feedback=0, asked=3)
    assert (row["value"], row["low"], row["high"], row["n"]) == (None, None, None, 0)
    assert row["why"] == "none of the answers to 3 questions is graded"
    assert row["bounds"] == {"low": 0.0, "high": 1.0}
    assert "no answer is graded yet" in shown["headline"]["sentence"]
    assert shown["headline"]["value"] is None
    assert shown["headline"]["why"]
    assert shown["skyline"]["value"] is None
    assert shown["skyline"]["why"]
    json.dumps(shown, allow_nan=False)
    all_sections(shown)


PLAYERS = ("ann", "bob", "cat")


def judge(request: Request, right: Mapping[str, bool]) -> Script:
    """Knows some answers, and says nothing usable where it does not."""
    text = request.messages[-1].content
    asked = [answer for answer in right if f"{answer}" in text]
    if "oddity" in text:
        return "no JSON here"
    return json.dumps({"grades": [{"id": n, "is_correct": right[answer]} for n, answer in enumerate(asked, 1)]})


async def play(
    folder: Path, say: Callable[[str, int], str], strategies: list[Any], *, count: int = 4, **more: Any
) -> tuple[Any, Any]:
    """A quiz whose players say what `say` says of the number of the question."""
    rows = [{"id": f"q{n}", "text": f"Which city, {n}?", "answer": "Paris"} for n in range(count)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    names = [*PLAYERS, *(["judge"] if "judge" in more else [])]
    spec = {
        "name": "cup",
        "questions": {"file": "questions.jsonl"},
        "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in names},
        "teams": {"three": {"players": list(PLAYERS), "captain": "each"}},
        "strategies": strategies,
        **more,
    }
    (folder / "cup.yaml").write_text(json.dumps(spec), encoding="utf-8")
    plan = build(read_experiment(folder / "cup.yaml"))

    def reply(name: str, request: Request) -> Script:
        if name == "judge":
            return judge(request, {"lyon": False, "metz": False})
        number = int((request.question_id or "q0")[1:])
        return json.dumps({"reasoning": "I know.", "answer": say(name, number)})

    models = {
        name: replace(made, model=ScriptedModel(name, partial(reply, name))) for name, made in plan.models.items()
    }
    return replace(plan, models=models), plan


async def shown_of(plan: Any, work: Callable[[Any], Any] | None = None) -> Any:
    store = await plan.store().open()
    try:
        await Runner(plan, store).run()
        if work is not None:
            return await store.run(work)
        return await store.run(lambda connection: figures(connection, find_experiment(connection, "cup")))
    finally:
        await store.close()


async def test_a_draft_that_no_judge_has_settled_is_ungraded(tmp_path: Path) -> None:
    """Cat's drafts are the only ones that nobody judged: they are in no verdict, and she never played alone."""
    said = {"ann": "Paris", "bob": "Paris", "cat": "oddity"}
    plan, _ = await play(tmp_path, lambda name, _: said[name], ["vote"], judge={"models": ["judge"]})

    def grades(connection: Any) -> list[float | None]:
        source = Source(connection, find_experiment(connection, "cup"))
        case = next(iter(source.cases.values()))
        return [source.grade(case, text) for text in ("Paris", "oddity", None)]

    assert await shown_of(plan, grades) == [1.0, None, 0.0]
    shown = await shown_of(plan)
    cat = next(row for row in shown["players"] if row["player"] == "cat")
    assert (cat["value"], cat["n"], cat["bounds"]) == (None, 0, {"low": 0.0, "high": 1.0})
    assert cat["why"] == "none of the answers to 4 questions is graded"
    assert (shown["skyline"]["value"], shown["skyline"]["n"]) == (1.0, 4), "ann is right, whatever cat said"
    assert shown["best_single"]["player"] in ("ann", "bob")


def one_in_forty(_: str, number: int) -> str:
    """What the judge can say nothing of is no more than one in twenty, and the judge has settled another."""
    return {1: "oddity", 2: "lyon"}.get(number, "Paris")


async def test_a_comparison_leaves_out_what_is_ungraded(tmp_path: Path) -> None:
    plan, _ = await play(tmp_path, one_in_forty, ["solo", "vote"], count=40, judge={"models": ["judge"]})
    row = await shown_of(
        plan, lambda connection: compared(connection, find_experiment(connection, "cup"), "vote@ann", "solo@ann")
    )
    assert (row["n"], row["difference"], row["ungraded"]) == (39, 0.0, {"a": 1.0, "b": 1.0})
    assert row["bounds"] == {"low": 0.0, "high": 0.0}, "both say oddity, whatever that is worth"
    text = " ".join(words(row))
    assert "On the 39 questions that both played, of 40, whose answers are graded" in text
    assert "2 answers are not graded and not counted here. Counting them, the difference is 0.0 points" in text


async def test_a_hypothesis_leaves_out_what_is_ungraded(tmp_path: Path) -> None:
    said = ["accuracy(vote@ann) > 0.1", "accuracy(vote@ann) - accuracy(solo@ann) > 0", "skyline(vote) > 0.1"]
    plan, _ = await play(
        tmp_path, one_in_forty, ["solo", "vote"], count=40, judge={"models": ["judge"]}, hypotheses=said
    )
    first, second, third = (await shown_of(plan))["hypotheses"]
    assert (first["value"], first["n"], first["ungraded"]) == (38 / 39, 39, 1)
    assert first["bounds"] == third["bounds"] == {"low": 0.95, "high": 0.975}
    assert (second["value"], second["n"], second["bounds"]) == (0.0, 39, {"low": 0.0, "high": 0.0})
    assert first["note"] == "1 question with an ungraded answer left out; over all 0.950 to 0.975"


async def test_captains_who_break_ties_have_no_errors_that_are_fixed(tmp_path: Path) -> None:
    def say(name: str, number: int) -> str:
        return "lyon" if name == "ann" and number < 2 else "Paris"

    for primary, fixed in (("vote@ann", False), ("talkative@ann", True)):
        folder = tmp_path / primary.partition("@")[0]
        folder.mkdir()
        plan, _ = await play(folder, say, ["solo", "vote", "talkative"], primary=primary)
        head = (await shown_of(plan))["headline"]
        assert "of bob's errors" in head["sentence"], "one sentence, one baseline: the best single model"
        assert "captain's errors" not in head["sentence"]
        assert (head["over_captain"] is not None) is fixed
        assert "with ann as captain (declared in advance) got" in head["sentence"]


async def test_the_captain_alone_is_the_one_of_the_same_drafting(tmp_path: Path) -> None:
    """Ann is right when asked in one call and wrong in two: beside each strategy stands what it was built on."""
    strategies = ["solo", {"solo": {"drafts": "double-call"}}, "silent", {"peer-review": {"drafts": "double-call"}}]
    plan, _ = await play(tmp_path, lambda name, number: "Paris", strategies)

    def reply(request: Request) -> Script:
        if request.schema is None:
            return "Answer: lyon"
        return json.dumps({"reasoning": "I know.", "answer": "Paris", "review": "Good."})

    models = {name: replace(made, model=ScriptedModel(name, reply)) for name, made in plan.models.items()}
    shown = await shown_of(replace(plan, models=models), partial(_mine))
    section = next(section for section in _sections(shown) if section.id == "by-captain")
    single = {row["label"].partition("(")[0]: row["single"] for row in section.rows}
    assert single == {"silent": 1.0, "peer-review": 0.0}


def _mine(connection: Any) -> dict[str, Any]:
    from moot.measures.accuracy.measure import Accuracy
    from moot.measures.quiz.measure import Quiz

    source = Source(connection, find_experiment(connection, "cup"))
    for measure in (Accuracy(), Quiz()):
        source.so_far |= measure.figures(source)
    return source.so_far


def _sections(shown: dict[str, Any]) -> list[Any]:
    from moot.measures.quiz.measure import Quiz

    return list(Quiz().sections(shown))


async def test_the_skyline_does_not_depend_on_the_strategies_of_the_file(tmp_path: Path) -> None:
    def say(name: str, number: int) -> str:
        return "Paris" if PLAYERS.index(name) == number % 4 else f"lyon {name}"

    tops = []
    for place, strategies in enumerate((["solo", "vote"], ["vote"], ["silent"], ["solo", "silent", "vote"])):
        folder = tmp_path / str(place)
        folder.mkdir()
        plan, _ = await play(folder, say, strategies, count=8)
        tops.append((await shown_of(plan))["skyline"])
    assert tops == [tops[0]] * 4
    assert tops[0]["value"] == 0.75


async def test_repeats_of_players_who_are_right_in_turn(tmp_path: Path) -> None:
    """In every repeat one of two is right: together they could have had them all."""
    plan, _ = await play(tmp_path, lambda *_: "", ["solo", "vote"], repeats=3)

    def reply(name: str, request: Request) -> Script:
        right = request.sample % 2 == (name == "ann")
        return json.dumps({"reasoning": "I know.", "answer": "Paris" if right else "lyon"})

    models = {
        name: replace(made, model=ScriptedModel(name, partial(reply, name))) for name, made in plan.models.items()
    }
    shown = await shown_of(replace(plan, models=models))
    assert {row["value"] for row in shown["players"]} == {1 / 3, 2 / 3}
    assert (shown["skyline"]["value"], shown["skyline"]["n"]) == (1.0, 4)


async def flattered(folder: Path, *, right: Callable[[int], bool], claims: list[str], count: int = 60) -> Any:
    """Ann as captain is right on some questions and says on the others what two judges dispute; alone all are graded."""
    names = (*PLAYERS, "judge", "second")
    plan, _ = await play(
        folder,
        lambda *_: "",
        ["solo", "talkative", "vote"],
        count=count,
        models={name: {"provider": "simulated", "accuracy": 0.5} for name in names},
        judge={"models": ["judge", "second"]},
        hypotheses=claims,
        teams={"three": {"players": list(PLAYERS), "captain": "ann"}},
    )

    def reply(name: str, request: Request) -> Script:
        text = request.messages[-1].content
        if name not in PLAYERS:
            answers = sorted((answer for answer in ("lyon", "oddity") if answer in text), key=text.index)
            lenient = [name == "second" and answer == "oddity" for answer in answers]
            return json.dumps({"grades": [{"id": n, "is_correct": right} for n, right in enumerate(lenient, 1)]})
        number = int((request.question_id or "q0")[1:])
        if "Paris" in text or "lyon" in text:
            return json.dumps({"reasoning": "I read them.", "answer": "Paris" if right(number) else "oddity"})
        known = number % 3 != PLAYERS.index(name)
        return json.dumps({"reasoning": "I know.", "answer": "Paris" if known else "lyon"})

    models = {
        name: replace(made, model=ScriptedModel(name, partial(reply, name))) for name, made in plan.models.items()
    }
    return await shown_of(replace(plan, models=models))


CLAIMS = [
    "accuracy(talkative) > 0.6",
    "accuracy(talkative) - accuracy(solo@ann) > 0",
    "accuracy(talkative) > 0.4",
    "net(talkative) > 0",
    "safety_multiple(talkative) > 1",
    "gap_closure(talkative) > 0",
    "accuracy(talkative) / accuracy(vote) > 0.1",
]


async def test_nothing_is_claimed_that_ungraded_answers_could_turn_round(tmp_path: Path) -> None:
    """Every graded answer of the team is right, since only what matches is graded: half of them are not."""
    shown = await flattered(tmp_path, right=lambda number: number % 2 == 0, claims=CLAIMS)
    by_claim = {row["hypothesis"]: row for row in shown["hypotheses"]}
    for claim in CLAIMS:
        row = by_claim[claim]
        assert (row["value"], row["verdict"]) == (None, "open"), claim
        assert "30 of 60" in row["note"], claim
        assert "hangs on what it says" in row["note"], claim
    high = by_claim["accuracy(talkative) > 0.6"]
    assert (high["n"], high["bounds"]) == (0, {"low": 0.5, "high": 1.0})
    net = by_claim["net(talkative) > 0"]
    assert net["ungraded"] == 30
    assert net["bounds"] == {"low": -10.0, "high": 20.0}, "of the ungraded 20 were right alone and 10 were wrong"
    multiple = by_claim["safety_multiple(talkative) > 1"]
    assert multiple["bounds"] == {"low": 0.5, "high": None}


async def test_options_are_not_chosen_for_being_ungraded(tmp_path: Path) -> None:
    """The vote is right on all questions; of the talk all that is graded is, but that is half of it."""
    shown = await flattered(tmp_path, right=lambda number: number % 2 == 0, claims=[])
    head = shown["headline"]
    assert (head["of"], head["options"]) == ("vote@ann", 2)
    assert head["after_the_fact"]["of"] == "vote@ann"
    on = {row["of"]: (row["on_frontier"], row["folds"]) for row in shown["frontier"]}
    assert on["talkative@ann"] == (False, 0)
    assert next(row for row in shown["frontier"] if row["of"] == "talkative@ann")["accuracy"] is None
    assert shown["talk_threshold"]["talk_from"] is None
    assert "30 of 60 questions have an ungraded answer" in shown["talk_threshold"]["why"]


async def test_a_difference_says_that_ungraded_answers_could_turn_it_round(tmp_path: Path) -> None:
    shown = await flattered(tmp_path, right=lambda number: number % 2 == 0, claims=[])
    (row,) = [row for row in shown["gains"] if row["strategy"] == "talkative"]
    assert (row["difference"], row["low"], row["rescues"]) == (None, None, None)
    assert row["bounds"]["low"] < 0
    assert "30 of 60 pairs have an ungraded answer" in row["why"]
    (settled,) = [row for row in shown["gains"] if row["strategy"] == "vote"]
    assert "why" not in settled
    section = next(section for section in all_sections(shown) if section.id == "gains")
    assert any("No figure in 1 row: 30 of 60 pairs" in sentence for sentence in section.words)
    assert any("over the graded pairs alone" in sentence for sentence in section.words)
    assert any(column.key == "least" for column in section.columns)


def test_what_people_left_ungraded_could_turn_a_difference_round() -> None:
    """Nothing waits for a judge here, so the figure over the graded pairs stands: with its bounds, and a warning."""
    right, wrong, open_one = graded_value(1.0), graded_value(0.0), graded_value(None, "nobody")
    values = [(right, wrong)] * 20 + [(right, right)] * 20 + [(open_one, right)] * 30
    row = compared_row({f"q{place}": [pair] for place, pair in enumerate(values)})
    assert row["low"] > 0 > row["bounds"]["low"]
    assert "could reverse it" in row["why"]
    (_, turned) = ungraded_words([{**row, "strategy": "talkative", "label": "talkative", "captain": "ann"}])
    assert turned == "The ungraded answers could reverse it: talkative@ann."


async def test_the_headline_needs_the_bounds_of_its_difference(tmp_path: Path) -> None:
    claims: dict[str, Any] = {"claims": []}
    for name, share in (("half", 2), ("most", 20)):
        folder = tmp_path / name
        folder.mkdir()
        shown = await flattered(folder, right=lambda number, share=share: number % share != 1, **claims)
        row = {**shown["headline"], "over_best_single": {**_over(shown, "talkative"), "single": "ann"}}
        from moot.measures.claims.words import sentences

        sentence = sentences(row)[1]
        assert ("graded for both; " in sentence) is (name == "most"), sentence
        assert ("points against the best single model (bounds; nothing" in sentence) is (name == "half"), sentence
        assert (") more than the best single model" in sentence) is (name == "most"), sentence


def _over(shown: dict[str, Any], strategy: str) -> Any:
    return next(row for row in shown["gains"] if row["strategy"] == strategy)


async def test_a_gap_with_ungraded_answers_has_bounds_or_is_not_known(tmp_path: Path) -> None:
    shown = await flattered(tmp_path, right=lambda number: number % 2 == 0, claims=[])
    (talk,) = [row for row in shown["gap"] if row["strategy"] == "talkative"]
    assert talk["ungraded"] == 30
    assert (talk["value"], talk["n"], "bounds" in talk) == (None, 0, True)
    assert "30 of 60 questions have an ungraded answer" in talk["why"]
    assert talk["bounds"]["low"] < 0
    (vote,) = [row for row in shown["gap"] if row["strategy"] == "vote"]
    assert {"ungraded", "bounds", "why"}.isdisjoint(vote)


async def test_what_nobody_graded_says_why_it_is_not_known(tmp_path: Path) -> None:
    claims = ["net(talkative) > 0", "safety_multiple(talkative) > 1", "gap_closure(talkative) > 0"]
    plan, _ = await play(
        tmp_path, lambda *_: "oddity", ["solo", "vote", "talkative"], judge={"models": ["judge"]}, hypotheses=claims
    )
    shown = await shown_of(plan)
    for row in shown["hypotheses"]:
        assert (row["value"], row["low"], row["high"], row["n"], row["verdict"]) == (None, None, None, 0, "open")
        assert "graded" in row["note"]
    for row in (shown["best_single"], *shown["gap"]):
        assert row["value"] is None
        assert row["why"]
    assert all(row["ungraded"] == 4 for row in shown["gap"])
    json.dumps(shown, allow_nan=False)
    all_sections(shown)


async def test_a_team_has_not_beaten_players_whom_nobody_has_graded(tmp_path: Path) -> None:
    """One player is wrong on everything and graded; the others may be right on everything. No team has beaten them."""
    plan, _ = await play(
        tmp_path,
        lambda name, number: "lyon" if name == PLAYERS[-1] else "oddity",
        ["solo", "talkative"],
        count=40,
        judge={"models": ["judge"]},
        teams={"three": {"players": list(PLAYERS), "captain": PLAYERS[0]}},
    )

    def reply(name: str, request: Request) -> Script:
        text = request.messages[-1].content
        if name == "judge":
            return judge(request, {"lyon": False})
        read = "lyon" in text or "oddity" in text
        alone = "lyon" if name == PLAYERS[-1] else "oddity"
        return json.dumps({"reasoning": "I know.", "answer": "Paris" if read else alone})

    models = {
        name: replace(made, model=ScriptedModel(name, partial(reply, name))) for name, made in plan.models.items()
    }
    headline = (await shown_of(replace(plan, models=models)))["headline"]
    assert headline["value"] == 1.0
    assert headline["over_best_single"]["bounds"] == {"low": 0.0, "high": 1.0}
    assert "could reverse it" in headline["over_best_single"]["why"]
    assert "points more" not in headline["sentence"]
    assert "cannot be told" in headline["sentence"]


async def test_what_costs_nothing_is_not_of_unknown_cost_where_nobody_drafted_so_alone(tmp_path: Path) -> None:
    """Reviews rest on drafts in two calls; players alone were asked in one. What the reviews cost is known all the same."""
    plan, _ = await play(tmp_path, lambda *_: "Paris", ["solo", {"peer-review": {"drafts": "double-call"}}])
    headline = (await shown_of(plan))["headline"]
    assert (headline["cost_unit"], headline["cost_usd"]) == ("calls", 0.0)
    assert "unknown" not in headline["sentence"]
