#include "occupancy.h"

#include "alive.h"

#include <inttypes.h>

/* The life is read again last: as long as it is this one, the process has not been waited for, and
 * its number is nobody else's. */
static bool is_dead(const struct board *board, uint64_t identity)
{
    const uint64_t life = identity >> 16;
    const struct board_place *place = &board->place[identity >> 8 & 0xff];
    if (atomic_load(&place->life) != life)
        return true;
    const int pid = atomic_load(&place->pid);
    const int tid = atomic_load(&place->thread[identity & 0xff].tid);
    return thread_is_dead(pid, tid) || atomic_load(&place->life) != life;
}

static bool doubled(const struct self *self, unsigned slot, uint64_t token, uint64_t other)
{
    struct board *board = self->board;
    const struct board_place *place = &board->place[other >> 8 & 0xff];
    complain(&board->complaints,
             "slot %u was given twice: place %u thread %u got it with token %" PRIu64
             " while place %u thread %u (pid %d, life %" PRIu64 ", token %" PRIu64 ") was in it",
             slot, self->place, self->thread, token, (unsigned)(other >> 8 & 0xff),
             (unsigned)(other & 0xff), atomic_load(&place->pid), other >> 16,
             atomic_load(&board->slot[slot].token));
    return false;
}

bool occupancy_enter(const struct self *self, unsigned slot, uint64_t token)
{
    struct board_slot *page = &self->board->slot[slot];
    uint64_t found = 0;
    while (!atomic_compare_exchange_strong(&page->holder, &found, self->identity)) {
        if (found != 0 && !is_dead(self->board, found))
            return doubled(self, slot, token, found);
        if (found != 0)
            atomic_fetch_add(&self->board->taken_from_dead, 1);
    }
    const uint64_t last = atomic_load(&page->token);
    if (token <= last)
        complain(&self->board->complaints,
                 "slot %u: token %" PRIu64 " comes after token %" PRIu64 ", and is not larger",
                 slot, token, last);
    atomic_store(&page->token, token);
    return token > last;
}

void occupancy_leave(const struct self *self, unsigned slot)
{
    uint64_t mine = self->identity;
    if (!atomic_compare_exchange_strong(&self->board->slot[slot].holder, &mine, 0))
        complain(&self->board->complaints,
                 "slot %u: place %u thread %u leaves it, and identity %#" PRIx64
                 " is written there",
                 slot, self->place, self->thread, mine);
}
