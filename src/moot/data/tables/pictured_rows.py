"""Rows with an image, a sound or a film, which no player is shown: asked without it a question may have no answer.

As a package in .4s leaves out what has a handout, `columns: {image: NAME}` leaves out such rows. Where an image is there for
the eye alone, `image: null` asks them as they are: so somebody has to say which it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from moot.data.blank_references import MOST_LISTED
from moot.data.tables.advised_columns import written
from moot.data.tables.answer_headers import words_without_accents
from moot.data.tables.doubts import Doubt
from moot.data.tables.known_names import IMAGE
from moot.data.tables.likely_columns import MOST_COLUMNS
from moot.data.tables.listed_names import listed
from moot.data.tables.stated import Stated
from moot.data.tables.table import QuestionTable
from moot.stats.counted_words import count

_IMAGES = frozenset(
    (
        *("image", "images", "img", "picture", "pictures", "pic", "photo", "photos", "screenshot"),
        *("bild", "bilder", "abbildung", "foto", "fotos", "imagen", "imagenes", "immagine", "immagini", "imagem"),
        *("картинка", "картинки", "изображение", "изображения", "рисунок", "рисунки", "фото", "иллюстрация"),
    )
)
"""Words of a header, without their accents, under which anything is an image."""
_MEDIA = frozenset(
    (
        *("figure", "diagram", "chart", "map", "audio", "sound", "clip", "video", "film", "media", "handout", "file"),
        *("karte", "ton", "datei", "carte", "mapa", "аудио", "видео", "карта", "раздатка", "раздаточныи", "схема"),
    )
)
"""And under which a file is one."""
_ABOUT = frozenset(
    (
        *("id", "count", "number", "num", "width", "height", "size", "alt", "caption", "credit", "credits", "license"),
        *("description", "desc", "prompt", "source", "author", "type", "format", "title", "name", "text", "ocr"),
        *("anzahl", "breite", "hohe", "beschreibung", "quelle", "titel", "lizenz", "описание", "источник", "подпись"),
    )
)
"""Words of a header that say something about an image."""
_NO = frozenset(("no", "false", "0", "none", "null", "nan", "nein", "non", "нет", "n/a", "-", "–"))
_FILE = re.compile(
    r"\.(?:png|jpe?g|gif|webp|svg|bmp|tiff?|heic|avif|mp3|wav|ogg|m4a|flac|mp4|mov|webm|avi|mkv|pdf)(?:[?#)\]\"'].*)?\Z"
    r"|\Adata:(?:image|audio|video)/",
    re.IGNORECASE | re.DOTALL,
)


def images_in_doubt(table: QuestionTable, stated: Stated, unused: Sequence[str]) -> Doubt | None:
    """None: there are none, or somebody has said what to do, and it leaves something to ask."""
    if IMAGE not in stated.columns:
        return _images_of(table, unused)
    named = stated.columns[IMAGE]
    return _all_pictured(table, named) if isinstance(named, str) else None


def _images_of(table: QuestionTable, unused: Sequence[str]) -> Doubt | None:
    """None: no column that is nothing has images."""
    found: list[str] = []
    rows: set[int] = set()
    for name in unused[:MOST_COLUMNS]:
        if could_hold_images(name) and (lines := pictured_lines(table, name)):
            found.append(name)
            rows.update(lines)
    return _doubt(table, found, rows) if found else None


def _all_pictured(table: QuestionTable, name: str) -> Doubt | None:
    """Whether nothing is left where those are left out."""
    pictured = {*pictured_lines(table, name)}
    rows = sum(1 for _ in table.rows((name,)))
    return _doubt(table, [name], pictured) if len(pictured) == rows else None


def _doubt(table: QuestionTable, names: Sequence[str], lines: set[int]) -> Doubt:
    rows = sum(1 for _ in table.rows((names[0],)))
    has = f"{listed(names)}: {len(lines)} of {count(rows, 'row')} {'has' if len(lines) == 1 else 'have'} an image"
    problem = f"{has}, which no player is shown"
    anyway = "columns: {image: null}"
    if len(lines) == rows:
        say = f"where they can be answered without it, {anyway} under questions asks them"
        return Doubt(f"{problem}; {say}", table.header, None, (Stated({IMAGE: None}),), "several", problem)
    left_out = f"{written({IMAGE: names[0]})} under questions leaves {_them(lines)} out"
    ways = (*(Stated({IMAGE: name}) for name in names), Stated({IMAGE: None}))
    brief = f"{problem}: the rows of the column that is taken are left out"
    return Doubt(
        f"{problem}; {left_out}, and {anyway} asks {_them(lines)} without it",
        table.header,
        None,
        ways,
        "several",
        brief,
    )


def _them(lines: set[int]) -> str:
    return "it" if len(lines) == 1 else "them"


def could_hold_images(name: str) -> bool:
    words = {*words_without_accents(name)}
    return bool((_IMAGES | _MEDIA) & words) and not _ABOUT & words


def pictured_lines(table: QuestionTable, name: str) -> list[int]:
    """The lines of the rows that have one in this column."""
    return [line for line, values in table.rows((name,)) if has_image(name, values.get(name))]


def has_image(name: str, cell: Any) -> bool:
    if isinstance(cell, bool):
        return cell
    if isinstance(cell, Mapping):
        return any(value not in (None, "") for value in cell.values())
    if isinstance(cell, list):
        return any(has_image(name, item) for item in cell)
    if isinstance(cell, bytes):
        return bool(cell)
    text = str(cell).strip() if cell is not None else ""
    if not text or text.casefold() in _NO:
        return False
    return bool(_IMAGES & {*words_without_accents(name)}) or _FILE.search(text) is not None


def left_out_words(lines: Sequence[int]) -> str:
    more = f" and {len(lines) - MOST_LISTED} more" if len(lines) > MOST_LISTED else ""
    are = "row is left out: it has an image" if len(lines) == 1 else "rows are left out: they have an image"
    which = ", ".join(map(str, lines[:MOST_LISTED]))
    return f"{len(lines)} {are}, which no player is shown (line {which}{more})"
