/* Walking along a schedule, one move at a time. */
#ifndef BERTH_CLI_SCHEDULE_REPLAY_H
#define BERTH_CLI_SCHEDULE_REPLAY_H

#include "check/model.h"

struct cli_replay {
    const struct check_model *model;
    uint64_t before[CHECK_MAX_WORDS], state[CHECK_MAX_WORDS]; /* around the last move */
    unsigned process;
    struct check_note note; /* of the last move; a fault is at the line where the process stood */
};

void cli_replay_begin(struct cli_replay *replay, const struct check_model *model);
/* False: there is no such move here, and only `note` and `process` have changed. */
bool cli_replay_move(struct cli_replay *replay, unsigned edge);

/* What the process would do next, without doing it: true if it can move, and *note says how. */
bool cli_replay_next(const struct cli_replay *replay, unsigned edge, uint64_t *state,
                     struct check_note *note);

static inline bool cli_edge_is_fault(const struct check_model *model, unsigned edge)
{
    return model->has_fault && edge / model->n == model->kinds - 1;
}

static inline bool cli_edge_is_choice(const struct check_model *model, unsigned edge)
{
    return model->has_choice && edge / model->n == 1;
}

#endif
