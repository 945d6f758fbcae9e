"""A small log takes little time and memory, whatever it says of itself: it is refused in words, or read as far as it goes."""

from __future__ import annotations

import gzip
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from moot import foreign_files, foreign_json
from moot.data.logs import imported
from moot.data.logs.imported import import_logs
from moot.errors import MootError

HEAD = {"status": "success", "eval": {"task": "towns", "model": "acme/ann"}}


def packed(path: Path, parts: Mapping[str, str], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("header.json", json.dumps(HEAD))
        for name, text in parts.items():
            archive.writestr(f"samples/{name}.json", text)
    return path


def sample(ident: str, said: str = "Paris", **more: object) -> str:
    return json.dumps(
        {"id": ident, "epoch": 1, "input": f"Where {ident}?", "target": "Paris", "output": {"completion": said}} | more
    )


def refused(name: str, path: Path, most: int = 2**20) -> str:
    """In words; before all of it is unpacked."""
    unpacked = 0

    def counting(read: Callable[..., bytes]) -> Callable[..., bytes]:
        def counted(file: Any, *size: Any) -> bytes:
            nonlocal unpacked
            part = read(file, *size)
            unpacked += len(part)
            return part

        return counted

    with pytest.MonkeyPatch.context() as patched:
        for kind in (zipfile.ZipExtFile, gzip.GzipFile):
            for way in ("read", "read1", "readline"):
                patched.setattr(kind, way, counting(getattr(kind, way)))
        with pytest.raises(MootError) as error:
            import_logs(name, [path])
    assert unpacked < most, "before it is unpacked"
    return str(error.value)


def test_a_zip_that_unpacks_to_much_more_than_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign_files, "MOST_LINE", 2**20)
    path = packed(tmp_path / "a.eval", {"1": sample("q1", "A" * 3 * 2**20)})
    assert path.stat().st_size < 6_000
    said = refused("inspect", path, most=2 * 200 * path.stat().st_size)
    assert "a.eval: unpacks to more than 200 times its own size" in said
    monkeypatch.setattr(foreign_files, "MOST_TIMES", 10_000)
    assert len(import_logs("inspect", [path]).replies) == 1


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_what_unpacks_a_whole_part_at_once_is_not_read(method: int, tmp_path: Path) -> None:
    """Of such a part all is unpacked before anybody sees that it is more than it states of itself."""
    path = packed(tmp_path / "a.eval", {"1": sample("q1")}, method)
    assert "a.eval: is packed in a way that is not read; expected a zip with deflate" in refused("inspect", path)


def test_a_zip_of_many_parts_that_are_each_within_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign_files, "MOST_UNPACKED", 2**16)
    path = packed(tmp_path / "a.eval", {f"{n}": sample(f"q{n}", "It is " * 1_000) for n in range(20)})
    assert "a.eval: unpacks to more than 65,536 bytes" in refused("inspect", path, most=2**17)


def test_a_reply_that_nobody_says_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imported, "LONGEST_REPLY", 100)
    path = packed(tmp_path / "a.eval", {"1": sample("q1"), "2": sample("q2", "A" * 101)})
    assert "a.eval: the reply of 'acme/ann' to 'towns/q2' has more than 100 characters" in refused("inspect", path)


def test_lines_that_are_packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign_files, "MOST_UNPACKED", 2**16)
    line = json.dumps({"custom_id": "q", "body": {"model": "m", "prompt": "Where?"}}) + "\n"
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress((line * 5_000).encode()))
    assert "a.jsonl.gz: unpacks to more than 65,536 bytes" in refused("openai-batch", path, most=2**18)


@pytest.mark.parametrize("value", ["[],", "{},", "1,", '"",'])
def test_a_document_of_nothing_but_values(value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign_json, "MOST_VALUES", 1_000)
    path = packed(tmp_path / "a.eval", {"1": sample("q1")[:-1] + f', "x": [{value * 1_001}0]}}'})
    assert "samples/1.json in it cannot be read: more than 1,000 values" in refused("inspect", path)
    whole = tmp_path / "a.json"
    whole.write_text(f'{{"samples": [{value * 1_001}0]}}')
    assert "is no JSON (more than 1,000 values)" in refused("inspect", whole)


def test_a_long_text_is_no_such_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign_json, "MOST_VALUES", 1_000)
    assert foreign_json.read_json(json.dumps({"text": "word " * 1_000}))


def test_nested_without_end(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"eval": ' + "[" * 200_000 + "]" * 200_000 + "}")
    assert "is no JSON (nested too deep)" in refused("inspect", path)


@pytest.mark.parametrize("epochs", [(10**9, 10**9 + 5), (1, 10**400), (3, 7)])
def test_epochs_are_as_many_as_there_are(epochs: tuple[int, int], tmp_path: Path) -> None:
    samples = [json.loads(sample(ident)) | {"epoch": epoch} for ident in ("q1", "q2") for epoch in epochs]
    (tmp_path / "a.json").write_text(json.dumps(HEAD | {"samples": samples}))
    logs = import_logs("inspect", [tmp_path / "a.json"])
    assert logs.repeats == 2
    assert [row["sample"] for row in logs.replies] == [0, 1, 0, 1]


def test_one_question_with_many_samples_does_not_repeat_all(tmp_path: Path) -> None:
    rows = ["question,answer,model,response", *["Who?,Ann,m,Ann"] * 50, "What?,Ann,m,Ann", "Where?,Ann,m,Ann"]
    (tmp_path / "a.csv").write_text("\n".join(rows) + "\n")
    assert import_logs("csv", [tmp_path / "a.csv"]).repeats == 1


@pytest.mark.parametrize("huge", ["1" + "0" * 400, "-1" + "0" * 400, "1e400", "NaN"])
def test_a_number_that_is_larger_than_any(huge: str, tmp_path: Path) -> None:
    scores = f'{{"match": {{"value": {huge}, "answer": "Paris"}}}}'
    usage = f'{{"input_tokens": {huge}, "output_tokens": {huge}, "total_cost": {huge}}}'
    text = sample("q1", scores="@1", output={"completion": "Paris", "usage": "@2", "time": "@3"})
    for mark, value in (("@1", scores), ("@2", usage), ("@3", huge)):
        text = text.replace(f'"{mark}"', value)
    results = f'{{"scores": [{{"name": "match", "metrics": {{"accuracy": {{"value": {huge}}}}}}}]}}'
    head = json.dumps(HEAD | {"results": "@"}).replace('"@"', results)
    (tmp_path / "a.json").write_text(head[:-1] + f', "samples": [{text}]}}')
    logs = import_logs("inspect", [tmp_path / "a.json"])
    assert (logs.models[0].stated, logs.models[0].here, logs.models[0].cost_usd) == (None, 1.0, None)
