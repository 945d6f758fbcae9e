"""Exit codes: 0 done; 1 finished, but some episodes failed; 2 the command or a file is wrong; 3 the budget stopped it;
130 interrupted. An error is one readable message on stderr; the traceback comes only with --debug."""

from __future__ import annotations

import os
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from copy import copy
from functools import cache
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup
from typer.main import get_command_name
from typer.models import CommandInfo

from moot.cli.help_groups import GROUPS
from moot.cli.safe_text import say, tame_log, tamed
from moot.errors import MootError, UsageError

INTERRUPTED = 130


class Interruptible(TyperGroup):
    """Typer would turn Ctrl-C into an exit code without a word, which is then no different from a command's own."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise typer.Abort from None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """In groups: somebody who begins is not to look through twenty names."""
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name, line) for name, line in commands.items() if name in self.commands])


def leave(code: int) -> NoReturn:
    """End the process. One that was interrupted waits for no thread: all is in order by now, and such a thread waits itself,
    for another program that holds the store."""
    others = [thread for thread in threading.enumerate() if thread is not threading.main_thread() and not thread.daemon]
    if code == INTERRUPTED and others:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def run_app(app: typer.Typer, arguments: list[str]) -> int:
    if "--debug" not in arguments:
        return _run(app, arguments, debug=False)
    before = os.environ.get("MOOT_DEBUG")
    os.environ["MOOT_DEBUG"] = "1"
    try:
        return _run(app, [argument for argument in arguments if argument != "--debug"], debug=True)
    finally:
        if before is None:
            del os.environ["MOOT_DEBUG"]


def _run(app: typer.Typer, arguments: list[str], *, debug: bool) -> int:
    tame_log()
    try:
        if (asked_for := _completion_of(arguments)) is not None:
            print(asked_for)
            return 0
        named = arguments[0] if arguments and "_MOOT_COMPLETE" not in os.environ else None
        result = _command(app, named)(arguments, standalone_mode=False, prog_name="moot")
        return result if isinstance(result, int) else 0
    except MootError as error:
        _tell(str(error), debug=debug)
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        print("moot: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        sys.stdout = None  # whoever read us has gone: nothing to flush to
        return 0
    except typer.Exit as stop:
        return stop.exit_code
    except OSError as error:  # a full disk behind stdout, a file that may not be read: the machine's, and not ours
        _tell(
            " ".join(filter(None, (error.strerror or str(error), error.filename and f"({error.filename})"))),
            debug=debug,
        )
        return 1
    except Exception as error:  # noqa: BLE001  whatever it is, the user gets words and an exit code
        # click's own errors (a missing argument, an unknown option) know how to show themselves.
        show, code = getattr(error, "show", None), getattr(error, "exit_code", None)
        if show is not None and code is not None:
            show()
            return int(code)
        _tell(f"a bug in moot: {type(error).__name__}: {error}; --debug shows where", debug=debug)
        return 1


def _completion_of(arguments: list[str]) -> str | None:
    """What a shell that is named is to be given: Typer would take no name, and show that of the shell that runs."""
    if len(arguments) != 2 or arguments[0] != "--show-completion":
        return None
    from typer._completion_shared import get_completion_script

    shells = ("bash", "zsh", "fish", "powershell", "pwsh")
    if arguments[1] not in shells:
        raise UsageError(f"--show-completion: {arguments[1]!r} is no shell that is known; expected {', '.join(shells)}")
    return get_completion_script(prog_name="moot", complete_var="_MOOT_COMPLETE", shell=arguments[1])


@cache
def _command(app: typer.Typer, named: str | None) -> Callable[..., Any]:
    """Built once, and of all commands only the one that is named: Typer reads the signature of each that it builds."""
    wanted = copy(app)
    wanted.registered_commands = [command for command in app.registered_commands if _name(command) == named]
    wanted.registered_groups = [group for group in app.registered_groups if group.name == named]
    if wanted.registered_commands or wanted.registered_groups:
        return typer.main.get_group(wanted)
    return typer.main.get_command(app)  # the list of all is asked for, or a name is misspelt


def _name(command: CommandInfo) -> str:
    return command.name or get_command_name(getattr(command.callback, "__name__", ""))


def _tell(words: str, *, debug: bool) -> None:
    """On stderr. The words may be those of a file or a server."""
    if debug:
        print(tamed(traceback.format_exc()), file=sys.stderr, end="")
    say(f"moot: {words}", file=sys.stderr)
