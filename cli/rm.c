/* berth rm: removes pools that nobody has open. */
#include "pool.h"
#include "suggest.h"

#include <getopt.h>

static int run(int argc, char **argv)
{
    static const struct option long_options[] = {{CLI_LONG_OPTION_STORE}, {NULL, 0, NULL, 0}};
    berth_options how = {0};
    int option, status = CLI_OK;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        if (option != CLI_OPTION_STORE)
            return cli_unknown_option(&cli_rm, argv);
        how.store = optarg;
    }
    if (optind == argc)
        return cli_usage(&cli_rm, "a pool is missing");
    for (int a = optind; a < argc; a++) {
        int error = berth_remove(argv[a], &how);
        int failed = error == 0 ? CLI_OK : cli_pool_failed(&cli_rm, error);
        status = failed > status ? failed : status;
    }
    return status;
}

const struct cli_command cli_rm = {
    .name = "rm",
    .synopsis = "POOL...",
    .about = "remove pools that nobody has open",
    .run = run,
    .help = "  --store S   where the pools live, instead of $BERTH_STORE\n"
            "\n"
            "Exit status: 0; 1 some pool is not there or somebody has it open; 2 bad\n"
            "usage; 125 berth itself failed.\n",
};
