"""What is longer than a screen goes by the page, to the reader's own pager and as the reader has set it; else straight out."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from moot.cli.pager import paged

HEIGHT = 10
LINES = [f"Ёлка {letter}" for letter in "abcdefghij"]
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A screen of ten lines; a pager that keeps how it was called and what it was given."""
    pager = tmp_path / "pager"
    called = f'printf "%s|" "$LESS" "$LESSCHARSET" "$@" > "{tmp_path}/called"'
    pager.write_text(f'#!/bin/sh\n{called}\n/bin/cat > "{tmp_path}/shown"\n')
    pager.chmod(0o755)
    for name, value in (("LINES", str(HEIGHT)), ("COLUMNS", "80"), ("TERM", "xterm"), ("PAGER", str(pager))):
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("LESS", raising=False)
    return tmp_path


def show(lines: int, *, wanted: bool = True) -> None:
    with pytest.MonkeyPatch.context() as terminal:
        terminal.setattr(sys.stdout, "isatty", lambda: True)
        with paged(wanted=wanted) as console:
            for line in LINES[:lines]:
                console.print(line)


def test_what_leaves_room_for_the_prompt_is_not_paged(folder: Path, capfd: Captured) -> None:
    show(HEIGHT - 1)
    assert LINES[8] in capfd.readouterr().out
    assert not (folder / "shown").exists()
    show(HEIGHT)
    assert capfd.readouterr().out == ""
    assert (folder / "shown").read_text(encoding="utf-8").splitlines() == LINES
    assert (folder / "called").read_text() == "FRX|utf-8|"


def test_the_readers_own_settings_stand(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LESS", "-S")
    monkeypatch.setenv("PAGER", f"{folder / 'pager'} -p 'two words'")
    show(HEIGHT)
    assert (folder / "called").read_text() == "-S|utf-8|-p|two words|"


@pytest.mark.parametrize("named", ["", "cat", "no-such-pager --x", "less '", "{folder}/text"])
def test_where_no_pager_can_or_shall_be_called_all_is_shown(
    named: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: Captured
) -> None:
    (folder / "text").write_text("no program, though it may be executed")
    (folder / "text").chmod(0o755)
    (folder / "cat").write_text(f'#!/bin/sh\n: > "{folder}/shown"\n')
    (folder / "cat").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    monkeypatch.setenv("PAGER", named.format(folder=folder))
    show(HEIGHT)
    assert [line for line in capfd.readouterr().out.splitlines() if line] == LINES
    assert not (folder / "shown").exists(), "cat is shown nothing by the page: it has no pages"


def test_a_reader_who_wants_none_has_none(folder: Path, capfd: Captured) -> None:
    show(HEIGHT, wanted=False)
    assert LINES[9] in capfd.readouterr().out
    assert not (folder / "shown").exists()


@pytest.mark.parametrize("pager", ["pager", "text"])
def test_ctrl_c_is_the_pagers_only_as_long_as_it_is_there(
    pager: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "text").write_text("no program, though it may be executed")
    (folder / "text").chmod(0o755)
    monkeypatch.setenv("PAGER", str(folder / pager))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        show(HEIGHT)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
