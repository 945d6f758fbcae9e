"""Long answers compared two by two, from the file to the report: through the commands, with simulated players and judges."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.engine.preferences import record_preference
from moot.errors import UsageError
from moot.report.page.picture import picture
from moot.report.page.verdict import warnings
from moot.store import store_at

PLAYERS: dict[str, dict[str, Any]] = {
    "ann": {"provider": "simulated", "accuracy": 0.6, "words": 30},
    "bob": {"provider": "simulated", "accuracy": 0.5, "words": 15},
}
JUDGES: dict[str, dict[str, Any]] = {
    "ivy": {"provider": "simulated", "accuracy": 0.5, "position_bias": 0.8, "length_bias": 0.8},
    "jim": {"provider": "simulated", "accuracy": 0.5, "blur": 0.3},
}


def written(folder: Path, questions: int = 8, **keys: Any) -> Path:
    rows = [{"id": f"q{n}", "text": f"Write a plan, number {n}.", "kind": "text"} for n in range(questions)]
    (folder / "plans.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    spec: dict[str, Any] = {
        "name": "plans",
        "seed": 5,
        "questions": {"file": "plans.jsonl"},
        "models": {**PLAYERS, **JUDGES},
        "teams": {"two": {"players": ["ann", "bob"], "captain": "ann"}},
        "strategies": ["talkative"],
        "judge": {"models": ["ivy", "jim"], "pairwise": True},
    }
    path = folder / "plans.yaml"
    path.write_text(yaml.safe_dump({**spec, **keys}, sort_keys=False), encoding="utf-8")
    return path


def moot(*words: str | Path) -> int:
    return run_app(app, [str(word) for word in words])


def reported(path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    capsys.readouterr()
    assert moot("report", path, "--json") == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def rows_of(path: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path.parent / "plans.db")) as store:
        return store.execute(query).fetchall()


def played(folder: Path, capsys: pytest.CaptureFixture[str], questions: int = 8, **keys: Any) -> dict[str, Any]:
    path = written(folder, questions, **keys)
    assert moot("run", path, "--quiet") == 0
    return reported(path, capsys)


ASKED = "SELECT count(*), count(DISTINCT judge), count(DISTINCT call_key) FROM preferences"


def test_every_judge_sees_every_pair_in_both_orders_and_is_asked_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = played(tmp_path, capsys)
    path = tmp_path / "plans.yaml"
    ((words, judges, calls),) = rows_of(path, ASKED)
    assert judges == 2
    assert words == calls == figures["preferences"]["words"] <= 8 * 2 * 2 * 2
    both = """SELECT count(*) FROM preferences a JOIN preferences b
        ON a.first = b.second AND a.second = b.first AND a.judge = b.judge"""
    assert rows_of(path, both) == [(words,)]
    assert {row["player"] for row in figures["accuracy"] if row.get("player")} == {"ann", "bob"}, "they are provided"
    before = rows_of(path, "SELECT count(*) FROM calls")
    assert moot("run", path, "--quiet") == 0
    assert moot("grade", path) in (0, 1)
    assert rows_of(path, "SELECT count(*) FROM calls") == before
    assert rows_of(path, ASKED) == [(words, judges, calls)]


def test_the_estimate_counts_what_judges_will_be_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path)
    capsys.readouterr()
    assert moot("run", path, "--estimate") == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    told = {row[0]: int(row[1]) for row in rows if row and row[0] in JUDGES}
    assert moot("run", path, "--quiet") == 0
    made = dict(rows_of(path, "SELECT model, count(*) FROM calls GROUP BY model"))
    assert told == {name: made[name] for name in JUDGES}


def test_a_judge_that_fails_leaves_no_word_and_is_asked_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mute = {**JUDGES, "jim": {**JUDGES["jim"], "refuse": 0.5}}
    figures = played(tmp_path, capsys, models={**PLAYERS, **mute})
    found, path = figures["preferences"], tmp_path / "plans.yaml"
    missing = rows_of(path, "SELECT count(*), min(tries) FROM preferences WHERE preferred IS NULL")
    assert missing == [(found["without_word"], 1)]
    assert found["without_word"] > 0
    assert found["words"] + found["without_word"] == 2 * found["compared"]
    assert all(row["ungraded"] == 0 for row in found["pairs"]), "the other judge has a word on each"
    assert any("without a judge's verdict" in words for words in figures["headline"]["words"])
    assert moot("run", path, "--quiet") == 0
    assert rows_of(path, "SELECT min(tries) FROM preferences WHERE preferred IS NULL") == [(2,)]


def test_what_nobody_said_anything_of_is_ungraded_and_bounds_the_share(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    only = {"jim": {**JUDGES["jim"], "refuse": 0.5}}
    figures = played(tmp_path, capsys, models={**PLAYERS, **only}, judge={"models": ["jim"], "pairwise": True})
    row = figures["preferences"]["pairs"][0]
    assert 0 < row["ungraded"] < row["plays"] == 8
    assert row["n"] == row["plays"] - row["ungraded"]
    assert row["bounds"]["low"] == pytest.approx(row["raw"] * row["n"] / 8)
    assert row["bounds"]["high"] == pytest.approx((row["raw"] * row["n"] + row["ungraded"]) / 8)


def test_equal_texts_are_a_tie_and_any_text_beats_none_without_a_call(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The winner of a council of two is drawn by lot: half of its texts are one player's own. A mute player loses."""
    mute = {**PLAYERS, "bob": {**PLAYERS["bob"], "refuse": 1.0}}
    figures = played(tmp_path, capsys, models={**mute, **JUDGES}, strategies=[{"council": {"final": "winner"}}])
    found = figures["preferences"]
    by_opponent = {row["against_player"]: row for row in found["pairs"]}
    assert found["words"] == found["compared"] == 0
    assert found["settled"] == 16
    assert (by_opponent["ann"]["ties"], by_opponent["ann"]["value"]) == (8, 0.5)
    assert (by_opponent["bob"]["wins"], by_opponent["bob"]["value"]) == (8, 1.0)


def test_a_baseline_is_the_only_opponent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = played(tmp_path, capsys, baseline="bob", strategies=["talkative", "council"])
    found = figures["preferences"]
    assert found["baseline"] == "solo@bob"
    assert {row["against"] for row in found["pairs"]} == {"solo@bob"}
    assert "the baseline, bob" in figures["headline"]["sentence"]
    bounded = any(row["low"] and row["high"] < 1 for row in found["pairs"])
    assert [row["of"] for row in found["ratings"] if row["anchor"]] == (["solo@bob"] if bounded else [])
    assert all(("why" in row) == (row["value"] is None) for row in found["ratings"])
    other = tmp_path / "other"
    other.mkdir()
    told = played(other, capsys, baseline="talkative@ann", strategies=["talkative", "council"])
    assert {(row["of"], row["against"]) for row in told["preferences"]["pairs"]} == {("council@ann", "talkative@ann")}
    assert not any(row.get("player") for row in told["accuracy"]), "nobody needs the players alone"


def clear_win(folder: Path, capsys: pytest.CaptureFixture[str], **keys: Any) -> dict[str, Any]:
    """A captain that can always tell writes as well as the best of three, of whom each is the best as often."""
    able = {
        name: {"provider": "simulated", "accuracy": 0.5, "words": 20, "correlation": 0.0}
        for name in ("ann", "bob", "cat")
    }
    able["ann"]["power"] = 1.0
    sharp = {"jim": {"provider": "simulated", "accuracy": 0.5, "blur": 0.1, "position_bias": 0.5}}
    keys = {"teams": {"three": {"players": [*able], "captain": "ann"}}, "primary": "talkative@ann", **keys}
    judge = {"models": ["jim"], "pairwise": True}
    return played(folder, capsys, 40, models={**able, **sharp}, judge=judge, **keys)


def test_better_than_every_member_is_said_with_how_much_and_at_what_cost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = clear_win(tmp_path, capsys)
    said, preferred = figures["headline"]["words"][0], figures["headline"]["preferred"]
    assert preferred["better"]
    assert preferred["low"] > 0.5
    assert "were preferred to those of every one of its 3 members: least clearly to " in said
    assert "declared in advance" in said
    assert "4.0 × the calls" in said
    pairs = figures["preferences"]["pairs"]
    least_sure = max(pairs, key=lambda row: row["p"])
    one = ("against", "value", "low", "p")
    assert [preferred[key] for key in one] == [least_sure[key] for key in one], "of whom it is least sure decides"
    assert preferred["high"] > least_sure["high"], "it pays for looking at three members, to be worse than one"
    capsys.readouterr()
    assert moot("report", tmp_path / "plans.yaml") == 0
    shown = capsys.readouterr().out
    assert len(shown.splitlines()) <= 25
    assert said.split(",")[0].split("\n")[0][:60] in shown
    assert "long answers without a grade" not in shown


def test_options_that_nobody_declared_are_paid_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = clear_win(tmp_path, capsys, strategies=["talkative", "council", "peer-review"], primary=None)
    options = figures["preferences"]["options"]
    preferred = figures["headline"]["preferred"]
    assert {row["family"] for row in options} == {len(options)}
    assert len(options) > 1
    assert all(row["p_holm"] >= row["p"] for row in options)
    assert all(row["low_holm"] <= row["low"] for row in options)
    nearest = next(row for row in options if row["of"] == preferred["of"])
    assert (preferred["low"], preferred["p"]) == (nearest["low_holm"], nearest["p_holm"])
    assert any("picked afterwards" in words for words in figures["headline"]["words"])


def test_a_primary_over_several_captains_is_one_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    teams = {"two": {"players": ["ann", "bob"], "captain": "each"}}
    figures = played(tmp_path, capsys, teams=teams, primary="talkative")
    primary = figures["preferences"]["primary"]
    assert primary["captains"] == 2
    assert figures["headline"]["preferred"]["of"] == "talkative"
    assert "averaged over its 2 captains" in figures["headline"]["sentence"]
    by_captain = [row for row in figures["preferences"]["pairs"] if row["against"] == primary["against"]]
    pooled = next(row for row in primary["pairs"] if row["against"] == primary["against"])
    assert pooled["raw"] == pytest.approx(sum(row["raw"] for row in by_captain) / 2)


def prefer_as_person(path: Path, **words: Any) -> None:
    async def say() -> None:
        store = await store_at(f"sqlite:///{path}").open()
        try:
            await store.run(partial(record_preference, **words))
        finally:
            await store.close()

    asyncio.run(say())


def test_a_person_counts_as_a_judge(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    played(tmp_path, capsys)
    path = tmp_path / "plans.yaml"
    query = """SELECT a.question, a.answer, b.answer FROM episodes a JOIN episodes b ON a.question = b.question
        JOIN cells c ON c.id = a.cell AND c.player IS NULL JOIN cells d ON d.id = b.cell AND d.player = 'bob'"""
    texts = rows_of(path, query)

    for question, team, other in texts:
        prefer_as_person(
            tmp_path / "plans.db", question=question, first=other, second=team, preferred="second", person="eve"
        )
    found = reported(path, capsys)["preferences"]
    assert found["judges"] == ["ivy", "jim", "person:eve"]
    assert found["words"] == 2 * found["compared"] + 8
    habit = next(row for row in found["habits"] if row["judge"] == "person:eve")
    assert (habit["first"], habit["words"], habit["flips"]) == (0.0, 8, None)
    assert {tuple(row["judges"]) for row in found["agreement"]} == {
        ("ivy", "jim"), ("ivy", "person:eve"), ("jim", "person:eve")
    }  # fmt: skip


def eve_votes(path: Path, player: str, *, against: bool) -> None:
    """Of the team's texts beside a player's, eight times."""
    query = f"""SELECT a.question, a.answer, b.answer FROM episodes a JOIN episodes b ON a.question = b.question
        JOIN cells c ON c.id = a.cell AND c.player IS NULL JOIN cells d ON d.id = b.cell AND d.player = '{player}'
        WHERE a.answer != b.answer ORDER BY a.question LIMIT 8"""
    for number, (question, team, other) in enumerate(rows_of(path, query)):
        shown = [team, other] if number % 2 else [other, team]
        preferred = ("first", "second")[shown.index(other if against else team)]
        said = {"question": question, "first": shown[0], "second": shown[1], "preferred": preferred, "person": "eve"}
        prefer_as_person(path.with_suffix(".db"), **said)


def test_the_words_that_are_told_are_those_that_would_overturn_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = clear_win(tmp_path, capsys)["preferences"]["pairs"]
    by_doubt = [pair["against_player"] for pair in sorted(pairs, key=lambda pair: (pair["p"], -pair["value"]))]
    path = tmp_path / "plans.yaml"
    eve_votes(path, by_doubt[-1], against=False)
    eve_votes(path, by_doubt[0], against=True)
    headline = reported(path, capsys)["headline"]
    assert headline["preferred"]["overturned"]
    assert headline["preferred"]["against_player"] == by_doubt[0]
    assert "the texts were preferred in 0.0 % (" in headline["sentence"]


@pytest.mark.parametrize("against", [True, False])
def test_votes_of_persons_that_the_share_leaves_out_are_said_and_overturn_it(
    against: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = clear_win(tmp_path, capsys, baseline="bob")["headline"]["preferred"]
    assert before["better"]
    assert "left_out" not in before
    path = tmp_path / "plans.yaml"
    eve_votes(path, "bob", against=against)
    headline = reported(path, capsys)["headline"]
    after, told = headline["preferred"], headline["sentence"]
    assert (after["uncorrected"], after["persons"]["words"], after["models"]["n"]) == (8, 8, 40)
    assert (after["left_out"]["value"], after["left_out"]["persons"]) == (float(not against), 8)
    assert after["value"] == pytest.approx(before["value"], abs=0.02)
    assert "without 8 judgements of people" in headline["words"][0]
    assert f"the texts were preferred in {'0.0' if against else '100.0'} % (" in told
    assert after["better"] is not against
    assert ("were preferred to those of the baseline" in told) is not against
    assert ("With them counted on every question it would be overturned, so nothing is claimed" in told) is against
    assert (after["low"] is None) is against
    gate = moot("report", path, "--fail-under", "headline.preferred.low>0.5")
    assert (gate != 0) is against
    capsys.readouterr()
    moot("runs", path)
    assert "without 8 judgements of people" in " ".join(capsys.readouterr().out.split())


def silenced(path: Path, questions: int) -> None:
    """The judge has said nothing usable of the first so many questions, in either order."""
    first = f"SELECT DISTINCT question FROM preferences ORDER BY question LIMIT {questions}"
    with closing(sqlite3.connect(path.with_suffix(".db"))) as store, store:
        store.execute(f"UPDATE preferences SET preferred = NULL WHERE question IN ({first})")


@pytest.mark.parametrize(
    ("keys", "apart", "silence"),
    [
        ({"baseline": "bob"}, "those of the baseline, bob", "the {} missing judgements"),
        (
            {"primary": None},
            "those of every one of its members",
            "the missing judgements, up to {} against one opponent,",
        ),
    ],
    ids=["a declared one", "several opponents"],
)
def test_a_claim_that_only_the_plays_without_a_word_prevent_says_that_they_count_as_lost(
    keys: dict[str, Any], apart: str, silence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clear_win(tmp_path, capsys, **keys)
    path = tmp_path / "plans.yaml"
    silenced(path, 2)
    figures = reported(path, capsys)
    preferred, words = figures["headline"]["preferred"], figures["headline"]["words"]
    silent = silence.format(4)
    missing = figures["preferences"]["without_word"]
    assert preferred["better"]
    assert "but_for_ungraded" not in preferred
    assert words[-1] == (
        f"{missing} comparisons without a judge's verdict: the share leaves them out, and a claim must hold even with {silent}"
        " counted as lost."
    )
    silenced(path, 10)
    figures = reported(path, capsys)
    preferred, words = figures["headline"]["preferred"], figures["headline"]["words"]
    assert (preferred["better"], preferred["ungraded"]) == (False, 0.25)
    assert preferred["low"] > 0.5, "of what is left it would be"
    assert preferred["but_for_ungraded"] == "better"
    silent = silence.format(20)
    assert f" cannot be told apart from {apart}, with {silent} counted as lost: " in words[0]
    assert "but not clearly to all" not in words[0]
    missing = figures["preferences"]["without_word"]
    assert words[-1] == f"{missing} comparisons without a judge's verdict: the share leaves them out."
    assert preferred["why"] == f"{silent} could reverse it"
    assert moot("report", path, "-o", path.with_suffix(".html")) == 0
    assert f"{silent} counted as lost" in path.with_suffix(".html").read_text(encoding="utf-8")
    assert moot("report", path, "--fail-under", "headline.preferred.low>0.5") == 1, (
        "no gate opens on what is not claimed"
    )
    shown = capsys.readouterr()
    assert f"({silent} could reverse it)" in " ".join(shown.err.split())
    assert f"{silent} counted as lost" in " ".join(shown.out.split())
    assert moot("report", path, "--section", "preference-options") == 0
    told = " ".join(capsys.readouterr().out.split())
    assert f"not better for sure, with {silent} counted as lost" in told


def told_of_one_pair(figures: dict[str, Any]) -> None:
    """Of one option: each row and the headline have the figures of the pair that they name."""
    found, preferred = figures["preferences"], figures["headline"]["preferred"]
    (option,) = found["options"]
    pair = next(pair for pair in found["pairs"] if pair["against"] == option["against"])
    assert {key: option[key] for key in ("value", "low", "high", "p")} == {
        key: pair[key] for key in ("value", "low", "high", "p")
    }
    assert [preferred[key] for key in ("against", "against_player", "value", "raw")] == [
        pair[key] for key in ("against", "against_player", "value", "raw")
    ]
    assert preferred.get("left_out") == pair.get("left_out")
    claims_nothing = "overturned" in option
    assert option.get("overturned") == preferred.get("overturned") == (pair["overturned"] if claims_nothing else None)
    ends = [None] * 2 if claims_nothing else [pair[key] for key in ("low", "p")]
    assert [option[key] for key in ("low_holm", "p_holm")] == ends
    assert [preferred[key] for key in ("low", "p")] == ends
    assert preferred["high"] == option["high_holm"]
    if claims_nothing:
        assert preferred["high"] is None
    else:
        assert preferred["high"] >= pair["high"]
        below = preferred["worse"] or preferred.get("but_for_ungraded") == "worse"
        assert (preferred["high"] < 0.5) is below, "an interval below a half that no sentence claims"


def test_a_member_whom_nothing_is_claimed_of_anyway_is_the_reason_and_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    able = {
        name: {"provider": "simulated", "accuracy": accuracy, "words": 20, "correlation": 0.0, "power": 0.3}
        for name, accuracy in (("ann", 0.5), ("bob", 0.3), ("cat", 0.55))
    }
    keys: dict[str, Any] = {"models": {**able, "jim": {"provider": "simulated", "accuracy": 0.5, "blur": 0.4}}}
    keys |= {"teams": {"three": {"players": [*able], "captain": "ann"}}, "judge": {"models": ["jim"], "pairwise": True}}
    played(tmp_path, capsys, 40, **keys)
    path = tmp_path / "plans.yaml"
    eve_votes(path, "bob", against=True)
    figures = reported(path, capsys)
    by_player = {pair["against_player"]: pair for pair in figures["preferences"]["pairs"]}
    assert by_player["bob"]["overturned"]
    assert by_player["bob"]["p"] < 0.05 < max(pair["p"] for pair in by_player.values()), (
        "else there is nothing to see here"
    )
    assert figures["headline"]["preferred"]["p"] == max(pair["p"] for pair in by_player.values())
    assert "overturned" not in figures["headline"]["preferred"]
    told_of_one_pair(figures)


def test_words_that_would_not_overturn_a_claim_are_not_said_to(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of four who judge on every question a fifth cannot overturn 76 %, whatever it says."""
    names = ("jim", "joe", "jay", "jil")
    judges = {name: {"provider": "simulated", "accuracy": 0.5, "blur": 0.3, "position_bias": 0.3} for name in names}
    able = {
        name: {"provider": "simulated", "accuracy": 0.5, "words": 20, "correlation": 0.0, "power": power}
        for name, power in (("ann", 1.0), ("bob", 0.1), ("cat", 0.1))
    }
    keys: dict[str, Any] = {"models": {**able, **judges}, "judge": {"models": [*names], "pairwise": True}}
    played(tmp_path, capsys, 60, teams={"three": {"players": [*able], "captain": "ann"}}, **keys)
    path = tmp_path / "plans.yaml"
    eve_votes(path, "bob", against=True)
    figures = reported(path, capsys)
    told_of_one_pair(figures)
    preferred, sentence = figures["headline"]["preferred"], figures["headline"]["sentence"]
    assert (preferred["against_player"], preferred["overturned"]) == ("bob", "by themselves")
    assert "it would be overturned" not in sentence
    assert "by themselves they are surely on the other side, so nothing is claimed" in sentence
    capsys.readouterr()
    assert moot("report", path, "--section", "preference-options") == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "talkative@ann against solo@bob: nothing is claimed, since the judgements that the share leaves out" in shown
    assert "<0.001" not in shown


def test_a_persons_word_is_checked(tmp_path: Path) -> None:
    given = {"question": "q", "first": "A", "second": "B", "preferred": "first", "person": "eve"}
    for wrong, problem in (({"preferred": "both"}, "one of"), ({"second": " A"}, "equal"), ({"person": ""}, "name")):
        with pytest.raises(UsageError, match=problem):
            prefer_as_person(tmp_path / "s.db", **{**given, **wrong})


SEATED = {"ann": {"model": "ann"}, "bob": {"model": "bob"}}
BAD: dict[str, tuple[Mapping[str, Any], str]] = {
    "a player": ({"judge": {"models": ["ann"], "pairwise": True}, "players": SEATED}, "judge.models.0: 'ann' is a player's"),
    "twice": ({"judge": {"models": ["ivy", "ivy"], "pairwise": True}}, "judge.models: expected different models"),
    "three without": ({"judge": {"models": ["ivy", "jim", "ann"]}}, "judge.models: expected one model or two, found 3"),
    "unknown baseline": ({"baseline": "zoe"}, "baseline: "),
    "several": ({"baseline": "solo"}, "baseline: 'solo' means several; expected one of solo@ann, solo@bob"),
    "nobody compares": ({"baseline": "ann", "judge": {"models": ["ivy"]}}, "baseline: says what long answers are compared with"),
    "nothing to compare": ({"strategies": ["solo"]}, "judge.pairwise: there is nothing to compare"),
    "unknown judge": ({"judge": {"models": ["zoe"], "pairwise": True}}, "judge.models.0: "),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_a_wrong_file_is_told_with_its_place_before_any_call(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keys, problem = BAD[case]
    path = written(tmp_path, **keys)
    assert moot("run", path) == 2
    told = capsys.readouterr().err
    assert f"{path}:" in told
    assert problem in told
    assert not (tmp_path / "plans.db").exists()


def test_only_long_answers_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path)
    rows = [{"id": "q1", "text": "Which river?", "answer": "Seine"}]
    (tmp_path / "plans.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert moot("run", path) == 2
    assert "judge.pairwise: only long answers are compared" in capsys.readouterr().err


def test_a_judge_who_plays_is_told_where_it_is_allowed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    judge = {"models": ["bob", "jim"], "pairwise": True, "players": "allowed"}
    path = written(tmp_path, 3, judge=judge, players=SEATED)
    assert moot("run", path) == 0
    assert "bob plays too" in capsys.readouterr().err
    figures = reported(path, capsys)
    assert figures["preferences"]["judges_who_play"] == ["bob"]
    assert any("bob" in words and "players" in words for words in figures["headline"]["words"])


def test_a_budget_stops_judges_too_and_what_was_said_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    priced = {
        name: {**keys, "price": {"prompt": 1000, "completion": 1000}, "max_tokens": 100}
        for name, keys in JUDGES.items()
    }
    path = written(tmp_path, models={**PLAYERS, **priced}, budget_usd=3)
    assert moot("run", path, "--quiet") == 3
    ((some, _, _),) = rows_of(path, ASKED)
    assert 0 < some < 60
    path.write_text(path.read_text(encoding="utf-8").replace("budget_usd: 3", "budget_usd: 300"), encoding="utf-8")
    assert moot("run", path, "--quiet") == 0
    ((words, _, calls),) = rows_of(path, ASKED)
    assert words == calls == reported(path, capsys)["preferences"]["words"]


def test_the_first_picture_shows_how_far_each_text_is_preferred(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = played(tmp_path, capsys, strategies=["talkative", "council"], primary="council@ann")
    shown, pairs = picture(figures), figures["preferences"]["pairs"]
    assert shown is not None
    assert (shown["section"], shown["legend"], shown["tag"]) == ("preferences", True, "primary")
    known = [place for place, row in enumerate(pairs) if row["value"] is not None]
    assert sorted(shown["order"]) == known
    assert known, "there is something to draw"
    (about,) = shown["about"]
    told = figures["headline"]["preferred"]
    assert (
        (pairs[about]["of"], pairs[about]["against"])
        == ("council@ann", told["against"])
        == (told["of"], told["against"])
    )
    assert shown["order"][0] == about
    assert "50 % is as often as not" in shown["words"][0]
    page = tmp_path / "page.html"
    assert moot("report", tmp_path / "plans.yaml", "-o", page) == 0
    assert '<figure class="picture" id="picture-0">' in page.read_text(encoding="utf-8")


def test_ungraded_texts_are_in_the_figures_of_preferences_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = played(tmp_path, capsys, 2)
    assert any("not graded, and in no figure but those of preferences: " in each for each in warnings(figures))
    without = {key: value for key, value in figures.items() if key != "preferences"}
    assert any("not graded, and in no figure: " in each for each in warnings(without))


def test_agreement_of_two_judges_says_over_how_many_comparisons(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = played(tmp_path, capsys)
    (row,) = figures["preferences"]["agreement"]
    both = """SELECT count(*), sum(a.preferred = b.preferred) FROM preferences a JOIN preferences b
        ON a.question = b.question AND a.first = b.first AND a.second = b.second
        WHERE a.judge_name = 'ivy' AND b.judge_name = 'jim'"""
    ((n, same),) = rows_of(tmp_path / "plans.yaml", both)
    assert (row["n"], row["agreement"]) == (n, pytest.approx(same / n))
    assert n < figures["preferences"]["words"]
    capsys.readouterr()
    assert moot("report", tmp_path / "plans.yaml", "--section", "preference-agreement") == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "comparisons" in printed
    assert f" {n} " in f"{printed} "


def test_where_lengths_differ_alike_there_is_no_corrected_share(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All of bob's texts are about half as long as the team's: its share of them hangs on nothing but how that is taken, and no
    interval from nothing to all stands behind a figure, here or in the headline."""
    models = {
        "ann": {"provider": "simulated", "accuracy": 0.6, "power": 0.9, "words": 120},
        "bob": {"provider": "simulated", "accuracy": 0.5, "words": 60},
        **JUDGES,
    }
    found = played(
        tmp_path, capsys, 40, models=models, strategies=["talkative", "council"], primary="council@ann", seed=3
    )
    pairs = {row["against"]: row for row in found["preferences"]["pairs"] if row["of"] == "council@ann"}
    half, alike = pairs["solo@bob"], pairs["solo@ann"]
    assert half["doublings"] > 0.8
    assert [half[key] for key in ("value", "low", "high", "p")] == [None] * 4
    assert "at equal length" in half["why"]
    assert half["raw"] > 0.6
    assert alike["value"] is not None
    assert found["headline"]["preferred"]["value"] is None
    assert "cannot be compared with those of others" in found["headline"]["sentence"]
