"""A side against several opponents: whatever is told of it is of one pair, and it is the pair that decides."""

from __future__ import annotations

import random
from typing import Any

import pytest

from moot.measures.preferences.options import SideOfPairs, option_row, option_rows
from moot.measures.preferences.sections import preference_sections
from moot.stats.preference_share import Rate, rate_of

NAMES = ("ann", "bob", "cat", "dan")
OF_ONE_PAIR = ("against", "value", "low", "high", "p")


def side_of(shares: dict[str, float], turned: tuple[str, ...] = (), questions: int = 60, **keys: Any) -> SideOfPairs:
    """Of so many questions won; what words that are left out would overturn is named."""
    rates: dict[str, Rate] = {}
    lost: dict[str, Rate] = {}
    wins: dict[str, Rate] = {}
    pairs = []
    for name, share in shares.items():
        won = round(share * questions)
        rate = rates[name] = rate_of([1.0] * won + [0.0] * (questions - won), [1.0] * questions)
        one_sided = rate.at_most_half()
        assert one_sided is not None
        low, high = rate.limits(0.05) or (None, None)
        pair: dict[str, Any] = {
            "against": name,
            "value": rate.value,
            "low": low,
            "high": high,
            "p": min(1.0, 2 * one_sided),
        }
        pair |= {"n": questions, "plays": questions, "ungraded": 0, **keys}
        pair["missing"] = 2 * pair["ungraded"]
        for found, value in ((lost, 0.0), (wins, 1.0)):
            silent = [value] * pair["ungraded"]
            part = (questions - len(silent)) / questions
            kept = round(won * part)
            rest = questions - len(silent) - kept
            found[name] = rate_of([1.0] * kept + [0.0] * rest + silent, [1.0] * questions)
        pairs.append(pair | ({"overturned": "together"} if name in turned else {}))
    return SideOfPairs({"of": "team"}, pairs, rates, lost, wins)


def drawn(draw: random.Random) -> SideOfPairs:
    names = NAMES[: draw.randint(1, 4)]
    about = draw.choice((0.2, 0.4, 0.5, 0.6, 0.8))
    shares = {name: min(1.0, max(0.0, draw.gauss(about, 0.15))) for name in names}
    return side_of(shares, tuple(name for name in names if draw.random() < 0.3), draw.choice((20, 60)))


def test_all_that_a_row_tells_is_of_one_pair_and_no_claim_is_hidden_or_made_of_another() -> None:
    draw = random.Random(3)
    seen = set()
    for _ in range(120):
        sides = [drawn(draw) for _ in range(draw.randint(1, 3))]
        for side, row in zip(sides, option_rows(sides, unlisted=draw.randint(0, 2)), strict=True):
            pair = next(pair for pair in side.pairs if pair["against"] == row["against"])
            assert {key: row[key] for key in OF_ONE_PAIR} == {key: pair[key] for key in OF_ONE_PAIR}
            sure = {
                name
                for name, rate in side.rates.items()
                if (ends := rate.limits(0.05 / row["family"] / len(side.pairs))) and ends[1] < 0.5
            }
            turned = {each["against"] for each in side.pairs if "overturned" in each}
            alone = all(each["low"] > 0.5 for each in side.pairs)
            assert row["worse"] is bool(sure - turned), "a loss that nothing overturns is never hidden"
            assert not row["worse"] or row["against"] in sure - turned
            withheld = bool(turned) if alone else bool(sure) and sure <= turned
            assert ("overturned" in row) is withheld, "only where something could else be claimed"
            assert row["alone_better"] is (alone and not turned)
            assert not row["better"] or row["alone_better"]
            if withheld:
                assert row["against"] in turned
                assert (row["p_holm"], row["low_holm"], row["better"], row["worse"]) == (None, None, False, False)
            else:
                assert row["p_holm"] >= row["p"], "it pays"
                assert row["high_holm"] >= row["high"], "it pays"
            if not (withheld or row["worse"]):
                assert row["p"] == max(each["p"] for each in side.pairs), "of whom it is least sure"
            seen.add((row["better"], row["worse"], withheld))
    assert len(seen) == 4, "all that can be claimed, and nothing"


@pytest.mark.parametrize(
    ("shares", "turned", "told", "claim"),
    [
        ({"ann": 0.58, "bob": 0.77, "cat": 0.42}, ("bob",), "cat", None),
        ({"ann": 0.80, "bob": 0.77, "cat": 0.75}, ("bob",), "bob", "overturned"),
        ({"ann": 0.20, "bob": 0.15, "cat": 0.60}, ("bob",), "ann", "worse"),
        ({"ann": 0.45, "bob": 0.15, "cat": 0.60}, ("bob",), "bob", "overturned"),
        ({"ann": 0.80, "bob": 0.77, "cat": 0.75}, (), "cat", "better"),
    ],
    ids=["another is the reason", "it alone is", "lost to another", "it alone would be lost", "nothing is left out"],
)
def test_who_is_told(shares: dict[str, float], turned: tuple[str, ...], told: str, claim: str | None) -> None:
    row = option_row(side_of(shares, turned), 1)
    assert row["against"] == told
    assert [key for key in ("better", "worse", "overturned") if row.get(key)] == [claim] * (claim is not None)


def test_what_would_be_overturned_leaves_the_others_no_more() -> None:
    clear, near = side_of({"ann": 0.9}), side_of({"ann": 0.66})
    alone, beside = (option_rows([side, near], 0)[1] for side in (clear, side_of({"ann": 0.9}, ("ann",))))
    assert alone["p_holm"] == alone["p"]
    assert beside["p_holm"] == min(1.0, 2 * beside["p"])


SILENT = {"ungraded": 12}
"""Of 60 plays."""


@pytest.mark.parametrize(
    ("shares", "keys", "told", "near"),
    [
        ({"ann": 0.72, "bob": 0.9}, SILENT, "ann", "better"),
        ({"ann": 0.95, "bob": 0.99}, SILENT, "ann", None),
        ({"ann": 0.24, "bob": 0.7}, SILENT, "ann", "worse"),
        ({"ann": 0.24, "bob": 0.02}, SILENT, "bob", None),
        ({"ann": 0.5, "bob": 0.9}, SILENT, "ann", None),
        ({"ann": 0.72, "bob": 0.9}, {}, "ann", None),
    ],
    ids=["nearly better", "better", "nearly worse", "worse", "neither", "all are heard"],
)
def test_what_only_silence_prevents_is_told_of_the_pair_that_it_is_about(
    shares: dict[str, float], keys: dict[str, Any], told: str, near: str | None
) -> None:
    side = side_of(shares, **keys)
    alone, (row,) = option_row(side, 1), option_rows([side], 0)
    assert alone.get("but_for_ungraded") == row.get("but_for_ungraded") == near
    assert alone["against"] == told
    assert not near or not (row["better"] or row["worse"])
    assert row.get("alone_but_for_ungraded") == (near if near == "better" else None)


@pytest.mark.parametrize(
    ("share", "keys", "said"),
    [
        (0.2, {}, None),
        (0.9, {}, None),
        (
            0.72,
            SILENT,
            "not better for sure, with the 24 missing judgements counted as lost",
        ),
        (
            0.24,
            SILENT,
            "not worse for sure, with the 24 missing judgements counted as won",
        ),
        (0.5, SILENT, None),
    ],
)
def test_why_nothing_is_claimed_is_said_only_where_something_seems_to_be(
    share: float, keys: dict[str, Any], said: str | None
) -> None:
    unsaid = dict.fromkeys(("pairs", "ratings", "habits", "agreement", "judges", "persons"), ())
    unsaid |= dict.fromkeys(("voted", "settled", "without_word", "baseline", "judges_who_play"))
    found = {**unsaid, "options": option_rows([side_of({"ann": share}, **keys)], 0)}
    (section,) = (each for each in preference_sections({"preferences": found}) if each.id == "preference-options")
    assert section.words[1:] == (() if said is None else (f"team against ann: {said}.",))


def test_an_interval_that_lies_below_a_half_is_a_loss_that_is_said_or_the_missing_words_are_why_it_is_not() -> None:
    """Its upper end pays as the word "worse" does: for all options, and for looking at every opponent."""
    draw = random.Random(11)
    seen = set()
    for _ in range(150):
        silent = {"ungraded": draw.choice((0, 0, 12))}
        shares = [{name: draw.uniform(0.15, 0.75) for name in NAMES[: draw.randint(1, 4)]} for _ in range(3)]
        sides = [side_of(each, questions=draw.choice((20, 60)), **silent) for each in shares]
        for row in (*option_rows(sides, unlisted=draw.randint(0, 4)), *(option_row(side, 1) for side in sides)):
            below = row["high_holm"] < 0.5
            assert below is (row["worse"] or row.get("but_for_ungraded") == "worse")
            assert row["low"] <= row["value"] <= row["high"] <= row["high_holm"]
            seen.add((below, row["worse"], row["high"] < 0.5))
    assert seen >= {(True, True, True), (True, False, True), (False, False, True), (False, False, False)}
