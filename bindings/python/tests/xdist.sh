#!/bin/bash
# The pytest plugin under pytest-xdist: six tests on four workers, never more than two of them inside.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export BERTH_STORE=$work/store INSIDE=$work/inside
mkdir -m 700 "$BERTH_STORE"
mkdir "$INSIDE"
cat >"$work/test_device.py" <<'END'
import json
import os
import subprocess
import time

import pytest


@pytest.mark.parametrize("number", range(8))
@pytest.mark.berth("device", slots=2)
def test_alone_in_its_slot(number, berth_grant):
    path = os.path.join(os.environ["INSIDE"], str(berth_grant.slot))
    os.close(os.open(path, os.O_CREAT | os.O_EXCL))  # nobody else is in this slot
    time.sleep(0.05)
    os.unlink(path)
    assert berth_grant.slot in (0, 1)


@pytest.mark.berth("device", slots=2)
def test_marker_alone():
    pass


@pytest.mark.parametrize("number", range(3))
@pytest.mark.berth("named")
def test_is_shown(number, berth_grant, request):
    shown = subprocess.run([os.environ["BERTH"], "status", "--json", "named"], capture_output=True, check=True)
    holder, = json.loads(shown.stdout)["pools"][0]["holders"]
    assert holder["command"] == request.node.nodeid[:95] and holder["pid"] == os.getpid()


def test_without():
    pass
END
cd "$work"
${PYTEST:-python3 -m pytest} -q -p berth.pytest_plugin -p no:cacheprovider -n 4 test_device.py
