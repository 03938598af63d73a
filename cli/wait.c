/* berth wait: until nobody holds a slot of a pool and nobody waits for one. */
#include "pool.h"
#include "suggest.h"

#include <errno.h>
#include <getopt.h>

enum { SHORTEST_MS = 5, LONGEST_MS = 200 };

struct options {
    const char *pool;
    berth_options how;
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
                return cli_usage(&cli_wait, "not a number of seconds: %s", optarg);
        } else if (option == CLI_OPTION_STORE) {
            options->how.store = optarg;
        } else {
            return cli_unknown_option(&cli_wait, argv);
        }
    }
    if (optind + 1 != argc)
        return cli_usage(&cli_wait, optind == argc ? "a pool is missing" : "one pool at a time");
    options->pool = argv[optind];
    return CLI_OK;
}

/* 0: nobody uses the pool; EBUSY: somebody does; or why it cannot be told. */
static int look(const struct options *options)
{
    berth_view *view;
    int error = berth_look(&view, options->pool, &options->how);
    if (error != 0)
        return error;
    error = view->holder_count + view->waiter_count > 0 ? EBUSY : 0;
    berth_view_free(view);
    return error;
}

static int run(int argc, char **argv)
{
    struct options options = {0};
    int status = parse(argc, argv, &options);
    if (status != CLI_OK)
        return status;
    struct timespec start = {0};
    clock_gettime(CLOCK_MONOTONIC, &start);
    int error = look(&options);
    if (error != 0 && error != EBUSY)
        return cli_pool_failed(&cli_wait, error);
    for (double pause = SHORTEST_MS / 1e3; error == EBUSY; error = look(&options)) {
        double left = options.seconds - cli_elapsed(CLOCK_MONOTONIC, &start);
        if (options.limited && left <= 0)
            return cli_error(CLI_NOT_IN_TIME, "wait: pool %s is still in use", options.pool);
        double now = options.limited && left < pause ? left : pause;
        nanosleep(&(struct timespec){.tv_nsec = (long)(now * 1e9)}, NULL);
        pause = pause * 2 < LONGEST_MS / 1e3 ? pause * 2 : LONGEST_MS / 1e3;
    }
    /* Removed while we waited: so nobody had it open. */
    return error == 0 || error == ENOENT ? CLI_OK : cli_pool_failed(&cli_wait, error);
}

const struct cli_command cli_wait = {
    .name = "wait",
    .synopsis = "POOL [-w SECONDS]",
    .about = "wait until nobody holds a slot of a pool and nobody waits for one",
    .run = run,
    .help = "  -w S, --timeout, --wait   so many seconds at most; fractions are allowed\n"
            "  --store S                 where the pools live, instead of $BERTH_STORE\n"
            "\n"
            "Exit status: 0; 1 there is no such pool; 75 it is still in use; 2 bad usage;\n"
            "125 berth itself failed.\n",
};
