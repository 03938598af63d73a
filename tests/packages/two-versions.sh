#!/bin/bash
# Two versions and one pool. The file has had another format up to the commit below: a program of that time
# and the command of today never both have a slot, whichever comes first; the one who is refused is told why
# and breaks nothing; and when the others have ended, killed or not, the pool is there for the new version.
# BERTH is the command; SRC is the source folder, with its history.
set -u
earlier=9c0582184b0e0f4ab7a239fa37900d80f6ac8cfa
work=$(mktemp -d) || exit 1
pids=() last=
cleanup() {
    # shellcheck disable=SC2046 # numbers; of those that have not ended
    kill -9 $(jobs -p) $last 2>/dev/null
    wait 2>/dev/null
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM
output=$work/output
failures=0
complain() {
    echo "FAILED: $*"
    cat "$output"
    failures=$((failures + 1))
}

git -C "$SRC" cat-file -e "$earlier^{commit}" 2>/dev/null ||
    { echo "SKIPPED: the history does not go back to version 1 of the format"; exit 77; }
mkdir "$work/old" "$work/store"
chmod 700 "$work/store"
git -C "$SRC" archive "$earlier" | tar -x -C "$work/old" || exit 1
cat >"$work/actor.c" <<'END'
/* actor NAME: takes the only slot of the pool, says so, and gives it back when it reads a byte. */
#include <berth.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    berth_pool *pool;
    berth_grant grant;
    const berth_options options = {.slots = 1};
    if (argc != 2 || berth_open(&pool, argv[1], &options) != 0 || berth_acquire(pool, &grant) != 0) {
        printf("refused: %s\n", berth_reason());
        return 1;
    }
    printf("holds\n");
    fflush(stdout);
    getchar();
    return berth_release(pool, &grant) != 0 || berth_close(pool) != 0;
}
END
# The library alone, and not by the build of that time, which would make much more.
(cd "$work/old" && "${CC:-cc}" -std=gnu17 -O1 -w -D_GNU_SOURCE= -D_FILE_OFFSET_BITS=64 '-DBERTH_VERSION="0.1.0"' \
    -Isrc -Iinclude "$work/actor.c" src/pool/*.c src/store/*.c src/os/*.c src/step/text.c -pthread \
    -o "$work/actor") >"$output" 2>&1 || { complain "the earlier version does not build"; exit 1; }
export BERTH_STORE=$work/store

# starts NAME FILE: an actor of the earlier version, which says in FILE what it has; its input is $work/in
starts() {
    rm -f "$work/in" "$2"
    mkfifo "$work/in"
    "$work/actor" "$1" <"$work/in" >"$2" &
    pids+=($!)
    exec 9>"$work/in"
}
# says FILE: waits until there is a word in it
says() {
    for _ in $(seq 600); do [ -s "$1" ] && break; sleep 0.1; done
    cat "$1"
}

# --- the earlier version holds: the new one is refused and told, and disturbs nobody ---

starts gpu "$work/said"
old=${pids[-1]}
[ "$(says "$work/said")" = holds ] || complain "the earlier version does not work"
timeout 60 "$BERTH" run gpu -j 1 -- true >"$output" 2>&1
[ $? -eq 125 ] && grep -q 'is a pool of version 1, and this is version [2-9]' "$output" ||
    complain "the new version is not refused, or does not say why"
timeout 60 "$BERTH" rm gpu >"$output" 2>&1 && complain "a pool in use was removed"
kill -0 "$old" || complain "the earlier version's program has ended"
"$work/actor" gpu </dev/null >"$work/next" 9>&- &
pids+=($!)
next=$!
sleep 0.5
[ ! -s "$work/next" ] || complain "the earlier version's own order is broken"
exec 9>&-
wait "$old" || complain "the earlier version cannot give its slot back"
wait "$next" || complain "the earlier version's next in line did not get it"
[ "$(cat "$work/next")" = holds ] || complain "next: $(cat "$work/next")"

# --- they have ended: the pool is made again, as its user says ---

[ "$(timeout 60 "$BERTH" run -j 1 gpu -- sh -c 'echo $BERTH_SLOT' 2>"$output")" = 0 ] ||
    complain "after the earlier version has ended"

# --- ended by kill -9 ---

starts killed "$work/said"
[ "$(says "$work/said")" = holds ] || complain "the earlier version does not work"
kill -9 "${pids[-1]}"
wait "${pids[-1]}" 2>/dev/null
exec 9>&-
[ "$(timeout 60 "$BERTH" run -j 1 killed -- sh -c 'echo $BERTH_SLOT' 2>"$output")" = 0 ] ||
    complain "after the earlier version was killed"

# --- the new version holds: the earlier one is refused ---

"$BERTH" run -j 1 gpu -- sh -c "echo holds >$work/new; exec sleep 600" &
pids+=($!)
says "$work/new" >/dev/null
timeout 60 "$work/actor" gpu </dev/null >"$output" 2>&1
[ $? -eq 1 ] && grep -q '^refused: .*version [2-9]' "$output" || complain "the earlier version is not refused"
"$BERTH" status gpu >"$output" 2>&1 && grep -q sleep "$output" || complain "the new version's pool was disturbed"
last=$(pgrep -P "${pids[-1]}")

[ "$failures" -eq 0 ] && echo "all as expected"
exit $((failures > 0))
