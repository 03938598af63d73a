# A terminal, of tmux, for the tests of `berth top`; sourced by them. They have `complain`, `finish`, `end_all`
# and `eventually`, a folder $dir, a file $output, and BERTH, the command under test. It is skipped without
# tmux.
if ! command -v tmux >/dev/null || [ ! -x "$(dirname "$BERTH")/berth-top" ]; then
    echo "SKIPPED: tmux is not installed, or berth-top was not built"
    exit 77
fi

# A server of our own, with no file of anybody's settings.
export TMUX_TMPDIR=$dir
unset TMUX
terminal() { tmux -L top -f /dev/null "$@"; }
end_terminal() {
    terminal kill-server 2>/dev/null
    # shellcheck disable=SC2046 # a list of numbers
    kill $(jobs -p) 2>/dev/null # and they end the commands that they run
    wait
    end_all
}
trap end_terminal EXIT

if ! LC_ALL=C.UTF-8 terminal new-session -d -s top -x 80 -y 24 'sleep 600' \; \
    set-option -g status off 2>"$output"; then
    complain "tmux does not start"
    finish
fi

# open COLUMNS ROWS COMMAND: a terminal of this size with a shell command in it, and nothing else; a
# program that ran in it before gets SIGHUP. It stays for a while, so that its last output can be read.
open() {
    resize "$1" "$2"
    terminal respawn-window -k -t top \
        "export BERTH_STORE='$BERTH_STORE' PATH='$dir/bin:$PATH'; $3; exec sleep 60"
}
resize() { terminal resize-window -t top -x "$1" -y "$2"; }
press() { terminal send-keys -t top "$@"; }
screen() { terminal capture-pane -p -t top >"$output"; }
shows() { screen && grep -qE -- "$1" "$output"; }
shows_not() { screen && ! grep -qE -- "$1" "$output"; }
about() { terminal display-message -p -t top "#{$1}"; }
# The number of the program in the terminal.
top_pid() { pgrep -x berth-top -t "$(about pane_tty | sed 's|^/dev/||')"; }

# agrees POOL: in the end, the screen has what status --json has of the pool: all that hold, as far as there is
# room, and those that wait, in order, from the first that is on the screen.
agrees() { eventually "$2" agrees_now "$1" || cat "$dir/wrong"; }
agrees_now() {
    screen
    "$BERTH" status "$1" --json >"$dir/status.json"
    python3 - "$output" "$dir/status.json" "$1" >"$dir/wrong" <<'END'
import json, re, sys

lines = open(sys.argv[1]).read().split('\n')
pool = json.load(open(sys.argv[2]))['pools'][0]
row = re.compile(r'  (slot|place) (\d+) +(\d+) +\S+ +(?:[\d.]+ s|[\d:]+) *(.*)')
shown = {'slot': [], 'place': []}
for line in lines:
    found = row.match(line)
    if found:
        kind, number, pid, command = found.groups()
        shown[kind].append((int(number), int(pid), command))
wrong = []
for kind, users in (('slot', pool['holders']), ('place', pool['waiters'])):
    real = [(u[kind], u['pid'], u['command']) for u in users]
    if not shown[kind]:
        if real:
            wrong.append(f'no {kind} of {len(real)}')
        continue
    numbers = [number for number, _, _ in real]
    at = numbers.index(shown[kind][0][0]) if shown[kind][0][0] in numbers else 0
    for seen, is_so in zip(shown[kind], real[at:] + [None] * len(shown[kind])):
        if is_so is None or seen[:2] != is_so[:2] or not is_so[2].startswith(seen[2].rstrip()):
            wrong.append(f'{kind}: {seen}, but {is_so}')
heading = [line for line in lines if re.match(rf'[> ] {sys.argv[3]} ', line)]
numbers = [str(pool['slots']), str(len(pool['holders'])), str(len(pool['waiters']))]
if not heading or heading[0][2:].split()[1:4] != numbers:
    wrong.append(f'{heading}, but {numbers}')
print(*wrong, sep='\n')
sys.exit(bool(wrong))
END
}
first_place() { screen && [ "$(awk '$1 == "place" { print $2; exit }' "$output")" = "$1" ]; }
last_place() { screen && [ "$(awk '$1 == "place" { last = $2 } END { print last }' "$output")" = "$1" ]; }

mkdir "$dir/bin"
ln -s "$BERTH" "$dir/bin/berth"
