#!/bin/sh
# RESULTS.md, results.html and witnesses.html in docs/results say what the checker says today. All three are
# made of the same checks.
command -v python3 >/dev/null || { echo "SKIPPED: python3 is not installed"; exit 77; }
exec "$SRC/tools/results" --check
