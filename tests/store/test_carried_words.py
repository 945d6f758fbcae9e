"""Words of persons that go with their questions into a plan: looked for only where there are any."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Connection, event

from moot.store.questions_before import carry_settlements
from moot.store.sqlite import SqliteStore


async def test_where_nobody_said_a_word_no_batch_goes_through_all_questions(tmp_path: Path) -> None:
    """It is asked for every batch of a run: the time would grow with the square of its questions."""
    statements: list[str] = []

    def hear(_connection: object, _cursor: object, statement: str, *_: Any) -> None:
        statements.append(statement)

    def look(connection: Connection) -> None:
        event.listen(connection, "before_cursor_execute", hear)
        carry_settlements(connection, "plan", [])

    store = await SqliteStore(tmp_path / "moot.db").open()
    await store.run(look)
    await store.close()
    assert len(statements) == 1
    assert "experiment_questions" not in statements[0]
