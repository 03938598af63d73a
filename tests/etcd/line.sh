#!/bin/bash
# The line on the terminal while a run waits: it is behind when etcd is slow, and the command is not.
# shellcheck disable=SC2016,SC2317
. "$(dirname "$0")/lib.bash"
start_cluster 1
export BERTH_STORE="etcd://$hosts/line?timeout=8"
"$(dirname "$0")/hold-answers" "$((base + 7))" "${hosts##*:}" >"$dir/ready" &
way=$!
eventually "a way to etcd" test -s "$dir/ready"
hold line
cat >"$dir/terminal" <<'END'
import os, pty, signal, sys, time
berth, store, way, holder = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
pid, terminal = pty.fork()
if pid == 0:
    os.environ["BERTH_STORE"] = store
    os.execv(berth, [berth, "run", "line", "--", "sh", "-c", "echo the command"])
seen = b""
while b"waiting for line: 0 ahead" not in seen:
    seen += os.read(terminal, 1000)
os.kill(way, signal.SIGHUP)  # the next look gets no answer
time.sleep(1.5)
os.kill(holder, signal.SIGTERM)
began = time.monotonic()
while b"the command" not in seen:
    seen += os.read(terminal, 1000)
print(f"{time.monotonic() - began:.1f} s")
late = time.monotonic() - began > 3
try:
    while os.read(terminal, 1000):
        pass
except OSError:
    pass
sys.exit(late or os.waitpid(pid, 0)[1])
END
python3 "$dir/terminal" "$BERTH" "etcd://127.0.0.1:$((base + 7))/line?timeout=8" $way "$holder" >"$output" 2>&1 ||
    complain "the command waits for the line"
kill $way
finish
