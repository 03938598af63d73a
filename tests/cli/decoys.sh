#!/bin/bash
# Nothing of berth is found by argv[0], PATH, the current directory, HOME or TMPDIR: every command is run once where
# all of these lead to files that are named like parts of berth, and none of them is opened. The same for an
# installation, beside whose files such files lie. BERTH is the command under test, SRC the source.
set -u
build=$(dirname "$BERTH")
work=$(realpath "$(mktemp -d)") || exit 1
output=$work/output
failures=0
watcher=
trap '[ -z "$watcher" ] || kill "$watcher"; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

complain() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

parts=(berth berth-etcd berth-guardian berth-lab berth-top libberth.so libberth.so.0 libberth-etcd.so
    libberth-etcd.so.0 include share pools pools.d peterson peterson.c step.h)

# decoys FOLDER: all parts, as files that could be run and as a library that could be loaded.
cat >"$work/mark.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void mark(void) { fputs("a decoy was run\n", stderr); _exit(99); }
int main(void) { return 0; }
C
sed -i '1i #include <unistd.h>' "$work/mark.c"
"${CC:-cc}" -shared -fPIC "$work/mark.c" -o "$work/mark.so" || exit 1
"${CC:-cc}" "$work/mark.c" -o "$work/mark" || exit 1
decoys() {
    local part
    mkdir -p "$1"
    for part in "${parts[@]}"; do
        case $part in
        lib*) ln "$work/mark.so" "$1/$part" 2>/dev/null || true ;;
        *) [ -e "$1/$part" ] || cp "$work/mark" "$1/$part" ;;
        esac
    done
}

# watch FOLDER...: from now on $work/opened has what is opened, read or changed in these folders and has the name of a
# part.
cat >"$work/watch.py" <<'P'
import ctypes, os, struct, sys
log, parts, folders = sys.argv[1], set(sys.argv[2].split()), sys.argv[3:]
libc = ctypes.CDLL(None, use_errno=True)
fd = libc.inotify_init1(0)
IN_ACCESS, IN_MODIFY, IN_ATTRIB, IN_OPEN, IN_MOVED, IN_DELETE = 1, 2, 4, 32, 192, 512
folder_of = {}
for folder in folders:
    number = libc.inotify_add_watch(fd, folder.encode(), IN_ACCESS | IN_MODIFY | IN_ATTRIB | IN_OPEN | IN_MOVED | IN_DELETE)
    assert number > 0, (folder, ctypes.get_errno())
    folder_of[number] = folder
print('ready', flush=True)
with open(log, 'a', buffering=1) as opened:
    while True:
        events, at = os.read(fd, 65536), 0
        while at < len(events):
            number, mask, _, length = struct.unpack_from('iIII', events, at)
            name = events[at + 16:at + 16 + length].rstrip(b'\0').decode()
            at += 16 + length
            if name in parts:
                opened.write(f'{folder_of[number]}/{name} {mask:#x}\n')
P
watch() {
    : >"$work/opened"
    python3 "$work/watch.py" "$work/opened" "${parts[*]}" "$@" >"$work/ready" &
    watcher=$!
    for _ in $(seq 100); do
        [ -s "$work/ready" ] && return
        sleep 0.05
    done
    complain "nobody watches"
}

# untouched WHAT: since the last call nothing was opened.
untouched() {
    sleep 0.1 # for the watcher to write it down
    if [ -s "$work/opened" ]; then
        complain "$1: opens $(sort -u "$work/opened" | tr '\n' ' ')"
        cat "$output"
    fi
    : >"$work/opened"
}

here=$work/here
home=$work/home
store=$work/store
mkdir -m 700 "$store" "$work/config" "$work/cache"
for folder in "$here" "$here/.." "$home" "$home/.local/bin" "$home/bin" "$home/.cache/berth" "$work/tmp"; do
    decoys "$folder"
done

# ---- an installation, with decoys beside its files ----

cmake --install "$build" --prefix "$work/installed" >"$output" 2>&1 || complain "it cannot be installed: $(tail -1 "$output")"
bin=$(dirname "$(find "$work/installed" -type f -perm -100 -name berth)")
programs=$(dirname "$(find "$work/installed" -type f -name berth-lab)")
libraries=$(dirname "$(find "$work/installed" -name libberth.so.0)")
for folder in "$bin" "$programs" "$libraries"; do
    mkdir "$folder/kept"
    for part in "${parts[@]}"; do
        [ ! -e "$folder/$part" ] || ln -s . "$folder/kept/$part"
    done
    decoys "$folder/beside"
    for part in "${parts[@]}"; do
        [ -e "$folder/kept/$part" ] || mv "$folder/beside/$part" "$folder/"
    done
done

beside=() # the parts that do not belong there
for folder in "$bin" "$programs" "$libraries"; do
    for part in "${parts[@]}"; do
        [ -e "$folder/kept/$part" ] || beside+=("$folder/$part")
    done
done

watch "$here" "$work" "$home" "$home/.local/bin" "$home/bin" "$home/.cache/berth" "$work/tmp" "${beside[@]}"

# That the watch works.
cat "$here/berth-guardian" >/dev/null
sleep 0.1
grep -q "$here/berth-guardian" "$work/opened" || complain "the watch does not see what is opened"
: >"$work/opened"

# ---- every command ----

# The arguments of each command that let it do its work, and those with a store whose server does not answer.
arguments() {
    case $1 in
    run) echo "gpu -- /bin/true" ;;
    create | drain | rm) echo "other" ;;
    resize) echo "gpu 2" ;;
    wait | status) echo "gpu" ;;
    ls) ;;
    top) echo "--once -d 0.1" ;;
    check) echo "peterson" ;;
    protocols) ;;
    prove) echo "burns-a --smt $work/smt" ;;
    trace) echo "peterson $work/trace.html" ;;
    explore) echo "--help" ;;
    space) echo "peterson" ;;
    refute) echo "burns-bit" ;;
    stress) echo "peterson --seconds 0.1" ;;
    search) echo "--values 1" ;;
    bench) echo "--help" ;;
    jobs) ;;
    log | kill) echo 1 ;; # which is no job
    new) echo "lock$RANDOM" ;;
    *) return 1 ;;
    esac
}
commands=$("$BERTH" --help | sed -nE 's/^  ([a-z]+) .*/\1/p')
cd "$here" || exit 1
export HOME=$home TMPDIR=$work/tmp XDG_CONFIG_HOME=$work/config
run_as() { # NAME PROGRAM ARGUMENT...: with NAME as argv[0]
    local name=$1
    shift
    PATH=$here:$home/bin:/usr/bin:/bin timeout 60 bash -c 'exec -a "$0" "$@"' "$name" "$@" >"$output" 2>&1 </dev/null
}
every() { # WHOSE COMMAND
    local subcommand words
    for subcommand in $commands; do
        words=$(arguments "$subcommand") || complain "what to run $subcommand with is not known here"
        # shellcheck disable=SC2086 # words
        BERTH_STORE=$store run_as berth "$2" $subcommand $words
        [ $? -lt 124 ] || complain "$1: $subcommand $words: $(cat "$output")"
        rm -rf "$work/smt" # is to be a folder that is new
    done
    untouched "$1: some command"
}
BERTH_STORE=$store "$BERTH" create other >"$output" 2>&1 || complain "create: $(cat "$output")"
every "the build" "$BERTH"
every "the installation" "$bin/berth"

# ---- the stores that have to be loaded, and their guardian, by several names ----

dead='etcd://127.0.0.1:1/x?timeout=1'
for whose in "$BERTH" "$bin/berth"; do
    running=()
    for name in berth ./berth "$here/berth" berth-etcd '' libberth-etcd.so.0; do
        BERTH_STORE=$dead run_as "$name" "$whose" run gpu -- /bin/true &
        running+=($!)
        BERTH_STORE="$dead&tls=1" run_as "$name" "$whose" status &
        running+=($!)
    done
    wait "${running[@]}"
    untouched "$whose, with etcd"
    for program in berth-top berth-etcd berth-lab; do
        path=$(dirname "$whose")/$program
        [ "$whose" = "$BERTH" ] || path=$programs/$program
        [ -x "$path" ] || continue
        BERTH_STORE="$dead&tls=1" run_as "$program" "$path" status
        BERTH_STORE="$dead&tls=1" run_as "$program" "$path" --once
        untouched "$program"
    done
done

# ---- a program that uses the library, which it found by a relative path ----

for library in "$build/libberth.so.0" "$libraries/libberth.so.0"; do
    [ -e "$library" ] || continue
    (cd "$(dirname "$library")" && PATH=$here:$PATH python3 - "$here" "$dead&tls=1" <<'P') >"$output" 2>&1 ||
import ctypes, os, sys
library = ctypes.CDLL('./libberth.so.0')
os.chdir(sys.argv[1])
view = ctypes.c_void_p()
class options(ctypes.Structure):
    _fields_ = [('size', ctypes.c_size_t), ('store', ctypes.c_char_p), ('rest', ctypes.c_char * 256)]
pool = ctypes.c_void_p()
os.environ['BERTH_STORE'] = sys.argv[2]
assert library.berth_look(ctypes.byref(view), b'gpu', None) != 0
assert library.berth_open(ctypes.byref(pool), b'gpu', None) != 0
P
        complain "the library: $(cat "$output")"
    untouched "a program that uses $library"
done

[ "$failures" -eq 0 ] && echo "all as expected"
exit $((failures > 0))
