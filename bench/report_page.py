"""The report page: how long it takes to write, how large it is, how soon a browser can use it.

    python bench/report_page.py            both runs, measured in headless Chromium
    python bench/report_page.py small      572 questions, 6 players, 4 strategies, 6 captains
    python bench/report_page.py large      12,000 questions, 34 players alone
    python bench/report_page.py use FILE   only what a reader of this page waits for
    python bench/report_page.py picture docs/report.png    what the page of the small run looks like

The runs are real runs of simulated and of recorded models; their stores are kept in the folder of MOOT_BENCH (else a
temporary one), so that a second measurement need not run them again. The questions are those of MMLU-Pro, in the folder
of MOOT_DATA; without it they are made up from the built-in ones.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from moot.data import load
from moot.report.figures import figures, find_experiment
from moot.report.page.document import page_html
from moot.report.page.questions import read_questions
from moot.report.sections import all_sections
from moot.store import store_at

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("MOOT_DATA", ROOT / ".." / "shared" / "data"))
PLAYERS = {"ann": 0.62, "bob": 0.58, "cat": 0.54, "dan": 0.5, "eve": 0.46, "fay": 0.42}
SMALL = 572
LARGE = 12_000


def questions(count: int) -> Iterator[dict[str, Any]]:
    """So many real questions, spread over all categories; without the data, built-in ones under new names."""
    path = DATA / "mmlu_pro_questions.jsonl.gz"
    if path.exists():
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            whole = [json.loads(line) for line in lines]
        step = len(whole) / count
        for row in (whole[int(place * step)] for place in range(count)):
            kept = {"text": row["question"], "choices": row["options"], "answer": row["answer"]}
            yield {"id": str(row["question_id"]), **kept, "category": row["category"]}
        return
    cases = list(load(ROOT / "src/moot/data/sets/general-en.jsonl"))
    for place in range(count):
        case = cases[place % len(cases)]
        text = f"{case.question.text} ({place})"
        yield {"id": f"q{place}", "text": text, "choices": list(case.question.choices), "answer": case.answer}


def small_file(folder: Path) -> Path:
    _write_lines(folder / "small.jsonl", questions(SMALL))
    models = {name: {"provider": "simulated", "accuracy": accuracy} for name, accuracy in PLAYERS.items()}
    return _write_file(
        folder / "small.yaml",
        models=models,
        teams={"six": {"players": list(PLAYERS), "captain": "each"}},
        strategies=["solo", "vote", "silent", "talkative"],
    )


def large_file(folder: Path) -> Path:
    _write_lines(folder / "large.jsonl", questions(LARGE))
    recorded = DATA / "mmlu_pro_answers.parquet"
    if recorded.exists():
        import polars as pl

        frame = pl.read_parquet(recorded).filter("same_version").select("model", "question_id", "pred")
        names = sorted(frame["model"].cast(str).unique())
        rows = ({"model": m, "question_id": str(q), "answer": p} for m, q, p in frame.iter_rows() if p is not None)
        _write_lines(folder / "replies.jsonl", rows)
        models: dict[str, Any] = {
            name.lower(): {"provider": "recorded", "file": "replies.jsonl", "model": name} for name in names
        }
    else:
        models = {f"m{n:02}": {"provider": "simulated", "accuracy": 0.3 + n / 80} for n in range(34)}
    return _write_file(folder / "large.yaml", models=models, strategies=["solo"])


def _write_lines(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _write_file(path: Path, **content: Any) -> Path:
    whole = {"name": path.stem, "seed": 7, "questions": {"file": f"{path.stem}.jsonl"}, **content}
    whole["store"] = f"sqlite:///{path.stem}.db"
    path.write_text(json.dumps(whole, indent=1), encoding="utf-8")  # YAML holds JSON
    return path


def run(path: Path) -> None:
    """Play it, unless the store is there already."""
    if not path.with_suffix(".db").exists():
        subprocess.run([sys.executable, "-m", "moot", "run", str(path), "--quiet"], check=True)


async def write(path: Path, page: Path) -> dict[str, float]:
    """Seconds of each step, wall and CPU, and what came of it."""
    store = await store_at(f"sqlite:///{path.with_suffix('.db').absolute()}").open()
    took: dict[str, float] = {}

    def read(connection: Any) -> str:
        experiment = find_experiment(connection)
        start, cpu = time.perf_counter(), time.process_time()
        shown = figures(connection, experiment)
        took["figures_s"] = time.perf_counter() - start
        asked = time.perf_counter()
        found = read_questions(connection, experiment)
        took["questions_s"] = time.perf_counter() - asked
        html = page_html(shown, all_sections(shown), found)
        page.write_text(html, encoding="utf-8")
        took["whole_s"], took["whole_cpu_s"] = time.perf_counter() - start, time.process_time() - cpu
        return html

    try:
        took["size_mb"] = len((await store.run(read)).encode()) / 1e6
    finally:
        await store.close()
    took["memory_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    return took


def browser() -> Any:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1400,900"):
        options.add_argument(argument)
    return webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))


TIMED = """
const timed = (act) => {
  const start = performance.now();
  act();
  document.getElementById("rows").getBoundingClientRect();
  return performance.now() - start;
};
const chosen = (id, value) => timed(() => {
  const select = document.getElementById(id);
  select.value = value;
  select.dispatchEvent(new Event("change"));
});
"""
"""How long the page is busy with something that a reader does, layout included."""
SEARCH = """
const box = document.getElementById("search");
return Math.max(...["t", "th", "the w", "the which of", "zzz", ""].map((words) => timed(() => {
  box.value = words;
  box.dispatchEvent(new Event("input"));
})));
"""
SORT = """
const orders = [...document.getElementById("sort").options].map((each) => each.value);
return Math.max(...orders.map((order) => chosen("sort", order)), chosen("sort", "file"));
"""
FILTER = """
const flags = [...document.querySelectorAll("[data-flag]")].map((each) => each.dataset.flag);
const click = (flag) => timed(() => document.querySelector(`[data-flag="${flag}"]`).click());
return Math.max(...flags.flatMap((flag) => [click(flag), click(flag)]));
"""
CHOOSE = """
const last = document.getElementById("cell").options.length - 1;
return Math.max(chosen("cell", document.getElementById("cell").options[last].value), chosen("cell", ""));
"""
SCROLL = """
const [by, done] = arguments, list = document.getElementById("list"), frames = [];
list.scrollTop = 0;
let last = performance.now();
const step = () => {
  const now = performance.now();
  frames.push(now - last);
  last = now;
  list.scrollTop += by;
  if (frames.length < 105) requestAnimationFrame(step);
  else done(frames.slice(5).sort((a, b) => a - b));
};
requestAnimationFrame(step);
"""
OPEN = """
const done = arguments[0], start = performance.now();
const panel = document.getElementById("transcript");
const watch = new MutationObserver(() => {
  if (!panel.querySelector(".steps")) return;
  watch.disconnect();
  done(performance.now() - start);
});
watch.observe(panel, { childList: true, subtree: true });
document.querySelector(".row").click();
"""


def until_ready(opened: Any, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not opened.execute_script("return document.documentElement.dataset.ready"):
        if time.monotonic() > end:
            raise TimeoutError(f"{opened.current_url} was not ready in {seconds:.0f} s")
        time.sleep(0.02)


def use(page: Path) -> dict[str, float]:
    """Milliseconds until the page can be used, and of what a reader does then; the best of three openings."""
    opened = browser()
    try:
        starts = []
        for _ in range(3):
            opened.get("about:blank")
            opened.get(page.absolute().as_uri())
            until_ready(opened)
            starts.append(opened.execute_script("return performance.getEntriesByName('interactive')[0].startTime"))
        found = {"interactive_ms": min(starts)}
        for name, script in (("search", SEARCH), ("sort", SORT), ("filter", FILTER), ("strategy", CHOOSE)):
            found[f"{name}_ms"] = opened.execute_script(TIMED + script)
        for name, by in (("wheel", 120), ("thumb", 2500)):  # some rows are new in a frame; all of them are
            frames = opened.execute_async_script(SCROLL, by)
            found |= {f"{name}_frame_ms_p50": frames[50], f"{name}_frame_ms_p95": frames[95]}
        opened.execute_script("document.getElementById('list').scrollTop = 0")
        return {**found, "transcript_ms": opened.execute_async_script(OPEN)}
    finally:
        opened.quit()


def picture(page: Path, target: Path) -> None:
    """The first screen, as large as a documentation page needs it."""
    opened = browser()
    try:
        metrics = {"width": 1240, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
        opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        opened.get(page.absolute().as_uri())
        until_ready(opened)
        opened.save_screenshot(str(target))
    finally:
        opened.quit()


PARTS = {"small": small_file, "large": large_file}


def main(names: list[str], folder: Path) -> None:
    if names[0] == "picture":
        made = small_file(folder)
        run(made)
        asyncio.run(write(made, folder / "small.html"))
        return picture(folder / "small.html", Path(names[1]))
    if names[0] == "use":
        for name in names[1:]:
            _print(name, use(Path(name)))
        return None
    for name in names:
        made = PARTS[name](folder)
        run(made)
        page = folder / f"{name}.html"
        _print(name, {**asyncio.run(write(made, page)), **use(page)})
    return None


def _print(name: str, took: dict[str, float]) -> None:
    print(name, *(f"{key} {value:.2f}" for key, value in took.items()), sep="  ", flush=True)


if __name__ == "__main__":
    wanted = sys.argv[1:] or list(PARTS)
    if kept := os.environ.get("MOOT_BENCH"):
        Path(kept).mkdir(parents=True, exist_ok=True)
        main(wanted, Path(kept))
    else:
        with tempfile.TemporaryDirectory() as folder:
            main(wanted, Path(folder))
