"""Words that are missing, be it because of what they would have said: no claim is made that they would turn, on either side."""

from __future__ import annotations

import itertools
import json
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from moot.cli.app import app
from moot.cli.conditions import judged
from moot.cli.exit import run_app
from moot.experiment.spec import read_experiment
from moot.grade.prefer import text_digest
from moot.live.team import LiveTeam
from moot.measures.preferences.options import missing_told
from moot.serve.paid_off import most_preferred
from moot.stats.missing_words import LOST, WON, MissingWords
from moot.stats.preference import Preferences, PreferenceWord
from moot.stats.ratings import MISSING_WORDS, ratings, steady_ratings

QUESTIONS = 40
PLAYERS = ("ann", "bob")
JUDGES = ("ivy", "jim")
Verdict = Callable[[int, str, str, int], float | None]
"""By question, captain, judge and place: 1 where the team's text is preferred, 0 where the other; None: no word."""
CLAIMED = ("value", "low", "high", "raw")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A declared side of two captains, so of two plays on each question, beside a baseline."""
    folder = tmp_path_factory.mktemp("missing")
    rows = [{"id": f"q{n:02}", "text": f"Write a plan, number {n}.", "kind": "text"} for n in range(QUESTIONS)]
    (folder / "plans.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    models = {name: {"provider": "simulated", "accuracy": 0.5, "words": 200} for name in (*PLAYERS, *JUDGES)}
    spec = {
        "name": "plans",
        "seed": 5,
        "questions": {"file": "plans.jsonl"},
        "models": models,
        "teams": {"two": {"players": [*PLAYERS], "captain": "each"}},
        "strategies": ["talkative"],
        "primary": "talkative",
        "baseline": "bob",
        "judge": {"models": [*JUDGES], "pairwise": True},
    }
    path = folder / "plans.yaml"
    path.write_text(yaml.safe_dump(spec, sort_keys=False), encoding="utf-8")
    assert run_app(app, ["run", str(path), "--quiet"]) == 0
    return path


def say(file: Path, verdict: Verdict) -> None:
    """Put these words in place of those of the judges, on texts of one length, so that nothing hangs on it."""
    with closing(sqlite3.connect(file.with_suffix(".db"))) as store, store:
        names = [column[1] for column in store.execute("pragma table_info(preferences)")]
        by_judge = {
            row[names.index("judge_name")]: dict(zip(names, row, strict=True))
            for row in store.execute("select * from preferences")
        }
        cells = store.execute("select id, coalesce(captain, ''), coalesce(player, '') from cells").fetchall()
        questions = sorted(question for (question,) in store.execute("select distinct question from episodes"))
        for cell, captain, player in cells:
            for question in questions:
                text = text_of(question, captain, player)
                store.execute("update episodes set answer = ? where cell = ? and question = ?", (text, cell, question))
        store.execute("delete from preferences")
        for n, question in enumerate(questions):
            other = text_digest(text_of(question, "", "bob"))
            for captain, judge, place in itertools.product(PLAYERS, JUDGES, (1, -1)):
                shown = [text_digest(text_of(question, captain, "")), other][::place]
                liked = verdict(n, captain, judge, place)
                said = None if liked is None else "first" if (liked == 1) == (place == 1) else "second"
                row = {
                    **by_judge[judge],
                    "question": question,
                    "first": shown[0],
                    "second": shown[1],
                    "preferred": said,
                }
                store.execute(f"insert into preferences values ({', '.join('?' * len(names))})", [*row.values()])


def text_of(question: str, captain: str, player: str) -> str:
    return f"Of {question} this is what {captain or 'nobody'} decided and {player or 'everybody'} wrote."


def one_of_two_judges(n: int, captain: str, judge: str, place: int) -> float | None:
    if judge == "ivy":
        return float(n % 5 < 3)
    return 1.0 if n // 5 % 2 else None


def each_lost_word(n: int, captain: str, judge: str, place: int) -> float | None:
    return 1.0 if n % 4 == 0 or (n % 4 == 1 and place == 1) or (n % 4 == 2 and place == -1) else None


def one_of_two_plays(n: int, captain: str, judge: str, place: int) -> float | None:
    return None if captain == "bob" else float(n % 20 != 7)


def few(n: int, captain: str, judge: str, place: int) -> float | None:
    return None if n < 2 and judge == "jim" else float(n % 10 != 5)


def swapped(verdict: Verdict) -> Verdict:
    """Whatever was won is lost."""

    def other(n: int, captain: str, judge: str, place: int) -> float | None:
        liked = verdict(n, captain, judge, place)
        return None if liked is None else 1 - liked

    return other


def told(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str]:
    capsys.readouterr()
    code = run_app(app, [str(word) for word in words])
    shown = capsys.readouterr()
    return code, " ".join((shown.out + shown.err).split())


def reported(file: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    capsys.readouterr()
    assert run_app(app, ["report", str(file), "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize(
    ("verdict", "truth"),
    [(one_of_two_judges, 0.55), (each_lost_word, 0.5), (one_of_two_plays, 0.475)],
    ids=["of one of two judges", "each lost word of both", "of one of two plays on every question"],
)
def test_nothing_is_claimed_that_the_missing_words_would_turn_and_no_gate_opens(
    verdict: Verdict, truth: float, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values = []
    for said, claim, counted in ((verdict, "better", "lost"), (swapped(verdict), "worse", "won")):
        say(file, said)
        figures = reported(file, capsys)
        preferred, primary = figures["headline"]["preferred"], figures["preferences"]["primary"]
        (pair,) = primary["pairs"]
        missing = pair["missing"]
        assert preferred["missing"] == missing > 50
        words = f"the {missing} missing judgements"
        for row in (preferred, primary):
            assert (row["better"], row["worse"], row["but_for_ungraded"]) == (False, False, claim)
            assert row["low"] > 0.5 if claim == "better" else row["high"] < 0.5, "it would be, of what was heard"
            assert row["why"] == f"{words} could reverse it"
        ends = (pair["bounds"]["low"], 1 - pair["bounds"]["high"])
        assert ends[claim == "worse"] == pytest.approx(truth if verdict is not one_of_two_judges else 0.55, abs=1e-9)
        values.append((preferred["value"], pair["if_lost"], pair["if_won"]))
        for option in figures["preferences"]["options"]:
            assert not option["missing"] or not (option["better"] or option["worse"])
            assert option["p"] is None or ("why" in option) == ("but_for_ungraded" in option)
        assert all(not row["low"] or row["low"] <= 0 <= row["high"] for row in figures["preferences"]["ratings"][2:])
        code, page = told(capsys, "report", file, "--fail-under", "preferences.primary.low>0.01")
        assert code == 1
        assert f"with {words} counted as {counted}: " in page
        assert f"with {words} counted as {counted}: " in figures["headline"]["sentence"]
        about = ["headline.preferred"] * 4 + ["preferences.primary"] * 3
        for where, key in zip(about, (*CLAIMED, *CLAIMED[:3]), strict=True):
            for compared in (">0.01", "<0.99"):
                (shut,) = judged([f"{where}.{key}{compared}"], figures)
                assert f"({words} could reverse it)" in shut.words
                assert not shut.holds
        live = LiveTeam(read_experiment(file, with_questions=False), serving=True)
        of = {**preferred, "of": "talkative@ann"}
        line = most_preferred(of, live.whole).words
        assert line is not None
        assert f"cannot be told with {words} counted as {counted}" in line
    (one, lost, won), (other, other_lost, other_won) = values
    assert other == pytest.approx(1 - one, abs=1e-6)
    for here, there in ((lost, other_won), (won, other_lost)):
        if here["value"] is None:
            assert there["value"] is None
            continue
        mirrored = [1 - there[key] for key in ("value", "high", "low")]
        assert [here[key] for key in ("value", "low", "high")] == pytest.approx(mirrored, abs=1e-6)


def test_a_claim_that_they_cannot_turn_stands_on_either_side(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for verdict, claim in ((few, "better"), (swapped(few), "worse")):
        say(file, verdict)
        figures = reported(file, capsys)
        preferred = figures["headline"]["preferred"]
        assert preferred[claim]
        assert preferred["missing"] == 8
        assert "why" not in preferred
        assert (
            f"with the 8 missing judgements counted as {'lost' if claim == 'better' else 'won'}"
            in figures["headline"]["words"][-1]
        )
        gate = "headline.preferred.low>0.5" if claim == "better" else "headline.preferred.high<0.5"
        assert told(capsys, "report", file, "--fail-under", gate)[0] == 0


PAIR = ("team", "ann")


def drawn(seed: int) -> tuple[list[PreferenceWord], list[PreferenceWord]]:
    """Judges with habits, texts of any length, several plays a question: what was heard, and what is missing."""
    draw = random.Random(seed)
    heard, missing = [], []
    for n in range(24):
        for play in range(draw.randint(1, 2)):
            longer = draw.gauss(0.2, 0.6)
            for judge in JUDGES:
                for place in (1, -1):
                    liked = float(draw.random() < 0.55 + 0.15 * place + 0.1 * longer)
                    word = PreferenceWord(f"q{n}", PAIR, play, judge, liked, place, longer)
                    (missing if draw.random() < 0.15 else heard).append(word)
    return heard, missing


@pytest.mark.parametrize("seed", range(3))
def test_swapping_the_sides_mirrors_what_missing_words_could_make_of_a_share(seed: int) -> None:
    heard, missing = drawn(seed)
    seen = 0
    one = MissingWords(Preferences(heard), missing)
    other = MissingWords(Preferences([replace(word, liked=1 - word.liked) for word in heard]), missing)
    turned = [replace(word, liked=1 - word.liked, place=-word.place, doublings=-word.doublings) for word in heard]
    gone = [replace(word, place=-word.place, doublings=-word.doublings) for word in missing]
    for mirror in (other, MissingWords(Preferences(turned), gone)):
        for liked in (LOST, WON):
            here, there = one.rate(PAIR, liked), mirror.rate(PAIR, 1 - liked)
            raw = one.as_judged(PAIR, liked).value
            assert raw == pytest.approx(1 - mirror.as_judged(PAIR, 1 - liked).value)
            assert (here is None) == (there is None)
            if here is None or there is None:
                continue
            seen += 1
            assert here.value == pytest.approx(1 - there.value, abs=1e-6)
            low, high = there.limits(0.05) or (0.0, 0.0)
            assert here.limits(0.05) == pytest.approx((1 - high, 1 - low), abs=1e-6)
    assert seen
    values = [rate.value for rate in (one.rate(PAIR, LOST), one.heard.rate(PAIR), one.rate(PAIR, WON)) if rate]
    assert values == sorted(values)


def test_no_rating_is_told_as_above_another_that_missing_words_would_turn() -> None:
    def world(part: float) -> MissingWords:
        heard, missing = [], []
        for n in range(60):
            for place in (1, -1):
                gone = n >= 60 * (1 - part)
                word = PreferenceWord(f"q{n}", PAIR, 0, "ivy", float(n % 5 != 0), place)
                (missing if gone else heard).append(word)
        return MissingWords(Preferences(heard), missing)

    for part, kept in ((0.0, True), (0.05, True), (0.4, False)):
        words = world(part)
        before = ratings(words.heard, ["ann"])
        assert before[1].low is not None
        assert before[1].low > 0
        rating = steady_ratings(before, words)[1]
        assert (rating.value is not None) is kept
        assert rating.why == (None if kept else MISSING_WORDS)


@pytest.mark.parametrize(
    ("missing", "opponents", "said"),
    [
        (1, 1, "the one missing judgement"),
        (1_024, 1, "the 1,024 missing judgements"),
        (2, 3, "the missing judgements, up to 2 against one opponent,"),
    ],
)
def test_how_many_judgements_are_missing_is_said_in_plain_words(missing: int, opponents: int, said: str) -> None:
    assert missing_told({"missing": missing, "opponents": opponents}) == said
