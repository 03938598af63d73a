# What the tests of the jobserver share; sourced by them after tests/cli/pool.bash. WORK is the
# program tests/jobserver/work.c, which counts from outside how many jobs there are.
: "${WORK:?}"

# new_yard LIMIT [MEET]: a folder in which at most LIMIT jobs may run at once, and MEET of them have to, once.
new_yard() {
    yard=$(mktemp -d "$dir/yard.XXXXXX")
    limit=$1
    [ $# -lt 2 ] || echo "$2" >"$yard/meet"
}

# makefile FOLDER JOBS MILLISECONDS [NAME]: a build with this many jobs, for make and for ninja.
makefile() {
    local folder=$1 jobs=$2 time=$3 name=${4:-${1##*/}} i
    mkdir -p "$folder"
    {
        echo "all: $(seq -s ' ' -f 'job%g' "$jobs")"
        echo 'job%:'
        echo "	@$WORK $yard $limit $time $name"
    } >"$folder/Makefile"
    {
        echo 'rule work'
        echo "  command = $WORK $yard $limit $time $name && touch \$out"
        for ((i = 1; i <= jobs; i++)); do echo "build done$i: work"; done
    } >"$folder/build.ninja"
}

# most: how many jobs there were at once in the yard.
most() { awk '$2 + 1 > most { most = $2 + 1 } END { print most + 0 }' "$yard/begun" 2>/dev/null; }
jobs_done() { awk -v name="$1" '$1 == name' "$yard/log" 2>/dev/null | wc -l; }

# count_is WHAT JOBS: this many jobs were done, and never too many at once.
count_is() {
    local found
    found=$(cat "$yard/log" 2>/dev/null | wc -l)
    [ "$found" -eq "$2" ] || complain "$1: $found jobs were done, not $2"
    [ ! -e "$yard/over" ] || complain "$1: more than $limit at once: $(sort -u "$yard/over")"
}

# parallel WHAT: two jobs at least ran at the same time.
parallel() { [ "$(most)" -ge 2 ] || complain "$1: never two jobs at once"; }

# nothing_held POOL SLOTS: all slots of it are back.
nothing_held() { eventually "all slots of $1 are back: $(state "$1")" state_is "$1" "$2 0 0"; }

# build FOLDER COMMAND...: runs the command in the folder, its output in $output.
build() {
    local folder=$1 status
    shift
    (cd "$folder" && exec timeout -k 5 120 "$@") >"$output" 2>&1
    status=$?
    [ "$status" -eq 0 ] || complain "$*: status $status"
}

# newer NAME: the path of a newer make or ninja, or a word about why there is none.
newer_at=$(dirname "$BERTH")/newer-clients
newer() {
    [ -e "$newer_at/done" ] || timeout 120 "$SRC/tools/newer-clients" "$newer_at" >"$dir/newer" 2>&1 || {
        echo "SKIPPED: $1: $(tail -n 1 "$dir/newer")"
        return 1
    }
}
