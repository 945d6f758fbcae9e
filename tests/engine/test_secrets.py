"""Secrets are planted, everything is made to fail in their neighbourhood, and then every byte that was left is searched."""

from __future__ import annotations

import base64
import gzip
import html
import json
import logging
import re
import shutil
import ssl
import subprocess
import traceback
import urllib.parse
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractContextManager, asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from beside import in_a_thread
from hypothesis import given
from hypothesis import strategies as st

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.errors import CallError, FileError, ReplyBroken
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.models.endpoint import EndpointModel, Network
from moot.models.retry import RetryPatience
from moot.models.secrets import Secrets, secret_headers
from moot.types import Message, Reply, Request

KEY = "sk-planted-4f1d0b77c2e94a35"
HEADER = "hv-planted-9b30d2aa17"
PROXY = "pw-planted-77aa/31%"
PROXY_WRITTEN = "pw-planted-77aa%2F31%25"
DATABASE = "db-planted-c0ffee5512"
ASKED = Request((Message("user", "Who?"),))


def told(secret: str) -> list[str]:
    """A secret and what is as good as one: the first ten characters of it."""
    return [secret, secret[:10]]


@pytest.fixture(autouse=True)
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RetryPatience.__init__, "__defaults__", (6, 900.0, 0.01, 0.1))


Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def _serving(handler: Handler, tls: ssl.SSLContext | None) -> AsyncIterator[str]:
    served = web.Application()
    served.router.add_route("*", "/{path:.*}", handler)
    runner = web.AppRunner(served, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls).start()
    try:
        yield f"{'https' if tls else 'http'}://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


def serving(handler: Handler, tls: ssl.SSLContext | None = None) -> AbstractContextManager[str]:
    """An endpoint in a thread of its own, so that commands can be run beside it."""
    return in_a_thread(_serving(handler, tls))


def completion(text: str, **message: Any) -> dict[str, Any]:
    said = {"role": "assistant", "content": text, **message}
    usage = {"prompt_tokens": 10, "completion_tokens": 5}
    return {"model": "m-1", "choices": [{"index": 0, "message": said, "finish_reason": "stop"}], "usage": usage}


def experiment(folder: Path, model: dict[str, Any], **more: Any) -> Path:
    lines = [{"id": f"q{n}", "text": f"Who is number {n}?", "answer": "Ann"} for n in range(3)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    described = {"provider": "endpoint", "base_url": "http://127.0.0.1:9/v1", "model": "m", "retries": {"attempts": 2}}
    path = folder / "cup.yaml"
    models = {"tom": {**described, **model}}
    path.write_text(json.dumps({"name": "cup", "questions": {"file": "questions.jsonl"}, "models": models, **more}))
    return path


def moot(*arguments: object) -> int:
    return run_app(app, [str(each) for each in arguments])


# --- where a key comes from --------------------------------------------------------------------------------------------


async def says_ann(request: web.Request) -> web.Response:
    if request.headers.get("Authorization") != f"Bearer {KEY}":
        return web.json_response({"error": {"message": "no key"}}, status=401)
    return web.json_response(completion('{"reasoning": "so", "answer": "Ann"}'))


@pytest.mark.parametrize("mode", [0o600, 0o400])
def test_a_key_from_a_file_of_ones_own(tmp_path: Path, mode: int) -> None:
    (tmp_path / "key").write_text(f"{KEY}\n")
    (tmp_path / "key").chmod(mode)
    with serving(says_ann) as url:
        path = experiment(tmp_path, {"base_url": url, "api_key_file": "key"})
        assert moot("run", path, "--quiet") == 0
    assert KEY.encode() not in (tmp_path / "cup.db").read_bytes()


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660, 0o666])
def test_a_key_that_others_can_read_is_refused(tmp_path: Path, mode: int, capfd: pytest.CaptureFixture[str]) -> None:
    key = tmp_path / "key"
    key.write_text(KEY)
    key.chmod(mode)
    assert moot("--debug", "run", experiment(tmp_path, {"api_key_file": "key"})) == 2
    said = capfd.readouterr().err
    assert f"models.tom.api_key_file: others can read {key} (mode {mode:04o}); expected 0600: chmod 600 {key}" in said
    assert KEY not in said
    assert not (tmp_path / "cup.db").exists()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "cannot read .*key: No such file"),
        ("", "the file key is empty"),
        ("  \n\n", "the file key is empty"),
        (f"{KEY}\n{KEY}", "holds a line break"),
        (f"{KEY}\x00", "holds a line break or a control character"),
        (b"\xff\xfe\x00", "is not text"),
    ],
)
def test_a_key_file_that_holds_no_key(tmp_path: Path, content: str | bytes | None, words: str) -> None:
    if content is not None:
        (tmp_path / "key").write_bytes(content.encode() if isinstance(content, str) else content)
        (tmp_path / "key").chmod(0o600)
    with pytest.raises(FileError, match=words) as caught:
        build(read_experiment(experiment(tmp_path, {"api_key_file": "key"})))
    assert KEY not in str(caught.value)


def test_one_key_and_not_two(tmp_path: Path) -> None:
    path = experiment(tmp_path, {"api_key_file": "key", "api_key_env": "SOME_KEY"})
    with pytest.raises(FileError, match="expected api_key_env or api_key_file, not both"):
        build(read_experiment(path))


@pytest.mark.parametrize(
    "wrong",
    [
        {"api_key_env": KEY},
        {"api_key": KEY},
        {"params": {"api_key": KEY}},
        {"extra": {"api_key": KEY}},
        {"proxy": f"ftp://me:{KEY}@proxy.invalid"},
        {"proxy": f"http://me:{KEY}@proxy.invalid:0"},
        {"base_url": f"https://me:{KEY}@api.invalid/v1"},
        {"base_url": f"htps://me:{KEY}@api.invalid/v1"},
        {"headers": {"X-Key": f"{KEY}\n"}},
        {"headers": {"X Key": KEY}},
    ],
    ids=lambda wrong: "-".join(wrong),
)
def test_a_key_in_a_wrong_place_is_refused_and_not_repeated(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], wrong: dict[str, Any]
) -> None:
    assert moot("--debug", "run", experiment(tmp_path, wrong)) == 2
    said = capfd.readouterr()
    assert "models.tom" in said.err
    for text in told(KEY):
        assert text not in said.out + said.err


# --- where it goes -----------------------------------------------------------------------------------------------------


def sent(request: web.Request) -> str:
    """What a careless server repeats."""
    return f"I was sent {request.headers.get('Authorization')} and {request.headers.get('X-Secret')} here"


async def in_a_reply(request: web.Request) -> web.Response:
    said = json.dumps({"reasoning": sent(request), "answer": request.headers.get("Authorization")})
    return web.json_response(completion(said, reasoning_content=sent(request)))


async def in_an_error(request: web.Request) -> web.Response:
    return web.json_response({"error": {"message": sent(request)}}, status=401)


async def in_a_failure(request: web.Request) -> web.Response:
    return web.Response(text=f"<html>{sent(request)}", status=502)


async def in_escapes(request: web.Request) -> web.Response:
    """A key that JSON hides from whoever only looks at the bytes."""
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in sent(request))
    return web.Response(text=f'{{"error": {{"message": "{escaped}"}}}}', status=400, content_type="application/json")


async def by_numbers_in_an_answer(request: web.Request) -> web.Response:
    """As some JSON libraries write: read as a form, the answer is the key itself."""
    by_number = "".join(f"\\u{ord(letter):04X}" if letter in "-+/'" else letter for letter in sent(request))
    return web.json_response(completion(f'{{"reasoning": "so", "answer": "{by_number}"}}'))


async def in_no_json(request: web.Request) -> web.Response:
    return web.Response(text=f"no JSON: {sent(request)}")


async def cut_in_the_middle_of_the_key(request: web.Request) -> web.Response:
    return web.Response(text=f"{'x' * 180} {request.headers.get('Authorization')}")


async def in_names_that_are_cut_in_the_middle_of_the_key(request: web.Request) -> web.Response:
    key = request.headers["Authorization"].removeprefix("Bearer ")
    said = f"{'x' * (300 - len(key))} {key}, and more"  # its last letter is behind the cut
    body = completion('{"reasoning": "so", "answer": "Ann"}')
    body["choices"][0]["finish_reason"] = said
    return web.json_response({**body, "model": said})


async def in_a_stream(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    await response.write(b"data: {broken " + sent(request).encode() + b"\n\n")
    return response


async def in_a_redirect(request: web.Request) -> web.Response:
    place = f"https://elsewhere.invalid/?key={request.headers.get('Authorization')}"
    return web.Response(status=307, headers={"Location": place})


ECHOES = (
    in_a_reply,
    in_an_error,
    in_a_failure,
    in_escapes,
    by_numbers_in_an_answer,
    in_no_json,
    cut_in_the_middle_of_the_key,
    in_names_that_are_cut_in_the_middle_of_the_key,
    in_a_stream,
    in_a_redirect,
)


def unpacked(page: str) -> str:
    """A page with everything in it that is compressed."""
    parts = [page]
    for found in re.findall(r"[A-Za-z0-9+/=]{60,}", page):
        with suppress(ValueError, OSError, EOFError):
            parts.append(gzip.decompress(base64.b64decode(found)).decode("utf-8", "replace"))
    return "\n".join(parts)


def everything_said(folder: Path, path: Path, capfd: pytest.CaptureFixture[str], *stores: object) -> str:
    """Every command's words, and every file it left, as one text."""
    for command in (
        ["doctor", path],
        ["run", path],
        ["run", path, "--estimate"],
        ["report", path],
        ["report", path, "--json"],
        ["report", path, "-o", folder / "report.html"],
        ["report", path, "--format", "csv", "-o", folder / "tables"],
        ["show", path, "q0"],
        ["show", path, "q0", "--json"],
        ["export", path, "-o", folder / "replies.jsonl"],
        ["grade", path],
    ):
        moot("--debug", *command, *stores)
    said = capfd.readouterr()
    left = [file for file in folder.rglob("*") if file.is_file() and file.suffix != ".yaml" and file.name != "key"]
    texts = [file.read_bytes().decode("utf-8", "replace") for file in left]
    return "\n".join([said.out, said.err, *map(unpacked, texts)])


@pytest.mark.parametrize("echo", ECHOES, ids=lambda echo: echo.__name__)
def test_no_secret_is_left_anywhere_whatever_the_server_repeats(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, echo: Handler
) -> None:
    caplog.set_level(logging.DEBUG)
    (tmp_path / "key").write_text(KEY)
    (tmp_path / "key").chmod(0o600)
    seen: list[str] = []

    async def handler(request: web.Request) -> web.StreamResponse:
        seen.append(sent(request))
        return await echo(request)

    with serving(handler) as url:
        own = {"base_url": url, "api_key_file": "key", "headers": {"X-Secret": HEADER}, "stream": echo is in_a_stream}
        said = everything_said(tmp_path, experiment(tmp_path, own), capfd)
    assert KEY in seen[0], "or nothing was planted"
    assert HEADER in seen[0]
    assert "q0" in said, "or nothing was written"
    for secret in (KEY, HEADER):
        for text in told(secret):
            assert text not in said
            assert text not in caplog.text


def test_nor_a_proxys_password(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)

    async def refusing(request: web.Request) -> web.Response:
        return web.Response(status=407, text=f"not you, me:{PROXY} ({PROXY_WRITTEN})")

    with serving(refusing) as url:
        for number, target in enumerate(("http://api.invalid/v1", "https://api.invalid/v1")):
            folder = tmp_path / str(number)
            folder.mkdir()
            proxy = url.replace("://", f"://me:{PROXY_WRITTEN}@").removesuffix("/v1")
            said = everything_said(folder, experiment(folder, {"base_url": target, "proxy": proxy}), capfd)
            assert "api.invalid" in said
            for text in (*told(PROXY), PROXY_WRITTEN):
                assert text not in said + caplog.text


@pytest.mark.parametrize("given", ["in the file", "on the command line"])
def test_nor_the_password_of_a_store_that_is_not_there(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, given: str
) -> None:
    pytest.importorskip("asyncpg")
    caplog.set_level(logging.DEBUG)
    url = f"postgresql://me:{DATABASE}@127.0.0.1:9/cups"
    if given == "in the file":
        path, stores = experiment(tmp_path, {}, store=url), ()
    else:
        path, stores = experiment(tmp_path, {}), ("--store", url)
    for command in (["run", path], ["report", path], ["doctor", path], ["run", path, "--estimate"]):
        moot("--debug", *command, *(stores if command[0] != "doctor" else ()))
    said = capfd.readouterr()
    assert "127.0.0.1:9" in said.err
    for text in told(DATABASE):
        assert text not in said.out + said.err + caplog.text


@pytest.mark.parametrize("url", [f"mysql://me:{DATABASE}@h/db", f"postgresql://me:{DATABASE}@h", f"me:{DATABASE}@h/db"])
def test_nor_the_password_of_an_address_that_is_none(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], url: str
) -> None:
    assert moot("--debug", "run", experiment(tmp_path, {}, store=url)) == 2
    said = capfd.readouterr()
    for text in told(DATABASE):
        assert text not in said.out + said.err


def test_nor_the_password_of_a_store_in_use(tmp_path: Path, capfd: pytest.CaptureFixture[str], postgres: Any) -> None:
    password = postgres.locked_user()
    database = re.search(r"/(db\d+)\?", postgres.database())
    assert database is not None
    url = postgres.url(database[1], user="locked", password=password)
    with serving(says_ann) as base_url:
        path = experiment(tmp_path, {"base_url": base_url}, store=url)
        said = everything_said(tmp_path, path, capfd)
    rows = [
        str(row)
        for table in ("experiments", "runs", "calls", "failures")
        for row in postgres.sql(url, f"TABLE {table}")
    ]
    assert "no key" in said, "or nothing was stored"
    assert password not in said + "".join(rows)


# --- errors, tracebacks, printed objects -------------------------------------------------------------------------------


async def test_a_traceback_with_all_its_values_names_no_secret() -> None:
    network = Network(headers={"X-Secret": HEADER}, proxy=f"http://me:{PROXY_WRITTEN}@127.0.0.1:9")
    model = EndpointModel("tom", base_url="http://127.0.0.1:9/v1", model="m", api_key=KEY, network=network)
    try:
        await model.generate(ASKED)
    except CallError as error:
        lines = traceback.TracebackException.from_exception(error, capture_locals=True).format()
        said = "".join([*lines, repr(error), repr(model), repr(network), repr(model.shape(ASKED)), repr(vars(error))])
    await model.close()
    for text in (KEY, HEADER, PROXY, PROXY_WRITTEN):
        assert text not in said


def test_a_printed_file_names_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANTED", KEY)
    own = {"api_key_env": "PLANTED", "headers": {"X": HEADER}, "proxy": f"http://me:{PROXY_WRITTEN}@127.0.0.1:9"}
    built = build(read_experiment(experiment(tmp_path, own)))
    said = repr(built) + repr(built.spec) + json.dumps(built.public_config)
    for text in (KEY, HEADER, PROXY, PROXY_WRITTEN):
        assert text not in said


async def test_litellms_errors_and_replies(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("litellm")
    from moot.models.litellm import LitellmModel

    model = LitellmModel("tom", model="openai/m", api_key=KEY)

    async def fails(**given: Any) -> None:
        raise RuntimeError(f"Incorrect API key provided: {given['api_key']}")

    class Said:
        def model_dump_json(self, *, warnings: bool) -> str:
            return json.dumps(completion(f"your key is {KEY}"))

    async def repeats(**given: Any) -> Said:
        return Said()

    monkeypatch.setattr(model._litellm, "acompletion", fails)
    with pytest.raises(ReplyBroken) as caught:
        await model.generate(ASKED)
    monkeypatch.setattr(model._litellm, "acompletion", repeats)
    reply = await model.generate(ASKED)
    for text in told(KEY):
        assert text not in f"{caught.value}{caught.value!r}{reply}"


def test_what_is_hidden_and_what_is_kept() -> None:
    secrets = Secrets((KEY, "ab", None, "", KEY[:14]))
    assert secrets.hidden_in(f"<{KEY}>") == "<…>"
    assert secrets.hidden_in(f"<{KEY[:9]}") == "<…"
    assert secrets.hidden_in(f"{KEY}{KEY} cab, ab") == "…… cab, …"
    assert secrets.hidden_in("sk-plan is a word") == "sk-plan is a word", "too short to be told from a word"
    plain = Reply("a cab, an abbey", version="abc-1")
    assert secrets.without(plain) is plain, "inside of a word it is that word"
    assert secrets.without(Reply("the key is 'ab'.", "ab")) == Reply("the key is '⟨…✂…⟩'.", "…"), "however short"
    assert secrets.without(Reply(f"it is {KEY}", thoughts=KEY, logprobs=[1])) == Reply("it is ⟨…✂…⟩", thoughts="⟨…✂…⟩")


@pytest.mark.parametrize("key", ["sk-Zq9+/secret%20<Key>=&42", "sk-proj-AbC_dEf-123456789012"])
def test_a_secret_is_one_however_a_server_writes_it(key: str) -> None:
    """Gateways repeat a header as it stands in an address, a page, a JSON within a text, or packed."""
    packed = base64.b64encode(key.encode()).decode()
    written = json.dumps(key)[1:-1]
    spelt = [key, urllib.parse.quote(key), urllib.parse.quote_plus(key), urllib.parse.quote(key, safe="")]
    spelt += [written, written.replace("/", "\\/"), html.escape(key), packed, packed.rstrip("=")]
    secrets = Secrets([key])
    for spelling in spelt:
        assert spelling not in secrets.hidden_in(f"answered 401: no to {spelling}, really")
        reply = Reply(f'{{"answer": "{spelling}"}}', version=spelling)
        assert spelling not in str(secrets.without(reply))


@given(st.data())
def test_a_secret_is_one_with_any_letter_by_its_number(data: st.DataObject) -> None:
    key = data.draw(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=12, max_size=30).filter(str.strip))
    written = "".join(
        data.draw(st.sampled_from([json.dumps(letter, ensure_ascii=False)[1:-1], by_number(letter)])) for letter in key
    )
    for _ in range(data.draw(st.integers(0, 2))):  # JSON within JSON
        written = json.dumps(written, ensure_ascii=False)[1:-1]
    reply = Secrets([key]).without(Reply(f'{{"answer": "{written}"}}'))
    for _ in range(4):
        assert key not in reply.text
        reply = replace(reply, text=_read_once(reply.text))
    assert key not in Secrets([key]).hidden_in(f"no to {written}")


def by_number(letter: str) -> str:
    halves = letter.encode("utf-16-be").hex()
    return "".join(f"\\u{halves[place : place + 4]}" for place in range(0, len(halves), 4))


def _read_once(text: str) -> str:
    """What a reader of JSON makes of what stands in it."""
    with suppress(ValueError):
        value = json.loads(text)
        return str(value["answer"]) if isinstance(value, dict) else str(value)
    with suppress(ValueError):
        return str(json.loads(f'"{text}"'))
    return text


def test_what_is_named_secret_is_one_and_nothing_else() -> None:
    headers = {
        "Accept": "application/json",
        "User-Agent": "curl/8.5.0 (linux)",
        "X-Title": "my experiment with paper planes",
        "X-Api-Key": "t0p",
        "Authorization": "Bearer short",
        "Cookie": "id=7",
    }
    secrets = Secrets((None, *secret_headers(headers)), in_messages=headers.values())
    kept = Reply("send Accept: application/json with curl/8.5.0 (linux): my experiment with paper planes; a shortcut")
    assert secrets.without(kept) is kept
    told = secrets.without(Reply("t0p, Bearer short, short and id=7")).text
    assert "t0p" not in told
    assert "short" not in told
    assert "id=7" not in told
    assert "paper planes" not in secrets.hidden_in("your X-Title: my experiment with paper planes")
    for word in ("none", "EMPTY", "x"):
        plain = Reply(f"the answer is {word}")
        assert Secrets((word,)).without(plain) is plain, "what says that there is no key is none"


# --- redirects ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("place", ["another host", "the same host"])
def test_a_redirect_is_told_and_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], status: int, place: str
) -> None:
    """Not even to the same host: a request with a key goes to the address in the file, or nowhere."""
    monkeypatch.setenv("PLANTED", KEY)
    elsewhere: list[str] = []
    asked: list[str] = []

    async def other(request: web.Request) -> web.Response:
        elsewhere.append(request.path)
        return web.json_response(completion('{"answer": "Ann"}'))

    with serving(other) as other_url:

        async def moved(request: web.Request) -> web.Response:
            asked.append(request.path)
            target = f"{other_url}/chat/completions" if place == "another host" else "/v2/chat/completions"
            return web.Response(status=status, headers={"Location": target})

        with serving(moved) as url:
            path = experiment(tmp_path, {"base_url": url, "api_key_env": "PLANTED"})
            assert moot("run", path, "--quiet") == 1
    assert elsewhere == []
    assert asked == ["/v1/chat/completions"] * 3, "one try a question: the same request would be sent away again"
    assert "redirects to" in capfd.readouterr().err


# --- TLS ---------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def self_signed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("openssl") is None:
        pytest.skip("certificates are made with the openssl command, which is not here")
    folder = tmp_path_factory.mktemp("tls")
    new = ("-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2")
    named = ("-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1")
    command = ["openssl", "req", *new, *named, "-keyout", "key.pem", "-out", "cert.pem"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder


def test_tls_is_checked_unless_the_file_vouches_for_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], self_signed: Path
) -> None:
    monkeypatch.setenv("PLANTED", KEY)
    seen: list[str] = []

    async def handler(request: web.Request) -> web.Response:
        seen.append(request.headers["Authorization"])
        return await says_ann(request)

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(self_signed / "cert.pem", self_signed / "key.pem")
    with serving(handler, context) as url:
        own = {"base_url": url, "api_key_env": "PLANTED"}
        assert moot("run", experiment(tmp_path, own), "--quiet") == 1
        assert seen == [], "the key is not shown to somebody whose name nobody has checked"
        assert "certificate" in capfd.readouterr().err.lower()
        trusting = {**own, "ca_file": str(self_signed / "cert.pem")}
        assert moot("run", experiment(tmp_path, trusting), "--quiet") == 0
    assert len(seen) == 3


def split_up(secret: str) -> list[str]:
    return [secret[start : start + 5] for start in range(0, len(secret), 5)]


IN_LOGPROBS = {
    "a token": [{"token": KEY, "logprob": -0.1}],
    "another choice": [{"token": "a", "logprob": -0.1, "top_logprobs": [{"token": KEY, "logprob": -3.0}]}],
    "tokens together": [{"token": part, "logprob": -0.1} for part in split_up(KEY)],
    "bytes": [{"token": "a", "logprob": -0.1, "bytes": list(KEY.encode())}],
    "bytes together": [{"token": "a", "logprob": -0.1, "bytes": list(part.encode())} for part in split_up(KEY)],
    "a field of its own": [{"token": "a", "logprob": -0.1, "note": {"deep": [[KEY]]}}],
    "a name": [{"token": "a", "logprob": -0.1, KEY: 1}],
}


@pytest.mark.parametrize("place", IN_LOGPROBS)
def test_a_key_that_comes_back_token_by_token_is_kept_nowhere(tmp_path: Path, place: str, monkeypatch: Any) -> None:
    monkeypatch.setenv("TOM_KEY", KEY)

    async def answer(request: web.Request) -> web.Response:
        body = completion('{"reasoning": "So.", "answer": "Ann"}')
        body["choices"][0]["logprobs"] = {"content": IN_LOGPROBS[place]}
        return web.json_response(body)

    with serving(answer) as url:
        path = experiment(tmp_path, {"base_url": url, "api_key_env": "TOM_KEY"}, strategies=["solo"])
        assert moot("run", path, "--quiet") == 0
    stored = (tmp_path / "cup.db").read_bytes() + b"".join(file.read_bytes() for file in tmp_path.glob("cup.db-*"))
    assert b"Ann" in stored
    assert KEY.encode() not in stored
    assert not [part for part in split_up(KEY)[1:4] if b'"token":"%s"' % part.encode() in stored]
    assert json.dumps(list(KEY.encode()), separators=(",", ":"))[1:-1].encode() not in stored


def test_logprobs_without_a_secret_stay() -> None:
    said = Reply("Ann", logprobs={"content": [{"token": "Ann", "logprob": -0.1, "bytes": [65, 110, 110]}]})
    assert Secrets((KEY,)).without(said) is said
