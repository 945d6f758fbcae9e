"""What is told instead of what a library says, in this process: the line by itself, and each way in which libraries speak."""

from __future__ import annotations

import logging
import sys
import threading
import warnings
from collections.abc import Iterator
from types import ModuleType

import pytest

from moot.models.wordless_line import UNTOLD, folded, wordless_line
from moot.models.wordless_logs import log_without_words
from moot.models.wordless_process import tell_without_words
from moot.models.wordless_warnings import tell_warnings_without_words


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is told; afterwards this process tells as before."""
    monkeypatch.setattr(logging.Handler, "handle", logging.Handler.handle)
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    return []


def test_a_name_is_on_one_line_and_not_long() -> None:
    assert folded("a\x1b[31m b\n  c\t") == "a [31m b c"
    assert folded(None) == "None"
    assert folded("x" * 300) == "x" * 300
    assert folded("x" * 301) == "x" * 300 + "…"
    assert folded(" " * 1_200 + "late") == "", "so far is not looked"


def test_the_line_says_what_and_where() -> None:
    assert wordless_line("UserWarning", ("a\nb.py", 7)) == f"UserWarning at a b.py:7, {UNTOLD}"
    assert wordless_line("failed", None, "in a thread") == f"failed, in a thread, {UNTOLD}"


class Kept(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.fixture
def kept(said: list[str]) -> Iterator[Kept]:
    log_without_words()
    log_without_words()  # once is enough
    handler = Kept()
    logging.getLogger().addHandler(handler)
    yield handler
    logging.getLogger().removeHandler(handler)


def test_what_a_library_logs_is_told_without_its_words(kept: Kept) -> None:
    try:
        raise ValueError("sk-secret")
    except ValueError:
        logging.getLogger("their\nlibrary").error("sent %s", "sk-secret", extra={"key": "sk-secret"}, exc_info=True)
    logging.getLogger("mootlike").warning("sk-secret")
    failed, plain = kept.records
    assert failed.getMessage().startswith(f"ERROR of their library at {__file__}:")
    assert failed.getMessage().endswith(f", ValueError, {UNTOLD}")
    assert (failed.name, failed.levelno, failed.exc_info, failed.args) == ("their library", logging.ERROR, None, ())
    assert (failed.__dict__["key"], failed.threadName) == ("", threading.current_thread().name), (
        "for those who would show it"
    )
    assert "sk-secret" not in str(failed.__dict__)
    assert plain.getMessage() == f"WARNING of mootlike at {plain.pathname}:{plain.lineno}, {UNTOLD}"


def test_what_moot_logs_is_told_as_it_is(kept: Kept) -> None:
    for name in ("moot", "moot.store"):
        logging.getLogger(name).warning("%d rows", 3)
    assert [record.getMessage() for record in kept.records] == ["3 rows", "3 rows"]


def test_a_warning_is_told_without_its_words(said: list[str]) -> None:
    tell_warnings_without_words(said.append)
    warnings.showwarning("sk-secret", UserWarning, "their.py", 7)
    never = "coroutine 'MadeByHand.ask' was never awaited"
    warnings.showwarning(never, RuntimeWarning, "their.py", 8)
    assert said == [f"UserWarning at their.py:7, {UNTOLD}", f"RuntimeWarning at their.py:8, {UNTOLD}"]


@pytest.mark.parametrize(
    ("made_by", "words", "category", "told"),
    [
        ("litellm.http", "coroutine 'MadeByHand.ask' was never awaited", RuntimeWarning, False),
        ("litellm.http", "coroutine 'MadeByHand.ask' was never awaited", UserWarning, True),
        ("litellm.http", "coroutine 'NobodysOwn.ask' was never awaited", RuntimeWarning, True),
        ("litellm.http", "coroutine 'MadeByHand.ask' was never awaited.", RuntimeWarning, True),
        ("theirs.http", "coroutine 'MadeByHand.ask' was never awaited", RuntimeWarning, True),
    ],
)
def test_a_call_that_litellm_made_ready_and_nobody_wanted_is_no_warning(
    made_by: str, words: str, category: type[Warning], told: bool, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType("litellm.by_hand")
    module.__dict__["MadeByHand"] = type("MadeByHand", (), {"__module__": made_by})
    monkeypatch.setitem(sys.modules, "litellm.by_hand", module)
    tell_warnings_without_words(said.append)
    warnings.showwarning(words, category, "litellm.py", 1)
    assert bool(said) is told


def test_a_failure_that_nobody_waits_for_is_told_with_its_last_place(said: list[str]) -> None:
    tell_without_words(said.append)

    def fails() -> None:
        raise ValueError("sk-secret")

    def ends() -> None:
        raise SystemExit

    for work in (fails, ends):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    line = fails.__code__.co_firstlineno + 1
    assert said == [f"ValueError at {__file__}:{line}, in a thread, {UNTOLD}"]


def test_a_failure_where_nobody_could_be_told(said: list[str]) -> None:
    tell_without_words(said.append)

    class Failing:
        def __del__(self) -> None:
            raise KeyError("sk-secret")

    made = Failing()
    del made
    assert len(said) == 1
    assert said[0].startswith(f"KeyError at {__file__}:")
    assert said[0].endswith(f", which nobody could be given, {UNTOLD}")
