/* The way to a state that was found on a card. No state knows where it came from; but the level of
 * the state is known, and the log has the level before it, or can be made again: one of the states
 * there has a move to it. */
#include "gpu/levels.h"

#include <stdlib.h>
#include <string.h>

/* Finds a state of this level with a move to `target`. */
static bool step_back(struct gpu_search *search, uint64_t level, const uint64_t *target,
                      uint64_t *before)
{
    struct step_device *device = &search->device;
    if (!gpu_search_hold(search, level))
        return false;
    memcpy(device->target, target, search->words * sizeof *target);
    const uint64_t none = 0;
    if (!gpu_write(search->card, search->at + offsetof(struct step_device, before.found), &none,
                   sizeof none) ||
        !gpu_search_launch(search, GPU_back, search->level[level],
                           search->level[level + 1] - search->level[level]) ||
        device->before.found == 0)
        return false;
    memcpy(before, device->before.state, search->words * sizeof *before);
    return true;
}

uint64_t *gpu_search_path(struct gpu_search *search, const uint64_t *target, uint64_t level)
{
    const unsigned words = search->words;
    uint64_t *path = malloc((level + 1) * words * sizeof *path);
    if (path == NULL)
        return NULL;
    memcpy(path + level * words, target, words * sizeof *path);
    while (level-- > 0) {
        if (!step_back(search, level, path + (level + 1) * words, path + level * words)) {
            free(path);
            return NULL;
        }
    }
    return path;
}
