/* berth resize: changes a pool's number of slots. */
#include "admin.h"
#include "pool_command.h"
#include "suggest.h"
#include "where.h"

#include <getopt.h>

static int run(int argc, char **argv)
{
    static const struct option long_options[] = {{CLI_LONG_OPTION_STORE}, {NULL, 0, NULL, 0}};
    const char *store = NULL;
    int option;
    unsigned slots, former;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        if (option != CLI_OPTION_STORE)
            return cli_unknown_option(&cli_resize, argv);
        store = optarg;
    }
    if (optind + 2 != argc)
        return cli_usage(&cli_resize, "a pool and a number of slots are needed");
    if (!cli_number(argv[optind + 1], 0, BERTH_MAX_SLOTS, &slots))
        return cli_usage(&cli_resize, "not a number of slots from 0 to %d: %s",
                         (int)BERTH_MAX_SLOTS, argv[optind + 1]);
    struct cli_where where;
    cli_where_open(&where, store, argv);
    int status = cli_check_admin(&where, &cli_resize, argv[optind]);
    if (status == CLI_OK)
        status = cli_where_resize(&where, &cli_resize, argv[optind], slots, &former);
    cli_where_close(&where);
    return status;
}

const struct cli_command cli_resize = {
    .name = "resize",
    .synopsis = "POOL N",
    .about = "change a pool's number of slots",
    .run = run,
    .help = "  --store S   where the pools live, instead of $BERTH_STORE\n"
            "\n"
            "Additional slots are available at once. With fewer slots, those that are held are\n"
            "withdrawn when they come free: no holder loses one. With 0 slots, none is handed out\n"
            "until the next resize.\n"
            "\n"
            "Exit status: 0; 1 there is no such pool; 2 bad usage; 125 berth itself failed.\n",
};
