#!/bin/bash
# Output that cannot be written, for every command that has some: one line, and status 125. Files that
# are asked for: a plain one is replaced whole, a link is written through, and a pipe or a device is
# written to and stays what it is. BERTH is the command under test.
subcommand=check
rows_in=
# shellcheck source=pool.bash
. "$(dirname "$0")/pool.bash"

one_line() {
    [ "$(wc -l <"$output")" -eq 1 ] || complain "$*: not one line"
    grep -q '^berth: .*cannot write' "$output" || complain "$*: says something else"
}

# ---- standard output ----

"$BERTH" run gpu -- true
while read -r arguments; do
    # shellcheck disable=SC2086 # several words
    timeout 60 "$BERTH" $arguments >/dev/full 2>"$output" </dev/null
    [ $? -eq 125 ] || complain "berth $arguments: a full disk is not noticed"
    one_line "$arguments >/dev/full"
    # shellcheck disable=SC2086
    timeout 60 "$BERTH" $arguments >&- 2>"$output" </dev/null
    [ $? -eq 125 ] || complain "berth $arguments: a closed output is not noticed"
    one_line "$arguments >&-"
done <<'LIST'
--help
--version
run --help
status
status --json
ls
ls -q
ls --json
protocols
protocols --json
check rp-two
check rp-two --json
trace rp-two
explore rp-two
space burns-bit -n 2
space burns-bit -n 2 --json
refute burns-bit -n 2
refute burns-bit -n 2 --json
search
search --json
stress rp-two --threads --seconds 0.1
stress rp-two --threads --seconds 0.1 --json
bench --quick --only uncontended --subject berth
bench --quick --only uncontended --subject berth --json
LIST

# Standard error may be gone: the status is the same.
"$BERTH" status nobody 2>&-
[ $? -eq 1 ] || complain "without standard error"
"$BERTH" status nobody 2>/dev/full
[ $? -eq 1 ] || complain "with standard error on a full disk"

# ---- files ----

# A full device of our own: /dev/full would be lost if it were replaced.
cd "$dir" || exit 1
device=no
if mknod full c 1 7 2>"$output" && (: >full) 2>"$output"; then device=yes; fi

# Links that the kernel does not follow: on a file system that is mounted for it, and, where that is set, those that
# another user has made in a folder such as /tmp.
no_links=no protected=no
unshare -m sh -c 'mkdir -p "$1" && mount -t tmpfs -o nosymfollow none "$1"' sh "$dir/no-links" 2>"$output" && no_links=yes
mkdir -p no-links
[ "$(id -u)" -eq 0 ] && [ "$(cat /proc/sys/fs/protected_symlinks)" = 1 ] && protected=yes
mkdir -m 1777 sticky
# refused_link WHERE COMMAND...: a link there is not followed, and the file that it leads to stays as it is.
refused_link() {
    local link=$1/link
    shift
    echo before >victim
    ln -sf "$dir/victim" "$link" || complain "no link: $link"
    [ "$(id -u)" -ne 0 ] || chown -h 65534 "$link"
    "$BERTH" "$@" "$link" >"$output" 2>&1
    [ $? -eq "$refused" ] || complain "$* $link: not refused"
    one_line "$* $link"
    [ "$(cat victim)" = before ] || complain "$* $link: the file was written"
    [ -L "$link" ] || complain "$* $link: the link is none any more"
}

# Each command that writes a file: its status, and that where it cannot.
while IFS='|' read -r status refused words; do
    read -ra words <<<"$words"
    mkfifo pipe
    timeout 60 cat pipe >through &
    timeout 60 "$BERTH" "${words[@]}" pipe >"$output" 2>&1
    [ $? -eq "$status" ] || complain "${words[*]}: into a pipe"
    wait $!
    [ -p pipe ] || complain "${words[*]}: the pipe is none any more"
    [ -s through ] || complain "${words[*]}: nothing came through the pipe"
    rm -f pipe through
    echo before >plain
    ln -sf plain link
    "$BERTH" "${words[@]}" link >"$output" 2>&1
    [ $? -eq "$status" ] || complain "${words[*]}: through a link"
    [ -L link ] || complain "${words[*]}: the link is none any more"
    [ "$(head -n 1 plain)" != before ] || complain "${words[*]}: the link was not written through"
    for file in '' "$dir" none/file; do
        timeout 60 "$BERTH" "${words[@]}" "$file" >"$output" 2>&1
        [ $? -eq "$refused" ] || complain "${words[*]} '$file': not refused"
        one_line "${words[*]} '$file'"
    done
    [ $protected = no ] || refused_link "$dir/sticky" "${words[@]}"
    if [ $no_links = yes ]; then
        export -f refused_link complain one_line
        export dir refused BERTH output failures
        unshare -m bash -c 'mount -t tmpfs -o nosymfollow none "$dir/no-links" && cd "$dir" &&
            refused_link "$dir/no-links" "$@" && exit "$failures"' bash "${words[@]}" || failures=$((failures + 1))
    fi
    [ $device = yes ] || continue
    "$BERTH" "${words[@]}" full 2>"$output" >/dev/null
    [ $? -eq 125 ] || complain "${words[*]}: a full device"
    one_line "${words[*]} full"
    [ -c full ] || complain "${words[*]}: the device is none any more"
done <<'LIST'
1|2|check rp-n/printed -n 2 --witness
0|2|trace rp-two
0|125|space burns-bit -n 2 --svg
0|125|search --write
0|125|bench --quick --only uncontended --subject berth --svg
LIST
[ $device = yes ] || echo "left out: no device can be made here"
[ $no_links = yes ] || echo "left out: a file system on which links are not followed cannot be mounted here"
[ $protected = yes ] || echo "left out: links of other users, which this kernel is not set to protect from"
left=$(find . -name '*.??????')
[ -z "$left" ] || complain "left behind: $left"

# ---- and one that is read ----

# A graph that is no text comes to an end, and a line that is too long is not taken for two.
printf '# %0300d\n0 1\n' 0 >long
for file in /dev/zero long; do
    expect 2 dining --graph "$file"
    grep -q 'line 1: ' "$output" || complain "--graph $file: says something else"
done

finish
