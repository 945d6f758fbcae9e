"""The long description of the package: on an index no file stands beside it, so that no link may lead to one."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"


def described() -> str:
    """As the build has it, where that is installed; else by the function that the build asks."""
    if importlib.util.find_spec("hatchling") is not None:
        from hatchling.metadata.core import ProjectMetadata
        from hatchling.plugin.manager import PluginManager

        return str(ProjectMetadata(str(ROOT), PluginManager()).core.readme)
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "readme" in settings["project"]["dynamic"]
    place = ROOT / settings["tool"]["hatch"]["metadata"]["hooks"]["custom"]["path"]
    spec = importlib.util.spec_from_file_location("readme_of_package", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return str(module.shown_on_index(README.read_text(encoding="utf-8")))


def leading_here(text: str) -> list[str]:
    """Where links and pictures lead that stand in prose, if not to an address."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    places = re.findall(r"\]\(([^)\s]+)|^\[[^\]]+\]:\s*(\S+)|(?:src|href)=[\"']([^\"']+)", prose, re.MULTILINE)
    return [place for found in places if (place := "".join(found)) and not re.match(r"https?://|mailto:", place)]


@pytest.fixture(scope="module")
def description() -> str:
    return described()


def test_no_link_of_the_description_leads_to_a_file_beside_it(description: str) -> None:
    assert leading_here(README.read_text(encoding="utf-8")), "there is something to lose"
    assert leading_here(description) == []


def test_every_word_and_all_code_stays(description: str) -> None:
    readme = README.read_text(encoding="utf-8")
    assert re.findall(r"^```.*?^```$", readme, re.MULTILINE | re.DOTALL) == re.findall(
        r"^```.*?^```$", description, re.MULTILINE | re.DOTALL
    )
    assert '| `moot ask "…"` | one question, one team, watched live |' in description
    assert [line for line in readme.splitlines() if line.startswith("#")] == [
        line for line in description.splitlines() if line.startswith("#")
    ]


def test_every_link_of_the_readme_leads_to_a_file(description: str) -> None:
    for place in leading_here(README.read_text(encoding="utf-8")):
        assert (ROOT / place.partition("#")[0]).exists(), place
