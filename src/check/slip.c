#include "check/slip.h"

#include <stdio.h>
#include <string.h>

struct target {
    uint32_t id;
};

static uint32_t next_to_target(const void *context, uint32_t now, uint32_t from, unsigned edge,
                               uint32_t to)
{
    const struct target *target = context;
    (void)now, (void)from, (void)edge;
    return to == target->id ? CHECK_ACCEPT : 0;
}

/* The state that the schedule leads to, with the processes as they are called there. */
static void replay(const struct check_model *model, const struct check_witness *witness,
                   uint64_t *state)
{
    uint64_t next[CHECK_MAX_WORDS];
    struct check_note note;
    model->initial(model, state);
    for (size_t s = 0; s < witness->length; s++) {
        model->describe(model, state, witness->edge[s], next, &note);
        memcpy(state, next, model->words * sizeof *state);
    }
}

/* The first move from `state` that is an error; false: there is none. */
static bool find_move(const struct check_model *model, const uint64_t *state,
                      struct check_slip *slip)
{
    uint64_t next[CHECK_MAX_WORDS];
    for (unsigned e = 0; e < model->n * model->kinds; e++) {
        struct check_note note = {.label = "", .cell = -1};
        model->describe(model, state, e, next, &note);
        if (note.slip == NULL)
            continue;
        slip->found = true;
        slip->process = e % model->n;
        snprintf(slip->label, sizeof slip->label, "%s", note.label);
        slip->file = note.file;
        slip->line = note.line;
        snprintf(slip->text, sizeof slip->text, "%s", note.slip);
        return true;
    }
    return false;
}

void check_slip_find(const struct check_graph *graph, const uint64_t *bad, struct check_slip *slip)
{
    const struct check_model *model = graph->model;
    const struct target target = {check_graph_find(graph, bad)};
    const struct check_observer observer = {1, 0, next_to_target, &target};
    uint64_t state[CHECK_MAX_WORDS];
    if (!find_move(model, bad, slip)) /* only the tables were full */
        return;
    /* Nothing before the state is an error: it was found in the first level that has one. */
    if (target.id == CHECK_NONE)
        return;
    if (target.id == graph->initial)
        check_witness_empty(&slip->witness);
    else if (check_witness_search(graph, &observer, &slip->witness) == CHECK_RUN_FOUND) {
        replay(model, &slip->witness, state);
        find_move(model, state, slip); /* with the processes as they are called there */
    }
}
