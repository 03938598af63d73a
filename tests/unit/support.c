#include "support.h"

/* ---- how much work ---- */

/* BERTH_TEST_EFFORT, a percentage, or what is usual; less under a sanitizer. */
static unsigned share(unsigned full, unsigned usual)
{
    const char *effort = getenv("BERTH_TEST_EFFORT");
    unsigned long percent = effort != NULL ? strtoul(effort, NULL, 10) : SANITIZED ? 5 : usual;
    unsigned long some = full * percent / 100;
    return some > 0 ? (unsigned)some : 1;
}

unsigned scaled(unsigned full)
{
    return share(full, 50);
}

unsigned scaled_full(unsigned full)
{
    return share(full, 100);
}

bool some_is_enough(void)
{
    return scaled_full(100) < 50;
}

/* ---- random numbers: splitmix64 ---- */

uint64_t dice_next(struct dice *dice)
{
    uint64_t z = dice->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

unsigned dice_below(struct dice *dice, unsigned n)
{
    return (unsigned)(dice_next(dice) % n);
}

/* ---- limits ---- */

struct check_budget budget_of(uint64_t mebibytes)
{
    return (struct check_budget){.limit = mebibytes << 20};
}

int no_huge_pages(void **unused)
{
    (void)unused;
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    return 0;
}

struct check_limits limits_of(struct check_budget *budget, bool symmetry)
{
    return (struct check_limits){.budget = budget, .threads = 2, .symmetry = symmetry};
}
