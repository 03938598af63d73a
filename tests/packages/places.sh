#!/bin/bash
# The parts of berth find each other by one definition (src/os/places.h), whatever the folders are called:
# below the prefix, at any depth, absolute, through links, in a tree that was moved. SRC is the source.
set -u
work=$(realpath "$(mktemp -d)") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
failures=0

complain() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

cat >"$work/ask.c" <<'END'
#include "os/places.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    char path[PATH_MAX] = "";
    const int found = argc == 4 && os_places_find(argv[1], (enum os_place)atoi(argv[2]), argv[3], path);
    printf("%s %s\n", found ? "found" : "missing", path);
    return 0;
}
END

# configured PREFIX BIN LIB LIBEXEC DATA: the program `ask`, for such an installation, built in the folder $build.
build=
configured() {
    "${CC:-cc}" -std=gnu17 -D_GNU_SOURCE= -I"$SRC/src" "-DBERTH_PLACE_BUILD=\"$build\"" "-DBERTH_PLACE_PREFIX=\"$1\"" \
        "-DBERTH_PLACE_COMMAND=\"$2\"" "-DBERTH_PLACE_LIBRARIES=\"$3\"" \
        "-DBERTH_PLACE_PROGRAMS=\"$4\"" "-DBERTH_PLACE_DATA=\"$5\"" \
        "$work/ask.c" "$SRC/src/os/places/places.c" -o "$work/ask" || exit 1
}

# installed PREFIX BIN LIB LIBEXEC DATA: empty files where they belong.
installed() {
    local folder
    root=$1
    shift
    paths=()
    for folder; do
        case $folder in /*) ;; *) folder=$root/$folder ;; esac
        mkdir -p "$folder"
        paths+=("$folder")
    done
    touch "${paths[0]}/berth" "${paths[1]}/libberth-etcd.so.0" "${paths[2]}/berth-guardian"
    mkdir -p "${paths[3]}/include"
}

# finds FROM PLACE NAME EXPECTED
finds() {
    local said
    said=$("$work/ask" "$1" "$2" "$3")
    [ "$said" = "found $4" ] || complain "from $1: $said, not $4"
}

# everything: from each of the three that ask to each of the four that are found.
everything() {
    local self
    for self in "${paths[0]}/berth" "${paths[1]}/libberth-etcd.so.0" "${paths[2]}/berth-guardian"; do
        finds "$self" 0 berth "${paths[0]}/berth"
        finds "$self" 1 libberth-etcd.so.0 "${paths[1]}/libberth-etcd.so.0"
        finds "$self" 2 berth-guardian "${paths[2]}/berth-guardian"
        finds "$self" 3 include "${paths[3]}/include"
    done
}

# GNU's folders, Debian's, and others that people use.
number=0
for layout in "bin lib libexec/berth share/berth" \
    "bin lib/x86_64-linux-gnu libexec/berth share/berth" "bin lib64 lib64/berth share/berth" \
    "x/y/z/bin a b/c/d/e q" "bin $work/abs/lib $work/abs/libexec/berth $work/abs/share/berth" \
    "$work/all/bin $work/all/lib $work/all/x/berth $work/all/share" "bin lib $work/far/berth share/berth"; do
    number=$((number + 1))
    # shellcheck disable=SC2086 # words
    set -- $layout
    # What is below the prefix is found wherever the tree lies: here not where it was configured for, but
    # where that is asked from an absolute folder, which says nothing of the prefix.
    prefix=$work/moved$number
    configured "$prefix" "$@"
    case $layout in */abs/* | */far/*) ;; *) configured "$work/elsewhere" "$@" ;; esac
    installed "$prefix" "$@"
    everything
done

# On some systems lib64 is a link to lib, and a library knows its own path without links.
configured /nowhere bin lib64 libexec/berth share/berth
mkdir -p "$work/linked/lib"
ln -s lib "$work/linked/lib64"
installed "$work/linked" bin lib64 libexec/berth share/berth
finds "$work/linked/lib/libberth-etcd.so.0" 2 berth-guardian "$work/linked/libexec/berth/berth-guardian"

# In the folder of the build, what lies beside comes first.
build=$work/build
configured /nowhere bin lib libexec/berth share/berth
mkdir -p "$work/build/share/berth/include"
touch "$work/build/berth" "$work/build/berth-lab"
finds "$work/build/berth" 2 berth-lab "$work/build/berth-lab"
finds "$work/build/berth" 3 include "$work/build/share/berth/include"

# Nowhere else: not in an installation, and not in another folder.
touch "$work/linked/lib/berth-guardian"
mkdir -p "$work/copy"
touch "$work/copy/berth" "$work/copy/berth-guardian"
for build in "$work/build" ''; do
    configured /nowhere bin lib libexec/berth share/berth
    finds "$work/linked/lib/libberth-etcd.so.0" 2 berth-guardian "$work/linked/libexec/berth/berth-guardian"
    case $("$work/ask" "$work/copy/berth" 2 berth-guardian) in
    missing*) ;;
    *) complain "a program was found because it lies beside" ;;
    esac
done

# From a folder that is none of an installation, nothing that happens to lie around is started.
mkdir -p "$work/tmp/x" "$work/tmp/libexec/berth"
touch "$work/tmp/x/berth" "$work/tmp/libexec/berth/berth-lab"
case $("$work/ask" "$work/tmp/x/berth" 2 berth-lab) in
missing*) ;;
*) complain "a program was found that is no part of the installation" ;;
esac

# Where it should be is said where it is not.
rm "$work/moved1/libexec/berth/berth-guardian"
configured /nowhere bin lib libexec/berth share/berth
case $("$work/ask" "$work/moved1/bin/berth" 2 berth-guardian) in
"missing $work/moved1/libexec/berth/berth-guardian") ;;
*) complain "it is not said where the guardian should be" ;;
esac

[ "$failures" -eq 0 ] && echo "all as expected"
exit $((failures > 0))
