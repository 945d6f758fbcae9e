"""All benchmarks, one after another: `make bench`, or `python bench/run.py engine grouping`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
PARTS = ("engine", "grouping", "selection", "ray_bench")

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        print(f"== {part}", flush=True)
        subprocess.run([sys.executable, str(HERE / f"{part}.py")], check=True)
