#!/bin/bash
# A protocol is added by one file and one line of the list: done here, in a copy of the source, with
# examples/protocol/ticket.c. SRC is the source folder, BERTH the command that knows nothing of it yet.
set -u

copy=$(mktemp -d) || exit 1
output=$copy/output
trap 'rm -rf "$copy"' EXIT
trap 'exit 130' INT TERM
failures=0

complain() {
    echo "FAILED: $*"
    cat "$output"
    failures=$((failures + 1))
}

# expect STATUS LINE COMMAND...: runs it; LINE must be a line of its output.
expect() {
    local expected=$1 line=$2 status
    shift 2
    "$@" >"$output" 2>&1
    status=$?
    [ "$status" -eq "$expected" ] || complain "${*##*/}: status $status, not $expected"
    grep -qxE -- "$line" "$output" || complain "${*##*/}: no line \"$line\""
}

expect 2 'berth: no such protocol: ticket.*' "$BERTH" check ticket

# What CONTRIBUTING.md shows of the file is in the file, word for word.
python3 - "$SRC" >"$output" 2>&1 <<'END' || complain "CONTRIBUTING.md does not show what is in the example"
import re, sys
text = open(sys.argv[1] + '/CONTRIBUTING.md', encoding='utf-8').read()
example = open(sys.argv[1] + '/examples/protocol/ticket.c', encoding='utf-8').read()
section = text[text.index('### The file, from top to bottom'):]
blocks = re.findall(r'^```c\n(.*?)^```$', section[:section.index('\n### ', 10)], re.S | re.M)
assert len(blocks) > 5, blocks
for block in blocks:
    assert block in example, block
END

tar -C "$SRC" --exclude='./build*' --exclude=./.git -cf - . | tar -C "$copy" -xf - || exit 1
list=$copy/src/protocol/list.h

# The file and the line.
cp "$copy/examples/protocol/ticket.c" "$copy/src/protocol/classic/ticket.c" || exit 1
# shellcheck disable=SC1003 # the line ends in a backslash
sed -i '/^#define PROTOCOLS(protocol)/a\    protocol(ticket) \\' "$list"

diff "$SRC/src/protocol/list.h" "$list" >"$output"
[ "$(grep -c '^[<>]' "$output")" -eq 1 ] || complain "not one line was added"

# A make that is above us has no say in this build; -O1 is quicker to build.
unset MAKEFLAGS MAKELEVEL MFLAGS
if ! { cmake -S "$copy" -B "$copy/build" -DBERTH_DEV=ON -DBERTH_TESTS=OFF \
    -DCMAKE_C_FLAGS_RELEASE=-O1 &&
    cmake --build "$copy/build" --target berth -j 2; } >"$output" 2>&1; then
    complain "it does not build"
    exit 1
fi
built=$copy/build/berth

expect 0 'ticket +The ticket lock' "$built" protocols
grep -qE '^ +/short: broken' "$output" || complain "protocols: the broken variant is not listed"
expect 0 as-claimed "$built" check ticket -n 3
expect 0 as-claimed "$built" check ticket -n 3 --fault sleep --only exclusion
expect 1 refuted "$built" check ticket/short -n 3 --whole
grep -q '^exclusion fails: ' "$output" || complain "check ticket/short: no witness"
expect 0 holds "$built" stress ticket -n 4 --entries 1000
expect 0 'ticket +3 +1 +1 +3 +3 +-' "$built" space ticket

# What the file expects is what comes out.
"$built" protocols --json >"$copy/protocols.json"
python3 - "$copy/protocols.json" "$built" >"$output" 2>&1 <<'EXPECTED' || complain "other counts than expected"
import json, subprocess, sys
for protocol in json.load(open(sys.argv[1]))["protocols"]:
    if protocol["protocol"] == "ticket":
        expected = protocol["expected"]
assert expected
for size in expected:
    found = json.loads(subprocess.run(
        [sys.argv[2], "check", "ticket", "-n", str(size["n"]), "--json"],
        stdout=subprocess.PIPE, check=True).stdout)
    for count in "states", "transitions":
        assert found[count] == size[count], (size, found[count])
EXPECTED

[ "$failures" -eq 0 ] && echo "all as expected"
[ "$failures" -eq 0 ]
