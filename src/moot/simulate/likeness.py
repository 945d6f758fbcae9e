"""Known servers, as far as their ways differ from OpenAI's: `moot simulate --like NAME`.

Each is what such a server is said to do: where it listens, what it calls its models, how it says no, what it does not take and
what it adds to a reply. docs/endpoints.md says from where that is known. Nothing of theirs is in it but the form.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import orjson
from starlette.requests import HTTPConnection
from starlette.responses import Response

from moot.openai_form.refusal import Refused, json_bytes, json_response, refusal_response
from moot.simulate.chat_form import SimulatedChat

LikeName = Literal["openrouter", "azure", "ollama", "vllm", "gemini", "deepseek"]

USD_PER_MILLION = 1.0
"""What a token costs where the server states what it costs."""


class Likeness:
    """A server that does all as OpenAI's does."""

    path: ClassVar[str] = "/v1"
    entry: ClassVar[str] = ""
    """What a model's entry in an experiment file must say beside its address; empty: nothing."""
    dresses: ClassVar[bool] = False
    """Whether replies are to be changed at all."""

    def base_path(self, model: str) -> str:
        """The path that a file's base_url ends with."""
        return self.path

    def listed(self, model: str) -> str:
        """What the list of models calls it."""
        return model

    def model_of(self, asked: str, request: HTTPConnection) -> str:
        """Which of the models is meant."""
        return asked.removeprefix("simulated/")

    def key_shown(self, request: HTTPConnection) -> str:
        scheme, _, key = request.headers.get("Authorization", "").partition(" ")
        return key if scheme == "Bearer" else ""

    def check(self, chat: SimulatedChat, request: HTTPConnection) -> None:
        """`Refused` for what this server does not take."""

    def response(self, refusal: Refused, headers: Mapping[str, str] | None = None) -> Response:
        """How it says no."""
        return refusal_response(refusal, headers)

    def dress(self, envelope: dict[str, Any]) -> None:
        """What it adds to a completion, or to an event of a stream."""

    def dressed(self, raw: bytes) -> bytes:
        """The same for one that is written already, whole or as a line of a stream."""
        if not self.dresses:
            return raw
        start, end = (b"data: ", b"\n\n") if raw.startswith(b"data: ") else (b"", b"")
        content = raw[len(start) : len(raw) - len(end)]
        if not content.startswith(b"{"):
            return raw
        envelope = orjson.loads(content)
        self.dress(envelope)
        return start + json_bytes(envelope) + end


def _said(envelope: Mapping[str, Any]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Each choice with its message or delta."""
    return [(choice, choice.get("message") or choice.get("delta") or {}) for choice in envelope.get("choices", ())]


class OpenRouter(Likeness):
    """Numbers for codes, a provider behind it whose failures come inside a 200, and the bill with every reply."""

    path = "/api/v1"
    dresses = True

    def listed(self, model: str) -> str:
        return f"simulated/{model}"

    def model_of(self, asked: str, request: HTTPConnection) -> str:
        return asked.removeprefix("simulated/").removesuffix(":free")

    def response(self, refusal: Refused, headers: Mapping[str, str] | None = None) -> Response:
        error: dict[str, Any] = {"message": refusal.message, "code": refusal.status}
        if refusal.status == 429 or refusal.status >= 500:
            handed_on = {"Retry-After": headers["Retry-After"]} if headers and "Retry-After" in headers else {}
            quoted = {"provider_name": "Simulated", "raw": refusal.message, "headers": handed_on}
            error = {"message": "Provider returned error", "code": refusal.status, "metadata": quoted}
        status = 200 if refusal.status >= 500 else refusal.status
        return json_response({"error": error, "user_id": "user_simulated"}, status)

    def dress(self, envelope: dict[str, Any]) -> None:
        envelope["provider"] = "Simulated"
        for choice, _ in _said(envelope):
            choice["native_finish_reason"] = choice.get("finish_reason")
        if usage := envelope.get("usage"):
            cost = usage["total_tokens"] * USD_PER_MILLION / 1e6
            usage |= {"cost": cost, "is_byok": False, "cost_details": {"upstream_inference_cost": None}}


class Azure(Likeness):
    """Deployments in the path, a version behind the ?, the key in a header of its own; and models of the kind that take neither
    `max_tokens` nor a temperature."""

    path = "/openai/deployments/{deployment}"
    entry = "query: {api-version: 2024-10-21}, and headers_env: {api-key: VARIABLE} where there is a key"
    dresses = True

    def base_path(self, model: str) -> str:
        return self.path.replace("{deployment}", model)

    def model_of(self, asked: str, request: HTTPConnection) -> str:
        return str(request.path_params["deployment"])

    def key_shown(self, request: HTTPConnection) -> str:
        return request.headers.get("api-key") or super().key_shown(request)

    def check(self, chat: SimulatedChat, request: HTTPConnection) -> None:
        if not request.query_params.get("api-version"):
            raise Refused(404, "Resource not found", code="404")
        if chat.stream_options is not None:
            raise Refused(400, "Unknown parameter: 'stream_options'.", code="unknown_parameter", param="stream_options")
        if chat.max_tokens is not None:
            words = (
                "Unsupported parameter: 'max_tokens' is not supported with this model."
                " Use 'max_completion_tokens' instead."
            )
            raise Refused(400, words, code="unsupported_parameter", param="max_tokens")
        if chat.temperature not in (None, 1):
            words = (
                f"Unsupported value: 'temperature' does not support {chat.temperature:g} with this model."
                " Only the default (1) value is supported."
            )
            raise Refused(400, words, code="unsupported_value", param="temperature")

    def response(self, refusal: Refused, headers: Mapping[str, str] | None = None) -> Response:
        more = dict(headers or {})
        if refusal.status == 429 and (pause_s := more.get("Retry-After", "")).isdecimal():
            more |= {"retry-after-ms": str(int(pause_s) * 1_000), "x-ratelimit-reset-requests": pause_s}
        return refusal_response(refusal, more)

    def dress(self, envelope: dict[str, Any]) -> None:
        harmless = {
            name: {"filtered": False, "severity": "safe"} for name in ("hate", "self_harm", "sexual", "violence")
        }
        envelope["prompt_filter_results"] = [{"prompt_index": 0, "content_filter_results": harmless}]
        for choice, _ in _said(envelope):
            choice["content_filter_results"] = harmless


class Ollama(Likeness):
    """Names with a tag, that is `:latest` where none is given."""

    dresses = True

    def listed(self, model: str) -> str:
        return f"{model}:latest"

    def model_of(self, asked: str, request: HTTPConnection) -> str:
        return asked.removesuffix(":latest")

    def response(self, refusal: Refused, headers: Mapping[str, str] | None = None) -> Response:
        words = "model not found, try pulling it first" if refusal.code == "model_not_found" else refusal.message
        error = {"message": words, "type": "api_error", "param": None, "code": None}
        return json_response({"error": error}, refusal.status, headers)

    def dress(self, envelope: dict[str, Any]) -> None:
        envelope["system_fingerprint"] = "fp_ollama"
        for _, said in _said(envelope):
            said.pop("refusal", None)


class Vllm(Likeness):
    """Errors without an outer `error`, and a model whose template knows no system role, as those of Gemma 1 and 2."""

    entry = "system: fold"
    dresses = True
    _KINDS: ClassVar[Mapping[int, str]] = {400: "BadRequestError", 404: "NotFoundError", 429: "RateLimitError"}

    def check(self, chat: SimulatedChat, request: HTTPConnection) -> None:
        if any(message.role in ("system", "developer") for message in chat.messages):
            raise Refused(400, "System role not supported")

    def response(self, refusal: Refused, headers: Mapping[str, str] | None = None) -> Response:
        kind = self._KINDS.get(refusal.status, "InternalServerError")
        error = {"object": "error", "message": refusal.message, "type": kind, "param": None, "code": refusal.status}
        return json_response(error, refusal.status, headers)

    def dress(self, envelope: dict[str, Any]) -> None:
        envelope |= {"prompt_logprobs": None, "kv_transfer_params": None}
        for choice, said in _said(envelope):
            choice["stop_reason"] = None
            if "message" in choice:
                said |= {"reasoning_content": None, "tool_calls": []}


class Gemini(Likeness):
    """Names with `models/` before them, errors in a list, and how long to wait among their details alone."""

    path = "/v1beta/openai"
    _STATUSES: ClassVar[Mapping[int, str]] = {
        400: "INVALID_ARGUMENT",
        401: "UNAUTHENTICATED",
        404: "NOT_FOUND",
        429: "RESOURCE_EXHAUSTED",
        500: "INTERNAL",
        503: "UNAVAILABLE",
    }

    def listed(self, model: str) -> str:
        return f"models/{model}"

    def model_of(self, asked: str, request: HTTPConnection) -> str:
        return asked.removeprefix("models/")

    def check(self, chat: SimulatedChat, request: HTTPConnection) -> None:
        for name in ("seed", "logit_bias"):
            if name in chat.params():
                words = f'Invalid JSON payload received. Unknown name "{name}": Cannot find field.'
                raise Refused(400, words)

    def response(self, refusal: Refused, headers: Mapping[str, str] | None = None) -> Response:
        status = self._STATUSES.get(refusal.status, "UNKNOWN")
        error: dict[str, Any] = {"code": refusal.status, "message": refusal.message, "status": status}
        if refusal.status == 429:
            pause_s = (headers or {}).get("Retry-After") or refusal.retry_after_s or 1
            delay = f"{pause_s}s" if str(pause_s).isdecimal() else "1s"
            error["details"] = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}]
        return json_response([{"error": error}], refusal.status)


class DeepSeek(Likeness):
    """Thoughts beside the reply, no JSON schemas, and a lack of resources that is a reason to finish."""

    path = ""
    dresses = True

    def check(self, chat: SimulatedChat, request: HTTPConnection) -> None:
        form = chat.response_format.type if chat.response_format else "text"
        if form == "json_schema":
            raise Refused(400, "This response_format type is unavailable now", code="invalid_request_error")
        if form == "json_object" and not any("json" in message.text.casefold() for message in chat.messages):
            words = "Prompt must contain the word 'json' in some form to use 'response_format' of type 'json_object'."
            raise Refused(400, words, code="invalid_request_error")

    def response(self, refusal: Refused, headers: Mapping[str, str] | None = None) -> Response:
        if refusal.status == 503:
            choice = {"index": 0, "finish_reason": "insufficient_system_resource", "message": {"content": ""}}
            return json_response({"object": "chat.completion", "choices": [choice]})
        error = {"message": refusal.message, "type": refusal.kind, "param": None, "code": refusal.code or refusal.kind}
        return json_response({"error": error}, refusal.status, headers)

    def dress(self, envelope: dict[str, Any]) -> None:
        for _, said in _said(envelope):
            if said.get("role") == "assistant":
                said["reasoning_content"] = "[simulated] Let me think."
        if usage := envelope.get("usage"):
            usage |= {"prompt_cache_hit_tokens": 0, "prompt_cache_miss_tokens": usage["prompt_tokens"]}
            usage["completion_tokens_details"] = {"reasoning_tokens": min(6, usage["completion_tokens"])}


PLAIN = Likeness()
LIKENESSES: Mapping[LikeName, Likeness] = {
    "openrouter": OpenRouter(),
    "azure": Azure(),
    "ollama": Ollama(),
    "vllm": Vllm(),
    "gemini": Gemini(),
    "deepseek": DeepSeek(),
}
