"""The second description of the columns that a Parquet file may hold, Arrow's: which Polars follows, however deep it goes.

It is a FlatBuffer, in which one field may stand in many places, so that a few bytes are a type without end; a thousand levels
end the process. So it is walked through first, with a bound.
"""

from __future__ import annotations

import base64
import binascii
import struct

from moot.foreign_parquet.compact import Unclear

ARROW_SCHEMA = b"ARROW:schema"
MOST_FIELDS = 20_000
DEEPEST_FIELD = 100
"""More than columns of Parquet may have, whose bound is told by their names."""

_CONTINUED = b"\xff" * 4
_HEADER_OF_MESSAGE, _FIELDS_OF_SCHEMA, _METADATA_OF_SCHEMA = 2, 1, 2
_NAME_OF_FIELD, _KIND_OF_FIELD, _TYPE_OF_FIELD, _CHILDREN_OF_FIELD, _METADATA_OF_FIELD = 0, 2, 3, 5, 6
_TIMESTAMP, _ZONE_OF_TIMESTAMP = 10, 1


def check_arrow_schema(written: bytes) -> None:
    """`Unclear` where it has no end, or is none."""
    try:
        message = base64.b64decode(written, validate=True)
        _Walk(message[8:] if message[:4] == _CONTINUED else message).check()
    except (struct.error, binascii.Error):
        raise Unclear("its Arrow schema is broken") from None


class _Walk:
    def __init__(self, content: bytes) -> None:
        self._content = content
        self._fields = self._characters = 0

    def check(self) -> None:
        schema = self._behind(self._slot(self._behind(0), _HEADER_OF_MESSAGE))
        if schema is not None:
            self._check_metadata(schema, _METADATA_OF_SCHEMA)
            self._check_fields(schema, _FIELDS_OF_SCHEMA, deep=0)

    def _check_fields(self, table: int, slot: int, deep: int) -> None:
        if deep > DEEPEST_FIELD:
            raise Unclear("its Arrow schema is nested too deep")
        for field in self._items(table, slot):
            self._fields += 1
            if self._fields > MOST_FIELDS:
                raise Unclear(f"its Arrow schema has more than {MOST_FIELDS:,} fields")
            self._count_text(field, _NAME_OF_FIELD)
            kind = self._slot(field, _KIND_OF_FIELD)
            if kind is not None and self._number("<B", kind) == _TIMESTAMP:
                self._count_text(self._behind(self._slot(field, _TYPE_OF_FIELD)), _ZONE_OF_TIMESTAMP)
            self._check_metadata(field, _METADATA_OF_FIELD)
            self._check_fields(field, _CHILDREN_OF_FIELD, deep + 1)

    def _check_metadata(self, table: int, slot: int) -> None:
        for note in self._items(table, slot):
            self._characters += 1
            for part in (0, 1):
                self._count_text(note, part)

    def _count_text(self, table: int | None, slot: int) -> None:
        """Each is copied where it stands: together they are no longer than what they stand in."""
        text = self._behind(self._slot(table, slot))
        if text is not None:
            self._characters += self._number("<I", text)
        if self._characters > len(self._content):
            raise Unclear("its Arrow schema says the same many times")

    def _items(self, table: int, slot: int) -> list[int]:
        """Where the tables of a list begin."""
        begins = self._behind(self._slot(table, slot))
        if begins is None:
            return []
        size = self._number("<I", begins)
        if size > len(self._content) // 4:
            raise Unclear("its Arrow schema is broken")
        places = (begins + 4 * (number + 1) for number in range(size))
        return [place + self._number("<I", place) for place in places]

    def _slot(self, table: int | None, number: int) -> int | None:
        """Where a table keeps this part of it, if it has it."""
        if table is None:
            return None
        parts = table - self._number("<i", table)
        place = 4 + 2 * number
        if place + 2 > self._number("<H", parts):
            return None
        offset = self._number("<H", parts + place)
        return table + offset if offset else None

    def _behind(self, place: int | None) -> int | None:
        return None if place is None else place + self._number("<I", place)

    def _number(self, form: str, place: int) -> int:
        if place < 0:
            raise Unclear("its Arrow schema is broken")
        return int(struct.unpack_from(form, self._content, place)[0])
