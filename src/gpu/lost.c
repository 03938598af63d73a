/* No slot is lost, on a card: backwards from the states in which the slots are filled, by sweeps
 * over the table that expand again what is still open (check/lost.c). A bit for each slot is all
 * that it takes. */
#include "gpu/levels.h"

#include <string.h>

enum { PART = 1 << 22 };

/* Runs something that marks states, and adds up how many. */
static bool mark(struct gpu_search *search, bool sorted, enum gpu_kernel kernel, uint64_t first,
                 uint64_t count, uint64_t *marked)
{
    const uint64_t none = 0, at = search->at + offsetof(struct step_device, changed);
    if (!gpu_write(search->card, at, &none, sizeof none) ||
        !(sorted ? gpu_search_sorted(search, first, count)
                 : gpu_search_launch(search, kernel, first, count)))
        return false;
    *marked += search->device.changed;
    return search->limits->interrupts == NULL || atomic_load(search->limits->interrupts) == 0;
}

/* One sweep, over the log if it is all there: downwards, so that what is marked is seen by the
 * states before it, and upwards in turns (check/lost.c); over the table otherwise. */
static bool sweep(struct gpu_search *search, bool upwards, uint64_t *marked)
{
    const bool logged = search->held == 0;
    const uint64_t part = search->sorts && logged ? search->part : PART;
    const uint64_t count = logged ? search->stored : search->device.capacity;
    const uint64_t parts = (count + part - 1) / part;
    search->device.by_slot = !logged;
    for (uint64_t p = 0; p < parts; p++) {
        const uint64_t first = (upwards || !logged ? p : parts - 1 - p) * part;
        const uint64_t left = count - first;
        if (!mark(search, search->sorts && logged, GPU_sweep, first, left < part ? left : part,
                  marked))
            return false;
    }
    return true;
}

/* Until a sweep marks nothing: then no open state leads to a marked one. */
static bool mark_all(struct gpu_search *search, uint64_t *marked)
{
    bool done = mark(search, false, GPU_fill, 0, search->device.capacity, marked), upwards = false;
    search->device.sweeps = 1;
    search->device.asked = 0;
    search->device.seen = NULL;
    for (uint64_t before = *marked + 1; done && before != *marked && *marked < search->stored;) {
        before = *marked;
        done = sweep(search, upwards, marked);
        upwards = !upwards;
    }
    search->device.sweeps = 0;
    return done;
}

/* Looks through one level; true: it was done. */
static bool look_through(struct gpu_search *search, uint64_t level)
{
    return gpu_search_launch(search, GPU_lost, search->level[level],
                             search->level[level + 1] - search->level[level]);
}

static bool find_first(struct gpu_search *search, uint64_t *level, uint64_t *state)
{
    const uint64_t levels = search->depth;
    for (uint64_t at = 0; at < levels; at++) {
        if (!gpu_search_hold(search, at) || !look_through(search, at))
            return false;
        if (search->device.before.found != 0) {
            *level = at;
            memcpy(state, search->device.before.state, search->words * sizeof *state);
            return true;
        }
    }
    return false;
}

int gpu_search_lost(struct gpu_search *search, uint64_t *level, uint64_t *state)
{
    const uint64_t bytes = (search->device.capacity / 64 + 1) * sizeof(uint64_t);
    const uint64_t at = gpu_search_take(search, bytes), none = 0;
    uint64_t marked = 0;
    int answer = -1;
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    search->device.possible = (uint64_t *)(uintptr_t)at;
    if (at != 0 && gpu_clear(search->card, at, bytes) && mark_all(search, &marked)) {
        if (marked == search->stored)
            answer = 1;
        else if (gpu_write(search->card, search->at + offsetof(struct step_device, before.found),
                           &none, sizeof none) &&
                 find_first(search, level, state))
            answer = 0;
    }
    gpu_search_give(search, at, bytes);
    search->device.possible = NULL;
    return answer;
}
