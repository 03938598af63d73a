/*
 * The limit for each user that a declaration sets (each = N): a pool of N slots beside the declared
 * one, in the user's own default store, whose slots are taken first. A run that has a slot of the
 * declared pool waits for none of these, so no two runs wait for each other. This is kept by berth
 * run alone: a program that uses the library takes no slot of it.
 *
 * A run inside the command of another works in the slots of that one, for which these were taken.
 */
#include "pool_command.h"
#include "run.h"

#include "os/environment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EACH "BERTH_EACH" /* the pools that the runs around this one have taken such slots for */

/* Whether a run around this one has. */
static bool is_taken(const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = getenv(EACH); at != NULL && *at != '\0';) {
        const size_t size = strcspn(at, ",");
        if (size == length && strncmp(at, name, length) == 0)
            return true;
        at += size + (at[size] == ',');
    }
    return false;
}

/* Opens the user's own pool for `of`; one with another number of slots gets the declared one. */
static int open_own(struct run_pool *own, const struct run_pool *of, const char *description)
{
    const berth_options how = {.slots = of->declared->each, .command = description};
    berth_options existing = how;
    existing.slots = 0;
    existing.flags = BERTH_EXISTING;
    int error = berth_open(&own->handle, own->name, &how);
    if (error != EEXIST)
        return error;
    error = berth_open(&own->handle, own->name, &existing);
    return error != 0 ? error : berth_resize(own->handle, how.slots);
}

/* Adds the user's own pool for `of`. CLI_OK, or a status after saying what is wrong. */
static int add(struct run_each *each, const struct run_pool *of, const char *description)
{
    struct run_pool *own = &each->pool[each->pools.count++];
    *own = (struct run_pool){.slots = of->slots, .of = of->declared->each};
    const int size =
        snprintf(own->name, sizeof own->name, "each.%u.%s", (unsigned)geteuid(), of->name);
    if (of->slots > of->declared->each)
        return cli_error(CLI_USAGE, "run: pool %s: %u slots, and a user may have %u (%s)", of->name,
                         of->slots, of->declared->each, of->declared->file);
    own->grants = calloc(own->slots, sizeof *own->grants);
    if (own->grants == NULL || size < 0 || (size_t)size >= sizeof own->name)
        return cli_error(CLI_FAILED, "run: pool %s: there is no memory for it", of->name);
    return open_own(own, of, description) == 0
               ? CLI_OK
               : cli_error(CLI_FAILED, "run: pool %s, for the limit of each user: %s", own->name,
                           berth_reason());
}

int run_each_open(struct run_each *each, const struct run_options *options, const char *description)
{
    each->pools.pool = each->pool;
    for (size_t i = 0; i < options->pools.count; i++) {
        const struct run_pool *of = &options->pools.pool[i];
        if (of->declared == NULL || of->declared->each == 0 ||
            (!options->own && is_taken(of->name)))
            continue;
        const int status = add(each, of, description);
        if (status != CLI_OK)
            return status;
    }
    return CLI_OK;
}

int run_each_acquire(struct run_each *each, const struct run_options *options,
                     const struct run_patience *patience)
{
    if (each->pools.count == 0)
        return 0;
    const int error = run_pools_acquire(&each->pools, &(struct run_patience){.none = true});
    if (error != EBUSY || patience->none)
        return error;
    if (!run_is_silent(options))
        cli_error(CLI_OK,
                  "run: waiting: other runs of this user have the slots that a user may have");
    return run_pools_acquire(&each->pools, patience);
}

int run_each_environment(const struct run_each *each)
{
    const char *around = getenv(EACH);
    char *list = strdup(around != NULL ? around : "");
    int error = list == NULL ? ENOMEM : 0;
    for (size_t i = 0; i < each->pools.count && error == 0; i++) {
        const char *name = strchr(strchr(each->pool[i].name, '.') + 1, '.') + 1;
        char *more;
        if (asprintf(&more, "%s,%s", name, list) < 0)
            error = ENOMEM;
        free(list);
        list = error == 0 ? more : NULL;
    }
    if (error == 0 && each->pools.count > 0)
        error = os_environment_set(EACH, list);
    free(list);
    return error;
}
