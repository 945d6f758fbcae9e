"""The schemas that moot publishes are read by others, with validators and editors of their own."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from ecma_patterns import patterns_of, unlike
from jsonschema import Draft202012Validator
from served import serving

from moot.cli.schema import experiment_schema
from moot.report.publish.board import BOARD_SCHEMA


def refused(schema: Any) -> dict[str, str]:
    return {pattern: why for pattern in patterns_of(schema) if (why := unlike(pattern)) is not None}


@pytest.mark.parametrize("schema", [BOARD_SCHEMA, experiment_schema()], ids=["leaderboard", "moot schema"])
def test_every_pattern_means_the_same_in_python_and_in_ecma_262(schema: dict[str, Any]) -> None:
    assert list(patterns_of(json.loads(json.dumps(schema))))
    assert refused(schema) == {}


async def test_so_do_those_of_the_servers_description(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        _, described = await served.get("/openapi.json")
    assert any("ep_" in pattern for pattern in patterns_of(described))
    assert refused(described) == {}


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            r"[^\s\"]",
            r"\'",
            r"\A",
            r"a\Z",
            r"\d",
            r"[\w.]",
            r"\b",
            r"\-",
            r"\N{DASH}",
            r"\a",
            r"\e",
            r"\U0001F600",
            r"\_",
        ),
        *(
            r"(?P<a>b)",
            r"(?i)a",
            r"(?i:a)",
            r"(?#a)",
            r"(?>a)",
            r"a*+",
            r"a{2}+",
            r"a**",
            r"*a",
            r"[]a]",
            r"[[a]",
            r"a{",
            r"a]",
        ),
        *(r"[a", r"[a&&b]", r"\p{L}", r"\1", r"a{,3}"),
    ],
)
def test_a_pattern_that_one_of_them_reads_otherwise_is_seen(pattern: str) -> None:
    assert unlike(pattern) is not None


@pytest.mark.parametrize(
    "pattern", [r"^[^\s\"'<>\\]+$".replace(r"\"", '"'), r"^(?![/.])a{1,2}?[a\-z]*$", r"(a|(?:b))+", "é"]
)
def test_one_that_both_read_alike_is_none(pattern: str) -> None:
    assert re.compile(pattern)
    assert unlike(pattern) is None


@pytest.mark.parametrize("name", ["ann", "gpt-4o", "a.b:c_d", "модель-1", "größer", "模型"])
def test_an_editor_takes_every_name_that_moot_takes(name: str) -> None:
    assert not list(names().iter_errors(name))


@pytest.mark.parametrize("name", ["", "a b", "a/b", "a@b", "a,b", "a\u00a0b", "{a}", "a\\b", "[a]", "a^b"])
def test_and_none_that_it_refuses(name: str) -> None:
    assert list(names().iter_errors(name))


def names() -> Draft202012Validator:
    """Of an experiment's own name."""
    return Draft202012Validator(experiment_schema()["properties"]["name"])
