"""Loading numpy with one thread: what is multiplied here is so small that several would only wait for each other."""

from __future__ import annotations

import importlib
import os
import sys

_THREADS = "OPENBLAS_NUM_THREADS"


def load_numpy() -> None:
    """Unless it is loaded, or the user has said otherwise. On a busy machine the threads cost far more than they give: 430 ms
    a text against 17, and half of a report on 34 players. The setting is read at loading, and only then.
    """
    if "numpy" in sys.modules or _THREADS in os.environ:
        return
    os.environ[_THREADS] = "1"
    try:
        importlib.import_module("numpy")
    finally:
        del os.environ[_THREADS]
