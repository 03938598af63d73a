/* The pools of `berth run`: named, opened, waited for, and closed. */
#include "pool_command.h"
#include "run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool run_pools_add(struct run_pools *pools, const char *text, size_t length)
{
    struct run_pool pool = {.slots = 1};
    const char *colon = memchr(text, ':', length);
    const size_t name = colon != NULL ? (size_t)(colon - text) : length;
    char number[sizeof pool.size];
    snprintf(pool.name, sizeof pool.name, "%.*s", (int)name, text);
    if (colon != NULL) {
        const size_t digits = length - name - 1;
        if (digits >= sizeof number)
            return false;
        memcpy(number, colon + 1, digits);
        number[digits] = '\0';
        uint64_t bytes;
        const bool is_size = digits > 0 && strchr("KMGT", number[digits - 1]) != NULL;
        if (is_size && cli_bytes(number, &bytes) && bytes > 0)
            memcpy(pool.size, number, digits + 1);
        else if (!cli_number(number, 1, BERTH_MAX_SLOTS, &pool.slots))
            return false;
    }
    pools->pool[pools->count++] = pool;
    return length > 0;
}

int run_pools_measure(struct run_pools *pools, const struct cli_where *where)
{
    for (struct run_pool *pool = pools->pool; pool < pools->pool + pools->count; pool++) {
        const struct cli_declared *declared = cli_where_declared(where, pool->name);
        uint64_t bytes = 0;
        if (pool->size[0] == '\0')
            continue;
        if (declared == NULL || declared->unit == 0)
            return cli_usage(&cli_run,
                             "pool %s has no unit that is declared, so %s is no number of slots",
                             pool->name, pool->size);
        (void)cli_bytes(pool->size, &bytes);
        const uint64_t slots = bytes / declared->unit + (bytes % declared->unit != 0);
        if (slots > BERTH_MAX_SLOTS)
            return cli_usage(&cli_run, "more than %d units of pool %s: %s", (int)BERTH_MAX_SLOTS,
                             pool->name, pool->size);
        pool->slots = (unsigned)slots;
    }
    return CLI_OK;
}

bool run_pools_single(const struct run_pools *pools)
{
    return pools->count == 1 && pools->pool[0].slots == 1;
}

/* Closing takes the lock off a file that a daemon of the command may have inherited. */
int run_pools_close(struct run_pools *pools)
{
    int error = 0;
    for (struct run_pool *pool = pools->pool; pool < pools->pool + pools->count; pool++) {
        const int failed = pool->handle != NULL ? berth_close(pool->handle) : 0;
        error = error != 0 ? error : failed;
        free(pool->grants);
        pool->handle = NULL;
        pool->grants = NULL;
    }
    return error;
}

void run_pools_leave(struct run_pools *pools)
{
    for (struct run_pool *pool = pools->pool; pool < pools->pool + pools->count; pool++)
        pool->handle = NULL;
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
