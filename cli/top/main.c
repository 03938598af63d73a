/* berth-top: what `berth top` becomes. */
#include "screen.h"
#include "suggest.h"

#include <errno.h>
#include <getopt.h>
#include <locale.h>
#include <unistd.h>

static int parse(int argc, char **argv, struct top_options *options)
{
    enum { OPTION_ONCE = 256 };
    const double least = 0.1, most = 86400;
    static const struct option long_options[] = {{"delay", required_argument, NULL, 'd'},
                                                 {"once", no_argument, NULL, OPTION_ONCE},
                                                 {CLI_LONG_OPTION_STORE},
                                                 {NULL, 0, NULL, 0}};
    int option;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "d:", long_options, NULL)) != -1) {
        switch (option) {
        case 'd':
            if (!cli_seconds(optarg, &options->delay) || options->delay < least ||
                options->delay > most)
                return cli_usage(&cli_top, "-d takes seconds, %g to %g", least, most);
            break;
        case OPTION_ONCE: options->once = true; break;
        case CLI_OPTION_STORE: options->how.store = optarg; break;
        default: return cli_unknown_option(&cli_top, argv);
        }
    }
    if (optind + 1 < argc)
        return cli_usage(&cli_top, "name one pool, or none for all of them");
    options->pool = argv[optind]; /* NULL after the last */
    return CLI_OK;
}

/* A user who asks for a pool that is not there has mistyped its name. Later on it may come and
 * go. */
static int first_look(struct top *top)
{
    if (top_look(top) != 0)
        return cli_error(CLI_FAILED, "top: out of memory");
    if (top->error != 0)
        return cli_error(cli_pool_status(top->error), "top: %s", top->problem);
    if (top->options.pool != NULL && top->pool[0].error != 0)
        return cli_where_failed(top->where, &cli_top, top->options.pool, top->pool[0].error);
    return CLI_OK;
}

int main(int argc, char **argv)
{
    struct top top = {.options.delay = 1};
    if (!cli_guard_streams())
        return CLI_FAILED;
    setlocale(LC_CTYPE, "");
    int status = parse(argc, argv, &top.options);
    if (status != CLI_OK)
        return status;
    top_look_prepare();
    struct cli_where where;
    cli_where_open(&where, top.options.how.store, NULL);
    top.where = &where;
    status = first_look(&top);
    top_select_busiest(&top);
    if (status == CLI_OK)
        status = !top.options.once && isatty(STDOUT_FILENO) && terminal_open() ? terminal_run(&top)
                                                                               : top_text(&top);
    top_free(&top);
    cli_where_close(&where);
    return status;
}
