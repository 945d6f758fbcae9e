"""Sides of a comparison as values: what each question gives, who is compared with whom, and who differs in names alone."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from moot.measures.safety.figures import names_compared
from moot.measures.sides import UNPLAYED, SideResults, highest, pairs_of, partners, ranked
from moot.stats.graded import Value, graded_value
from moot.stats.values import PlainMarks

RIGHT, WRONG = graded_value(1.0), graded_value(0.0)


def cell(ident: str, **other: Any) -> Any:
    return {"id": ident, "player": None, "captain": None, "team": "three", "cohort": None, **other}


def side(right: dict[str, float], calls: dict[str, float], **other: Any) -> SideResults:
    cells = other.pop("cells", (cell("x"),))
    return SideResults("vote", cells, right, calls, other.pop("cost_usd", None), **other)


def test_what_each_question_gives() -> None:
    plain = side({"a": 1.0, "b": 0.0}, {"a": 3.0, "b": 3.0})
    assert (plain.value("a"), plain.value("c")) == (RIGHT, UNPLAYED)
    assert isinstance(plain.values(["a", "b"]), PlainMarks)
    assert {**plain.values(["b", "c"])} == {"b": WRONG}
    assert plain.marks(plain.calls) is plain.right
    assert plain.marks(["a"]) == {"a": 1.0}
    assert plain.marks(["a", "c"]) == {"a": 1.0}
    waits = graded_value(None, "waiting")
    part = side({"a": 1.0}, {"a": 3.0, "b": 3.0}, open={"b": waits}, counted={"b": waits})
    assert (part.value("b"), part.marks(["b", "a"])) == (waits, {"b": None, "a": 1.0})
    assert part.values(["a", "b", "c"]) == {"a": RIGHT, "b": waits}
    assert not isinstance(part.values(["a"]), PlainMarks)
    assert part.values_of(part.first) == {"a": RIGHT, "b": waits}
    two = side({"a": 0.5}, {"a": 3.0}, parts={"x": {"a": RIGHT}, "y": {"a": WRONG}})
    assert (two.values_of(cell("x")), two.values_of(cell("y"))) == ({"a": RIGHT}, {"a": WRONG})


def test_what_it_took_where_that_is_known() -> None:
    cut = side({"a": 1.0}, {"a": 3.0, "b": 9.0}, cost_usd={"a": 0.5, "b": 1.0}, cut=frozenset("b"))
    assert (cut.whole_calls, cut.whole_usd) == ({"a": 3.0}, {"a": 0.5})
    assert side({"a": 1.0}, {"a": 3.0}).whole_usd is None


def test_what_its_cells_are() -> None:
    def seats(*cells: Any) -> str:
        return side({}, {}, cells=cells).seats

    assert seats(cell("x", player="ann"), cell("y", player="bob")) == "players"
    assert seats(cell("x", captain="ann"), cell("y")) == "captains"
    assert seats(cell("x", cohort="one"), cell("y", cohort="two")) == "cohorts"
    assert seats(cell("x", player="ann"), cell("y")) == "cohorts"


def test_like_is_compared_with_like() -> None:
    ann, bob, cat = (cell(name, captain=name) for name in ("ann", "bob", "cat"))
    alone = [cell(f"{name} alone", player=name, team=None) for name in ("ann", "bob")]
    assert partners([ann, bob], alone) == [(ann, alone[0]), (bob, alone[1])]
    assert partners([ann, bob], [bob, cat]) == [(bob, bob)]
    assert partners([ann], alone) == [(ann, alone[0]), (ann, alone[1])], "a single one is compared with all"
    assert partners([ann, bob], [cat]) == [(ann, cat), (bob, cat)]
    eve, tom = (cell(name, captain=name) for name in ("eve", "tom"))
    assert partners([ann, bob], [eve, tom]) == [(ann, eve), (ann, tom), (bob, eve), (bob, tom)], "nobody is on both"
    one, two = cell("one", cohort="1"), cell("two", cohort="2")
    other, third = cell("other", cohort="1", label="x"), cell("third", cohort="1", team="four")
    assert partners([one, two], [other, third]) == [(one, other)]
    mine, theirs = cell("mine", captain="ann", team="three"), cell("theirs", captain="ann", team="four")
    assert (mine, theirs) not in partners([mine, bob], [theirs, bob])


def test_pairs_are_taken_captain_by_captain() -> None:
    cells = cell("ann", captain="ann"), cell("bob", captain="bob")
    one = side({}, {"a": 1.0, "b": 1.0}, cells=cells, parts={"ann": {"b": RIGHT, "a": WRONG}, "bob": {"a": RIGHT}})
    other = side({}, {"a": 1.0}, cells=cells, parts={"ann": {"a": RIGHT}, "bob": {"a": WRONG, "c": RIGHT}})
    assert pairs_of(one, other) == {"a": [(WRONG, RIGHT), (RIGHT, WRONG)]}
    both = {"b": RIGHT, "a": WRONG}
    assert [*pairs_of(*(side({}, {}, parts={"x": both}) for _ in "ab"))] == ["a", "b"], "in the order of their names"


def test_who_got_most_right_of_what_all_were_asked() -> None:
    calls = {f"q{n}": 3.0 for n in range(8)}
    high, low = ({question: float(n < right) for n, question in enumerate(calls)} for right in (6, 4))
    options = {"low": side(low, calls), "dear": side(high, calls), "cheap": side(high, dict.fromkeys(calls, 1.0))}
    assert highest(options) == "cheap"
    assert highest({"low": options["low"], "dear": options["dear"]}) == "dear"
    partly = side(high, calls, cut=frozenset(["q0"]))
    assert ranked({**options, "partly": partly}).questions == tuple(calls)
    open_ = {"q6": Value(None, 0.75, 1.0), "q7": Value(None, 0.75, 1.0)}
    waits = side({q: mark for q, mark in high.items() if q not in open_}, calls, open=open_, counted=open_)
    assert highest({"dear": options["dear"], "waits": waits}) == "waits"
    assert highest({}) is None


def reviewing(ident: str, names: str | None, **other: Any) -> Any:
    given = {"strategy": "peer-review", "label": ident, "options": {"names": names}, **other}
    return cell(ident, traits=SimpleNamespace(names=names), **given)


def test_strategies_that_differ_in_names_alone() -> None:
    hidden, shown = reviewing("blind", "hidden"), reviewing("named", "shown")
    found = [*names_compared([hidden, shown, reviewing("alone", None)])]
    assert found == [({"stage": "named", "team": "three", "cohort": None}, [hidden], [shown])]
    assert [*names_compared([hidden, reviewing("named", "shown", strategy="debate")])] == []
    assert [*names_compared([hidden, reviewing("named", "shown", strategy="a-debate")])] == []
    assert [*names_compared([hidden, reviewing("named", "shown", team="four")])] == []
    twice = reviewing("named", "shown", options={"names": "shown", "rounds": 3})
    assert [*names_compared([hidden, twice])] == [], "another option differs too"
    same = reviewing("named", "shown", options={"names": "hidden"})
    assert [*names_compared([hidden, same])] == []
    assert [*names_compared([shown])] == []


def test_names_are_compared_in_each_cohort_and_over_all() -> None:
    cells = [
        reviewing(label, names, cohort=cohort)
        for label, names in (("blind", "hidden"), ("named", "shown"))
        for cohort in "xy"
    ]
    found = [(row["cohort"], [len(side) for side in sides]) for row, *sides in names_compared(cells)]
    assert found == [("x", [1, 1]), ("y", [1, 1]), (None, [2, 2])]
    assert all(
        each["cohort"] == "x"
        for row, *sides in names_compared(cells)
        if row["cohort"] == "x"
        for s in sides
        for each in s
    )
    assert [(row["cohort"], len(sides[0])) for row, *sides in names_compared(cells[::2])] == [("x", 1)]
