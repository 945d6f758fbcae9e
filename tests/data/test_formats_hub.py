"""Sets from the hub, with a folder of this machine in place of a repository, and from an experiment file to a graded run."""

from __future__ import annotations

import builtins
import json
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import polars
import pytest

if find_spec("datasets") is None:  # imported by those alone who ask for it: it is slow
    pytest.skip("the extra datasets is not installed", allow_module_level=True)

from moot.data import load_published
from moot.data.formats import dataset_format
from moot.data.hub import Hub, _fetched
from moot.engine.runner import Runner
from moot.errors import FileError, UsageError
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.store import queries

ROOT = Path(__file__).parents[2]
REAL = Path(os.environ.get("MOOT_DATA") or ROOT / ".." / "shared" / "data") / "mmlu_pro_questions.jsonl.gz"

PRO = [
    {"question_id": n, "question": f"Which {n}?", "options": ["one", "two", "three"], "answer": "ABC"[n % 3]}
    | {"answer_index": n % 3, "category": "business", "src": "made", "cot_content": ""}
    for n in range(7)
]
MMLU = [{"question": "Which?", "subject": "anatomy", "choices": ["a", "b", "c", "d"], "answer": 2}]
SQUAD = [
    {
        "id": "s1",
        "title": "N",
        "context": "In 1066.",
        "question": "When?",
        "answers": {"text": ["1066"], "answer_start": [3]},
    },
    {"id": "s2", "title": "N", "context": "In 1066.", "question": "Why?", "answers": {"text": [], "answer_start": []}},
]


@pytest.fixture(autouse=True)
def _cache_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    _fetched.cache_clear()


def repository(folder: Path) -> Path:
    """A folder as the hub has it: data files named by their split."""
    (folder / "data").mkdir(parents=True)
    polars.DataFrame(PRO).write_parquet(folder / "data" / "test-00000-of-00001.parquet")
    polars.DataFrame(PRO[:2]).write_parquet(folder / "data" / "validation-00000-of-00001.parquet")
    return folder


def test_rows_of_a_split(tmp_path: Path) -> None:
    place = Hub(str(repository(tmp_path / "MMLU-Pro")))
    dataset = load_published(place, dataset_format("mmlu-pro"))
    assert [case.question.id for case in dataset] == [str(n) for n in range(7)]
    assert [case.answer for case in dataset] == list("ABCABCA")
    assert [case.question.id for case in dataset] == [str(n) for n in range(7)], "it can be walked through again"
    assert len(load_published(Hub(place.repository, split="validation"), dataset_format("mmlu-pro"))) == 2


def test_choices_as_a_class_label_and_answers_as_a_struct(tmp_path: Path) -> None:
    (tmp_path / "mmlu").mkdir()
    polars.DataFrame(MMLU).write_parquet(tmp_path / "mmlu" / "test.parquet")
    (case,) = load_published(Hub(str(tmp_path / "mmlu")), dataset_format("mmlu"))
    assert (case.question.id, case.answer) == ("anatomy-1", "C")
    (tmp_path / "squad").mkdir()
    lines = "".join(json.dumps(row) + "\n" for row in SQUAD)
    (tmp_path / "squad" / "validation.jsonl").write_text(lines)
    found = list(load_published(Hub(str(tmp_path / "squad"), split="validation"), dataset_format("squad")))
    assert [case.answer for case in found] == ["1066", None]


def test_a_bad_row_is_named_by_its_place(tmp_path: Path) -> None:
    (tmp_path / "bad").mkdir()
    polars.DataFrame([*PRO[:2], {**PRO[2], "answer": "K"}]).write_parquet(tmp_path / "bad" / "test.parquet")
    with pytest.raises(FileError, match=r"hub:.*bad:test:3: answer_index: says another choice"):
        load_published(Hub(str(tmp_path / "bad")), dataset_format("mmlu-pro"))


@pytest.mark.parametrize(("part", "problem"), [({"split": "nowhere"}, "nowhere"), ({"config": "none"}, "none")])
def test_no_such_part(part: dict[str, Any], problem: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"cannot load hub:.*{problem}"):
        load_published(Hub(str(repository(tmp_path / "r")), **part), dataset_format("mmlu-pro"))


def test_no_such_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("datasets.config.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(UsageError, match="cannot load hub:nobody/nothing:test"):
        load_published(Hub("nobody/nothing"), dataset_format("mmlu-pro"))


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def importing(name: str, *rest: Any) -> Any:
        if name == "datasets":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", importing)
    with pytest.raises(UsageError, match=r"moot\[datasets\]"):
        load_published(Hub("TIGER-Lab/MMLU-Pro"), dataset_format("mmlu-pro"))


def experiment(folder: Path, questions: str) -> Path:
    path = folder / "e.yaml"
    path.write_text(f"name: e\nquestions: {questions}\nmodels: {{ann: {{provider: simulated, accuracy: 1.0}}}}\n")
    return path


async def test_from_an_experiment_file_to_a_score(tmp_path: Path) -> None:
    repository(tmp_path / "MMLU-Pro")
    built = build(read_experiment(experiment(tmp_path, "{format: mmlu-pro, hub: MMLU-Pro, split: test, sample: 5}")))
    assert built.dataset is not None
    assert len(built.dataset) == 5

    store = await built.store().open()
    try:
        await Runner(built, store).run()
        (cell,) = built.cells
        rows = await store.run(lambda connection: list(queries.results(connection, built.id, cell.id, "match")))
    finally:
        await store.close()
    assert [row["value"] for row in rows] == [1.0] * 5


@pytest.mark.parametrize(
    ("questions", "problem"),
    [
        ("{format: mmlu-pr, file: q.jsonl}", "questions.format: format 'mmlu-pr' is unknown.*did you mean 'mmlu-pro'"),
        ("{format: gpqa, file: none.csv}", "questions.file: no such file or folder"),
        ("{format: gpqa, file: q.jsonl, choices: 5}", "takes no number of choices"),
        ("{hub: TIGER-Lab/MMLU-Pro}", "hub needs a format"),
        ("{file: q.jsonl, split: test}", "split goes with hub only"),
        ("{file: q.jsonl, hub: a/b, format: gpqa}", "expected one of file, hub and builtin"),
        ("{builtin: facts-en, format: gpqa}", "format goes with file or hub"),
        ("{file: q.jsonl, choices: 5}", "choices goes with a format"),
        ("{file: q.jsonl, sample: all}", "sample"),
        ("{file: q.jsonl, sample: 0}", "sample"),
    ],
)
def test_mistakes_of_the_file(questions: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text("{}")
    with pytest.raises(FileError, match=problem):
        build(read_experiment(experiment(tmp_path, questions)))


@pytest.mark.skipif(not REAL.is_file(), reason=f"no {REAL.name} in {REAL.parent}")
def test_the_real_mmlu_pro() -> None:
    dataset = load_published(REAL, dataset_format("mmlu-pro"), sample="auto")
    assert (dataset.size, len(dataset)) == (12_032, 373)
