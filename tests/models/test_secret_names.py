"""What is secret by its name, and which keys are none: both are lists of real names, as providers and gateways have them."""

from __future__ import annotations

import pytest

from moot.models.secret_names import is_no_key, names_a_secret
from moot.models.secrets import Secrets, secret_headers
from moot.types import Reply

SECRET_HEADERS = (
    *("Authorization", "Proxy-Authorization", "X-Forwarded-Authorization", "cf-aig-authorization", "Helicone-Auth"),
    *("X-Api-Key", "Api-Key", "api_key", "apikey", "ApiKey", "APIkey", "X-ApiKey", "Ocp-Apim-Subscription-Key"),
    *("X-Goog-Api-Key", "X-RapidAPI-Key", "x-functions-key", "x-portkey-api-key", "x-portkey-virtual-key", "X-Key"),
    *("X-Auth-Token", "X-AuthToken", "PRIVATE-TOKEN", "X-Amz-Security-Token", "X-CSRF-Token", "X-Access-Token"),
    *("CF-Access-Client-Secret", "X-Client-Secret", "X-Password", "X-Passphrase", "X-Amz-Credential", "X-Api-Key-2"),
    *("Cookie", "Set-Cookie", "X-Session", "X-Session-Id", "Mcp-Session-Id", "X-Session-Token", "X-SessionId"),
    *("X-Signature", "X-Hub-Signature-256", "X-JWT", "X-OAuth-Token", "Langfuse-Secret-Key", "sig"),
)
OPEN_HEADERS = (
    *("Accept", "Content-Type", "User-Agent", "HTTP-Referer", "X-Title", "X-Author", "Authority", "X-Authored-By"),
    *("X-Max-Tokens", "Max-Tokens", "X-Max-Token", "X-Token-Count", "X-Token-Limit", "X-Token-Type", "X-Tokenizer"),
    *("X-Session-Affinity", "Helicone-Session-Name", "Helicone-Session-Path", "X-Sessions", "X-Api-Key-Name"),
    *("OpenAI-Organization", "OpenAI-Project", "OpenAI-Beta", "anthropic-version", "x-portkey-provider"),
    *("x-portkey-config", "X-RapidAPI-Host", "CF-Access-Client-Id", "X-Goog-User-Project", "X-Auth-Email"),
    *("Idempotency-Key", "X-Cache-Key", "X-Keyword", "X-Monkey", "Keep-Alive", "X-Keyboard", "X-Cookie-Consent"),
    *("Access-Control-Allow-Credentials", "X-Secretary", "X-Compass", "X-Passage", "X-Signatures", "X-Obsession"),
)


@pytest.mark.parametrize("name", SECRET_HEADERS)
def test_a_header_that_is_named_for_a_secret(name: str) -> None:
    for written in (name, name.lower(), name.upper()):
        assert names_a_secret(written), written
    secrets = Secrets(secret_headers({name: "Bearer t0p-of-all"}))
    assert "t0p-of-all" not in secrets.without(Reply("it is t0p-of-all.")).text


@pytest.mark.parametrize("name", OPEN_HEADERS)
def test_a_header_that_is_not(name: str) -> None:
    for written in (name, name.lower(), name.upper()):
        assert not names_a_secret(written), written
    reply = Reply("100")
    assert Secrets(secret_headers({name: "100"}), in_messages=("100",)).without(reply) is reply


PLACEHOLDERS = (
    *("EMPTY", "token-abc123", "ollama", "lm-studio", "sk-no-key-required", "no-key", "-", "sk-1234", "anything"),
    *("not-needed", "dummy", "none", "local", "localai", "llama.cpp", "sk-xxxxxxxxxxxxxxxx", "fake-key", "any"),
)


@pytest.mark.parametrize("key", PLACEHOLDERS)
def test_a_key_that_says_that_there_is_none(key: str) -> None:
    for written in (key, key.upper(), f"Bearer {key}"):
        assert is_no_key(written)
        reply = Reply(f"the answer is {written}")
        assert Secrets((written,)).without(reply) is reply
        assert Secrets(secret_headers({"Authorization": written})).without(reply) is reply
        assert Secrets((written,)).hidden_in(f"no model called {written}") == f"no model called {written}"


@pytest.mark.parametrize("key", ["1", "test", "secret", "hush", "sk-1235", "locale", "xxy", "token-abc124", "Bearer"])
def test_any_other_is_a_key_however_short(key: str) -> None:
    assert not is_no_key(key)
    assert Secrets((key,)).without(Reply(f"it is {key}.")).text == "it is ⟨…✂…⟩."


def test_a_password_of_a_proxy_is_one_whatever_it_says() -> None:
    assert Secrets((), passwords=("ollama",)).without(Reply("it is ollama.")).text == "it is ⟨…✂…⟩."


def test_a_short_key_is_cut_out_of_messages_where_it_stands_alone() -> None:
    secrets = Secrets(("test",))
    assert secrets.hidden_in("the latest contest of tests: invalid key test") == (
        "the latest contest of tests: invalid key …"
    )
    assert Secrets(("opensesame",)).hidden_in("no to opensesa…") == "no to ……", "cut behind the letters that tell it"
    assert Secrets(("opensesame",)).hidden_in("opensesames") == "opensesames"
