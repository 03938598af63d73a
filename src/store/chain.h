/*
 * Where the locks of loans lie: see protocol/pool/loan.c for the algorithm, and pool/loan.c for who
 * takes them.
 *
 * Each slot has a chain of ranges of bytes, one for each level, beyond everything else in the file.
 * The process that has level d of slot j holds a lock that begins at the first byte of the range,
 * and whose length is 1 + its name. So the kernel says whether a slot is lent, and to which
 * process, to every process that may read the file.
 *
 * A pool in a directory has its own file for that. A slot of another store has a file that exists
 * in memory only (memfd_create); it belongs to the grant, and has a page at its beginning.
 */
#ifndef BERTH_STORE_CHAIN_H
#define BERTH_STORE_CHAIN_H

#include "berth.h"
#include "os/range_lock.h"

#include <stdatomic.h>
#include <stdint.h>

#define CHAIN_BYTE (INT64_C(1) << 62)

enum {
    CHAIN_NAME_BITS = 44, /* 17 of the seat, 27 of the number */
    CHAIN_LEVEL_BITS = 8,
    CHAIN_LEVELS_END = (1 << CHAIN_LEVEL_BITS) - 1, /* levels are below this */
};

/* Slots are counted from 1 here, as the protocol does. */
static inline int64_t chain_start(uint64_t slot, uint64_t level)
{
    return CHAIN_BYTE + (int64_t)(((slot - 1) << CHAIN_LEVEL_BITS | level) << CHAIN_NAME_BITS);
}

/* From level d up to below `end`. The last byte of a slot is left out: so no lock is adjacent to
 * one of the next slot, and the kernel never merges the two. */
static inline struct os_range chain_levels(uint64_t slot, uint64_t d, uint64_t end)
{
    const int64_t start = chain_start(slot, d);
    return (struct os_range){.start = start, .length = chain_start(slot, end) - start};
}

enum { CHAIN_PREFIX = 128, CHAIN_PAGE_SIZE = 4096 };
#define CHAIN_MAGIC UINT64_C(0x6e616f6c68747262) /* "brthloan" */

/* What the file of a grant in another store begins with. Only good_until changes. */
struct chain_page {
    uint64_t magic;
    uint64_t cluster; /* the store's own number */
    uint64_t token;
    uint32_t slot; /* from 0 */
    char prefix[CHAIN_PREFIX];
    char name[BERTH_NAME_MAX + 1];
    /* STORE_CLOCK; nobody may rely on the slot afterwards. 0: the grant is over. */
    _Atomic(uint64_t) good_until;
};
_Static_assert(sizeof(struct chain_page) <= CHAIN_PAGE_SIZE, "it is a page");

#endif
