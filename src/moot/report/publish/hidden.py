"""What a published folder must not tell: where models are reached, with which keys, and how folders are called here.

Replies are free of secrets when they are stored. Addresses and paths are not: a server that cannot be reached is named in the
cause of a failure. So all that is published passes here; the questions alone are published as they were asked.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

import orjson

from moot.errors import UsageError
from moot.experiment.spec import ExperimentFile
from moot.models.secrets import HIDDEN
from moot.store import store_at
from moot.store.sqlite import SqliteStore

LOOPBACK = {"localhost", "127.0.0.1", "::1", "0.0.0.0"}
"""Hosts that say nothing by themselves: they are hidden with their port."""
SHORTEST = 4
"""A word of fewer letters may be any word."""
NOT_IN_A_PATH = r"\s\"'<>|;,)\]}"
ADDRESSES = ("base_url", "proxy", "api_base", "url", "endpoint")
_ABSOLUTE = re.compile(r"[/~]|[A-Za-z]:[/\\]|\\\\")
_LONGEST_PATH = 1_000
FILES = ("api_key_file", "ca_file", "client_cert")
"""Hidden wherever they are: nobody needs to know how a file with a key is called."""
VARIABLES = ("api_key_env",)


class HiddenWords:
    """The words of one experiment file that nobody else is to read."""

    def __init__(self, file: ExperimentFile) -> None:
        folders = {str(path) for path in _folders(file) if len(path.parts) > 1} | set(_places_elsewhere(file))
        words = {word for word in _words(file) if len(word) >= SHORTEST}
        inside = [rf"{re.escape(folder)}(?:/[^{NOT_IN_A_PATH}]*)?" for folder in _longest_first(folders)]
        parts = [*map(re.escape, _longest_first(words)), *inside]
        self._pattern = re.compile("|".join(parts)) if parts else None

    def text(self, text: str) -> str:
        return text if self._pattern is None else self._pattern.sub(HIDDEN, text)

    def value(self, value: Any) -> Any:
        """Of JSON: the same without them, at whatever depth."""
        if self._pattern is None:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.value(key): self.value(each) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(each) for each in value]
        return value

    def stands_in(self, content: bytes) -> bool:
        """Whether a file would tell one of them after all."""
        return self._pattern is not None and self._pattern.search(content.decode("utf-8", "replace")) is not None


def plain_json(value: Any) -> Any:
    """Whatever a page packs, as the JSON that it becomes."""
    return orjson.loads(orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS))


def _longest_first(words: set[str]) -> list[str]:
    return sorted(words, key=lambda word: (-len(word), word))


def _folders(file: ExperimentFile) -> Iterator[Path]:
    yield file.path.resolve().parent
    yield Path.cwd()
    yield Path.home()
    yield Path.home().resolve()
    store = store_at(file.store_url, beside=file.path.parent)
    if isinstance(store, SqliteStore):
        yield store.path.resolve().parent


def _places_elsewhere(file: ExperimentFile) -> Iterator[str]:
    """All that the experiment names outside of its folder, under whichever key: as it is written, and as it is found here."""
    home = file.path.resolve().parent
    for text in _texts(file.spec.model_dump(mode="json")):
        if not SHORTEST <= len(text) <= _LONGEST_PATH or not text.isprintable():
            continue
        try:
            found = file.beside(text)
            there, place = found.exists(), found.resolve()
        except (OSError, ValueError, RuntimeError, UsageError):
            there, place = False, Path(text)
        if place.is_relative_to(home) and not _is_way(text):
            continue
        if there and len(place.parts) > 1:
            yield from {text if _is_way(text) else str(place), str(found), str(place)}
            if (
                place.is_file() and len(place.parent.parts) > 2
            ):  # with what lies beside it, such as documents of questions
                yield from {str(found.parent), str(place.parent)}
        elif _is_way(text) and len(PurePosixPath(text.replace("\\", "/")).parts) > 2:
            yield from {text, str(place)}  # it may have been there when it was played


def _is_way(text: str) -> bool:
    """Whether it reads as a path from the root, or out of a folder: a word that happens to be a file's name is a word."""
    return _ABSOLUTE.match(text) is not None or text.startswith(("../", "..\\"))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(part)


def _words(file: ExperimentFile) -> Iterator[str]:
    if (url := urlsplit(file.store_url)).hostname:
        yield from (file.store_url, *filter(None, (url.netloc, url.password)))
    for spec in file.spec.models.values():
        said = {**spec.model_dump(mode="python"), **(spec.model_extra or {})}
        for key in ADDRESSES:
            if isinstance(said.get(key), str):
                yield from _of_address(said[key])
        for key in FILES:
            if isinstance(said.get(key), str):
                yield from (said[key], str(file.beside(said[key])))
        for key in VARIABLES:
            if isinstance(said.get(key), str):
                yield from filter(None, (said[key], os.environ.get(said[key])))
        for held in ("headers", "query"):
            if isinstance(said.get(held), Mapping):
                yield from (value for value in said[held].values() if isinstance(value, str) and len(value) >= 8)
        if isinstance(said.get("headers_env"), Mapping):
            for variable in said["headers_env"].values():
                yield from filter(None, (str(variable), os.environ.get(str(variable))))
        if isinstance(called := said.get("model"), str) and is_place(called):
            yield from (called, *(_of_address(called) if "//" in called else ()))


def is_place(name: str) -> bool:
    """Whether a model is called by a place: on this machine, or at an address."""
    return name.startswith(("/", "~", ".")) or name.endswith(".gguf") or "\\" in name or "//" in name


def _of_address(address: str) -> Iterator[str]:
    yield address.rstrip("/")
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return
    if parts.netloc:
        yield from (f"{parts.scheme}://{parts.netloc}", parts.netloc.rpartition("@")[2])
    yield from filter(None, (parts.username, parts.password))
    if port is not None:
        yield f"{host}:{port}"
        yield f"{host}', port={port}"
    if host and host not in LOOPBACK:
        yield host
