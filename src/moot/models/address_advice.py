"""What to do next about an address that does not answer as one of a chat API would: one clause, to stand behind the error.

These are the mistakes of the first five minutes: a path too few or too many, a server that was not started, http for
https. Whoever made one knows neither the errors of an HTTP library nor those of OpenSSL.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from moot.later import aiohttp

_PATHS = ("/chat/completions", "/completions", "/responses", "/messages", "/models")
"""What documentation shows behind the address that is wanted."""

_STRICT = ("key usage extension", "Authority Key Identifier", "Subject Key Identifier", "Basic Constraints")
"""What the certificate of a house's own CA may lack."""


def says_it_all(error: Exception) -> bool:
    """Whether the error is a refused connection, whose own words add nothing to the advice."""
    return type(error) is aiohttp.ClientConnectorError and isinstance(error.os_error, ConnectionRefusedError)


def connection_advice(error: Exception) -> str | None:
    """About a connection that was never made."""
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        return "the proxy does not answer: is its address right?"
    if isinstance(error, aiohttp.ClientConnectorCertificateError) and any(lack in str(error) for lack in _STRICT):
        return "Python 3.13 and newer ask for more in certificates: have it, or that of its CA, issued anew with it"
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return "its certificate is not trusted: name that of whoever vouches for it as ca_file"
    if isinstance(error, aiohttp.ClientConnectorSSLError):
        if "WRONG_VERSION_NUMBER" in str(error):
            return "it does not speak TLS there: write http:// in base_url"
        return "TLS failed: does it ask for a client_cert, or for a newer protocol?"
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return "nobody knows a host of this name: correct base_url, or see whether the network is up"
    if says_it_all(error):
        return "nothing listens there: start the server, or correct host and port in base_url"
    return None


_OF_THE_MODEL = r"\bmodel(\b|_)|\bdeployment|no endpoints found"
"""How servers say that it is the model which is missing: most by this word or a code such as `model_not_found`, Azure by
`DeploymentNotFound`, OpenRouter by the providers that it has for it."""


_NOT_THERE = (
    r"\bmodels?\b.{0,120}(not (be )?found|(does not|doesn't|not) exist|not a valid|unknown|is not available|not loaded)"
    r"|(unknown|invalid|no such) model\b|not a valid model"
)
"""How servers say it that answer 400: Mistral "Invalid model", DeepSeek "Model Not Exist", OpenRouter "not a valid model ID"."""
_CODES = ("model_not_found", "invalid_model", "deploymentnotfound")


def no_such_model(status: int, model: str, words: str, code: str = "") -> bool:
    """Whether a server says that it has no such model. A 404 that is about the model says no more than that."""
    if status == 404:
        return path_advice("", model, words, code) is None
    return status in (400, 422) and (
        code.lower() in _CODES or re.search(_NOT_THERE, words, re.IGNORECASE | re.DOTALL) is not None
    )


def path_advice(base_url: str, model: str, words: str, code: str = "") -> str | None:
    """After a 404 or 405. `words` and `code`: the server's. Where they are about the model it is not the path that is missing."""
    if re.search(rf"{_OF_THE_MODEL}|(?<!\w){re.escape(model)}(?!\w)", f"{words}\n{code}", re.IGNORECASE):
        return None
    path = urlsplit(base_url).path
    for tail in _PATHS:
        if path.endswith(tail):
            return f"base_url is the part before {tail}: write base_url: {base_url.removesuffix(tail)}"
    if not path:
        return f"most servers want /v1: write base_url: {base_url}/v1"
    return f"there is no {path}/chat/completions: correct the path in base_url"
