#!/bin/bash
# What another user of a pool wrote, and names that others gave to files: no text output has a control character, or one
# that changes the order of others, or is no UTF-8. BERTH is the command under test.
subcommand=status
rows_in=pools
# shellcheck source=pool.bash
. "$(dirname "$0")/pool.bash"
cd "$dir" || exit 1

# clean WORD...: the output of this command is.
clean() {
    timeout 60 "$BERTH" "$@" >"$output" 2>&1 </dev/null
    [ $? -lt 126 ] || complain "$*: a crash"
    ! LC_ALL=C grep -aqP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8b-\x8f\xa8-\xae]|\xef\xbb\xbf' "$output" ||
        complain "$*: a control character"
    iconv -f UTF-8 -t UTF-8 "$output" >/dev/null 2>&1 || complain "$*: no UTF-8"
}

strange=$'x\e[31m\a\xc2\x9b2J\xff\xed\xa0\x80\xe2\x80\xae\xef\xbb\xbf\r\ny \xc3'
for slot in 0 1; do
    "$BERTH" run -j 2 gpu -c "exec sleep 60 # $slot $strange" &
    echo $! >>"$dir/pids"
    eventually "slot $slot is held" state_is gpu "2 $((slot + 1)) 0"
done
"$BERTH" run gpu -c "exec sleep 60 # $strange" 2>waiting &
echo $! >>"$dir/pids"
eventually "one waits" state_is gpu '2 2 1'
for words in status 'status gpu' 'status --json' 'status --openmetrics' ls 'ls --json' 'top --once -d 0.1' 'rm gpu' \
    'run -v -w 0.2 gpu -- true' 'run -n gpu -- true' 'drain gpu -w 0.1' 'wait gpu -w 0.1' 'resize gpu 3'; do
    # shellcheck disable=SC2086 # words
    clean $words
done
expect 0 gpu
grep -q 'sleep 60 # 0 x \[31m' "$output" || complain "the command is not shown"

# Who somebody says to be: root sees that process 1 does not use the pool; others only see what is claimed.
"$BERTH" run mine -- sleep 60 2>waiting &
echo $! >>"$dir/pids"
eventually "a slot of mine is held" state_is mine '1 1 0'
me=$(id -un)
"$BERTH" status mine >"$output"
grep -qE "slot 0 +[0-9]+ +$me " "$output" || complain "who it is"
python3 - "$BERTH_STORE/mine.berth" "$(held_by mine 0)" <<'END' || complain "the number cannot be changed"
import struct, sys
with open(sys.argv[1], 'r+b') as file:
    bytes, pid = file.read(), struct.pack('<I', int(sys.argv[2]))
    found = [at for at in range(0, len(bytes), 128) if bytes[at:at + 4] == pid]
    assert len(found) == 1, found
    file.seek(found[0])
    file.write(struct.pack('<I', 1))
END
"$BERTH" status mine >"$output"
if [ "$(id -u)" -eq 0 ]; then
    grep -qE 'slot 0 +1 +- ' "$output" || complain "process 1 is said to use the pool"
    chmod 755 "$dir" "$BERTH_STORE"
    chmod 644 "$BERTH_STORE/mine.berth"
    setpriv --reuid 65534 --regid 65534 --clear-groups "$BERTH" status mine >"$output"
fi
grep -qE 'slot 0 +1 +root\? ' "$output" || complain "a claim is taken for the truth"

# Names that somebody else gave to files, which a pattern such as * puts among the arguments.
for subject in "$strange" "./$strange.c" "$dir/$strange"; do
    for words in status 'run -e' create rm resize wait drain check protocols trace 'check --table' 'space' 'prove' \
        'new' "check peterson --graph" 'ls --store' 'check peterson --witness' ''; do
        # shellcheck disable=SC2086 # words
        clean $words "$subject"
    done
done
touch "$BERTH_STORE/$strange.berth" "$BERTH_STORE/x.berth"
clean status
clean ls
finish
