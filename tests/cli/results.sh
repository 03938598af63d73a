#!/bin/sh
# docs/RESULTS.md says what the checker says today.
command -v python3 >/dev/null || { echo "SKIPPED: python3 is not installed"; exit 77; }
exec "$SRC/tools/results" --check
