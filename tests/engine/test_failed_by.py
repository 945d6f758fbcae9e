"""Which failures are the same one, and whose."""

from __future__ import annotations

from collections import Counter

from moot.engine.failed_by import Cause, alike_causes


def test_models_behind_one_address_are_told_apart() -> None:
    words = "ServerFailed: http://127.0.0.1:8000/v1 answered 500"
    causes = Counter(
        {
            Cause(f"{words}: id 1", (("bob", "ServerFailed"),)): 12,
            Cause(f"{words}: id 22", (("bob", "ServerFailed"),)): 7,
            Cause(f"{words}: id 3", (("cat", "ServerFailed"),)): 7,
        }
    )
    assert [(alike.times, alike.told) for alike in alike_causes(causes)] == [
        (19, f"bob: {words}: id 1"),
        (7, f"cat: {words}: id 3"),
    ]


def test_a_model_that_the_words_name_is_not_named_twice() -> None:
    causes = Counter({Cause("nobody answers for model bob: 404", (("bob", "Rejected"),)): 2, Cause("no call"): 1})
    assert [alike.told for alike in alike_causes(causes)] == ["nobody answers for model bob: 404", "no call"]
    assert [alike.told for alike in alike_causes(Counter({Cause("bobby fails", (("bob", "Rejected"),)): 2}))] == [
        "bob: bobby fails"
    ]
