"""The team that needs no file: six differently instructed players of the packaged local model."""

from __future__ import annotations

from typing import Any

EMBEDDED_TEAM: dict[str, Any] = {
    "name": "embedded",
    "models": {"smollm2": {"provider": "local", "model": "smollm2-135m", "params": {"temperature": 0}}},
    "players": {
        "ann": {"model": "smollm2", "instruction": "quick"},
        "bob": {"model": "smollm2", "instruction": "break-down"},
        "cat": {"model": "smollm2", "instruction": "analogy"},
        "dan": {"model": "smollm2", "instruction": "eliminate"},
        "eve": {"model": "smollm2", "instruction": "opposite"},
        "fay": {"model": "smollm2", "instruction": "formal-logic"},
    },
}
