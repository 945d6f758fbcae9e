"""A zip that somebody else packed, also one packed with Zstandard, read one part at a time and no further than a file of ours."""

from __future__ import annotations

import sys
import zipfile as plain_zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from moot.errors import FileError, UsageError
from moot.foreign_files import check_unpacked, opened, whole_of
from moot.foreign_json import read_json

ZSTANDARD = 93
"""Its number among the methods of packing."""
_BOUNDED = (plain_zipfile.ZIP_STORED, plain_zipfile.ZIP_DEFLATED, ZSTANDARD)
"""Methods of which no more is unpacked than is asked for. Others unpack a whole part, whatever it states of itself."""
_DAMAGED = (plain_zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)


class ZippedJson:
    """JSON documents in a zip, by name."""

    def __init__(self, archive: Any, path: Path) -> None:
        self._archive, self._path = archive, path
        self.names: tuple[str, ...] = tuple(dict.fromkeys(archive.namelist()))

    def check_size(self, names: Sequence[str], packed: int) -> None:
        """Before anything is unpacked: nothing comes out of a part but as much as is stated of it."""
        stated = {part.filename: part.file_size for part in self._archive.infolist()}
        check_unpacked(sum(stated[name] for name in names), packed, self._path)

    def document(self, name: str) -> Any:
        damaged = _damaged()
        try:
            with self._archive.open(name) as part:
                return read_json(whole_of(part, self._path))
        except damaged as error:
            raise FileError(f"{name} in it cannot be read: {error}", file=self._path) from None


@contextmanager
def zipped_json(path: Path) -> Iterator[ZippedJson]:
    try:
        with opened(path) as file, _archive(file, path) as archive:
            yield ZippedJson(archive, path)
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", file=path) from None


@contextmanager
def _archive(file: Any, path: Path) -> Iterator[Any]:
    try:
        with plain_zipfile.ZipFile(file) as listed:
            methods = {part.compress_type for part in listed.infolist()}
    except _DAMAGED as error:
        raise FileError(f"is no zip, or was cut off: {error}", file=path) from None
    if not methods <= {*_BOUNDED}:
        raise FileError("is packed in a way that is not read; expected a zip with deflate or Zstandard", file=path)
    if ZSTANDARD not in methods or sys.version_info >= (3, 14):
        with plain_zipfile.ZipFile(file) as archive:
            yield archive
        return
    try:
        from backports.zstd import zipfile
    except ImportError:
        raise UsageError(f"{path} is packed with Zstandard, which needs the extra: pip install 'moot[logs]'") from None
    with zipfile.ZipFile(file) as archive:
        yield archive


def _damaged() -> tuple[type[Exception], ...]:
    """What reading a damaged part raises; the library's own exception is none of Python's before 3.14."""
    try:
        from backports.zstd import ZstdError, zipfile
    except ImportError:
        return _DAMAGED
    return (*_DAMAGED, ZstdError, zipfile.BadZipFile)
