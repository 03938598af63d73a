#include "order.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- calls ---- */

/* Nobody is in a call that began when the pool had another size. */
static bool is_settled(const struct board *board, uint64_t size)
{
    if ((size >> 16 & 1) != 0)
        return false;
    for (unsigned place = 0; place < BOARD_PLACES; place++) {
        for (unsigned thread = 0; thread < BOARD_THREADS; thread++) {
            const uint64_t call = atomic_load(&board->place[place].thread[thread].call);
            if (call != 0 && call >> 8 != size)
                return false;
        }
    }
    return true;
}

void order_call(struct self *self, enum board_call call)
{
    struct board *board = self->board;
    struct board_thread *corner = self_corner(self);
    self->size = atomic_load(&board->size);
    self->settled = is_settled(board, self->size);
    self->floor = atomic_load(&board->newest);
    atomic_store(&corner->waits, 0);
    atomic_store(&corner->began, board_next(board));
    atomic_store(&corner->call, self->size << 8 | call);
}

void order_return(struct self *self)
{
    struct board_thread *corner = self_corner(self);
    atomic_store(&corner->call, 0);
    atomic_fetch_add(&corner->laps, 1);
}

void order_seen_waiting(struct self *self)
{
    struct board_thread *corner = self_corner(self);
    if (atomic_load_explicit(&corner->waits, memory_order_relaxed) == 0)
        atomic_store(&corner->waits, board_next(self->board));
}

/* ---- grants ---- */

static void note(struct self *self, uint64_t token)
{
    struct board *board = self->board;
    struct board_thread *corner = self_corner(self);
    order_seen_waiting(self); /* it is over by now */
    const uint64_t at = atomic_fetch_add(&board->logged, 1);
    if (at >= BOARD_LOG)
        return;
    atomic_store(&board->log[at].began, atomic_load(&corner->began));
    atomic_store(&board->log[at].waits, atomic_load(&corner->waits));
    atomic_store(&board->log[at].token, token);
}

bool order_granted(struct self *self, const berth_grant *grant)
{
    struct board *board = self->board;
    const unsigned slots = (unsigned)(self->size & 0xffff);
    note(self, grant->token);
    if (grant->slot >= BOARD_SLOTS) {
        complain(&board->complaints, "slot %u was given, and the pool never had that many",
                 grant->slot);
        return false;
    }
    if (self->settled && atomic_load(&board->size) == self->size && grant->slot >= slots) {
        complain(&board->complaints, "slot %u was given by a pool of %u slots", grant->slot, slots);
        return false;
    }
    if (grant->token <= self->floor) {
        complain(&board->complaints,
                 "place %u thread %u got token %" PRIu64 ", and token %" PRIu64
                 " had been given before it asked",
                 self->place, self->thread, grant->token, self->floor);
        return false;
    }
    uint64_t newest = atomic_load(&board->newest);
    while (newest < grant->token &&
           !atomic_compare_exchange_weak(&board->newest, &newest, grant->token))
        ;
    atomic_fetch_add(&board->grants, 1);
    return true;
}

/* ---- the size of the pool ---- */

void order_resizing(struct self *self)
{
    const uint64_t size = atomic_load(&self->board->size);
    const uint64_t change = size >> 16;
    /* It is odd already where an earlier life was killed in the middle. */
    atomic_store(&self->board->size, (change + 1 + (change & 1)) << 16);
}

void order_resized(struct self *self, unsigned slots)
{
    const uint64_t change = atomic_load(&self->board->size) >> 16;
    atomic_store(&self->board->size, (change + 1) << 16 | slots);
    atomic_fetch_add(&self->board->resizes, 1);
}

/* ---- afterwards ---- */

static int by_token(const void *left, const void *right)
{
    const struct board_grant *a = left, *b = right;
    const uint64_t x = atomic_load_explicit(&a->token, memory_order_relaxed);
    const uint64_t y = atomic_load_explicit(&b->token, memory_order_relaxed);
    return (x > y) - (x < y);
}

bool order_analyse(struct board *board, uint64_t *analysed)
{
    uint64_t count = atomic_load(&board->logged);
    if (count > BOARD_LOG)
        count = BOARD_LOG;
    qsort(board->log, count, sizeof board->log[0], by_token);
    uint64_t last_token = 0, latest = 0, latest_token = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t token = atomic_load(&board->log[i].token);
        const uint64_t began = atomic_load(&board->log[i].began);
        const uint64_t waits = atomic_load(&board->log[i].waits);
        if (token == 0)
            continue;
        ++*analysed;
        if (token == last_token) {
            complain(&board->complaints, "token %" PRIu64 " was given twice", token);
            return false;
        }
        if (latest > waits) {
            complain(&board->complaints,
                     "token %" PRIu64 " waited at event %" PRIu64 ", and token %" PRIu64
                     ", asked for at event %" PRIu64 ", passed it",
                     token, waits, latest_token, latest);
            return false;
        }
        last_token = token;
        if (began > latest) {
            latest = began;
            latest_token = token;
        }
    }
    return true;
}
