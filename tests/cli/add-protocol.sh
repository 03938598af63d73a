#!/bin/bash
# A protocol is added by one file and one line of the list: done here, in a copy of the source, with
# examples/protocol/ticket.c. SRC is the source folder, BERTH the command that knows nothing of it yet. The
# copy is configured, and of what its build would compile, only the new file and what reads the list is
# compiled, and linked with the rest of BERTH's build; with LONG=1 the copy is built as a whole.
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
list=$copy/src/protocol/protocol_list.h

# The file and the line.
cp "$copy/examples/protocol/ticket.c" "$copy/src/protocol/classic/ticket.c" || exit 1
# shellcheck disable=SC1003 # the line ends in a backslash
sed -i '/^#define PROTOCOLS(protocol)/a\    protocol(ticket) \\' "$list"

diff "$SRC/src/protocol/protocol_list.h" "$list" >"$output"
[ "$(grep -c '^[<>]' "$output")" -eq 1 ] || complain "not one line was added"

# changed: compiles, by the commands of the copy's own build, what the file and the line have changed, puts
# it into a copy of the archive of protocols, and links the laboratory with that.
changed() {
    python3 - "$(dirname "$BERTH")" "$copy/build" "$copy/src/protocol" <<'CHANGED'
import json, os, re, shutil, subprocess, sys
build, copy, protocols = sys.argv[1:]
commands = json.load(open(f"{copy}/compile_commands.json"))
def of(source, part):
    return [c for c in commands if c["file"] == source and part in c["command"]]
ticket, catalogue = f"{protocols}/classic/ticket.c", f"{protocols}/catalogue.c"
chosen = of(ticket, "-DSTEP_MODEL ") + of(ticket, "-DSTEP_NATIVE ") + of(catalogue, "")
assert len(chosen) == 3, f"{len(chosen)} of 3 are compiled"
archive, objects = f"{copy}/libberth_protocol.a", []
shutil.copy(f"{build}/libberth_protocol.a", archive)
for number, command in enumerate(chosen):
    objects.append(f"{copy}/{'catalogue.c' if number == 2 else f'ticket-{number}'}.o")
    text = re.sub(r" -o \S+", f" -o {objects[-1]}", command["command"])
    subprocess.run(text, shell=True, cwd=command["directory"], check=True)
subprocess.run(["ar", "r", archive, *objects], check=True)
if os.path.exists(f"{build}/build.ninja"):
    known = subprocess.run(["ninja", "-t", "commands", "-s", "berth-lab"], cwd=build, check=True, text=True,
                           stdout=subprocess.PIPE)
    link = re.sub(r"^: && | && :$", "", known.stdout.strip().splitlines()[-1])
else:
    link = open(f"{build}/CMakeFiles/berth-lab.dir/link.txt").read()
link = link.replace(" libberth_protocol.a", f" {archive}").replace("-o berth-lab", f"-o {copy}/berth-lab")
assert archive in link and f"{copy}/berth-lab" in link
subprocess.run(link, shell=True, cwd=build, check=True)
for folder, name, source in ("bin", "berth", build), ("libexec/berth", "berth-lab", copy): # as it is installed
    os.makedirs(f"{copy}/made/{folder}")
    shutil.copy(f"{source}/{name}", f"{copy}/made/{folder}/{name}")
CHANGED
}

# A make that is above us has no say in this build; -O0 is quicker to build.
unset MAKEFLAGS MAKELEVEL MFLAGS
whole() {
    cmake --build "$copy/build" --target berth -j 2
}
make=changed
[ -z "${LONG-}" ] || make=whole
if ! { cmake -S "$copy" -B "$copy/build" -DBERTH_DEV=ON -DBERTH_TESTS=OFF \
    -DCMAKE_C_FLAGS_RELEASE=-O0 && $make; } >"$output" 2>&1; then
    complain "it does not build"
    exit 1
fi
built=$copy/build/berth
[ "$make" = whole ] || built=$copy/build/made/bin/berth

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
