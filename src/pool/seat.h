/* The bytes that seats are locks on. (What is done with seats is in pool/file.h.) */
#ifndef BERTH_POOL_SEAT_H
#define BERTH_POOL_SEAT_H

#include "os/range_lock.h"
#include "pool/format.h"

#include <stdbool.h>

static inline struct os_range pool_seat_range(unsigned seat)
{
    return (struct os_range){.start = POOL_SEAT_BYTE + seat, .length = 1};
}

/* What a removal locks: the bytes of all seats that a pool can have. */
#define POOL_ALL_SEATS ((struct os_range){.start = POOL_SEAT_BYTE, .length = BERTH_MAX_SEATS})

/* Whether a lock that was found is a removal's, and no seat's. */
static inline bool pool_range_is_of_removal(struct os_range range)
{
    return range.length == 0 || range.length >= BERTH_MAX_SEATS;
}

#endif
