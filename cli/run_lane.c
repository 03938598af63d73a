/*
 * A run in a lane stands first in its lane, a pool of its own (lanes.h), and there only the head
 * goes on, to the pool's own line; when it has its slots, it leaves the lane, and the next is the
 * head.
 *
 *  - With several pools all heads are taken together, then all slots together.
 *  - While it waits in its lane it has no seat in the pool, so that a thousand jobs of one lane
 *    keep nobody else out.
 *  - Nobody who holds a slot of a pool waits for a head: a run inside another one of the same
 *    pool uses no lanes there. INSIDE tells it.
 */
#include "lanes.h"
#include "pool_command.h"
#include "run.h"

#include "os/environment.h"
#include "store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define INSIDE "BERTH_INSIDE" /* the pools of the runs around this one, with spaces between */

enum { SHORTEST_MS = 5, LONGEST_MS = 100 };

/* ---- which lanes ---- */

static bool is_inside(const char *pool)
{
    const size_t length = strlen(pool);
    const char *inside = getenv(INSIDE);
    const char *loans = getenv("BERTH_LOANS");
    if (loans == NULL || *loans == '\0')
        return false; /* nothing is lent to it: it waits like a stranger */
    while (inside != NULL && *inside != '\0') {
        const size_t this = strcspn(inside, " ");
        if (this == length && memcmp(inside, pool, length) == 0)
            return true;
        inside += this + strspn(inside + this, " ");
    }
    return false;
}

int run_lane_environment(const struct run_pools *pools)
{
    const char *earlier = getenv(INSIDE);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return errno;
    for (size_t i = 0; i < pools->count; i++)
        fprintf(out, "%s%s", i > 0 ? " " : "", pools->pool[i].name);
    if (earlier != NULL && *earlier != '\0')
        fprintf(out, " %s", earlier);
    int error = ferror(out) ? ENOMEM : 0;
    if (fclose(out) != 0)
        error = ENOMEM;
    if (error == 0)
        error = os_environment_set(INSIDE, text);
    free(text);
    return error;
}

/* The lane in which this run stands for the pool; NULL: none. */
static const char *lane_for(const struct run_options *options, const struct run_pool *pool,
                            char user[static BERTH_NAME_MAX + 1])
{
    if (is_inside(pool->name))
        return NULL;
    if (options->lane[0] != '\0')
        return options->lane;
    return pool->declared != NULL && pool->declared->lanes ? cli_lane_of_user(user) : NULL;
}

static int name_heads(struct run_lanes *lanes, const struct run_options *options, bool elsewhere)
{
    char user[BERTH_NAME_MAX + 1];
    lanes->heads = (struct run_pools){.pool = lanes->head};
    for (size_t i = 0; i < options->pools.count; i++) {
        const struct run_pool *pool = &options->pools.pool[i];
        const char *lane = lane_for(options, pool, user);
        struct run_lane_head *head = &lanes->of[lanes->heads.count];
        if (lane == NULL)
            continue;
        *head = (struct run_lane_head){
            .pool = pool, .store = cli_where_store(&options->where, pool->name), .width = 1};
        snprintf(head->lane, sizeof head->lane, "%s", lane);
        if (!cli_lane_pool(head->name, pool->name, lane, head->store, elsewhere))
            return cli_error(CLI_USAGE,
                             "run: the names of pool %s and lane %s are too long together",
                             pool->name, lane);
        if (elsewhere)
            head->store = NULL;
        if (options->width != 0)
            head->width = options->width;
        else if (pool->declared != NULL && pool->declared->width != 0)
            head->width = pool->declared->width;
        lanes->head[lanes->heads.count++] = (struct run_pool){.slots = 1, .grants = &head->grant};
    }
    return CLI_OK;
}

/* ---- opening them ---- */

/* As the pool's file, for others to read: it shows who waits. */
static unsigned mode_of_lane(const struct run_pool *pool)
{
    struct stat status;
    const int fd = pool->handle != NULL ? berth_fd(pool->handle) : -1;
    return fd >= 0 && fstat(fd, &status) == 0 ? (status.st_mode & 0644) | 0600 : 0600;
}

static int open_head(const struct run_lane_head *head, berth_pool **handle, const char *description)
{
    const berth_options how = {.store = head->store,
                               .command = description,
                               .flags = STORE_LANE | BERTH_EXISTING,
                               .mode = 0666};
    berth_options made = how;
    int error;
    made.flags = STORE_LANE;
    made.mode = head->mode;
    made.slots = head->width;
    do { /* another process may be faster, with another width */
        error = berth_open(handle, head->name, &how);
        if (error == ENOENT)
            error = berth_open(handle, head->name, &made);
    } while (error == EEXIST || error == EPERM);
    if (error == 0 && berth_slots(*handle) != head->width)
        (void)berth_resize(*handle, head->width); /* a width that cannot be changed is as it is */
    return error;
}

static bool is_not_allowed(int error)
{
    return error == EACCES || error == EPERM || error == EROFS;
}

static int open_heads(struct run_lanes *lanes, const char *description)
{
    int error = 0;
    for (size_t i = 0; i < lanes->heads.count && error == 0; i++)
        error = open_head(&lanes->of[i], &lanes->head[i].handle, description);
    if (error != 0)
        run_lane_leave(lanes);
    return error;
}

static void note_modes(struct run_lanes *lanes)
{
    for (size_t i = 0; i < lanes->heads.count; i++)
        lanes->of[i].mode = mode_of_lane(lanes->of[i].pool);
}

static bool is_past(const struct timespec *deadline)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec > deadline->tv_sec ||
           (now.tv_sec == deadline->tv_sec && now.tv_nsec >= deadline->tv_nsec);
}

/* More processes than a lane has seats wait here, in no particular order. */
static int open_with_patience(struct run_lanes *lanes, const char *description,
                              const struct run_patience *patience)
{
    int error = open_heads(lanes, description);
    for (long pause = SHORTEST_MS; error == EUSERS; error = open_heads(lanes, description)) {
        if (patience->none)
            return EBUSY;
        if (patience->deadline != NULL && is_past(patience->deadline))
            return ETIMEDOUT;
        nanosleep(&(struct timespec){.tv_nsec = pause * 1000000}, NULL);
        pause = 2 * pause < LONGEST_MS ? 2 * pause : LONGEST_MS;
    }
    return error;
}

/* ---- for the run ---- */

int run_lane_enter(struct run_options *options, const char *description,
                   const struct run_patience *patience, int *status)
{
    struct run_lanes *lanes = &options->lanes;
    *status = name_heads(lanes, options, false);
    if (*status != CLI_OK || lanes->heads.count == 0)
        return *status == CLI_OK ? 0 : -1;
    note_modes(lanes);
    /* The pools are there, and are what was asked for: it comes back to them as a head. */
    (void)run_pools_close(&options->pools);
    int error = open_with_patience(lanes, description, patience);
    if (is_not_allowed(error)) {
        *status = name_heads(lanes, options, true);
        if (*status != CLI_OK)
            return -1;
        note_modes(lanes);
        error = open_with_patience(lanes, description, patience);
    }
    if (error == 0) {
        lanes->waits = true;
        error = run_pools_acquire(&lanes->heads, &(struct run_patience){.none = true});
        if (error == EBUSY && !patience->none) {
            if (!run_is_silent(options))
                run_line_start(options);
            error = run_pools_acquire(&lanes->heads, patience);
            run_line_end();
        }
    }
    lanes->waits = error != 0;
    if (error == 0 || error == EBUSY || error == ETIMEDOUT)
        return error;
    *status = cli_error(CLI_FAILED, "run: %s", berth_reason());
    return -1;
}

void run_lane_leave(struct run_lanes *lanes)
{
    for (size_t i = 0; i < lanes->heads.count; i++) {
        if (lanes->head[i].handle != NULL)
            berth_close(lanes->head[i].handle);
        lanes->head[i].handle = NULL;
    }
}
