/* Waiting until pools are not in use: wait and drain. */
#include "lanes.h"
#include "pool_command.h"
#include "suggest.h"
#include "where.h"

#include <errno.h>
#include <getopt.h>

int cli_wait_parse(const struct cli_command *command, int argc, char **argv, struct cli_wait *wait,
                   const char **store)
{
    static const struct option long_options[] = {{"timeout", required_argument, NULL, 'w'},
                                                 {"wait", required_argument, NULL, 'w'},
                                                 {CLI_LONG_OPTION_STORE},
                                                 {NULL, 0, NULL, 0}};
    int option;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "w:", long_options, NULL)) != -1) {
        if (option == 'w') {
            wait->limited = true;
            if (!cli_patience(optarg, &wait->seconds))
                return cli_usage(command, "not a time such as 30, 0.5, 5m or 1h30m: %s", optarg);
        } else if (option == CLI_OPTION_STORE) {
            *store = optarg;
        } else {
            return cli_unknown_option(command, argv);
        }
    }
    wait->name = (const char *const *)argv + optind;
    wait->count = (size_t)(argc - optind);
    return wait->count > 0 ? CLI_OK : cli_usage(command, "a pool is missing");
}

enum { SHORTEST_MS = 5, LONGEST_MS = 200 };

/* 0: the pool is not in use; EBUSY: it is; or why that is not known. */
static int look(const struct cli_wait *wait, const char *name)
{
    berth_view *view;
    const berth_options how = {.store = cli_where_store(wait->where, name)};
    int error = berth_look(&view, name, &how);
    if (error != 0)
        return error;
    struct cli_lanes lanes;
    size_t users = view->holder_count + (wait->holders_only ? 0 : view->waiter_count);
    berth_view_free(view);
    if (users > 0 || wait->holders_only)
        return users > 0 ? EBUSY : 0;
    error = cli_lanes_look(&lanes, name, how.store);
    for (size_t i = 0; i < lanes.count; i++)
        users += lanes.lane[i].view->holder_count + lanes.lane[i].view->waiter_count;
    cli_lanes_free(&lanes);
    return users > 0 ? EBUSY : error;
}

/* A pool that was removed in the meantime is not in use: no process had it open. */
static int look_at_all(const struct cli_wait *wait, const char **busy)
{
    int error = 0;
    for (size_t i = 0; i < wait->count && error == 0; i++) {
        *busy = wait->name[i];
        error = look(wait, wait->name[i]);
        if (error == ENOENT)
            error = 0;
    }
    return error;
}

/* Looks at each pool once before it waits for the first, so that a wrong name is reported at
 * once. */
static int look_first(const struct cli_wait *wait, const char **busy)
{
    int result = 0;
    for (size_t i = 0; i < wait->count; i++) {
        const int error = look(wait, wait->name[i]);
        if (error != 0)
            *busy = wait->name[i];
        if (error != 0 && error != EBUSY)
            return error;
        result = error != 0 ? error : result;
    }
    return result;
}

int cli_wait_for(const struct cli_wait *wait, const char **busy)
{
    struct timespec start = {0};
    clock_gettime(CLOCK_MONOTONIC, &start);
    int error = look_first(wait, busy);
    for (double pause = SHORTEST_MS / 1e3; error == EBUSY; error = look_at_all(wait, busy)) {
        const double left = wait->seconds - cli_elapsed(CLOCK_MONOTONIC, &start);
        if (wait->limited && left <= 0)
            return EBUSY;
        const double now = wait->limited && left < pause ? left : pause;
        nanosleep(&(struct timespec){.tv_nsec = (long)(now * 1e9)}, NULL);
        pause = pause * 2 < LONGEST_MS / 1e3 ? pause * 2 : LONGEST_MS / 1e3;
    }
    return error;
}
