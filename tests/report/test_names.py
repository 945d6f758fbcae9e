"""Short names: what tells rows apart is shown whole, what they share is said once, and nothing is cut."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, replace
from itertools import cycle
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from worlds import World

import moot
from moot import Question, Team, Traits, Verdict
from moot.experiment.side_names import spaced
from moot.report.layout import fitted, longest_piece, table, wrapped
from moot.report.names import LabelledStrategy, left_out, options_left, short_names, shortened, table_names, ways_of
from moot.report.sections import all_sections
from moot.report.terminal import print_report

SHARED = {
    "summariser": "ace",
    "proposers": ["qwq-one", "gpt-two"],
    "shown_accuracies": {"qwq-one": 0.6, "gpt-two": 0.5},
}
ROWS = [
    {
        "strategy": "mixture",
        "label": f"mixture({order}{hidden}summariser=ace, proposers=('qwq-one', 'gpt-two'), shown_accuracies=2#838a5a)",
        "options": {
            **({"order": "ascending"} if order else {}),
            **({"accuracies": "hidden"} if hidden else {}),
            **SHARED,
        },
    }
    for order in ("order=ascending, ", "")
    for hidden in ("accuracies=hidden, ", "")
]
MIXTURES = [str(row["label"]) for row in ROWS]
SOLO = {"strategy": "solo", "label": "solo", "options": {}}


def test_what_all_rows_of_a_strategy_share_is_left_out_and_said_once() -> None:
    ways = ways_of([SOLO, *ROWS])
    assert short_names(ways) == dict(
        zip(
            ["solo", *MIXTURES],
            [
                "solo",
                "mixture(order=ascending, accuracies=hidden)",
                "mixture(order=ascending)",
                "mixture(accuracies=hidden)",
                "mixture",
            ],
            strict=True,
        )
    )
    assert list(options_left(ways).values()) == [
        "",
        "order=ascending, accuracies=hidden",
        "order=ascending",
        "accuracies=hidden",
        "",
    ]
    assert left_out(ways) == [
        "Every mixture here has summariser=ace, proposers=qwq-one+gpt-two, shown_accuracies (2 given)."
    ]


def test_one_label_keeps_its_options_and_lists_are_written_plainly() -> None:
    ways = ways_of(ROWS[:1])
    (name,) = short_names(ways).values()
    assert name == (
        "mixture(order=ascending, accuracies=hidden, summariser=ace, proposers=qwq-one+gpt-two, shown_accuracies (2 given))"
    )
    assert left_out(ways) == []
    row = {"label": "adaptive(talk_from=3)", "strategy": "adaptive", "options": {"talk_from": 3, "captain": "ann"}}
    assert short_names(ways_of([row])) == {"adaptive(talk_from=3)": "adaptive(talk_from=3)"}, (
        "captains stand after the @"
    )


@dataclass(frozen=True)
class Boat:
    """Its captain is an option like any other: no line-up is made by it, so it stands after no @."""

    captain: str
    speed: int = 1
    name: ClassVar[str] = "boat"
    traits: ClassVar[Traits] = Traits(prompts=("draft",), drafts="single-call", word="player")

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (replace(team, captain=None),)

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        own = next(draft for draft in drafts if draft.player == self.captain)
        return Verdict(own.text, own.outcome, own.reasoning, (own.player,), drafts)


def test_a_captain_who_stands_after_no_name_is_told() -> None:
    models = {name: {"provider": "simulated", "accuracy": 0.5} for name in ("ann", "bob")}
    keys = {"name": "cup", "questions": {"builtin": "general-en", "sample": 3}, "models": models}
    results = moot.run(keys, strategies=[Boat("ann", 2), Boat("bob", 3)])
    labels = {row["label"] for row in shortened(results.figures)["accuracy"] if row["strategy"] == "boat"}
    assert labels == {"boat(captain=ann, speed=2)", "boat(captain=bob, speed=3)"}


def test_values_are_compared_and_never_their_words() -> None:
    """A value that looks like another option is a value."""
    tricky = "critical, agents=5"
    ways = {
        "one": LabelledStrategy("discuss", {"style": tricky, "agents": 4}),
        "two": LabelledStrategy("discuss", {"style": tricky, "agents": 5}),
    }
    assert short_names(ways) == {"one": "discuss(agents=4)", "two": "discuss(agents=5)"}
    assert left_out(ways) == ['Every discuss here has style="critical, agents=5".']
    kinds = {
        "one": LabelledStrategy("vote", {"early_stop": True}),
        "two": LabelledStrategy("vote", {"early_stop": "True"}),
    }
    assert left_out(kinds) == [], "a text is no truth value"


@pytest.mark.parametrize(
    ("one", "two", "shared"),
    [
        (1, True, False),
        (0, False, False),
        (0, None, False),
        ([1, 0], [True, False], False),
        ({"ann": 1}, {"ann": True}, False),
        ({"ann": 1, "bob": 2}, {"bob": 2, "ann": 1}, True),
        (("ann", "bob"), ["ann", "bob"], True),
        (["ann", "bob"], ["bob", "ann"], False),
    ],
)
def test_an_option_is_shared_if_it_is_stored_alike(one: object, two: object, shared: bool) -> None:
    """Python holds 1 and true for equal, and a list for something else than a tuple: a file, and a store, do neither."""
    rows = [
        {
            "strategy": "vote",
            "label": f"vote(weights={number}, seed={number})",
            "options": {"weights": given, "seed": number},
        }
        for number, given in enumerate((one, two))
    ]
    ways = ways_of(rows)
    assert bool(left_out(ways)) is shared
    assert all((name == f"vote(seed={number})") is shared for number, name in enumerate(short_names(ways).values()))


def test_without_options_the_label_is_all_there_is() -> None:
    rows = [{"strategy": "vote", "label": "vote(early_stop=True)"}, {"strategy": "vote", "label": "vote"}]
    assert short_names(ways_of(rows)) == {"vote(early_stop=True)": "vote(early_stop=True)", "vote": "vote"}


def test_a_plus_in_a_name_is_no_list() -> None:
    ways = {
        "mixture(proposers=('a', 'b'))": LabelledStrategy("mixture", {"proposers": ["a", "b"]}),
        "mixture(proposers=('a+b',))": LabelledStrategy("mixture", {"proposers": ["a+b"]}),
    }
    assert [*short_names(ways).values()] == ["mixture(proposers=a+b)", 'mixture(proposers="a+b")']
    assert [*map(spaced, ways)] == [*short_names(ways).values()], "and whoever types one means that label"


def test_no_name_is_the_label_of_another() -> None:
    """`vote` with what all share left out would be called as the one that nothing is known of."""
    ways = {
        "vote(seed=1, early_stop=True)": LabelledStrategy("vote", {"seed": 1, "early_stop": True}),
        "vote(seed=1)": LabelledStrategy("vote", {"seed": 1, "early_stop": False}),
        "vote(early_stop=True)": LabelledStrategy("vote", {"seed": 1}),
        "vote": LabelledStrategy("vote", {"seed": 1, "early_stop": None}),
        "solo(seed=2)": LabelledStrategy("solo", {}),
        "solo": LabelledStrategy("solo", None),
    }
    assert short_names(ways) == {
        "vote(seed=1, early_stop=True)": "vote(seed=1, early_stop=True)",
        "vote(seed=1)": "vote(early_stop=False)",
        "vote(early_stop=True)": "vote(early_stop=True)",
        "vote": "vote(early_stop=None)",
        "solo(seed=2)": "solo(seed=2)",
        "solo": "solo",
    }


_TEXTS = st.text(alphabet="ab(),='+ ", max_size=8)


@given(st.dictionaries(_TEXTS, st.dictionaries(_TEXTS, st.lists(_TEXTS, max_size=2) | _TEXTS, max_size=2), max_size=6))
def test_different_labels_have_different_names(options: dict[str, dict[str, object]]) -> None:
    names = short_names({label: LabelledStrategy("ab", given) for label, given in options.items()})
    assert list(names) == list(options)
    assert len(set(names.values())) == len(options)
    assert all(name == label or name not in options for label, name in names.items())


@pytest.mark.parametrize(
    ("tables", "names"),
    [
        ([("nine", "open", "double-call"), ("nine", "closed", "double-call")], ["open", "closed"]),
        ([("six", None, None), ("six", None, "double-call")], ["six", "six (double-call)"]),
        ([("nine", "open", None), ("five", "open", None)], ["nine/open", "five/open"]),
        ([("nine", "open", None), ("nine", "closed", None), ("nine", None, None)], ["open", "closed", "nine"]),
        ([("a/b", None, None), ("a/c (x)", None, None)], ["a/b", "a/c (x)"]),
        ([("a/b (x)", "c/d", None), ("a/b (x)", "e (x)", None)], ["c/d", "e (x)"]),
        (
            [("nine", "open", None), ("nine", "closed", None), ("open", None, None)],
            ["nine/open", "nine/closed", "open"],
        ),
        ([("nine", "nine", None), ("nine", None, None)], []),
    ],
)
def test_tables_by_what_their_names_do_not_share(
    tables: list[tuple[str, str | None, str | None]], names: list[str]
) -> None:
    rows = [
        {"team": team, "cohort": cohort, "drafts": drafts, "table": str(place)}
        for place, (team, cohort, drafts) in enumerate(tables)
    ]
    alone = {"player": "ann", "label": "solo"}
    assert list(table_names([alone, *rows]).values()) == names


def test_figures_are_renamed_everywhere_and_stay_as_they_were() -> None:
    figures = {
        "accuracy": [
            {**row, "team": "nine", "captain": "ann", "cohort": cohort, "table": f"nine/{cohort}"}
            for row, cohort in zip(ROWS, cycle(("open", "closed")), strict=False)
        ],
        "headline": {"of": f"{MIXTURES[0]}@ann", "parts": {MIXTURES[1]: 5}},
        "hypotheses": [{"hypothesis": f"accuracy({MIXTURES[0]}) > 0.5"}],
        "gap": [{"strategy": MIXTURES[2], "team": "nine/open", "value": 0.5}],
        "teams": [{"team": "nine/open"}, {"team": "nine/closed"}],
    }
    shown = shortened(figures)
    assert shown["headline"] == {
        "of": "mixture(order=ascending, accuracies=hidden)@ann",
        "parts": {"mixture(order=ascending)": 5},
    }
    assert shown["gap"] == [{"strategy": "mixture(accuracies=hidden)", "team": "open", "value": 0.5}]
    assert shown["hypotheses"] == figures["hypotheses"], "what somebody wrote is shown as it was written"
    assert shown["left_out"] == left_out(ways_of(ROWS))
    assert figures["accuracy"][0]["label"] == MIXTURES[0]


# --- lines that break where they may -----------------------------------------------------------------------------------


def test_names_break_between_options_before_they_break_within_words() -> None:
    assert wrapped("peer-review(names=shown)", 14).splitlines() == ["peer-review(", "names=shown)"]
    assert wrapped("peer-review", 9).splitlines() == ["peer-", "review"]
    assert wrapped("discuss(style=critical, decision=unanimity-consensus)", 21).splitlines() == [
        "discuss(",
        "style=critical,",
        "decision=",
        "unanimity-consensus)",
    ]
    assert wrapped("short", 14) == "short"
    assert longest_piece("discuss(decision=supermajority-consensus)") == len("supermajority-")


@given(st.text(alphabet="ab-(=, é猫", max_size=60), st.integers(2, 30))
def test_nothing_is_lost_and_every_line_fits(text: str, width: int) -> None:
    lines = wrapped(text, width).splitlines()
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(cell_len(line) <= width for line in lines)


def test_the_widest_gives_way_first() -> None:
    assert fitted([40, 11, 5], 40) == [24, 11, 5]
    assert fitted([40, 30], 60) == [30, 30]
    assert fitted([9, 9], 4) == [8, 8], "no narrower than can be read"


def test_a_table_wraps_its_names_and_never_its_figures() -> None:
    rows = [("peer-review(names=shown)", "deepseek-r1", "+10.0 (-12.2 to 31.7)", "3")] * 2
    made = table(("strategy", "captain", "gain (95 % interval)", "n"), rows, words=2, width=60)
    cells = [list(column.cells) for column in made.columns]
    assert cells[0][0] == "peer-review(\nnames=shown)"
    assert cells[1][0] == "deepseek-r1"
    assert cells[2][0] == "+10.0 (-12.2 to 31.7)"


def test_a_captain_stands_beside_itself_alone_in_every_view_of_cohorts() -> None:
    """A view shows tables by short names, and finds the rows of one by them."""
    players = ("ann", "bob", "cat", "dan")
    world = World(
        lambda name, number, repeat: "Paris" if number % (2 + players.index(name)) else "Rome",
        count=12,
        players=players,
    )
    keys = world.keys(["solo", "silent", "talkative", {"debate": {"drafts": "double-call"}}])
    cohorts = {"open": ["ann", "bob"], "closed": ["cat", "dan"]}
    keys["teams"] = {"team": {"players": list(players), "captain": "each", "cohorts": cohorts}}
    figures = moot.run(keys).figures
    alone = {(row["team"], row["player"]): row["value"] for row in figures["players"]}
    expected = [alone[row["table"], row["captain"]] for row in figures["accuracy"] if row.get("captain")]
    assert len(set(expected)) > 1
    short = shortened(figures)
    for told in (figures, short):
        (section,) = [section for section in all_sections(told) if section.id == "by-captain"]
        assert [row["single"] for row in section.rows] == expected
    console = Console(width=120, file=io.StringIO())
    print_report(short, console)
    assert "Team open, by captain" in console.file.getvalue()
    for captain in players:
        told = f"{100 * alone[next(key for key in alone if key[1] == captain)]:.1f}"
        assert re.search(rf"^ *{captain} +{told} \(", console.file.getvalue(), re.MULTILINE)
