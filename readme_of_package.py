"""The README as a package index shows it: there none of the files stand beside it that it leads to.

Read by the build (`pyproject.toml`). A link to a file of this tree becomes its words, a picture is left out, and the first
line says where the manual is; links that lead anywhere else stay.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

try:
    from hatchling.metadata.plugin.interface import MetadataHookInterface
except ImportError:  # whoever only wants the words
    MetadataHookInterface = object

_FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
_PICTURE = re.compile(r"^!\[[^\]]*\]\((?!https?:)[^)]*\)\n*", re.MULTILINE)
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:|mailto:)[^)]*\)")
MANUAL = "The manual is the folder `docs` of the source package; `moot --help` begins it on any machine."


def shown_on_index(readme: str) -> str:
    parts = _FENCE.split(readme)
    parts[::2] = [_LINK.sub(r"\1", _PICTURE.sub("", part)) for part in parts[::2]]  # code stays as it is
    title, rest = "".join(parts).split("\n", 1)
    return f"{title}\n\n{MANUAL}\n{rest}"


class ReadmeOfPackage(MetadataHookInterface):  # type: ignore[misc]
    def update(self, metadata: dict[str, Any]) -> None:
        text = shown_on_index((Path(self.root) / "README.md").read_text(encoding="utf-8"))
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
