#!/bin/sh
# RESULTS.md, results.html and witnesses.html in docs/results say what the checker says today. All three are
# made of the same checks. Large sizes are not explored again as long as nothing that they are made of has
# changed, unless LONG is set (make check-long).
command -v python3 >/dev/null || { echo "SKIPPED: python3 is not installed"; exit 77; }
exec "$SRC/tools/results" --check
