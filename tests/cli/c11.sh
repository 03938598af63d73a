#!/bin/bash
# berth check --export c11: one C file, which compilers take without a warning, which needs nothing of berth, and
# whose threads are alone in the critical section; and in which a wrong lock shows.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work
failures=0

complain() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# run NAME OPTION...: compiles what was exported, and runs it.
run() {
    local name=$1 compiler
    shift
    for compiler in cc ${CLANG-$(command -v clang)}; do
        "$compiler" -std=gnu11 -O2 -Wall -Werror -Wno-unused -Wno-implicit-fallthrough -pthread "$@" \
            "$work/lock.c" -o "$work/lock" 2>"$work/output" || {
            complain "$name does not compile with $compiler $*"
            cat "$work/output"
            continue
        }
        timeout 60 "$work/lock" >"$work/output" 2>&1 || complain "$name: status $?"
    done
}

for name in peterson ticket-lock mcs clh bakery dekker lamport-fast burns-a; do
    "$BERTH" check "$name" -n 2 --export c11 >"$work/lock.c" 2>"$work/output" || complain "$name: $(cat "$work/output")"
    grep -q '"step/' "$work/lock.c" && complain "$name includes headers of berth"
    run "$name" -DBERTH_ROUNDS=1000
done
run "burns-a" -DBERTH_ORDER=memory_order_acquire -DBERTH_ROUNDS=1

# Slots, and a file of one's own.
"$BERTH" check flbb-count -n 3 -l 2 --export c11 >"$work/lock.c" || complain flbb-count
run flbb-count -DBERTH_ROUNDS=1000
cp "$SRC/examples/protocol/ticket.c" "$work/own.c"
(cd "$work" && "$BERTH" check ./own.c -n 3 --export c11 >"$work/lock.c") || complain "a file of one's own"
run "a file of one's own" -DBERTH_ROUNDS=1000

# A tool for data races sees a lock that is none, with two tickets for three, and none in the right one.
if echo 'int main(void) { return 0; }' | cc -fsanitize=thread -xc - -o "$work/race" 2>/dev/null && "$work/race"; then
    race() { # NAME ROUNDS: whether one is found in some runs
        (cd "$work" && "$BERTH" check "$1" -n 3 --export c11 >"$work/lock.c") || complain "$1"
        cc -std=gnu11 -O1 -pthread -fsanitize=thread -DBERTH_ROUNDS="$2" "$work/lock.c" -o "$work/lock" ||
            complain "$1 does not compile for a search for races"
        for _ in 1 2 3 4; do
            timeout 20 "$work/lock" >"$work/output" 2>&1
            grep -qE 'data race|Assertion' "$work/output" && return 0
        done
        return 1
    }
    race ./own.c 5000 && complain "a race in a right lock"
    race ./own.c/short 100000 || complain "no race in a lock that is none"
fi

# What cannot be exported is refused, with a reason.
for refused in pool flbb-line rp-two/no-such jayanti-joshi; do
    "$BERTH" check "$refused" --export c11 >"$work/output" 2>&1 && complain "$refused was exported"
done
"$BERTH" check pool --export c11 2>&1 | grep -q 'cannot be exported as C11' || complain "pool: no reason"
[ -z "$(find /tmp -maxdepth 1 -name 'berth-c11.*' -newer "$work" 2>/dev/null)" ] || complain "files are left behind"

[ "$failures" -eq 0 ]
