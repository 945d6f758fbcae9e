"""Three players on a server, a team of them, and questions enough to learn a rule from."""

from __future__ import annotations

from typing import Any

NAMES = ("ann", "bob", "cat")
QUESTIONS = [{"id": f"q{n}", "text": f"Which town has number {n}?", "answer": f"Town {n}"} for n in range(52)]


def config(base_url: str, **keys: Any) -> dict[str, Any]:
    spec = {"provider": "endpoint", "base_url": base_url}
    return {
        "name": "three",
        "models": {name: {**spec, "model": name} for name in NAMES},
        "teams": {"three": {"players": list(NAMES)}},
        "strategies": ["solo"],
        "store": "sqlite:///three.db",
        **keys,
    }
