"""A bill that says a part of what a call cost: no cost, and believed for that part, in a reply and in a failure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from billing import Provider, provider

import moot
from moot import Case, Question, Reply
from moot.bills import BillInPart
from moot.models import border
from moot.types import FREE, Price, Usage

CASES = [Case(Question(str(number), f"What is capital number {number}?"), "x") for number in range(30)]
PRICE = {"prompt": 1.0, "completion": 10.0}
CAP_USD = 1.0
MILLION = 1_000_000
FEE = {"cost": 5.0, "is_byok": True}

ABOVE: dict[str, tuple[dict[str, object], float]] = {
    "a fee": (FEE, 5.0),
    "a fee as text": ({"cost": "5.0", "is_byok": True}, 5.0),
    "a fee and a prompt": ({**FEE, "prompt_tokens": 10}, 5.0),
    "a fee, and a zero": ({**FEE, "prompt_tokens": 10, "completion_tokens": 0}, 5.0),
    "a fee, and nothing of the provider": ({**FEE, "cost_details": {"upstream_inference_cost": 0}}, 5.0),
    "the provider's part": ({"is_byok": True, "cost_details": {"upstream_inference_cost": 5.0}}, 5.0),
    "words alone": ({"completion_tokens": MILLION}, 10.0),
    "words, and a prompt of null": ({"prompt_tokens": None, "completion_tokens": MILLION}, 10.0),
    "a prompt alone": ({"prompt_tokens": 5 * MILLION}, 5.0),
    "a total alone": ({"total_tokens": 5 * MILLION}, 5.0),
    "a total beside words": ({"completion_tokens": 5, "total_tokens": 5 * MILLION}, 5.0),
    "words that nobody can count": ({"prompt_tokens": 10, "completion_tokens": 2**31}, 20_000.0),
    "words without end": ({"prompt_tokens": 10, "completion_tokens": 10**400}, 20_000.0),
    "a prompt that nobody can count": ({"prompt_tokens": 2**63, "completion_tokens": 10}, 2_000.0),
    "more money than there is": ({"cost": 2e9, "prompt_tokens": 10, "completion_tokens": 5}, 1e9),
    "more than there is, in digits": ({"cost": 10**400}, 1e9),
    "a fee above all": ({"cost": 2e9, "is_byok": True, "prompt_tokens": 10, "completion_tokens": 5}, 1e9),
    "too much for the provider": ({**FEE, "cost_details": {"upstream_inference_cost": 2e9}}, 1e9),
}
"""Each with what was paid at the least."""


def experiment(folder: Path, server: Provider, **keys: Any) -> dict[str, Any]:
    model = {
        "provider": "endpoint",
        "base_url": server.base_url,
        "model": "ann",
        "price": PRICE,
        "params": {"max_tokens": 100},
        **keys,
    }
    store = f"sqlite:///{folder}/cup.db"
    return {"name": "cup", "models": {"ann": model}, "questions": CASES, "store": store, "budget_usd": CAP_USD}


@pytest.mark.parametrize("kind", ABOVE)
def test_a_reply_that_says_a_part_above_what_was_allowed_stops_the_run(tmp_path: Path, kind: str) -> None:
    usage, least_usd = ABOVE[kind]
    with provider(latency_s=0.0) as server:
        server.usage = usage
        results = moot.run(experiment(tmp_path, server))
        assert (results.state, server.requests) == ("budget", 1)
        assert "ann billed" in str(results.stopped_by)
        assert "for a call that could cost" in str(results.stopped_by)
        assert results.figures["bill_usd"] is None, "what it cost in all nobody says"
        assert results.figures["losses_usd"] >= least_usd


@pytest.mark.parametrize("kind", ["a fee", "words alone", "a total alone", "words that nobody can count"])
@pytest.mark.parametrize("fails_by", ["500", "error"])
def test_so_does_a_failure(tmp_path: Path, kind: str, fails_by: str) -> None:
    usage, least_usd = ABOVE[kind]
    with provider(latency_s=0.0) as server:
        server.fails_by, server.usage = fails_by, usage
        results = moot.run(experiment(tmp_path, server, retries={"attempts": 2, "total_s": 20}))
        assert (results.state, server.requests) == ("budget", 1)
        assert "ann billed" in str(results.stopped_by)
        assert results.figures["losses_usd"] >= least_usd


def test_a_filter_that_names_a_fee_is_not_free(tmp_path: Path) -> None:
    with provider(latency_s=0.0) as server:
        server.fails_by, server.usage = "400", FEE
        server.fails_saying = "The prompt was filtered due to the content policy: content_filter"
        results = moot.run(experiment(tmp_path, server))
        assert (results.state, server.requests) == ("budget", 1)
        assert results.figures["losses_usd"] >= 5.0


def test_a_part_within_what_was_allowed_stops_nothing(tmp_path: Path) -> None:
    """The rest is at its most in the books, and a small fee comes on top of it."""
    ends = {}
    usages: dict[str, dict[str, object]] = {
        "nothing": {"prompt_tokens": None},
        "words": {"completion_tokens": 50},
        "a fee": {"cost": 0.001, "is_byok": True},
        "zeros": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0, "cost": 0},
    }
    for name, usage in usages.items():
        with provider(latency_s=0.0) as server:
            server.usage = usage
            (tmp_path / name).mkdir()
            results = moot.run(experiment(tmp_path / name, server))
            assert (results.state, server.requests) == ("done", 30)
            assert results.figures["bill_usd"] is None
            ends[name] = results.figures["losses_usd"]
    assert ends["words"] == pytest.approx(ends["nothing"]) == pytest.approx(ends["zeros"])
    assert ends["a fee"] == pytest.approx(ends["nothing"] + 30 * 0.001)


def test_a_price_of_nothing_for_prompts_asks_for_no_count_of_them(tmp_path: Path) -> None:
    with provider(latency_s=0.0) as server:
        server.usage = {"completion_tokens": 50}
        results = moot.run(experiment(tmp_path, server, price={"prompt": 0.0, "completion": 10.0}))
        assert results.figures["bill_usd"] == pytest.approx(30 * 50 * 10e-6)
        assert results.figures["losses_usd"] == 0.0


@pytest.mark.parametrize(
    ("part", "least_usd", "most_usd"),
    [
        (BillInPart(), 0.0, 0.0011),
        (BillInPart(2.0), 2.0, 2.0011),
        (BillInPart(0.0, 200), 0.0001, 0.0012),
        (BillInPart(0.0, None, 200), 0.002, 0.0021),
        (BillInPart(0.0, None, None, 50), 25e-6, 0.0011),
        (BillInPart(0.0, None, None, 1000), 0.0005, 0.01),
        (BillInPart(0.0, None, 10, 1000), 0.0001 + 990 * 0.5e-6, 0.01),
    ],
)
def test_the_bounds_of_a_bill(part: BillInPart, least_usd: float, most_usd: float) -> None:
    price = Price(1.0, 10.0, cached=0.5)
    assert part.least_usd(price) == pytest.approx(least_usd)
    assert part.most_usd(price, 100, 100) == pytest.approx(most_usd)


@pytest.mark.parametrize(
    ("reply", "part"),
    [
        (Reply("x"), None),
        (Reply("x", usage=Usage(10, 2**40)), BillInPart(0.0, 10, border.MOST_TOKENS)),
        (Reply("x", cost_usd=1e300), BillInPart(1e9)),
        (Reply("x", in_part=BillInPart(float("nan"), -1, 2**40, True)), BillInPart(0.0, None, border.MOST_TOKENS)),
        (Reply("x", in_part="five"), None),  # type: ignore[arg-type]
        (Reply("x", in_part=BillInPart(2.0)), BillInPart(2.0)),
    ],
)
def test_what_somebody_elses_model_says_in_part_is_clean(reply: Reply, part: BillInPart | None) -> None:
    assert border.admitted(reply).in_part == part


def test_a_price_of_nothing_believes_money_alone(tmp_path: Path) -> None:
    with provider(latency_s=0.0) as server:
        server.usage = {"cost": 2e9, "completion_tokens": MILLION}
        results = moot.run(experiment(tmp_path, server, price={"prompt": 0.0, "completion": 0.0}))
        assert (results.state, server.requests) == ("budget", 1)
        assert results.figures["losses_usd"] == pytest.approx(1e9)
    assert FREE.cost_usd(Usage(None, MILLION)) == 0.0
