/* The pools of `berth run`: named, opened, waited for, and closed. */
#include "pool.h"
#include "run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool run_pools_add(struct run_pools *pools, char *text)
{
    struct run_pool pool = {.name = text, .slots = 1};
    char *colon = strchr(text, ':');
    if (colon != NULL && !cli_number(colon + 1, 1, BERTH_MAX_SLOTS, &pool.slots))
        return false;
    if (colon != NULL)
        *colon = '\0';
    pools->pool[pools->count++] = pool;
    return true;
}

bool run_pools_single(const struct run_pools *pools)
{
    return pools->count == 1 && pools->pool[0].slots == 1;
}

/* ---- opening ---- */

/* A pool that has to be created has as many slots as are asked for, if nobody says how many; one that
 * exists has as many as it has. */
static int open_with_room(struct run_pool *pool, const berth_options *options)
{
    berth_options how = *options;
    how.flags |= BERTH_EXISTING;
    int error = berth_open(&pool->handle, pool->name, &how);
    if (error != ENOENT)
        return error;
    how.flags = options->flags;
    how.slots = pool->slots;
    error = berth_open(&pool->handle, pool->name, &how);
    how.slots = 0; /* EEXIST: somebody was faster */
    return error != EEXIST ? error : berth_open(&pool->handle, pool->name, &how);
}

int run_pools_open(struct run_pools *pools, const berth_options *options)
{
    int error = 0;
    for (struct run_pool *pool = pools->pool; pool < pools->pool + pools->count && error == 0;
         pool++) {
        pool->grants = calloc(pool->slots, sizeof *pool->grants);
        if (pool->grants == NULL)
            return ENOMEM;
        error = pool->slots > 1 && options->slots == 0
                    ? open_with_room(pool, options)
                    : berth_open(&pool->handle, pool->name, options);
        if (error == 0)
            pool->of = berth_slots(pool->handle);
    }
    return error;
}

/* Closing takes the lock off a file that a daemon of the command may have inherited. */
int run_pools_close(struct run_pools *pools)
{
    int error = 0;
    for (struct run_pool *pool = pools->pool; pool < pools->pool + pools->count; pool++) {
        const int failed = pool->handle != NULL ? berth_close(pool->handle) : 0;
        error = error != 0 ? error : failed;
        free(pool->grants);
    }
    pools->count = 0;
    return error;
}

/* ---- slots ---- */

static int acquire_one(const struct run_pool *pool, const struct run_patience *patience)
{
    if (patience->none)
        return berth_try_acquire(pool->handle, pool->grants);
    return patience->deadline != NULL
               ? berth_acquire_until(pool->handle, pool->grants, patience->deadline)
               : berth_acquire(pool->handle, pool->grants);
}

void run_pools_want(const struct run_pools *pools, berth_want wants[BERTH_MAX_WANTS])
{
    for (size_t i = 0; i < pools->count; i++)
        wants[i] = (berth_want){pools->pool[i].handle, pools->pool[i].slots, pools->pool[i].grants};
}

int run_pools_acquire(struct run_pools *pools, const struct run_patience *patience)
{
    berth_want wants[BERTH_MAX_WANTS];
    if (run_pools_single(pools))
        return acquire_one(pools->pool, patience);
    run_pools_want(pools, wants);
    if (patience->none)
        return berth_try_acquire_all(wants, pools->count);
    return patience->deadline != NULL
               ? berth_acquire_all_until(wants, pools->count, patience->deadline)
               : berth_acquire_all(wants, pools->count);
}

bool run_pools_can_be_lost(const struct run_pools *pools)
{
    return berth_fd(pools->pool[0].handle) < 0; /* all of them are in one store, which is no file */
}
