#!/usr/bin/env bash
# What `make demo` runs: get the small model, let six players of it answer fifteen questions, show how it ended.
set -euo pipefail
bin=${1:-.venv/bin}
store=sqlite:///demo/demo.db
mkdir -p demo
echo "Six players of one small local model answer fifteen easy questions, alone and by"
echo "vote: 90 answers, one or two a second on two quiet cores."
echo "Ctrl-C is safe: run it again, and it goes on where it was."
"$bin/moot" models add smollm2-135m
# Progress is on stderr and seen at once. The end is kept, to be shown below with what to type after a demo.
"$bin/moot" run examples/demo.yaml --store "$store" > demo/ending.txt || { cat demo/ending.txt; exit 1; }
"$bin/moot" report examples/demo.yaml --store "$store" -o demo/report.html
grep -v -e '^moot report' -e '^$' demo/ending.txt
echo "Next: open demo/report.html: all figures, and all that was said"
echo "      $bin/moot serve: the six at a table in a browser; ask them"
echo "      $bin/moot init:  an experiment with your own models and questions"
