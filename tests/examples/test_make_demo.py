"""What `make demo` installs: what runs a local model, and no tools of developers; nothing where these are there already."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = """#!/bin/sh
# Stands for Python: makes an environment with itself in it, and does nothing else.
[ "$2" = venv ] && mkdir -p "$3/bin" && cp "$0" "$3/bin/python"
exit 0
"""


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


@pytest.mark.skipif(shutil.which("make") is None, reason="no make here")
def test_it_installs_what_it_needs_and_nothing_twice(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("pyproject.toml", "constraints.txt"):
        (tmp_path / name).touch()
    script(tmp_path / "python", PYTHON)
    script(tmp_path / ".ci/install", '#!/bin/sh\necho "$@" >> installed\n')
    script(tmp_path / "examples/demo.sh", "#!/bin/sh\necho played\n")

    def made(target: str) -> list[str]:
        """What was installed for it."""
        (tmp_path / "installed").write_text("")
        asked = ["make", target, f"PYTHON={tmp_path / 'python'}"]
        done = subprocess.run(asked, cwd=tmp_path, env={**os.environ, "MAKEFLAGS": ""}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return (tmp_path / "installed").read_text().splitlines()

    assert made("demo") == [".venv -e .[local]"]
    assert made("demo") == []
    assert made(".venv/.ready") == [".venv -e .[local,dev]"], "the demo's is not enough for the tests"
    assert made("demo") == [], "but the tests' is for the demo"
    shutil.rmtree(tmp_path / ".venv")
    assert made(".venv/.ready") == [".venv -e .[local,dev]"]
    assert made("demo") == []
    later = (tmp_path / ".venv/.ready").stat().st_mtime + 10
    os.utime(tmp_path / "pyproject.toml", (later, later))
    assert made("demo") == [".venv -e .[local]"], "other requirements"
