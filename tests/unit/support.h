/* What the unit tests share: cmocka, random numbers from a seed, sizes, and limits for the checker. */
#ifndef BERTH_TESTS_SUPPORT_H
#define BERTH_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include <cmocka.h>

#include "check/run.h"

/* ---- how much work ---- */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* `full` in a plain build, less under a sanitizer; BERTH_TEST_EFFORT is a percentage of its own, and
 * `make check-long` has a larger one. */
static inline unsigned scaled(unsigned full)
{
    const char *effort = getenv("BERTH_TEST_EFFORT");
    unsigned long percent = effort != NULL ? strtoul(effort, NULL, 10) : SANITIZED ? 10 : 100;
    unsigned long some = full * percent / 100;
    return some > 0 ? (unsigned)some : 1;
}

/* ---- random numbers: splitmix64 ---- */

struct dice {
    uint64_t state;
};

static inline uint64_t dice_next(struct dice *dice)
{
    uint64_t z = dice->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline unsigned dice_below(struct dice *dice, unsigned n)
{
    return (unsigned)(dice_next(dice) % n);
}

/* ---- limits ---- */

static inline struct check_budget budget_of(uint64_t mebibytes)
{
    return (struct check_budget){.limit = mebibytes << 20};
}

/* A group setup for thousands of small checks: no huge pages, which the kernel would have to clear. */
static inline int no_huge_pages(void **unused)
{
    (void)unused;
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    return 0;
}

static inline struct check_limits limits_of(struct check_budget *budget, bool symmetry)
{
    return (struct check_limits){.budget = budget, .threads = 2, .symmetry = symmetry};
}

#endif
