"""What the players of recorded models are called: files name models as their providers do, with signs that no player may have."""

from __future__ import annotations

import re
from collections.abc import Sequence


def plain_name(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name).strip("-.")


def player_names(models: Sequence[str]) -> dict[str, str]:
    """By model what its player is called: the last part of its name where no other ends so."""
    last = {model: plain_name(re.split(r"[/:]", model)[-1]) or plain_name(model) for model in models}
    names: dict[str, str] = {}
    for model in models:
        alone = sum(other == last[model] for other in last.values()) == 1
        name = last[model] if alone else plain_name(model)
        while not name or name in names.values():
            name = f"{name or 'model'}-2"
        names[model] = name
    return names
