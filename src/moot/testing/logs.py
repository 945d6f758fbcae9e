"""What every format of logs must do, whoever wrote it."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from moot.data.logs.formats import log_files
from moot.data.logs.imported import put_together
from moot.data.logs.log import LogEntry, LogFormat, LoggedFigure, LoggedReply, LogRemark
from moot.errors import FileError, UsageError
from moot.plugins import name_problem

NO_LOGS = {"empty": b"", "not JSON": b"\x00\xff{", "other JSON": b'{"a": [1, null]}\n', "a text": "Вопрос\n".encode()}
"""What no format takes for a log."""


def check_log_format(form: LogFormat, paths: Sequence[Path]) -> None:
    """`paths`: logs in this format of at least one model, with a reply and a reference."""
    assert (problem := name_problem(form.name)) is None, problem
    assert form.endings, "endings: expected those of its files, such as ('.jsonl',)"
    assert all(ending.startswith(".") and ending == ending.lower() for ending in form.endings), (
        f"endings: expected such as '.jsonl', found {form.endings}"
    )
    files = log_files(form, paths)
    before = [path.read_bytes() for path in files]
    entries = list(form.read(files))
    assert entries == list(form.read(files)), "the same files say the same"
    assert before == [path.read_bytes() for path in files], "logs are read and not written"
    _check_entries(entries)
    logs = put_together(form, paths)
    assert logs.replies, "expected logs with a reply that can be played back"
    _check_refusals(form, files)


def _check_entries(entries: Sequence[LogEntry]) -> None:
    for entry in entries:
        assert isinstance(entry, LoggedReply | LoggedFigure | LogRemark), (
            f"found {type(entry).__name__} among the entries"
        )
        if isinstance(entry, LogRemark):
            assert entry.words.strip(), "a remark says something"
            assert "\n" not in entry.words, "a remark is one line"
        elif isinstance(entry, LoggedFigure):
            assert 0 <= entry.value <= 1, f"the accuracy of {entry.model} is a share, found {entry.value}"
        else:
            _check_reply(entry)


def _check_reply(reply: LoggedReply) -> None:
    assert reply.model.strip(), "a reply has a model"
    assert reply.question.id.strip(), "a question has an id"
    assert reply.question.text.strip(), "a question has words"
    assert reply.sample >= 0, f"a sample is a number from 0 on, found {reply.sample}"
    assert reply.worth is None or 0 <= reply.worth <= 1, f"a verdict is from 0 to 1, found {reply.worth}"
    assert reply.cost_usd is None or reply.cost_usd >= 0, f"a cost is from 0 on, found {reply.cost_usd}"


def _check_refusals(form: LogFormat, files: Sequence[Path]) -> None:
    """What is no log, and half of one: a complaint that names the file, or whatever is whole of it."""
    with tempfile.TemporaryDirectory(prefix="moot-") as folder:
        broken = {**NO_LOGS, "half a log": files[0].read_bytes()[: files[0].stat().st_size // 2]}
        for what, content in broken.items():
            path = Path(folder) / f"{'half' if what == 'half a log' else 'none'}{files[0].suffix}"
            path.write_bytes(content)
            replies = _read_odd(form, path, what)
            assert not replies or what == "half a log", f"{what}: found {len(replies)} replies in it"


def _read_odd(form: LogFormat, path: Path, what: str) -> list[LoggedReply]:
    try:
        return [entry for entry in form.read([path]) if isinstance(entry, LoggedReply)]
    except (FileError, UsageError) as error:
        if path.name not in str(error):
            raise AssertionError(f"{what}: the complaint does not name the file: {error}") from None
        return []
    except Exception as error:
        raise AssertionError(f"{what}: expected a FileError, found {type(error).__name__}: {error}") from error
