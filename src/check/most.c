#include "check/decide.h"

struct asking {
    void (*count)(const void *context, unsigned i, struct check_most *most);
    const void *context;
    _Atomic(unsigned) unbounded; /* the least process without bound: later ones do not count */
    struct check_most most[CHECK_MAX_PROCESSES];
};

static void ask(void *context, uint64_t i)
{
    struct asking *asking = context;
    unsigned least = atomic_load(&asking->unbounded);
    if (i > least)
        return;
    asking->count(asking->context, (unsigned)i, &asking->most[i]);
    while (asking->most[i].unbounded && i < least &&
           !atomic_compare_exchange_weak(&asking->unbounded, &least, (unsigned)i)) {
    }
}

struct check_most check_most(const struct check_graph *graph, unsigned processes,
                             void (*count)(const void *context, unsigned i,
                                           struct check_most *most),
                             const void *context)
{
    struct asking asking = {.count = count, .context = context, .unbounded = processes};
    struct check_most worst = {.memory = true};
    check_share(check_threads_for(graph), processes, ask, &asking);
    for (unsigned i = 0; i < processes && worst.memory && !worst.unbounded; i++) {
        asking.most[i].i = i;
        if (!asking.most[i].memory || asking.most[i].unbounded ||
            asking.most[i].bound > worst.bound)
            worst = asking.most[i];
    }
    return worst;
}

bool check_most_concludes(const struct check_most *most, struct check_result *result)
{
    if (!most->memory) {
        check_result_undecided(result);
        return false;
    }
    const bool over = result->query.has_bound && most->bound > result->query.bound;
    result->has_bound = !most->unbounded;
    result->bound = most->unbounded ? 0 : most->bound;
    result->answer = most->unbounded || over ? CHECK_FAILS : CHECK_HOLDS;
    return result->answer == CHECK_FAILS;
}
