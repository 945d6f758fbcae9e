"""Messages for a model without a system role: what the system says stands above the user's first words."""

from __future__ import annotations

from collections.abc import Sequence

from moot.types import Message


def folded(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The same without a message of the system; nearly the same text reaches the model."""
    said = "\n\n".join(message.content for message in messages if message.role == "system")
    others = [message for message in messages if message.role != "system"]
    if not said:
        return tuple(others)
    first = next((place for place, message in enumerate(others) if message.role == "user"), None)
    if first is None:
        return (Message("user", said), *others)
    others[first] = Message("user", f"{said}\n\n{others[first].content}")
    return tuple(others)
