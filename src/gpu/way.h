/* From a state that was found on a card to an answer with a witness. */
#ifndef BERTH_GPU_WAY_H
#define BERTH_GPU_WAY_H

#include "check/check.h"
#include "gpu/levels.h"

/* `state`, in this level, shows that the property of `result` fails. Where the way to it cannot be
 * found, the property is left undecided. */
void gpu_show_state(struct gpu_search *search, const uint64_t *state, uint64_t level,
                    struct check_result *result, struct check_report *report);
void gpu_show_lost(struct gpu_search *search, const uint64_t *state, uint64_t level,
                   struct check_result *result, struct check_report *report);
/* `state` has a move that no protocol may make: a slip (check/slip.h). */
void gpu_show_slip(struct gpu_search *search, const uint64_t *state, uint64_t level,
                   struct check_report *report);

#endif
