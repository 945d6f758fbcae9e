"""CLadder: yes or no about causes, by the rungs of Pearl's ladder. Published as JSON; on the hub as rows with a prompt.

In the authors' files the causal background of a question stands in a second file, ``cladder-v1-meta-models.json``, which is
expected beside the first. Without it the questions cannot be answered.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from moot.data.published import Published
from moot.errors import FileError
from moot.foreign_files import text_of

BACKGROUNDS = "cladder-v1-meta-models.json"


@dataclass(frozen=True, slots=True)
class Cladder:
    """The context is the background and what is given; the category is the type of the query."""

    name: ClassVar[str] = "cladder"
    columns: ClassVar[tuple[str, ...]] = ()

    def cases(self, row: Published) -> Iterator[Mapping[str, Any]]:
        about = row.inner(row.values.get("meta") or row.values, "meta")
        answer = row.needed("answer", "label")
        if answer not in ("yes", "no"):
            raise row.error("answer" if "answer" in row.values else "label", f"expected yes or no, found {answer!r}")
        case = {
            "id": row.needed("question_id", "id"),
            "kind": "yes-no",
            "answer": answer,
            "category": about.text("query_type"),
            "difficulty": f"rung {rung}" if (rung := about.text("rung")) else None,
        }
        if row.values.get("prompt") is not None:
            yield {**case, "text": row.needed("prompt")}
            return
        passages = [row.text("background") or self._background(row, about), row.text("given_info")]
        yield {**case, "text": row.needed("question"), "context": "\n\n".join(filter(None, passages))}

    def _background(self, row: Published, about: Published) -> str:
        model = about.number("model_id")
        backgrounds = _backgrounds(Path(row.file).parent / BACKGROUNDS)
        if model not in backgrounds:
            raise row.error("model_id", f"{BACKGROUNDS} has no background for {model}")
        return backgrounds[model]


@lru_cache(maxsize=4)
def _backgrounds(path: Path) -> Mapping[int, str]:
    try:
        models = json.loads(text_of(path))
        return {int(model["model_id"]): str(model["background"]) for model in models}
    except FileNotFoundError:
        raise FileError("expected this file, which is published with the questions, beside them", file=path) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        problem = f"expected a list of objects with model_id and background ({type(error).__name__}: {error})"
        raise FileError(problem, file=path) from None
