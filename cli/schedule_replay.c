#include "schedule_replay.h"

#include <string.h>

void cli_replay_begin(struct cli_replay *replay, const struct check_model *model)
{
    *replay = (struct cli_replay){.model = model, .note = {.label = "", .cell = -1}};
    model->initial(model, replay->state);
}

bool cli_replay_next(const struct cli_replay *replay, unsigned edge, uint64_t *state,
                     struct check_note *note)
{
    const struct check_model *model = replay->model;
    if (edge >= model->n * model->kinds ||
        !model->describe(model, replay->state, edge, state, note))
        return false;
    if (cli_edge_is_fault(model, edge)) {
        struct check_note stood;
        uint64_t unused[CHECK_MAX_WORDS];
        model->describe(model, replay->state, edge % model->n, unused, &stood);
        note->file = stood.file;
        note->line = stood.line;
    }
    return true;
}

bool cli_replay_move(struct cli_replay *replay, unsigned edge)
{
    uint64_t next[CHECK_MAX_WORDS];
    replay->process = edge % replay->model->n;
    if (!cli_replay_next(replay, edge, next, &replay->note))
        return false;
    memcpy(replay->before, replay->state, sizeof next);
    memcpy(replay->state, next, sizeof next);
    return true;
}
