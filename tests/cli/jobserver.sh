#!/bin/bash
# berth run --jobserver with real clients: make, ninja, cargo, gcc -flto=jobserver. How many jobs there are
# is counted by the jobs (tests/jobserver/work.c). BERTH is the command under test.
# shellcheck disable=SC2317 # called through `eventually`
subcommand=run
rows_in=
# shellcheck source=pool.bash
. "$(dirname "$0")/pool.bash"
# shellcheck source=../jobserver/lib.bash
. "$(dirname "$0")/../jobserver/lib.bash"

# ---- what is refused ----

expect 2 --jobserver=pipe cc -- make
grep -q 'not a form of a jobserver' "$output" || complain "an unknown form: no sentence"
expect 2 --jobserver a,b -- make
expect 2 --jobserver a:2 -- make
mkdir "$dir/bin"
printf '#!/bin/sh\necho "some make"\n' >"$dir/bin/make"
chmod +x "$dir/bin/make"
expect 125 --jobserver cc -- "$dir/bin/make"
grep -q 'is not GNU make' "$output" || complain "a make of another kind: no sentence"
expect 0 --jobserver=fifo cc -- "$dir/bin/make"
expect 127 --jobserver cc -- no-such-command
# What a client is known not to understand would leave it without a limit.
printf '#!/bin/sh\necho "${VERSION:-1.12.1}"\n' >"$dir/bin/ninja"
chmod +x "$dir/bin/ninja"
for ninja in "$dir/bin/ninja" "nice -n 5 $dir/bin/ninja"; do
    # shellcheck disable=SC2086 # words
    expect 125 --jobserver cc -- $ninja
    grep -q 'is version 1.12.1, which understands no jobserver' "$output" || complain "an old ninja: no sentence"
done
VERSION=1.13.0 expect 125 --jobserver=fds cc -- "$dir/bin/ninja"
grep -q 'at a named pipe alone' "$output" || complain "ninja and descriptors: no sentence"
VERSION=1.13.0 expect 0 --jobserver cc -- "$dir/bin/ninja"
VERSION=1.11.1.git.kitware.jobserver-1 expect 0 --jobserver=fds cc -- "$dir/bin/ninja"
VERSION='GNU Make 4.3' expect 0 --jobserver cc -- "$dir/bin/ninja" # of a form that is not known
printf '#!/bin/sh\necho "GNU Make 4.3"\n' >"$dir/bin/make"
expect 125 --jobserver=fifo cc -- "$dir/bin/make"
grep -q 'at descriptors alone' "$output" || complain "an old make and a FIFO: no sentence"
printf '#!/bin/sh\necho "GNU Make 4.1"\n' >"$dir/bin/make"
for form in --jobserver --jobserver=fds --jobserver=fifo; do
    expect 125 $form cc -- "$dir/bin/make"
    grep -q 'is version GNU Make 4.1, which understands no jobserver' "$output" || complain "make 4.1: no sentence"
done
PATH=$dir/bin:$PATH expect 125 --jobserver cc -- sh -c true # which may start it
nothing_held cc 1

# ---- what the command is told ----

# shellcheck disable=SC2016 # for the command's shell
told() { "$BERTH" run --jobserver="$1" -j 3 told -- sh -c 'echo "$MAKEFLAGS"'; }
told fds | grep -Eqx ' -j3 --jobserver-auth=[0-9]+,[0-9]+' || complain "fds: $(told fds)"
told fifo | grep -Eqx ' -j3 --jobserver-auth=fifo:/[^ ]+' || complain "fifo: $(told fifo)"
MAKEFLAGS='ks -j8 --jobserver-auth=3,4 --no-print-directory -- A=1 -j5' told fifo |
    grep -Eqx 'ks --no-print-directory -j3 --jobserver-auth=fifo:/[^ ]+ -- A=1 -j5' ||
    complain "MAKEFLAGS that were there"
TMPDIR=$dir/none expect 125 --jobserver=fifo cc -- true
grep -q "cannot make a jobserver, with pipes in $dir/none: No such file" "$output" || complain "no TMPDIR: no sentence"
TMPDIR="$dir/a b" told fifo | grep -q 'fifo:/tmp/' || complain "a blank in TMPDIR"

# ---- one build ----

for form in fds fifo; do
    make=make
    if [ $form = fifo ]; then
        newer make || continue
        make=$newer_at/make
    fi
    new_yard 3 3
    makefile "$yard/one" 12 10
    build "$yard/one" "$BERTH" run --jobserver -j 3 "one-$form" -- "$make" -j
    count_is "$form" 12
    parallel "$form"
    [ "$(most)" -eq 3 ] || complain "$form: $(most) jobs at once, of 3"
    nothing_held "one-$form" 3

    # -j of the command is a limit, wherever it stands.
    for j in -j2 '-j 2' --jobs=2 -kj2 '-C . -j2'; do # two jobs, and three slots
        new_yard 2 2
        makefile "$yard/two" 6 10
        # shellcheck disable=SC2086 # words
        build "$yard/two" "$BERTH" run --jobserver "one-$form" -- "$make" $j
        count_is "$form, $j" 6
        parallel "$form, $j"
        ! grep -q 'resetting jobserver' "$output" || complain "$j went through to make"
    done

    # A pool of one slot: the token that every client has, and no more.
    new_yard 1
    makefile "$yard/single" 4 10
    build "$yard/single" "$BERTH" run --jobserver -j 1 "single-$form" -- "$make" -j
    count_is "$form, one slot" 4
    nothing_held "single-$form" 1

    # Recursive: all of the tree shares.
    new_yard 3 2
    for part in a b c; do makefile "$yard/tree/$part" 5 10; done
    printf 'all: a b c\na b c:\n\t@+$(MAKE) --no-print-directory -C $@\n.PHONY: a b c\n' \
        >"$yard/tree/Makefile"
    build "$yard/tree" "$BERTH" run --jobserver "one-$form" -- "$make" -j
    count_is "$form, recursive" 15
    parallel "$form, recursive"
    nothing_held "one-$form" 3
    rm -rf "$yard"
done

# ---- ninja, cargo, gcc ----

if newer ninja; then
    new_yard 3 2
    makefile "$yard/ninja" 12 10
    build "$yard/ninja" "$BERTH" run --jobserver -j 3 ninja -- "$newer_at/ninja" -j8
    count_is ninja 12
    parallel ninja
    nothing_held ninja 3
fi

if command -v cargo >/dev/null && cargo --version >/dev/null 2>&1; then
    new_yard 2 2
    mkdir -p "$yard/crates"
    {
        echo '[workspace]'
        echo 'resolver = "2"'
        echo 'members = ["a", "b", "c", "d", "e", "f"]'
    } >"$yard/crates/Cargo.toml"
    for crate in a b c d e f; do
        mkdir -p "$yard/crates/$crate/src"
        printf '[package]\nname = "%s"\nversion = "0.1.0"\nedition = "2021"\n' $crate \
            >"$yard/crates/$crate/Cargo.toml"
        echo 'pub fn f() {}' >"$yard/crates/$crate/src/lib.rs"
    done
    # Cargo asks rustc who it is, which is no job.
    # shellcheck disable=SC2016 # for the wrapper
    printf '#!/bin/sh\ncase "$*" in *--crate-name*--out-dir*) %s %s %s 50 cargo ;; esac\nexec "$@"\n' \
        "$WORK" "$yard" "$limit" >"$yard/wrapper"
    chmod +x "$yard/wrapper"
    RUSTC_WRAPPER=$yard/wrapper build "$yard/crates" \
        "$BERTH" run --jobserver -j 2 cargo -- cargo build --offline -j 8
    count_is cargo 6
    parallel cargo
    nothing_held cargo 2
else
    echo "SKIPPED: cargo: it is not here"
fi

# cmake --build hands -j on to make, which would then have a jobserver of its own.
if command -v cmake >/dev/null; then
    mkdir "$dir/cmake"
    new_yard 2
    {
        echo 'cmake_minimum_required(VERSION 3.13)'
        echo 'project(jobs NONE)'
        for i in 1 2 3 4 5 6; do
            echo "add_custom_target(job$i ALL COMMAND $WORK $yard 2 10)"
        done
    } >"$dir/cmake/CMakeLists.txt"
    cmake -G 'Unix Makefiles' -S "$dir/cmake" -B "$dir/cmake/b" >"$output" 2>&1 || complain "cmake: $(cat "$output")"
    for j in -j4 '-- -j4' level; do
        rm -f "$yard"/*
        echo 2 >"$yard/meet"
        level=
        [ "$j" != level ] || { level=4 j=; }
        # shellcheck disable=SC2086 # words
        CMAKE_BUILD_PARALLEL_LEVEL=$level build "$dir/cmake" "$BERTH" run --jobserver -j 2 cmake -- \
            nice cmake --build "$dir/cmake/b" $j
        count_is "cmake --build $j" 6
        parallel "cmake --build $j"
        nothing_held cmake 2
    done
else
    echo "SKIPPED: cmake: it is not here"
fi

# gcc tells by a warning where it cannot use a jobserver.
if echo 'int main(void) { return 0; }' >"$dir/m.c" && gcc -flto "$dir/m.c" -o "$dir/m" 2>/dev/null; then
    mkdir "$dir/lto"
    for i in 1 2 3 4; do
        echo "int f$i(int x) { return x * $i; }" >"$dir/lto/f$i.c"
    done
    echo 'int main(void) { return 0; }' >"$dir/lto/main.c"
    printf 'all:\n\t+gcc -O2 -flto=jobserver -o all *.c\n' >"$dir/lto/Makefile"
    build "$dir/lto" "$BERTH" run --jobserver -j 2 lto -- make -j
    [ -x "$dir/lto/all" ] || complain "gcc -flto=jobserver: no program"
    ! grep -v "^gcc -O2" "$output" | grep -q jobserver ||
        complain "gcc -flto=jobserver: $(cat "$output")"
    nothing_held lto 2
else
    echo "SKIPPED: gcc -flto: it does not work here"
fi

# ---- two builds side by side ----

# side_by_side WHAT POOL COMMAND...: the same command in two folders; each has its share.
side_by_side() {
    local what=$1 pool=$2 part
    shift 2
    new_yard 3
    for part in a b; do
        makefile "$yard/$part" 40 30
        (cd "$yard/$part" && timeout -k 5 120 "$BERTH" run --jobserver -j 3 "$pool" -- "$@") \
            >"$dir/side.$part" 2>&1 &
    done
    wait
    count_is "$what" 80
    # Each build has a fair share of the first 40 jobs: 20, and never fewer than 8. With a FIFO a race
    # decides.
    for part in $([ "$1" = make ] && echo a b); do
        [ "$(head -n 40 "$yard/log" | grep -c "^$part ")" -ge 8 ] ||
            complain "$what: $part did little of the first half: $(head -n 40 "$yard/log" | cut -c 1 | tr -d '\n')"
    done
    nothing_held "$pool" 3
}
side_by_side "two of make" side make -j
if newer make; then
    side_by_side "two of a newer make" side-newer "$newer_at/make" -j
    side_by_side "two of a newer ninja" side-ninja "$newer_at/ninja"
fi

# ninja looks for tokens only when a job of its own has ended, and still gets its share beside
# make.
if newer ninja; then
    new_yard 3
    makefile "$yard/a" 16 200
    makefile "$yard/b" 16 200
    (cd "$yard/a" && timeout -k 5 120 "$BERTH" run --jobserver -j 3 mixed -- "$newer_at/make" -j) \
        >"$dir/side.a" 2>&1 &
    (cd "$yard/b" && timeout -k 5 120 "$BERTH" run --jobserver -j 3 mixed -- "$newer_at/ninja") \
        >"$dir/side.b" 2>&1 &
    wait
    count_is "make and ninja" 32
    [ "$(head -n 16 "$yard/log" | grep -c '^b ')" -ge 3 ] ||
        complain "ninja beside make: $(cut -c 1 "$yard/log" | tr -d '\n')"
    nothing_held mixed 3
fi

# One that comes later does not wait for the end of the first.
for make in make "$newer_at/make"; do
    [ -x "$(command -v "$make")" ] || continue
    new_yard 3
    makefile "$yard/long" 200 30
    makefile "$yard/short" 6 30
    (cd "$yard/long" && timeout -k 5 120 "$BERTH" run --jobserver -j 3 late -- "$make" -j) \
        >"$dir/long" 2>&1 &
    long=$!
    eventually "the first build is under way" test -s "$yard/log"
    build "$yard/short" "$BERTH" run --jobserver late -- "$make" -j
    [ "$(jobs_done short)" -eq 6 ] || complain "late: $(jobs_done short) jobs"
    [ "$(jobs_done long)" -lt 190 ] || complain "late: the second build waited for $(jobs_done long) jobs"
    wait $long
    count_is "late, $make" 206
    nothing_held late 3
done

# status and top tell which build has how many.
new_yard 3
makefile "$yard/shown" 3 60000
(cd "$yard/shown" && exec timeout -k 5 120 "$BERTH" run --jobserver -j 3 shown -- make -j) >"$dir/shown" 2>&1 &
shown=$!
eventually "it has all slots" state_is shown '3 3 0'
wait_for shown other
shown_by=$(held_by shown 0)
"$BERTH" status shown >"$output"
grep -Eq "^  in all +$shown_by .* 3 slots +make -j$" "$output" || complain "status: who has how many"
"$BERTH" status --json shown >"$output"
rows_in=pools check "status --json" "[(b['pid'], b['slots'], b['asks']) for b in rows[0]['builds']] == [($shown_by, 3, 0)]" \
    "[b['command'] for b in rows[0]['builds']] == ['make -j']"
if [ -x "$(dirname "$BERTH")/berth-top" ]; then
    "$BERTH" top --once shown >"$output"
    grep -Eq "^  in all +$shown_by .* 3 slots +make -j$" "$output" || complain "top: who has how many"
fi
kill -TERM $shown
wait
nothing_held shown 3

# What is idle goes back: a build that has one job only does not keep the others from working.
new_yard 2
makefile "$yard/idle" 1 3000
makefile "$yard/busy" 8 20
(cd "$yard/idle" && timeout -k 5 120 "$BERTH" run --jobserver -j 2 idle -- make -j) >"$dir/idle" 2>&1 &
eventually "the first build works" test -s "$yard/begun"
eventually "an idle token is offered" state_is idle '2 2 0'
build "$yard/busy" "$BERTH" run --jobserver idle -- make -j
[ "$(jobs_done idle)" -eq 0 ] || complain "idle: the other build waited for the first"
wait
count_is idle 9
nothing_held idle 2

# Nothing is left of the folders for FIFOs.
left=$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'berth-jobs.*' -user "$(id -un)" -mmin -1 2>/dev/null)
for folder in $left; do
    flock -n "$folder" true && complain "a folder was left behind: $folder"
done

finish
