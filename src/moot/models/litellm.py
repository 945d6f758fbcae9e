"""Whatever LiteLLM can reach, as a Model: a thin adapter, for providers without an OpenAI-compatible API (extra `litellm`)."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import Any

from moot.errors import (
    CallError,
    ConnectionFailed,
    RateLimited,
    ReplyBroken,
    RequestRejected,
    ServerFailed,
    TimedOut,
    UsageError,
)
from moot.models import border
from moot.models.endpoint import with_temperature
from moot.models.filtered import FILTERED, filter_words
from moot.models.litellm_params import NO_KEY, problem_with, problem_with_address, problem_with_model
from moot.models.model import messages_json
from moot.models.retry_after import retry_after_s
from moot.models.secrets import Secrets
from moot.models.wire import read_completion
from moot.types import Price, Reply, Request


class LitellmModel:
    """One model behind LiteLLM. Its own retries and cache are off: ours are the ones that keep the record."""

    def __init__(
        self,
        name: str,
        *,
        model: str,
        api_key: str | None = None,
        base_url: str | None = None,
        params: Mapping[str, Any] | None = None,
        price: Price | None = None,
        timeout_s: float = 300.0,
    ) -> None:
        address = problem_with_address(model) if base_url is not None else None
        if problem := problem_with_model(model) or address or problem_with(params or {}):
            raise UsageError(f"{name}: {problem}")
        self.name = name
        self.model = model
        self.base_url = base_url.rstrip("/") if base_url is not None else None
        self.price = price
        self._api_key = api_key
        self._secrets = Secrets((api_key,))
        self._params = with_temperature(params or {})
        self._timeout_s = timeout_s
        # Nothing but the model is to be called: no price list from elsewhere, no telemetry, no advertising on stdout.
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        try:
            import litellm
        except ImportError:
            raise UsageError('provider litellm needs the extra of that name: pip install "moot[litellm]"') from None
        litellm.telemetry = False
        litellm.suppress_debug_info = True
        self._litellm = litellm

    def shape(self, request: Request) -> Mapping[str, Any]:
        return {
            "provider": "litellm",
            **({"base_url": self.base_url} if self.base_url is not None else {}),
            "model": self.model,
            "params": {**self._params, **request.params},
            "schema": request.schema,
            "messages": messages_json(request),
        }

    async def generate(self, request: Request) -> Reply:
        body: dict[str, Any] = {**self._params, **request.params}
        if request.schema is not None and "response_format" not in body:
            named = {"name": "reply", "schema": request.schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        if problem := problem_with(request.params):
            raise RequestRejected(f"{self.name}: {problem}", status=400)
        key = NO_KEY if self._api_key is None and self.base_url is not None else self._api_key
        started = time.perf_counter()
        try:
            response = await self._litellm.acompletion(
                model=self.model,
                messages=messages_json(request),
                api_key=key,
                api_base=self.base_url,
                timeout=self._timeout_s,
                num_retries=0,
                max_retries=0,
                drop_params=False,
                **body,
            )
        except Exception as error:  # noqa: BLE001  its errors share no base; every one of them becomes ours
            if (words := self._filter_words(error)) is not None:
                cost_usd = None if self.price is None else 0.0
                refused = Reply(words, FILTERED, latency_s=time.perf_counter() - started, cost_usd=cost_usd)
                return self._secrets.without(refused)
            raise self._ours(error) from None
        try:
            completion = response.model_dump_json()
            reply = read_completion(completion, latency_s=time.perf_counter() - started, price=self.price)
        except CallError as error:
            error.args = (self._secrets.hidden_in(str(error)),)
            raise
        except Exception as error:  # noqa: BLE001  a reply that its own classes cannot write down
            raise self._ours(error) from None
        return self._secrets.without(reply)

    async def close(self) -> None:
        pass

    def _filter_words(self, error: Exception) -> str | None:
        """What a filter says: an error of its own with LiteLLM, or another one that says so."""
        words = border.words(error)
        if isinstance(error, self._litellm.exceptions.ContentPolicyViolationError):
            return words
        status = getattr(error, "status_code", None)
        return filter_words(words, status) if isinstance(status, int) else None

    def _ours(self, error: Exception) -> CallError:
        """LiteLLM's many exceptions by the status they carry; what has none is a bug or a lost connection."""
        message = self._secrets.hidden_in(f"{self.model}: {type(error).__name__}: {border.words(error)}")
        errors = self._litellm.exceptions
        status = getattr(error, "status_code", None)
        if isinstance(error, errors.Timeout):
            return TimedOut(message)
        if isinstance(error, errors.APIConnectionError):
            return ConnectionFailed(message)
        headers = getattr(getattr(error, "response", None), "headers", None) or {}
        pause_s = retry_after_s(headers.get("retry-after"))
        if status == 429:
            return RateLimited(message, retry_after_s=pause_s)
        if isinstance(status, int) and status >= 500:
            return ServerFailed(message, status=status, retry_after_s=pause_s)
        if isinstance(status, int):
            return RequestRejected(message, status=status)
        return ReplyBroken(message)
