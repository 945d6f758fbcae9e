#!/usr/bin/env bash
# Records anew what `moot demo` shows: bash record.sh, in this folder of a checkout, with moot[local] installed and the large model beside it (README.md).
# About an hour on two quiet cores. The days in README.md and in demo.py are to be changed with it.
set -euo pipefail
[ -f qwen2.5-coder-1.5b.gguf ] || { echo "qwen2.5-coder-1.5b.gguf is missing: README.md says which file it is" >&2; exit 2; }
rm -f recorded.db lissow.db
moot models add smollm2-135m
for file in six-small one-large small-captain three-who-read; do
  moot run "$file.yaml"
done
bash pack.sh
