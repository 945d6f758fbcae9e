"""The files of the pages that moot serves, each under a policy by which nothing runs that a model wrote and nothing leaves."""

from __future__ import annotations

from pathlib import Path

from starlette.responses import FileResponse, Response

from moot.config.type_words import told
from moot.openai_form.refusal import Refused

PAGE = Path(__file__).parent / "page"
KINDS = {".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript"}

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The page shows what models wrote: nothing of it may run, and nothing may leave."""

NO_TOKEN = '<meta name="moot-page" content="">'
"""Stands in the page where its token goes."""

_GUARDED = {"Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}


def page_with_token(name: str, token: str | None) -> Response:
    """The page, with the token by which the server knows it again: never kept by anybody in between."""
    text = (PAGE / name).read_text(encoding="utf-8").replace(NO_TOKEN, f'{NO_TOKEN[:-2]}{token or ""}">')
    headers = {**_GUARDED, "Cache-Control": "no-store", "Cross-Origin-Opener-Policy": "same-origin"}
    return Response(text, media_type=KINDS[".html"], headers=headers)


def page_file(name: str, among: tuple[str, ...]) -> Response:
    """A file of a page. `among`: those that it has."""
    if name not in among:
        raise Refused(404, f"There is no {told(name)}.", code="unknown_url")
    return FileResponse(PAGE / name, media_type=KINDS[Path(name).suffix], headers=_GUARDED)
