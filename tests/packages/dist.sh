#!/bin/bash
# make dist: the same commit gives the same bytes, from wherever and whenever, under any umask and in any
# language; and from the tar file itself, without git, it can be made again. SRC is the source folder.
set -u
cd "$SRC" || exit 1
git rev-parse HEAD >/dev/null 2>&1 || { echo "SKIPPED: this is no git repository"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

"$SRC/tools/dist" "$work/one.tar.gz" >/dev/null || failures=1
git clone -q --no-hardlinks "$SRC" "$work/clone" 2>/dev/null && git -C "$work/clone" checkout -q "$(git rev-parse HEAD)" ||
    { echo "FAILED: clone"; exit 1; }
(
    umask 077
    touch "$work/clone/left-over"
    mkdir "$work/clone/build"
    LC_ALL=C.UTF-8 TZ=Asia/Tokyo "$work/clone/tools/dist" "$work/two.tar.gz" >/dev/null
)
cmp "$work/one.tar.gz" "$work/two.tar.gz" || { echo "FAILED: two clones, two files"; failures=1; }

mkdir "$work/unpacked"
tar -xzf "$work/one.tar.gz" -C "$work/unpacked" || failures=1
cd "$work/unpacked"/berth-* || exit 1
tools/dist "$work/three.tar.gz" >/dev/null
cmp "$work/one.tar.gz" "$work/three.tar.gz" || { echo "FAILED: not the same from the tar file"; failures=1; }
for file in CMakeLists.txt LICENSE CHANGELOG.md docs/INSTALL.md debian/control bindings/python/pyproject.toml; do
    [ -f "$file" ] || { echo "FAILED: $file is not in it"; failures=1; }
done

[ "$failures" -eq 0 ] && echo "all as expected"
exit $failures
