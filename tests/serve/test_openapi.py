"""The OpenAPI description, tried out by Schemathesis: whatever is sent, the server never breaks."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from served import serving


async def test_nothing_that_is_sent_makes_a_server_error(tmp_path: Path) -> None:
    pytest.importorskip("schemathesis")
    tool = Path(sys.executable).parent / "schemathesis"
    async with serving(tmp_path) as served:
        command = [str(tool), "run", f"{served.url}/openapi.json", "--checks", "not_a_server_error"]
        command += ["--phases", "examples,coverage,fuzzing", "--max-examples", "8", "--seed", "7", "--no-color"]
        done = await asyncio.to_thread(
            subprocess.run, command, capture_output=True, text=True, cwd=tmp_path, timeout=240
        )
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
        assert "/v1/chat/completions" in (await served.get("/openapi.json"))[1]["paths"]
        assert (await served.chat("Still there?"))[0] == 200
