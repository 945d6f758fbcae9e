#!/usr/bin/env bash
# Records anew what `moot demo` shows: bash record.sh, in this folder of a checkout, with moot[local] installed and the weights of
# Qwen2.5-Coder-1.5B-Instruct (Q4_K_M) here or linked to, under the name in one-large.yaml. About ten minutes on two quiet cores.
set -euo pipefail
rm -f recorded.db
moot models add smollm2-135m
moot run six-small.yaml
moot run one-large.yaml
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
rm -f recorded.db*-wal recorded.db*-shm recorded.db
ls -l recorded.db.gz
