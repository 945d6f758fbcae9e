"""Whoever never answers is in no accuracy and in no group: that it was asked, why it said nothing and what it took is told."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from worlds import World, grouped_by, in_form, row, shown_texts

import moot
from moot import Reply, Request, ScriptedModel
from moot.errors import ReplyBroken
from moot.report.remarks import remarks
from moot.report.sections import all_sections

COUNT = 4


def broken(request: Request) -> Any:
    raise ReplyBroken("no reply")


def garbled(request: Request) -> Any:
    return "???"


@pytest.fixture(scope="module")
def figures() -> dict[str, Any]:
    """Ann and bob answer; cat's calls fail, dan's replies cannot be read; the captain ann decides."""
    world = World(lambda name, number, repeat: f"{name} {number}", count=COUNT, players=("ann", "bob"))
    keys = world.keys(["solo", "vote", "talkative"])
    for name, reply in (("cat", broken), ("dan", garbled)):
        keys["models"][name] = ScriptedModel(name, reply)
        keys["players"][name] = {"model": name}
    keys["models"]["gil"] = ScriptedModel("gil", grouped_by(lambda text: text))
    keys["teams"] = {"four": {"players": ["ann", "bob", "cat", "dan"], "captain": "ann"}}
    keys["grouping"] = {"model": "gil"}
    return dict(moot.run(keys).figures)


def test_everybody_by_office(figures: dict[str, Any]) -> None:
    rows = figures["attendance"]
    ann = row(rows, player="ann", office="player")
    assert (ann["questions"], ann["asked"], ann["answered"], ann["absent"]) == (COUNT, 3 * COUNT, 3 * COUNT, 0)
    assert (ann["calls"], ann["failed_calls"]) == (COUNT, 0), "strategies share the drafts"
    captain = row(rows, player="ann", office="captain")
    assert (captain["asked"], captain["answered"], captain["calls"]) == (COUNT, COUNT, COUNT)
    cat = row(rows, player="cat", office="player")
    assert (cat["asked"], cat["answered"], cat["absent"], cat["failed"]) == (3 * COUNT, 0, 3 * COUNT, 3 * COUNT)
    assert cat["calls"] == cat["failed_calls"] >= 3 * COUNT
    dan = row(rows, player="dan", office="player")
    assert (dan["answered"], dan["unanswered"], dan["failed_calls"]) == (0, 3 * COUNT, 0)
    gil = row(rows, player="gil", office="grouping")
    assert (gil["asked"], gil["answered"]) == (COUNT, COUNT)
    for one in rows:
        assert one["asked"] == one["answered"] + one["absent"] + one.get("not_heard", 0)
        assert one["absent"] == one["failed"] + one["refused"] + one["unanswered"]


def test_it_is_said_of_whoever_never_answered(figures: dict[str, Any]) -> None:
    section = next(section for section in all_sections(figures) if section.id == "attendance")
    assert [one["player"] for one in section.rows if not one["answered"]] == ["cat", "dan"]
    for lines in (section.words, remarks(figures)):
        assert any(
            "cat never answered, asked in 12 plays on 4 questions (the call failed 12×)" in line for line in lines
        )
        assert any("dan never answered" in line and "no usable reply 12×" in line for line in lines)
        assert not any("ann never" in line for line in lines)


@pytest.mark.parametrize("strategies", [["solo", "vote"], ["vote"]])
def test_whoever_never_answered_is_no_single_to_beat(strategies: list[str]) -> None:
    """Who only refuses, or says nothing usable, is one; and so is who answered a single time."""
    wrong = {"ann": 0, "bob": 1, "cat": 2}
    world = World(
        lambda name, number, repeat: "Lyon" if number % 3 == wrong[name] else "Paris", count=18, players=tuple(wrong)
    )

    def rarely(request: Request) -> Any:
        return in_form(request, "Lyon") if request.question_id == "q0" else broken(request)

    keys = world.keys(strategies, primary="vote")
    dead = {"dead": broken, "rare": rarely, "mute": garbled}
    keys["models"] |= {name: ScriptedModel(name, reply) for name, reply in dead.items()}
    keys["players"] |= {name: {"model": name} for name in dead}
    keys["teams"] = {"six": {"players": list(keys["players"]), "captain": "ann"}}
    figures = moot.run(keys).figures
    headline = figures["headline"]
    assert headline["never_answered"] == ["dead"]
    over = headline["over_best_single"]
    assert [one["single"] for one in over["each"]] == ["ann", "bob", "cat", "mute", "rare"]
    assert over["singles"] == 5
    assert "the best single model that answered, ann" in headline["sentence"]
    assert "Every call to dead failed: how good it is alone is unknown" in headline["sentence"]
    dead_row = row(figures["players"], player="dead")
    assert dead_row["value"] is None, "a share of what never came would be read as how good it is"
    assert row(figures["attendance"], player="dead")["failed"] == 18 * len(strategies), "nothing is dropped"
    assert "failed" in dead_row["why"]


def test_a_row_is_of_a_model_and_not_of_its_office() -> None:
    """Two who sum up, one of whom never answers; and who groups has a name too."""
    world = World(lambda name, number, repeat: f"{name} {number}", count=COUNT)
    world.offices = {
        "sue": lambda request: in_form(request, "Paris"),
        "tom": broken,
        "gil": grouped_by(lambda text: text),
    }
    mixtures = [{"mixture": {"summariser": name, "repeats": 1}} for name in ("sue", "tom")]
    figures = world.play(["solo", "vote", *mixtures], grouping={"model": "gil"}).figures
    rows = figures["attendance"]
    assert {(one["player"], one["office"]) for one in rows if one["office"] != "player"} == {
        ("sue", "summariser"),
        ("tom", "summariser"),
        ("gil", "grouping"),
    }
    sue, tom = (row(rows, player=name, office="summariser") for name in ("sue", "tom"))
    assert (sue["asked"], sue["answered"], tom["asked"], tom["answered"]) == (COUNT, COUNT, COUNT, 0)
    assert any(f"tom as summariser never answered, asked in {COUNT} plays" in line for line in remarks(figures))


def test_whom_nobody_waited_for_was_asked() -> None:
    """Two of three agree, and the third never comes to an end."""

    class Late(ScriptedModel):
        async def generate(self, request: Request) -> Reply:
            await asyncio.Event().wait()
            return await super().generate(request)

    world = World(lambda name, number, repeat: "Paris", count=COUNT)
    keys = world.keys([{"vote": {"early_stop": True}}])
    keys["models"]["cat"] = Late("cat", broken)
    keys["teams"] = {"team": {"players": list(world.players), "captain": "ann"}}
    figures = moot.run(keys).figures
    cat = row(figures["attendance"], player="cat")
    assert (cat["questions"], cat["asked"], cat["not_heard"]) == (COUNT, COUNT, COUNT)
    assert (cat["answered"], cat["absent"]) == (0, 0)
    assert not any("cat never" in line for line in remarks(figures))
    never = (
        f"cat was never waited for, asked in {COUNT} plays on {COUNT} questions: what it would have said is unknown."
    )
    assert never in remarks(figures)
    section = next(section for section in all_sections(figures) if section.id == "attendance")
    assert "not waited for" in [column.title for column in section.columns]


def test_who_is_late_for_a_round_has_not_failed() -> None:
    """Every captain's play hears of the same rounds; no call of cat's came to any end, and none was made for it again."""
    asked: list[str] = []

    class Slow(ScriptedModel):
        async def generate(self, request: Request) -> Reply:
            if shown_texts(request):
                asked.append(request.question_id)
                await asyncio.Event().wait()
            return await super().generate(request)

    world = World(lambda name, number, repeat: f"{name} {number}", count=COUNT)
    keys = world.keys([{"debate": {"drafts": "single-call", "quorum": True, "grace_s": 0.01}}])
    keys["models"]["cat"] = Slow("cat", lambda request: in_form(request, f"cat {request.question_id}"))
    keys["teams"] = {"team": {"players": list(world.players), "captain": "each"}}
    figures = moot.run(keys).figures
    cat = row(figures["attendance"], player="cat", office="debater")
    assert set(asked) == {f"q{number}" for number in range(COUNT)}
    assert (cat["asked"], cat["not_heard"]) == (3 * COUNT, 3 * COUNT)
    assert (cat["answered"], cat["absent"], cat["failed"], cat["calls"], cat["failed_calls"]) == (0, 0, 0, 0, 0)
    assert row(figures["attendance"], player="cat", office="player")["answered"] == 3 * COUNT
    assert figures["failures"] == []
    section = next(section for section in all_sections(figures) if section.id == "attendance")
    for lines in (section.words, remarks(figures)):
        assert any(line.startswith("cat as debater was never waited for, asked in 12 plays") for line in lines)
        assert not any("failed" in line and "cat" in line for line in lines)
    assert any("is not among the calls" in line for line in section.words)
