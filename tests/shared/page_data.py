"""What a report's page holds, the packed parts unpacked."""

from __future__ import annotations

import base64
import gzip
import re
from pathlib import Path


def page_text(path: Path) -> str:
    """The page's words: what stands there in plain sight, and what its script would unpack."""
    text = path.read_text(encoding="utf-8")
    packed = re.findall(r"H4sI[A-Za-z0-9+/]+=*", text)
    return "\n".join([text, *(gzip.decompress(base64.b64decode(part)).decode() for part in packed)])
