"""What one episode cost, as the page has it in a real browser: nobody's guess where a call that was cut off has no price."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from billing import priced, provider

from moot.cli.app import app
from moot.cli.exit import run_app

from .conftest import Page, Written, reread


@pytest.mark.parametrize("has_price", [False, True], ids=["no price", "a price"])
def test_what_brought_no_reply_and_has_no_price_is_not_free(
    page: Page, tmp_path: Path, capsys: pytest.CaptureFixture[str], has_price: bool
) -> None:
    (tmp_path / "questions.jsonl").write_text(json.dumps({"id": "q0", "text": "Which is it?", "answer": "x"}))
    path = tmp_path / "cup.yaml"
    with provider(latency_s=0.0) as server:
        server.cut = 1000
        model = {**priced(server, "ann"), "retries": {"attempts": 1}}
        if not has_price:
            del model["price"]
        file = {
            "name": "cup",
            "questions": {"file": "questions.jsonl"},
            "models": {"ann": model},
            "strategies": ["solo"],
        }
        path.write_text(json.dumps(file))
        run_app(app, ["run", str(path)])
    assert run_app(app, ["report", str(path), "-o", str(tmp_path / "cup.html")]) == 0
    capsys.readouterr()
    page.open(Written(tmp_path / "cup.html", asyncio.run(reread(tmp_path / "cup.db", "cup")), {}), "#q=q0")
    page.opened()
    facts = page.text(".outcome-facts").split(" · ")
    assert ("cost unknown" in facts, "$0" in facts) == (not has_price, has_price)
