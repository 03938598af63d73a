/* A pool's file as the protocol sees it: its shared variables, and how wide their parts are. */
#ifndef BERTH_POOL_WORDS_H
#define BERTH_POOL_WORDS_H

#include "pool/file.h"

struct pool_words {
    struct pool_control *control;
    _Atomic(uint64_t) *slot, *ring;
    uint32_t seat_bits, ring_bits;
    struct pool_file *file;
};

static inline struct pool_words pool_words_of(struct pool_file *file)
{
    return (struct pool_words){.control = file->control,
                               .slot = file->slot,
                               .ring = file->ring,
                               .seat_bits = file->geometry.seat_bits,
                               .ring_bits = file->geometry.ring_bits,
                               .file = file};
}

#endif
