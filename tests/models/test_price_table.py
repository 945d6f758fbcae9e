"""A table of prices that others maintain: which rows price text, how a host calls its models there, what is said of them."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from moot.errors import UsageError
from moot.models import price_table
from moot.models.price_table import PriceTable, installed_table, known_host, price_words, prices_of, the_table
from moot.types import Price


def row(prompt: object = 2e-06, completion: object = 8e-06, mode: str = "chat", **more: Any) -> dict[str, Any]:
    return {"mode": mode, "input_cost_per_token": prompt, "output_cost_per_token": completion, **more}


def test_rows_that_price_the_tokens_of_text_both_ways_in_dollars_per_million() -> None:
    rows = {
        "gpt": row(cache_read_input_token_cost=5e-07),
        "old": row(mode="completion"),
        "new": row(mode="responses"),
        "free": row(0, 0.0),
        "picture": row(mode="image_generation"),
        "one way": row(completion=None),
        "the other": row(prompt="2e-06"),
        "below nothing": row(prompt=-1e-06),
        "a dollar": row(prompt=1.0),
        "more than a dollar": row(prompt=1.01),
        "sample_spec": row(),
        "no row": 3,
    }
    assert prices_of(rows) == {
        "gpt": Price(2.0, 8.0, 0.5),
        "old": Price(2.0, 8.0),
        "new": Price(2.0, 8.0),
        "free": Price(0.0, 0.0),
        "a dollar": Price(1_000_000.0, 8.0),
    }


GPT, MINI, OTHER = Price(2.0, 8.0), Price(0.5, 1.0), Price(1.0, 1.0)
TABLE = PriceTable(
    {"gpt-4": GPT, "gpt-4-mini": MINI, "groq/llama": OTHER, "azure/gpt-4": OTHER, "gemini/pro": MINI}, "T 1"
)


@pytest.mark.parametrize(
    ("model", "base_url", "name"),
    [
        ("gpt-4", None, "gpt-4"),
        ("gpt-4", "https://api.openai.com/v1", "gpt-4"),
        ("llama", "https://api.groq.com/openai/v1", "groq/llama"),
        ("llama", "https://api.groq.com.evil.com/v1", None),
        ("groq/llama", "http://localhost:8000/v1", "groq/llama"),
        ("llama", "http://localhost:8000/v1", None),
        ("gpt-4", "https://mine.openai.azure.com/", "azure/gpt-4"),
        ("gpt-4", "https://mine.cognitiveservices.azure.com/", "azure/gpt-4"),
        ("models/pro", "https://generativelanguage.googleapis.com/v1beta", "gemini/pro"),
        ("gpt-4", "https://api.groq.com/v1", None),
        ("models/gpt-4", None, None),
    ],
)
def test_what_a_hosts_model_is_called_there(model: str, base_url: str | None, name: str | None) -> None:
    assert TABLE.named(model, base_url) == name
    if name is not None:
        assert TABLE.price(model, base_url) is TABLE.prices[name]


def test_which_hosts_are_known() -> None:
    known = ("https://api.openai.com/v1", "https://a.openai.azure.com", "https://api.x.ai")
    assert [known_host(url) for url in (*known, "http://localhost:1", "", "nonsense")] == [True] * 3 + [False] * 3


def test_a_model_that_is_not_there_is_said_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"^'gpt-4-mimi' is not in the table of T 1; did you mean 'gpt-4-mini'\?$"):
        TABLE.price("gpt-4-mimi")
    with pytest.raises(UsageError, match=r"^'groq/xyzzy' is not in the table of T 1$"):
        TABLE.price("xyzzy", "https://api.groq.com")


def test_rows_by_their_names_or_a_part_of_them() -> None:
    assert TABLE.matching([]) == TABLE.prices
    assert TABLE.matching(["gpt-4"]) == {"gpt-4": GPT}, "a row of this name is meant alone"
    assert TABLE.matching(["GPT"]) == {"gpt-4": GPT, "gpt-4-mini": MINI, "azure/gpt-4": OTHER}
    assert TABLE.matching(["llama", "pro"]) == {"groq/llama": OTHER, "gemini/pro": MINI}
    with pytest.raises(UsageError, match=r"no model called 'lama2' in the table of T 1"):
        TABLE.matching(["gpt-4", "lama2"])


def test_a_price_as_a_file_says_it() -> None:
    assert price_words(Price(2.0, 8.0)) == "price: {prompt: 2, completion: 8}"
    assert price_words(Price(0.15, 0.6, 0.075)) == "price: {prompt: 0.15, completion: 0.6, cached: 0.075}"
    assert price_words(Price(0.0, 1.0, 0.0)) == "price: {prompt: 0, completion: 1, cached: 0}"


@pytest.mark.parametrize(
    ("held", "read"),
    [(json.dumps({"gpt": row()}), {"gpt": Price(2.0, 8.0)}), ("[]", None), ("{", None), (None, None)],
    ids=["a table", "a list", "broken", "no file"],
)
def test_the_table_of_the_package_that_is_installed(
    held: str | None, read: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if held is not None:
        (tmp_path / price_table.FILE).write_text(held, encoding="utf-8")
    found = SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: found)
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "1.2")
    monkeypatch.setattr(price_table, "installed_table", installed_table.__wrapped__)
    assert price_table.installed_table() == (None if read is None else PriceTable(read, "LiteLLM 1.2"))
    if read is None:
        with pytest.raises(UsageError, match=r"moot\[litellm\]"):
            the_table()
    else:
        assert the_table().source == "LiteLLM 1.2"


@pytest.mark.parametrize(
    "found", [None, SimpleNamespace(submodule_search_locations=None)], ids=["absent", "no package"]
)
def test_where_the_package_is_absent_there_is_no_table(found: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: found)
    assert installed_table.__wrapped__() is None
