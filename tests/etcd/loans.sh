#!/bin/bash
# Nested runs of a pool in etcd: a run inside the command of another one works in that one's slot.
# tests/cli/loans.sh has the same rules for pools in a folder; loan-kills.sh has the kills.
# shellcheck disable=SC2016,SC2317 # what is in single quotes is for the command's shell
. "$(dirname "$0")/lib.bash"
start_cluster 1
export BERTH_STORE="etcd://$hosts/loans" BERTH dir
exec 2>"$dir/reports"

# nested EXPECTED WHAT ARGUMENT...: as expect, but it does not hang.
nested() {
    local expected=$1 what=$2 status
    shift 2
    timeout 60 "$BERTH" run "$@" >"$output" 2>&1
    status=$?
    [ "$status" -eq "$expected" ] || complain "$what: status $status, not $expected"
}
says() { grep -q "$1" "$output" || complain "$2"; }
# check WHAT EXPRESSION...: each holds of `pool`, what status --json says of the first one.
check() {
    local what=$1
    shift
    python3 -c 'import json, sys
pool = json.load(open(sys.argv[1]))["pools"][0]
for text in sys.argv[2:]:
    if not eval(text):
        sys.exit(text)' "$output" "$@" || complain "$what"
}

# ---- the rule ----

nested 0 "a run in a run" -j 1 p -- "$BERTH" run p -- true
nested 0 "four deep" p -- "$BERTH" run p -- "$BERTH" run p -- "$BERTH" run p -- \
    sh -c 'echo "$BERTH_POOL $BERTH_SLOT $BERTH_SLOTS"'
grep -qx 'p 0 1' "$output" || complain "what the fourth is told"
nested 0 "the token" p -- sh -c 'test "$BERTH_TOKEN" = "$("$BERTH" run p -- sh -c "echo \$BERTH_TOKEN")"'
nested 0 "-v" p -- "$BERTH" run -v p -- true
says '^berth: pool p: slot 0, borrowed, after' "-v does not say that it is borrowed"
nested 0 "one after the other" p -- sh -c '"$BERTH" run p -- true && "$BERTH" run -n p -- true'
nested 0 "through another pool" p -- "$BERTH" run q -- "$BERTH" run p -- "$BERTH" run q -- true
nested 0 "from a program that closes files" p -- python3 -c '
import os, subprocess, sys
sys.exit(subprocess.run([os.environ["BERTH"], "run", "-n", "p", "--", "true"], close_fds=True).returncode)'
nested 3 "the status" p -- "$BERTH" run p -- sh -c 'exit 3'
# The same pool by another address is the same pool; one of another prefix, or in a folder, is not.
nested 0 "another address" p -- env BERTH_STORE="$BERTH_STORE?timeout=7" "$BERTH" run -n p -- true
"$BERTH" run --store "etcd://$hosts/others" p -- true
nested 75 "another prefix" p -- env BERTH_STORE="etcd://$hosts/others" "$BERTH" run p -- \
    env BERTH_STORE="etcd://$hosts/others" sh -c 'unset BERTH_LOANS; "$BERTH" run -n p -- true'
nested 0 "a loan of each" p -- env BERTH_STORE="etcd://$hosts/others" "$BERTH" run p -- \
    sh -c '"$BERTH" run -n p -- true && "$BERTH" run -n --store '"'$BERTH_STORE'"' p -- true'
mkdir -m 700 "$dir/folder"
nested 0 "a folder inside etcd" p -- env BERTH_STORE="$dir/folder" "$BERTH" run p -- sh -c \
    '"$BERTH" run -n p -- true && "$BERTH" run -n --store '"'$BERTH_STORE'"' p -- true'
eventually "p is free" state_is p '1 0 0'

# ---- who borrows when ----

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
        'seq 24 | xargs -P6 -I{} "$BERTH" run "$BERTH_POOL" -- "$dir/job" "$dir/jobs"'
    [ "$(grep -c '^+' "$dir/jobs")" -eq 24 ] || complain "xargs in $slots: not all have run"
    [ "$(most "$dir/jobs")" = "$slots" ] || complain "xargs in $slots: $(most "$dir/jobs") at once"
    eventually "xargs in $slots, afterwards" state_is "x$slots" "$slots 0 0"
done

nested 75 "the loan is out, no time" p -- sh -c '"$BERTH" run p -- sleep 2 & sleep 0.7; "$BERTH" run -n p -- true'
nested 75 "the loan is out, little time" p -- sh -c '"$BERTH" run p -- sleep 3 & sleep 0.7; "$BERTH" run -w 0.3 p -- true'
nested 0 "the loan comes back" p -- sh -c '"$BERTH" run p -- sleep 1 & sleep 0.5; "$BERTH" run -w 20 p -- true'
eventually "no place is left" state_is p '1 0 0'
"$BERTH" run -j 2 own -- true
hold own
# Where there is time, the loan of its slot is out: it waits in line, and is served there.
timeout 60 "$BERTH" run own -- sh -c '"$BERTH" run own -- sleep 30 & echo $! >"$dir/borrower"; sleep 0.5
    "$BERTH" run own -- touch "$dir/of-its-own"' &
tree=$!
eventually "it waits" state_is own '2 2 1'
kill "$holder"
eventually "a slot of its own" test -e "$dir/of-its-own"
kill "$(cat "$dir/borrower")"
wait "$tree"
eventually "own is free" state_is own '2 0 0'

# ---- what is no loan ----

nested 75 "no environment" p -- env -u BERTH_LOANS "$BERTH" run -n p -- true
nested 0 "the environment of an ended run" p -- sh -c 'echo "$BERTH_LOANS $BERTH_TOKEN"'
read -r stale _ <"$output"
hold p
BERTH_LOANS=$stale timeout 20 "$BERTH" run -n p -- true
[ $? -eq 75 ] || complain "a stale environment is a loan"
# By the number of a process that lives, and has other files there.
for text in "p/0/0/1/1 p/0/0/1/1/$holder/0 p/0/0/1/1/$holder/1 p/0/0/1/1/$$/255 p/0/0/zz/1/$holder/3" \
    "p/9999/0/1/1/$holder/3 p/0/999/1/1/$holder/3 p/0/0/1/1/1/9 p/0/0/1/1/-1/-1 p/0/0/1/1/2147483647/7"; do
    BERTH_LOANS=$text timeout 20 "$BERTH" run -n p -- true
    [ $? -eq 75 ] || complain "rubbish is a loan: $text"
done
# Every descriptor of the holder, with the right slot and token, and a name that is not its own.
token=$("$BERTH" status --json p | python3 -c 'import json, sys; print(json.load(sys.stdin)["pools"][0]["holders"][0]["token"])')
text=
for fd in $(seq 0 40); do text+="p/0/0/123456789/$token/$holder/$fd "; done
BERTH_LOANS=$text timeout 20 "$BERTH" run -n p -- true
[ $? -eq 75 ] || complain "a name that was made up is a loan"
kill "$holder"
wait "$holder"
BERTH_LOANS=$stale timeout 20 "$BERTH" run -w 10 p -- true || complain "a stale environment does harm"

# ---- --own, several slots, several pools ----

nested 125 "--own in the only slot" p -- "$BERTH" run --own p -- true
says 'pool p has 1 slot, of which 1 belongs to the runs around this one' "it does not say why"
nested 0 "--own, and there is one more" own -- "$BERTH" run --own own -- true
nested 125 "--own twice" own -- "$BERTH" run --own own -- "$BERTH" run --own own -- true
nested 0 "--own, and then a loan" own -- "$BERTH" run --own own -- "$BERTH" run own -- true
nested 125 "two slots inside one" own -- "$BERTH" run own:2 -- true
says 'pool own: 2 slots are asked for inside a run that has 1' "it does not say why"
nested 0 "two slots inside two" own:2 -- "$BERTH" run own:2 -- sh -c 'echo $BERTH_SLOT'
grep -qE '^(0,1|1,0)$' "$output" || complain "two slots inside two: $(cat "$output")"
nested 0 "one inside two, twice at once" own:2 -- sh -c \
    '"$BERTH" run own -- sleep 0.5 & "$BERTH" run -w 20 own -- sleep 0.5; wait $!'
nested 0 "two pools inside one of them" p -- "$BERTH" run p,own -- true
nested 0 "two pools inside both" p,own -- "$BERTH" run own,p -- "$BERTH" run p -- true
nested 0 "two pools, over and over" p,own -- sh -c 'seq 6 | xargs -P3 -I{} "$BERTH" run p,own -- true'
nested 0 "two pools, one of them lent" p -- sh -c 'seq 6 | xargs -P3 -I{} "$BERTH" run p,q -- true'
for pool in p:1 own:2 q:1; do
    eventually "$pool is free" state_is "${pool%:*}" "${pool#*:} 0 0"
done

# ---- status, from anywhere ----

# shown COMMAND...: status says what python says, at last: what is lent is told a moment later.
shown() { "$BERTH" status --json p >"$output" 2>/dev/null && (failures=0; check "" "$@") >/dev/null; }
rm -f "$dir/deepest"
"$BERTH" run p -- "$BERTH" run p -- "$BERTH" run p -- sh -c 'echo $$ >"$dir/deepest"; exec sleep 60' &
tree=$!
eventually "a tree" test -s "$dir/deepest"
deepest=$(cat "$dir/deepest")
echo "$deepest" >>"$dir/pids"
me=$(id -un)
eventually "status shows the loans" shown 'len(pool["holders"]) == 1' \
    '[x["level"] for x in pool["holders"][0]["loans"]] == [1, 2]' \
    'not any(x["left"] for x in pool["holders"][0]["loans"])' \
    'pool["holders"][0]["loans"][1]["pid"] == '"$deepest" \
    'pool["holders"][0]["loans"][1]["command"].endswith("exec sleep 60")' \
    '[x["user"] for x in [pool["holders"][0]] + pool["holders"][0]["loans"]] == ["'"$me"'"] * 3'
kill -STOP "$deepest"
eventually "status shows that it is stopped" shown \
    '[x["stopped"] for x in [pool["holders"][0]] + pool["holders"][0]["loans"]] == [False, False, True]'
kill -CONT "$deepest"
"$BERTH" status p >"$output"
[ "$(grep -c '^    lent 0 ' "$output")" -eq 2 ] || complain "status shows no loans in words"
kill "$deepest"
wait "$tree"
eventually "p is free" state_is p '1 0 0'

# ---- the words ----

"$BERTH" run -j 1 words -- true
"$HANDLE_PROGRAM" "$BERTH_STORE" words 2 </dev/null >"$output" 2>&1
says 'pool words has 1 slot, not 2: berth resize' "one slot is told in words"

finish
