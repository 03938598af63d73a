#include "pool/others.h"

#include "pool/bits.h"
#include "pool/handle.h"

/* The last ticket may not be in the ring yet: then the draw itself names its owner. */
static bool is_anothers(const struct pool_words *shared, word draw, word ticket)
{
    const word entry = bits_entry(shared, ticket);
    switch (KIND(entry, ticket)) {
    case WAITS:
    case ASLEEP:
    case BOUND: return VALUE(entry) != shared->queue->seat;
    case GONE:
    case PASSED: return false;
    default: return ticket + 1 == TICKET(draw) && SEAT(draw) != shared->queue->seat;
    }
}

bool pool_others_wait(berth_pool *pool)
{
    if (*pool->mine != HERE)
        return false;
    struct pool_words words = pool_words_of(&pool->queue.file);
    const struct pool_words *shared = &words;
    words.queue = &pool->queue;
    const word draw = atomic_load(&shared->control->draw);
    const word tail = TICKET(draw), admit = bits_admit(shared);
    if (tail > admit + RING)
        return false; /* damaged: the next acquire reports it */
    for (word ticket = admit; ticket < tail; ticket++) {
        if (is_anothers(shared, draw, ticket))
            return true;
    }
    return false;
}
