#!/bin/sh
# Protocols made up at random, with kills and revivals: states, transitions, exclusion, no-slot-lost and the lengths of
# their witnesses against a search of its own (tests/oracle/made_up.py). LONG: more of them.
set -u
command -v python3 >/dev/null || { echo "SKIPPED: python3 is not installed"; exit 77; }
command -v cc >/dev/null || { echo "SKIPPED: there is no C compiler for a user's own file"; exit 77; }
exec python3 "$SRC/tests/oracle/made_up.py" --count "$([ -n "${LONG:-}" ] && echo 60 || echo 5)" --seed "${SEED:-1}"
