#include "check/hunt.h"

struct tracks {
    const struct check_hunt *hunt;
    struct check_bits bad; /* states of bad components */
    bool any;
    uint32_t target; /* the nearest of them */
    struct check_witness *witness;
};

static bool mark(void *context, const struct check_component *component)
{
    struct tracks *tracks = context;
    if (tracks->hunt->bad(tracks->hunt->context, component)) {
        tracks->any = true;
        for (uint32_t m = 0; m < component->count; m++)
            check_bits_add(&tracks->bad, component->member[m]);
    }
    return true;
}

static uint32_t next_to_bad(const void *context, uint32_t now, uint32_t from, unsigned edge,
                            uint32_t to)
{
    const struct tracks *tracks = context;
    (void)now, (void)from, (void)edge;
    return check_bits_has(&tracks->bad, to) ? CHECK_ACCEPT : 0;
}

static bool find_target(struct tracks *tracks)
{
    const struct check_graph *graph = tracks->hunt->view->graph;
    tracks->target = graph->initial;
    if (check_bits_has(&tracks->bad, graph->initial))
        return true;
    struct check_run_list run = {0};
    struct check_observer observer = {1, 0, next_to_bad, tracks};
    const enum check_searched searched =
        check_search(graph, graph->initial, ~UINT64_C(0), &observer, &run, &tracks->target);
    check_run_free(&run);
    return searched == CHECK_RUN_FOUND;
}

static bool tell(void *context, const struct check_component *component)
{
    struct tracks *tracks = context;
    if (component->number_of[tracks->target] != component->number)
        return true;
    check_witness_lasso(component, &tracks->hunt->cycle, tracks->witness);
    return false;
}

enum check_hunted check_hunt(const struct check_hunt *hunt, struct check_witness *witness)
{
    struct tracks tracks = {.hunt = hunt, .witness = witness};
    const struct check_graph *graph = hunt->view->graph;
    if (!check_bits_open(&tracks.bad, graph->budget, graph->count))
        return CHECK_HUNT_NO_MEMORY;
    bool memory = check_components(hunt->view, mark, &tracks);
    /* Without memory for the way there, the answer stands without a witness. */
    if (memory && tracks.any && find_target(&tracks))
        check_components(hunt->view, tell, &tracks);
    check_bits_close(&tracks.bad);
    return tracks.any ? CHECK_FOUND : memory ? CHECK_NOTHING_FOUND : CHECK_HUNT_NO_MEMORY;
}
