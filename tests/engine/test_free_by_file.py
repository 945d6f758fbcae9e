"""A model that the file calls free, under a cap: what its endpoint states all the same counts, and the truly free wait little."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from beside import rows

from moot.cli.app import app
from moot.cli.exit import run_app

sys.path.insert(0, str(Path(__file__).parent))
from billing import Provider, priced, provider
from processes import write_questions

AT_ONCE = 16
STATED_USD = 0.2
FREE = {"prompt": 0, "completion": 0}


def experiment(folder: Path, server: Provider, cap_usd: float, **model: Any) -> Path:
    free = {**priced(server, "ann"), "price": FREE, "limits": {"concurrent": AT_ONCE}, **model}
    keys = {"name": "cup", "questions": {"file": "questions.jsonl"}, "models": {"ann": free}, "strategies": ["solo"]}
    path = folder / "cup.yaml"
    path.write_text(json.dumps({**keys, "budget_usd": cap_usd}))
    return path


def run(path: Path) -> int:
    return run_app(app, ["run", str(path), "--quiet"])


@pytest.mark.parametrize(
    "model",
    [{}, {"params": {}}, {"price": {**FREE, "cached": 0}}],
    ids=["bounded", "without max_tokens", "a price of nothing for what is cached"],
)
def test_what_is_stated_keeps_to_the_cap(
    tmp_path: Path, model: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    write_questions(tmp_path, 60)
    with provider(latency_s=0.05) as server:
        server.stated_usd = STATED_USD
        for cap_usd in (1.0, 5.0):
            assert run(experiment(tmp_path, server, cap_usd, **model)) == 3
            assert server.bill_usd <= cap_usd + 1e-9
            assert server.requests >= cap_usd, "and the cap is used"
            said = capsys.readouterr().err
            assert "ann billed $0.20 for a call that is free by its price in the file" in said
            assert "billed $0 " not in said
        assert rows(tmp_path / "cup.db", "SELECT sum(cost_usd) FROM calls") == [(pytest.approx(server.bill_usd),)]


def test_each_process_knows_what_others_were_stated(tmp_path: Path) -> None:
    write_questions(tmp_path, 60)
    with provider(latency_s=0) as server:
        server.stated_usd = STATED_USD
        path = experiment(tmp_path, server, 1.0)
        assert [run(path) for _ in range(3)] == [3, 3, 3]
        assert server.requests == 1, "the next could cross the cap if its reply became as long as allowed"


@pytest.mark.parametrize("way", ["error", "429"])
def test_failures_that_state_a_cost_keep_to_the_cap(tmp_path: Path, way: str) -> None:
    write_questions(tmp_path, 60)
    with provider(latency_s=0.05) as server:
        server.stated_usd, server.fails_by = STATED_USD, way
        assert run(experiment(tmp_path, server, 1.0, retries={"attempts": 1})) == 3
        assert server.bill_usd <= 1.0 + 1e-9


def test_who_is_truly_free_waits_for_one_reply(tmp_path: Path) -> None:
    write_questions(tmp_path, 3 * AT_ONCE)
    with provider(latency_s=0.2) as server:
        assert run(experiment(tmp_path, server, 1.0)) == 0
        assert server.requests == 3 * AT_ONCE
        assert server.most_in_flight == AT_ONCE


def test_what_a_filter_refused_for_nothing_shows_nothing(tmp_path: Path) -> None:
    """Others may cost something where that does not."""
    write_questions(tmp_path, 60)
    with provider(latency_s=0.05) as server:
        refusal = {"message": {"content": ""}, "finish_reason": "content_filter"}
        server.first, server.stated_usd = {"choices": [refusal], "usage": {"prompt_tokens": 5}}, STATED_USD
        assert run(experiment(tmp_path, server, 1.0)) == 3
        assert server.bill_usd <= 1.0 + 2 * STATED_USD


def test_the_dearest_of_several_bills_is_told() -> None:
    from moot.models.budget import Purse

    purse = Purse(1.0)
    for billed_usd in (0.2, 0.3, 0.1):
        purse.overcharged("ann", 0.0, billed_usd, 1.0)
    words = "ann billed $0.30 for a call that is free by its price in the file, $0.60 in 3 of its calls"
    assert purse.overcharge_words() == words
