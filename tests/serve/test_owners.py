"""Attacks of one key on another's questions, and of foreign reports on the server that shows them."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from served import THREE, Served, serving
from test_doors import attacker, browser, raw, titled  # noqa: F401  the fixture too

from moot.serve.app import ServeSettings

KEYS = ServeSettings(keys={"ANN_KEY": "a-key", "BOB_KEY": "b-key"}, admin_keys={"BOSS_KEY": "boss-key"})


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


ANN, BOB, BOSS = bearer("a-key"), bearer("b-key"), bearer("boss-key")


async def asked(served: Served, text: str, key: dict[str, str], model: str = "three/vote") -> dict[str, Any]:
    body = {"model": model, "messages": [{"role": "user", "content": text}]}
    status, answer = await served.post("/v1/chat/completions", body, headers=key)
    assert status == 200, answer
    found: dict[str, Any] = answer
    return found


async def listed(served: Served, key: dict[str, str]) -> list[str]:
    status, body = await served.get("/v1/moot/episodes", headers=key)
    assert status == 200
    return sorted(each["question"] for each in body["episodes"])


async def test_a_key_sees_its_own_questions_and_an_admin_key_all(tmp_path: Path) -> None:
    async with serving(tmp_path, settings=KEYS) as served:
        first = (await asked(served, "Ann's secret?", ANN))["moot"]["episode"]
        await asked(served, "Bob's secret?", BOB)
        await asked(served, "The same?", ANN)
        await asked(served, "The same?", BOB)
        assert await listed(served, ANN) == ["Ann's secret?", "The same?"]
        assert await listed(served, BOB) == ["Bob's secret?", "The same?"]
        assert len(await listed(served, BOSS)) == 4
        status, theirs = await served.get(f"/v1/moot/episodes/{first}", headers=BOB)
        _, nobodys = await served.get(f"/v1/moot/episodes/ep_{'0' * 40}", headers=BOB)
        assert status == 404
        assert theirs["error"]["code"] == nobodys["error"]["code"], "whether it exists is not told"
        assert (await served.get(f"/v1/moot/episodes/{first}", headers=ANN))[0] == 200
        assert (await served.get(f"/v1/moot/episodes/{first}", headers=BOSS))[0] == 200


async def test_feedback_alters_nobody_elses_questions(tmp_path: Path) -> None:
    async with serving(tmp_path, settings=KEYS) as served:
        ann = await asked(served, "Which river?", ANN)
        bob = await asked(served, "Which river?", BOB)
        episode = ann["moot"]["episode"]
        for body in ({"answer": "poison"}, {"correct": False}):
            status, answer = await served.post("/v1/feedback", {"episode": episode, **body}, headers=BOB)
            assert (status, answer["error"]["code"]) == (404, "no_such_episode")
        status, _ = await served.post(
            "/v1/feedback", {"episode": bob["moot"]["episode"], "answer": "poison"}, headers=BOB
        )
        assert status == 200
        _, whole = await served.get(f"/v1/moot/episodes/{episode}", headers=ANN)
        assert (whole["known"], whole["reference"]) == (False, None), "the same words, but her question"
        status, _ = await served.post("/v1/feedback", {"episode": episode, "answer": "the Nile"}, headers=BOSS)
        assert status == 200
        _, whole = await served.get(f"/v1/moot/episodes/{episode}", headers=ANN)
        assert whole["reference"] == "the Nile"


async def test_figures_over_all_keys_are_the_admins(tmp_path: Path) -> None:
    async with serving(tmp_path, settings=KEYS) as served:
        for key in (ANN, BOB):
            status, body = await served.get("/metrics", headers=key)
            assert (status, body["error"]["code"]) == (403, "admin_key_needed")
        assert (await served.get("/metrics"))[0] == 401
        async with served.session.get(served.url + "/metrics", headers=BOSS) as response:
            assert response.status == 200


async def test_what_was_asked_before_there_were_owners_is_the_admins(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        _, body = await served.chat("Asked without a key?")
        episode = body["moot"]["episode"]
    async with serving(tmp_path, settings=KEYS) as served:
        assert await listed(served, ANN) == []
        assert await listed(served, BOSS) == ["Asked without a key?"]
        assert (await served.get(f"/v1/moot/episodes/{episode}", headers=ANN))[0] == 404
        await asked(served, "Asked with one?", ANN)
    async with serving(tmp_path) as served:
        assert await listed(served, {}) == ["Asked with one?", "Asked without a key?"], (
            "no key: whoever owns the machine"
        )
    connection = sqlite3.connect(tmp_path / "three.db")
    askers = {asker for (asker,) in connection.execute("SELECT asker FROM experiment_questions")}
    connection.close()
    assert askers == {None, "ANN_KEY"}, "the name is kept, the key never"


async def test_a_repeated_question_is_each_keys_own(tmp_path: Path) -> None:
    """With --reuse the calls of another may be used again, but the episode is one's own."""
    async with serving(tmp_path, settings=KEYS) as served:
        served.live.reuse = True
        ann, bob = await asked(served, "Again?", ANN), await asked(served, "Again?", BOB)
        assert ann["moot"]["episode"] != bob["moot"]["episode"]
        assert await listed(served, BOB) == ["Again?"]


# -- reports -----------------------------------------------------------------------------------------------------------

THIEF = """<!doctype html><title>waiting</title><script>
const told = [];
for (const steal of [() => sessionStorage.getItem("moot-key"), () => localStorage.length, () => document.cookie]) {
  try { told.push(String(steal())); } catch (error) { told.push("no"); }
}
const use = (path, options) => fetch(path, options).then(async (r) => r.status + (await r.text()).slice(0, 40), () => "no");
(async () => {
  told.push(await use("/v1/moot/episodes"));
  told.push(await use("/"));
  told.push(await use("/v1/moot/episodes", {headers: {Authorization: "Bearer a-key"}}));
  told.push(origin);
  document.title = JSON.stringify(told);
})();
</script>"""


async def test_what_is_asked_again_while_it_is_written_is_its_keys_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same words, of another team: they get a place of their own, and it is hers too."""
    async with serving(tmp_path, settings=KEYS) as served:
        run, written, go_on = served.live.record._store.run, asyncio.Event(), asyncio.Event()

        async def held_back(work: Any) -> Any:
            done = await run(work)
            if episodes_in(tmp_path) and not written.is_set():
                written.set()
                await go_on.wait()
            return done

        monkeypatch.setattr(served.live.record._store, "run", held_back)
        first = (await asked(served, "Which river?", ANN))["moot"]["episode"]
        await asyncio.wait_for(written.wait(), 60)
        body = {
            "messages": [{"role": "user", "content": "Which river?"}],
            "moot": {"team": {"players": ["ann", "bob"], "captain": "bob", "strategy": "vote"}},
        }
        status, again = await served.post("/v1/chat/completions", body, headers=ANN)
        assert status == 200, again
        go_on.set()
        for episode in first, again["moot"]["episode"]:
            status, whole = await served.get(f"/v1/moot/episodes/{episode}", headers=ANN)
            assert status == 200, whole
            assert (await served.get(f"/v1/moot/episodes/{episode}", headers=BOB))[0] == 404
        assert await listed(served, ANN) == ["Which river?"] * 2


def episodes_in(folder: Path) -> int:
    with closing(sqlite3.connect(next(folder.rglob("*.db")))) as connection:
        return int(connection.execute("SELECT count(*) FROM episodes").fetchone()[0])


def reports_in(folder: Path) -> Path:
    reports = folder / "reports"
    reports.mkdir(exist_ok=True)
    (reports / "cup.html").write_text(THIEF, encoding="utf-8")
    (folder / "outside.html").write_text("<p>the secret outside", encoding="utf-8")
    (reports / "link.html").symlink_to(folder / "outside.html")
    (reports / "inside.html").symlink_to(reports / "cup.html")
    (reports / "folder.html").mkdir()
    os.mkfifo(reports / "pipe.html")
    (reports / "notes.txt").write_text("the secret beside", encoding="utf-8")
    (reports / ".hidden.html").write_text("the secret hidden", encoding="utf-8")
    return reports


async def test_a_report_needs_the_key_and_leaves_its_folder_by_no_way(tmp_path: Path) -> None:
    settings = ServeSettings(keys=KEYS.keys, reports=reports_in(tmp_path))
    async with serving(tmp_path, settings=settings) as served:
        host = {"Host": "127.0.0.1"}
        assert (await raw(served, "GET", "/reports/cup.html", host))[0] == 401
        status, answer = await raw(served, "GET", "/reports/cup.html", {**host, **ANN})
        assert status == 200
        policy = next(line for line in answer.splitlines() if line.casefold().startswith("content-security-policy:"))
        assert "sandbox" in policy
        assert "allow-same-origin" not in policy
        assert "connect-src 'none'" in policy
        assert "x-content-type-options: nosniff" in answer.casefold()
        outside = ["link.html", "inside.html", "folder.html", "pipe.html", "notes.txt", ".hidden.html", "cup.html%00"]
        outside += ["../outside.html", "..%2foutside.html", "%2e%2e/outside.html", "..%2f..%2fetc%2fpasswd"]
        outside += [".", "..", "..\\outside.html"]
        for name in outside:
            async with asyncio.timeout(120):
                status, answer = await raw(served, "GET", f"/reports/{name}", {**host, **ANN})
            assert status in (400, 404), (name, answer)
            assert "secret" not in answer
        _, body = await served.get("/v1/moot/reports", headers=ANN)
        (report,) = body["reports"]
        assert report["name"] == "cup"
        assert (await raw(served, "GET", report["url"], host))[0] == 200, (
            "the page's link has leave for this one report"
        )
        ticket = report["url"].partition("?")[2]
        (settings.reports / "other.html").write_text("<p>other", encoding="utf-8")  # type: ignore[operator]
        assert (await raw(served, "GET", f"/reports/other.html?{ticket}", host))[0] == 401
        for forged in ("ticket=", "ticket=9999999999.x", f"{ticket[:-1]}!", "ticket=9" * 300, "ticket=%ff%fe.%00"):
            assert (await raw(served, "GET", f"/reports/cup.html?{forged}", host))[0] == 401, forged


async def test_foreign_html_in_a_report_reads_nothing_of_the_server(tmp_path: Path, browser: Any) -> None:  # noqa: F811
    settings = ServeSettings(keys=KEYS.keys, reports=reports_in(tmp_path))
    async with serving(tmp_path, settings=settings) as served:
        await asked(served, "Ann's secret?", ANN)
        _, body = await served.get("/v1/moot/reports", headers=ANN)

        def visit() -> list[str]:
            browser.get(served.url)
            browser.execute_script("sessionStorage.setItem('moot-key', 'a-key')")
            told: list[str] = json.loads(titled(browser, served.url + body["reports"][0]["url"]))
            return told

        told = await asyncio.to_thread(visit)
        assert told == ["no", "no", "no", "no", "no", "no", "null"], told


async def test_a_report_without_a_key_is_as_shut_in(tmp_path: Path, browser: Any) -> None:  # noqa: F811
    async with serving(tmp_path, THREE, settings=ServeSettings(reports=reports_in(tmp_path))) as served:
        await served.chat("A secret?")
        told = json.loads(await asyncio.to_thread(titled, browser, f"{served.url}/reports/cup.html"))
        assert told == ["no", "no", "no", "no", "no", "no", "null"], told
