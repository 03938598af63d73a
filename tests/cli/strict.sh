#!/bin/bash
# Mistyped names: a run that makes a pool beside others says so, and where a file of declarations says
# strict = yes, names that are not declared are refused. BERTH is the command under test.
subcommand=run
rows_in=
# shellcheck source=pool.bash
. "$(dirname "$0")/pool.bash"
says() { grep -qE -- "$1" "$output" || complain "does not say: $1"; }
lines() { [ "$(wc -l <"$output")" -eq "$1" ] || complain "$2: not $1 lines"; }
pools() { "$BERTH" ls -q | tr '\n' ' '; }

# ---- a pool beside others ----

expect 0 gpu -- true
lines 0 "the first pool of a store"
expect 0 gpuu -- true
lines 1 "gpuu"
says '^berth: run: made the pool gpuu, with 1 slot; did you mean gpu\?$'
expect 0 gpuu -- true
lines 0 "gpuu again"
expect 0 -j 3 other -- true
says '^berth: run: made the pool other, with 3 slots$'
expect 0 -q quiet -- true
lines 0 "-q"
expect 0 cards:2,gpu -- true # several: each that is made
lines 1 "two"
says 'made the pool cards, with 2 slots$'

# ---- strict ----

folder=$XDG_CONFIG_HOME/berth/pools.d
mkdir -p "$folder"
printf 'strict = yes\n\n[train]\nslots = 2\n' >"$folder/lab.conf"
echo 'slots = 1' >"$folder/solver.conf"
expect 0 train -- true
lines 0 "a declared pool is made as it is declared"
expect 0 solver -- true # in another file, and after it
expect 125 tarin -- touch "$dir/never"
lines 1 "tarin"
says "^berth: run: pool tarin is not declared, and $folder/lab.conf says strict = yes; did you mean train\?$"
expect 125 gpu -- touch "$dir/never" # it exists, and is not declared
expect 125 train,gpu -- touch "$dir/never"
expect 125 -j 2 new -- touch "$dir/never"
lines 1 "new"
expect 0 --store "$BERTH_STORE" gpu -- true # a store that is named has no declarations
"$BERTH" status gpu >"$output" || complain "looking is refused"
[ ! -e "$dir/never" ] || complain "ran"
[ "$(pools)" = 'cards gpu gpuu other quiet solver train ' ] || complain "pools: $(pools)"

echo 'strict = no' >"$folder/lab.conf"
expect 0 gpu -- true
# A mistake does not open what was to be closed.
echo 'strict = ye' >"$folder/lab.conf"
expect 125 gpu -- true
says 'lab.conf says strict'
# It is about all pools, and not one pool's.
printf '[train]\nslots = 2\nstrict = yes\n' >"$folder/lab.conf"
expect 125 train -- true
says 'lab.conf, line 3: .*before the first pool'
expect 0 gpu -- true
# Of a file that is named after a pool.
printf '# ours alone\nstrict = yes\nslots = 2\n' >"$folder/lab.conf"
expect 0 lab -- true
expect 125 gpu -- true
finish
