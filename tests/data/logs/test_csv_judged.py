"""Tables that say whether replies were right, and not what was said: no reply is "incorrect"."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from moot.data.logs.imported import ImportedLogs, import_logs
from moot.errors import FileError

ASKED = (("Capital of Peru?", "Lima"), ("Of Mali?", "Bamako"), ("Of Cuba?", "Havana"))


def imported(folder: Path, head: str, rows: Iterable[Iterable[object]]) -> ImportedLogs:
    (folder / "kept.csv").write_text("\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return import_logs("csv", [folder / "kept.csv"])


WORDS = [("correct", "incorrect"), ("pass", "fail"), (1, 0), ("yes", "no"), ("TRUE", "FALSE")]


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("name", ["result", "output", "prediction", "answer"])
def test_a_row_for_each_reply_without_its_words_is_refused(
    name: str, words: tuple[object, object], tmp_path: Path
) -> None:
    rows = [[asked, right, model, words[len(asked) % 2]] for asked, right in ASKED for model in ("ant", "bee")]
    with pytest.raises(FileError, match=rf"every cell is a verdict.*no column of replies is beside {name}; expected"):
        imported(tmp_path, f"question,expected,model,{name}", rows)


def test_where_nothing_is_right_words_that_are_verdicts_alone_are_no_replies(tmp_path: Path) -> None:
    rows = [[asked, "ant", ("correct", "wrong")[len(asked) % 2]] for asked, _ in ASKED]
    with pytest.raises(FileError, match=r"every cell is a verdict"):
        imported(tmp_path, "question,model,result", rows)
    rows = [[asked, "ant", ("yes", "no")[len(asked) % 2]] for asked, _ in ASKED]
    assert len(imported(tmp_path, "question,model,result", rows).replies) == 3


@pytest.mark.parametrize("words", WORDS)
def test_a_column_for_each_model_without_its_words_is_refused(words: tuple[object, object], tmp_path: Path) -> None:
    rows = [[asked, right, words[0], words[len(asked) % 2]] for asked, right in ASKED]
    told = r"no replies in it: under ant, bee are verdicts, and answers are words; .* or --models NAME,NAME"
    with pytest.raises(FileError, match=told):
        imported(tmp_path, "question,expected,ant,bee", rows)
    for head in ("question,expected,ant_correct,bee_correct", "question,expected,result_ant,result_bee"):
        with pytest.raises(FileError, match=r"no replies in it"):
            imported(tmp_path, head, rows)


def test_replies_beside_them_are_the_replies(tmp_path: Path) -> None:
    rows = [[asked, right, "ant", right, "pass"] for asked, right in ASKED]
    logs = imported(tmp_path, "question,expected,model,answer,result", rows)
    assert [(model.name, model.here) for model in logs.models] == [("ant", 1.0)]
    assert "kept.csv: the replies are those under answer, since the reference is under expected" in logs.notes


def test_where_references_are_verdicts_too_they_are_replies(tmp_path: Path) -> None:
    rows = [[f"Is {n} even?", ("yes", "no")[n % 2], "ant", "yes"] for n in range(4)]
    logs = imported(tmp_path, "question,expected,model,result", rows)
    assert [(model.name, model.here) for model in logs.models] == [("ant", 0.5)]


def test_a_letter_of_choices_is_a_reply(tmp_path: Path) -> None:
    rows = [
        [asked, "Lima", "Bamako", "Oslo", letter, "ant", "C"] for (asked, _), letter in zip(ASKED, "ABC", strict=True)
    ]
    logs = imported(tmp_path, "question,A,B,C,answer,model,output", rows)
    assert logs.models[0].here == pytest.approx(1 / 3)
