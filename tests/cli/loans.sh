#!/bin/bash
# Nested runs: a run inside the command of another one works in that one's slot, and the slot is neither lost nor
# given twice, whichever process is killed. BERTH is the command under test.
# shellcheck disable=SC2016,SC2046,SC2317 # what is in single quotes is for the command's shell
subcommand=run
rows_in=
# shellcheck source=pool.bash
. "$(dirname "$0")/pool.bash"
export BERTH dir
exec 2>"$dir/reports"

# nested EXPECTED WHAT ARGUMENT...: as expect, but it does not hang.
nested() {
    local expected=$1 what=$2 status
    shift 2
    timeout 20 "$BERTH" run "$@" >"$output" 2>&1
    status=$?
    [ "$status" -eq "$expected" ] || complain "$what: status $status, not $expected"
}
if "$BERTH" run one,two -- true; then
    both() { echo "$1,$2"; }
else
    both() { echo "$1 $2"; }
fi

# ---- the rule ----

nested 0 "a run in a run" -j 1 p -- "$BERTH" run p -- true
nested 0 "five deep" p -- "$BERTH" run p -- "$BERTH" run p -- "$BERTH" run p -- "$BERTH" run p -- \
    sh -c 'echo "$BERTH_POOL $BERTH_SLOT $BERTH_SLOTS"'
grep -qx 'p 0 1' "$output" || complain "what the fifth is told"
nested 0 "the token of the slot" p -- sh -c 'test "$BERTH_TOKEN" = "$("$BERTH" run p -- sh -c "echo \$BERTH_TOKEN")"'
nested 0 "-v" p -- "$BERTH" run -v p -- true
grep -q '^berth: pool p: slot 0, borrowed, after' "$output" || complain "-v does not say that it is borrowed"
nested 0 "one after the other" p -- sh -c '"$BERTH" run p -- true && "$BERTH" run -n p -- true'
nested 0 "through another pool" p -- "$BERTH" run q -- "$BERTH" run p -- "$BERTH" run q -- true
nested 0 "the outer one with -o" -o p -- "$BERTH" run p -- true
nested 0 "both with -o" -o p -- "$BERTH" run -o p -- "$BERTH" run p -- true
nested 0 "from a program that closes files" p -- python3 -c '
import os, subprocess, sys
sys.exit(subprocess.run([os.environ["BERTH"], "run", "-n", "p", "--", "true"], close_fds=True).returncode)'
nested 3 "the status" p -- "$BERTH" run p -- sh -c 'exit 3'
state_is p '1 0 0' || complain "afterwards: $(state p)"

# A pool in which all holders want one more.
"$BERTH" run -j 2 two-trees -- true
for i in 1 2; do
    timeout 20 "$BERTH" run two-trees -- sh -c 'touch "$dir/tree.'$i'"; sleep 0.3; "$BERTH" run two-trees -- "$BERTH" run two-trees -- touch "$dir/done.'$i'"' &
done
wait
[ -e "$dir/done.1" ] && [ -e "$dir/done.2" ] || complain "two trees do not go on"

# ---- who borrows when: one run in each slot, and no more at once than 1 and what is free ----

# job FILE: one entry when it begins and one when it ends, with its slot.
cat >"$dir/job" <<'JOB'
#!/bin/bash
echo "+ $BERTH_SLOT" >>"$1"
sleep 0.03
echo "- $BERTH_SLOT" >>"$1"
JOB
chmod +x "$dir/job"
# most FILE: the most that were there at once; "twice" if two were in one slot.
most() {
    awk '$1 == "+" { if (there[$2]++) twice = 1; if (++now > most) most = now }
         $1 == "-" { there[$2]--; now-- }
         END { print twice ? "twice" : most }' "$1"
}
for slots in 1 3; do
    : >"$dir/jobs"
    nested 0 "xargs in $slots" -j "$slots" "x$slots" -- sh -c \
        'seq 40 | xargs -P8 -I{} "$BERTH" run "$BERTH_POOL" -- "$dir/job" "$dir/jobs"'
    [ "$(grep -c '^+' "$dir/jobs")" -eq 40 ] || complain "xargs in $slots: not all have run"
    [ "$(most "$dir/jobs")" = "$slots" ] || complain "xargs in $slots: $(most "$dir/jobs") at once"
    state_is "x$slots" "$slots 0 0" || complain "xargs in $slots, afterwards: $(state "x$slots")"
done
hold x3
: >"$dir/jobs"
nested 0 "xargs beside another" x3 -- sh -c \
    'seq 30 | xargs -P8 -I{} "$BERTH" run "$BERTH_POOL" -- "$dir/job" "$dir/jobs"'
[ "$(most "$dir/jobs")" = 2 ] || complain "xargs beside another: $(most "$dir/jobs") at once"
kill "$holder"
wait "$holder"

# The loan is out: a slot of its own will do, or the loan when it is back; no place in line is left behind.
nested 75 "the loan is out, no time" p -- sh -c '"$BERTH" run p -- sleep 2 & sleep 0.5; "$BERTH" run -n p -- true'
nested 75 "the loan is out, little time" p -- sh -c '"$BERTH" run p -- sleep 3 & sleep 0.5; "$BERTH" run -w 0.3 p -- true'
nested 0 "the loan comes back" p -- sh -c '"$BERTH" run p -- sleep 1 & sleep 0.4; "$BERTH" run -w 10 p -- true'
eventually "no place is left" state_is p '1 0 0'
"$BERTH" run -j 2 own -- true
hold own
timeout 20 "$BERTH" run own -- sh -c '"$BERTH" run own -- sleep 5 & echo $! >"$dir/borrower"; sleep 0.3
    exec "$BERTH" run own -- touch "$dir/of-its-own"' &
tree=$!
eventually "it waits" state_is own '2 2 1'
kill "$holder"
eventually "a slot of its own" test -e "$dir/of-its-own"
kill "$(cat "$dir/borrower")"
wait "$tree"
eventually "own is free" state_is own '2 0 0'

# ---- what is no loan ----

nested 75 "no environment" p -- env -u BERTH_LOANS "$BERTH" run -n p -- true
nested 0 "the environment of an ended run" p -- sh -c 'echo "$BERTH_LOANS"'
stale=$(cat "$output")
hold p
BERTH_LOANS=$stale timeout 20 "$BERTH" run -n p -- true
[ $? -eq 75 ] || complain "a stale environment is a loan"
BERTH_LOANS='p/0/0/1/1 rubbish /// p/9999/0/1/1 p/0/999/1/1 p/0/0/zz/1' timeout 20 "$BERTH" run -n p -- true
[ $? -eq 75 ] || complain "rubbish is a loan"
kill "$holder"
wait "$holder"
BERTH_LOANS=$stale timeout 20 "$BERTH" run -w 5 p -- true || complain "a stale environment does harm"

# ---- --own, several slots, several pools ----

nested 125 "--own in the only slot" p -- "$BERTH" run --own p -- true
grep -q 'pool p has 1 slot, of which 1 belongs to the runs around this one' "$output" || complain "it does not say why"
nested 0 "--own, and there is one more" own -- "$BERTH" run --own own -- sh -c 'echo $BERTH_SLOT'
nested 125 "--own twice" own -- "$BERTH" run --own own -- "$BERTH" run --own own -- true
nested 0 "--own, and then a loan" own -- "$BERTH" run --own own -- "$BERTH" run own -- true
nested 0 "--own outside" --own p -- true
nested 125 "two slots inside one" own -- "$BERTH" run own:2 -- true
grep -q 'pool own: 2 slots are asked for inside a run that has 1' "$output" || complain "it does not say why"
nested 0 "two slots inside two" own:2 -- "$BERTH" run own:2 -- sh -c 'echo $BERTH_SLOT'
grep -qE '^(0,1|1,0)$' "$output" || complain "two slots inside two: $(cat "$output")"
nested 0 "one inside two, twice at once" own:2 -- sh -c \
    '"$BERTH" run own -- sleep 0.5 & "$BERTH" run -w 10 own -- sleep 0.5; wait $!'
nested 0 "two pools inside one of them" p -- "$BERTH" run $(both p own) -- true
nested 0 "two pools inside both" $(both p own) -- "$BERTH" run $(both own p) -- "$BERTH" run p -- true
nested 0 "two pools, over and over" $(both p own) -- sh -c \
    'seq 12 | xargs -P4 -I{} "$BERTH" run '"$(both p own)"' -- true'
nested 0 "two pools, one of them lent" p -- sh -c \
    'seq 12 | xargs -P4 -I{} "$BERTH" run '"$(both p q)"' -- true'
for pool in p:1 own:2 q:1; do
    eventually "$pool is free" state_is "${pool%:*}" "${pool#*:} 0 0"
done

# ---- status ----

nested 0 "status" p -- "$BERTH" run p -- "$BERTH" status --json p
rows_in=pools
check "status" 'len(rows[0]["holders"]) == 1' '[x["level"] for x in rows[0]["holders"][0]["loans"]] == [1]' \
    'rows[0]["holders"][0]["loans"][0]["command"].endswith("status --json p")' \
    'rows[0]["holders"][0]["loans"][0]["left"] is False'
nested 0 "status in words" p -- "$BERTH" run p -- "$BERTH" run p -- "$BERTH" status p
[ "$(grep -c '^    lent 0 ' "$output")" -eq 2 ] || complain "status shows no loans"

finish
