"""pytest: tests that need a slot.

    @pytest.mark.berth("gpu", slots=4)
    def test_training(berth_grant):
        run_on(berth_grant.slot)

The marker alone is enough where the slot's number does not matter. It holds among the workers of
pytest-xdist, among several runs of pytest, and beside `berth run gpu -- ...`: all use one pool."""
from __future__ import annotations

from typing import Dict, Iterator

import pytest

from . import Grant, Pool


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "berth(pool, slots=0, store=None, timeout=None): hold a slot of the pool")


@pytest.fixture(scope="session")
def _berth_pools() -> Iterator[Dict[tuple, Pool]]:
    pools: Dict[tuple, Pool] = {}
    yield pools
    for pool in pools.values():
        pool.close()


@pytest.fixture
def berth_grant(request: pytest.FixtureRequest, _berth_pools: Dict[tuple, Pool]) -> Iterator[Grant]:
    """The slot that the test's marker asks for."""
    marker = request.node.get_closest_marker("berth")
    if marker is None:
        raise pytest.UsageError("berth_grant needs the marker berth(pool)")
    try:
        name, slots, store, timeout = _read(*marker.args, **marker.kwargs)
    except TypeError:
        raise pytest.UsageError(
            "the marker is berth(pool, slots=0, store=None, timeout=None), not "
            f"berth{marker.args} with {sorted(marker.kwargs)}") from None
    pool = _berth_pools.get((name, slots, store))
    if pool is None:
        pool = _berth_pools[name, slots, store] = Pool(name, slots, store=store)
    pool.describe(request.node.nodeid)  # the pool is the session's, the slot this test's
    with pool.acquire(timeout) as grant:
        yield grant


def _read(pool, slots=0, store=None, timeout=None):
    return pool, slots, store, timeout


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items) -> None:
    for item in items:
        if item.get_closest_marker("berth") is not None and hasattr(item, "fixturenames"):
            if "berth_grant" not in item.fixturenames:
                item.fixturenames.insert(0, "berth_grant")
