/* berth drain: hands out no more slots, and waits until none is held. */
#include "pool.h"
#include "suggest.h"
#include "where.h"

#include <errno.h>
#include <getopt.h>

struct options {
    const char *pool, *store;
    bool limited;
    double seconds;
    struct cli_where where;
};

static int parse(int argc, char **argv, struct options *options)
{
    static const struct option long_options[] = {{"timeout", required_argument, NULL, 'w'},
                                                 {"wait", required_argument, NULL, 'w'},
                                                 {CLI_LONG_OPTION_STORE},
                                                 {NULL, 0, NULL, 0}};
    int option;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "w:", long_options, NULL)) != -1) {
        if (option == 'w') {
            options->limited = true;
            if (!cli_patience(optarg, &options->seconds))
                return cli_usage(&cli_drain, "not a time such as 30, 0.5, 5m or 1h30m: %s", optarg);
        } else if (option == CLI_OPTION_STORE) {
            options->store = optarg;
        } else {
            return cli_unknown_option(&cli_drain, argv);
        }
    }
    if (optind + 1 != argc)
        return cli_usage(&cli_drain, optind == argc ? "a pool is missing" : "one pool at a time");
    options->pool = argv[optind];
    return CLI_OK;
}

/* Says how to undo it: the number is nowhere else any more. */
static int close_pool(const struct options *options, const berth_options *how)
{
    berth_pool *pool;
    char had[32];
    int error = berth_open(&pool, options->pool, how);
    if (error != 0)
        return cli_where_failed(&options->where, &cli_drain, options->pool, error);
    const unsigned slots = berth_slots(pool);
    error = berth_resize(pool, 0);
    const int status = error == 0 ? CLI_OK : cli_pool_failed(&cli_drain, error);
    error = berth_close(pool);
    if (status == CLI_OK && slots > 0)
        cli_error(CLI_OK, "drain: pool %s had %s; berth resize %s %u hands them out again",
                  options->pool, cli_slots(had, slots), options->pool, slots);
    return error == 0 ? status : cli_pool_failed(&cli_drain, error);
}

static int drain(const struct options *options)
{
    const char *store = cli_where_store(&options->where, options->pool);
    const berth_options how = {
        .store = store, .mode = 0666, .flags = BERTH_EXISTING, .command = "berth drain"};
    int status = close_pool(options, &how);
    if (status != CLI_OK)
        return status;
    const struct cli_wait wait = {.name = &options->pool,
                                  .count = 1,
                                  .where = &options->where,
                                  .holders_only = true,
                                  .limited = options->limited,
                                  .seconds = options->seconds};
    const char *busy;
    int error = cli_wait_for(&wait, &busy);
    if (error == EBUSY)
        return cli_error(CLI_NOT_IN_TIME, "drain: pool %s is still in use", busy);
    return error == 0 ? CLI_OK : cli_pool_failed(&cli_drain, error);
}

static int run(int argc, char **argv)
{
    struct options options = {0};
    int status = parse(argc, argv, &options);
    if (status != CLI_OK)
        return status;
    cli_where_open(&options.where, options.store, argv);
    status = drain(&options);
    cli_where_close(&options.where);
    return status;
}

const struct cli_command cli_drain = {
    .name = "drain",
    .synopsis = "POOL [-w TIME]",
    .about = "hand out no more slots of a pool, and wait until none is held",
    .run = run,
    .help = "  -w TIME, --timeout, --wait   so long at most: 30, 0.5, 5m, 1h30m\n"
            "  --store S                    where the pools live, instead of $BERTH_STORE\n"
            "\n"
            "Commands that wait for a slot go on waiting, and new ones join them. berth resize\n"
            "POOL N hands out slots again; the line that drain prints has the number.\n"
            "\n"
            "Exit status: 0; 1 there is no such pool; 75 slots are still held, and no more are\n"
            "handed out; 2 bad usage; 125 berth itself failed.\n",
};
