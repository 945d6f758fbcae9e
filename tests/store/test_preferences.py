"""What was said of two texts is forgotten with either of them, and a later word of a person stands over an earlier one."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from moot.engine.preferences import record_preference
from moot.grade.prefer import text_digest
from moot.store.preferences import forget_preferences, preferences_on
from moot.store.sqlite import SqliteStore


async def test_a_word_goes_with_the_texts_that_it_is_about(tmp_path: Path) -> None:
    store = await SqliteStore(tmp_path / "s.db").open()
    say = partial(record_preference, question="q", person="eve")
    await store.run(partial(say, first="A", second="B", preferred="tie"))
    await store.run(partial(say, first="A", second="B", preferred="first", reason="clearer"))
    await store.run(partial(say, first="B", second="C", preferred="second"))
    rows = await store.run(partial(preferences_on, questions=["q", "other"]))
    assert [(row["preferred"], row["judge"], row["reason"]) for row in rows] == [
        ("first", "person:eve", "clearer"),
        ("second", "person:eve", None),
    ]
    held = {text_digest("A"), text_digest("B")}
    assert await store.run(partial(forget_preferences, question="q", texts=held)) == 1
    assert [row["preferred"] for row in await store.run(partial(preferences_on, questions=["q"]))] == ["first"]
    await store.close()
