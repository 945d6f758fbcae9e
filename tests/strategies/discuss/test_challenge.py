"""The challenge round in its five settings; the decision stands whatever comes of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from moot.errors import FileError, UsageError
from moot.plugins import PluginBroke, forget_entry_points
from moot.strategies.discuss.discuss import Discuss
from moot.team.retrieval import FolderFacts, retrieve, retriever
from moot.traces import Challenge, Objection, of_kind
from moot.types import Question, Verdict

SHORT: dict[str, Any] = {"personas": "none", "max_turns": 1, "vote_from": 1}


def challenged(table: Any) -> list[str]:
    return [table.text(each) for agent in (1, 2, 3) for each in table.sent(agent, "challenge")]


def put(verdict: Verdict) -> Challenge:
    """What was put to the agents, by the record."""
    (record,) = of_kind(verdict.traces, Challenge)
    return record


async def test_solution_only(company: Any) -> None:
    table = company(3, ballot=company.choosing(["River 2"] * 3))
    verdict = await table.play(Discuss(challenge="solution", **SHORT))
    assert (verdict.answer, verdict.outcome) == ("River 2", "answered")
    assert all("<answer>\nRiver 2\n</answer>" in prompt for prompt in challenged(table))
    assert all("word-" not in prompt and "a fact" not in prompt for prompt in challenged(table))
    assert of_kind(verdict.traces, Challenge) == [Challenge("solution", "River 2")]
    assert of_kind(verdict.traces, Objection) == [
        Objection("hidden-player-1", agree=False, answer="River 1"),
        Objection("hidden-player-2", agree=True),
        Objection("hidden-player-3", agree=True),
    ]


async def test_only_who_disagrees_is_asked_for_a_new_answer(company: Any) -> None:
    table = company(3)
    await table.play(Discuss(challenge="solution", **SHORT))
    new = [[each for each in table.sent(agent, "answer") if "do not agree" in table.text(each)] for agent in (1, 2, 3)]
    assert [len(each) for each in new] == [1, 0, 0]


async def test_with_the_discussion(company: Any) -> None:
    table = company(3)
    options = {**SHORT, "max_turns": 3, "vote_from": 3, "visible_turns": 1}
    await table.play(Discuss(challenge="discussion", **options))
    for prompt in challenged(table):
        assert [f"word-{agent}-{turn}" in prompt for agent in (1, 2, 3) for turn in (1, 2, 3)] == [True] * 9


async def test_with_facts(company: Any) -> None:
    table = company(3)
    verdict = await table.play(Discuss(challenge="facts", **SHORT))
    assert all("<facts>\na fact\n</facts>" in prompt for prompt in challenged(table))
    assert put(verdict).facts == "a fact"


async def test_a_retriever_that_fails_leaves_the_decision(company: Any) -> None:
    def broken(question: Question) -> str:
        raise OSError("no network")

    table = company(3)
    table.team = replace(table.team, retriever=broken)
    verdict = await table.play(Discuss(challenge="facts", **SHORT))
    assert verdict.outcome == "answered"
    assert "no network" in (put(verdict).cause or "")
    assert challenged(table) == []


@pytest.mark.parametrize("setting", ["wrong", "irrelevant"])
async def test_planted(company: Any, setting: str) -> None:
    final = {0: "Atlantis"}
    table = company(
        3,
        say=lambda table, agent, number: {"solution": "River 9"},
        final=lambda agent: {"reasoning": "", "answer": final.get(agent, "River 9")},
    )
    verdict = await table.play(Discuss(challenge=setting, planted_by="other", **SHORT))
    assert verdict.answer == "River 9"
    assert all("<answer>\nAtlantis\n</answer>" in prompt and "River 9" not in prompt for prompt in challenged(table))
    assert (put(verdict).planted, put(verdict).shown) == ("Atlantis", "Atlantis")
    (asked,) = table.sent(0)
    assert ("wrong answer" in table.text(asked)) == (setting == "wrong")


async def test_an_irrelevant_answer_need_not_be_a_choice(company: Any) -> None:
    question = Question("q", "Which river did the {poet} name?", ("Don", "Oka"), kind="choice")
    final = {0: "a spoon"}
    table = company(3, final=lambda agent: {"reasoning": "", "answer": final.get(agent, "A")}, question=question)
    table.say = lambda table, agent, number: {"solution": "A"}
    verdict = await table.play(Discuss(challenge="irrelevant", planted_by="other", **SHORT))
    assert put(verdict).planted == "a spoon"
    assert [objection.answer for objection in of_kind(verdict.traces, Objection)] == ["A", None, None]


async def test_nothing_planted_nothing_asked(company: Any) -> None:
    table = company(3, final=lambda agent: "hm" if agent == 0 else {"reasoning": "", "answer": "Don"})
    verdict = await table.play(Discuss(challenge="wrong", planted_by="other", **SHORT))
    assert verdict.outcome == "answered"
    assert "no answer was planted" in (put(verdict).cause or "")
    assert put(verdict).shown is None
    assert challenged(table) == []


async def test_without_an_answer_there_is_nothing_to_challenge(company: Any) -> None:
    table = company(3, final=lambda agent: "hm", other={"discuss": lambda agent, request: "hm"})
    verdict = await table.play(Discuss(challenge="solution", **SHORT))
    assert verdict.outcome == "unanswered"
    assert of_kind(verdict.traces, Objection) == []
    assert put(verdict) == Challenge("solution", cause="there was no answer to challenge")


async def test_agents_who_do_not_say(company: Any) -> None:
    table = company(3, other={"challenge": lambda agent, request: "hm"})
    verdict = await table.play(Discuss(challenge="solution", **SHORT))
    objections = of_kind(verdict.traces, Objection)
    assert [objection.agree for objection in objections] == [None] * 3
    assert all(objection.cause for objection in objections)


@pytest.fixture(name="facts")
def _facts(tmp_path: Path) -> Path:
    folder = tmp_path / "facts"
    (folder / "more").mkdir(parents=True)
    (folder / "a.txt").write_text("The Don flows into the Sea of Azov.\n\nThe Oka joins the Volga.\n", encoding="utf-8")
    (folder / "more" / "b.md").write_text("# Volga\n\nThe Volga is the longest river of Europe.", encoding="utf-8")
    (folder / "c.bin").write_bytes(b"\xff\xfe the Don")
    return folder


def test_the_passages_that_share_rare_words_are_found(facts: Path) -> None:
    find = FolderFacts(facts, passages=1)
    assert find(Question("1", "Into which sea does the Don flow?")) == "The Don flows into the Sea of Azov."
    assert find(Question("2", "What is the LONGEST river?")) == "# Volga\n\nThe Volga is the longest river of Europe."
    assert find(Question("3", "Qui?", ("Oka", "Neva"))) == "The Oka joins the Volga."
    assert find(Question("4", "Quando?")) == ""


def test_no_link_leads_out_of_the_folder(facts: Path) -> None:
    secret = facts.parent / "secret.txt"
    secret.write_text("The Don is secret.", encoding="utf-8")
    (facts / "link.txt").symlink_to(secret)
    with pytest.raises(FileError, match="leads out of the folder 'facts'"):
        FolderFacts(facts)


def test_the_best_comes_first(facts: Path) -> None:
    found = FolderFacts(facts)(Question("1", "Does the Oka join the longest river of Europe, the Volga?"))
    assert found.index("longest river") < found.index("The Oka")


def test_facts_are_the_same_every_time_and_know_their_folder(facts: Path) -> None:
    question = Question("1", "the Volga")
    assert FolderFacts(facts)(question) == FolderFacts(facts)(question)
    assert FolderFacts(facts)(question).count("Volga") >= 2
    before = FolderFacts(facts).fingerprint
    (facts / "d.txt").write_text("The Neva.", encoding="utf-8")
    assert FolderFacts(facts).fingerprint != before


def test_a_folder_that_holds_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="expected a folder"):
        FolderFacts(tmp_path / "nowhere")
    with pytest.raises(FileError, match="found none"):
        FolderFacts(tmp_path)


async def test_a_retriever_may_be_waited_for() -> None:
    async def slow(question: Question) -> str:
        return f"about {question.id}"

    assert await retrieve(slow, Question("7", "?")) == "about 7"
    with pytest.raises(PluginBroke, match="gives a text"):
        await retrieve(lambda question: 3, Question("7", "?"))  # type: ignore[arg-type,return-value]


def test_a_retriever_of_another_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "their_facts-1.dist-info"
    place.mkdir()
    (place / "METADATA").write_text("Name: their-facts\nVersion: 1\n")
    (place / "entry_points.txt").write_text(
        "[moot.retrievers]\nencyclopedia = their_facts:look_up\nbad = their_facts:BAD\n"
    )
    (tmp_path / "their_facts.py").write_text("BAD = 3\ndef look_up(question):\n    return 'theirs'\n")
    monkeypatch.syspath_prepend(tmp_path)
    forget_entry_points()
    assert retriever("encyclopedia", tmp_path)(Question("1", "?")) == "theirs"
    with pytest.raises(UsageError, match="not callable"):
        retriever("bad", tmp_path)
    forget_entry_points()
