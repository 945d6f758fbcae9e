"""The LiteLLM adapter over real HTTP: the same server, the same outcomes as the endpoint model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

if find_spec("litellm") is None:  # not imported here: the adapter sets it up before it does
    pytest.skip('needs the extra: pip install "moot[litellm]"', allow_module_level=True)

from hostile_server import completion, hostile, http
from streaming_endpoint import BREAK, streaming

from moot.engine.runner import Runner
from moot.errors import (
    CallError,
    ConnectionFailed,
    FileError,
    RateLimited,
    ReplyBroken,
    RequestRejected,
    ServerFailed,
    TimedOut,
    TransportError,
)
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.models.border import LONGEST_NAME, LONGEST_WORDS
from moot.models.litellm import LitellmModel
from moot.models.overheard import overhearing
from moot.simulate.server import running
from moot.store.sqlite import SqliteStore
from moot.testing import check_model
from moot.types import Message, Price, Reply, Request

REQUEST = Request((Message("user", "<question>\nWhat is the capital of France?\n</question>"),), question_id="1")
SCHEMA = {
    "type": "object",
    "properties": {"reasoning": {"type": "string"}, "answer": {"type": "string"}},
    "required": ["reasoning", "answer"],
    "additionalProperties": False,
}


def model(base_url: str, **options: Any) -> LitellmModel:
    return LitellmModel("ann", model="openai/ann", api_key="sk-test", base_url=base_url, **options)


@pytest.fixture
async def base_url() -> AsyncIterator[str]:
    async with running({}) as server:
        yield server.base_url


async def test_contract(base_url: str) -> None:
    await check_model(model(base_url))


async def test_a_reply_with_usage_and_cost(base_url: str) -> None:
    request = Request(REQUEST.messages, schema=SCHEMA)
    reply = await model(base_url, price=Price(1.0, 2.0)).generate(request)
    assert reply.text.startswith('{"reasoning": "[simulated]')
    assert reply.usage.prompt
    assert reply.usage.completion
    assert reply.cost_usd == pytest.approx((reply.usage.prompt + 2 * reply.usage.completion) / 1e6)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ({"kind": "429-seconds", "retry_after": 7}, RateLimited),
        ({"kind": "500"}, ServerFailed),
        ({"kind": "503"}, ServerFailed),
        ({"kind": "hang"}, TimedOut),
    ],
    ids=lambda value: value["kind"] if isinstance(value, dict) else "",
)
async def test_faults_are_ours(fault: dict[str, Any], error: type[CallError]) -> None:
    async with running({"faults": [fault]}) as server:
        with pytest.raises(error) as caught:
            await model(server.base_url, timeout_s=0.5).generate(REQUEST)
        assert server.stats["requests"] == 1  # its own retries are off: ours keep the record
    assert "sk-test" not in str(caught.value)


KEY = "sk-Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z"


@pytest.mark.parametrize("form", ["filter", "failure", "version", "finish"])
async def test_no_part_of_a_key_is_left_where_a_text_is_cut(form: str) -> None:
    """LiteLLM writes words of its own before the provider's: so the key is at many places, and one is where it is cut."""
    near = LONGEST_NAME if form in ("version", "finish") else LONGEST_WORDS

    def answer(asked: Any, number: int) -> bytes:
        said = f"{'x' * (near - 16 * number)} {KEY} and more"
        if form == "filter":
            return http({"error": {"code": "content_filter", "message": said}}, status=400)
        if form == "failure":
            return http({"error": {"message": said}}, status=500)
        body = completion("A", system_fingerprint=said) if form == "version" else completion("A")
        if form == "finish":
            body["choices"][0]["finish_reason"] = said
        return http(body)

    async with hostile(answer) as server:
        ann = LitellmModel("ann", model="openai/ann", api_key=KEY, base_url=server.base_url)
        for _ in range(12):
            try:
                said = repr(await ann.generate(REQUEST))
            except CallError as error:
                said = str(error)
            assert [KEY[at : at + 6] for at in range(len(KEY) - 5) if KEY[at : at + 6] in said] == []


async def test_nobody_there() -> None:
    with pytest.raises((ConnectionFailed, ServerFailed)):
        await model("http://127.0.0.1:9/v1").generate(REQUEST)


async def test_an_unknown_model_is_not_asked_for_again(base_url: str) -> None:
    unknown = LitellmModel("x", model="openai/nobody", api_key="k", base_url=base_url)
    with pytest.raises(RequestRejected):
        await unknown.generate(REQUEST)


async def test_a_run(base_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "sk-test")
    file = tmp_path / "cup.yaml"
    file.write_text(
        "name: cup\nquestions: {builtin: general-en, sample: 5}\nmodels:\n"
        f"  ann: {{provider: litellm, model: openai/ann, api_key_env: SOME_KEY, base_url: '{base_url}'}}\n"
    )
    store = await SqliteStore(tmp_path / "cup.db").open()
    runner = Runner(build(read_experiment(file)), store)
    assert await runner.run() == "done"
    assert runner.tally.outcomes == {"answered": 5}
    await store.close()
    assert b"sk-test" not in (tmp_path / "cup.db").read_bytes()


STRANGER = """
name: s
models:
  ann: {{provider: litellm, model: {model}{more}}}
  bob: {{provider: simulated, accuracy: 0.5}}
strategies: [solo]
"""


def stranger(folder: Path, model: str = "openai/ann", more: str = "") -> Path:
    path = folder / "s.yaml"
    path.write_text(STRANGER.format(model=model, more=f", {more}" if more else ""), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("params", "problem"),
    [
        ("{api_base: 'http://127.0.0.1:9/v1'}", "it is the key base_url"),
        ("{base_url: 'http://127.0.0.1:9/v1'}", "it is the key base_url"),
        ("{api_key: x}", "api_key_env"),
        ("{extra_headers: {a: b}}", "says nothing of how to generate"),
        ("{headers: {a: b}}", "says nothing of how to generate"),
        ("{azure_ad_token: os.environ/SECRET}", "says nothing of how to generate"),
        ("{organization: x}", "says nothing of how to generate"),
        ("{fallbacks: [{model: openai/x, api_base: 'http://127.0.0.1:9'}]}", "says nothing of how to generate"),
        ("{model_list: []}", "says nothing of how to generate"),
        ("{vertex_credentials: /etc/passwd}", "says nothing of how to generate"),
        ("{extra_body: {a: b}}", "says nothing of how to generate"),
        ("{temprature: 1}", "temperature"),
    ],
)
def test_a_strangers_file_chooses_no_address_and_no_key_through_parameters(
    tmp_path: Path, params: str, problem: str
) -> None:
    with pytest.raises(FileError, match=problem) as refused:
        read_experiment(stranger(tmp_path, more=f"params: {params}"), with_questions=False)
    assert "s.yaml:4" in str(refused.value)


@pytest.mark.parametrize("model", ["huggingface/https://127.0.0.1:9/x", "https://127.0.0.1:9/x"])
def test_a_models_name_is_no_address(tmp_path: Path, model: str) -> None:
    with pytest.raises(FileError, match="base_url"):
        read_experiment(stranger(tmp_path, model), with_questions=False)


@pytest.mark.parametrize("model", ["vertex_ai/gemini", "bedrock/x", "sagemaker/x", "github_copilot/x"])
def test_providers_that_take_more_than_a_key_stay_where_they_are(tmp_path: Path, model: str) -> None:
    file = read_experiment(stranger(tmp_path, model, "base_url: 'http://127.0.0.1:9/v1'"), with_questions=False)
    with pytest.raises(FileError, match="more of the environment"):
        build(file)


@pytest.mark.parametrize("model", ["gpt-4o", "openai/gpt-4o", "openrouter/meta/llama"])
def test_a_name_without_a_provider_is_openais_and_may_be_sent_elsewhere(tmp_path: Path, model: str) -> None:
    file = read_experiment(stranger(tmp_path, model, "base_url: 'http://127.0.0.1:9/v1'"), with_questions=False)
    assert set(build(file).models) == {"ann", "bob"}


async def test_no_key_of_the_environment_goes_to_an_address_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GROQ_API_KEY", "LITELLM_PROXY_API_KEY", "AZURE_API_KEY"):
        monkeypatch.setenv(variable, "sk-environment")
    heard: list[bytes] = []

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.readuntil(b"\r\n\r\n"))
        writer.close()

    listener = await asyncio.start_server(listen, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/v1"
    for name in ("openai/ann", "anthropic/ann", "groq/ann", "litellm_proxy/ann"):
        with pytest.raises(CallError):
            await LitellmModel("ann", model=name, base_url=url, timeout_s=5).generate(REQUEST)
    listener.close()
    assert len(heard) >= 3
    assert not [head for head in heard if b"sk-environment" in head]


BY_CODE = {"message": "Try something else", "type": "invalid_request_error", "code": "content_filter"}


@pytest.mark.parametrize("provider", ["openai", "groq", "openrouter", "deepseek", "mistral"])
@pytest.mark.parametrize(
    "error", [BY_CODE, {**BY_CODE, "message": "The prompt was filtered due to the content policy"}]
)
async def test_a_filter_that_says_so_by_a_code_or_in_words_is_a_refusal(provider: str, error: dict[str, str]) -> None:
    async with hostile(lambda body, number: http({"error": error}, 400)) as server:
        asked = LitellmModel("ann", model=f"{provider}/ann", api_key="sk-test", base_url=server.base_url)
        reply = await asked.generate(REQUEST)
    assert reply.finish == "content_filter"
    assert reply.text


async def test_another_400_is_no_refusal(base_url: str) -> None:
    error = {"message": "Unknown parameter", "type": "invalid_request_error", "code": "unknown_parameter"}
    async with hostile(lambda body, number: http({"error": error}, 400)) as server:
        with pytest.raises(RequestRejected):
            await model(server.base_url).generate(REQUEST)


@pytest.mark.parametrize("provider", ["openai", "openrouter", "deepseek", "mistral"])
async def test_half_a_surrogate_pair_is_replaced_and_the_rest_is_taken(provider: str) -> None:
    body = json.dumps(completion("Paris \ud83d!", model="ann \udc00"))
    async with hostile(lambda asked, number: http(body)) as server:
        asked = LitellmModel("ann", model=f"{provider}/ann", api_key="sk-test", base_url=server.base_url)
        reply = await asked.generate(REQUEST)
    assert reply.text == "Paris \ufffd!"
    assert (reply.version or "").encode()


class Listening:
    """Somebody who hears a reply as it is written."""

    is_bound = False

    def __init__(self) -> None:
        self.heard: list[str] = []

    def voice(self) -> Any:
        self.heard.clear()
        return self.heard.append


async def heard_of(asked: LitellmModel, request: Request = REQUEST) -> tuple[Reply, list[str]]:
    listening = Listening()
    with overhearing(listening):
        return await asked.generate(request), listening.heard


async def test_who_listens_hears_the_reply_as_it_is_written() -> None:
    async with streaming(lambda body, before: ["A plan: ", "first sk-", "test this, ", "then that."]) as endpoint:
        asked = model(endpoint.url, price=Price(1.0, 2.0))
        reply, heard = await heard_of(asked)
        assert len(heard) > 1
        assert reply.text.startswith("".join(heard)), "what was told early stands in the reply"
        assert "sk-test" not in "".join(heard) + reply.text
        assert (reply.usage.prompt, reply.usage.completion) == (10, 5)
        assert reply.cost_usd == pytest.approx(20e-6)
        whole = await asked.generate(REQUEST)
        assert [body.get("stream") for body in endpoint.bodies] == [True, None], "nobody listened to the second"
        assert (whole.text, whole.finish, whole.usage) == (reply.text, reply.finish, reply.usage)


async def test_a_count_that_nobody_sent_is_not_made_up_and_a_model_with_a_price_streams_no_more() -> None:
    async with streaming(lambda body, before: ["A plan: ", "this."], usage=False) as endpoint:
        asked = model(endpoint.url, price=Price(1.0, 2.0))
        reply, _ = await heard_of(asked)
        assert (reply.usage.completion, reply.cost_usd) == (None, None)
        await heard_of(asked)
        assert "stream" not in endpoint.bodies[-1]


@pytest.mark.parametrize("refused", ["stream_options", "stream"])
async def test_a_server_that_does_not_stream_is_asked_for_a_whole_reply(refused: str) -> None:
    async with streaming(lambda body, before: ["A plan."], refuses=(refused,)) as endpoint:
        reply, heard = await heard_of(model(endpoint.url))
        assert reply.text == "A plan."
        assert refused not in endpoint.bodies[-1]
        assert bool(heard) == (refused == "stream_options")


async def test_a_stream_that_breaks_off_is_no_reply() -> None:
    async with streaming(lambda body, before: ["A plan: ", BREAK]) as endpoint:
        with pytest.raises(CallError) as caught:
            await heard_of(model(endpoint.url, price=Price(1.0, 2.0)))
        assert isinstance(caught.value, TransportError | ReplyBroken)


IN_OPENAIS_FORM = ["openai/ann", "groq/ann", "openrouter/ann", "mistral/ann", "deepseek/ann"]
"""Behind these LiteLLM has several readers of streams."""


@pytest.mark.parametrize("provider", IN_OPENAIS_FORM)
@pytest.mark.parametrize("indent", [None, 1], ids=["one line", "many lines"])
async def test_a_whole_reply_in_place_of_a_stream_is_read_and_paid_once(provider: str, indent: int | None) -> None:
    sent = json.dumps(completion("So it is"), indent=indent)
    async with hostile(lambda asked, number: http(sent)) as server:
        ann = LitellmModel("ann", model=provider, api_key="k", base_url=server.base_url, price=Price(1.0, 2.0))
        reply, _ = await heard_of(ann)
        assert server.seen[0]["stream"]
        assert len(server.seen) == 1
    assert reply.text == "So it is"
    assert reply.cost_usd == pytest.approx(20e-6)


@pytest.mark.parametrize("provider", IN_OPENAIS_FORM)
async def test_a_failure_in_place_of_a_stream_keeps_its_bill(provider: str) -> None:
    failed = {
        "error": {"message": "boom", "code": 502},
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "cost": 0.3},
    }
    async with hostile(lambda asked, number: http(failed)) as server:
        ann = LitellmModel("ann", model=provider, api_key="k", base_url=server.base_url, price=Price(1.0, 2.0))
        with pytest.raises(CallError) as caught:
            await heard_of(ann)
        assert len(server.seen) == 1
    assert caught.value.billed_usd == pytest.approx(0.3)


@pytest.mark.parametrize("sent", ["", "{}", '{"type": "message", "content": []}'])
async def test_where_nothing_could_be_heard_the_next_call_is_waited_for_whole(sent: str) -> None:
    async with hostile(lambda asked, number: http(sent if asked.get("stream") else completion("So it is"))) as server:
        ann = model(server.base_url, price=Price(1.0, 2.0))
        with pytest.raises(TransportError) as caught:
            await heard_of(ann)
        assert caught.value.maybe_billed, "it may have been paid for"
        reply, _ = await heard_of(ann)
        assert ["stream" in asked for asked in server.seen] == [True, False]
    assert reply.text == "So it is"
