/* The subjects of this benchmark. Each is a ticket lock in a file of its own, so that the compiler
 * sees all of one and nothing of another. */
#ifndef BENCH_TICKET_H
#define BENCH_TICKET_H

#include <stdint.h>

enum { LOCK_THREADS = 64 }; /* there are no more, and as many tickets */

struct subject {
    const char *name;
    /* Locks, adds 1 to *counter and unlocks, `pairs` times. */
    void (*run)(volatile uint64_t *counter, uint64_t pairs);
};

extern const struct subject ticket_hand; /* by hand, with a compare-and-swap loop */
extern const struct subject ticket_step; /* examples/protocol/ticket.c, native expansion */
extern const struct subject ticket_add;  /* by hand, with fetch-and-add; for information */

#endif
