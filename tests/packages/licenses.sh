#!/bin/bash
# docs/LICENSES.md says what the programs of this build contain and load. SRC is the source folder. Where
# something was left out of the build, or the build is elsewhere, it is not compared.
set -u
cd "$SRC" || exit 1
[ "$BERTH" -ef build/berth ] || { echo "SKIPPED: the build is not in build"; exit 77; }
for file in berth-etcd berth-top; do
    [ -e build/$file ] || { echo "SKIPPED: $file was left out of this build"; exit 77; }
done
readelf -l build/berth | grep -q INTERP && { echo "SKIPPED: the command is not linked statically here"; exit 77; }
tools/licenses --check && echo "all as expected"
