"""A team of a real local model, for clients to be tried on."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest

from moot.models.packaged import CATALOGUE

SMALL = "smollm2-135m"
needs_weights = [
    pytest.mark.local,
    pytest.mark.skipif(not CATALOGUE[SMALL].there, reason=f"no weights here: moot models add {SMALL}"),
    pytest.mark.skipif(importlib.util.find_spec("xllamacpp") is None, reason='no llama.cpp: pip install "moot[local]"'),
]

TWO: dict[str, Any] = {
    "name": "local",
    "prompts": "small",
    "models": {"small": {"provider": "local", "model": SMALL, "params": {"temperature": 0, "max_tokens": 60}}},
    "players": {
        "ann": {"model": "small", "instruction": "Answer at once."},
        "bob": {"model": "small", "instruction": "Think of the category first."},
    },
    "teams": {"two": {"players": ["ann", "bob"], "captain": "ann"}},
    "strategies": ["vote", "solo"],
}
