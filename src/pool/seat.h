/*
 * The bytes that seats are locks on. (What is done with seats is in pool/file.h.) A seat has two:
 * the first is locked exclusively by the open file of the handle that has the seat, and the second
 * is shared by its heirs, which are open files that keep the seat alive and may be open for reading
 * only. One question to the kernel is about both.
 */
#ifndef BERTH_POOL_SEAT_H
#define BERTH_POOL_SEAT_H

#include "os/range_lock.h"
#include "pool/format.h"

#include <stdbool.h>

static inline struct os_range pool_seats_range(unsigned seat, unsigned count)
{
    return (struct os_range){.start = POOL_SEAT_BYTE + (int64_t)2 * seat,
                             .length = (int64_t)2 * count};
}

static inline struct os_range pool_seat_range(unsigned seat)
{
    return pool_seats_range(seat, 1);
}

static inline struct os_range pool_heirs_range(unsigned seat)
{
    return (struct os_range){.start = pool_seat_range(seat).start + 1, .length = 1};
}

/* The seat that a byte belongs to. */
static inline unsigned pool_seat_of(int64_t byte)
{
    return byte < POOL_SEAT_BYTE ? 0 : (unsigned)((byte - POOL_SEAT_BYTE) / 2);
}

/* What a removal locks: the bytes of all seats that a pool can have. */
#define POOL_ALL_SEATS pool_seats_range(0, BERTH_MAX_SEATS)

/* Whether a lock that was found is a removal's, and no seat's. (One that is shared may be of a
 * process that can only read the file: it proves nothing.) */
static inline bool pool_range_is_of_removal(struct os_range range)
{
    return range.exclusive && (range.length == 0 || range.length >= 2 * (int64_t)BERTH_MAX_SEATS);
}

#endif
