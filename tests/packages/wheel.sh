#!/bin/bash
# The wheel: made twice it has the same bytes; pip installs it, into an environment of its own without the
# net; and from there it is used, from a folder without the source. BERTH is the command, beside which the
# library lies; SRC is the source folder.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
complain() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

"$SRC/tools/wheel" "$work/one" >/dev/null && "$SRC/tools/wheel" "$work/two" >/dev/null || complain "wheel"
wheel=$(ls "$work"/one/*.whl)
cmp "$wheel" "$work/two/$(basename "$wheel")" || complain "made twice, it is not the same"

# Its list of contents is true.
python3 - "$wheel" <<'END' || complain "RECORD is wrong"
import base64, csv, hashlib, io, sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
record = next(n for n in wheel.namelist() if n.endswith("/RECORD"))
rows = {row[0]: row for row in csv.reader(io.StringIO(wheel.read(record).decode()))}
assert sorted(rows) == sorted(wheel.namelist()), (sorted(rows), sorted(wheel.namelist()))
for name, row in rows.items():
    if name != record:
        data = wheel.read(name)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        assert row[1:] == [f"sha256={digest}", str(len(data))], row
END

# As pip installs it; where there is no pip, as any installer does: unpacked.
site=$work/site
if python3 -m pip --version >/dev/null 2>&1; then
    python3 -m pip install -q --disable-pip-version-check --no-index --no-deps --target "$site" "$wheel" \
        >"$work/output" 2>&1 || { cat "$work/output"; complain "pip install"; }
else
    python3 -m zipfile -e "$wheel" "$site" || complain "unpack"
fi
mkdir -m 700 "$work/store"
cd "$work" || exit 1
BERTH_LIBRARY=$(dirname "$BERTH")/libberth.so.0 BERTH_STORE=$work/store PYTHONPATH=$site python3 - <<'END' ||
import importlib.metadata as metadata
import berth
assert berth.__file__.startswith(__import__("os").environ["PYTHONPATH"])
with berth.Pool("gpu", slots=1).acquire(timeout=30) as grant:
    assert grant.slot == 0
points = metadata.distribution("berth").entry_points
assert [p.value for p in points if p.group == "pytest11"] == ["berth.pytest_plugin"], points
END
    complain "what was installed does not work"

[ "$failures" -eq 0 ] && echo "all as expected"
exit $((failures > 0))
