#!/bin/bash
# berth explore: the page and its answers, and that nobody else gets any; what is not HTTP, or not
# ours, is refused and does not end it. BERTH is the command under test.
set -u
command -v python3 >/dev/null || { echo "SKIPPED: python3 is not installed"; exit 77; }
# shellcheck disable=SC2034 # lib.bash uses them
subcommand=explore rows_in=runs
# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"
for words in "" "nonesuch" "rp-two -n 3" "rp-two --port 0" "rp-two --port 70000" "rp-two rp-two" "rp-two --none"; do
    # shellcheck disable=SC2086
    expect 2 $words
done
python3 - <<'END' >"$output" 2>&1 || complain "the conversation"
import http.client, json, os, re, socket, subprocess, sys, threading, time

berth = os.environ["BERTH"]
wrong = []


def expect(what, condition):
    if not condition:
        wrong.append(what)


def start(*arguments):
    process = subprocess.Popen([berth, "explore", *arguments], stdout=subprocess.PIPE, text=True)
    url = process.stdout.readline().strip()
    match = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/", url)
    assert match, url
    return process, int(match[1]), match[2]


def ask(port, method, path, body=None, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    return answer.status, answer.read(), answer.headers


process, port, token = start("rp-n/printed", "-n", "2")
base = f"/{token}/"


def play(schedule, **wish):
    status, body, _ = ask(port, "POST", base + "play", json.dumps({"schedule": schedule, **wish}))
    return json.loads(body) if status == 200 else status


# The page, with the sources; and a run, which is what berth trace makes of the same schedule.
status, page, headers = ask(port, "GET", base)
expect("the page", status == 200 and headers["Content-Type"].startswith("text/html"))
data = json.loads(re.search(rb'id="data">(.*?)</script>', page, re.S)[1])
expect("its data", data["protocol"] == "rp-n/printed" and len(data["files"]) == 2)
expect("no steps yet", data["runs"][0]["steps"] == [] and data["schedule"] == "")
expect("two may move", [move[0] for move in data["runs"][0]["moves"]] == [0, 1])
expect("not kept by anybody", headers["Cache-Control"] == "no-store")

schedule = "0 1 0 0 1"
found = play(schedule)
text = subprocess.run([berth, "trace", "rp-n/printed", "-n", "2", "--schedule", schedule], stdout=subprocess.PIPE,
                      text=True, check=True).stdout.splitlines()
labels = [line.split()[2] for line in text]
run = found["runs"][0]
expect("the labels of berth trace",
       [found["strings"][found["places"][step[1]][0]] for step in run["steps"]] == labels)
expect("sources are sent once", found["files"] == {})
expect("death is possible", any(move[0] >= 2 for move in run["moves"]))
expect("a death", play("0 0!")["runs"][0]["steps"][1][5] == 0)

# Schedulers.
expect("fair", len(play("", go="fair", count=30, seed=3)["schedule"].split()) == 30)
fair = play("", go="fair", count=30, seed=3)["schedule"].split()
expect("fair in each round", all(set(fair[i:i + 2]) == {"0", "1"} for i in range(0, 30, 2)))
broken = play("", go="break")
expect("the adversary breaks it", broken["runs"][0]["steps"][-1][8] == 1)
checked = subprocess.run([berth, "check", "rp-n/printed", "-n", "2", "--fault", "none", "--only", "exclusion", "--json"],
                         stdout=subprocess.PIPE, check=False).stdout
expect("as short as the checker's", len(broken["runs"][0]["steps"]) == json.loads(checked)["claims"][0]["witness_steps"])
out = play("0 0", go="out", victim=0, count=40, seed=5)
regions = [step[5] for step in out["runs"][0]["steps"] if step[0] % 2 == 0]
expect("kept out as long as it goes", 3 not in regions or out["note"] != "")

# What is refused, and with what.
other = "0" * 32
for what, expected, answer in [
    ("no token", 404, ask(port, "GET", "/")),
    ("another token", 404, ask(port, "GET", f"/{other}/")),
    ("a part of the token", 404, ask(port, "GET", f"/{token[:-1]}/")),
    ("another path", 404, ask(port, "GET", base + "../etc/passwd")),
    ("another method", 405, ask(port, "DELETE", base)),
    ("GET play", 405, ask(port, "GET", base + "play")),
    ("another host", 403, ask(port, "GET", base, Host="evil.example")),
    ("another port in the host", 403, ask(port, "GET", base, Host="127.0.0.1:1")),
    ("another origin", 403, ask(port, "POST", base + "play", '{"schedule": ""}', Origin="http://evil.example")),
    ("no JSON", 400, ask(port, "POST", base + "play", "schedule")),
    ("no schedule", 400, ask(port, "POST", base + "play", "{}")),
    ("a process too many", 400, ask(port, "POST", base + "play", '{"schedule": "2"}')),
    ("a move that is none", 400, ask(port, "POST", base + "play", '{"schedule": "0!"}')),
    ("too many at once", 400, ask(port, "POST", base + "play", '{"schedule": "", "go": "fair", "count": 9999}')),
    ("a victim too many", 400, ask(port, "POST", base + "play", '{"schedule": "", "go": "out", "victim": 2}')),
    ("too many moves", 400, ask(port, "POST", base + "play", json.dumps({"schedule": "0 1 " * 6000}))),
    ("too much", 413, ask(port, "POST", base + "play", "", **{"Content-Length": "99999999"})),
    ("a length that is none", 400, ask(port, "POST", base + "play", "", **{"Content-Length": "-1"})),
    ("chunks", 501, ask(port, "POST", base + "play", "", **{"Transfer-Encoding": "chunked"})),
    ("localhost", 200, ask(port, "GET", base, Host=f"localhost:{port}")),
]:
    expect(f"{what}: {answer[0]}, not {expected}", answer[0] == expected)
    expect(f"{what}: tells something", expected == 200 or token.encode() not in answer[1])


def raw(text, half=False):
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(text)
        if half:
            connection.shutdown(socket.SHUT_WR)
        answer = b""
        try:
            while block := connection.recv(65536):
                answer += block
        except ConnectionError:
            pass
        return answer.split(b"\r\n")[0]


for text, first in [(b"\x00\x01\x02\r\n\r\n", b"400"), (b"GET\r\n\r\n", b"400"), (b"GET / SPDY/3\r\n\r\n", b"505"),
                    (b"GET " + b"a" * 20000, b"431"), (b"GET / HTTP/1.1\r\nno colon\r\n\r\n", b"400"),
                    (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", b"400"), (b"GET / HTTP/1.1\r\n\r\n", b"403")]:
    expect(f"{text[:20]}", first in raw(text))
expect("half a request", b"408" in raw(b"POST " + base.encode() + b"play HTTP/1.1\r\nContent-Length: 9\r\n\r\n{", True))
raw(b"", True)
for _ in range(50):  # gone before they are answered
    socket.create_connection(("127.0.0.1", port)).close()

# A client that sends nothing delays the others for a few seconds and no longer.
silent = socket.create_connection(("127.0.0.1", port))
silent.sendall(b"GET / HT")
began = time.monotonic()
expect("an answer after all", ask(port, "GET", base)[0] == 200)
expect("in time", time.monotonic() - began < 10)
silent.close()

# It is there on the loopback interface alone.
with open(f"/proc/{process.pid}/net/tcp") as table:
    rows = [line.split() for line in table][1:]
expect("on 127.0.0.1", [row[1].split(":")[0] for row in rows
                        if row[3] == "0A" and int(row[1].split(":")[1], 16) == port] == ["0100007F"])
expect("still there", process.poll() is None)

# A port of one's own; and one that is taken.
busy = subprocess.run([berth, "explore", "rp-two", "--port", str(port)], stderr=subprocess.PIPE, text=True,
                      timeout=20, check=False)
expect("a port that is taken", busy.returncode == 125 and busy.stderr.count("\n") == 1)
process.terminate()
process.wait()
process, port, token = start("pool", "-n", "2", "--port", str(port))
base = f"/{token}/"
killed = play("0 0!")
expect("a kill", killed["runs"][0]["steps"][1][5] == 5)
process.terminate()
process.wait()

# The adversary may let somebody die, or not; where it may, it is through sooner.
process, port, token = start("rp-linear/two-apart", "-n", "2")
base = f"/{token}/"
shortest = []
for faults, fault in (False, "none"), (True, "death"):
    checked = subprocess.run([berth, "check", "rp-linear/two-apart", "-n", "2", "--fault", fault, "--only", "window",
                              "--json"], stdout=subprocess.PIPE, check=False).stdout
    shortest.append(json.loads(checked)["claims"][0]["witness_steps"])
    schedule = play("", go="break", faults=faults)["schedule"]
    expect(f"faults {faults}: as short as the checker's", len(schedule.split()) == shortest[-1])
    expect(f"faults {faults}: deaths", ("!" in schedule) == faults)
expect("a death makes a difference", shortest[1] < shortest[0])
process.terminate()
process.wait()

print("\n".join(wrong))
sys.exit(1 if wrong else 0)
END
# ---- connections of another local user keep nobody waiting ----

# With the system's Python: another may be in a folder that these users cannot enter.
become() { local user=$1; shift; exec setpriv --reuid="$user" --regid="$user" --clear-groups env PATH=/usr/bin:/bin "$@"; }
as() { (become "$@"); }
if [ "$(id -u)" -eq 0 ] && as 65533 test -x "$BERTH" && as 65533 python3 -c ''; then
    become 65533 "$BERTH" explore rp-two </dev/null >"$output" 2>/dev/null &
    explorer=$!
    for _ in $(seq 1000); do
        [ -s "$output" ] && break
        sleep 0.05
    done
    address=$(cat "$output")
    port=${address#http://127.0.0.1:}
    port=${port%%/*}
    become 65534 python3 -c '
import socket, sys, time
held = [socket.create_connection(("127.0.0.1", int(sys.argv[1]))) for _ in range(4)]
print("ready", flush=True)
time.sleep(30)' "$port" >"$output.held" &
    holder=$!
    for _ in $(seq 1000); do
        [ -s "$output.held" ] && break
        sleep 0.05
    done
    took=$(as 65533 python3 -c '
import sys, time, urllib.request
start = time.monotonic()
assert b"<html" in urllib.request.urlopen(sys.argv[1], timeout=30).read()
print(int(time.monotonic() - start))' "$address")
    [ "${took:-99}" -lt 4 ] || complain "another user holds it up for ${took:-99} s"
    kill "$explorer" "$holder"
    wait "$explorer" "$holder" 2>/dev/null
    rm -f "$output.held"
else
    echo "left out: connections of another user"
fi
finish
