/* berth wait: until nobody holds a slot of some pools and nobody waits for one. */
#include "pool_command.h"
#include "where.h"

#include <errno.h>

static int run(int argc, char **argv)
{
    struct cli_where where;
    struct cli_wait wait = {.where = &where};
    const char *store = NULL, *busy;
    int status = cli_wait_parse(&cli_wait, argc, argv, &wait, &store);
    if (status != CLI_OK)
        return status;
    cli_where_open(&where, store, argv);
    const int error = cli_wait_for(&wait, &busy);
    if (error == EBUSY)
        status = cli_error(CLI_NOT_IN_TIME, "wait: pool %s is still in use", busy);
    else if (error != 0)
        status = cli_where_failed(&where, &cli_wait, busy, error);
    cli_where_close(&where);
    return status;
}

const struct cli_command cli_wait = {
    .name = "wait",
    .synopsis = "POOL... [-w TIME]",
    .about = "wait until nobody holds a slot of a pool and nobody waits for one",
    .run = run,
    .help = "  -w TIME, --timeout, --wait   at most this long: 30, 0.5, 5m, 1h30m\n"
            "  --store S                    where the pools live, instead of $BERTH_STORE\n"
            "\n"
            "With several pools, until each has been found unused, one after the other.\n"
            "\n"
            "Exit status: 0; 1 there is no such pool; 75 it is still in use; 2 bad usage;\n"
            "125 berth itself failed.\n",
};
