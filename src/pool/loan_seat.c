#include "pool/loan_seat.h"

#include "pool/bits.h"
#include "pool/loan.h"

bool loan_seat_is_kept(const struct pool_file *file, unsigned seat)
{
    const struct pool_words words = {.seat_bits = file->geometry.seat_bits}, *shared = &words;
    for (unsigned slot = 0; slot < BERTH_MAX_SLOTS; slot++) {
        if (SEAT(atomic_load(&file->slot[slot])) == seat && loan_keeps(file, slot))
            return true;
    }
    return false;
}
