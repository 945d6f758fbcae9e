"""Which names say that a value is secret, and which values say that there is no key.

A name is read in whole words: `X-Max-Tokens` is no token and `X-Author` no authorisation, and to cut their values out of
replies would cut out right answers. And whoever has to send some key to a server that looks at none sends what the
server's documentation has there, which anybody may say.
"""

from __future__ import annotations

import re

_PART = re.compile(r"[A-Za-z]+")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
"""Headers are called api-key, api_key or ApiKey. Digits belong to no word."""

_SECRETS = (
    *("authorization", "authorisation", "authentication", "auth", "key", "token", "secret", "password", "passwd"),
    *("passphrase", "passcode", "pwd", "credential", "credentials", "cookie", "session", "signature", "sig", "jwt"),
    *("bearer", "oauth", "sessionid"),
)
_BEFORE = "x|api|auth|access|secret|private|subscription|session|refresh|bearer|client|user|app|master|admin|service|id"
_SECRET = re.compile(rf"{'|'.join(_SECRETS)}|(?:{_BEFORE})+(?:key|token|secret|password)")
"""Also written together: apikey, authtoken, accesskey."""

_ABOUT = frozenset(
    (
        *(
            "count",
            "counts",
            "limit",
            "budget",
            "usage",
            "used",
            "remaining",
            "reset",
            "cost",
            "rate",
            "size",
            "length",
        ),
        *("name", "names", "type", "kind", "mode", "method", "scheme", "alg", "algorithm", "version", "affinity"),
        *("path", "url", "uri", "host", "endpoint", "ttl", "expiry", "expires", "required", "enabled", "allow"),
        *("allowed", "consent", "policy", "max", "min", "status", "source", "provider", "user", "username", "email"),
        *("org", "organization", "project"),
    )
)
"""A name that ends so says something about a secret and not the secret: X-Token-Count, X-Session-Affinity."""
_MOST = frozenset(("max", "min", "allow"))
"""A name with one of these too: X-Max-Token, Access-Control-Allow-Credentials."""
_OTHER_KEYS = frozenset(("idempotency", "cache", "routing", "partition", "shard", "sort"))
"""Keys that open nothing."""

NO_KEY = frozenset(
    (
        # that there is none
        *("none", "null", "nil", "empty", "unused", "ignored", "-", "na", "n/a", "x", "xx", "xxx", "sk-xxx"),
        *("no-key", "no_key", "nokey", "not-needed", "not_needed", "notneeded", "not-required", "not-used"),
        *("no-key-required", "no-api-key", "no-key-needed", "no-api-key-needed", "no-api-key-required"),
        *("sk-no-key-required", "key-not-needed", "not-a-real-key", "placeholder"),
        # that any will do
        *("dummy", "dummy-key", "sk-dummy", "fake", "fake-key", "sk-fake", "anything", "any", "any-key", "whatever"),
        # who serves
        *("ollama", "lm-studio", "lm_studio", "lmstudio", "vllm", "local", "localai", "local-ai", "llama.cpp"),
        *("llama-cpp", "llamacpp", "llamafile", "tgi", "sglang", "litellm"),
        # published as examples by vLLM and by LiteLLM: nobody's secret, wherever they open a door
        *("token-abc123", "sk-1234"),
    )
)
"""What the documentation of vLLM, Ollama, LM Studio, llama.cpp, LocalAI, TGI and LiteLLM puts where a key has to stand."""
_CROSSED_OUT = re.compile(r"(?:sk-)?(?:x+|\*+|\.+|…)")
"""sk-xxxxxxxx, as in examples."""


def names_a_secret(name: str) -> bool:
    """Whether a header, or a part of an address, is called so that its value is nobody's to read."""
    parts = [part.casefold() for part in _PART.findall(name)]
    words = [word.casefold() for word in _WORD.findall(name)]
    return _names_a_secret(parts) or _names_a_secret(words)


def _names_a_secret(words: list[str]) -> bool:
    if not words or words[-1] in _ABOUT or _MOST.intersection(words):
        return False
    if words[-1] == "key" and len(words) > 1 and words[-2] in _OTHER_KEYS:
        return False
    return any(_SECRET.fullmatch(word) and not _tells_of_a_session(words, place) for place, word in enumerate(words))


def _tells_of_a_session(words: list[str], place: int) -> bool:
    """Of a session it is itself, or its id, that opens it: what else is said of it is not secret."""
    return words[place] == "session" and words[place + 1 :] not in ([], ["id"])


def is_no_key(value: str) -> bool:
    """Whether a value says that there is no key, behind a scheme such as Bearer too."""
    said = value.strip().casefold()
    scheme, _, rest = said.partition(" ")
    said = rest.strip() if scheme in ("bearer", "basic", "token", "key") and rest else said
    return said in NO_KEY or _CROSSED_OUT.fullmatch(said) is not None
