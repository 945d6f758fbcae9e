"""Rows from the Hugging Face hub, through the extra `datasets`; a folder on this machine in its place will do as well.

The library keeps what it fetched and maps it into memory, so walking through the rows holds none of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from moot.data.published import Published
from moot.data.rows import whole_numbers
from moot.errors import UsageError


@dataclass(frozen=True, slots=True)
class Hub:
    """Where the rows are: a repository of the hub, the part of it, and the split."""

    repository: str
    config: str | None = None
    split: str = "test"
    revision: str | None = None
    """A commit or tag; without one, whatever the repository holds today."""

    def __str__(self) -> str:
        config = f"/{self.config}" if self.config else ""
        return f"hub:{self.repository}{config}:{self.split}"

    def rows(self) -> Iterator[Published]:
        for number, values in enumerate(_fetched(self), start=1):
            present: Mapping[str, Any] = {
                key: whole_numbers(value) for key, value in values.items() if value is not None
            }
            yield Published(present, str(self), number, self.split)


@lru_cache(maxsize=4)
def _fetched(hub: Hub) -> Any:
    try:
        import datasets
    except ImportError:
        raise UsageError("questions from the hub need the extra: pip install 'moot[datasets]'") from None
    datasets.disable_progress_bars()
    try:
        return datasets.load_dataset(hub.repository, hub.config, split=hub.split, revision=hub.revision)
    except (OSError, ValueError, KeyError, RuntimeError, datasets.exceptions.DatasetsError) as error:
        raise UsageError(f"cannot load {hub}: {type(error).__name__}: {str(error).splitlines()[0]}") from None
