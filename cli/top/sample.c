#include "top.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* ---- rates ---- */

static double seconds_between(const struct timespec *from, const struct timespec *to)
{
    return (double)(to->tv_sec - from->tv_sec) + (double)(to->tv_nsec - from->tv_nsec) / 1e9;
}

void top_rate_enter(struct top_rate *rate, const struct pool_history *history,
                    const struct timespec *at)
{
    double seconds = seconds_between(&rate->at, at);
    rate->known = rate->looked && !history->unknown && rate->history.made == history->made &&
                  rate->history.served <= history->served && seconds > 0;
    rate->per_second = rate->known ? (double)(history->served - rate->history.served) / seconds : 0;
    rate->looked = true;
    rate->history = *history;
    rate->at = *at;
}

/* ---- one pool ---- */

/* Anyone who may write to a pool's file can cut it short while it is mapped here, and the next read
 * is a SIGBUS. The library leaves that to the program; what this one leaks is little. */
static sigjmp_buf cut_short;
static volatile sig_atomic_t reading;

static void bus_error(int signal)
{
    if (reading)
        siglongjmp(cut_short, 1);
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(signal, &action, NULL); /* and the same instruction again */
}

void top_look_prepare(void)
{
    struct sigaction action = {.sa_handler = bus_error};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}

static int read_pool(struct top_pool *pool, struct pool_history *history, const berth_options *how)
{
    if (sigsetjmp(cut_short, 1) != 0) {
        reading = 0;
        snprintf(pool->problem, sizeof pool->problem, "the file of pool %s was cut short",
                 pool->name);
        return EPROTO;
    }
    reading = 1;
    int error = berth_look(&pool->view, pool->name, how);
    if (error == 0)
        error = pool_history(history, pool->name, how);
    if (error == 0)
        error = cli_lanes_look(&pool->lanes, pool->name, how->store);
    reading = 0;
    snprintf(pool->problem, sizeof pool->problem, "%s", error != 0 ? berth_reason() : "");
    return error;
}

/* Drops what was seen of a pool, which is out of date. */
static void forget(struct top_pool *pool, int error, const char *problem)
{
    berth_view_free(pool->view);
    cli_lanes_free(&pool->lanes);
    pool->view = NULL;
    pool->rate = (struct top_rate){0};
    pool->error = error;
    if (problem != pool->problem)
        snprintf(pool->problem, sizeof pool->problem, "%s", problem);
}

static int top_look_at(struct top_pool *pool, const struct top *top)
{
    const berth_options how = {.store = top->where != NULL ? cli_where_store(top->where, pool->name)
                                                           : top->options.how.store};
    struct pool_history history = {0};
    struct timespec now = {0};
    berth_view_free(pool->view);
    cli_lanes_free(&pool->lanes);
    pool->view = NULL;
    pool->error = read_pool(pool, &history, &how);
    if (pool->error == 0) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        top_rate_enter(&pool->rate, &history, &now);
    } else {
        forget(pool, pool->error, pool->problem);
    }
    return pool->error;
}

/* ---- all of them ---- */

struct listing {
    struct top_pool *pool;
    size_t count, room;
};

/* What berth_list calls; ENOMEM stops it. */
static int add(const char *name, void *context)
{
    struct listing *listing = context;
    if (listing->count == listing->room) {
        size_t room = listing->room == 0 ? 8 : 2 * listing->room;
        struct top_pool *more = reallocarray(listing->pool, room, sizeof *more);
        if (more == NULL)
            return ENOMEM;
        listing->pool = more;
        listing->room = room;
    }
    struct top_pool *pool = &listing->pool[listing->count++];
    *pool = (struct top_pool){0};
    snprintf(pool->name, sizeof pool->name, "%s", name);
    return 0;
}

static int add_found(const char *name, const char *store, void *context)
{
    (void)store; /* it is asked for again, with the name */
    return add(name, context);
}

static struct top_pool *find(struct top_pool *pool, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(pool[i].name, name) == 0)
            return &pool[i];
    }
    return NULL;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct top_pool *)a)->name, ((const struct top_pool *)b)->name);
}

/* The names that there are, and those that there were: a file that is damaged is no pool to
 * berth_list, and is still shown. */
static int list_names(struct top *top, struct listing *listing)
{
    top->error = top->options.pool != NULL ? add(top->options.pool, listing)
                 : top->where != NULL      ? cli_where_each(top->where, add_found, listing)
                                           : berth_list(&top->options.how, add, listing);
    if (top->error == ENOMEM)
        return ENOMEM;
    if (top->error != 0)
        snprintf(top->problem, sizeof top->problem, "%s", berth_reason());
    for (size_t i = 0; i < top->count; i++) {
        if (find(listing->pool, listing->count, top->pool[i].name) == NULL &&
            add(top->pool[i].name, listing) == ENOMEM)
            return ENOMEM;
    }
    if (listing->count > 0)
        qsort(listing->pool, listing->count, sizeof *listing->pool, by_name);
    return 0;
}

static void drop_removed(struct top *top)
{
    size_t kept = 0, selected = 0;
    for (size_t i = 0; i < top->count; i++) {
        bool stays = top->pool[i].error != ENOENT || top->options.pool != NULL;
        if (i == top->selected)
            selected = kept;
        if (stays)
            top->pool[kept++] = top->pool[i];
        else
            snprintf(top->problem, sizeof top->problem, "pool %s is not there any more",
                     top->pool[i].name);
    }
    top->count = kept;
    top->selected = selected < kept ? selected : kept > 0 ? kept - 1 : 0;
}

int top_look(struct top *top)
{
    struct listing listing = {0};
    top->problem[0] = '\0';
    if (list_names(top, &listing) != 0) {
        free(listing.pool);
        return ENOMEM;
    }
    size_t selected = 0;
    for (size_t i = 0; i < listing.count; i++) {
        const struct top_pool *before = find(top->pool, top->count, listing.pool[i].name);
        if (before == NULL)
            continue;
        listing.pool[i] = *before; /* the view and the rate */
        if (before == &top->pool[top->selected])
            selected = i;
    }
    free(top->pool);
    top->pool = listing.pool;
    top->count = listing.count;
    top->selected = selected;
    for (size_t i = 0; i < top->count; i++) {
        if (top->error == EHOSTUNREACH)
            forget(&top->pool[i], top->error, top->problem); /* each would wait as long again */
        else if (top_look_at(&top->pool[i], top) == ENOMEM)
            return ENOMEM;
    }
    drop_removed(top);
    return 0;
}

void top_select_busiest(struct top *top)
{
    size_t waiting = 0, held = 0;
    for (size_t i = 0; i < top->count; i++) {
        const berth_view *view = top->pool[i].view;
        if (view == NULL || view->waiter_count < waiting ||
            (view->waiter_count == waiting && view->holder_count <= held))
            continue;
        top->selected = i;
        waiting = view->waiter_count;
        held = view->holder_count;
    }
}

void top_free(struct top *top)
{
    for (size_t i = 0; i < top->count; i++) {
        berth_view_free(top->pool[i].view);
        cli_lanes_free(&top->pool[i].lanes);
    }
    free(top->pool);
    top->pool = NULL;
    top->count = 0;
}
