#include "outlook.h"

enum { MEMORY = 512 << 20 };

void cli_outlook_open(struct cli_outlook *outlook, const struct check_model *model)
{
    *outlook = (struct cli_outlook){.budget = {.limit = MEMORY}};
    const struct check_limits limits = {
        .budget = &outlook->budget, .states = CLI_OUTLOOK_STATES, .threads = 1, .keep_order = true};
    struct check_space space;
    outlook->unknown = "there is too little memory";
    if (!check_explore(&space, model, &limits))
        return;
    if (space.end == CHECK_OUT_OF_RANGE)
        outlook->unknown = "a value leaves its declared range";
    else if (space.end == CHECK_TOO_MANY)
        outlook->unknown = "it has too many states";
    if (space.end != CHECK_COMPLETE ||
        !check_graph_freeze(&outlook->graph, &space, &limits, true)) {
        check_space_close(&space);
        return;
    }
    check_space_close(&space);
    outlook->known = check_enabled_open(&outlook->enabled, &outlook->graph);
    if (!outlook->known)
        check_graph_close(&outlook->graph);
}

void cli_outlook_close(struct cli_outlook *outlook)
{
    if (!outlook->known)
        return;
    check_enabled_close(&outlook->enabled);
    check_graph_close(&outlook->graph);
    outlook->known = false;
}

int cli_outlook_enabled(const struct cli_outlook *outlook, const uint64_t *state)
{
    if (!outlook->known)
        return -1;
    const struct check_model *model = outlook->graph.model;
    const uint32_t id = check_graph_find(&outlook->graph, state);
    int set = 0;
    for (unsigned p = 0; id != CHECK_NONE && p < model->n; p++) {
        if (check_trying(check_region_of(model, state, p)) &&
            check_is_enabled(&outlook->graph, outlook->enabled.critical, id, p))
            set |= 1 << p;
    }
    return id == CHECK_NONE ? -1 : set;
}

static uint32_t until_broken(const void *context, uint32_t now, uint32_t from, unsigned edge,
                             uint32_t to)
{
    const struct check_graph *graph = context;
    const uint64_t *state = check_graph_key(graph, to);
    (void)now, (void)from, (void)edge;
    for (unsigned p = 0; p < CHECK_PROPERTIES; p++) {
        if (check_state_breaks(graph->model, state, (enum check_property)p))
            return CHECK_ACCEPT;
    }
    return 0;
}

enum cli_broken cli_outlook_break(const struct cli_outlook *outlook, const uint64_t *state,
                                  bool faults, struct cli_schedule *schedule)
{
    const struct check_graph *graph = &outlook->graph;
    const uint32_t from = outlook->known ? check_graph_find(graph, state) : CHECK_NONE;
    if (from == CHECK_NONE)
        return CLI_BREAKS_UNKNOWN;
    const struct check_observer observer = {1, 0, until_broken, graph};
    const uint64_t edges = faults ? ~UINT64_C(0) : check_step_edges(graph->model);
    struct check_run_list run = {0};
    uint32_t end;
    const enum check_searched searched = check_search(graph, from, edges, &observer, &run, &end);
    bool added = true;
    for (size_t s = 0; searched == CHECK_RUN_FOUND && added && s < run.length; s++)
        added = cli_schedule_add(schedule, run.edge[s]);
    check_run_free(&run);
    if (searched == CHECK_NO_SUCH_RUN)
        return CLI_NEVER_BREAKS;
    return searched == CHECK_RUN_FOUND && added ? CLI_BREAKS : CLI_BREAKS_UNKNOWN;
}
