"""Which of two answers people prefer, from the page to the report: of what was served, and of the experiment."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from served import Served, reworded, serving

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.measures.served.words import preference_words
from moot.serve.app import ServeSettings

KEYS = ServeSettings(keys={"ANN": "ann-secret", "BOB": "bob-secret"})
PLANS: dict[str, Any] = {
    "name": "plans",
    "seed": 5,
    "questions": {"file": "plans.jsonl"},
    "models": {
        "ann": {"provider": "simulated", "accuracy": 0.6, "words": 30},
        "bob": {"provider": "simulated", "accuracy": 0.5, "words": 20},
        "ivy": {"provider": "simulated", "accuracy": 0.5},
    },
    "teams": {"two": {"players": ["ann", "bob"], "captain": "ann"}},
    "strategies": ["talkative", "solo"],
    "judge": {"models": ["ivy"], "pairwise": True},
}
RIVERS = ("Seine", "Oka", "Don", "Po")
OWN = "Write a plan, number {}."
TEAM, ALONE = "two/talkative", "solo@bob"


async def voted(
    served: Served, key: str, text: str, left: str, right: str, preferred: str, folder: Path | None = None
) -> None:
    """`folder`: of the store, in which the two answers are told apart."""
    by = {"headers": {"Authorization": f"Bearer {key}-secret"}}
    vote = {"preferred": preferred}
    for place, model in (("first", left), ("second", right)):
        body = {"model": model, "messages": [{"role": "user", "content": text}], "moot": {"kind": "text"}}
        status, said = await served.post("/v1/chat/completions", body, **by)
        assert status == 200, said
        vote[place] = said["moot"]["episode"]
    if folder is not None:
        await reworded(served, folder, {vote["first"]: "A plan.", vote["second"]: "A better plan."})
    assert (await served.post("/v1/moot/preferences", vote, **by))[0] == 200


VOTES = [
    ("ann", OWN.format(0), TEAM, ALONE, "first"),
    ("ann", OWN.format(1), ALONE, TEAM, "second"),
    ("bob", OWN.format(2), TEAM, ALONE, "second"),
    ("bob", OWN.format(0), ALONE, TEAM, "tie"),
    ("ann", "Write a toast.", TEAM, ALONE, "first"),
    ("ann", "Write a song.", TEAM, "solo@ann", "first"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("persons")
    rows = [{"id": f"q{n}", "text": OWN.format(n), "kind": "text"} for n in range(4)]
    # Others, from whose answers simulated models draw: whoever is served is told of none of them.
    rows += [{"id": f"s{n}", "text": f"Which river is {n}?", "answer": answer} for n, answer in enumerate(RIVERS)]
    (folder / "plans.jsonl").write_text("\n".join(map(json.dumps, rows)))

    async def asked() -> None:
        async with serving(folder, PLANS, settings=KEYS) as served:
            for vote in VOTES:
                await voted(served, *vote)

    asyncio.run(asked())
    assert run_app(app, ["run", str(folder / "team.yaml"), "--quiet"]) == 0
    return folder


def reported(folder: Path, capsys: pytest.CaptureFixture[str], *options: str) -> Any:
    capsys.readouterr()
    assert run_app(app, ["report", str(folder / "team.yaml"), *options]) == 0
    printed = capsys.readouterr().out
    return json.loads(printed) if "--json" in options else " ".join(printed.split())


def test_what_people_prefer_is_told_of_what_was_served(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = reported(folder, capsys, "--served", "--since", "7d", "--json")["served"]["preferences"]
    assert (found["votes"], found["persons"], found["questions"], found["ties"]) == (6, 2, 5, 1)
    # The first, in the order of VOTES: won, lost, lost, tied, won, won.
    assert found["first"] == pytest.approx(3.5 / 6)
    assert found["first_low"] < found["first"] < found["first_high"]
    one = next(row for row in found["pairs"] if row["against"] == ALONE)
    assert (one["of"], one["votes"], one["wins"], one["ties"], one["losses"]) == ("two/talkative", 5, 3, 1, 1)
    assert (one["stood_first"], one["persons"], one["n"]) == (3, 2, 4)
    # Number 0 was asked by two: its votes are one question's.
    assert one["value"] == pytest.approx(((1 + 0.5) / 2 + 1 + 0 + 1) / 4)
    assert one["low"] < one["value"] < one["high"]
    other = next(row for row in found["pairs"] if row is not one)
    assert (other["of"], other["against"], other["votes"]) == ("two/talkative", "solo@ann", 1)
    assert (other["low"], other["why"]) == (None, "one question has no interval")
    told = reported(folder, capsys, "--served")
    assert "Side by side two/talkative was preferred to solo@bob in 68.8 % (" in told
    assert (
        "), each question counting once: 5 comparisons by 2 persons on 4 questions (3 won, 1 tied, 1 lost). 1 other pair"
        in told
    )


def test_a_word_on_a_team_beside_itself_is_no_word(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """There are such of earlier versions."""
    before = reported(folder, capsys, "--served", "--json")["served"]["preferences"]
    again = 91  # a number that no episode has
    with sqlite3.connect(folder / "plans.db") as store:
        first, question = store.execute("select first, question from votes order by said_at").fetchone()
        columns = [row[1] for row in store.execute("pragma table_info(episodes)")]
        copied = ", ".join(str(again) if name == "repeat" else name for name in columns)
        this = (question, int(first[3:11], 16))
        store.execute(f"insert into episodes select {copied} from episodes where question = ? and repeat = ?", this)
        itself = (first, f"ep_{again:08x}{question}", "ZOE", question, "first", 1.0)
        into = "votes (first, second, person, question, preferred, said_at)"
        store.execute(f"insert into {into} values (?, ?, ?, ?, ?, ?)", itself)
    try:
        assert reported(folder, capsys, "--served", "--json")["served"]["preferences"] == before
    finally:
        with sqlite3.connect(folder / "plans.db") as store:
            store.execute("delete from votes where person = 'ZOE'")
            store.execute("delete from episodes where repeat = ?", (again,))


def test_what_was_asked_before_is_left_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with sqlite3.connect(folder / "plans.db") as store:
        (first,) = store.execute("select min(created_at) from episodes").fetchone()
        store.execute("update episodes set created_at = created_at - 864000 where created_at = ?", (first,))
    found = reported(folder, capsys, "--served", "--since", "7d", "--json")["served"]["preferences"]
    assert found["votes"] == 5, "one of the two answers is of an earlier week"


def test_a_vote_on_a_question_of_the_experiment_is_the_word_of_a_judge(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = reported(folder, capsys, "--json")["preferences"]
    assert found["judges"] == ["ivy", "person:ANN", "person:BOB"]
    assert found["persons"] == ["person:ANN", "person:BOB"]
    assert found["voted"] == 3, "neither the toast nor the song is of the experiment; two were shown the same two texts"
    assert found["without_word"] == 0, "of what was served no judge of the file is asked"
    by_pair = {row["against"]: row for row in found["pairs"]}
    assert "persons" not in by_pair["solo@ann"]
    row = by_pair["solo@bob"]
    assert (row["persons"]["n"], row["persons"]["words"]) == (3, 4)
    assert row["persons"]["value"] == pytest.approx((0.75 + 1 + 0) / 3)
    assert row["models"]["n"] == 4
    assert row["plays"] == 4 + 3
    told = reported(folder, capsys, "--section", "preferences")
    assert "by 1 judge (ivy) and 2 persons (ANN, BOB)" in told


def test_all_votes_are_in_the_figures_of_what_was_served(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = reported(folder, capsys, "--served", "--json")["preferences"]
    assert found["voted"] == len(VOTES)
    assert found["judges"] == found["persons"] == ["person:ANN", "person:BOB"]


def test_as_many_votes_for_one_as_for_the_other_are_a_tie() -> None:
    row: dict[str, Any] = {"of": "vote@ann", "against": "solo@bob", "value": 0.5, "low": 0.1, "high": 0.9, "n": 4}
    row |= {"votes": 4, "wins": 2, "ties": 0, "losses": 2, "persons": 1}
    (told,) = preference_words({"preferences": {"votes": 4, "equal": 0, "pairs": [row]}})
    assert told.startswith("Side by side vote@ann and solo@bob are tied, each preferred in 50.0 % (")
    assert "(2 won, 0 tied, 2 lost)" in told
    # Questions count alike, so as many votes need be no tie.
    (told,) = preference_words({"preferences": {"votes": 4, "equal": 0, "pairs": [{**row, "value": 0.625}]}})
    assert told.startswith("Side by side vote@ann was preferred to solo@bob in 62.5 % (")


def test_who_was_preferred_is_told_first() -> None:
    row = {
        "of": "council",
        "against": "solo@bob",
        "value": 0.2,
        "low": 0.1,
        "high": 0.4,
        "wins": 1,
        "ties": 0,
        "losses": 4,
    }
    row |= {"votes": 5, "n": 5, "persons": 1}
    (said,) = preference_words({"preferences": {"votes": 5, "equal": 0, "pairs": [row]}})
    assert said.startswith("Side by side solo@bob was preferred to council in 80.0 % (60.0")
    assert said.endswith("(4 won, 0 tied, 1 lost).")
    (said,) = preference_words(
        {"preferences": {"votes": 5, "equal": 0, "pairs": [{**row, "value": 0.0, "low": None, "high": None}]}}
    )
    assert "solo@bob was preferred to council in 100.0 %:" in said


def test_a_vote_on_what_came_to_no_answer_is_no_word(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """There are such of earlier versions."""
    before = reported(folder, capsys, "--served", "--json")["served"]["preferences"]
    with sqlite3.connect(folder / "plans.db") as store:
        (first,) = store.execute("select first from votes order by said_at").fetchone()
        this = (first[11:], int(first[3:11], 16))
        (kept,) = store.execute("select verdict from episodes where question = ? and repeat = ?", this).fetchone()
        failed = json.dumps({**json.loads(kept), "answer": None, "outcome": "failed"})
        store.execute("update episodes set verdict = ? where question = ? and repeat = ?", (failed, *this))
    try:
        found = reported(folder, capsys, "--served", "--json")["served"]["preferences"]
        assert found["votes"] == before["votes"] - 1
    finally:
        with sqlite3.connect(folder / "plans.db") as store:
            store.execute("update episodes set verdict = ? where question = ? and repeat = ?", (kept, *this))


@pytest.mark.parametrize("baseline", [None, "bob", "peer-review@ann"])
def test_whom_a_file_compares_texts_with_can_be_voted_on_though_it_lists_no_solo(
    tmp_path: Path, baseline: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    """Players alone are compared with wherever that is not another team: then they are served as they were played."""
    (tmp_path / "plans.jsonl").write_text(json.dumps({"id": "q0", "text": OWN.format(0), "kind": "text"}))
    keys = {**PLANS, "strategies": ["talkative", "peer-review"], **({"baseline": baseline} if baseline else {})}
    by_team = baseline is not None and "@" in baseline

    async def asked() -> None:
        async with serving(tmp_path, keys, settings=KEYS) as served:
            assert (ALONE in served.live.names) is not by_team
            other, apart = ("two/peer-review", tmp_path) if by_team else (ALONE, None)
            await voted(served, "ann", OWN.format(0), TEAM, other, "first", apart)

    asyncio.run(asked())
    if by_team:
        return
    assert run_app(app, ["run", str(tmp_path / "team.yaml"), "--quiet"]) == 0
    pairs = reported(tmp_path, capsys, "--json")["preferences"]["pairs"]
    voted_on = [(row["of"], row["against"]) for row in pairs if row.get("persons", {}).get("n")]
    assert voted_on == [("talkative@ann", ALONE)]


def test_votes_on_two_answers_that_are_equal_word_for_word_are_no_evidence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """There are such of earlier versions."""
    sure = {name: {"provider": "simulated", "accuracy": 1.0} for name in ("ann", "bob")}
    keys = {key: value for key, value in PLANS.items() if key != "judge"}
    keys |= {
        "models": sure,
        "questions": {"file": "rivers.jsonl"},
    }
    river = {"id": "r", "text": "Which river?", "answer": "A", "choices": ["Oka", "Don"]}
    (tmp_path / "rivers.jsonl").write_text(json.dumps(river))

    async def asked() -> None:
        async with serving(tmp_path, keys, settings=KEYS) as served:
            by = {"headers": {"Authorization": "Bearer ann-secret"}}
            vote: dict[str, Any] = {"preferred": "second"}
            for place, model in (("first", TEAM), ("second", ALONE)):
                asking = {
                    "messages": [{"role": "user", "content": "Which river?"}],
                    "moot": {"choices": ["Oka", "Don"]},
                }
                _, said = await served.post("/v1/chat/completions", {"model": model, **asking}, **by)
                vote[place] = said["moot"]["episode"]
            assert (await served.post("/v1/moot/preferences", vote, **by))[1]["error"]["code"] == "equal_answers"
            await reworded(served, tmp_path, {vote["first"]: "A", vote["second"]: "B"})
            assert (await served.post("/v1/moot/preferences", vote, **by))[0] == 200
            await reworded(served, tmp_path, {vote["first"]: "B"})

    asyncio.run(asked())
    found = reported(tmp_path, capsys, "--served", "--json")["served"]["preferences"]
    assert (found["votes"], found["equal"], found["pairs"], found["first"]) == (0, 1, [], None)
    assert "1 vote is on two answers that are equal word for word, and left out" in reported(
        tmp_path, capsys, "--served"
    )
