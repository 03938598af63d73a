/* berth wait: until nobody holds a slot of some pools and nobody waits for one. */
#include "pool.h"
#include "suggest.h"
#include "where.h"

#include <errno.h>
#include <getopt.h>

struct options {
    const char *store;
    bool limited;
    double seconds;
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
                return cli_usage(&cli_wait, "not a time such as 30, 0.5, 5m or 1h30m: %s", optarg);
        } else if (option == CLI_OPTION_STORE) {
            options->store = optarg;
        } else {
            return cli_unknown_option(&cli_wait, argv);
        }
    }
    return optind < argc ? CLI_OK : cli_usage(&cli_wait, "a pool is missing");
}

static int run(int argc, char **argv)
{
    struct options options = {0};
    int status = parse(argc, argv, &options);
    if (status != CLI_OK)
        return status;
    struct cli_where where;
    const char *busy;
    cli_where_open(&where, options.store, argv);
    const struct cli_wait wait = {.name = (const char *const *)argv + optind,
                                  .count = (size_t)(argc - optind),
                                  .where = &where,
                                  .limited = options.limited,
                                  .seconds = options.seconds};
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
    .help = "  -w TIME, --timeout, --wait   so long at most: 30, 0.5, 5m, 1h30m\n"
            "  --store S                    where the pools live, instead of $BERTH_STORE\n"
            "\n"
            "Of several pools, until all of them are found unused one after the other.\n"
            "\n"
            "Exit status: 0; 1 there is no such pool; 75 it is still in use; 2 bad usage;\n"
            "125 berth itself failed.\n",
};
