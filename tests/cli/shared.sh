#!/bin/bash
# Pools of several users, and pools that are declared: create, mode and group, a declared store, devices,
# what an earlier boot has left, hard links, the default store. Parts of it need root, and say so.
# BERTH is the command under test.
# shellcheck disable=SC2016,SC2317 # what is in single quotes is for the command's shell
subcommand=create
rows_in=pools
# shellcheck source=pool.bash
. "$(dirname "$0")/pool.bash"
says() { grep -q -- "$1" "$output" || complain "does not say: $1"; }

# ---- create ----

expect 0 -j 3 -m 0640 made
[ "$(stat -c %a "$BERTH_STORE/made.berth")" = 640 ] || complain "the mode: $(stat -c %a "$BERTH_STORE/made.berth")"
state_is made '3 0 0' || complain "the slots: $(state made)"
expect 0 -j 3 made # as it is
expect 1 -j 4 made
says 'exists with 3 slots'
expect 0 --seats 2 -j 1 small
while read -r arguments; do
    # shellcheck disable=SC2086 # several words
    expect 2 $arguments
    [ "$(wc -l <"$output")" -eq 1 ] || complain "create $arguments: not one line"
done <<'LIST'

a b
-j 0 a
-j 1025 a
-m 9 a
-g no-such-group a
--seats 0 a
--declared a
--declared -j 2
.hidden
--nothing
LIST

# ---- no job is lost because seats ran out ----

"$BERTH" run small -- sleep 60 &
one=$!
eventually "the first of two seats" state_is small '1 1 0'
"$BERTH" run small -- true &
two=$!
eventually "the second" state_is small '1 1 1'
"$BERTH" run small -- touch "$dir/third" 2>"$dir/third-said" &
three=$!
subcommand=run
expect 75 -n small -- true
expect 75 -w 0.2 small -- true
kill $one
wait $one
wait $two || complain "the second: status $?"
wait $three || complain "the third: status $?"
[ -e "$dir/third" ] || complain "the third was lost"
grep -q 'all 2 seats' "$dir/third-said" || complain "does not say what it waits for"

# ---- declared by the user ----

mkdir -p "$XDG_CONFIG_HOME/berth/pools.d"
cat >"$XDG_CONFIG_HOME/berth/pools.d/lab.conf" <<END
# Two jobs on each of two cards.
[cards]
devices = 0 0 1 1

[license]
slots = 3
mode = 0644
store = $dir/elsewhere
END
echo 'slots = 2' >"$XDG_CONFIG_HOME/berth/pools.d/plain.conf"
mkdir -m 755 "$dir/elsewhere"
expect 0 --env 'CARD={device}' cards:4 -- sh -c 'echo $BERTH_SLOTS $BERTH_DEVICE $CARD'
[ "$(cat "$output")" = '4 0,1 0,1' ] || complain "devices"
expect 0 cards -- sh -c 'echo $((BERTH_SLOT / 2 == BERTH_DEVICE))'
[ "$(cat "$output")" = 1 ] || complain "the device of a slot"
expect 0 cards,plain -- sh -c 'echo $BERTH_DEVICE'
grep -qE '^[01] -$' "$output" || complain "devices of two pools"
expect 0 cards -- "$BERTH" run plain -- sh -c 'echo "${BERTH_DEVICE-none}"'
[ "$(cat "$output")" = none ] || complain "another run's device"
expect 2 --env 'CARD={device}' plain -- true
expect 0 license -- true
[ "$(stat -c %a "$dir/elsewhere/license.berth")" = 644 ] || complain "the declared store and mode"
state_is license '3 0 0' || complain "the declared slots: $(state license)"
state_is plain '2 0 0' || complain "a declaration by the file's name: $(state plain)"
expect 125 -j 1 plain -- true # -j is compared with it
[ "$("$BERTH" ls -q | tr '\n' ' ')" = 'cards license made plain small ' ] || complain "ls: $("$BERTH" ls -q | tr '\n' ' ')"
for command in "resize license 2" "wait license" "drain license" "resize license 3" "status license" "rm license"; do
    # shellcheck disable=SC2086 # several words
    "$BERTH" $command >"$output" 2>&1 || complain "$command of a pool that is declared elsewhere"
done
[ ! -e "$dir/elsewhere/license.berth" ] || complain "rm of a pool that is declared elsewhere"
expect 0 --store "$BERTH_STORE" license -- true # another pool, which is not declared
state_is license '1 0 0' && complain "--store is not heeded"
"$BERTH" rm --store "$BERTH_STORE" license
# All at once; and again, when the files have changed.
sed -i 's/slots = 3/slots = 5/' "$XDG_CONFIG_HOME/berth/pools.d/lab.conf"
"$BERTH" create --declared || complain "create --declared"
state_is license '5 0 0' || complain "create --declared: $(state license)"
sed -i 's/slots = 5/slots = 4/' "$XDG_CONFIG_HOME/berth/pools.d/lab.conf"
"$BERTH" create --declared || complain "create --declared again"
state_is license '4 0 0' || complain "create --declared again: $(state license)"
# A store that cannot be listed is told of, and hides no pool that is declared elsewhere.
touch "$dir/file"
BERTH_STORE=$dir/file "$BERTH" ls -q >"$output" 2>"$dir/errors" && complain "ls of a store that is a file"
grep -qx license "$output" || complain "ls hides declared pools: $(cat "$output")"
grep -q "$dir/file" "$dir/errors" || complain "ls does not name the store: $(cat "$dir/errors")"
# More slots than devices: refused before anything runs.
"$BERTH" resize cards 5
expect 125 cards -- touch "$dir/never"
says 'declares devices for 4'
"$BERTH" resize cards 4
# What is wrong in a file is said of its pools, with the line and the key, and of no others; a mistake in a
# head refuses the pool that it may be about.
wrong=$XDG_CONFIG_HOME/berth/pools.d/wrong.conf
cat >"$wrong" <<'END'
[good]
slots = 2
[bad]
slots = many
mode = x
[after]
slots = 2
[open
slots = 3
[comment] # cards
slots = 3
(round)
[strange]
slotz = 3
nmae = other
[two words]
[fine]
slots = 7
END
refused() { # POOL WORD...
    local pool=$1
    shift
    subcommand=run expect 125 "$pool" -- touch "$dir/never"
    for word; do says "$word"; done
    [ ! -e "$BERTH_STORE/$pool.berth" ] || complain "$pool was made in the default store"
}
expect 0 good -- true
refused bad 'wrong.conf, line 4: slots: not a number'
expect 0 after -- sh -c 'echo $BERTH_SLOTS'
refused open 'wrong.conf, line 8' ']'
refused comment 'wrong.conf, line 10' ']'
refused round 'wrong.conf, line 12'
refused strange 'wrong.conf, line 14' 'slotz'
refused other 'wrong.conf, line 15'
refused two 'wrong.conf, line 16'
refused words 'wrong.conf, line 16'
expect 0 fine -- true
state_is fine '7 0 0' || complain "a pool after mistakes: $(state fine)"
expect 0 plain -- true
for command in "resize bad 2" "drain bad" "rm bad" "wait bad" "status bad" "create bad"; do
    # shellcheck disable=SC2086 # several words
    "$BERTH" $command >"$output" 2>&1
    [ $? -eq 125 ] || complain "$command of a pool with a mistake: $(cat "$output")"
    says 'line 4'
done
"$BERTH" create --declared >"$output" 2>&1 && complain "create --declared with mistakes"
for line in 4 8 10 14 16; do says "line $line:"; done
# What a user guesses does not win over a declaration, wherever that is.
printf 'plain cards\n' >"$XDG_CONFIG_HOME/berth/pools.d/a.conf"
expect 0 plain -- true
refused a 'a.conf, line 1'
# What is no plain file is not waited for, and refuses the pool that it is named after.
rm "$XDG_CONFIG_HOME/berth/pools.d/a.conf"
mkfifo "$XDG_CONFIG_HOME/berth/pools.d/pipe.conf"
mkdir "$XDG_CONFIG_HOME/berth/pools.d/folder.conf"
printf 'slots = 2\0\n' >"$XDG_CONFIG_HOME/berth/pools.d/zero.conf"
expect 0 plain -- true
says 'pipe.conf'
refused pipe 'not a plain file'
refused folder 'not a plain file'
refused zero 'zero.conf, line 1'
[ ! -e "$dir/never" ] || complain "ran"
rm -r "$XDG_CONFIG_HOME/berth"

# ---- an earlier boot, and a hard link ----

old_boot() { printf '00000000-1111-2222-3333-444444444444' | dd of="$1" bs=1 seek=40 conv=notrunc status=none; }
expect 0 -q -j 3 ages -- sh -c 'echo $BERTH_TOKEN'
token=$(cat "$output")
old_boot "$BERTH_STORE/ages.berth"
state_is ages '3 0 0' || complain "a pool of an earlier boot: $(state ages)"
expect 0 --existing ages -- sh -c 'echo $BERTH_TOKEN $BERTH_SLOTS'
read -r later slots <"$output"
[[ $later -gt $token && $slots -eq 3 ]] || complain "after a boot: token $token, then $later; $slots slots"
old_boot "$BERTH_STORE/ages.berth"
"$BERTH" resize ages 2 || complain "resize after a boot"
"$BERTH" drain ages 2>/dev/null
old_boot "$BERTH_STORE/ages.berth"
expect 75 -n ages -- true # drained it was, and is
"$BERTH" resize ages 2
expect 0 -n ages:2 -- true
ln "$BERTH_STORE/ages.berth" "$dir/link"
expect 0 -n ages -- true
"$BERTH" rm ages || complain "rm of a pool with a second name"

# ---- as two users ----

if [ "$(id -u)" -ne 0 ]; then
    echo "left out, because this is not root: pools of two users"
    finish
fi
alice=54321 bob=54322 group=54323
chmod 711 "$dir"
mkdir -m 755 "$dir/system"
as() {
    local user=$1
    shift
    setpriv --reuid="$user" --regid="$user" --groups="$group" env -u XDG_CONFIG_HOME -u HOME "$@"
}
if ! as $alice "$BERTH" --version >"$output" 2>&1; then
    echo "left out, because others may not run $BERTH: pools of two users"
    finish
fi
export BERTH_STORE=$dir/system
subcommand=create
expect 0 -j 2 -m 0666 all
expect 0 -j 2 -m 0660 -g $group members
[ "$(stat -c '%a %g' "$dir/system/members.berth")" = "660 $group" ] || complain "-g"
for user in $alice $bob; do
    as $user "$BERTH" run all -- true || complain "user $user: a pool of mode 0666"
    as $user "$BERTH" run members -- true || complain "user $user: a pool of its group"
    as $user "$BERTH" resize all 3 || complain "user $user: resize"
    as $user "$BERTH" resize all 2
    old_boot "$dir/system/all.berth"
    as $user "$BERTH" run -j 2 all -- true || complain "user $user: after a boot"
    old_boot "$dir/system/all.berth"
    as $user "$BERTH" resize all 2 || complain "user $user: resize after a boot"
done
setpriv --reuid=$bob --regid=$bob --clear-groups env -u HOME "$BERTH" run members -- true 2>"$output" && complain "not a member"
# A hard link of a stranger's makes it unusable for nobody.
mkdir -m 777 "$dir/strange"
if as $bob ln "$dir/system/all.berth" "$dir/strange/link" 2>/dev/null; then
    as $alice "$BERTH" run all -- true || complain "a hard link has made the pool unusable"
else
    echo "left out: others may make no hard links here"
fi
# Its users are shown by name.
as $alice "$BERTH" run all -- sleep 60 &
eventually "alice holds a slot" state_is all '2 1 0'
"$BERTH" status all --json >"$output"
check users "rows[0]['holders'][0]['user'] == '$alice'"
as $bob "$BERTH" status all | grep -q " $alice " || complain "bob does not see alice"
as $bob "$BERTH" rm all 2>"$output" && complain "bob has removed root's pool"
pkill -TERM -P $! -x berth || kill $!
wait $!
# Nobody makes pools in the system's store but root.
as $bob "$BERTH" run new -- true 2>"$output"
[ $? -eq 125 ] || complain "bob has made a pool in root's store"

# ---- the default store ----

unset BERTH_STORE
mkdir -m 700 "$dir/home" && chown $alice "$dir/home"
[ ! -e /dev/shm/berth-$alice ] || complain "there is a /dev/shm/berth-$alice"
at_home() { setpriv --reuid=$alice --regid=$alice --clear-groups env HOME="$dir/home" "$@"; }
at_home "$BERTH" run mine -- true || complain "the default store"
[ "$(stat -c '%a %u' "$dir/home/.local/state/berth")" = "700 $alice" ] || complain "its mode and owner"
# Anybody can make a directory of that name; it keeps nobody from their pools.
install -d -m 755 -o $bob /dev/shm/berth-$alice
touch /dev/shm/berth-$alice/mine.berth
at_home "$BERTH" run -n mine -- true || complain "a squatter in /dev/shm keeps alice from her pools"
at_home "$BERTH" ls -q >/dev/null || complain "a squatter in /dev/shm spoils ls"
rm -r /dev/shm/berth-$alice

# ---- declared by an administrator ----

# In a namespace of its own, where /etc is a copy and /run is empty.
cat >"$dir/administrator" <<'END'
set -e
dir=$1 alice=$2 bob=$3
mkdir "$dir/upper" "$dir/work"
mount -t overlay overlay -o "lowerdir=/etc,upperdir=$dir/upper,workdir=$dir/work" /etc || exit 77
mount -t tmpfs -o mode=755 tmpfs /run || exit 77
mkdir -p /etc/berth/pools.d
printf '[gpu]\ndevices = 0 0 1 1\n' >/etc/berth/pools.d/gpu.conf
members=4242 # a group
as() { local user=$1; shift; setpriv --reuid="$user" --regid="$user" --groups $members env HOME="$dir/home-$user" "$@"; }
for user in $alice $bob; do
    install -d -m 700 -o "$user" "$dir/home-$user"
    as "$user" "$BERTH" run gpu -- true 2>"$dir/said" && { echo "user $user has made root's pool"; exit 1; }
    grep -q 'declared in /etc/berth/pools.d/gpu.conf' "$dir/said" || { echo "does not say where it is declared"; exit 1; }
done
sed -n 's/^d //p' "$SRC/share/systemd/tmpfiles.conf" | while read -r folder mode owner group _; do
    install -d -m "$mode" -o "$owner" -g "$group" "$folder"
done
# Without a group it is for nobody else, which is said.
"$BERTH" create --declared 2>"$dir/said"
grep -q 'names no group, so nobody else may use it' "$dir/said" || { echo "nothing about the group: $(cat "$dir/said")"; exit 1; }
[ "$(stat -c %a /run/berth/gpu.berth)" = 660 ] || { echo "mode $(stat -c %a /run/berth/gpu.berth)"; exit 1; }
as $alice "$BERTH" run gpu -- true 2>"$dir/said" && { echo "a pool without a group is for everybody"; exit 1; }
echo "group = $members" >>/etc/berth/pools.d/gpu.conf
"$BERTH" create --declared 2>"$dir/said"
[ ! -s "$dir/said" ] || { echo "says $(cat "$dir/said")"; exit 1; }
members=4243 as $alice "$BERTH" run gpu -- true 2>"$dir/said" && { echo "not a member"; exit 1; }
for user in $alice $bob; do
    [ "$(as "$user" "$BERTH" run gpu:4 -- sh -c 'echo $BERTH_SLOTS $BERTH_DEVICE')" = '4 0,1' ] || { echo "user $user"; exit 1; }
done
# A user's file of the same name does not split the cap.
mkdir -p "$dir/home-$alice/.config/berth/pools.d"
printf '[gpu]\nslots = 100\n' >"$dir/home-$alice/.config/berth/pools.d/gpu.conf"
chmod -R go+rX "$dir/home-$alice/.config"
[ "$(as $alice "$BERTH" run gpu -- sh -c 'echo $BERTH_SLOTS')" = 4 ] || { echo "a user's file comes first"; exit 1; }
as $bob "$BERTH" ls | grep -q '^gpu  *4 ' || { echo "ls does not show it"; exit 1; }
END
SRC=${SRC:-$(dirname "$0")/../..} BERTH=$BERTH unshare --mount bash "$dir/administrator" "$dir" $alice $bob >"$output" 2>&1
case $? in
0) ;;
77) echo "left out: nothing can be mounted here" ;;
*) complain "pools that an administrator declares" ;;
esac

finish
