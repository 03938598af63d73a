#include "bench/work.h"

#include "bench/plan.h"

void bench_work(uint64_t count)
{
    uint64_t value = count;
    while (count-- > 0) {
        value = value * UINT64_C(0x9e3779b97f4a7c15) + 1;
        __asm__ volatile("" : "+r"(value)); /* the compiler must not compute it in advance */
    }
}

uint64_t bench_work_calibrate(void)
{
    enum { BATCHES = 50, BATCH = 100 * 1000 };
    uint64_t best = UINT64_MAX;
    /* What disturbs makes it slower, never faster. */
    for (unsigned i = 0; i < BATCHES; i++) {
        uint64_t begun = bench_now_ns();
        bench_work(BATCH);
        uint64_t took = bench_now_ns() - begun;
        best = took < best ? took : best;
    }
    uint64_t count = BATCH * UINT64_C(1000) / (best > 0 ? best : 1);
    return count > 0 ? count : 1;
}
