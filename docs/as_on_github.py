"""The manual is written as GitHub shows it; the site is made by Python-Markdown, which reads some of it otherwise.

mkdocs.yml names this file as its hook. What it evens out: anchors of headings are named by GitHub's rule; the title of a block
(```yaml title="cup.yaml") stands above it; and what a page links to beside the manual, such as an example, is a page of the
site, so that no link leads out of it.

A *place* is where a file stands in the checkout (docs/run.md), a *uri* where it stands in the site (run.md).
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

MANUAL = "docs/"
_FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
_TITLED = re.compile(r"^```(\w+) title=\"([^\"]+)\"$", re.MULTILINE)
_LINK = re.compile(r"(?<=\]\()[^)\s#:]+(?=[)#])")
_LANGUAGES = {".py": "python", ".sh": "bash", ".yaml": "yaml"}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    config.mdx_configs.setdefault("toc", {})["slugify"] = anchor
    return config


def anchor(heading: str, dash: str) -> str:
    """A heading as GitHub names it: every space is a dash of its own."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", dash)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """A page for whatever is linked to beside the manual, and for what those pages link to in turn."""
    root = _root(config)
    waiting = [MANUAL + file.src_uri for file in files.documentation_pages()]
    added: set[str] = set()
    while waiting:
        place = waiting.pop()
        for link in _links(_text(root, place)):
            goal = _goal(root, place, link)
            if goal is not None and not goal.startswith(MANUAL) and goal not in added:
                added.add(goal)
                waiting.append(goal)
                files.append(File.generated(config, _uri(goal), content=_for_the_site(root, goal, _text(root, goal))))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    if page.file.generated_by is not None:
        return markdown  # it was made for the site
    return _for_the_site(_root(config), MANUAL + page.file.src_uri, markdown)


def _root(config: MkDocsConfig) -> Path:
    return Path(config.config_file_path).parent


def _text(root: Path, place: str) -> str:
    """The page of a file or a folder: Markdown as it is, code as one block, a folder without a page of its own as a list."""
    path = root / place
    if path.suffix != ".md":
        return (
            f"# {place}\n\n```{_LANGUAGES.get(path.suffix, 'text')}\n{path.read_text(encoding='utf-8').rstrip()}\n```\n"
        )
    if path.exists():
        return path.read_text(encoding="utf-8")
    listed = sorted(each.name for each in path.parent.iterdir() if each.suffix in _LANGUAGES)
    return f"# {posixpath.dirname(place)}\n\n" + "".join(f"- [{name}]({name})\n" for name in listed)


def _links(text: str) -> list[str]:
    return [link for part in _FENCED.split(text)[::2] for link in _LINK.findall(part)]


def _goal(root: Path, place: str, link: str) -> str | None:
    """The place that a link leads to; none where there is nothing, which is left as it stands for strict mode to tell."""
    goal = posixpath.normpath(posixpath.join(posixpath.dirname(place), link))
    if (root / goal).is_dir():
        return f"{goal}/README.md"
    return goal if (root / goal).exists() and not goal.startswith("..") else None


def _uri(place: str) -> str:
    if place.startswith(MANUAL):
        return place.removeprefix(MANUAL)
    return place if place.endswith(".md") else f"{place}.md"


def _for_the_site(root: Path, place: str, text: str) -> str:
    def relinked(found: re.Match[str]) -> str:
        goal = _goal(root, place, found[0])
        return found[0] if goal is None else posixpath.relpath(_uri(goal), posixpath.dirname(_uri(place)) or ".")

    parts = _FENCED.split(text)
    parts[::2] = [_LINK.sub(relinked, part) for part in parts[::2]]
    return _TITLED.sub(r'<p class="title">\2</p>\n\n```\1', "".join(parts))
