/*
 * Whether a schedule shows that a property fails. The schedule is run from the initial state, and
 * the property is decided on that run alone, by its definition (shows.h), wherever the schedule
 * comes from and whatever it is claimed to show. Where enabling matters, the enabled processes are
 * found on the whole graph (enabled.c).
 */
#ifndef BERTH_CHECK_REPLAY_H
#define BERTH_CHECK_REPLAY_H

#include "check/exploration.h"
#include "check/result.h"

enum check_replayed {
    CHECK_SHOWN,        /* it does */
    CHECK_NOT_SHOWN,    /* it does not; `why` says where it falls short */
    CHECK_NOT_REPLAYED, /* no memory, or this property cannot be decided on a run */
};

/* `k`: fewer than this many processes may fail, where the property is about that. */
enum check_replayed check_replay(const struct check_model *model, enum check_property property,
                                 unsigned k, const struct check_witness *witness,
                                 const struct check_limits *limits, const char **why);

/* The witness of a result that was found on `graph`; `enabled` NULL: who is enabled does not
 * matter. */
struct check_enabled;
enum check_replayed check_replay_result(const struct check_graph *graph,
                                        const struct check_enabled *enabled,
                                        const struct check_result *result, const char **why);

#endif
