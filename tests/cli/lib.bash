# What the tests of one subcommand share; sourced by them. BERTH is the command under test, and
# `subcommand` and `rows_in` are set by the script that sources this.
set -u

failures=0
output=$(mktemp)
trap 'rm -f "$output"' EXIT

complain() {
    echo "FAILED: $*"
    cat "$output"
    failures=$((failures + 1))
}

# expect STATUS ARGUMENT...: runs the subcommand, with its output in $output.
expect() {
    local expected=$1 status
    shift
    "$BERTH" "$subcommand" "$@" >"$output" 2>&1
    status=$?
    [ "$status" -eq "$expected" ] || complain "$subcommand $*: status $status, not $expected"
}

# check WHAT EXPRESSION...: Python expressions over d, the JSON in $output, and rows, the list in it
# that `rows_in` names. -IS: nothing but the standard library, which is found sooner.
check() {
    local what=$1 wrong
    shift
    wrong=$(python3 -IS -c '
import json, sys
d = json.load(open(sys.argv[1]))
rows = d[sys.argv[2]]
for expression in sys.argv[3:]:
    if not eval(expression):
        print("not so:", expression)' "$output" "$rows_in" "$@" 2>&1)
    [ -z "$wrong" ] || complain "$what: $wrong"
}

finish() {
    [ "$failures" -eq 0 ] && echo "all as expected"
    exit $((failures > 0))
}
