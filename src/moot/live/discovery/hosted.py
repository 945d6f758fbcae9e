"""Hosted APIs whose key is in the environment. They are asked nothing, not even for their models, before somebody says so."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from moot.models.endpoint import EndpointModel, Network
from moot.models.proxy import environment_proxy

PATIENCE_S = 30.0


@dataclass(frozen=True, slots=True)
class HostedApi:
    """An OpenAI-compatible API, and the variables that usually hold its key, the first of them before the others."""

    name: str
    base_url: str
    variables: tuple[str, ...]


HOSTED: tuple[HostedApi, ...] = (
    HostedApi("OpenAI", "https://api.openai.com/v1", ("OPENAI_API_KEY",)),
    HostedApi("Anthropic", "https://api.anthropic.com/v1", ("ANTHROPIC_API_KEY",)),
    HostedApi(
        "Google Gemini",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    ),
    HostedApi("Mistral", "https://api.mistral.ai/v1", ("MISTRAL_API_KEY",)),
    HostedApi("OpenRouter", "https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",)),
    HostedApi("Groq", "https://api.groq.com/openai/v1", ("GROQ_API_KEY",)),
    HostedApi("DeepSeek", "https://api.deepseek.com/v1", ("DEEPSEEK_API_KEY",)),
    HostedApi("Together", "https://api.together.xyz/v1", ("TOGETHER_API_KEY",)),
    HostedApi("xAI", "https://api.x.ai/v1", ("XAI_API_KEY",)),
    HostedApi("Fireworks", "https://api.fireworks.ai/inference/v1", ("FIREWORKS_API_KEY",)),
    HostedApi("Cerebras", "https://api.cerebras.ai/v1", ("CEREBRAS_API_KEY",)),
    HostedApi("Cohere", "https://api.cohere.ai/compatibility/v1", ("COHERE_API_KEY", "CO_API_KEY")),
    HostedApi("NVIDIA", "https://integrate.api.nvidia.com/v1", ("NVIDIA_API_KEY",)),
    HostedApi("Moonshot", "https://api.moonshot.ai/v1", ("MOONSHOT_API_KEY",)),
    HostedApi("Perplexity", "https://api.perplexity.ai", ("PERPLEXITY_API_KEY",)),
)


@dataclass(frozen=True, slots=True)
class HostedKey:
    """An API, and the variable in which its key was seen. The key itself is never held."""

    api: HostedApi
    variable: str

    @property
    def through_proxy(self) -> bool:
        """Whether the environment has a proxy for it, which an experiment has to ask for."""
        return environment_proxy(self.api.base_url) is not None


def hosted_keys(environment: Mapping[str, str] | None = None) -> list[HostedKey]:
    known = os.environ if environment is None else environment
    found = ((api, [name for name in api.variables if known.get(name, "").strip()]) for api in HOSTED)
    return [HostedKey(api, names[0]) for api, names in found if names]


async def hosted_models(key: HostedKey) -> list[str]:
    """What the API lists for this key: a call to it, which is for whoever has said so. `CallError`: it does not say."""
    network = Network(PATIENCE_S, environment_proxy(key.api.base_url))
    model = EndpointModel(
        key.api.name, base_url=key.api.base_url, model="", api_key=os.environ.get(key.variable), network=network
    )
    try:
        listed = await model.versions()
    finally:
        await model.close()
    # Gemini lists "models/NAME" and takes NAME.
    names = dict.fromkeys(name.removeprefix("models/") for name in listed)
    return [name for name in names if name.strip() and name.isprintable()]
