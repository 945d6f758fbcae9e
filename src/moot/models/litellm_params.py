"""What a file may hand to LiteLLM: how to generate. Where to, and with whose key, has keys of its own in the file.

`acompletion` takes some hundred arguments, among them addresses, keys, headers, other models to fall back on and files of
credentials, and it looks for keys in the environment by itself. An experiment file may come from a stranger: with those
he could have a key of yours sent to an address of his. So what is known to shape a reply is let through, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable

from moot.models.closest import closest

GENERATION = frozenset(
    (
        *("temperature", "top_p", "top_k", "min_p", "top_a", "typical_p", "tfs_z", "seed", "stop", "n", "best_of"),
        *("max_tokens", "max_completion_tokens", "max_output_tokens", "min_tokens", "num_ctx", "num_predict"),
        *(
            "presence_penalty",
            "frequency_penalty",
            "repetition_penalty",
            "repeat_penalty",
            "repeat_last_n",
            "logit_bias",
        ),
        *("logprobs", "top_logprobs", "response_format", "reasoning_effort", "reasoning", "thinking", "verbosity"),
        *("mirostat", "mirostat_eta", "mirostat_tau", "do_sample", "ignore_eos", "service_tier", "safety_settings"),
        *("chat_template_kwargs", "enable_thinking", "think", "guided_json", "guided_choice", "guided_regex"),
    )
)

_KEY_OF = {
    "api_base": "base_url",
    "base_url": "base_url",
    "api_key": "api_key_env",
    "timeout": "timeout_s",
    "request_timeout": "timeout_s",
    "num_retries": "retries",
    "max_retries": "retries",
    "rpm": "limits",
    "tpm": "limits",
}
"""What has a key of its own beside params."""

ONE_KEY_ALONE = frozenset(
    (
        *("openai", "openai_like", "custom_openai", "text-completion-openai", "litellm_proxy", "hosted_vllm", "vllm"),
        *("lm_studio", "llamafile", "ollama", "ollama_chat", "anthropic", "azure", "azure_ai", "mistral", "cohere"),
        *(
            "cohere_chat",
            "groq",
            "deepseek",
            "xai",
            "openrouter",
            "together_ai",
            "fireworks_ai",
            "perplexity",
            "nvidia_nim",
        ),
    )
)
"""Providers that are given one key and send nothing else of the environment: they may be sent elsewhere."""

NO_KEY = "none"
"""Given where an address is named and no key: else LiteLLM would take one from the environment and send it there."""


def problem_with(params: Iterable[str]) -> str | None:
    """Why these are not to be handed on; None: they are."""
    for name in params:
        if own := _KEY_OF.get(name):
            return f"{name} does not belong here: it is the key {own} of this model"
        if name not in GENERATION:
            known = sorted(GENERATION)
            return f"{name} says nothing of how to generate; expected temperature, max_tokens and the like{closest(name, known)}"
    return None


def problem_with_model(model: str) -> str | None:
    """Some providers take an address for a model's name, and send the environment's key to it."""
    return "expected the name of a model, found an address: that is the key base_url" if "://" in model else None


def problem_with_address(model: str) -> str | None:
    provider = model.partition("/")[0] if "/" in model else "openai"
    if provider in ONE_KEY_ALONE:
        return None
    return f"{provider} may send more of the environment than one key, so its address is not the file's to choose"
