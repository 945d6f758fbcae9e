"""Attacks on the door of a served team: other sites' pages, names that are bound anew, bodies that no page may send."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from served import Served, serving

from moot.errors import UsageError
from moot.openai_form.refusal import Refused
from moot.serve.app import ServeSettings
from moot.serve.doors import Door
from moot.serve.serving import hosts_of, origins_of

ASK = {"model": "three/vote", "messages": [{"role": "user", "content": "Which river?"}]}
KEYED = ServeSettings(keys={"TEAM_KEY": "sesame"})
KEY = {"Authorization": "Bearer sesame"}


async def raw(served: Served, method: str, path: str, headers: dict[str, str], body: bytes = b"") -> tuple[int, str]:
    """With the headers as they are: a client's library would mend them."""
    host, port = served.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    lines += [f"Content-Length: {len(body)}", "Connection: close", "", ""]
    writer.write("\r\n".join(lines).encode() + body)
    async with asyncio.timeout(120):
        answer = (await reader.read()).decode("utf-8", "replace")
    writer.close()
    return int(answer.split()[1]), answer


async def asked_times(served: Served) -> int:
    _, listed = await served.get("/v1/moot/episodes", headers=KEY)
    return len(listed["episodes"])


FREE_TYPES = (
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "text/plain;application/json",
    "",
)


async def test_a_body_that_any_page_may_send_is_not_read(tmp_path: Path) -> None:
    """These need no leave of the browser, whatever the page: so no other page may ask with them."""
    bodies = {
        "/v1/chat/completions": ASK,
        "/v1/responses": {"model": "three/vote", "input": "Why?"},
        "/v1/feedback": {},
    }
    async with serving(tmp_path) as served:
        for kind in FREE_TYPES:
            for path, body in bodies.items():
                headers = {"Host": "127.0.0.1"} | ({"Content-Type": kind} if kind else {})
                status, answer = await raw(served, "POST", path, headers, json.dumps(body).encode())
                assert status == 415, answer
                assert json.loads(answer.split("\r\n\r\n", 1)[1])["error"]["code"] == "unsupported_media_type"
        assert await asked_times(served) == 0


@pytest.mark.parametrize(
    ("charset", "taken"),
    [
        *((each, True) for each in ("utf-8", "UTF-8", '"utf-8"', "utf8", " utf-8 ")),
        *((each, False) for each in ("utf-16", "utf-8; charset=utf-16", "latin-1", "", '"utf-7"')),
    ],
)
async def test_a_body_in_other_letters_is_not_read_as_if_it_were_in_ours(
    tmp_path: Path, charset: str, taken: bool
) -> None:
    kind = {"Host": "127.0.0.1", "Content-Type": f"application/json; charset={charset}"}
    async with serving(tmp_path) as served:
        status, answer = await raw(served, "POST", "/v1/chat/completions", kind, json.dumps(ASK).encode())
        assert status == (200 if taken else 415), answer
        assert taken or "Expected a body in UTF-8" in answer


@pytest.mark.parametrize("framing", ["Content-Length: 99", "Transfer-Encoding: chunked"])
async def test_an_upload_that_is_broken_off_is_no_fault_of_the_server(
    tmp_path: Path, framing: str, caplog: pytest.LogCaptureFixture
) -> None:
    head = f"POST /v1/%s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n{framing}\r\n\r\n"
    beginning = b"{" if "99" in framing else b"1\r\n{\r\n"
    caplog.set_level(logging.WARNING)
    async with serving(tmp_path) as served:
        host, port = served.url.removeprefix("http://").split(":")
        for path in ("chat/completions", "responses", "feedback"):
            _, writer = await asyncio.open_connection(host, int(port))
            writer.write((head % path).encode() + beginning)
            await writer.drain()
            await asyncio.sleep(0.05)
            writer.transport.abort()
        await asyncio.sleep(0.1)
        assert (await served.get("/healthz"))[0] == 200
    assert caplog.text == ""


@pytest.mark.parametrize("way", ["websocket", "h2c", "CONNECT"])
async def test_whoever_wants_another_protocol_is_answered_in_this_one(
    tmp_path: Path, way: str, capfd: pytest.CaptureFixture[str]
) -> None:
    async with serving(tmp_path) as served:
        if way == "CONNECT":
            status, _ = await raw(served, way, "/healthz", {"Host": "127.0.0.1"})
            assert status == 405
        else:
            host, port = served.url.removeprefix("http://").split(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            asked = f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: {way}\r\n\r\n"
            for _ in range(2):
                writer.write(asked.encode())
                async with asyncio.timeout(120):
                    assert b"200 OK" in await reader.readuntil(b'"error":null}')
            writer.transport.abort()
    assert capfd.readouterr().err == ""


NOT_OURS = (
    *("evil.example", "evil.example:8000", "127.0.0.1.evil.example", "127.0.0.1@evil.example", "[::1", "a b"),
    *("127.0.0.1:evil", "127.0.0.1:99999", "localhost:80:80", "[::1]x", "::1", "[::1%25lo]", "[::ffff:127.0.0.1]"),
    *(
        "localhost..",
        ".localhost",
        "127.1",
        "2130706433",
        "0x7f.0.0.1",
        "localhost,evil.example",
        "user:pass@localhost",
    ),
)


async def test_a_name_that_was_bound_anew_reaches_nothing(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        for host in NOT_OURS:
            for path in ("/", "/v1/models", "/v1/moot/episodes", "/metrics", "/openapi.json", "/healthz", "/no"):
                status, answer = await raw(served, "GET", path, {"Host": host})
                assert status == 421, answer
                assert "--allow-host" in answer


async def test_hosts_of_this_machine_and_those_allowed_are_answered(tmp_path: Path) -> None:
    async with serving(tmp_path, settings=ServeSettings(hosts=("team.example",))) as served:
        for host in (
            "127.0.0.1",
            "127.0.0.1:1234",
            "localhost:9",
            "LocalHost",
            "[::1]:8000",
            "team.example",
            "TEAM.example:443",
            "localhost.",
            "LocalHost.:80",
            "team.example.",
            "[0:0:0:0:0:0:0:1]:5",
            "127.0.0.1:",
        ):
            assert (await raw(served, "GET", "/v1/models", {"Host": host}))[0] == 200, host
        for hosts in ("", "other.example", "10.0.0.1"):
            assert (await raw(served, "GET", "/v1/models", {"Host": hosts}))[0] == 421, hosts
        assert (await raw(served, "GET", "/v1/models", {}))[0] in (400, 421)
        twice = {"Host": "127.0.0.1", "host": "evil.example"}
        assert (await raw(served, "GET", "/v1/models", twice))[0] in (400, 421)


@pytest.mark.parametrize("keyed", [False, True])
async def test_another_sites_page_asks_nothing(tmp_path: Path, keyed: bool) -> None:
    async with serving(tmp_path, settings=KEYED if keyed else None) as served:
        for origin in (
            "http://evil.example",
            "null",
            "http://127.0.0.1:1",
            "https://localhost",
            "file://",
            "",
            "127.0.0.1:5",
            "http://127.0.0.1:5@evil.example",
            "http://user@127.0.0.1:5",
            "http://127.0.0.1:5.evil.example",
            "http://127.0.0.1:05x",
            "http://127.0.0.1:5/",
            "http://127.0.0.1:5, http://evil.example",
            "http://localhost:5",
            "chrome-extension://127.0.0.1:5",
        ):
            headers = {"Host": "127.0.0.1:5", "Origin": origin, "Content-Type": "application/json"}
            headers |= KEY if keyed else {}
            status, answer = await raw(served, "POST", "/v1/chat/completions", headers, json.dumps(ASK).encode())
            assert (status, "origin_not_allowed" in answer) == (403, True), answer
            assert "access-control-allow-origin" not in answer.casefold()
            status, _ = await raw(served, "OPTIONS", "/v1/chat/completions", headers)
            assert status == 403
            assert (await raw(served, "GET", "/v1/moot/episodes", headers))[0] == 403
        assert await asked_times(served) == 0


async def test_a_page_without_an_origin_is_known_by_what_the_browser_says(tmp_path: Path) -> None:
    """A picture or a script of another page sends no Origin, but every browser says where it comes from."""
    async with serving(tmp_path) as served:
        for site in ("cross-site", "same-site"):
            headers = {"Host": "127.0.0.1", "Sec-Fetch-Site": site}
            assert (await raw(served, "GET", "/v1/moot/episodes", headers))[0] == 403
            assert (await raw(served, "GET", "/", headers))[0] == 200, "a link to the page may stand anywhere"
        typed = {"Host": "127.0.0.1", "Sec-Fetch-Site": "none"}
        assert (await raw(served, "GET", "/v1/models", typed))[0] == 200


async def test_without_a_key_the_page_has_a_token_of_its_own(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        host = served.url.removeprefix("http://")
        headers = {
            "Host": host,
            "Origin": served.url,
            "Content-Type": "application/json",
            "Sec-Fetch-Site": "same-origin",
        }
        body = json.dumps(ASK).encode()
        status, answer = await raw(served, "POST", "/v1/chat/completions", headers, body)
        assert (status, "page_token" in answer) == (403, True), answer
        for wrong in ("", "x", "é"):
            status, _ = await raw(served, "POST", "/v1/chat/completions", {**headers, "X-Moot-Page": wrong}, body)
            assert status == 403
        _, page = await raw(served, "GET", "/", {"Host": host})
        assert "no-store" in page
        token = page.split('name="moot-page" content="')[1].split('"')[0]
        assert len(token) >= 32
        status, answer = await raw(served, "POST", "/v1/chat/completions", {**headers, "X-Moot-Page": token}, body)
        assert status == 200, answer
    async with serving(tmp_path) as again:
        status, _ = await raw(again, "POST", "/v1/chat/completions", {**headers, "X-Moot-Page": token}, body)
        assert status == 403, "another server has another token"


async def test_an_origin_that_is_allowed_may_ask_and_read(tmp_path: Path) -> None:
    settings = ServeSettings(origins=("https://app.example",))
    async with serving(tmp_path, settings=settings) as served:
        headers = {"Host": "127.0.0.1", "Origin": "https://app.example", "Sec-Fetch-Site": "cross-site"}
        asks = {
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,x-stainless-os",
        }
        status, answer = await raw(served, "OPTIONS", "/v1/chat/completions", {**headers, **asks})
        assert status == 204
        allowed = answer.casefold()
        assert "access-control-allow-origin: https://app.example" in allowed
        assert "access-control-allow-headers: authorization,x-stainless-os" in allowed
        assert "access-control-allow-credentials" not in allowed
        _, described = await served.get("/openapi.json")
        methods = {method.upper() for path in described["paths"].values() for method in path}
        (told,) = [line for line in allowed.splitlines() if line.startswith("access-control-allow-methods")]
        assert {each.strip().upper() for each in told.partition(":")[2].split(",")} == methods, "all that there are"
        unasked = {**headers, **asks, "Origin": "https://other.example"}
        assert (await raw(served, "OPTIONS", "/v1/chat/completions", unasked))[0] == 403
        typed = {**headers, "Content-Type": "application/json"}
        status, answer = await raw(served, "POST", "/v1/chat/completions", typed, json.dumps(ASK).encode())
        assert status == 200
        assert "access-control-allow-origin: https://app.example" in answer.casefold()
        assert "vary: origin" in answer.casefold()
        other = {**typed, "Origin": "https://app.example.evil.example"}
        assert (await raw(served, "POST", "/v1/chat/completions", other, b"{}"))[0] == 403


# -- a real browser: the attacker is a page ----------------------------------------------------------------------------

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
ATTACK = """<!doctype html><title>waiting</title><script>
const target = new URL(location.href).searchParams.get("target");
const ask = JSON.stringify({model: "three/vote", messages: [{role: "user", content: "from another site"}]});
const told = [];
const tries = [
  () => fetch(target + "/v1/chat/completions", {method: "POST", body: ask}),
  () => fetch(target + "/v1/chat/completions", {method: "POST", mode: "no-cors", body: ask}),
  () => fetch(target + "/v1/chat/completions", {method: "POST", headers: {"Content-Type": "application/json"}, body: ask}),
  () => fetch(target + "/v1/moot/episodes"),
  () => fetch(target + "/").then((page) => page.text()),
  () => navigator.sendBeacon(target + "/v1/chat/completions", new Blob([ask], {type: "application/json"})),
  () => navigator.sendBeacon(target + "/v1/chat/completions", ask),
];
(async () => {
  for (const attempt of tries) {
    try { const found = await attempt(); told.push(typeof found === "string" ? "read" : String(found.status ?? found)); }
    catch (error) { told.push("no"); }
  }
  document.title = JSON.stringify(told);
})();
</script>"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")
    from selenium.webdriver.chrome.service import Service

    if not (CHROMIUM and DRIVER):
        pytest.skip("needs chromium and chromedriver (apt)")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    resolver = "--host-resolver-rules=MAP evil.example 127.0.0.1, MAP bound.example 127.0.0.1"
    for flag in ("--headless=new", "--no-sandbox", "--no-proxy-server", resolver):
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


@contextlib.asynccontextmanager
async def attacker(page: str) -> AsyncIterator[int]:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            await reader.readuntil(b"\r\n\r\n")
            body = page.encode()
            head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
            writer.write(head.encode() + body)
            await writer.drain()
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


def titled(browser: Any, url: str) -> str:
    from selenium.webdriver.support.ui import WebDriverWait

    browser.get(url)
    WebDriverWait(browser, 120, poll_frequency=0.05).until(lambda page: page.title != "waiting")
    return str(browser.title)


async def test_a_page_of_another_site_can_neither_ask_nor_read(tmp_path: Path, browser: Any) -> None:
    async with serving(tmp_path) as served, attacker(ATTACK) as port:
        for site in (f"http://evil.example:{port}", f"http://localhost:{port}"):
            told = json.loads(await asyncio.to_thread(titled, browser, f"{site}/?target={served.url}"))
            assert told[0] == "no", told
            assert told[2:5] == ["no", "no", "no"], told
        await asyncio.sleep(0.3)  # what a beacon asks has no answer to wait for
        _, listed = await served.get("/v1/moot/episodes")
        assert listed["episodes"] == []


async def test_a_name_bound_to_this_machine_shows_nothing_in_a_browser(tmp_path: Path, browser: Any) -> None:
    async with serving(tmp_path) as served:
        port = served.url.rpartition(":")[2]

        def visit() -> str:
            browser.get(f"http://bound.example:{port}/")
            script = (
                "const done = arguments[0]; fetch('/v1/moot/episodes').then((r) => done(r.status), () => done('no'))"
            )
            return f"{browser.execute_async_script(script)} {browser.page_source}"

        shown = await asyncio.to_thread(visit)
        assert shown.startswith("421 ")
        assert "moot-page" not in shown


def door(**options: Any) -> Door:
    return Door(**{"token": None, **options})


JSON = {"content-type": "application/json"}


@pytest.mark.parametrize(
    ("origin", "host", "same"),
    [
        ("http://localhost", "localhost", True),
        ("http://localhost:80", "localhost", True),
        ("http://localhost", "localhost:80", True),
        ("https://team.example", "team.example:443", True),
        ("https://team.example", "team.example", True),
        ("https://team.example:443", "team.example", True),
        ("https://team.example:80", "team.example", False),
        ("http://team.example..", "team.example", False),
        ("HTTP://Team.Example:8000", "team.example:8000", True),
        ("http://team.example.", "team.example", True),
        ("http://[::1]:5", "[0:0::1]:5", True),
        ("http://localhost", "localhost:443", False),
        ("https://localhost", "localhost:80", False),
        ("http://localhost:443", "localhost", False),
        ("http://localhost:8001", "localhost:8000", False),
        ("http://[::1]:5", "[::1]:6", False),
        ("null", "localhost", False),
        ("http://", "localhost", False),
        ("http://localhost@localhost", "localhost", False),
    ],
)
def test_a_page_is_of_the_place_it_asks_if_name_and_port_are(origin: str, host: str, same: bool) -> None:
    asked = {"host": host, "origin": origin, **JSON}
    guarded = door(hosts=("team.example",))
    if same:
        assert guarded.check("POST", "/v1/chat/completions", asked) is None
    else:
        with pytest.raises(Refused, match="may not use this server"):
            guarded.check("POST", "/v1/chat/completions", asked)


def test_allowed_names_and_pages_are_known_however_they_are_written() -> None:
    guarded = door(
        hosts=hosts_of(["Team.Example.", "[FD00::1]", "fd00:0::2"]), origins=origins_of(["HTTPS://App.Example:443/"])
    )
    for host in ("team.example", "TEAM.EXAMPLE.:99", "[fd00::1]", "[fd00:0:0::2]:80"):
        guarded.check("GET", "/v1/models", {"host": host})
    shared = {"host": "team.example", "origin": "https://app.example", **JSON}
    assert guarded.check("POST", "/v1/chat/completions", shared) == "https://app.example"
    for origin in ("http://app.example", "https://app.example:444", "https://app.example.evil.example", "null"):
        with pytest.raises(Refused):
            guarded.check("POST", "/v1/chat/completions", {**shared, "origin": origin})


@pytest.mark.parametrize(
    "name", ["team.example:80", "[::1]:80", "http://team.example", "a b", "", "user@team.example", "*"]
)
def test_what_is_no_name_is_not_allowed_by_mistake(name: str) -> None:
    if name == "*":
        assert hosts_of([name]) == ("*",)
        with pytest.raises(Refused):
            door(hosts=hosts_of([name])).check("GET", "/", {"host": "evil.example"})
        return
    with pytest.raises(UsageError, match="--allow-host"):
        hosts_of([name])


@pytest.mark.parametrize(
    "origin", ["null", "*", "app.example", "file://", "https://user@app.example", "https://app.example/x"]
)
def test_what_is_no_origin_is_not_allowed_by_mistake(origin: str) -> None:
    with pytest.raises(UsageError, match="--allow-origin"):
        origins_of([origin])


async def test_a_target_with_a_name_stands_over_the_header(tmp_path: Path) -> None:
    """Else whoever stands before the server may have looked at the one, and we at the other."""
    async with serving(tmp_path) as served:
        for target in ("http://evil.example/v1/models", "HTTP://evil.example:80/", "http://user@127.0.0.1/v1/models"):
            status, answer = await raw(served, "GET", target, {"Host": "127.0.0.1"})
            assert status == 421, answer
        assert (await raw(served, "GET", "http://127.0.0.1/v1/models", {"Host": "evil.example"}))[0] == 200
        twice = {"Host": "127.0.0.1", "host": "127.0.0.1"}
        assert (await raw(served, "GET", "http://127.0.0.1/v1/models", twice))[0] == 400
        for target in ("//evil.example/v1/models", "*", "evil.example:80", "http:/v1/models"):
            assert (await raw(served, "GET", target, {"Host": "127.0.0.1"}))[0] in (400, 404), target


async def test_what_the_door_goes_by_comes_once(tmp_path: Path) -> None:
    async with serving(tmp_path, settings=KEYED) as served:
        good = {"Host": "127.0.0.1", "Content-Type": "application/json", **KEY}
        for name, value in (
            ("origin", "http://evil.example"),
            ("content-type", "text/plain"),
            ("authorization", "Bearer no"),
            ("sec-fetch-site", "cross-site"),
        ):
            twice = {**good, "Origin": "http://127.0.0.1", "Sec-Fetch-Site": "same-origin", name: value}
            status, answer = await raw(served, "POST", "/v1/chat/completions", twice, json.dumps(ASK).encode())
            assert (status, "several_headers" in answer) == (400, True), answer
