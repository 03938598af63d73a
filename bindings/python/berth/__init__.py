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
import importlib
import math
import os
import threading
import time
import weakref
from functools import partial
from typing import Dict, List, Optional, Tuple

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


def __getattr__(name: str):
    """berth.aio is imported when it is first used: most programs need no asyncio."""
    if name == "aio":
        return importlib.import_module(".aio", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def version() -> str:
    """The version of libberth."""
    return lib.berth_version().decode()


class _Handle:
    """What berth_open gave, in the process that opened it. It is closed when no other thread is in a call."""

    def __init__(self, pointer: ctypes.c_void_p, name: str) -> None:
        self.name, self.pointer, self.pid = name, pointer, os.getpid()
        self.closing = False
        # Of each call that is under way, by a key of its own: the thread, and the word that stops it.
        self.calls: Dict[object, Tuple[int, Optional[ctypes.c_int]]] = {}
        self.stoppable = True  # False: a wait for it, in etcd, was found not to be
        # What the library may have given, until it is given back; by id(raw), with the grant.
        self.held: Dict[int, Tuple[weakref.ref, _library.RawGrant]] = {}
        self._to_close = {"pointer": pointer}

    def call(self, function, *arguments, stop: Optional[ctypes.c_int] = None):
        """Calls a function of the library with the handle, which nobody closes meanwhile."""
        key = object()
        try:
            self.calls[key] = threading.get_ident(), stop
            if self.closing:
                raise _library.error_of(errno.EBADF, f"the pool {self.name} is closed")
            return function(self.pointer, *arguments)
        finally:
            self.calls.pop(key, None)

    def _others(self) -> List[Optional[ctypes.c_int]]:
        """The words that stop the calls of other threads. Of this thread, none is in the library."""
        me = threading.get_ident()
        return [stop for thread, stop in list(self.calls.values()) if thread != me]

    def close(self, patience: float = math.inf) -> int:
        """Ends the waits of other threads, waits for their calls, and closes the handle, once. EBUSY: a wait
        cannot be ended, or took longer than `patience` seconds; then the handle is as it was."""
        if not self._to_close:
            return errno.EBADF
        self.closing = True
        end = time.monotonic() + patience
        while others := self._others():
            stops = [stop for stop in others if stop is not None]
            if (stops and not self.stoppable) or time.monotonic() > end:
                self.closing = False
                return errno.EBUSY
            for stop in stops:
                stop.value = 1
            lib.berth_interrupt(self.pointer)
            time.sleep(0.002)
        # An interrupt (Ctrl-C) comes between two instructions of Python, of which there are none in between.
        numbers = list(map(lib.berth_close, iter(partial(self._to_close.pop, "pointer", None), None)))
        return numbers[0] if numbers else errno.EBADF

    def sweep(self) -> None:
        """Gives back what belongs to no Grant any more: its finalizer was interrupted before it had begun."""
        for grant, raw in list(self.held.values()):
            if grant() is None:
                _give_back(self, raw)

    def close_at_exit(self) -> None:
        """Leaves a handle that a thread is still using to the end of the process."""
        self.close(0.5)

    def after_fork(self) -> None:
        """In a child, in which there are no other threads."""
        self.calls = {}


class Grant:
    """A slot that is held: a context manager, released at the end of the block, or when it is dropped."""

    def __init__(self, pool: "Pool", handle: _Handle) -> None:
        # Nothing is held yet: what the library writes into _raw is given back, even if an interrupt comes before
        # the next instruction.
        self._pool, self._handle, self._raw = pool, handle, _library.RawGrant()
        handle.held[id(self._raw)] = weakref.ref(self), self._raw
        self._finalizer = weakref.finalize(self, _give_back, handle, self._raw)

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
        if not self._finalizer.alive:
            raise _library.error_of(errno.EPERM, "the slot was given back already")
        number = self._pool._open_handle().call(lib.berth_release, ctypes.byref(self._raw))
        if number in (0, errno.EPERM, errno.EIDRM):  # otherwise it may be repeated
            self._finalizer.detach()
            self._handle.held.pop(id(self._raw), None)
        check(number)

    def __enter__(self) -> "Grant":
        return self

    def __exit__(self, *_: object) -> None:
        if self.held:
            self.release()

    def __repr__(self) -> str:
        return f"<berth.Grant of {self._pool.name!r}: slot {self.slot}, token {self.token}>"


def _give_back(handle: _Handle, raw: _library.RawGrant) -> None:
    """Gives back what the grant holds, if anything. An interrupt makes it begin again, and is raised at the end."""
    interrupt = None
    while True:
        try:
            if raw.ticket != 0 and handle.pid == os.getpid():
                handle.call(lib.berth_release, ctypes.byref(raw))
            handle.held.pop(id(raw), None)
            break
        except Error:
            break  # the handle is closed, and with that the slot is back
        except BaseException as error:
            interrupt = error
    try:
        if interrupt is not None:
            raise interrupt
    finally:
        interrupt = None  # its traceback refers to this frame


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
        handle = _Handle(pointer, self.name)
        self._finalizer = weakref.finalize(self, handle.close_at_exit)
        return handle

    def _open_handle(self) -> _Handle:
        """The handle of this process."""
        if self._handle.pid != os.getpid():
            with self._lock:
                if self._handle.pid != os.getpid():
                    self._finalizer()  # closes the copy, and nothing of the parent's
                    self._handle = self._open()
        return self._handle

    # ---- slots ----

    def acquire(self, timeout: Optional[float] = None, *, blocking: bool = True) -> Grant:
        """Waits for a slot in arrival order, at most `timeout` seconds: berth.Timeout. With
        blocking=False takes a free slot or raises berth.Busy. Ctrl-C ends the wait."""
        timeout = _seconds(timeout)
        handle = self._open_handle()
        handle.sweep()
        grant = Grant(self, handle)
        number = handle.call(lib.berth_try_acquire, ctypes.byref(grant._raw))
        if number == 0:
            return grant
        if not blocking:
            check(number)
        wait = Wait(grant, timeout)
        if threading.current_thread() is not threading.main_thread():
            wait.run()
            return wait.outcome()
        wait.start()
        return wait.result()

    def try_acquire(self) -> Optional[Grant]:
        """A slot that is free and for which nobody waits; or None."""
        try:
            return self.acquire(blocking=False)
        except Busy:
            return None

    @property
    def slots(self) -> int:
        """How many slots the pool has now."""
        return self._open_handle().call(lib.berth_slots)

    def resize(self, slots: int) -> None:
        """Changes the number of slots: more at once, fewer as they come free."""
        if not 0 <= slots <= 0xFFFFFFFF:
            raise ValueError("slots is a number from 0 up")
        check(self._open_handle().call(lib.berth_resize, slots))

    def describe(self, command: str, pid: Optional[int] = None) -> None:
        """What `berth status` shows for this handle from now on; pid: of another process that works."""
        text = _text("command", command)
        number = os.getpid() if pid is None else pid
        check(self._open_handle().call(lib.berth_describe, number, text))

    def fileno(self) -> int:
        """The descriptor that the handle's life depends on."""
        return self._open_handle().call(lib.berth_fd)

    def close(self) -> None:
        """Gives back all slots that were taken through this object. A thread that waits for one gets an Error with
        EBADF; a wait for a pool in etcd cannot be ended, and then this raises Busy, and nothing is closed."""
        if not self._finalizer.alive:
            return
        number = self._handle.close()
        if number == errno.EBUSY:
            raise _library.error_of(number, f"a thread waits for the pool {self.name}, which is in etcd")
        self._finalizer.detach()
        if number != errno.EBADF:  # another thread was faster
            check(number)

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<berth.Pool {self.name!r}>"


class Wait:
    """A wait for a slot, by `run`, or in a thread of its own, so that the caller can be interrupted. `done` is
    called in that thread at the end."""

    def __init__(self, grant: Grant, timeout: Optional[float], done=None) -> None:
        self._grant: Optional[Grant] = grant
        self._handle, self._raw = grant._handle, grant._raw
        self._timeout, self._stop = timeout, ctypes.c_int(0)
        self._error: Optional[BaseException] = None
        self._over, self._done = threading.Event(), done

    def start(self) -> None:
        """Begins it in a thread."""
        threading.Thread(target=self.run, name="berth", daemon=True).start()

    def run(self) -> None:
        """Blocks this thread; a signal does not end it, `stop` does, for pools that are in a file."""
        try:
            self._acquire()
        except BaseException as error:  # it is the caller's
            self._error = error
        if self._stop.value != 0 and self._error is None:  # the caller is gone, or the pool is being closed
            self._grant, self._error = None, self._stopped()
            _give_back(self._handle, self._raw)
        self._over.set()
        if self._done is not None:
            self._done()

    def _acquire(self) -> None:
        handle, raw, deadline = self._handle, ctypes.byref(self._raw), None
        if self._timeout is not None and self._timeout < 3e8:
            deadline = ctypes.byref(_library.timespec(time.clock_gettime(time.CLOCK_MONOTONIC) +
                                                      self._timeout))
        number = handle.call(lib.berth_acquire_unless, raw, deadline, ctypes.byref(self._stop),
                             stop=self._stop)
        if number == errno.ENOTSUP:
            handle.stoppable = False
            number = (handle.call(lib.berth_acquire, raw, stop=self._stop) if self._timeout is None else
                      handle.call(lib.berth_acquire_for, raw,
                                  ctypes.byref(_library.timespec(self._timeout)), stop=self._stop))
        if number == errno.ECANCELED:
            raise self._stopped()
        check(number)

    def _stopped(self) -> Error:
        if self._handle.closing:
            return _library.error_of(errno.EBADF, f"the pool {self._handle.name} was closed")
        return _library.error_of(errno.ECANCELED, "the wait was stopped")

    def outcome(self) -> Grant:
        """What came of it, when it is over."""
        if self._error is not None:
            raise self._error
        grant = self._grant
        assert grant is not None
        return grant

    def result(self) -> Grant:
        """Waits for the end; if that is interrupted, nothing is kept."""
        try:
            self._over.wait()
            return self.outcome()
        except BaseException:
            self.stop()
            raise

    def stop(self, patience: float = math.inf) -> bool:
        """Ends the wait; a slot that it has got meanwhile is given back. A wait for a pool in etcd goes
        on until it is served: False, if that takes more than `patience` seconds."""
        self._stop.value = 1
        end = time.monotonic() + patience
        while not self._over.wait(0.002):
            try:
                self._handle.call(lib.berth_interrupt)
            except Error:
                pass  # it is being closed, which ends the wait
            if time.monotonic() > end:
                return False
        self._grant = None  # was the last reference, or will be given back by hand
        _give_back(self._handle, self._raw)
        return True


_pools: "weakref.WeakSet[Pool]" = weakref.WeakSet()


def _after_fork() -> None:
    for pool in list(_pools):
        pool._lock = threading.Lock()  # another thread may have had it
        pool._handle.after_fork()


os.register_at_fork(after_in_child=_after_fork)


def remove(name: str, store: Optional[str] = None) -> None:
    """Removes a pool that nobody has open."""
    options = _library.Options(size=ctypes.sizeof(_library.Options),
                               store=_text("store", os.fsdecode(store)) if store is not None else None)
    check(lib.berth_remove(_text("the name of a pool", name), ctypes.byref(options)))
