"""An actor of bindings/conformance, by the Python binding."""
import asyncio
import errno
import sys

import berth
import berth.aio


def cancelled(pool, milliseconds):
    async def run():
        await asyncio.wait_for(berth.aio.acquire(pool)._acquire(), milliseconds / 1000)
    try:
        asyncio.run(run())
    except (asyncio.TimeoutError, asyncio.CancelledError):
        raise berth.Error(errno.ECANCELED, "the task was cancelled") from None


def answer(handles, grants, word, name, *rest):
    if word == "open":
        handles[name] = berth.Pool(rest[0], int(rest[1]))
    elif word == "close":
        handles.pop(name).close()
    elif word == "slots":
        return handles[name].slots
    elif word == "resize":
        handles[name].resize(int(rest[0]))
    elif word == "acquire":
        grants[rest[0]] = handles[name].acquire()
    elif word == "try":
        grants[rest[0]] = handles[name].acquire(blocking=False)
    elif word == "for":
        grants[rest[0]] = handles[name].acquire(timeout=int(rest[1]) / 1000)
    elif word == "cancel":
        cancelled(handles[name], int(rest[1]))
    elif word == "release":
        grants[rest[0]].release()
    elif word == "drop":
        del grants[rest[0]]
    elif word == "token":
        return grants[rest[0]].token
    return grants[rest[0]].slot if word in ("acquire", "try", "for") else ""


def main():
    handles, grants = {}, {}
    for line in sys.stdin:
        try:
            print("ok", answer(handles, grants, *line.split()), flush=True)
        except berth.Error as error:
            print("error", errno.errorcode[error.errno], error.strerror, flush=True)


main()
