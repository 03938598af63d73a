#include "check/hunt.h"

struct tracks {
    const struct check_hunt *hunt;
    struct check_bits bad; /* states of bad components */
    _Atomic(bool) any;
};

static void mark(void *context, const struct check_component *component)
{
    struct tracks *tracks = context;
    if (!tracks->hunt->bad(tracks->hunt->context, component))
        return;
    atomic_store(&tracks->any, true);
    for (uint32_t m = 0; m < component->count; m++)
        check_bits_mark(&tracks->bad, component->member[m]);
}

static uint32_t next_to_bad(const void *context, uint32_t now, uint32_t from, unsigned edge,
                            uint32_t to)
{
    const struct tracks *tracks = context;
    (void)now, (void)from, (void)edge;
    return check_bits_has(&tracks->bad, to) ? CHECK_ACCEPT : 0;
}

/* The nearest state of a bad component. */
static bool find_target(const struct tracks *tracks, uint32_t *target)
{
    const struct check_graph *graph = tracks->hunt->condensed->view->graph;
    *target = graph->initial;
    if (check_bits_has(&tracks->bad, graph->initial))
        return true;
    struct check_run_list run = {0};
    struct check_observer observer = {1, 0, next_to_bad, tracks};
    const enum check_searched searched =
        check_search(graph, graph->initial, ~UINT64_C(0), &observer, &run, target);
    check_run_free(&run);
    return searched == CHECK_RUN_FOUND;
}

enum check_hunted check_hunt(const struct check_hunt *hunt, struct check_witness *witness)
{
    struct tracks tracks = {.hunt = hunt};
    const struct check_graph *graph = hunt->condensed->view->graph;
    uint32_t target;
    if (!check_bits_open(&tracks.bad, graph->budget, graph->count))
        return CHECK_HUNT_NO_MEMORY;
    check_deliver_any(hunt->condensed, mark, &tracks);
    /* Without memory for the way there, the answer stands without a witness. */
    if (atomic_load(&tracks.any) && find_target(&tracks, &target)) {
        const struct check_component component = check_component_of(hunt->condensed, target);
        check_witness_lasso(&component, &hunt->cycle, witness);
    }
    check_bits_close(&tracks.bad);
    return atomic_load(&tracks.any) ? CHECK_FOUND : CHECK_NOTHING_FOUND;
}

enum check_hunted check_hunt_in(const struct check_view *view, struct check_hunt hunt,
                                struct check_witness *witness)
{
    struct check_condensed condensed;
    if (!check_condense(&condensed, view))
        return CHECK_HUNT_NO_MEMORY;
    hunt.condensed = &condensed;
    const enum check_hunted hunted = check_hunt(&hunt, witness);
    check_condensed_close(&condensed);
    return hunted;
}
