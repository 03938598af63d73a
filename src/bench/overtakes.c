#include "bench/overtakes.h"

#include "stress/overtaken.h"

#include <stdlib.h>

enum { MOST_TICKETS = 16 * BENCH_LOG };

/* ---- while they run ---- */

/* The number of the acquire that it is asleep in; 0: it is not, as far as one can tell. */
static uint32_t asleep_in(const struct bench_board *board, struct bench_crew *crew,
                          unsigned process)
{
    uint32_t number = atomic_load(&board->corner[process].began);
    if (number == 0 || !bench_crew_asleep(crew, process))
        return 0;
    return atomic_load(&board->corner[process].began) == number ? number : 0;
}

void bench_order_look(struct bench_order *order, const struct bench_board *board,
                      struct bench_crew *crew)
{
    uint32_t entered = atomic_load(&board->entered.value); /* before the look, see overtakes.h */
    if (entered >= BENCH_LOG)
        return;
    if (order->watching) {
        struct bench_watch *watch = &order->watch[order->count - 1];
        order->watching = asleep_in(board, crew, watch->process) == watch->number;
        if (order->watching) {
            watch->until = entered;
            return;
        }
    }
    if (order->count == BENCH_WATCHES)
        return;
    struct bench_watch watch = {.process = bench_pick(crew->run, crew->size)};
    watch.number = asleep_in(board, crew, watch.process);
    if (watch.number == 0)
        return;
    watch.arrivals = atomic_load(&board->arrivals.value); /* after the look */
    watch.from = watch.until = entered;
    order->watch[order->count++] = watch;
    order->watching = true;
}

void bench_order_close(struct bench_order *order, const struct bench_board *board)
{
    uint32_t entered = atomic_load(&board->entered.value);
    order->entries = entered < BENCH_LOG ? entered : BENCH_LOG;
}

/* ---- afterwards ---- */

/* Where the watched process itself entered; the length of the log if it did not. */
static uint32_t entry_of(const struct bench_watch *watch, const struct bench_board *board,
                         uint32_t entries)
{
    uint32_t at = watch->from;
    while (at < entries && board->log[at].number != watch->number)
        at++;
    return at;
}

static uint64_t passed(const struct bench_watch *watch, const struct bench_board *board,
                       uint32_t entries, bool one_slot)
{
    uint32_t entry = one_slot ? entry_of(watch, board, entries) : entries;
    uint32_t until = entry < entries ? entry : watch->until;
    uint64_t count = 0;
    for (uint32_t at = watch->from; at < until; at++)
        count += board->log[at].number > watch->arrivals;
    return count;
}

/* Entries in another order than their numbers, or their tickets: each pair of them counts. */
static bool count_inversions(const struct bench_board *board, uint32_t length, bool by_ticket,
                             uint64_t *count)
{
    uint32_t *number = calloc((size_t)length + 1, sizeof *number);
    struct stress_overtaken overtaken = {0};
    uint32_t first = length > 0 ? board->log[0].ticket : 0;
    if (number == NULL)
        return false;
    for (uint32_t i = 0; i < length; i++) {
        /* The first to enter may have passed all others, so there is room below it. Invalid tickets
         * must not take unlimited memory. */
        uint32_t ticket = board->log[i].ticket - first + 1 + BENCH_CONTENDERS;
        ticket = ticket < MOST_TICKETS ? ticket : MOST_TICKETS;
        number[i] = board->log[i].number == 0 ? 0 : by_ticket ? ticket : board->log[i].number;
    }
    bool counted = stress_count_overtaken(number, length, &overtaken);
    *count = overtaken.total;
    free(number);
    return counted;
}

bool bench_order_count(const struct bench_order *order, const struct bench_board *board,
                       const struct bench_place *place, struct bench_overtaken *overtaken)
{
    const bool one_slot = place->slots == 1;
    *overtaken = (struct bench_overtaken){
        .watched = order->count,
        .has_by_ticket = one_slot && place->subject->ticket != NULL,
        .has_from_call = one_slot,
    };
    for (unsigned i = 0; i < order->count; i++)
        overtaken->overtakes += passed(&order->watch[i], board, order->entries, one_slot);
    return (!overtaken->has_by_ticket ||
            count_inversions(board, order->entries, true, &overtaken->by_ticket)) &&
           (!one_slot || count_inversions(board, order->entries, false, &overtaken->from_call));
}
