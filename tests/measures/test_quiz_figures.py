"""The quiz part of the figures, against numbers worked out here from the same words in plain Python."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from moot.engine.runner import Runner
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.measures.quiz.sections import quiz_sections
from moot.models.scripted import Script, ScriptedModel
from moot.report.figures import figures, find_experiment
from moot.simulate.prompt_reading import read_shown
from moot.types import Request

PLAYERS = ("ann", "bob", "cat", "dan")
CITIES = ("paris", "lyon", "nice", "metz")
NEW = "brest"


@dataclass
class World:
    """What everybody says to every question: four players, so that a tie always includes the captain."""

    count: int = 40
    drafts: dict[str, dict[str, str | None]] = field(default_factory=dict)
    words: dict[tuple[str, str, str], str] = field(default_factory=dict)
    """(strategy, captain, question) -> the captain's word."""

    def __post_init__(self) -> None:
        draw = random.Random(5)
        for number in range(self.count):
            question = f"q{number}"
            said: dict[str, str | None] = {player: draw.choice(CITIES[: 2 + number % 3]) for player in PLAYERS}
            if number % 10 == 0:  # dan is silent, and the others do not tie
                said = {"ann": "paris", "bob": "lyon", "cat": "paris", "dan": None}
            self.drafts[question] = said
            for strategy in ("silent", "talkative"):
                for captain in PLAYERS:
                    others = [text for text in said.values() if text is not None]
                    word = draw.choice([said[captain] or NEW, draw.choice(others), draw.choice(others), NEW])
                    self.words[strategy, captain, question] = word

    def reply(self, player: str, request: Request) -> Script:
        question = str(request.question_id)
        if not read_shown(request.messages):
            answer = self.drafts[question][player]
            return "I have no idea." if answer is None else {"reasoning": "A hunch.", "answer": answer}
        strategy = "talkative" if "<reasoning>" in request.messages[-1].content else "silent"
        return {"reasoning": "They say so.", "answer": self.words[strategy, player, question]}

    # What the figures should be, question by question.

    def right(self, player: str, question: str) -> int:
        return int(self.drafts[question][player] == "paris")

    def groups(self, question: str) -> Counter[str]:
        return Counter(text for text in self.drafts[question].values() if text is not None)

    def vote(self, captain: str, question: str) -> int:
        counts = self.groups(question)
        tied = [text for text, count in counts.items() if count == max(counts.values())]
        own = self.drafts[question][captain]
        assert len(tied) == 1 or own in tied
        return int((tied[0] if len(tied) == 1 else own) == "paris")

    def word_right(self, strategy: str, captain: str, question: str) -> int:
        return int(self.words[strategy, captain, question] == "paris")


def human(number: int) -> dict[str, int] | None:
    return {"solved": (7 * number) % 40, "asked": 40} if number % 3 else None


async def played(folder: Path, world: World, strategies: Sequence[Any], **more: Any) -> dict[str, Any]:
    lines = [
        {"id": q, "text": f"Which city, {q}?", "answer": "Paris", "category": "odd" if n % 2 else "even"}
        | ({"human": rate} if (rate := human(n)) else {})
        for n, q in enumerate(world.drafts)
    ]
    replies: dict[str, Callable[[Request], Script]] = {
        player: lambda request, player=player: world.reply(player, request)  # type: ignore[misc]
        for player in PLAYERS
    }
    return await run(folder, lines, replies, strategies=strategies, **more)


async def run(
    folder: Path, lines: Sequence[Mapping[str, Any]], replies: Mapping[str, Callable[[Request], Script]], **more: Any
) -> dict[str, Any]:
    """Through the real path: a file, a run into a store, and the figures read from it."""
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    spec = {
        "name": "cup",
        "seed": 3,
        "questions": {"file": "questions.jsonl"},
        "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in replies},
        "players": {name: {"model": name} for name in PLAYERS},
        "teams": {"four": {"players": list(PLAYERS), "captain": "each"}},
        "grouping": {"match": "only"},
        **more,
    }
    path = folder / "cup.yaml"
    path.write_text(json.dumps(spec), encoding="utf-8")
    plan = build(read_experiment(path))
    scripted = {name: ScriptedModel(name, reply) for name, reply in replies.items()}
    models = {name: replace(built, model=scripted[name]) for name, built in plan.models.items()}
    store = await plan.store().open()
    try:
        await Runner(replace(plan, models=models), store).run()
        return await store.run(lambda connection: figures(connection, find_experiment(connection, "cup")))
    finally:
        await store.close()


ALL = ("solo", "vote", "silent", "talkative")


@pytest.fixture(scope="module")
def world() -> World:
    return World()


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory, world: World) -> dict[str, Any]:
    """Played once for all who only read it."""
    return asyncio.run(played(tmp_path_factory.mktemp("cup"), world, ALL))


def find(rows: Sequence[Mapping[str, Any]], **wanted: Any) -> Mapping[str, Any]:
    (row,) = [row for row in rows if all(row.get(key) == value for key, value in wanted.items())]
    return row


async def test_there_is_no_nan_in_the_json(shown: dict[str, Any]) -> None:
    text = json.dumps(shown, allow_nan=False)
    assert "NaN" not in text


async def test_accuracy_of_votes_and_captains(shown: dict[str, Any], world: World) -> None:
    for captain in PLAYERS:
        row = find(shown["accuracy"], strategy="vote", captain=captain)
        assert row["value"] == pytest.approx(fmean(world.vote(captain, q) for q in world.drafts))
        for strategy in ("silent", "talkative"):
            row = find(shown["accuracy"], strategy=strategy, captain=captain)
            assert row["value"] == pytest.approx(fmean(world.word_right(strategy, captain, q) for q in world.drafts))


async def test_skyline_and_players(shown: dict[str, Any], world: World) -> None:
    top = fmean(max(world.right(player, q) for player in PLAYERS) for q in world.drafts)
    assert shown["skyline"]["value"] == pytest.approx(top)
    assert shown["skyline"]["n"] == world.count
    single = {player: fmean(world.right(player, q) for q in world.drafts) for player in PLAYERS}
    assert {row["player"]: row["value"] for row in shown["players"]} == pytest.approx(single)
    best = shown["best_single"]
    assert best["value"] == pytest.approx(max(single.values()))
    for strategy in ("silent", "talkative"):
        row = find(shown["gap"], strategy=strategy, captain="ann")
        reached = fmean(world.word_right(strategy, "ann", q) for q in world.drafts)
        assert row["value"] == pytest.approx((reached - best["value"]) / (top - best["value"]))


async def test_diversity(shown: dict[str, Any], world: World) -> None:
    by_d: dict[int, list[str]] = {}
    for question in world.drafts:
        by_d.setdefault(len(world.groups(question)), []).append(question)
    assert {row["d"] for row in shown["diversity"]} == set(by_d)
    for d, questions in by_d.items():
        row = find(shown["diversity"], d=d, strategy="vote")
        assert row["n"] == len(questions)
        assert row["accuracy"] == pytest.approx(fmean(world.vote(c, q) for c in PLAYERS for q in questions))
        row = find(shown["diversity"], d=d, strategy="talkative")
        expected = fmean(world.word_right("talkative", c, q) for c in PLAYERS for q in questions)
        assert row["accuracy"] == pytest.approx(expected)


async def test_self_preference(shown: dict[str, Any], world: World) -> None:
    for strategy in ("silent", "talkative"):
        for captain in (*PLAYERS, None):
            captains = PLAYERS if captain is None else (captain,)
            plays = [(c, q, world.words[strategy, c, q]) for c in captains for q in world.drafts]
            own = [play for play in plays if play[2] == world.drafts[play[1]][play[0]]]
            other = [play for play in plays if play not in own]
            top = [play for play in own if world.groups(play[1])[play[2]] == max(world.groups(play[1]).values())]
            row = find(shown["self_preference"], strategy=strategy, captain=captain)
            assert row["self_choice"] == pytest.approx(len(own) / len(plays))
            assert row["accuracy_self"] == pytest.approx(fmean(word == "paris" for _, _, word in own))
            assert row["accuracy_not_self"] == pytest.approx(fmean(word == "paris" for _, _, word in other))
            assert row["self_and_majority"] == pytest.approx(len(top) / len(own))
            assert row["novel"] == pytest.approx(fmean(word == NEW for _, _, word in plays))
            assert (row["self_choice_count"], row["self_and_majority_count"]) == (len(own), len(top))


async def test_gains_and_comparisons_are_paired(shown: dict[str, Any], world: World) -> None:
    for strategy in ("silent", "talkative"):
        pairs = [(world.word_right(strategy, "bob", q), world.right("bob", q)) for q in world.drafts]
        row = find(shown["gains"], strategy=strategy, captain="bob")
        assert (row["rescues"], row["regressions"]) == (pairs.count((1, 0)), pairs.count((0, 1)))
        assert row["difference"] == pytest.approx(fmean(team - alone for team, alone in pairs))
        assert row["family"] == len(shown["gains"]) == 3 * 5
    row = find(shown["comparisons"], a="talkative@cat", b="vote@cat")
    expected = fmean(world.word_right("talkative", "cat", q) - world.vote("cat", q) for q in world.drafts)
    assert row["difference"] == pytest.approx(expected)
    assert row["test"] == "mcnemar"
    pooled = find(shown["comparisons"], a="talkative", b="vote", captain=None)
    each = [world.word_right("talkative", c, q) - world.vote(c, q) for q in world.drafts for c in PLAYERS]
    assert pooled["difference"] == pytest.approx(fmean(each))
    assert pooled["test"] == "score"
    assert {row["family"] for row in shown["comparisons"]} == {len(shown["comparisons"])} == {3 * 5}


async def test_people_and_categories(shown: dict[str, Any], world: World) -> None:
    rates = {f"q{n}": rate["solved"] / rate["asked"] for n in range(world.count) if (rate := human(n))}
    row = find(shown["human"], strategy="vote", captain="ann")
    assert row["human"] == pytest.approx(fmean(rates.values()))
    assert row["accuracy"] == pytest.approx(fmean(world.vote("ann", q) for q in rates))
    assert row["n"] == len(rates)
    assert shown["diversity_and_people"]["n"] == len(rates)
    odd = [f"q{n}" for n in range(world.count) if n % 2]
    row = find(shown["categories"], category="odd", strategy="vote")
    assert row["accuracy"] == pytest.approx(fmean(world.vote(c, q) for c in PLAYERS for q in odd))


async def test_the_threshold_is_learnt_from_what_is_stored(shown: dict[str, Any], world: World) -> None:
    learnt = shown["talk_threshold"]

    def policy(start: int) -> float:
        return fmean(
            world.word_right("talkative", c, q) if len(world.groups(q)) >= start else world.vote(c, q)
            for q in world.drafts
            for c in PLAYERS
        )

    assert learnt["after_the_fact"] == pytest.approx(max(map(policy, range(1, 6))))
    assert learnt["always_vote"]["accuracy"] == pytest.approx(policy(5))
    assert learnt["always_talk"]["accuracy"] == pytest.approx(policy(1))
    assert learnt["always_talk"]["cost_usd"] == 0.0


async def test_without_solo_the_drafts_say_what_each_would_have_got(
    tmp_path: Path, shown: dict[str, Any], world: World
) -> None:
    (tmp_path / "again").mkdir()
    again = await played(tmp_path / "again", world, ("silent", "talkative"))
    for key in ("skyline", "best_single", "diversity_and_people"):
        assert again[key] == shown[key]
    assert [row["value"] for row in again["players"]] == [row["value"] for row in shown["players"]]
    assert {row["from"] for row in again["players"]} == {"drafts"}
    assert again["self_preference"] == shown["self_preference"], "groups are the same, found from the drafts"
    assert "talk_threshold" not in again


def test_one_team_is_not_named_in_its_own_figures(shown: dict[str, Any]) -> None:
    assert "teams" not in shown
    for family in ("comparisons", "gap", "gains", "diversity"):
        assert shown[family]
        assert all("team" not in row for row in shown[family])
    assert "team" not in shown["skyline"]


async def test_two_teams_are_measured_apart(tmp_path: Path, world: World) -> None:
    teams = {
        "pair": {"players": ["ann", "bob"], "captain": "ann"},
        "four": {"players": list(PLAYERS), "captain": "ann"},
    }
    shown = await played(tmp_path, world, ("solo", "silent", "vote"), teams=teams)
    tops = {each["team"]: each["skyline"]["value"] for each in shown["teams"]}
    assert tops["pair"] == pytest.approx(fmean(max(world.right(p, q) for p in ("ann", "bob")) for q in world.drafts))
    assert tops["four"] == pytest.approx(fmean(max(world.right(p, q) for p in PLAYERS) for q in world.drafts))
    assert [row["team"] for row in shown["comparisons"]] == ["pair", "four"]
    assert {row["family"] for row in shown["comparisons"]} == {2}
    json.dumps(shown, allow_nan=False)


async def test_a_team_without_a_captain_has_no_captains_figures(tmp_path: Path, world: World) -> None:
    teams = {"four": {"players": list(PLAYERS)}}
    shown = await played(tmp_path, world, ("vote",), teams=teams)
    assert {"skyline", "diversity"} <= set(shown)
    assert not {"gains", "comparisons", "self_preference", "talk_threshold"} & set(shown)


async def test_players_alone_have_no_quiz_part(tmp_path: Path, world: World) -> None:
    shown = await played(tmp_path, world, ("solo",))
    assert "skyline" not in shown
    assert "players" not in shown


# --- what no grader could settle ----------------------------------------------------------------------------------------


def judging(verdicts: Mapping[str, bool]) -> Callable[[Request], Script]:
    """A judge with a word on some answers and none on the others."""

    def judge(request: Request) -> Script:
        answers = [each.text for each in read_shown(request.messages)]
        if any(answer not in verdicts for answer in answers):
            return "I cannot tell."
        return {"grades": [{"id": n, "is_correct": verdicts[answer]} for n, answer in enumerate(answers, 1)]}

    return judge


def four(answers: Mapping[str, Sequence[str]]) -> dict[str, Callable[[Request], Script]]:
    def reply(player: str) -> Callable[[Request], Script]:
        return lambda request: {"reasoning": "So.", "answer": answers[player][int(str(request.question_id)[1:])]}

    return {player: reply(player) for player in PLAYERS}


async def test_an_ungraded_answer_is_not_silently_wrong(tmp_path: Path) -> None:
    lines = [{"id": f"q{n}", "text": "Which city?", "answer": "Paris"} for n in range(4)]
    same = ["paris", "metz", "oddity", "lyon"]  # one in four waits for the judge: too many for a figure over the others
    replies = {**four(dict.fromkeys(PLAYERS, same)), "judge": judging({"metz": False, "lyon": False})}
    shown = await run(tmp_path, lines, replies, strategies=["solo", "vote"], judge={"models": ["judge"]})
    row = find(shown["accuracy"], strategy="vote", captain="ann")
    assert (row["value"], row["n"], row["ungraded"], row["bounds"]) == (None, 0, 1, {"low": 0.25, "high": 0.5})
    assert shown["ungraded"] == len(shown["accuracy"])
    assert "disputed" not in shown
    top = shown["skyline"]
    assert (top["value"], top["n"], top["ungraded"], top["bounds"]) == (None, 0, 1, {"low": 0.25, "high": 0.5})
    gain = find(shown["gains"], captain="ann")
    same_words = {"low": 0.0, "high": 0.0}
    assert (gain["n"], gain["ungraded"], gain["bounds"]) == (0, 1, same_words), "whatever a judge will say of them"
    for row in (shown["headline"], *shown["frontier"]):
        assert (row.get("value", row.get("accuracy")), row["n"]) == (None, 0)
        assert row["bounds"] == {"low": 0.25, "high": 0.5}
    assert "1 of 4 answers are ungraded" in shown["headline"]["sentence"]
    assert "got between 25.0 and 50.0 % (bounds) right" in shown["headline"]["sentence"]


async def test_two_judges_and_their_agreement(tmp_path: Path) -> None:
    lines = [{"id": f"q{n}", "text": "Which city?", "answer": "Paris"} for n in range(4)]
    answers = {player: [f"{city} {n}" for n in range(4)] for player, city in zip(PLAYERS, CITIES, strict=True)}
    given = sorted(text for several in answers.values() for text in several)
    first = {text: place < 8 for place, text in enumerate(given)}
    second = {text: place < 8 or place in (9, 10) for place, text in enumerate(given)}
    replies = {**four(answers), "strict": judging(first), "mild": judging(second)}
    shown = await run(tmp_path, lines, replies, strategies=["solo", "vote"], judge={"models": ["strict", "mild"]})
    judges = shown["judges"]
    assert (judges["n"], judges["agreement"], judges["disputed"]) == (16, 14 / 16, 2)
    chance = (8 / 16) * (10 / 16) + (8 / 16) * (6 / 16)
    assert judges["kappa"] == pytest.approx((14 / 16 - chance) / (1 - chance))
    disputed = sum(row["disputed"] for row in shown["accuracy"])
    assert shown["disputed"] == disputed == shown["ungraded"] > 0


@pytest.mark.long
async def test_repeats_that_never_differ_are_repeats(tmp_path: Path) -> None:
    """A question's value is a mean then, though all of them are 0 or 1: no McNemar, in no comparison."""
    said = {"hypotheses": ["accuracy(talkative@ann) - accuracy(vote@ann) > 0"], "primary": "talkative@ann"}
    once = await played(tmp_path, World(), ("solo", "vote", "talkative"), **said)
    (tmp_path / "twice").mkdir()
    twice = await played(tmp_path / "twice", World(), ("solo", "vote", "talkative"), repeats=2, **said)
    for shown, test in ((once, "mcnemar"), (twice, "score")):
        assert {row["test"] for key in ("gains", "comparisons") for row in shown[key] if row["captain"]} == {test}
        assert {row["test"] for key in ("gains", "comparisons") for row in shown[key] if not row["captain"]} == {
            "score"
        }
        assert shown["hypotheses"][0]["test"] == test
        assert shown["headline"]["over_captain"]["test"] == test
        assert shown["headline"]["over_best_single"]["test"] == ("mcnemar" if test == "mcnemar" else "score")
    mine, theirs = (find(shown["gains"], strategy="talkative", captain="ann") for shown in (once, twice))
    assert mine["difference"] == theirs["difference"]
    assert theirs["p"] == pytest.approx(mine["p"], abs=0.02)
    assert "power" in once
    assert "power" not in twice, "without single pairs there is no discordance"


def at_d(world: World, d: int) -> list[str]:
    return [question for question in world.drafts if len(world.groups(question)) == d]


async def test_diversity_captain_by_captain(shown: dict[str, Any], world: World) -> None:
    levels = {len(world.groups(question)) for question in world.drafts}
    assert {(row["d"], row["captain"]) for row in shown["diversity_captains"]} == {
        (d, c) for d in levels for c in PLAYERS
    }
    for d in levels:
        row = find(shown["diversity_captains"], d=d, strategy="talkative", captain="cat")
        assert row["accuracy"] == pytest.approx(fmean(world.word_right("talkative", "cat", q) for q in at_d(world, d)))
        row = find(shown["diversity_captains"], d=d, strategy="vote", captain="bob")
        assert row["accuracy"] == pytest.approx(fmean(world.vote("bob", q) for q in at_d(world, d)))
        assert row["n"] == len(at_d(world, d))
    (section,) = (each for each in quiz_sections(shown) if each.id == "diversity-captains")
    assert section.chart is not None
    assert (section.chart.series, section.chart.panel) == ("label", "captain")


async def test_talking_less_voting_at_each_number_of_answers(shown: dict[str, Any], world: World) -> None:
    """The strategy that hears reasons against the one that counts, captain by captain and over all of them."""
    rows = shown["talk_by_diversity"]
    levels = {len(world.groups(question)) for question in world.drafts}
    assert {(row["a"], row["b"]) for row in rows} == {("talkative", "vote")}
    assert {row["family"] for row in rows} == {len(rows)} == {len(levels) * (len(PLAYERS) + 1)}
    for d in levels:
        pairs = [(world.word_right("talkative", "dan", q), world.vote("dan", q)) for q in at_d(world, d)]
        row = find(rows, d=d, captain="dan")
        assert row["difference"] == pytest.approx(fmean(talk - vote for talk, vote in pairs))
        assert (row["rescues"], row["regressions"]) == (pairs.count((1, 0)), pairs.count((0, 1)))
        assert (row["n"], row["test"]) == (len(pairs), "mcnemar")
        pooled = find(rows, d=d, captain=None)
        each = [world.word_right("talkative", c, q) - world.vote(c, q) for q in at_d(world, d) for c in PLAYERS]
        assert pooled["difference"] == pytest.approx(fmean(each))
        assert pooled["test"] == "score"
    (section,) = (each for each in quiz_sections(shown) if each.id == "talk-by-diversity")
    assert section.chart is not None
    assert section.chart.kind == "lines"
    assert {row["captain"] for row in section.rows} == {*PLAYERS, "all"}


async def test_diversity_by_difficulty_is_drawn_with_people_beside(shown: dict[str, Any]) -> None:
    (section,) = (each for each in quiz_sections(shown) if each.id == "diversity-by-difficulty")
    assert section.chart is not None
    assert (section.chart.kind, section.chart.panel) == ("lines", "difficulty")
    people = [row for row in section.rows if row["label"] == "people"]
    figures_rows = shown["diversity_by_difficulty"]
    assert {(row["difficulty"], row["d"]): row["accuracy"] for row in people} == {
        (row["difficulty"], row["d"]): row["human"] for row in figures_rows
    }
    assert len(people) == len({(row["difficulty"], row["d"]) for row in figures_rows})
    rho = shown["diversity_and_people"]
    (sentence,) = (each for each in section.words if "Spearman" in each)
    assert f"{rho['rho']:.2f}" in sentence
    assert f", p {rho['p']:.3f}." in sentence
