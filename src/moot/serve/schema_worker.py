"""The process in which clients' schemas are looked at, started by `schema_checks`: one question a line, one answer a line.

It can be ended at any moment, and is: no schema is worth more than a few seconds, whatever it does to the library.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
from typing import Any

from moot.serve.client_schema import fits, problem_of

MOST_BYTES = 2 * 1024**3
"""Of address space; what the libraries take by themselves is a fraction of it."""
LONGEST_PROBLEM = 300
"""Characters of what is wrong with a schema: it may name a part of it, which is the client's and of any length."""


def main() -> None:
    _be_modest()
    if hasattr(signal, "SIGPROF"):
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints is no answer
    print(json.dumps("ready"), file=answers, flush=True)
    for line in sys.stdin.buffer:
        question = json.loads(line)
        _work_at_most(question["most_s"])
        answer = json.dumps(_answer(question))
        _work_at_most(0)
        print(answer, file=answers, flush=True)


def _answer(question: dict[str, Any]) -> str | bool | None:
    try:
        if "value" in question:
            return fits(question["schema"], question["value"])
        problem = problem_of(question["schema"])
        return None if problem is None else problem[:LONGEST_PROBLEM]
    except (Exception, MemoryError) as error:  # noqa: BLE001  whatever it is, it is the schema's doing
        return False if "value" in question else f"it cannot be followed ({type(error).__name__})"


def _work_at_most(seconds: float) -> None:
    """Of this process's own time, and then the system ends it, wherever it is; 0: no more of that."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _be_modest() -> None:
    """Those who answer go before, and memory has an end."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        os.nice(5)
        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))


if __name__ == "__main__":
    main()
