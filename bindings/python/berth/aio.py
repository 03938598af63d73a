"""Slots for asyncio:

    async with berth.aio.acquire(pool, timeout=30) as grant:
        ...

A task that is cancelled while it waits leaves nothing behind. (Waits for pools in etcd cannot be ended:
a thread stays until such a one is served, and gives the slot back.)"""
from __future__ import annotations

import asyncio
import threading
from typing import Optional

from . import Grant, Pool, Wait, _seconds

__all__ = ["acquire"]


class acquire:
    """Waits for a slot without blocking the event loop: `await` it, or use it by `async with`."""

    def __init__(self, pool: Pool, timeout: Optional[float] = None) -> None:
        self._pool, self._timeout = pool, _seconds(timeout)
        self._grant: Optional[Grant] = None

    async def _acquire(self) -> Grant:
        grant = self._pool.try_acquire()
        if grant is not None:
            return grant
        loop, over = asyncio.get_running_loop(), asyncio.Event()

        def done() -> None:
            try:
                loop.call_soon_threadsafe(over.set)
            except RuntimeError:
                pass  # the loop was closed meanwhile

        wait = Wait(Grant(self._pool, self._pool._open_handle()), self._timeout, done)
        wait.start()
        try:
            await over.wait()
        except BaseException:
            if not wait.stop(0.1):  # the loop has other tasks
                threading.Thread(target=wait.stop, name="berth", daemon=True).start()
            raise
        return wait.outcome()

    def __await__(self):
        return self._acquire().__await__()

    async def __aenter__(self) -> Grant:
        self._grant = await self._acquire()
        return self._grant

    async def __aexit__(self, *_: object) -> None:
        if self._grant is not None and self._grant.held:
            self._grant.release()
