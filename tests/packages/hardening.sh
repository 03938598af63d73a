#!/bin/bash
# Every program and library is position-independent, with relocations that are read-only from the start, no executable
# stack, stack protectors, checked functions of libc, and marked targets of jumps; and those that are loaded into other
# programs, or run for them, do not ask for the environment as a set-user-ID program must not. BERTH is the command, in
# the build folder; SRC is the source.
set -u
build=$(dirname "$BERTH")
failures=0

complain() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

if grep -qE '^BERTH_SANITIZE:[^=]*=.' "$build/CMakeCache.txt"; then
    echo "SKIPPED: sanitizers have their own means"
    exit 77
fi
optimized=yes
grep -q '^CMAKE_BUILD_TYPE:[^=]*=Debug' "$build/CMakeCache.txt" && optimized=no

files=()
# An earlier build may have left files that this one does not make.
for file in "$build"/berth "$build"/berth-{etcd,guardian,lab,top} "$build"/libberth*.so.*.*.*; do
    [ -f "$file" ] && readelf -h "$file" >/dev/null 2>&1 && files+=("$file")
done
[ "${#files[@]}" -ge 3 ] || complain "only ${#files[@]} files are there"
for file in "${files[@]}"; do
    name=$(basename "$file")
    readelf -hW "$file" | grep -q 'Type: *DYN' || complain "$name: not position-independent"
    segments=$(readelf -lW "$file")
    grep -q GNU_RELRO <<<"$segments" || complain "$name: no RELRO"
    ! grep -qE 'GNU_STACK.*E' <<<"$(sed 's/0x[0-9a-f]*//g' <<<"$segments")" || complain "$name: an executable stack"
    ! grep -qE 'LOAD.*[R ]WE' <<<"$segments" || complain "$name: memory to be written and run"
    # What has no interpreter binds nothing later.
    if grep -q INTERP <<<"$segments" || [[ $name == *.so.* ]]; then
        readelf -dW "$file" | grep -qE 'BIND_NOW|FLAGS.*\bNOW\b' || complain "$name: relocations stay writable"
        ! readelf -dW "$file" | grep -qE 'RPATH|RUNPATH.*\[(|[^/].*|.*:(:|$).*)\]$' ||
            complain "$name: a relative run path: $(readelf -dW "$file" | grep -E 'RPATH|RUNPATH')"
    fi
    symbols=$(readelf -sW "$file")
    grep -q '__stack_chk_fail' <<<"$symbols" || complain "$name: no stack protector"
    [ $optimized = no ] || grep -q '__[a-z]*printf_chk' <<<"$symbols" || complain "$name: no FORTIFY"
    case $name in
    berth-guardian | libberth*.so*)
        ! readelf --dyn-syms -W "$file" | grep -qE ' UND getenv(@|$)' || complain "$name: getenv, not secure_getenv"
        ;;
    esac
done

# Of jumps and returns, the linker marks a file only if all that goes into it is marked, libc's own files too; so the
# objects are asked.
if [ "$(uname -m)" = x86_64 ]; then
    count=0
    while read -r object; do
        readelf -nW "$build/$object" 2>/dev/null | grep -q 'IBT, SHSTK' || complain "$object: no CET"
        count=$((count + 1))
    done < <(cd "$build" && python3 -c '
import json, re
for one in json.load(open("compile_commands.json")):
    found = re.search(r" -o (CMakeFiles/(berth|berth-\w+|berth_(pool|cli|os|store|etcd|jobserver|places)|libberth)\.dir/\S+)", one["command"])
    if found:
        print(found[1])')
    [ "$count" -gt 30 ] || complain "only $count objects were found"
fi

# ---- units ----

for unit in "$SRC"/share/systemd/*.service.in; do
    for line in NoNewPrivileges=yes ProtectSystem= ProtectHome= PrivateTmp=yes CapabilityBoundingSet= \
        SystemCallFilter= RestrictAddressFamilies= MemoryDenyWriteExecute=yes; do
        grep -q "^$line" "$unit" || complain "$(basename "$unit"): no $line"
    done
done
grep -q '^Options=.*size=' "$SRC/share/systemd/run-berth.mount" || complain "the file system of pools has no limit"
if command -v systemd-analyze >/dev/null; then
    work=$(mktemp -d) || exit 1
    trap 'rm -rf "$work"' EXIT
    cp "$SRC/share/systemd/run-berth.mount" "$work/"
    sed "s|@BERTH_BIN@|$build|" "$SRC/share/systemd/berth-pools.service.in" >"$work/berth-pools.service"
    said=$(systemd-analyze verify --man=no "$work/berth-pools.service" "$work/run-berth.mount" 2>&1 | grep -F "$work")
    [ -z "$said" ] || complain "systemd: $said"
fi

[ "$failures" -eq 0 ] && echo "all as expected: ${#files[@]} files"
exit $((failures > 0))
