/* What the unit tests share: cmocka, random numbers from a seed, sizes, and limits for the
 * checker. */
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

#include "check/check.h"

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

/* How many random systems: half of `full` in a plain build, less under a sanitizer;
 * BERTH_TEST_EFFORT is a percentage of its own, and `make check-long` has a larger one. */
unsigned scaled(unsigned full);

/* All of `full` in a plain build; else as above. */
unsigned scaled_full(unsigned full);

/* Under a sanitizer, but for its long form: for what cannot be scaled, since too little of it would
 * show nothing. The same lines are run. */
bool some_is_enough(void);

struct dice {
    uint64_t state;
};

uint64_t dice_next(struct dice *dice);

unsigned dice_below(struct dice *dice, unsigned n);

struct check_budget budget_of(uint64_t mebibytes);

/* A group setup for thousands of small checks: no huge pages, which the kernel would have to
 * clear. */
int no_huge_pages(void **unused);

struct check_limits limits_of(struct check_budget *budget, bool symmetry);

#endif
