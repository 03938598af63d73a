"""The Python binding, against the real library. Run with python3 -m unittest, or by pytest."""
import asyncio
import errno
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import berth
import berth.aio


class Names(unittest.TestCase):
    def test_aio_needs_no_import_of_its_own(self):
        subprocess.run([sys.executable, "-c", "import berth; assert berth.aio.acquire"], check=True)
        subprocess.run([sys.executable, "-c", "import berth, sys; assert 'asyncio' not in sys.modules\n"
                        "try: berth.nothing\nexcept AttributeError: pass\nelse: raise SystemExit(1)"], check=True)


class Base(unittest.TestCase):
    def setUp(self):
        self.store = tempfile.mkdtemp(prefix="berth-python-")
        self.addCleanup(shutil.rmtree, self.store)

    def pool(self, slots=1, **more):
        pool = berth.Pool("p", slots, store=self.store, **more)
        self.addCleanup(pool.close)
        return pool

    def python(self, code, **more):
        """A process that has `store`, and prints a line when it is ready."""
        process = subprocess.Popen(
            [sys.executable, "-u", "-c", "import berth, signal, sys, time; store = sys.argv[1]\n"
             # A shell that starts the tests in the background has them ignore it.
             "signal.signal(signal.SIGINT, signal.default_int_handler)\n" + code,
             self.store], stdout=subprocess.PIPE, text=True, **more)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process


class Slots(Base):
    def test_block(self):
        pool = self.pool(2)
        with pool.acquire(timeout=30) as grant, pool.acquire() as other:
            self.assertEqual({grant.slot, other.slot}, {0, 1})
            self.assertLess(grant.token, other.token)
            self.assertIsNone(pool.try_acquire())
            with self.assertRaises(berth.Busy):
                pool.acquire(blocking=False)
        self.assertFalse(grant.held)

    def test_errors(self):
        with self.assertRaises(berth.Error) as caught:
            berth.Pool("a/b", store=self.store)
        self.assertEqual(caught.exception.errno, errno.EINVAL)
        self.assertIn("a/b", caught.exception.strerror)
        pool = self.pool()
        with pool.acquire():
            with self.assertRaises(TimeoutError):
                pool.acquire(timeout=0.05)
        with self.assertRaises(ValueError):
            pool.acquire(timeout=-1)
        pool.close()
        with self.assertRaises(berth.Error):
            pool.acquire()
        with self.assertRaises(berth.Error):
            berth.remove("none", store=self.store)

    def test_bad_input(self):
        for name in ("a\0b", "\0"):
            with self.assertRaises(ValueError):
                berth.Pool(name, 1, store=self.store)
            with self.assertRaises(ValueError):
                berth.remove(name, store=self.store)
        self.assertEqual(os.listdir(self.store), [])
        for more in ({"store": self.store + "\0x"}, {"store": self.store, "command": "x\0y"}):
            with self.assertRaises(ValueError):
                berth.Pool("p", 1, **more)
        for name in (None, 5, b"p", object()):
            with self.assertRaises(TypeError):
                berth.Pool(name, 1, store=self.store)
        for slots in ("4", 2.5, None):
            with self.assertRaises(TypeError):
                berth.Pool("p", slots, store=self.store)
        for slots in (-1, 2**32):
            with self.assertRaises(ValueError):
                berth.Pool("p", slots, store=self.store)
        pool = self.pool()
        for timeout in (-1, float("nan"), float("-inf")):
            with self.assertRaises(ValueError):
                pool.acquire(timeout=timeout)
            with self.assertRaises(ValueError):
                berth.aio.acquire(pool, timeout)
        self.assertIsNotNone(pool.try_acquire())  # and nothing of that was kept

    def test_endless_timeout(self):
        pool = self.pool()
        grant, got = pool.acquire(), []

        def wait():
            with pool.acquire(timeout=float("inf")) as mine:
                got.append(mine.slot)

        thread = threading.Thread(target=wait)
        thread.start()
        grant.release()
        thread.join(60)
        self.assertEqual(got, [0])

    def test_dropped(self):
        pool = self.pool()
        pool.acquire()
        self.assertIsNotNone(pool.try_acquire())

    def test_threads(self):
        pool, inside, most = self.pool(2), [0], [0]
        lock = threading.Lock()

        def work():
            for _ in range(50):
                with pool.acquire():
                    with lock:
                        inside[0] += 1
                        most[0] = max(most[0], inside[0])
                    time.sleep(0.0005)
                    with lock:
                        inside[0] -= 1

        threads = [threading.Thread(target=work) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(most[0], 2)


class Kills(Base):
    def test_holder_is_killed(self):
        holder = self.python("g = berth.Pool('p', 1, store=store).acquire(); print(g.slot)\n"
                             "time.sleep(60)")
        self.assertEqual(holder.stdout.readline(), "0\n")
        pool = self.pool()
        self.assertIsNone(pool.try_acquire())
        holder.kill()
        with pool.acquire(timeout=10):
            pass

    def test_interrupt(self):
        pool = self.pool()
        with pool.acquire():
            waiter = self.python("p = berth.Pool('p', 1, store=store); print('ready')\n"
                                 "try: p.acquire()\n"
                                 "except KeyboardInterrupt: print('interrupted'); time.sleep(60)")
            self.assertEqual(waiter.stdout.readline(), "ready\n")
            time.sleep(0.2)
            waiter.send_signal(signal.SIGINT)
            self.assertEqual(waiter.stdout.readline(), "interrupted\n")
        with pool.acquire(timeout=5):
            pass


class Closing(Base):
    def test_close_ends_a_wait(self):
        for _ in range(50):
            pool, other = self.pool(), self.pool()
            grant, seen = other.acquire(), []

            def wait():
                try:
                    pool.acquire()
                except berth.Error as error:
                    seen.append(error.errno)
            threads = [threading.Thread(target=wait) for _ in range(3)]
            for thread in threads:
                thread.start()
            time.sleep(0.002)
            pool.close()
            for thread in threads:
                thread.join(10)
                self.assertFalse(thread.is_alive())
            self.assertEqual(seen, [errno.EBADF] * 3)
            with self.assertRaises(berth.Error):
                pool.acquire()
            pool.close()  # again
            grant.release()
            other.acquire().release()

    def test_close_beside_calls(self):
        """Threads that take and give back while others close: an error, and no slot is lost."""
        for _ in range(20):
            pool = self.pool(2)

            def work():
                try:
                    while True:
                        with pool.acquire(timeout=5):
                            pass
                except berth.Error as error:
                    if error.errno != errno.EBADF:
                        raise
            threads = [threading.Thread(target=work) for _ in range(4)]
            threads += [threading.Timer(0.01, pool.close) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(10)
                self.assertFalse(thread.is_alive())
            other = self.pool(2)
            grants = [other.try_acquire(), other.try_acquire()]
            self.assertNotIn(None, grants)
            other.close()

    def test_exit_beside_a_wait(self):
        for wait in ("pool.acquire()", "asyncio.run(forget())"):
            process = self.python("import asyncio, threading\n"
                                  "pool, other = (berth.Pool('p', 1, store=store) for _ in range(2))\n"
                                  "grant = other.acquire()\n"
                                  "async def forget():\n"
                                  "    await asyncio.wait_for(berth.aio.acquire(pool)._acquire(), 0.01)\n"
                                  f"def wait():\n    import berth.aio\n    {wait}\n"
                                  "threading.Thread(target=wait, daemon=True).start()\n"
                                  "time.sleep(0.1)\nprint('ready')", stderr=subprocess.DEVNULL)
            process.stdout.readline()
            self.assertEqual(process.wait(10), 0)
        self.pool().acquire(timeout=5).release()


class Interrupted(Base):
    """An interrupt (Ctrl-C) before each instruction of the package: no slot is lost."""

    def interrupt_everywhere(self, call):
        hook, sys.unraisablehook = sys.unraisablehook, lambda _: None  # exceptions in finalizers
        self.addCleanup(setattr, sys, "unraisablehook", hook)
        points, number, too_early = 0, 0, False
        while number <= points:
            number, points = number + 1, 0

            def step(frame, event, _):
                nonlocal points, too_early
                if not frame.f_code.co_filename.endswith("berth/__init__.py"):
                    return None
                frame.f_trace_opcodes = True
                if event == "opcode":
                    points += 1
                    if points == number:
                        sys.settrace(None)
                        # A finalizer that does not begin: the next call of this process gives the slot back.
                        too_early = frame.f_code.co_name == "_give_back" and frame.f_lasti <= 8
                        raise KeyboardInterrupt
                return step
            pool, other = self.pool(), self.pool()
            before = sys.gettrace()
            try:
                sys.settrace(step)
                call(pool, other)
            except KeyboardInterrupt:
                pass
            finally:
                sys.settrace(before)
            with self.subTest(point=number):
                if too_early and not pool._handle.closing:
                    pool.acquire(timeout=5).release()
                too_early = False
                other.acquire(timeout=5).release()
            pool.close()
            other.close()
        self.assertGreater(number, 20)

    def test_acquire(self):
        self.interrupt_everywhere(lambda pool, other: pool.acquire())

    def test_try(self):
        self.interrupt_everywhere(lambda pool, other: pool.try_acquire())

    def test_block(self):
        def block(pool, other):
            with pool.acquire():
                pass
        self.interrupt_everywhere(block)

    def test_wait(self):
        def wait(pool, other):
            grant = other.acquire()
            timer = threading.Timer(0.005, grant.release)
            timer.start()
            try:
                pool.acquire()
            finally:
                timer.join()
        self.interrupt_everywhere(wait)

    def test_close(self):
        def close(pool, other):
            grant = pool.acquire()
            try:
                pool.close()
            except KeyboardInterrupt:
                pool.close()
                raise
            finally:
                del grant
        self.interrupt_everywhere(close)


class Fork(Base):
    def test_child_has_its_own(self):
        pool = self.pool(2)
        grant = pool.acquire()
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                with pool.acquire(timeout=5) as mine:
                    status = 0 if mine.slot != grant.slot else 2
            finally:
                os._exit(status)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)
        self.assertTrue(grant.held)
        grant.release()

    def test_child_that_ends_keeps_the_parents_slot(self):
        pool = self.pool()
        grant = pool.acquire()
        pid = os.fork()
        if pid == 0:
            del grant
            os._exit(0)
        os.waitpid(pid, 0)
        self.assertIsNone(pool.try_acquire())
        grant.release()


class Asyncio(Base):
    def test_loop_goes_on(self):
        async def run():
            pool, ticks = self.pool(), 0
            async with berth.aio.acquire(pool):
                task = asyncio.ensure_future(self.hold(pool))
                for _ in range(20):
                    await asyncio.sleep(0.005)
                    ticks += 1
                self.assertFalse(task.done())
            self.assertEqual(await task, 0)
            return ticks
        self.assertEqual(asyncio.run(run()), 20)

    @staticmethod
    async def hold(pool):
        async with berth.aio.acquire(pool, timeout=10) as grant:
            return grant.slot

    def test_cancel(self):
        async def run():
            pool = self.pool()
            async with berth.aio.acquire(pool):
                for delay in (0, 0.001, 0.01, 0.1):
                    with self.assertRaises(asyncio.TimeoutError):
                        await asyncio.wait_for(self.hold(pool), delay)
            self.assertEqual(await self.hold(pool), 0)
        asyncio.run(run())

    def test_timeout(self):
        async def run():
            pool = self.pool()
            with pool.acquire():
                with self.assertRaises(berth.Timeout):
                    async with berth.aio.acquire(pool, timeout=0.05):
                        pass
        asyncio.run(run())


if __name__ == "__main__":
    unittest.main()
