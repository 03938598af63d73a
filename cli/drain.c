/* berth drain: hands out no more slots, and waits until none is held. */
#include "admin.h"
#include "pool_command.h"
#include "where.h"

#include <errno.h>

/* Prints how to undo it: the old number of slots is not kept anywhere. */
static int close_pool(const struct cli_where *where, const char *name)
{
    char had[32];
    unsigned slots;
    const int status = cli_where_resize(where, &cli_drain, name, 0, &slots);
    if (status == CLI_OK && slots > 0)
        cli_error(CLI_OK, "drain: pool %s had %s; berth resize %s %u hands them out again", name,
                  cli_slots(had, slots), name, slots);
    return status;
}

static int drain(const struct cli_wait *wait)
{
    const char *name = wait->name[0];
    const int status = close_pool(wait->where, name);
    if (status != CLI_OK)
        return status;
    const char *busy;
    int error = cli_wait_for(wait, &busy);
    if (error == EBUSY)
        return cli_error(CLI_NOT_IN_TIME, "drain: pool %s is still in use", busy);
    return error == 0 ? CLI_OK : cli_pool_failed(&cli_drain, error);
}

static int run(int argc, char **argv)
{
    struct cli_where where;
    struct cli_wait wait = {.where = &where, .holders_only = true};
    const char *store = NULL;
    int status = cli_wait_parse(&cli_drain, argc, argv, &wait, &store);
    if (status != CLI_OK)
        return status;
    if (wait.count > 1)
        return cli_usage(&cli_drain, "one pool at a time");
    cli_where_open(&where, store, argv);
    status = cli_check_admin(&where, &cli_drain, wait.name[0]);
    if (status == CLI_OK)
        status = drain(&wait);
    cli_where_close(&where);
    return status;
}

const struct cli_command cli_drain = {
    .name = "drain",
    .synopsis = "POOL [-w TIME]",
    .about = "hand out no more slots of a pool, and wait until none is held",
    .run = run,
    .help = "  -w TIME, --timeout, --wait   at most this long: 30, 0.5, 5m, 1h30m\n"
            "  --store S                    where the pools live, instead of $BERTH_STORE\n"
            "\n"
            "Commands that wait for a slot keep waiting, and new ones join them. berth resize\n"
            "POOL N hands out slots again; drain prints that command with the former number.\n"
            "\n"
            "Exit status: 0; 1 there is no such pool; 75 slots are still held, and no more are\n"
            "handed out; 2 bad usage; 125 berth itself failed.\n",
};
