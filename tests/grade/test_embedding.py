"""The embedding stage: what it must never join, whatever the cosine; and, where the weights are here, that it runs."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from moot.errors import UsageError
from moot.grade.embedding import MODEL, Embedding, Encoder, read_safetensors, set_apart
from moot.grade.group import Stages
from moot.grade.wordpiece import WordPiece, words
from moot.models import packaged
from moot.team import Team
from moot.types import Answer, Question

np = pytest.importorskip("numpy")

needs_weights = [
    pytest.mark.local,
    pytest.mark.skipif(not packaged.CATALOGUE[MODEL].there, reason=f"no weights here: moot models add {MODEL}"),
]


def local(test: Any) -> Any:
    for mark in needs_weights:
        test = mark(test)
    return test


APART = [
    ("1812", "1912"),
    ("seven", "eight"),
    ("семь", "8"),
    ("Apollo 11", "Apollo 13"),
    ("Apollo", "Apollo 11"),
    ("Peter I", "Peter III"),
    ("Наполеон I", "Наполеон III"),
    ("World War I", "World War Two"),
    ("guilty", "not guilty"),
    ("it is", "it isn't"),
    ("виновен", "не виновен"),
    ("с сахаром", "без сахара"),
    ("possible", "impossible"),
    ("чётное", "нечётное"),
    ("vitamin C", "vitamin D"),
    ("George H. W. Bush", "George W. Bush"),
    ("Австрия", "Австралия"),
    ("3,125", "3.126"),
    ("5 mW", "5 MW"),
    ("about 5 mm", "about 5 Mm"),
]
NOT_APART = [
    ("seven", "7"),
    ("семь", "7"),
    ("twenty-one", "21"),
    ("1-й", "первый"),
    ("Peter the First", "Peter I"),
    ("World War II", "the Second World War"),
    ("20,000 Leagues", "Twenty Thousand Leagues"),
    ("J. K. Rowling", "Rowling"),
    ("not guilty", "not culpable"),
    ("Гагарина", "Юрий Гагарин"),
    ("I", "me"),
]


@pytest.mark.parametrize(("one", "other"), APART)
def test_what_no_cosine_bridges(one: str, other: str) -> None:
    assert set_apart(one, other)
    assert set_apart(other, one)


@pytest.mark.parametrize(("one", "other"), NOT_APART)
def test_what_the_cosine_may_decide(one: str, other: str) -> None:
    assert not set_apart(one, other)
    assert not set_apart(other, one)


def test_missing_weights_are_a_usage_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOOT_CACHE", str(tmp_path))
    with pytest.raises(UsageError, match="moot models add minilm-l6"):
        Embedding()


def test_numpy_is_not_loaded_for_nothing() -> None:
    code = "import sys, moot.cli, moot.grade.embedding; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_words() -> None:
    assert words("The Café’s 'crème', $5+!") == ["the", "cafe", "’", "s", "'", "creme", "'", ",", "$", "5", "+", "!"]
    assert words("Пётр\tМой\u00a0край\u200b") == ["петр", "мои", "краи"]
    assert words("日本 go") == ["日", "本", "go"]
    assert words("") == []


def test_pieces() -> None:
    pieces = WordPiece({p: n for n, p in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "play", "##er", "##e", "##s"])})
    assert pieces.encode("Players play") == [2, 4, 5, 7, 4, 3]
    assert pieces.encode("player?") == [2, 4, 5, 1, 3]
    assert pieces.encode("plays " * 50, longest=8) == [2, 4, 7, 4, 7, 4, 7, 3]
    assert pieces.encode("play" + "s" * 100) == [2, 1, 3]


def test_safetensors(tmp_path: Path) -> None:
    numbers = np.arange(6, dtype="<f4")
    header = {
        "__metadata__": {"format": "pt"},
        "ids": {"dtype": "I64", "shape": [1], "data_offsets": [0, 8]},
        "a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [8, 32]},
    }
    text = json.dumps(header).encode()
    (tmp_path / "m").write_bytes(struct.pack("<Q", len(text)) + text + bytes(8) + numbers.tobytes())
    arrays = read_safetensors(tmp_path / "m")
    assert list(arrays) == ["a"]
    assert arrays["a"].tolist() == [[0, 1, 2], [3, 4, 5]]


@local
def test_known_cosines() -> None:
    """A slip anywhere in the tokenizer or the layers would move these."""
    embedding = Embedding()
    assert embedding.cosine("car", "automobile") == pytest.approx(0.865, abs=0.01)
    assert embedding.cosine("Olympic Games", "Babylon") == pytest.approx(0.206, abs=0.01)
    assert embedding.cosine("1812", "1912") == pytest.approx(0.543, abs=0.01)
    assert embedding.cosine("World War II", "the Second World War") == 1.0


@local
def test_a_batch_gives_the_same_vectors() -> None:
    folder = packaged.path(MODEL)
    weights, tokenizer = read_safetensors(folder / "model.safetensors"), WordPiece.from_file(folder / "vocab.txt")
    encoder = Encoder(weights, tokenizer)
    texts = ["Paris", "the capital of France, a city on the Seine", "", "Париж " * 300]
    batch = encoder.encode(texts)
    assert batch.shape == (4, 384)
    assert np.linalg.norm(batch, axis=1) == pytest.approx(1.0, abs=1e-5)
    for text, vector in zip(texts, batch, strict=True):
        assert encoder.encode([text])[0] == pytest.approx(vector, abs=1e-5)


@local
async def test_as_a_stage_of_grouping() -> None:
    said = ["USA", "Canada", "the U.S.A.", "United States", None, "not the USA"]
    answers = [Answer(name, text) for name, text in zip("abcdef", said, strict=True)]
    team = Team("six", (), grouper=Stages(similarity=Embedding()))
    grouping = await team.group(Question("q", "Which country has fifty states?"), answers)
    assert "e" not in grouping.players
    assert grouping.group_of("a") == grouping.group_of("d")
    assert grouping.stages[grouping.group_of("a") or 0] == "embedding"
    assert grouping.group_of("b") != grouping.group_of("a") != grouping.group_of("f")


@local
def test_the_threshold_decides() -> None:
    assert Embedding(0.5).same("dog", "poodle")
    assert not Embedding(0.9).same("dog", "poodle")
    assert Embedding(0.99).same("Пётр Первый", "Пётр I")


@local
def test_texts_that_are_hardly_texts() -> None:
    embedding = Embedding()
    for text in ("", " ", "…", "🙂", "x" * 5000, "\u0301"):
        assert -1.01 <= embedding.cosine(text, "Paris") <= 1.01
        assert embedding.same(text, text)
