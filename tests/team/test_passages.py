"""Documents as passages, and the index that finds those which fit a question."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from moot.errors import FileError
from moot.team import passage_index
from moot.team.passage_index import PassageIndex
from moot.team.passages import MOST_CHARACTERS, document_text, passages_of
from moot.types import Question


@pytest.mark.parametrize(
    "text",
    [
        "word " * 5_000,
        "x" * 10_000,
        "One sentence. " * 900,
        "# " + "h" * 4_000 + "\n\nbody",
        "\n\n".join(f"# {n}" for n in range(900)),
        "а́é漢字 " * 2_000,
    ],
)
def test_every_passage_is_bounded_and_no_letter_is_lost(text: str) -> None:
    passages = passages_of(text)
    assert all(0 < len(passage) <= MOST_CHARACTERS for passage in passages)
    assert re.sub(r"\s", "", "".join(passages)) == re.sub(r"\s", "", text)


def test_a_heading_stands_with_what_comes_after_it() -> None:
    assert passages_of("# Rivers\n\n## Don\n\nIt flows.\n\nAnd flows.\n\n# End") == [
        "# Rivers\n\n## Don\n\nIt flows.",
        "And flows.",
        "# End",
    ]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("none.md", None, "no such document"),
        ("a.pdf", b"%PDF", "unknown kind of document '.pdf'; expected .txt, .md"),
        ("a", b"words", "unknown kind of document ''"),
        ("a.txt", b"\xff\xfe words", "is not UTF-8 (byte 1)"),
        ("b.md", b"a\x00b", "bytes that no text has"),
        ("c.md", b" \n\n ", "is empty"),
    ],
)
def test_what_is_no_document_is_refused_in_one_sentence(
    tmp_path: Path, name: str, content: bytes | None, words: str
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(FileError) as caught:
        document_text(path)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def written(folder: Path, **texts: str) -> PassageIndex:
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return PassageIndex.of_folder(folder)


def test_words_are_found_in_their_other_forms_and_without_accents(tmp_path: Path) -> None:
    index = written(tmp_path / "d", a="The towers were painted.", b="Café crème.", c="Nothing here.")
    assert [each.document for each in index.best(Question("1", "Who paints a TOWER?"), 3)] == ["a.md"]
    assert [each.document for each in index.best(Question("2", "a cafe"), 1)] == ["b.md"]


@pytest.mark.parametrize(
    "text", ['"', "NEAR(a b) AND OR NOT *", "col:x ^ {a} + -", "'; DROP TABLE passages; --", "", "???"]
)
def test_a_question_is_words_and_never_a_query(tmp_path: Path, text: str) -> None:
    index = written(tmp_path / "d", a="Some near words and more.", b="Other drop of table.")
    index.best(Question("1", text), 3)
    assert index.best(Question("2", "drop"), 1)[0].document == "b.md"


def test_a_large_collection_is_indexed_once_in_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOOT_CACHE", str(tmp_path / "cache"))
    draw = random.Random(3)
    words = [f"w{n}" for n in range(300)]
    texts = {f"f{n}": "\n\n".join(" ".join(draw.choices(words, k=40)) for _ in range(20)) for n in range(10)}
    question = Question("1", "w7 w90 w200")
    in_memory = written(tmp_path / "d", **texts).best(question, 5)
    monkeypatch.setattr(passage_index, "IN_MEMORY", 10)
    assert PassageIndex.of_folder(tmp_path / "d").best(question, 5) == in_memory
    (kept,) = (tmp_path / "cache" / "passages").iterdir()
    before = kept.stat().st_mtime_ns
    assert PassageIndex.of_folder(tmp_path / "d").best(question, 5) == in_memory
    assert kept.stat().st_mtime_ns == before
    kept.write_bytes(b"broken")
    assert PassageIndex.of_folder(tmp_path / "d").best(question, 5) == in_memory


def test_a_rare_word_weighs_more_than_a_usual_one(tmp_path: Path) -> None:
    """By a second way: the passage with the word that only it has comes before those with words of all."""
    texts = {f"f{n}": f"the usual words of every text here {n}" for n in range(30)}
    texts["f17"] += " quokka"
    index = written(tmp_path / "d", **texts)
    assert index.best(Question("1", "the usual words of every quokka"), 1)[0].document == "f17.md"
