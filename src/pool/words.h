/* A pool's file as the protocol sees it: its shared variables, and how wide their parts are. The
 * variables are all found from one address, so that the compiler needs no more than that. */
#ifndef BERTH_POOL_WORDS_H
#define BERTH_POOL_WORDS_H

#include "pool/file.h"

struct pool_words {
    struct pool_control *control;
    _Atomic(uint64_t) *slot, *ring;
    uint32_t seat_bits, ring_bits;
    struct pool_file *file;
    struct queue *queue; /* the handle that makes the call; NULL for a view */
};

static inline struct pool_words pool_words_of(struct pool_file *file)
{
    char *map = file->map;
    return (struct pool_words){.control = (void *)(map + POOL_CONTROL_AT),
                               .slot = (void *)(map + POOL_SLOT_AT),
                               .ring = (void *)(map + POOL_RING_AT),
                               .seat_bits = file->geometry.seat_bits,
                               .ring_bits = file->geometry.ring_bits,
                               .file = file};
}

#endif
