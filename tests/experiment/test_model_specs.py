"""What a file says of a model in the wrong place is told with the right one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from moot.errors import FileError
from moot.experiment import listed_price
from moot.experiment.listed_price import price_in_file
from moot.experiment.model_specs import EndpointSpec, RecordedSpec
from moot.experiment.spec import read_experiment
from moot.models.price_table import PriceTable
from moot.types import Price

PROVIDERS: dict[str, dict[str, Any]] = {
    "endpoint": {"base_url": "http://127.0.0.1:9/v1", "model": "ann"},
    "local": {"model": "smollm2-135m"},
    "litellm": {"model": "openai/ann"},
}


def complaint(folder: Path, model: dict[str, Any]) -> str:
    path = folder / "cup.yaml"
    cup = {"name": "cup", "questions": {"builtin": "general-en"}, "models": {"ann": model}, "strategies": ["solo"]}
    path.write_text(json.dumps(cup))
    with pytest.raises(FileError) as raised:
        read_experiment(path)
    return str(raised.value)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(("key", "value"), [("max_tokens", 300), ("temperature", 0.7), ("top_p", 1), ("stop", ["\n"])])
def test_how_replies_are_made_goes_under_params(provider: str, key: str, value: Any, tmp_path: Path) -> None:
    said = complaint(tmp_path, {"provider": provider, **PROVIDERS[provider], key: value})
    written = "…" if isinstance(value, list) else value
    assert f"models.ann.{key}: goes under params: params: {{{key}: {written}}}" in said


@pytest.mark.parametrize("provider", ["endpoint", "litellm"])
@pytest.mark.parametrize("written", ["${MY_KEY}", "$MY_KEY", "{{ env.MY_KEY }}"])
def test_a_variable_that_would_be_filled_in_elsewhere_is_told_as_it_is_written_here(
    provider: str, written: str, tmp_path: Path
) -> None:
    model = {"provider": provider, **PROVIDERS[provider]}
    said = complaint(tmp_path, {**model, "api_key": written})
    assert (
        "models.ann.api_key: a key does not stand in the file; expected api_key_env: MY_KEY (or api_key_file)" in said
    )
    said = complaint(tmp_path, {**model, "api_key_env": written})
    assert "models.ann.api_key_env: expected the name of the variable alone: MY_KEY" in said


@pytest.mark.parametrize(
    "key", ["sk-secret12345", "$ecret12345", "$SECRETKEY", "${secret 12345}", 7, ["sk-secret12345"], None]
)
def test_a_key_in_the_file_is_not_told_again(key: Any, tmp_path: Path) -> None:
    for name in ("api_key", "api_key_env"):
        if name == "api_key" or isinstance(key, str):
            said = complaint(tmp_path, {"provider": "endpoint", **PROVIDERS["endpoint"], name: key})
            assert "ecret" not in said.casefold()
            assert "variable" in said


def test_a_header_is_sent_as_it_stands(tmp_path: Path) -> None:
    """Which with a variable that nobody fills in is a wrong key, and a 401 without a hint."""
    model = {"provider": "endpoint", **PROVIDERS["endpoint"]}
    said = complaint(tmp_path, {**model, "headers": {"Authorization": "Bearer ${MY_KEY}"}})
    assert "models.ann.headers: Authorization: variables are not filled in here" in said
    assert "expected api_key_env: MY_KEY" in said
    said = complaint(tmp_path, {**model, "headers": {"X-Org": "${MY_ORG}"}})
    assert "expected headers_env: {X-Org: MY_ORG}" in said
    said = complaint(tmp_path, {**model, "headers_env": {"X-Org": "${MY_ORG}"}})
    assert "expected the name of the variable alone: MY_ORG" in said


def test_other_keys_are_unknown_as_before(tmp_path: Path) -> None:
    said = complaint(tmp_path, {"provider": "endpoint", **PROVIDERS["endpoint"], "modell": 1, "top_p": 1})
    assert "models.ann.modell: unknown key; expected one of provider," in said
    assert "(and 1 more: models.ann.top_p)" in said


def test_a_price_in_the_file_is_a_list_a_row_of_the_table_or_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listed_price, "the_table", lambda: PriceTable({"gpt-9": Price(1, 2)}, "mine"))
    host = {"provider": "endpoint", "base_url": "https://api.openai.com/v1"}
    listed = EndpointSpec.model_validate({**host, "model": "m", "price": {"prompt": 3, "completion": 4}})
    table = EndpointSpec.model_validate({**host, "model": "gpt-9", "price": "table"})
    none = RecordedSpec(provider="recorded", file="r.jsonl", model="m")
    assert [price_in_file(each) for each in (listed, table, none)] == [Price(3, 4), Price(1, 2), None]
