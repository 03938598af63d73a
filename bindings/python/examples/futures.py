"""Twelve jobs in six processes, two at a time on a device: concurrent.futures with a pool."""
import concurrent.futures
import os
import time

import berth

POOL = berth.Pool("example", slots=2)


def job(number: int) -> str:
    with POOL.acquire() as grant:
        time.sleep(0.05)
        return f"job {number}: slot {grant.slot}, process {os.getpid()}"


if __name__ == "__main__":
    with concurrent.futures.ProcessPoolExecutor(6) as executor:
        for line in executor.map(job, range(12)):
            print(line)
