"""Traces: every record is the same after it was stored, and what is not known here is kept whole."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from moot import traces
from moot.store.rows import verdict_json, verdict_of
from moot.traces import Ballot, Unknown, claims_in, kinds, of_kind, records, trace, trace_json, trace_of
from moot.types import Answer, Verdict

RECORDS: list[Any] = [
    traces.Grouped((("ann", "bob"), ("cat",)), ("model", "alone"), "no usable reply", 3),
    traces.Ballot("ann", {0: 1.0, 2: 2.0}, "ranking", (2, 0, 1), "judge", turn=4),
    traces.Ballot("ann", {1: 25.0}, "points", turn=1),
    traces.Ballot("ann", None, "approved", cause="no-ballot", turn=2, redrawn=False),
    traces.Counted(("Don", "Oka"), (2.0, 1.0), (0,), 3, {"ann": "Don", "bob": None}),
    traces.Shown("ann", "debater", (("bob", "cat"), ("ann",)), 2, False, "Don", ()),
    traces.Shown("ann", "captain", (("bob",),), 2, answer=None, places=(0,)),
    traces.Round(2, {"ann": "A", "bob": None}, ("ann",), ("bob",), ("bob",)),
    traces.Resolution(4, {"ann": "A", "bob": None}),
    traces.Ending("stuck", agreed=False),
    traces.Agreement(2, 5, None, ("ann",)),
    traces.Review("ann", {"strongest": "bob's"}, 3),
    traces.Remark(0, "ann", 1, 2, "hm", "Don", False, 0, "Don", (1, 2), ("bob",), "answered", None),
    traces.Persona("ann", "Agent 1", "botanist", "expert"),
    traces.Challenge("wrong", "Oka", "Oka", "facts", "cause"),
    traces.Objection("ann", agree=None, answer="Don", cause="late"),
    traces.Extraction("ann", 2, {"ray": "B", "roy": None}, None, "they differ"),
    traces.NotNeeded(("ann",)),
    traces.NoTwoAgreed("ann", "captain"),
    traces.NoTwoAgreed("bob", "lot"),
    traces.CutOff("ann", "draft", 1),
    traces.StrategyBroke("mine", "ZeroDivisionError: by zero"),
    traces.Cut(300, ("ann", "bob")),
    traces.Deadline(2.5),
    traces.Remarked("So it was."),
    traces.HangsOnCut(("ann", "bob")),
    traces.Unpriced(2),
    traces.DecidedFrom(3, "0f" * 16),
    traces.DecidedByRule("learnt", "the likeliest", "it was ahead", 0.75, {"ann": 2.0, "bob": 0.5}),
    traces.DecidedByRule("plurality", "the largest group", "nothing was learnt"),
    traces.Cascaded((("ann", "bob"), ("cat",)), "sure", (0.5, 0.96), 0.95, order="the cheapest first"),
    traces.Cascaded((("ann",), ("bob",)), "everybody", then="talkative"),
    traces.ToldProbability(0.97, "from 240 graded questions"),
    traces.ToldProbability(None, "nothing is learnt"),
    traces.Abstained("Oka", "not sure enough", 0.4, 0.9, None, reasoning="It rhymes.", who=("ann", "bob")),
    traces.Abstained("Oka", "no threshold keeps it", target=0.95),
]


def stored(record: Any) -> dict[str, Any]:
    return dict(json.loads(json.dumps(trace_json(record))))


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: f"{type(record).__name__}")
def test_a_record_is_the_same_after_it_was_stored(record: Any) -> None:
    assert trace_of(stored(record)) == record
    assert verdict_of(json.dumps(verdict_json(Verdict("A", "answered", traces=(record,))))).traces == (record,)


def test_every_record_of_ours_is_tried_here() -> None:
    assert {stored(record)["kind"] for record in RECORDS} >= {
        kind for kind, record in kinds._KINDS.items() if record.__module__ == records.__name__
    }


def test_a_store_that_was_written_under_a_default_still_says_what_it_said() -> None:
    """Those who make a record today must give its turn, and their orders are their own draws; older ones left both out."""
    older = trace_of({"kind": "ballot", "voter": "ann", "choice": {"0": 1.0}, "order": [0, 1]})
    assert (older.turn, older.redrawn) == (1, False)
    assert trace_of({"kind": "shown", "to": "ann", "role": "captain", "order": [["bob"]]}).turn == 2
    with pytest.raises(TypeError, match="turn"):
        Ballot("ann", {0: 1.0})  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="turn"):
        traces.Shown("ann", "captain", ())  # type: ignore[call-arg]


def test_only_what_differs_is_stored() -> None:
    vote = Ballot("ann", {0: 1.0}, turn=1, redrawn=False)
    assert stored(vote) == {"kind": "ballot", "voter": "ann", "choice": {"0": 1.0}}
    ranked = stored(Ballot("ann", {0: 1.0}, "ranking", turn=1))
    assert (ranked["kind"], ranked["form"]) == ("ballot", "ranking"), "a ballot is a ballot, however it is filled in"


@trace("veto")
@dataclass(frozen=True, slots=True)
class Veto:
    """A record of somebody else's."""

    by: str
    of: tuple[tuple[str, int], ...]
    seen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def claims(self) -> tuple[str, ...]:
        return (self.by,)


def test_a_record_from_elsewhere() -> None:
    veto = Veto("ann", (("bob", 2),), {"ann": ("x", "y")})
    assert trace_of(stored(veto)) == veto
    assert of_kind([veto, *RECORDS], Veto) == [veto]
    assert claims_in([veto, traces.Objection("ann", agree=False, answer="Don"), traces.Ending("stuck", False)]) == [
        "ann",
        "Don",
    ]


@pytest.mark.parametrize(
    "written",
    [
        {"kind": "nobody-knows", "of": [1, {"deep": None}]},
        {"kind": "veto", "by": "ann", "of": [], "newer": 3},
        {"kind": "veto", "of": []},
        {"kind": "veto", "by": "ann", "of": [["bob"]]},
    ],
    ids=["not installed", "of a newer version", "of an older version", "of another form"],
)
def test_what_is_not_known_here_is_kept_whole(written: dict[str, Any]) -> None:
    record = trace_of(written)
    assert isinstance(record, Unknown)
    assert trace_json(record) == written


def test_what_is_no_record_is_refused() -> None:
    with pytest.raises(TypeError, match="Answer is no trace; expected a dataclass made one by @trace"):
        trace_json(Answer("ann", "A"))
    with pytest.raises(TypeError, match="must be a dataclass"):
        trace("plain")(int)
    with pytest.raises(ValueError, match=r"the trace 'ballot' is moot\.traces\.records\.Ballot already"):
        trace("ballot")(Veto)
    with pytest.raises(TypeError, match="has a field 'kind', under which its own name is stored"):

        @trace("kinded")
        @dataclass(frozen=True)
        class Kinded:
            kind: str
