"""A served team whose key is wrong: whoever keeps it reads so in the log, its clients never learn where the key comes from."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from served import serving

from moot.simulate.server import running


async def test_the_log_names_the_variable_once_and_the_team_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("RIGHT_KEY", "the-right-key")
    monkeypatch.setenv("UPSTREAM_KEY", "the-wrong-key")
    caplog.set_level(logging.WARNING)
    async with running({"models": {"ann": {"accuracy": 0.5}}, "api_key_env": "RIGHT_KEY"}) as upstream:
        spec = {"provider": "endpoint", "base_url": upstream.base_url, "model": "ann", "api_key_env": "UPSTREAM_KEY"}
        tom = {"provider": "simulated", "accuracy": 0.5}
        config: dict[str, Any] = {
            "name": "two",
            "models": {"ann": spec, "tom": tom},
            "teams": {"two": {"players": ["ann", "tom"]}},
            "strategies": ["vote", "solo"],
        }
        async with serving(tmp_path, config) as served:
            answers = [await served.chat(f"Where is {place}?", "two/vote") for place in ("Rome", "Oslo")]
            alone = await served.chat("Where is Bonn?", "solo@ann")
        assert upstream.stats["requests"] == 3
    assert [status for status, _ in answers] == [200, 200]
    told = json.dumps([*answers, alone])
    assert "UPSTREAM_KEY" not in told
    assert "api_key_env" not in told
    said = [record.getMessage() for record in caplog.records if "UPSTREAM_KEY" in record.getMessage()]
    assert len(said) == 1
    assert said[0].startswith("the key of model ann is refused")
