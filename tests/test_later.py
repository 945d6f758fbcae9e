"""Large libraries stand in for themselves until something of them is wanted."""

from __future__ import annotations

import json
import subprocess
import sys

LOOK = """
import json, sys
from moot.later import {name} as later
before = {name!r} in sys.modules
wanted = later.{wanted}
import {name}
print(json.dumps([before, wanted is {name}.{wanted}, later.{wanted} is wanted]))
"""


def test_nothing_is_loaded_before_it_is_wanted() -> None:
    for name, wanted in (("numpy", "zeros"), ("aiohttp", "ClientError")):
        code = LOOK.format(name=name, wanted=wanted)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
        assert json.loads(done.stdout) == [False, True, True]
