"""How to reach an endpoint: through what, trusting whom, with which headers."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from moot.errors import UsageError


@dataclass(frozen=True, slots=True)
class Network:
    """How to reach an endpoint. TLS is always verified; `ca_file` adds trust, it never switches checking off."""

    timeout_s: float = 300.0
    proxy: str | None = field(default=None, repr=False)
    ca_file: Path | None = None
    client_cert: Path | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    query: Mapping[str, str] = field(default_factory=dict)
    """Behind the ? of every address, such as Azure's api-version. Shown and stored: no secret stands there."""
    secret_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Sent like the others, and hidden like a key, whatever they are called."""

    @property
    def all_headers(self) -> dict[str, str]:
        return {**self.headers, **self.secret_headers}

    def ssl_context(self) -> ssl.SSLContext | None:
        if self.ca_file is None and self.client_cert is None:
            return None
        try:
            context = ssl.create_default_context()
            if self.ca_file is not None:
                context.load_verify_locations(cafile=self.ca_file)
            if self.client_cert is not None:
                context.load_cert_chain(self.client_cert)
        except (OSError, ssl.SSLError) as error:
            raise UsageError(f"cannot load the certificate {self.ca_file or self.client_cert}: {error}") from None
        return context
