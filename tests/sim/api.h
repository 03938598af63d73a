/* The library's calls, as the simulated programs make them: each is told to the oracle and to the
 * history. */
#ifndef BERTH_SIM_API_H
#define BERTH_SIM_API_H

#include "oracle.h"

void api_begin(void);

/* Of pools that are created. */
extern unsigned api_seats;

int api_open(berth_pool **pool, const char *name, unsigned slots, unsigned flags);
int api_close(berth_pool *pool);
int api_acquire(berth_pool *pool, berth_grant *grant);
int api_try(berth_pool *pool, berth_grant *grant);
/* `after`: nanoseconds from now; a deadline that is over if it is not positive. */
int api_until(berth_pool *pool, berth_grant *grant, int64_t after);
/* Waits as long as *stop is 0: ECANCELED after that. */
int api_unless(berth_pool *pool, berth_grant *grant, const volatile int *stop);
int api_release(berth_pool *pool, const berth_grant *grant);
/* The same as api_release, by one of several threads that try: the result may be EPERM. */
int api_release_perhaps(berth_pool *pool, const berth_grant *grant);
int api_all(const berth_want *wants, size_t count);
int api_try_all(const berth_want *wants, size_t count);
int api_all_until(const berth_want *wants, size_t count, int64_t after);
int api_release_all(const berth_want *wants, size_t count);
/* What a process that borrows is told. */
struct api_loan {
    char text[BERTH_LOAN_MAX];
    struct oracle_lender lender;
};
/* EPERM may be right where another thread releases the grant. */
int api_lend(berth_pool *pool, const berth_grant *grant, struct api_loan *loan);
/* The loans are those around this process, the nearest first. `after` as for api_until; 0: it waits
 * as long as it takes. */
int api_within(const berth_want *wants, size_t count, const struct api_loan *loans, size_t lenders,
               int64_t after, unsigned flags);

int api_resize(berth_pool *pool, unsigned slots);
/* The same without a seat, as `berth resize` does where all are taken. */
int api_resize_from_outside(const char *name, unsigned slots);
int api_look(const char *name);
int api_remove(const char *name);
/* How many handles the pool has, as berth_openers shows them. */
unsigned api_openers(const char *name);

/* The program has done to the handle what it must not: errors have to be expected. What the library
 * grants counts nevertheless. */
void api_spoil(const berth_pool *pool);

/* All that is left of the library in this process is `fds` descriptors. */
void api_check_clean(unsigned fds);

/* All are gone: every slot is available at once, the pool can be removed, and nothing stays. */
void api_audit(const char *name);

#endif
