"""Whatever an experiment names outside of its folder is told in no published file, wherever and however it is named."""

from __future__ import annotations

import base64
import gzip
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot import prompts
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.config.key_lines import KeyLines
from moot.experiment.spec import Experiment, ExperimentFile
from moot.report.publish.hidden import HiddenWords

FAR = "far-private-4711"


def moot(*arguments: object) -> int:
    return run_app(app, [str(each) for each in arguments])


def told(folder: Path) -> bytes:
    """All that its files tell: of a page what is packed in it too."""
    content = b"".join(path.read_bytes() + str(path).encode() for path in folder.rglob("*") if path.is_file())
    blocks = re.findall(rb'<script type="application/octet-stream"[^>]*>([^<]*)</script>', content)
    return content + b"".join(gzip.decompress(base64.b64decode(block)) for block in blocks)


def far_folder(folder: Path) -> None:
    """Everything that a file can name."""
    (folder / "facts").mkdir(parents=True)
    (folder / "words").mkdir()
    names = ("ann", "bob")
    rows = [{"id": f"q{n}", "text": f"Which town is number {n}?", "answer": "Paris"} for n in range(4)]
    (folder / "quiz.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    said = json.dumps({"reasoning": "", "answer": "Paris"})
    replies = [{"model": "rec", "question_id": row["id"], "text": said} for row in rows]
    (folder / "replies.jsonl").write_text("".join(json.dumps(row) + "\n" for row in replies), encoding="utf-8")
    (folder / "facts" / "town.md").write_text("Which town is number one? Some say Paris.", encoding="utf-8")
    (folder / "notes.md").write_text("A town is number one.", encoding="utf-8")
    shutil.copy(Path(prompts.__file__).parent / "en" / "draft.j2", folder / "words" / "draft.j2")
    chosen = {"team": list(names), "accuracies": {"ann": 0.5, "bob": 0.6}, "chosen_on": ["0" * 32]}
    (folder / "pick.json").write_text(json.dumps(chosen), encoding="utf-8")


@pytest.mark.parametrize("way", ["absolute", "out of the folder", "by a link"])
def test_no_path_of_anything_that_lies_elsewhere_is_published(tmp_path: Path, way: str) -> None:
    far, own = tmp_path / FAR, tmp_path / "own"
    far_folder(far)
    own.mkdir()
    (own / "linked").symlink_to(far)
    place = {"absolute": str(far), "out of the folder": f"../{FAR}", "by a link": "linked"}[way]
    described: dict[str, Any] = {
        "name": "cup",
        "questions": {"file": f"{place}/quiz.jsonl", "documents": f"{place}/notes.md"},
        "prompts": f"{place}/words",
        "models": {
            "ann": {"provider": "simulated", "accuracy": 0.9},
            "bob": {"provider": "simulated", "accuracy": 0.5},
            "cat": {"provider": "recorded", "file": f"{place}/replies.jsonl", "model": "rec"},
        },
        "teams": {
            "two": {"players": ["ann", "bob"]},
            "picked": {"players": ["ann", "bob"], "selection": f"{place}/pick.json"},
        },
        "strategies": ["solo", "vote", {"discuss": {"challenge": "facts", "facts": f"{place}/facts"}}],
    }
    path = own / "cup.yaml"
    path.write_text(json.dumps(described), encoding="utf-8")
    assert moot("run", path, "--quiet") in (0, 1)
    assert moot("report", path, "--publish", own / "board") == 0
    published = told(own / "board")
    assert FAR.encode() not in published
    assert str(tmp_path).encode() not in published.replace(str(own).encode(), b"")
    assert b"facts" in published, "what was played is told"


WORD = st.text("abcdefgh-", min_size=3, max_size=8)
VALUES = st.recursive(
    st.just("PLACE") | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORD, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=40, deadline=None)
@given(VALUES, st.sampled_from(["/srv/{}/x", "../{}/x", "~/../{}/x", "/srv/My {}/x.json", "C:\\{}\\x", "\\\\{}\\x\\y"]))
def test_at_whatever_depth_of_a_strategy_a_path_stands(value: Any, form: str) -> None:
    """Also one that is not there any more."""
    written = json.loads(json.dumps(value).replace("PLACE", json.dumps(form.format(FAR))[1:-1]))
    spec = Experiment.model_construct(name="cup", models={}, strategies=[{"mine": {"option": written}}])
    hidden = HiddenWords(ExperimentFile(Path("/home/somebody/cup.yaml"), spec, KeyLines(None)))
    assert FAR not in json.dumps(hidden.value(written))
    assert FAR not in hidden.text(f"cannot read {form.format(FAR)}/deeper: no such file") or "PLACE" not in json.dumps(
        value
    )


@pytest.mark.parametrize("words", ["/no_think", "~", "/", "..", "and/or", "Paris", "Say it.\n/then/this"])
def test_words_that_are_no_paths_are_left(words: str) -> None:
    spec = Experiment.model_construct(name="cup", models={}, strategies=[{"mine": {"option": words}}])
    hidden = HiddenWords(ExperimentFile(Path("/home/somebody/cup.yaml"), spec, KeyLines(None)))
    assert hidden.text(f"They said: {words}") == f"They said: {words}"
