# What the tests of pools share; sourced by them after `subcommand` and `rows_in` are set. Gives them
# a store of their own and a folder for files, $dir.
# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"

dir=$(mktemp -d) || exit 1
export BERTH_STORE=$dir/store
export XDG_CONFIG_HOME=$dir/config # where nothing is declared
mkdir "$BERTH_STORE"
chmod 700 "$BERTH_STORE"

# Processes that still run were started by this script, and are ended by their numbers.
end_all() {
    # shellcheck disable=SC2046 # a list of numbers
    kill -KILL $(jobs -p) 2>/dev/null
    [ ! -s "$dir/pids" ] || xargs kill -KILL <"$dir/pids" 2>/dev/null
    rm -rf "$dir" "$output"
}
trap end_all EXIT

# shellcheck source=../waiting.bash
. "$(dirname "$0")/../waiting.bash"

# held_by POOL SLOT: the process that status shows for it.
held_by() { "$BERTH" status "$1" | awk -v slot="$2" '$1 == "slot" && $2 == slot { print $3 }'; }

# hold POOL OPTION...: starts `berth run` with a command that lasts; $holder is its number, and
# $worker the command's. It lasts $lasting seconds, or 60.
hold() {
    local pool=$1 before
    before=$(state "$pool" | cut -d ' ' -f 2)
    "$BERTH" run "$@" -- sleep "${lasting:-60}" &
    holder=$!
    eventually "a slot of $pool" held_more_than "$pool" "${before:-0}"
    eventually "the command of $holder" find_worker "$holder"
}
held_more_than() { [ "$(state "$1" | cut -d ' ' -f 2)" -gt "$2" ] 2>/dev/null; }
find_worker() {
    worker=$(pgrep -P "$1")
    [ -n "$worker" ] && echo "$worker" >>"$dir/pids"
}
