#!/usr/bin/env bash
# Records anew what `moot demo` shows: bash record.sh, in this folder of a checkout, with moot[local] installed. A few minutes on two quiet
# cores. The date in README.md and in demo.py is to be changed with it.
set -euo pipefail
rm -f recorded.db
moot models add smollm2-135m
moot run six-small.yaml
python - <<'PYTHON'
import gzip
import sqlite3
from pathlib import Path

store = sqlite3.connect("recorded.db")
store.execute("VACUUM INTO 'packed.db'")  # one file, without what was written over
store.close()
packed = Path("packed.db")
Path("recorded.db.gz").write_bytes(gzip.compress(packed.read_bytes(), 9, mtime=0))
packed.unlink()
PYTHON
rm -f recorded.db recorded.db-wal recorded.db-shm
ls -l recorded.db.gz
