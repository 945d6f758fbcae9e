"""The manual as a site: it builds without a complaint, asks nobody else for anything, and every link in it leads somewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort

ROOT = Path(__file__).parents[1]
_ELSEWHERE = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)
_STYLE_LOADS = re.compile(r"@import\s*[\"']([^\"']+)|url\(\s*[\"']?([^\"')]+)")
_SCRIPT_COMMENT = re.compile(r"/\*.*?\*/|(?m:^\s*//.*$)", re.DOTALL)


@dataclass
class Markup(HTMLParser):
    """What a page loads by itself, where its links lead, the anchors that it has, and its text but for code."""

    loads: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    text: str = ""
    _inside: str | None = None

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        if tag in ("pre", "code", "script", "style"):
            self._inside = self._inside or tag
        if tag == "a" and "href" in values:
            self.links.append(values.pop("href"))
        self.loads += [values[name] for name in ("src", "href", "srcset", "data", "action", "poster") if name in values]
        self.loads += _loaded_by_style(values.get("style", ""))

    def handle_endtag(self, tag: str) -> None:
        if tag == self._inside:
            self._inside = None

    def handle_data(self, data: str) -> None:
        if self._inside == "style":
            self.loads += _loaded_by_style(data)
        elif self._inside is None:
            self.text += data


def _loaded_by_style(text: str) -> list[str]:
    found = (first or second for first, second in _STYLE_LOADS.findall(text))
    return [each for each in found if not each.startswith("data:")]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(ROOT, tmp_path_factory.mktemp("site"))


def built(root: Path, folder: Path) -> Path:
    build(load_config(str(root / "mkdocs.yml"), site_dir=str(folder)))
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Markup]:
    read = {}
    for path in site.rglob("*.html"):
        read[path] = Markup()
        read[path].feed(path.read_text(encoding="utf-8"))
    return read


def test_every_page_of_the_manual_is_in_it(site: Path, pages: dict[Path, Markup]) -> None:
    names = {"index" if path.stem == "README" else path.stem for path in (ROOT / "docs").glob("*.md")}
    assert names <= {path.stem for path in pages if path.parent == site}


def test_nothing_is_asked_of_anybody_else(site: Path, pages: dict[Path, Markup]) -> None:
    styles = {path: _loaded_by_style(path.read_text(encoding="utf-8")) for path in site.rglob("*.css")}
    loaded = {path: page.loads for path, page in pages.items()} | styles
    assert sum(map(len, loaded.values())) > 100, "what is loaded was found"
    assert [(path.name, each) for path, all_ in loaded.items() for each in all_ if _ELSEWHERE.match(each)] == []
    assert [(path.name, each) for path in site.rglob("*.js") for each in _addresses_in_script(path)] == []


def _addresses_in_script(path: Path) -> Iterator[str]:
    code = _SCRIPT_COMMENT.sub("", path.read_text(encoding="utf-8"))
    yield from re.findall(r"[\"'`](?:(?:https?|wss?):)?//[\w.-]+\.\w+[^\"'`]*", code)


def test_every_link_leads_to_a_page_and_a_heading(pages: dict[Path, Markup]) -> None:
    dead = []
    for path, page in pages.items():
        for link in page.links:
            place, _, anchor = unquote(link).partition("#")
            if _ELSEWHERE.match(link) or path.name == "404.html":  # the latter is shown at any address
                continue
            goal = (path.parent / place).resolve() if place else path
            if not goal.is_file() or (anchor and goal in pages and anchor not in pages[goal].anchors):
                dead.append((path.name, link))
    assert dead == []


def test_blocks_and_tables_are_read_as_such(pages: dict[Path, Markup]) -> None:
    assert [path.name for path, page in pages.items() if "```" in page.text or "| ---" in page.text] == []


@pytest.mark.parametrize("link", ["nowhere.md", "run.md#no-such-heading", "../examples/nowhere.yaml"])
def test_a_dead_link_ends_the_build(link: str, tmp_path: Path) -> None:
    with pytest.raises(Abort, match="1 warning"):
        built(small_manual(tmp_path, link), tmp_path / "site")


def test_a_heading_is_found_by_the_name_that_github_gives_it(tmp_path: Path) -> None:
    site = built(small_manual(tmp_path, "run.md#go-on--here"), tmp_path / "site")
    assert 'id="go-on--here"' in (site / "run.html").read_text(encoding="utf-8")


def small_manual(root: Path, link: str) -> Path:
    """A manual of two pages, made as ours is; the first links to LINK."""
    (root / "docs").mkdir()
    for name in ("as_on_github.py", "site.css"):
        (root / "docs" / name).write_bytes((ROOT / "docs" / name).read_bytes())
    (root / "docs/run.md").write_text("# Run\n\n## Go on – here\n", encoding="utf-8")
    (root / "docs/README.md").write_text(f"# Manual\n\n[there]({link})\n", encoding="utf-8")
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[0]
    (root / "mkdocs.yml").write_text(settings, encoding="utf-8")
    return root
