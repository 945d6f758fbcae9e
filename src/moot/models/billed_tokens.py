"""What of a provider's counts is on its bill: all that was read is the prompt, all that was generated the completion.

Most count that way. Some count a part beside its whole, and only a total tells:

- xAI's thoughts are no part of `completion_tokens`, Gemini's neither, which names them nowhere (nor, where it only thought,
  the completion). They cost as much as words.
- Claude at Bedrock counts what it read from its cache, or put there, beside the prompt, and gateways pass that on.

So what a total has beyond prompt and completion is the cache's where it is exactly as much as the cache's counts, else it was
generated: nothing else stands in a total of text, and to take it for nothing makes a cap worthless. Anthropic's OpenAI form,
DeepSeek, Mistral, vLLM and the like have nothing beyond. A total below the sum says nothing. Without a total, a part that is
greater than its whole stands beside it; but for a count of the cache by a name that means a part of the prompt: of that there is
no more than there is of the prompt, whatever is said.
"""

from __future__ import annotations

from moot.models import border
from moot.types import Usage


def as_billed(counted: Usage, total: int | None, written: int | None = None, *, cached_within: bool = False) -> Usage:
    """`counted`: in the provider's words, `written`: what it put into its cache. `cached_within`: what it read from there is a
    part of the prompt by its name."""
    prompt, completion, thoughts, cached = counted.prompt, counted.completion, counted.reasoning, counted.cached
    beyond = 0 if total is None or prompt is None else total - prompt - (completion or 0)
    if beyond > 0 and prompt is not None:
        of_cache = _of_cache(beyond, thoughts or 0, cached or 0, written or 0)
        prompt += of_cache
        completion = (completion or 0) + beyond - of_cache or completion
    if completion is not None and thoughts is not None and thoughts > completion:
        completion += thoughts
    if prompt is not None and cached is not None and cached > prompt:
        prompt, cached = (prompt, prompt) if cached_within else (prompt + cached, cached)
    if (prompt, completion, cached) == (counted.prompt, counted.completion, counted.cached):
        return counted
    return Usage(_bounded(prompt), _bounded(completion), thoughts, cached)


def _of_cache(beyond: int, thoughts: int, cached: int, written: int) -> int:
    """As many of the tokens that only the total counts were read from a cache, or put there."""
    if beyond == thoughts:
        return 0
    return next((part for part in (cached + written, cached, written) if part and beyond - part in (0, thoughts)), 0)


def _bounded(tokens: int | None) -> int | None:
    return None if tokens is None else min(tokens, border.MOST_TOKENS)
