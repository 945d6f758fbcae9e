"""Short names: what tells rows apart is shown whole, what they share is said once, and nothing is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from moot.report.layout import fitted, longest_piece, table, wrapped
from moot.report.names import left_out, options_in, short_names, shortened, table_names

MIXTURES = [
    f"mixture({order}{shown}summariser=ace, proposers=('qwq-one', 'gpt-two'), shown_accuracies=2#838a5a)"
    for order in ("order=ascending, ", "")
    for shown in ("accuracies=hidden, ", "")
]


def test_what_all_rows_of_a_strategy_share_is_left_out_and_said_once() -> None:
    names = short_names(["solo", *MIXTURES])
    assert list(names.values()) == [
        "solo",
        "mixture(order=ascending, accuracies=hidden)",
        "mixture(order=ascending)",
        "mixture(accuracies=hidden)",
        "mixture",
    ]
    assert left_out(["solo", *MIXTURES]) == [
        "Every mixture here has summariser=ace, proposers=qwq-one+gpt-two, shown_accuracies (2 given)."
    ]


def test_one_label_keeps_its_options_and_lists_are_written_plainly() -> None:
    (name,) = short_names(MIXTURES[:1]).values()
    assert name == (
        "mixture(order=ascending, accuracies=hidden, summariser=ace, proposers=qwq-one+gpt-two, shown_accuracies (2 given))"
    )
    assert left_out(MIXTURES[:1]) == []
    assert short_names(["adaptive(talk_from=3)"]) == {"adaptive(talk_from=3)": "adaptive(talk_from=3)"}


def test_commas_and_brackets_within_a_value_part_nothing() -> None:
    label = """discuss(personas=('a chemist, agents=9', "a poet (it's me"), agents=5)"""
    assert options_in(label) == ["""personas=('a chemist, agents=9', "a poet (it's me")""", "agents=5"]


def test_names_that_would_be_the_same_stay_whole() -> None:
    labels = ["mixture(proposers=('a', 'b'))", "mixture(proposers=('a+b',))"]
    assert len(set(short_names(labels).values())) == 2


@given(st.lists(st.text(alphabet="ab(),='\"+ ", max_size=20), max_size=6, unique=True))
def test_different_labels_have_different_names(labels: list[str]) -> None:
    names = short_names(labels)
    assert list(names) == labels
    assert len(set(names.values())) == len(labels)


@pytest.mark.parametrize(
    ("tables", "names"),
    [
        (["nine/open (double-call)", "nine/closed (double-call)"], ["open", "closed"]),
        (["six", "six (double-call)"], ["six", "six (double-call)"]),
        (["nine/open", "five/open"], ["nine/open", "five/open"]),
        (["nine/open", "nine/closed", "nine"], ["open", "closed", "nine"]),
    ],
)
def test_tables_by_what_their_names_do_not_share(tables: list[str], names: list[str]) -> None:
    assert list(table_names(tables).values()) == names


def test_figures_are_renamed_everywhere_and_stay_as_they_were() -> None:
    figures = {
        "accuracy": [{"label": label, "team": "all"} for label in MIXTURES],
        "headline": {"words": [f"Chosen was {MIXTURES[0]}@ann."], "parts": {MIXTURES[1]: 5}},
        "hypotheses": [{"hypothesis": f"accuracy({MIXTURES[0]}) > 0.5"}],
        "gap": [{"strategy": MIXTURES[2], "team": "nine/open", "value": 0.5}],
        "teams": [{"team": "nine/open"}, {"team": "nine/closed"}],
    }
    shown = shortened(figures)
    assert shown["headline"] == {
        "words": ["Chosen was mixture(order=ascending, accuracies=hidden)@ann."],
        "parts": {"mixture(order=ascending)": 5},
    }
    assert shown["gap"] == [{"strategy": "mixture(accuracies=hidden)", "team": "open", "value": 0.5}]
    assert shown["hypotheses"] == figures["hypotheses"], "what somebody wrote is shown as it was written"
    assert shown["left_out"] == left_out(MIXTURES)
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
