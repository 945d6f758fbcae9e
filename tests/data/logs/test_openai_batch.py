"""Batches of several models: an error names no model, and is told apart by what else was answered, or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

import moot
from moot.data.logs.imported import ImportedLogs, import_logs
from moot.errors import MootError

LANDS = {"q1": "France", "q2": "Italy", "q3": "Spain", "q4": "Peru"}


def lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def requests(folder: Path, name: str, model: str) -> None:
    bodies = {
        ident: {"model": model, "messages": [{"role": "user", "content": f"Capital of {land}?"}]}
        for ident, land in LANDS.items()
    }
    lines(folder / f"{name}_in.jsonl", ({"custom_id": ident, "body": body} for ident, body in bodies.items()))


def replies(folder: Path, name: str, model: str, said: Mapping[str, str]) -> None:
    bodies = {ident: {"model": model, "choices": [{"message": {"content": text}}]} for ident, text in said.items()}
    rows = ({"custom_id": ident, "response": {"status_code": 200, "body": body}} for ident, body in bodies.items())
    lines(folder / f"{name}_out.jsonl", rows)


def errors(folder: Path, name: str, *idents: str, words: str = "bad request") -> None:
    rows = ({"custom_id": ident, "response": None, "error": {"code": "x", "message": words}} for ident in idents)
    lines(folder / f"{name}_err.jsonl", rows)


def told(logs: ImportedLogs) -> dict[str, tuple[int, int]]:
    """By model how many of its questions have a reply, and how many none."""
    return {model.name: (model.questions, model.missing) for model in logs.models}


def two_models(folder: Path, ann: Mapping[str, str], bob: Mapping[str, str]) -> None:
    for name, model, said in (("a", "gpt-4o", ann), ("b", "gpt-4o-mini", bob)):
        requests(folder, name, model)
        replies(folder, name, f"{model}-2026-07-18", said)


def test_an_error_is_of_the_request_that_has_no_reply(tmp_path: Path) -> None:
    two_models(tmp_path, {"q1": "Paris", "q2": "Rome", "q3": "Madrid"}, {"q1": "Paris", "q2": "Milan", "q4": "Lima"})
    errors(tmp_path, "a", "q4")
    logs = import_logs("openai-batch", [tmp_path])
    assert told(logs) == {"gpt-4o": (3, 1), "gpt-4o-mini": (3, 1)}
    assert "gpt-4o: 1 of 4 samples have no reply (bad request)" in logs.notes
    assert "gpt-4o-mini: 1 of 4 samples have no reply (in no file of replies)" in logs.notes
    errors(tmp_path, "b", "q3", words="expired")
    logs = import_logs("openai-batch", [tmp_path])
    assert "gpt-4o-mini: 1 of 4 samples have no reply (expired)" in logs.notes


def test_the_errors_of_one_file_are_of_one_model(tmp_path: Path) -> None:
    """Of q4 nobody has a reply; of q3 one has none, and the error of it stands in the same file."""
    two_models(tmp_path, {"q1": "Paris", "q2": "Rome"}, {"q1": "Paris", "q2": "Milan", "q3": "Madrid"})
    errors(tmp_path, "a", "q4", "q3")
    logs = import_logs("openai-batch", [tmp_path])
    assert told(logs) == {"gpt-4o": (2, 2), "gpt-4o-mini": (3, 1)}
    assert "gpt-4o: 2 of 4 samples have no reply (bad request)" in logs.notes
    assert "gpt-4o-mini: 1 of 4 samples have no reply (in no file of replies)" in logs.notes


def test_an_error_that_may_be_of_either_is_said(tmp_path: Path) -> None:
    two_models(tmp_path, {"q1": "Paris", "q2": "Rome", "q3": "Madrid"}, {"q1": "Paris", "q2": "Milan", "q3": "Madrid"})
    errors(tmp_path, "a", "q4")
    logs = import_logs("openai-batch", [tmp_path])
    assert told(logs) == {"gpt-4o": (3, 1), "gpt-4o-mini": (3, 1)}
    assert "a_err.jsonl: 1 error may be of several models (gpt-4o, gpt-4o-mini), and is counted for none" in logs.notes
    assert "gpt-4o: 1 of 4 samples have no reply (an error that names no model, or none)" in logs.notes


def test_errors_without_their_requests_make_no_model_of_their_own(tmp_path: Path) -> None:
    replies(tmp_path, "a", "gpt-4o", {"q1": "Paris"})
    errors(tmp_path, "a", "q2")
    assert told(import_logs("openai-batch", [tmp_path])) == {"gpt-4o": (1, 1)}
    replies(tmp_path, "b", "gpt-5", {"q1": "Paris"})
    logs = import_logs("openai-batch", [tmp_path])
    assert told(logs) == {"gpt-4o": (1, 0), "gpt-5": (1, 0)}
    assert "a_err.jsonl: 1 error may be of several models (gpt-4o, gpt-5), and is counted for none" in logs.notes


def test_models_that_reply_under_another_name(tmp_path: Path) -> None:
    """Such as a deployment: the words are those of all requests of this id, and no model of the requests is silent for it."""
    for name, model in (("a", "my-one"), ("b", "my-two")):
        requests(tmp_path, name, model)
    replies(tmp_path, "a", "gpt-4o", {"q1": "Paris"})
    replies(tmp_path, "b", "gpt-5", {"q1": "Rome"})
    logs = import_logs("openai-batch", [tmp_path])
    assert told(logs) == {"gpt-4o": (1, 0), "gpt-5": (1, 0)}
    said = "2 replies are of models that no request names (gpt-4o, gpt-5; asked were my-one, my-two)"
    assert any(note.startswith(said) for note in logs.notes)


def test_replies_whose_requests_are_not_there_are_of_the_same_model(tmp_path: Path) -> None:
    two_models(tmp_path, {"q1": "Paris", "q2": "Rome", "x": "Bonn"}, {"q1": "Paris", "x": "Bern"})
    logs = import_logs("openai-batch", [tmp_path])
    assert {name: there for name, (there, _) in told(logs).items()} == {"gpt-4o": 3, "gpt-4o-mini": 2}
    assert "2 replies have no request among these files, so the questions have no words" in logs.notes


def test_a_file_of_errors_alone_tells_them(tmp_path: Path) -> None:
    errors(tmp_path, "a", "q1", "q2", words="quota\nexceeded")
    with pytest.raises(MootError, match=r"no reply in it that could be played back \(quota exceeded; "):
        import_logs("openai-batch", [tmp_path])


def batch_of_two_each(folder: Path) -> ImportedLogs:
    """Two replies to each request; q3 has failed, q4 has never come back."""
    ask = {"model": "gpt-4o", "n": 2, "messages": [{"role": "user", "content": "Capital?"}]}
    lines(folder / "a_in.jsonl", ({"custom_id": ident, "body": ask} for ident in LANDS))
    two = [{"message": {"content": "Paris"}}, {"message": {"content": "Rome"}}]
    body = {"model": "gpt-4o", "choices": two, "usage": {"prompt_tokens": 9, "completion_tokens": 4}}
    rows = ({"custom_id": ident, "response": {"status_code": 200, "body": body}} for ident in ("q1", "q2"))
    lines(folder / "a_out.jsonl", rows)
    errors(folder, "a", "q3")
    return import_logs("openai-batch", [folder])


def test_a_request_for_several_replies_that_failed_lacks_each_of_them(tmp_path: Path) -> None:
    logs = batch_of_two_each(tmp_path)
    assert "gpt-4o: 4 of 8 samples have no reply (bad request)" in logs.notes
    assert logs.repeats == 2


def test_tokens_of_several_replies_together_are_told_as_such(tmp_path: Path) -> None:
    logs = batch_of_two_each(tmp_path)
    together = (
        "no counts of tokens of their own for 4 of 4 replies: the logs have them of all replies to one request together"
    )
    assert together in logs.absent
    assert "no counts of tokens in these logs" not in logs.absent
    assert not any("prompt_tokens" in row for row in logs.replies)


@pytest.mark.parametrize("number", [None, 0, True, "2", [2], 10**9])
def test_a_number_of_replies_that_is_none_is_one(number: Any, tmp_path: Path) -> None:
    ask = {"model": "gpt-4o", "n": number, "messages": [{"role": "user", "content": "Capital?"}]}
    lines(tmp_path / "a_in.jsonl", ({"custom_id": ident, "body": ask} for ident in LANDS))
    replies(tmp_path, "a", "gpt-4o", {"q1": "Paris"})
    logs = import_logs("openai-batch", [tmp_path])
    assert "gpt-4o: 3 of 4 samples have no reply (in no file of replies)" in logs.notes


def test_what_failed_and_was_submitted_again_is_the_reply(tmp_path: Path) -> None:
    """As after a batch that ran into a limit: its failures stand in one file of replies, what came of them in another."""
    requests(tmp_path, "a", "gpt-4o")
    failed = {"custom_id": "q2", "response": {"status_code": 429, "body": {"error": {"message": "slow down"}}}}
    replies(tmp_path, "a", "gpt-4o", {"q1": "Paris", "q3": "Madrid", "q4": "Lima"})
    lines(tmp_path / "a_again_out.jsonl", [failed])
    replies(tmp_path, "b", "gpt-4o", {"q2": "Rome"})
    logs = import_logs("openai-batch", [tmp_path])
    assert told(logs) == {"gpt-4o": (4, 0)}
    assert {row["question_id"]: row.get("text") for row in logs.replies}["q2"] == "Rome"
    assert "1 reply came when what had failed was asked again: the failure is left out" in logs.notes
    lines(tmp_path / "c_out.jsonl", [failed])
    assert told(import_logs("openai-batch", [tmp_path])) == {"gpt-4o": (4, 0)}, "whichever stands first, however often"


def test_two_replies_to_one_request_are_told_and_not_chosen_from(tmp_path: Path) -> None:
    replies(tmp_path, "a", "gpt-4o", {"q1": "Paris", "q2": "Rome"})
    replies(tmp_path, "b", "gpt-4o", {"q2": "Milan"})
    with pytest.raises(
        MootError, match=r"a second reply of 'gpt-4o' to 'q2', sample 0: .*a_out\.jsonl has one already"
    ):
        import_logs("openai-batch", [tmp_path])


def chosen(folder: Path, *choices: Mapping[str, Any], n: int = 3) -> ImportedLogs:
    body = {"model": "gpt-4o", "n": n, "messages": [{"role": "user", "content": "Capital of France?"}]}
    lines(folder / "a_in.jsonl", [{"custom_id": "q1", "body": body}])
    response = {"status_code": 200, "body": {"model": "gpt-4o", "choices": choices}}
    lines(folder / "a_out.jsonl", [{"custom_id": "q1", "response": response}])
    return import_logs("openai-batch", [folder])


def test_choices_stand_where_their_numbers_say(tmp_path: Path) -> None:
    said = {2: "Lyon", 0: "Paris"}
    logs = chosen(tmp_path, *({"index": index, "message": {"content": text}} for index, text in said.items()))
    assert {row["sample"]: row["text"] for row in logs.replies} == said
    assert told(logs) == {"gpt-4o": (1, 1)}


@pytest.mark.parametrize("numbers", [(0, 0), (None, 1), (True, 0), (-1, 0), (10**9, 0)])
def test_numbers_that_are_none_leave_choices_in_their_places(tmp_path: Path, numbers: tuple[Any, Any]) -> None:
    choices = (
        {"index": index, "message": {"content": text}} for index, text in zip(numbers, ("Paris", "Lyon"), strict=True)
    )
    logs = chosen(tmp_path, *choices, n=2)
    assert {row["sample"]: row["text"] for row in logs.replies} == {0: "Paris", 1: "Lyon"}


REFUSED = {
    "a model": {"message": {"content": None, "refusal": "I cannot say that it is Paris."}, "finish_reason": "stop"},
    "a filter": {"message": {"content": ""}, "finish_reason": "content_filter"},
}


@pytest.mark.parametrize("who", REFUSED)
def test_a_refusal_is_one_in_play(tmp_path: Path, who: str) -> None:
    """Neither missing nor an answer, be there one in its words."""
    logs = chosen(tmp_path, REFUSED[who], n=1)
    assert told(logs) == {"gpt-4o": (1, 0)}
    assert "gpt-4o: 1 of 1 reply refused to answer" in logs.notes
    (tmp_path / "kept.jsonl").write_text("\n".join(map(json.dumps, logs.replies)))
    question = {"id": "q1", "text": "Capital of France?", "answer": "Paris"}
    (tmp_path / "q.jsonl").write_text(json.dumps(question))
    spec = {
        "name": "again",
        "questions": {"file": "q.jsonl"},
        "models": {"ann": {"provider": "recorded", "file": "kept.jsonl", "model": "gpt-4o"}},
        "strategies": ["solo"],
    }
    path = tmp_path / "again.yaml"
    path.write_text(json.dumps(spec))
    (row,) = moot.run(path).figures["accuracy"]
    assert row["outcomes"] == {"refused": 1}


def test_a_filter_of_prompts_answers_with_an_error(tmp_path: Path) -> None:
    error = {"code": "content_filter", "message": "The prompt triggered the content management policy"}
    response = {"status_code": 400, "body": {"model": "gpt-4o", "error": error}}
    other = {"status_code": 400, "body": {"model": "gpt-4o", "error": {"code": "invalid_value", "message": "no"}}}
    there = {"status_code": 200, "body": {"model": "gpt-4o", "choices": [{"message": {"content": "Paris"}}]}}
    told_of = {"q1": response, "q2": other, "q3": there}
    lines(tmp_path / "a_out.jsonl", [{"custom_id": ident, "response": each} for ident, each in told_of.items()])
    rows = {row["question_id"]: row for row in import_logs("openai-batch", [tmp_path]).replies}
    assert rows.keys() == {"q1", "q3"}
    assert rows["q1"]["finish"] == "content_filter"


def test_a_refusal_of_the_responses_api(tmp_path: Path) -> None:
    output = [{"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}]
    response = {"status_code": 200, "body": {"model": "gpt-4o", "output": output}}
    lines(tmp_path / "a_out.jsonl", [{"custom_id": "q1", "response": response}])
    (row,) = import_logs("openai-batch", [tmp_path]).replies
    assert (row["text"], row["finish"]) == ("No.", "refusal")
