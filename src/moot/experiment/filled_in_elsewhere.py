"""`${NAME}`, as other tools fill variables into their files: here a file says the variable's name alone.

So whoever reads the file, or what is stored of it, reads no key.
"""

from __future__ import annotations

import re

_WHOLE = re.compile(
    r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$([A-Z][A-Z0-9]*_[A-Z0-9_]*)|\{\{ *(?:env\.)?([A-Za-z_][A-Za-z0-9_]*) *\}\}"
)
"""Nothing that may be a key itself: a complaint with it would be in a log."""
_BRACES = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def variable_meant(value: object) -> str | None:
    """The name of the variable that this would be filled in from elsewhere; None: it is something else."""
    found = _WHOLE.fullmatch(value.strip()) if isinstance(value, str) and len(value) < 200 else None
    return None if found is None else next(filter(None, found.groups()))


def variable_within(value: str) -> str | None:
    """The first one that would be filled in somewhere in it."""
    found = _BRACES.search(value)
    return None if found is None else found[1]


def key_elsewhere(value: object) -> str:
    """What to write in place of a key in the file."""
    name = variable_meant(value)
    written = (
        "api_key_env: NAME, with the name of the variable that holds it" if name is None else f"api_key_env: {name}"
    )
    return f"a key does not stand in the file; expected {written} (or api_key_file)"
