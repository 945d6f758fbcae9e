"""The structures of a Parquet file's directory and of its pages' heads, as parquet.thrift of Apache Parquet 2.12 has them."""

from __future__ import annotations

from moot.foreign_parquet.compact import ANYTHING, BOOL, BYTE, I16, I32, I64, TEXT, KnownFields, ListOf

_STATISTICS = KnownFields(f1=TEXT, f2=TEXT, f3=I64, f4=I64, f5=TEXT, f6=TEXT, f7=BOOL, f8=BOOL, f9=I64)
_KEY_VALUE = KnownFields(f1=TEXT, f2=TEXT)

_UNIT = KnownFields(f1=ANYTHING, f2=ANYTHING, f3=ANYTHING)
_TIME = KnownFields(f1=BOOL, f2=_UNIT)
_LOGICAL_TYPE = KnownFields(
    **{f"f{number}": ANYTHING for number in (1, 2, 3, 4, 6, 11, 12, 13, 14, 15)},
    f5=KnownFields(f1=I32, f2=I32),
    f7=_TIME,
    f8=_TIME,
    f10=KnownFields(f1=BYTE, f2=BOOL),
    f16=KnownFields(f1=BYTE),
    f17=KnownFields(f1=TEXT),
    f18=KnownFields(f1=TEXT, f2=I32),
)
_SCHEMA_ELEMENT = KnownFields(
    f1=I32, f2=I32, f3=I32, f4=TEXT, f5=I32, f6=I32, f7=I32, f8=I32, f9=I32, f10=_LOGICAL_TYPE
)  # fmt: skip

_COLUMN_META_DATA = KnownFields(
    f1=I32,
    f2=ListOf(I32),
    f3=ListOf(TEXT),
    f4=I32,
    f5=I64,
    f6=I64,
    f7=I64,
    f8=ListOf(_KEY_VALUE),
    f9=I64,
    f10=I64,
    f11=I64,
    f12=_STATISTICS,
    f13=ListOf(KnownFields(f1=I32, f2=I32, f3=I32)),
    f14=I64,
    f15=I32,
    f16=KnownFields(f1=I64, f2=ListOf(I64), f3=ListOf(I64)),
    f17=ANYTHING,
)
_COLUMN_CHUNK = KnownFields(
    f1=TEXT, f2=I64, f3=_COLUMN_META_DATA, f4=I64, f5=I32, f6=I64, f7=I32, f8=ANYTHING, f9=TEXT
)  # fmt: skip
_SORTING_COLUMN = KnownFields(f1=I32, f2=BOOL, f3=BOOL)
_ROW_GROUP = KnownFields(
    f1=ListOf(_COLUMN_CHUNK), f2=I64, f3=I64, f4=ListOf(_SORTING_COLUMN), f5=I64, f6=I64, f7=I16
)  # fmt: skip

DIRECTORY = KnownFields(
    f1=I32,
    f2=ListOf(_SCHEMA_ELEMENT),
    f3=I64,
    f4=ListOf(_ROW_GROUP),
    f5=ListOf(_KEY_VALUE),
    f6=TEXT,
    f7=ListOf(ANYTHING),
    f8=ANYTHING,
    f9=TEXT,
)

PAGE_HEAD = KnownFields(
    f1=I32,
    f2=I32,
    f3=I32,
    f4=I32,
    f5=KnownFields(f1=I32, f2=I32, f3=I32, f4=I32, f5=_STATISTICS),
    f6=ANYTHING,
    f7=KnownFields(f1=I32, f2=I32, f3=BOOL),
    f8=KnownFields(f1=I32, f2=I32, f3=I32, f4=I32, f5=I32, f6=I32, f7=BOOL, f8=_STATISTICS),
)
