"""What stores of before say of their strategies for ever: traits, options and labels as they were, and what was noted in play."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from moot.store.before_traces import OldCell, options_in_label, played_by_label, verdict_with_traces
from moot.store.file_locks import Writer
from moot.store.old_strategies import OldStrategy, old_strategy

LED = {"captain": "leads", "word": "captain"}
TRAITS: Mapping[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "solo": (
        "solo",
        {},
        {"alone": True, "drafts": "single-call", "word": "player", "hears": "nothing", "asks": "nobody"},
    ),
    "vote": (
        "vote",
        {},
        {
            "drafts": "single-call",
            "captain": "breaks-ties",
            "word": "group",
            "hears": "nothing",
            "groups": True,
            "asks": "nobody",
        },
    ),
    "silent": ("silent", {}, {"drafts": "single-call", **LED, "hears": "answers", "asks": "captain"}),
    "talkative": (
        "talkative",
        {},
        {"drafts": "single-call", **LED, "hears": "reasons", "names": "hidden", "asks": "captain"},
    ),
    "adaptive": (
        "adaptive",
        {},
        {"drafts": "single-call", **LED, "hears": "reasons", "groups": True, "asks": "captain"},
    ),
    "review": (
        "peer-review",
        {"names": "shown"},
        {"drafts": "double-call", **LED, "hears": "reasons", "names": "shown", "asks": "captain"},
    ),
    "debate": (
        "debate",
        {"drafts": "single-call"},
        {"drafts": "single-call", **LED, "hears": "rounds", "names": "hidden", "groups": True},
    ),
    "vote of a talk": ("discuss", {}, {"word": "group", "hears": "talk", "groups": True, "decides_by": "voting"}),
    "agreement of a talk": (
        "discuss",
        {"decision": "unanimity-consensus", "planted_by": "eve"},
        {"word": "group", "hears": "talk", "groups": True, "decides_by": "consensus", "offices": {"plant": "eve"}},
    ),
    "judge of a talk": (
        "discuss",
        {"decision": "judge", "judge": "kim"},
        {"word": "group", "hears": "talk", "groups": True, "decides_by": "judge", "offices": {"judge": "kim"}},
    ),
    "mixture": (
        "mixture",
        {},
        {"drafts": "single-call", "hears": "reasons", **LED, "asks": "captain", "repeats": 10},
    ),
    "mixture once, by another": (
        "mixture",
        {"summariser": "sam", "repeats": 1},
        {
            "drafts": "single-call",
            "hears": "reasons",
            "word": "office",
            "asks": "nobody",
            "offices": {"summariser": "sam"},
        },
    ),
}


def made(name: str, options: Mapping[str, Any] | None = None) -> OldStrategy:
    found = old_strategy(name, options)
    assert found is not None
    return found


@pytest.mark.parametrize(("name", "options", "traits"), TRAITS.values(), ids=TRAITS)
def test_what_a_strategy_was(name: str, options: Mapping[str, Any], traits: Mapping[str, Any]) -> None:
    assert made(name, options).traits() == traits


DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "solo": {"drafts": "single-call"},
    "vote": {"captain": None, "early_stop": False},
    "adaptive": {"captain": None, "talk_from": 3},
    "debate": {
        "captain": None,
        "max_rounds": 5,
        "drafts": "double-call",
        "quorum": False,
        "grace_s": 60.0,
        "replies": None,
    },
    "peer-review": {"captain": None, "drafts": "double-call", "names": "hidden", "restate_own": False, "replies": None},
    "silent": {"captain": None},
    "talkative": {"captain": None},
    "discuss": {
        "paradigm": None,
        "style": "simple",
        "drafting": "first-agent",
        "decision": "simple-voting",
        "personas": "expert",
        "agents": 3,
        "max_turns": 5,
        "vote_from": 3,
        "visible_turns": 2,
        "debate_rounds": 2,
        "budget": 25,
        "step_by_step": False,
        "judge": None,
        "challenge": "none",
        "facts": None,
        "planted_by": None,
    },
    "mixture": {
        "order": "random",
        "accuracies": "shown",
        "summariser": None,
        "proposers": (),
        "repeats": 10,
        "temperature": 0.7,
        "context_tokens": None,
        "shown_accuracies": {},
    },
}


@pytest.mark.parametrize("name", DEFAULTS)
def test_options_that_nobody_gave_were_these(name: str) -> None:
    assert made(name).stored_options() == {"given": {}, "default": DEFAULTS[name]}
    assert [*made(name).labels()] == [name] * 3


def test_options_that_were_given_stand_in_the_label_in_their_order() -> None:
    debate = made("debate", {"grace-s": 30, "max_rounds": 3, "drafts": "double-call", "captain": "ann"})
    assert debate.captain == "ann"
    assert [*debate.labels()] == [
        "debate(max_rounds=3, grace_s=30)",
        "debate(max_rounds=3, grace_s=30.0)",
        "debate(max_rounds=3, grace_s=30)",
    ]
    mixture = made(
        "mixture", {"proposers": ["ann", "bob"], "shown_accuracies": {"ann": 1, "bob": 0.5}, "order": "x, y"}
    )
    plain, _, quoted = mixture.labels()
    assert plain.startswith("mixture(order=x, y, proposers=('ann', 'bob'), shown_accuracies=2#")
    assert quoted.startswith('mixture(order="x, y", proposers=(')


def test_what_nobody_knows_any_more() -> None:
    assert old_strategy("oracle", {}) is None
    assert old_strategy("vote", {"later": 1}) is None
    assert old_strategy("mixture", {"proposers": "chosen.json"}) is None
    assert old_strategy("mixture", {"shown-accuracies": "shares.json"}) is None


def test_served_it_stopped_early_and_waited_for_a_quorum() -> None:
    assert made("vote", {"captain": "ann"}).served().written == {"captain": "ann", "early_stop": True}
    assert made("debate").served().written == {"quorum": True}
    assert made("silent").served().written == {}


def test_the_strategies_of_a_file_are_found_by_their_labels() -> None:
    found = played_by_label({"strategies": ["vote", {"debate": {"max_rounds": 2}}, {"oracle": None}]})
    assert {label: [each.written for each in named] for label, named in found.items()} == {
        "vote": [{}],
        "vote(early_stop=True)": [{"early_stop": True}],
        "debate(max_rounds=2)": [{"max_rounds": 2}],
        "debate(max_rounds=2, quorum=True)": [{"max_rounds": 2, "quorum": True}],
    }
    assert played_by_label({}) == {}


@pytest.mark.parametrize(
    ("label", "options"),
    [
        ("vote", {}),
        ("vote()", {}),
        ("vote(a=1)", {"a": "1"}),
        ("vote(a=(x=1, y=2), b=[c=3], d={e=4}, f=5)", {"a": "(x=1, y=2)", "b": "[c=3]", "d": "{e=4}", "f": "5"}),
        ("vote(a=b=c, d=)", {"a": "b=c", "d": ""}),
    ],
)
def test_options_in_a_label(label: str, options: Mapping[str, str]) -> None:
    assert options_in_label(label) == options


def records(notes: Mapping[str, Any], cell: OldCell, **verdict: Any) -> list[dict[str, Any]]:
    written = verdict_with_traces(json.dumps({"answer": "Paris", "notes": notes, **verdict}), cell)
    assert written is not None
    found: list[dict[str, Any]] = json.loads(written)["traces"]
    return found


VOTE, DISCUSS, REVIEW = OldCell("vote", None, {}), OldCell("discuss", None, {}), OldCell("peer-review", None, {})


def test_a_vote_by_groups_tells_its_ballots_and_its_count() -> None:
    answers = [["ann", "Paris"], ["bob", None], ["cat", "Paris!"]]
    notes = {"groups": [["ann", "cat"], ["bob"]], "tied": False, "stages": ["equal"]}
    assert records(notes, VOTE, answers=answers) == [
        {"kind": "grouped", "groups": [["ann", "cat"], ["bob"]], "stages": ["equal"]},
        {"kind": "ballot", "voter": "ann", "choice": {"0": 1.0}},
        {"kind": "ballot", "voter": "cat", "choice": {"0": 1.0}},
        {"kind": "ballot", "voter": "bob", "choice": {"1": 1.0}},
        {"kind": "counted", "options": ["Paris", ""], "points": [2.0, 1.0], "winners": [0]},
    ]
    tied = records({"groups": [["ann"], ["bob"]], "tied": True}, VOTE, answers=answers)
    assert tied[-1]["winners"] == [0, 1]
    assert [record["kind"] for record in records({"groups": [["ann"]]}, VOTE)] == ["grouped"]


def test_a_talk_tells_who_said_what_and_who_proposed_it_first() -> None:
    said = {"text": "t", "solution": None, "agree": None, "heard_by": ["bob"]}
    messages = [
        {"number": 1, "player": "ann", "turn": 1, "backs": "Paris", **said},
        {"number": 2, "player": "bob", "turn": 1, "backs": None, "part": 1, **said},
        {"number": 3, "player": "bob", "turn": 2, "backs": "Paris", "outcome": "failed", "cause": "late", **said},
    ]
    personas = [{"player": "ann", "title": "judge", "persona": "of few words", "origin": "given"}]
    first, *others = records({"personas": personas, "messages": messages}, DISCUSS)
    assert first == {"kind": "persona", **personas[0]}
    told = [(each["number"], each.get("position"), each.get("part"), each.get("cause")) for each in others]
    assert told == [(1, 1, None, None), (2, None, 1, None), (3, 1, None, "late")]


def test_votes_of_a_talk_stand_with_the_ballots_of_their_turn() -> None:
    vote = {
        "turn": 3,
        "groups": [["ann"], ["bob"]],
        "stages": [],
        "options": ["Paris", None],
        "points": [1.0, 0.0],
        "winners": [0],
        "solutions": {},
    }
    cast = {"choice": {"0": 1}, "order": [1, 0]}
    ballots = [{"player": "ann", "turn": 3, **cast}, {"player": "bob", "turn": 2, **cast}]
    assert records({"votes": [vote]}, DISCUSS, ballots=ballots) == [
        {"kind": "grouped", "groups": [["ann"], ["bob"]], "turn": 3},
        {"kind": "ballot", "voter": "ann", "choice": {"0": 1}, "order": [1, 0], "turn": 3},
        {"kind": "counted", "options": ["Paris", ""], "points": [1.0, 0.0], "winners": [0], "turn": 3},
    ]


def test_who_read_the_drafts_in_which_order() -> None:
    notes = {"order": ["bob", "ann"], "strongest": "clear", "cut_to": 400, "cut": ["ann"]}
    shown = {"kind": "shown", "order": [["bob"], ["ann"]], "answer": "Paris"}
    cut = {"kind": "cut", "characters": 400, "players": ["ann"]}
    reviewed = {"kind": "review", "by": "cat", "parts": {"strongest": "clear"}}
    by_cat = OldCell("peer-review", "cat", {"order": "ascending"})
    assert records(notes, by_cat) == [{**shown, "to": "cat", "role": "reviewer", "drawn": False}, reviewed, cut]
    assert records(notes, by_cat, answer=None)[1:] == [cut], "it has said nothing of them"
    led = OldCell("silent", "dan", {})
    assert records(notes, led) == [{**shown, "to": "dan", "role": "captain"}, cut]


def test_rounds_are_counted_from_the_second_turn_on() -> None:
    rounds = [{"positions": {"ann": "A"}, "changed": ["ann"], "absent": []}] * 2
    rounds[1] = {**rounds[1], "changed": [], "late": ["bob"]}
    notes = {"rounds": rounds, "resolution": {"ann": "A"}, "ending": "agreed", "agreed": 1}
    assert records(notes, OldCell("debate", None, {})) == [
        {"kind": "round", "turn": 2, "positions": {"ann": "A"}, "changed": ["ann"]},
        {"kind": "round", "turn": 3, "positions": {"ann": "A"}, "late": ["bob"]},
        {"kind": "resolution", "turn": 4, "answers": {"ann": "A"}},
        {"kind": "ending", "how": "agreed", "agreed": True},
    ]


def test_an_agreement_and_its_supporters() -> None:
    reached = {"turn": 2, "messages": 5, "solution": "Paris", "supporters": ["ann", "bob"]}
    assert records({"consensus": reached}, DISCUSS) == [{"kind": "agreement", **reached}]


def test_a_verdict_of_which_nothing_was_noted_has_no_records() -> None:
    written = verdict_with_traces('{"answer": "Paris", "notes": {}, "turns": 1}', VOTE)
    assert json.loads(written or "") == {"answer": "Paris", "turns": 1}


def test_who_holds_a_file_in_words() -> None:
    assert str(Writer(7, "moot run", False)) == (
        "process 7 (moot run) holds it; wait until it has ended, or end it, then run again"
    )
    assert str(Writer(7, "", True)) == (
        "process 7 holds it and is stopped; let it go on (kill -CONT 7) or end it, then run again"
    )
