"""Slots of a named resource, in arrival order, among processes that may be killed at any instant.

    import berth

    with berth.Pool("gpu", slots=4).acquire(timeout=30) as grant:
        train(device=grant.slot)

A slot whose process is killed comes back by itself; nobody overtakes. See also `berth.aio` for
asyncio, and the pytest fixture and marker in `berth.pytest_plugin`.
"""
from __future__ import annotations

import ctypes
import errno
import math
import os
import threading
import time
import weakref
from typing import Optional

from . import _library
from ._library import Busy, Error, Timeout, check, lib

__all__ = ["Pool", "Grant", "Error", "Timeout", "Busy", "remove", "version"]


def _text(what: str, value: str) -> bytes:
    """As C has it; a byte 0 would end it there."""
    if not isinstance(value, str):
        raise TypeError(f"{what} is a str, not {type(value).__name__}")
    encoded = os.fsencode(value)
    if b"\0" in encoded:
        raise ValueError(f"{what} has a null character in it")
    return encoded


def _seconds(timeout: Optional[float]) -> Optional[float]:
    """None for what is endless; ValueError for what is no time."""
    if timeout is None or timeout == math.inf:
        return None
    if not timeout >= 0:  # which NaN is not, either
        raise ValueError("the timeout is negative, or no number")
    return timeout


def version() -> str:
    """The version of libberth."""
    return lib.berth_version().decode()


class Grant:
    """A slot that is held: a context manager, released at the end of the block, or when it is dropped."""

    def __init__(self, pool: "Pool", raw: _library.RawGrant) -> None:
        self._pool, self._raw = pool, raw
        self._finalizer = weakref.finalize(self, _give_back, pool._handle, raw)

    @property
    def slot(self) -> int:
        """The number of the slot, from 0."""
        return self._raw.slot

    @property
    def token(self) -> int:
        """A number that grows from grant to grant: a fencing token for the protected resource."""
        return self._raw.token

    @property
    def held(self) -> bool:
        """Whether it has not been released."""
        return self._finalizer.alive

    def release(self) -> None:
        """Gives the slot back, to the next in line."""
        if self._finalizer.detach() is None:
            raise _library.error_of(errno.EPERM, "the slot was given back already")
        check(lib.berth_release(self._pool._open_handle(), ctypes.byref(self._raw)))

    def __enter__(self) -> "Grant":
        return self

    def __exit__(self, *_: object) -> None:
        if self.held:
            self.release()

    def __repr__(self) -> str:
        return f"<berth.Grant of {self._pool.name!r}: slot {self.slot}, token {self.token}>"


class _Handle:
    """What berth_open gave, in the process that opened it."""

    def __init__(self, pointer: ctypes.c_void_p) -> None:
        self.pointer: Optional[ctypes.c_void_p] = pointer
        self.pid = os.getpid()

    def close(self) -> int:
        pointer, self.pointer = self.pointer, None
        return lib.berth_close(pointer) if pointer is not None else errno.EBADF


def _give_back(handle: _Handle, raw: _library.RawGrant) -> None:
    if handle.pointer is not None and handle.pid == os.getpid():
        lib.berth_release(handle.pointer, ctypes.byref(raw))


class Pool:
    """A pool of `slots` slots, made if it does not exist. Threads may share it.

    After os.fork the child's copy opens the pool again by itself when it is first used; grants of the
    parent stay the parent's.
    """

    def __init__(self, name: str, slots: int = 0, *, store: Optional[str] = None, seats: int = 0,
                 mode: int = 0, existing: bool = False, command: Optional[str] = None) -> None:
        self.name = name
        if min(slots, seats, mode) < 0 or max(slots, seats, mode) > 0xFFFFFFFF:
            raise ValueError("slots, seats and mode are numbers from 0 up")
        self._options = _library.Options(
            size=ctypes.sizeof(_library.Options), slots=slots, seats=seats, mode=mode,
            flags=_library.EXISTING if existing else 0,
            store=_text("store", os.fsdecode(store)) if store is not None else None,
            command=_text("command", command) if command is not None else None)
        self._name = _text("the name of a pool", name)
        self._lock = threading.Lock()
        self._handle = self._open()
        _pools.add(self)

    def _open(self) -> _Handle:
        pointer = ctypes.c_void_p()
        check(lib.berth_open(ctypes.byref(pointer), self._name, ctypes.byref(self._options)))
        handle = _Handle(pointer)
        self._finalizer = weakref.finalize(self, handle.close)
        return handle

    def _open_handle(self) -> ctypes.c_void_p:
        """The handle of this process."""
        if self._handle.pid != os.getpid():
            with self._lock:
                if self._handle.pid != os.getpid():
                    self._finalizer()  # closes the copy, and nothing of the parent's
                    self._handle = self._open()
        if self._handle.pointer is None:
            raise _library.error_of(errno.EBADF, f"the pool {self.name} is closed")
        return self._handle.pointer

    # ---- slots ----

    def acquire(self, timeout: Optional[float] = None, *, blocking: bool = True) -> Grant:
        """Waits for a slot in arrival order, at most `timeout` seconds: berth.Timeout. With
        blocking=False takes a free slot or raises berth.Busy. Ctrl-C ends the wait."""
        timeout = _seconds(timeout)
        handle, raw = self._open_handle(), _library.RawGrant()
        if not blocking:
            check(lib.berth_try_acquire(handle, ctypes.byref(raw)))
            return Grant(self, raw)
        if lib.berth_try_acquire(handle, ctypes.byref(raw)) == 0:
            return Grant(self, raw)
        if threading.current_thread() is threading.main_thread():
            return Wait(self, timeout).result()
        return Grant(self, _wait(handle, timeout, None))

    def try_acquire(self) -> Optional[Grant]:
        """A slot that is free and for which nobody waits; or None."""
        try:
            return self.acquire(blocking=False)
        except Busy:
            return None

    @property
    def slots(self) -> int:
        """How many slots the pool has now."""
        return lib.berth_slots(self._open_handle())

    def resize(self, slots: int) -> None:
        """Changes the number of slots: more at once, fewer as they come free."""
        if not 0 <= slots <= 0xFFFFFFFF:
            raise ValueError("slots is a number from 0 up")
        check(lib.berth_resize(self._open_handle(), slots))

    def fileno(self) -> int:
        """The descriptor that the handle's life depends on."""
        return lib.berth_fd(self._open_handle())

    def close(self) -> None:
        """Gives back all slots that were taken through this object."""
        if self._finalizer.alive:
            check(self._finalizer() or 0)

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<berth.Pool {self.name!r}>"


def _wait(handle: ctypes.c_void_p, timeout: Optional[float],
          stop: Optional[ctypes.c_int]) -> _library.RawGrant:
    """Blocks this thread; a signal does not end it, `stop` does, for pools that are in a file."""
    raw = _library.RawGrant()
    if stop is not None:
        deadline = None
        if timeout is not None and timeout < 3e8:
            deadline = ctypes.byref(_library.timespec(time.clock_gettime(time.CLOCK_MONOTONIC) +
                                                      timeout))
        number = lib.berth_acquire_unless(handle, ctypes.byref(raw), deadline, ctypes.byref(stop))
        if number != errno.ENOTSUP:
            check(number)
            return raw
    check(lib.berth_acquire(handle, ctypes.byref(raw)) if timeout is None else
          lib.berth_acquire_for(handle, ctypes.byref(raw), ctypes.byref(_library.timespec(timeout))))
    return raw


class Wait:
    """A wait for a slot, in a thread of its own, so that the caller can be interrupted. `done` is
    called in that thread at the end."""

    def __init__(self, pool: Pool, timeout: Optional[float], done=None) -> None:
        self._pool, self._handle = pool, pool._open_handle()
        self._timeout, self._stop = timeout, ctypes.c_int(0)
        self._raw: Optional[_library.RawGrant] = None
        self._error: Optional[BaseException] = None
        self._over, self._done = threading.Event(), done
        threading.Thread(target=self._run, name="berth", daemon=True).start()

    def _run(self) -> None:
        try:
            self._raw = _wait(self._handle, self._timeout, self._stop)
        except BaseException as error:  # it is the caller's
            self._error = error
        self._over.set()
        if self._done is not None:
            self._done()

    def outcome(self) -> Grant:
        """What came of it, when it is over."""
        if self._error is not None:
            raise self._error
        assert self._raw is not None
        return Grant(self._pool, self._raw)

    def result(self) -> Grant:
        """Waits for the end; if that is interrupted, nothing is kept."""
        try:
            self._over.wait()
        except BaseException:
            self.stop()
            raise
        return self.outcome()

    def stop(self, patience: float = math.inf) -> bool:
        """Ends the wait; a slot that it has got meanwhile is given back. A wait for a pool in etcd goes
        on until it is served: False, if that takes more than `patience` seconds."""
        self._stop.value = 1
        end = time.monotonic() + patience
        while not self._over.wait(0.002):
            lib.berth_interrupt(self._handle)
            if time.monotonic() > end:
                return False
        if self._raw is not None:
            lib.berth_release(self._handle, ctypes.byref(self._raw))
        return True


_pools: "weakref.WeakSet[Pool]" = weakref.WeakSet()


def _after_fork() -> None:
    for pool in list(_pools):
        pool._lock = threading.Lock()  # another thread may have had it


os.register_at_fork(after_in_child=_after_fork)


def remove(name: str, store: Optional[str] = None) -> None:
    """Removes a pool that nobody has open."""
    options = _library.Options(size=ctypes.sizeof(_library.Options),
                               store=_text("store", os.fsdecode(store)) if store is not None else None)
    check(lib.berth_remove(_text("the name of a pool", name), ctypes.byref(options)))
