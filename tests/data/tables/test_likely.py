"""Which files look like questions, and what could be said to settle a doubt."""

from __future__ import annotations

from pathlib import Path

import pytest

from moot.data.tables import likely
from moot.data.tables.likely import likely_questions
from moot.data.tables.proposal import NOTHING_STATED, propose_columns, stated_too


def put(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_only_what_has_a_question_and_an_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "a.csv", "Question,Correct\nWho?,ann\n")
    put(tmp_path, "b.csv", "question,prompt,answer\nWho?,Who?,ann\n")
    put(tmp_path, "c.csv", "id,text,answer,level\n1,Who?,ann,2\n")
    put(tmp_path, "d.jsonl", '{"id": "1", "text": "Who?", "answer": "ann"}\n')
    put(tmp_path, "e.4s", "? Who?\n! ann\n")
    put(tmp_path, "people.csv", "name,age\nann,7\n")
    put(tmp_path, "unanswered.csv", "question,age\nWho?,7\n")
    put(tmp_path, "replies.jsonl", '{"model": "m", "question_id": "1", "text": "x", "answer": "A"}\n')
    put(tmp_path, "labels.csv", "question_id,model,pred,answer\n1,m,A,A\n")
    put(tmp_path, "broken.jsonl", "{")
    put(tmp_path, "empty.csv", "")
    put(tmp_path, ".hidden.csv", "question,answer\nWho?,ann\n")
    put(tmp_path, "notes.txt", "question,answer\n")
    (tmp_path / "folder.csv").mkdir()
    assert [path.name for path in likely_questions(tmp_path)] == ["a.csv", "b.csv", "c.csv", "d.jsonl", "e.4s"]
    monkeypatch.setattr(likely, "LARGEST_BYTES", 20)
    assert [path.name for path in likely_questions(tmp_path)] == ["e.4s"]


@pytest.mark.parametrize(
    "table",
    [
        "question,prompt,answer,label\nWho?,x,ann,y\n",
        "what,answer\nWho?,ann\n",
        "question,options,answer\nWho?,a|b|c,1\n",
        "question,answer,article,story\nWho?,ann,x is so,y is so\n",
        "question,option_a,option_b,option_d,answer\nWho?,x,y,z,a\n",
        "id,text,answer,level\n1,Who?,ann,2\n",
    ],
)
def test_whichever_way_is_taken_the_doubt_is_gone(tmp_path: Path, table: str) -> None:
    path = put(tmp_path, "doubt.csv", table)
    first = propose_columns(path)
    assert first.doubts
    for way in range(max(len(doubt.ways) for doubt in first.doubts)):
        stated, proposal = NOTHING_STATED, first
        for _ in range(6):
            if not proposal.doubts:
                break
            ways = proposal.doubts[0].ways
            stated = stated_too(stated, ways[min(way, len(ways) - 1)])
            proposal = propose_columns(path, stated)
        assert not proposal.doubts, (way, proposal.doubts)
