#!/usr/bin/env bash
# Packs the stores that `moot demo` shows, each as one file without what was written over: bash pack.sh, in this folder of a checkout.
# Where there is none it unpacks the packed one first. So after a change of what a store looks like it brings them up to date:
# whoever types `moot demo` shall not be told of an older store.
set -euo pipefail
python - <<'PYTHON'
import asyncio
import gzip
import sqlite3
from pathlib import Path

from moot.store import store_at


async def brought_up_to_date(name: str) -> None:
    store = store_at(f"sqlite:///{name}")
    await store.open()
    await store.close()


for name in ("recorded.db", "lissow.db"):
    kept, packed = Path(f"{name}.gz"), Path("packed.db")
    if not Path(name).exists():
        Path(name).write_bytes(gzip.decompress(kept.read_bytes()))
    asyncio.run(brought_up_to_date(name))
    store = sqlite3.connect(name)
    store.execute("VACUUM INTO 'packed.db'")
    store.close()
    kept.write_bytes(gzip.compress(packed.read_bytes(), 9, mtime=0))
    packed.unlink()
PYTHON
rm -f recorded.db recorded.db-wal recorded.db-shm lissow.db lissow.db-wal lissow.db-shm
ls -l ./*.db.gz
