"""A cascade over HTTP: real calls one after another, and none that is not needed."""

from __future__ import annotations

from pathlib import Path

import pytest
from served import serving

from moot.errors import UsageError
from moot.simulate.server import running
from moot.types import Case, Question

NAMES = ("ann", "bob", "cat")


async def test_nobody_is_asked_who_cannot_change_the_vote(tmp_path: Path) -> None:
    cases = [Case(Question("q", "Which town?"), "Paris")]
    async with running({"models": {name: {"accuracy": 1.0} for name in NAMES}}, cases=cases) as server:
        spec = {"provider": "endpoint", "base_url": server.base_url}
        config = {
            "name": "three",
            "models": {name: {**spec, "model": name} for name in NAMES},
            "teams": {"three": {"players": list(NAMES)}},
            "strategies": [{"cascade": {"order": ["cat", "ann", "bob"]}}],
        }
        async with serving(tmp_path, config) as served:
            status, body = await served.chat("Which town?", served.live.models[0])
        assert status == 200
        assert body["choices"][0]["message"]["content"] == "Paris"
        assert (body["moot"]["calls"], body["moot"]["not_needed"]) == (2, ["bob"])
        assert sorted(body["moot"]["who"]) == ["ann", "cat"]
        with pytest.raises(UsageError, match=r"cascade learns from graded .*then cascade: {from: rule.json}"):
            async with serving(tmp_path, {**config, "strategies": ["cascade"]}):
                pass
