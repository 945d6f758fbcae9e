#!/usr/bin/env bash
# What `make demo` runs: get the small model, let six players of it answer twenty questions, show how it ended.
set -euo pipefail
bin=${1:-.venv/bin}
mkdir -p demo
"$bin/moot" models add smollm2-135m
echo
echo "Six players, one small local model, twenty easy questions: alone, by vote, and with a captain."
echo "(a few minutes on two cores; interrupt it with Ctrl-C, run it again, and it goes on where it was)"
echo
"$bin/moot" run examples/demo.yaml --store sqlite:///demo/demo.db
"$bin/moot" report examples/demo.yaml --store sqlite:///demo/demo.db -o demo/report.html
cat <<TXT

Open demo/report.html: every question with all that was said. Then:
  $bin/moot serve     the six at a table, in a browser, and behind an OpenAI-compatible address
  $bin/moot init      an experiment with your own models and questions
TXT
