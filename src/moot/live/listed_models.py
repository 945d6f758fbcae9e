"""A model's name beside those that its server lists: the same, the same by another spelling, or not there.

Servers take more names than they list: llama.cpp any at all, Ollama one without its `:latest`, Gemini one without
`models/`, OpenRouter one with a suffix for how it is served (`:free`).
"""

from __future__ import annotations

from collections.abc import Sequence

from moot.models.closest import closest

MOST_NAMED = 8


def listing_words(model: str, listed: Sequence[str]) -> str | None:
    """What is to be said about the list; None: nothing, since it is on it, or there is none."""
    if not listed or model in listed:
        return None
    if (alike := next((name for name in _spellings(model) if name in listed), None)) is not None:
        return f"listed there as {alike!r}"
    named = ", ".join(listed[:MOST_NAMED])
    rest = len(listed) - MOST_NAMED
    more = f" and {rest} more" if rest > 0 else ""
    return f"not among the models that the server lists, which are {named}{more}{closest(model, listed)}"


def _spellings(model: str) -> tuple[str, ...]:
    """With what servers add to a name, and without what they take off it."""
    return f"{model}:latest", f"models/{model}", model.removeprefix("models/"), model.rpartition(":")[0]
