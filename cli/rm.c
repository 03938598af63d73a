/* berth rm: removes pools that nobody has open. */
#include "lanes.h"
#include "pool_command.h"
#include "suggest.h"
#include "where.h"

#include <errno.h>
#include <getopt.h>

/* ---- the processes that have it open ---- */

enum { SHOWN = 8 };

struct openers {
    const char *pool;
    unsigned count;
};

static int show(const berth_user *user, void *context)
{
    struct openers *openers = context;
    if (openers->count++ < SHOWN)
        cli_error(CLI_OK, "rm: pool %s is open in process %d: %s", openers->pool, user->pid,
                  user->command);
    return 0;
}

/* False: there is nothing to add to the library's reason. */
static bool show_openers(const char *name, const char *store)
{
    struct openers openers = {.pool = name};
    if (berth_openers(name, &(berth_options){.store = store}, show, &openers) != 0)
        return false;
    if (openers.count > SHOWN)
        cli_error(CLI_OK, "rm: and in %u more", openers.count - SHOWN);
    return openers.count > 0;
}

/* ---- removing ---- */

static int remove_pool(const struct cli_where *where, const char *name, bool force)
{
    const berth_options how = {.store = cli_where_store(where, name),
                               .flags = force ? BERTH_FORCE : 0};
    const int status = cli_where_check(where, &cli_rm, name);
    if (status != CLI_OK)
        return status;
    /* A process that waits in a lane would make the pool again. */
    int error = cli_lanes_remove(name, how.store);
    if (error == EBUSY)
        return cli_error(CLI_OTHERWISE, "rm: somebody waits in a lane of pool %s", name);
    error = berth_remove(name, &how);
    if (error == 0)
        return CLI_OK;
    if (error == EBUSY && show_openers(name, how.store))
        return cli_pool_status(error);
    if (error == EPROTO && !force && cli_where_has_force(where, name))
        return cli_error(cli_pool_status(error), "rm: %s (--force removes it)", berth_reason());
    return cli_where_failed(where, &cli_rm, name, error);
}

static int run(int argc, char **argv)
{
    static const struct option long_options[] = {
        {"force", no_argument, NULL, 'f'}, {CLI_LONG_OPTION_STORE}, {NULL, 0, NULL, 0}};
    const char *store = NULL;
    bool force = false;
    int option, status = CLI_OK;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "f", long_options, NULL)) != -1) {
        if (option == 'f')
            force = true;
        else if (option == CLI_OPTION_STORE)
            store = optarg;
        else
            return cli_unknown_option(&cli_rm, argv);
    }
    if (optind == argc)
        return cli_usage(&cli_rm, "a pool is missing");
    struct cli_where where;
    cli_where_open(&where, store, argv);
    for (int a = optind; a < argc; a++) {
        const int failed = remove_pool(&where, argv[a], force);
        status = failed > status ? failed : status;
    }
    cli_where_close(&where);
    return status;
}

const struct cli_command cli_rm = {
    .name = "rm",
    .synopsis = "[-f] POOL...",
    .about = "remove pools that nobody has open",
    .run = run,
    .help = "  -f, --force   also files that are damaged or of another version; a pool that is\n"
            "                open stays\n"
            "  --store S     where the pools live, instead of $BERTH_STORE\n"
            "\n"
            "Exit status: 0; 1 some pool is not there or somebody has it open; 2 bad\n"
            "usage; 125 berth itself failed.\n",
};
