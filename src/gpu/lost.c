/* No slot is lost, on a card: backwards from the states in which the slots are filled, by sweeps over the
 * table that expand again what is still open (check/lost.c). A bit for each slot is all that it takes. */
#include "gpu/search.h"

#include <string.h>

static bool mark_all(struct gpu_search *search, uint64_t *marked)
{
    const uint64_t none = 0, at = search->at + offsetof(struct step_device, changed);
    *marked = 0;
    for (enum gpu_kernel kernel = GPU_fill;; kernel = GPU_sweep) {
        if (!gpu_write(search->card, at, &none, sizeof none) ||
            !gpu_search_launch(search, kernel, 0, search->device.capacity))
            return false;
        *marked += search->device.changed;
        if (search->device.changed == 0 && kernel == GPU_sweep)
            return true;
        if (search->limits->interrupts != NULL && atomic_load(search->limits->interrupts) > 0)
            return false;
    }
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
