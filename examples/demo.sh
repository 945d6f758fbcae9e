#!/usr/bin/env bash
# What `make demo` runs: get the small model, let six players of it answer twenty questions, show the table.
set -euo pipefail
bin=${1:-.venv/bin}
mkdir -p demo
"$bin/moot" models add smollm2-135m
echo
echo "Six players, one small local model, twenty easy questions: alone, by vote, and with a captain."
echo "(a few minutes on two cores; interrupt it with Ctrl-C, run it again, and it goes on where it was)"
echo
"$bin/moot" run examples/demo.yaml --store sqlite:///demo/demo.db
cat <<TXT

What to type next:
  $bin/moot show examples/demo.yaml facts-en-01 --store sqlite:///demo/demo.db    every prompt and reply of a question
  $bin/moot report examples/demo.yaml --store sqlite:///demo/demo.db --json       the figures, for a program
  $bin/moot ask "Which city is the capital of Italy?"                             one question, watched live
  $bin/moot doctor examples/endpoints.yaml                                        your own models behind endpoints
TXT
