#include "stress/participant.h"

#include "os/backoff.h"
#include "stress/random.h"

#include <sched.h>
#include <time.h>

/* All participants start together, or the first would run alone for a while. */
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

/* Whether those inside exclude each other. Where what a process is inside for tells, it must be
 * read while the process is inside: one that has left by then is not counted. */
static bool clashes(const struct stress_arena *arena, uint64_t inside)
{
    const struct protocol_native *native = arena->plan->native;
    const struct step_params *params = &arena->plan->params;
    const struct stress_board *board = arena->board;
    if (native->clash == NULL)
        return (unsigned)__builtin_popcountll(inside) > params->l;
    for (;;) {
        uint64_t turn[STRESS_MAX_N] = {0};
        for (unsigned p = 0; p < params->n; p++)
            turn[p] = atomic_load(&board->place[p].turn);
        inside &= atomic_load(&board->inside);
        if (!native->clash(arena->shared, params, inside))
            return false;
        uint64_t stayed = 0;
        for (unsigned p = 0; p < params->n; p++)
            stayed |= (uint64_t)(turn[p] == atomic_load(&board->place[p].turn)) << p;
        if ((inside & ~stayed) == 0)
            return true;
        inside &= stayed;
    }
}

/* The slot that is held, as a bit; one that somebody else holds, or that does not exist, is a
 * violation. */
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
    if (clashes(arena, inside))
        atomic_fetch_add(&board->violations, 1);
    const uint64_t slot = take_slot(arena, me);
    record(arena, ticket);
    uint64_t before = board->plain;
    linger(random);
    board->plain = before + 1;
    atomic_fetch_add_explicit(&place->entries, 1, memory_order_relaxed);
    atomic_fetch_add(&place->turn, 1);
    atomic_fetch_and(&board->held, ~slot);
    atomic_fetch_and(&board->inside, ~mine);
}

/* The protocol around the one that is tried; true where there is none. */
static bool enter_gate(const struct stress_arena *arena, unsigned me)
{
    const struct stress_plan *plan = arena->plan;
    return plan->gate == NULL ||
           plan->gate->entry(arena->gate_shared, arena->gate_local + arena->gate_stride * me,
                             &plan->gate_params, me);
}

static void leave_gate(const struct stress_arena *arena, unsigned me)
{
    const struct stress_plan *plan = arena->plan;
    if (plan->gate != NULL)
        plan->gate->exit(arena->gate_shared, arena->gate_local + arena->gate_stride * me,
                         &plan->gate_params, me);
}

/* A process that takes the place of a killed participant runs its recovery first, and may be
 * critical again. If it is killed during that, the next one starts again. */
static void recover(const struct stress_arena *arena, unsigned me, uint64_t *random)
{
    const struct stress_plan *plan = arena->plan;
    void *local = stress_arena_local(arena, me);
    if (!atomic_load(&arena->board->place[me].killed))
        return;
    const bool entered = plan->native->revive(arena->shared, local, &plan->params, me);
    atomic_store(&arena->board->place[me].killed, false);
    if (!entered)
        return;
    critical_section(arena, me, atomic_fetch_add(&arena->board->arrivals, 1), random);
    plan->native->exit(arena->shared, local, &plan->params, me);
}

void stress_participate(const struct stress_arena *arena, unsigned me, uint64_t seed)
{
    struct stress_board *board = arena->board;
    const struct protocol_native *native = arena->plan->native;
    const struct step_params *params = &arena->plan->params;
    void *local = stress_arena_local(arena, me);
    uint64_t random = seed;
    gather(board, params->n);
    recover(arena, me, &random);
    while (!atomic_load_explicit(&board->stop, memory_order_relaxed)) {
        uint64_t ticket = atomic_fetch_add(&board->arrivals, 1);
        atomic_store(&board->place[me].trying, true);
        const bool passed = enter_gate(arena, me);
        const bool entered = passed && native->entry(arena->shared, local, params, me);
        atomic_store(&board->place[me].trying, false);
        if (entered || arena->plan->object)
            critical_section(arena, me, ticket, &random);
        else
            atomic_fetch_add_explicit(&board->place[me].gave_up, 1, memory_order_relaxed);
        if (entered)
            native->exit(arena->shared, local, params, me);
        if (passed)
            leave_gate(arena, me);
        if (native->failed != NULL && native->failed(local) != 0)
            atomic_store(&board->broken, true);
        linger(&random);
    }
    atomic_store(&board->place[me].done, true);
}

static bool all_done(const struct stress_arena *arena)
{
    for (unsigned i = 0; i < arena->plan->params.n; i++) {
        if (!atomic_load_explicit(&arena->board->place[i].done, memory_order_relaxed))
            return false;
    }
    return true;
}

void stress_supervise(const struct stress_arena *arena)
{
    while (!all_done(arena))
        arena->plan->native->supervise(arena->shared, arena->private, &arena->plan->params);
}
