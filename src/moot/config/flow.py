"""A value as one line of YAML that is read back as it was, whoever has chosen its words.

Names of columns and models are somebody else's. YAML refuses control characters, takes U+0085, U+2028 and U+2029 for ends of
lines, and a terminal obeys some that YAML allows: whatever does not show itself is written as its escape.
"""

from __future__ import annotations

from typing import Any

import yaml


def flow(value: Any) -> str:
    """In one line, quoted where it has to be."""
    written = _dumped(value, as_it_is=True)
    return written if written.isprintable() else _dumped(value, as_it_is=False)


def _dumped(value: Any, *, as_it_is: bool) -> str:
    line = yaml.safe_dump(value, default_flow_style=True, allow_unicode=as_it_is, width=10**9, sort_keys=False)
    return str(line).removesuffix("...\n").strip()


def comment(words: str) -> str:
    """One line after a #: blanks as one, and what does not show itself as its escape."""
    shown = "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in " ".join(words.split())
    )
    return f"# {shown}"
