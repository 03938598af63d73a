"""libberth by ctypes: the structs and functions of berth.h that the package uses."""
import ctypes
import ctypes.util
import errno
import os

EXISTING, TIMED = 1, 2


class Options(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("slots", ctypes.c_uint),
        ("seats", ctypes.c_uint),
        ("mode", ctypes.c_uint),
        ("flags", ctypes.c_uint),
        ("store", ctypes.c_char_p),
        ("command", ctypes.c_char_p),
        ("reserved", ctypes.c_void_p * 3),
    ]


class RawGrant(ctypes.Structure):
    _fields_ = [
        ("token", ctypes.c_uint64),
        ("slot", ctypes.c_uint),
        ("seat", ctypes.c_uint),
        ("ticket", ctypes.c_uint64),
        ("reserved", ctypes.c_uint64 * 3),
    ]


class Timespec(ctypes.Structure):
    _fields_ = [("tv_sec", ctypes.c_long), ("tv_nsec", ctypes.c_long)]


def timespec(seconds: float) -> Timespec:
    whole = int(seconds)
    return Timespec(whole, min(int((seconds - whole) * 1e9), 999_999_999))


def _load() -> ctypes.CDLL:
    name = os.environ.get("BERTH_LIBRARY") or "libberth.so.0"
    try:
        library = ctypes.CDLL(name)
    except OSError as error:
        raise ImportError(
            f"{name} is not installed (Debian: libberth0); BERTH_LIBRARY names another file"
        ) from error
    pool, grant = ctypes.c_void_p, ctypes.POINTER(RawGrant)
    time = ctypes.POINTER(Timespec)
    stop = ctypes.POINTER(ctypes.c_int)
    for function, arguments in {
        "berth_open": [ctypes.POINTER(pool), ctypes.c_char_p, ctypes.POINTER(Options)],
        "berth_acquire": [pool, grant],
        "berth_try_acquire": [pool, grant],
        "berth_acquire_for": [pool, grant, time],
        "berth_acquire_unless": [pool, grant, time, stop],
        "berth_interrupt": [pool],
        "berth_release": [pool, grant],
        "berth_close": [pool],
        "berth_resize": [pool, ctypes.c_uint],
        "berth_describe": [pool, ctypes.c_int, ctypes.c_char_p],
        "berth_good_for": [pool, grant, time],
        "berth_remove": [ctypes.c_char_p, ctypes.POINTER(Options)],
    }.items():
        getattr(library, function).argtypes = arguments
        getattr(library, function).restype = ctypes.c_int
    library.berth_slots.argtypes, library.berth_slots.restype = [pool], ctypes.c_uint
    library.berth_fd.argtypes, library.berth_fd.restype = [pool], ctypes.c_int
    library.berth_reason.argtypes, library.berth_reason.restype = [], ctypes.c_char_p
    library.berth_version.argtypes, library.berth_version.restype = [], ctypes.c_char_p
    return library


lib = _load()


class Error(OSError):
    """A call of libberth failed. `errno` is its number, `strerror` the library's sentence."""


class Timeout(Error, TimeoutError):
    """No slot came free in time."""


class Busy(Error, BlockingIOError):
    """No slot is free, and the call was not to wait."""


_CLASSES = {errno.ETIMEDOUT: Timeout, errno.EBUSY: Busy}


def check(number: int) -> None:
    """Raises the exception for an error number; the reason is this thread's."""
    if number != 0:
        raise error_of(number, lib.berth_reason().decode(errors="replace"))


def error_of(number: int, reason: str) -> Error:
    return _CLASSES.get(number, Error)(number, reason or os.strerror(number))
