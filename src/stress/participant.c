#include "stress/participant.h"

#include "os/wait.h"
#include "stress/random.h"

#include <sched.h>
#include <time.h>

/* Nobody begins before all are there, or the first would run alone for a while. */
static void gather(struct stress_board *board, unsigned n)
{
    atomic_fetch_add(&board->ready, 1);
    while (atomic_load(&board->ready) < n && !atomic_load(&board->stop))
        sched_yield();
}

/* Mostly a few instructions; now and then long enough for the others to run, and seldom long enough
 * for all of them to come and look. */
static void linger(uint64_t *random)
{
    uint64_t r = stress_random(random);
    for (uint64_t i = r % 16; i > 0; i--)
        os_relax();
    if (r >> 16 & 1023) {
        if ((r >> 32 & 31) == 0)
            sched_yield();
        return;
    }
    struct timespec moment = {.tv_nsec = 20 * 1000};
    nanosleep(&moment, NULL); /* cut short by a signal it is a moment still */
}

static void record(const struct stress_arena *arena, uint64_t ticket)
{
    struct stress_board *board = arena->board;
    uint64_t at = atomic_fetch_add(&board->entered, 1);
    if (at < STRESS_LOG)
        arena->log[at] = (uint32_t)(ticket + 1);
    if (arena->plan->entries != 0 && at + 1 >= arena->plan->entries)
        atomic_store(&board->stop, true);
}

/* The slot that is held, as a bit; one that somebody else holds, or that does not exist, is a violation. */
static uint64_t take_slot(const struct stress_arena *arena, unsigned me)
{
    const struct stress_plan *plan = arena->plan;
    if (plan->native->slot == NULL)
        return 0;
    const unsigned slot = plan->native->slot(stress_arena_local(arena, me), &plan->params, me);
    const uint64_t bit = UINT64_C(1) << slot % 64;
    const uint64_t held = atomic_fetch_or(&arena->board->held, bit);
    if (slot >= plan->params.l || held & bit)
        atomic_fetch_add(&arena->board->violations, 1);
    return bit;
}

static void critical_section(const struct stress_arena *arena, unsigned me, uint64_t ticket,
                             uint64_t *random)
{
    struct stress_board *board = arena->board;
    struct stress_place *place = &board->place[me];
    const uint64_t mine = UINT64_C(1) << me;
    uint64_t inside = atomic_fetch_or(&board->inside, mine) | mine;
    if ((unsigned)__builtin_popcountll(inside) > arena->plan->params.l)
        atomic_fetch_add(&board->violations, 1);
    const uint64_t slot = take_slot(arena, me);
    record(arena, ticket);
    uint64_t before = board->plain;
    linger(random);
    board->plain = before + 1;
    atomic_fetch_add_explicit(&place->entries, 1, memory_order_relaxed);
    atomic_fetch_and(&board->held, ~slot);
    atomic_fetch_and(&board->inside, ~mine);
}

void stress_participate(const struct stress_arena *arena, unsigned me, uint64_t seed)
{
    struct stress_board *board = arena->board;
    const struct protocol_native *native = arena->plan->native;
    const struct step_params *params = &arena->plan->params;
    void *local = stress_arena_local(arena, me);
    const struct protocol_native *gate = arena->plan->gate;
    void *gate_local = arena->gate_local + arena->gate_stride * me;
    uint64_t random = seed;
    gather(board, params->n);
    while (!atomic_load_explicit(&board->stop, memory_order_relaxed)) {
        uint64_t ticket = atomic_fetch_add(&board->arrivals, 1);
        if (gate != NULL)
            gate->entry(arena->gate_shared, gate_local, &arena->plan->gate_params, me);
        native->entry(arena->shared, local, params, me);
        critical_section(arena, me, ticket, &random);
        native->exit(arena->shared, local, params, me);
        if (gate != NULL)
            gate->exit(arena->gate_shared, gate_local, &arena->plan->gate_params, me);
        if (native->failed != NULL && native->failed(local) != 0)
            atomic_store(&board->broken, true);
        linger(&random);
    }
    atomic_store(&board->place[me].done, true);
}
