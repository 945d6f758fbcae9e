"""Thoughts that a provider counts beside the completion are paid from the budget, and shown."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from moot.cli.app import app
from moot.cli.exit import run_app

sys.path.insert(0, str(Path(__file__).parent))
from billing import MAX_TOKENS, MOST_USD, PRICE, priced, provider
from processes import write_questions

XAI = {
    "prompt_tokens": 32,
    "completion_tokens": 9,
    "total_tokens": 135,
    "completion_tokens_details": {"reasoning_tokens": 94},
}
GEMINI = {"prompt_tokens": 20, "completion_tokens": 24, "total_tokens": 316}


@pytest.mark.parametrize(("usage", "generated"), [(XAI, 103), (GEMINI, 296)], ids=["xai", "gemini"])
def test_under_a_cap(tmp_path: Path, usage: dict[str, Any], generated: int, capsys: pytest.CaptureFixture[str]) -> None:
    write_questions(tmp_path, 60)
    path = tmp_path / "cup.yaml"
    cap_usd = 20 * generated * PRICE["completion"] / 1e6
    with provider(tokens=generated, latency_s=0) as server:
        server.usage = usage
        keys = {"name": "cup", "questions": {"file": "questions.jsonl"}, "models": {"ann": priced(server, "ann")}}
        path.write_text(json.dumps({**keys, "strategies": ["solo"], "budget_usd": cap_usd}))
        assert run_app(app, ["run", str(path), "--quiet"]) == 3
        assert cap_usd - 2 * MOST_USD < server.bill_usd <= cap_usd + 1e-9
        capsys.readouterr()
        assert run_app(app, ["report", str(path), "--json"]) == 0
        shown = json.loads(capsys.readouterr().out)
        assert shown["bill_usd"] == pytest.approx(server.bill_usd)
        (row,) = shown["accuracy"]
        assert row["completion_tokens"] == generated * row["calls"]


def test_thoughts_beyond_what_a_call_may_generate_are_an_overbilling(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_questions(tmp_path, 20)
    path = tmp_path / "cup.yaml"
    with provider(tokens=14 * MAX_TOKENS, latency_s=0) as server:
        server.usage = {"prompt_tokens": 20, "completion_tokens": 24, "total_tokens": 20 + 14 * MAX_TOKENS}
        keys = {"name": "cup", "questions": {"file": "questions.jsonl"}, "models": {"ann": priced(server, "ann")}}
        path.write_text(json.dumps({**keys, "strategies": ["solo"], "budget_usd": 1.0}))
        assert run_app(app, ["run", str(path), "--quiet"]) == 3
        assert server.requests == 1, "the next could cross the cap, as the first has shown"
    assert "ann billed $0.700 for a call that could cost $0.05" in capsys.readouterr().err
