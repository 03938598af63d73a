#!/bin/bash
# berth status --openmetrics, and who may resize or drain a declared pool. BERTH is the command under test.
# shellcheck disable=SC2317 # functions that `eventually` calls
subcommand=status
rows_in=
# shellcheck source=pool.bash
. "$(dirname "$0")/pool.bash"
says() { grep -qE -- "$1" "$output" || complain "does not say: $1"; }

# The rules of OpenMetrics that matter here: each family in one piece, TYPE before the samples, counters end in _total
# or _created, no sample twice, and "# EOF" as the last line.
cat >"$dir/read.py" <<'END'
import re, sys
lines = open(sys.argv[1]).read().split('\n')
assert lines[-1] == '' and lines[-2] == '# EOF', 'no # EOF at the end'
types, samples, order = {}, {}, []
for line in lines[:-2]:
    if line.startswith('# '):
        kind, name, rest = line[2:].split(' ', 2)
        assert kind in ('TYPE', 'UNIT', 'HELP'), line
        if kind == 'TYPE':
            assert name not in types, f'{name} twice'
            types[name] = rest
            order.append(name)
        assert order[-1] == name, f'{name} in two pieces'
        if kind == 'UNIT':
            assert name.endswith('_' + rest), line
        continue
    found = re.fullmatch(r'([a-z_]+)\{pool="([^"]*)",store="((?:[^"\\]|\\.)*)"\} ([0-9.]+)', line)
    assert found, line
    name = found[1]
    family = re.sub(r'_(total|created)$', '', name)
    assert family == order[-1], line
    assert (types[family] == 'counter') == (family != name), line
    assert (name, found[2]) not in samples, line
    samples[name, found[2]] = float(found[4])
for expression in sys.argv[2:]:
    if not eval(expression):
        print('not so:', expression, samples)
        sys.exit(1)
END
reads() {
    "$BERTH" status --openmetrics ${pool:+"$pool"} >"$output" || complain "status $?"
    python3 "$dir/read.py" "$output" "$@" >"$dir/wrong" 2>&1 || complain "$(tail -n 1 "$dir/wrong")"
}

reads 'samples == {}'
"$BERTH" run -q -j 2 gpu -- true
"$BERTH" run -q -j 3 cards:2 -- true
hold gpu
first=$holder first_worker=$worker
hold gpu
for i in 1 2 3; do wait_for gpu "waits$i"; done
reads 'samples["berth_slots", "gpu"] == 2' 'samples["berth_held", "gpu"] == 2' \
    'samples["berth_waiting", "gpu"] == 3' 'samples["berth_slots", "cards"] == 3' \
    'samples["berth_held", "cards"] == 0' 'samples["berth_grants_total", "gpu"] == 3' \
    '0 < samples["berth_oldest_wait_seconds", "gpu"] < samples["berth_longest_hold_seconds", "gpu"] < 60' \
    'samples["berth_oldest_wait_seconds", "cards"] == 0' 'samples["berth_died", "gpu"] == 0' \
    'samples["berth_grants_created", "gpu"] > 1.6e9'
pool=cards
reads '{pool for _, pool in samples} == {"cards"}'
pool=
kill -KILL "$first" "$first_worker"
wait "$first" 2>/dev/null
eventually "the next has had it" test -s "$dir/waits1"
reads 'samples["berth_grants_total", "gpu"] >= 4' 'samples["berth_died", "gpu"] == 1'
kill "$holder"
wait
expect 1 --openmetrics nobody
[ "$(wc -l <"$output")" -eq 1 ] || complain "nobody: not one line"
expect 2 --openmetrics --json
"$BERTH" status --openmetrics >&- 2>/dev/null
[ $? -eq 125 ] || complain "standard output is closed, and yet"
mkdir -m 700 "$dir/a \"b\" \\c"
"$BERTH" run -q --store "$dir/a \"b\" \\c" odd -- true
BERTH_STORE="$dir/a \"b\" \\c" reads 'samples["berth_slots", "odd"] == 1'
# A damaged pool is told of, and the rest is printed.
truncate -s 5000 "$BERTH_STORE/cards.berth"
"$BERTH" status --openmetrics >"$output" 2>"$dir/errors"
grep -q cards "$dir/errors" || complain "a damaged pool is not told of"
python3 "$dir/read.py" "$output" 'samples["berth_slots", "gpu"] == 2' || complain "beside a damaged pool"

# ---- who may change a declared pool ----

[ "$(id -u)" -eq 0 ] || { echo "not root: who may change a pool is not tested"; finish; }
chmod 755 "$dir"
mkdir -p "$XDG_CONFIG_HOME/berth/pools.d"
mkdir -m 755 "$dir/shared"
printf '[ours]\nslots = 3\nmode = 0666\nadmin = 4242\nstore = %s\n[root]\nslots = 3\nmode = 0666\nstore = %s\n' \
    "$dir/shared" "$dir/shared" >"$XDG_CONFIG_HOME/berth/pools.d/lab.conf"
chmod -R a+rX "$XDG_CONFIG_HOME"
"$BERTH" create --declared || complain "create --declared"
as() {
    local group=$1
    shift
    setpriv --reuid=65534 --regid=65534 --groups="$group" env -u HOME BERTH_STORE="$dir/shared" "$BERTH" "$@" >"$output" 2>&1
}
as 65534 run ours true || complain "nobody may use it: $?"
for command in 'resize root 5' 'resize ours 5' 'drain ours' 'resize root nine'; do
    # shellcheck disable=SC2086 # several words
    as 65534 $command && complain "nobody may: $command"
    [ "$(wc -l <"$output")" -eq 1 ] || complain "$command: not one line"
done
as 65534 resize root 5
says "^berth: resize: pool root is declared in .*/lab.conf, and is not yours: root and its owner \\(admin = GROUP"
as 4242 resize root 5 && complain "another pool's admin may"
as 4242 resize ours 5 || complain "an admin may not"
state_is ours '5 0 0' || complain "resized: $(state ours)"
as 4242 drain ours || complain "an admin may not drain"
"$BERTH" resize ours 3 || complain "root may not"
chown 65534 "$dir/shared/root.berth"
as 65534 resize root 4 || complain "its owner may not"
finish
