"""The record of what means the same: whose word counts, and which of several."""

from __future__ import annotations

from moot.engine.match_record import drafts_that_say, groups_on_record

DRAFTS = ["the Oka", "Oka river", "Don"]


def grouped(by: str, groups: list[list[str]], drafts: list[str] = DRAFTS) -> dict[str, object]:
    return {"by": by, "drafts": drafts, "groups": groups, "calls": []}


def matched(by: str, word: str, same: list[str], drafts: list[str] = DRAFTS) -> dict[str, object]:
    return {"by": by, "drafts": drafts, "word": word, "same": same, "calls": []}


def test_the_newest_groups_of_this_grouper_count() -> None:
    apart = [["the Oka"], ["Oka river"], ["Don"]]
    together = [["the Oka", "Oka river"], ["Don"]]
    entries = [grouped("tom", apart), grouped("tom", together), grouped("kim", apart)]
    assert groups_on_record(entries, "tom", DRAFTS) == together
    assert groups_on_record(entries, "kim", DRAFTS) == apart
    assert groups_on_record(entries, "sue", DRAFTS) is None


def test_groups_are_those_of_exactly_these_drafts() -> None:
    entries = [grouped("tom", [["Don"]], ["Don"])]
    assert groups_on_record(entries, "tom", DRAFTS) is None
    assert groups_on_record(entries, "tom", ["Don", "Don"]) == [["Don"]], "equal drafts are one text"


def test_another_grouping_models_word_on_a_word_does_not_count() -> None:
    entries = [matched("kim", "a river", ["Don"])]
    assert drafts_that_say(entries, "tom", DRAFTS, "a river") is None
    assert drafts_that_say(entries, "kim", DRAFTS, "a river") == ["Don"]


def test_the_newest_word_counts_and_only_on_this_word_and_these_drafts() -> None:
    entries = [matched("tom", "a river", ["Don"]), matched("tom", "a river", ["the Oka"])]
    assert drafts_that_say(entries, "tom", DRAFTS, "a river") == ["the Oka"]
    assert drafts_that_say(entries, "tom", DRAFTS, "another") is None
    assert drafts_that_say(entries, "tom", ["Don"], "a river") is None


def test_what_was_once_asked_in_one_call_is_known_for_whoever_asked_it() -> None:
    entries = [{"by": "tom", "groups": [["the Oka", "Oka river", "a river"], ["Don"]], "calls": []}]
    assert drafts_that_say(entries, "tom", DRAFTS, "a river") == ["the Oka", "Oka river", "a river"]
    assert drafts_that_say(entries, "kim", DRAFTS, "a river") is None
