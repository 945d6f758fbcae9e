"""Large libraries that are loaded when something of them is wanted, not when a module is that might want it.

A file is read, and what it would cost is said, without a number being crunched or a server being asked: whoever does neither
need not wait for both. `from moot.later import numpy as np` reads, and is checked, as the library itself.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import aiohttp as aiohttp
    import numpy as numpy
else:

    class Later:
        """Stands for a module. What was asked for once is an attribute of its own from then on, and no slower than there."""

        def __init__(self, name: str) -> None:
            self.__name__ = name

        def __getattr__(self, wanted: str) -> Any:
            found = getattr(import_module(self.__name__), wanted)
            setattr(self, wanted, found)
            return found

    aiohttp, numpy = Later("aiohttp"), Later("numpy")


def load_now() -> None:
    """For who is going to want them in the midst of something: a server has time before the first question, and not in it."""
    for library in ("aiohttp", "numpy"):
        import_module(library)
