#!/bin/bash
# What is said where a word is not known, a file ends in something else, or a declared pool is for others; and the
# screen for programs that start programs. BERTH is the command under test.
# shellcheck disable=SC2317 # functions that are called by name
subcommand=
rows_in=pools
# shellcheck source=pool.bash
. "$(dirname "$0")/pool.bash"
# says STATUS WORDS... -- ARGUMENT...: one line with these words, and this status.
says() {
    local expected=$1 status words=()
    shift
    while [ "$1" != -- ]; do words+=("$1") && shift; done
    shift
    "$BERTH" "$@" >"$output" 2>&1
    status=$?
    [ $status -eq "$expected" ] || complain "$*: status $status, not $expected"
    [ "$(wc -l <"$output")" -eq 1 ] || complain "$*: not one line"
    for word in "${words[@]}"; do grep -qFe "$word" "$output" || complain "$*: does not say: $word"; done
}

says 2 'berth --version' -- version
says 2 'berth --version' -- -V
says 2 'berth kill' -- cancel 3
says 2 'berth ls' 'berth jobs' -- list
says 2 'completions/' -- completion
says 2 'peterson has no variant nosuch' 'berth protocols peterson' -- check peterson/nosuch
says 2 '.html, .json or .txt: out.pdf' -- trace peterson out.pdf
says 2 '.html, .json or .txt: a.b/out.c' -- check peterson --witness a.b/out.c
says 2 '1 to 4 values' -- search --values 9
says 2 'no devices are declared' 'X={device}' -- run --env 'X={device}' p true
(cd "$dir" && "$BERTH" trace peterson a.b && [ -e a.b ]) >"$output" 2>&1 && complain "a file a.b was written"
(cd "$dir" && "$BERTH" trace peterson plain && [ -s plain ]) >"$output" 2>&1 || complain "a file without an ending"

"$BERTH" help agents >"$output" || complain "help agents"
[ "$(wc -l <"$output")" -le 24 ] && awk 'length > 100 { exit 1 }' "$output" || complain "help agents is not a screen"
# What it names is there.
grep -oE -- '--[a-z]+' "$output" | sort -u >"$dir/named"
for command in run status ls jobs; do "$BERTH" $command --help; done >"$dir/help"
while read -r option; do grep -qe "$option" "$dir/help" || complain "help agents names $option"; done <"$dir/named"

# ---- declared pools: not made yet, and for others ----

mkdir -p "$XDG_CONFIG_HOME/berth/pools.d"
"$BERTH" rm p
printf '[tests]\nslots = 4\n[cards]\ndevices = 0 1\n' >"$XDG_CONFIG_HOME/berth/pools.d/lab.conf"
"$BERTH" run -q cards -- true
"$BERTH" ls >"$output" || complain "ls"
grep -qE '^tests +4 +- +-  declared, not made yet$' "$output" || complain "ls hides a declared pool"
grep -qE '^cards +2 +0 +0$' "$output" || complain "ls: cards"
"$BERTH" ls --json >"$output" || complain "ls --json"
subcommand=ls
check "ls --json" '[r["pool"] for r in rows if r.get("made", True)] == ["cards"]' \
    '[(r["pool"], r["slots"]) for r in rows if not r.get("made", True)] == [("tests", 4)]'
if [ "$(id -u)" -eq 0 ]; then
    chmod 755 "$dir"
    mkdir -m 755 "$dir/shared"
    printf '[lic]\nslots = 2\ngroup = 4242\nmode = 0660\nstore = %s\n' "$dir/shared" >"$XDG_CONFIG_HOME/berth/pools.d/lab.conf"
    chmod -R a+rX "$XDG_CONFIG_HOME"
    "$BERTH" create --declared || complain "create"
    as() { setpriv --reuid=64123 --regid=64123 --groups="$1" env -u BERTH_STORE -u HOME "$BERTH" "${@:2}" >"$output" 2>&1; }
    as 64123 run lic true
    [ $? -eq 125 ] && grep -q 'for a group that this user is not in' "$output" || complain "the group is not named"
    grep -q 'berth create' "$output" && complain "wrong advice"
    as 64123 ls || complain "ls of another user: $?"
    grep -q '^lic .*not for this user' "$output" || complain "ls does not say whose it is"
    as 4242 run lic true || complain "a member may not: $?"
fi
finish
