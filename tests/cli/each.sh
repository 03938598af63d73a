#!/bin/bash
# A limit for each user (each = N in a declaration): kept among the runs of one user, and not between users.
# shellcheck disable=SC2016
subcommand=run
rows_in=pools
# shellcheck source=pool.bash
. "$(dirname "$0")/pool.bash"
mkdir -p "$dir/config/berth/pools.d" "$dir/shared"
chmod 700 "$dir/shared"
printf '[gpu]\nslots = 4\neach = 2\nstore = %s\n[disk]\nslots = 4\neach = 1\nstore = %s\n[free]\nslots = 4\nstore = %s\n' \
    "$dir/shared" "$dir/shared" "$dir/shared" >"$dir/config/berth/pools.d/all.conf"
own=each.$(id -u)

expect 0 gpu -- true
[ "$("$BERTH" ls -q | sort | tr '\n' ' ')" = "$own.gpu gpu " ] || complain "the pools: $("$BERTH" ls -q)"
expect 0 gpu:2 -- true
expect 2 gpu:3 -- true
grep -q 'pool gpu: 3 slots, and a user may have 2' "$output" || complain "more than each may have"
expect 0 free:4 -- true

# Two at a time, and a third waits.
hold gpu
one=$holder first=$worker
hold gpu
expect 75 -n gpu -- true
expect 75 -w 0.2 gpu -- true
grep -q 'other runs of this user have the slots' "$output" || complain "why it waits: $(cat "$output")"
expect 75 -n gpu:2 -- true
[ "$("$BERTH" status gpu | head -n 1 | grep -o '[0-9]* held')" = '2 held' ] || complain "not two held"
# Another user, that is, one with a store of their own: the pool itself has free slots.
mkdir -m 700 "$dir/other"
BERTH_STORE=$dir/other expect 0 -n gpu:2 -- true

# One that is killed holds nothing back, however it is killed.
"$BERTH" run -q gpu -- true &
waiting=$!
kill -KILL "$first" "$one"
wait "$waiting" || complain "the third did not get a slot: $?"

# A run inside another works in its slots, and waits for nothing; with --own it does.
kill "$holder"
wait "$holder" 2>/dev/null
eventually "all are free" state_is gpu '4 0 0'
expect 0 gpu:2 -- "$BERTH" run -n gpu -- "$BERTH" run -n gpu -- true
expect 75 gpu:2 -- "$BERTH" run -n --own gpu -- true
expect 0 disk -- "$BERTH" run -n disk -- true
expect 0 disk,gpu:2 -- sh -c '[ "$BERTH_EACH" = gpu,disk, ]'

# The number that is declared counts, also after it was changed.
sed -i 's/each = 2/each = 3/' "$dir/config/berth/pools.d/all.conf"
expect 0 gpu:3 -- true
sed -i 's/each = 3/each = many/' "$dir/config/berth/pools.d/all.conf"
expect 125 gpu -- true
grep -q 'not a number of slots' "$output" || complain "each = many: $(cat "$output")"
finish
