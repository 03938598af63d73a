/* berth ls: the pools of a store. */
#include "pool_command.h"
#include "suggest.h"
#include "where.h"

#include <errno.h>
#include <getopt.h>

struct options {
    const char *store;
    bool names_only;
    json_t *list;    /* NULL: print text */
    json_t *damaged; /* with it: what cannot be shown */
    bool heading;    /* printed */
    const struct cli_where *where;
    int status;
};

static void print_row(const char *name, const berth_view *view, struct options *options)
{
    if (!options->heading)
        printf("%-24s %5s %5s %7s\n", "pool", "slots", "held", "waiting");
    options->heading = true;
    printf("%-24s %5u %5zu %7zu\n", name, view->slots, view->holder_count, view->waiter_count);
}

/* Of a pool that is declared, and not there to be looked at. */
static void print_note(const char *name, const char *slots, const char *note,
                       struct options *options)
{
    if (!options->heading)
        printf("%-24s %5s %5s %7s\n", "pool", "slots", "held", "waiting");
    options->heading = true;
    printf("%-24s %5s %5s %7s  %s\n", name, slots, "-", "-", note);
}

static json_t *row_json(const char *name, const berth_view *view)
{
    return json_pack("{s:s, s:s, s:i, s:I, s:I}", "pool", name, "store", view->store, "slots",
                     (int)view->slots, "held", (json_int_t)view->holder_count, "waiting",
                     (json_int_t)view->waiter_count);
}

/* 0, or the result that ends berth_list. */
static int show(const char *name, const char *store, void *context)
{
    struct options *options = context;
    if (options->names_only) {
        puts(name);
        return 0;
    }
    berth_view *view;
    int error = berth_look(&view, name, &(berth_options){.store = store});
    if (error == ENOENT)
        return 0;                                     /* removed since it was listed */
    if (error == EACCES && store != options->store) { /* declared, and for others */
        if (options->list == NULL)
            print_note(name, "-", "not for this user", options);
        return 0;
    }
    if (error != 0) /* go on: the others may be fine */
        return cli_not_shown(&cli_ls, name, error, options->damaged, &options->status);
    if (options->list == NULL)
        print_row(name, view, options);
    else if (json_array_append_new(options->list, row_json(name, view)) != 0)
        error = ENOMEM;
    berth_view_free(view);
    return error;
}

/* Shows the pools that are declared and that nobody has used yet. 0 or ENOMEM. */
static int show_unmade(struct options *options)
{
    const struct cli_declarations *all = &options->where->all;
    for (size_t i = 0; i < all->count && !options->names_only; i++) {
        const struct cli_declared *pool = &all->pool[i];
        const char *store = cli_where_store(options->where, pool->name);
        berth_view *view;
        char slots[16];
        if (cli_where_declared(options->where, pool->name) != pool || pool->problem[0] != '\0')
            continue; /* another one of this name counts; or it cannot be made */
        const int error = berth_look(&view, pool->name, &(berth_options){.store = store});
        if (error == 0)
            berth_view_free(view);
        if (error != ENOENT)
            continue;
        snprintf(slots, sizeof slots, "%u", pool->slots != 0 ? pool->slots : 1);
        if (options->list == NULL)
            print_note(pool->name, slots, "declared, not made yet", options);
        else if (json_array_append_new(options->list,
                                       json_pack("{s:s, s:s?, s:i, s:i, s:i, s:b}", "pool",
                                                 pool->name, "store", store, "slots",
                                                 (int)(pool->slots != 0 ? pool->slots : 1), "held",
                                                 0, "waiting", 0, "made", false)) != 0)
            return ENOMEM;
    }
    return 0;
}

static int parse(int argc, char **argv, struct options *options, bool *json)
{
    static const struct option long_options[] = {{"json", no_argument, NULL, 'J'},
                                                 {"quiet", no_argument, NULL, 'q'},
                                                 {CLI_LONG_OPTION_STORE},
                                                 {NULL, 0, NULL, 0}};
    int option;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "q", long_options, NULL)) != -1) {
        if (option == 'J')
            *json = true;
        else if (option == 'q')
            options->names_only = true;
        else if (option == CLI_OPTION_STORE)
            options->store = optarg;
        else
            return cli_unknown_option(&cli_ls, argv);
    }
    if (optind < argc)
        return cli_usage(&cli_ls, "unexpected argument: %s", argv[optind]);
    if (*json && options->names_only)
        return cli_usage(&cli_ls, "-q or --json, not both");
    return CLI_OK;
}

static int run(int argc, char **argv)
{
    struct options options = {.status = CLI_OK};
    bool json = false;
    int status = parse(argc, argv, &options, &json);
    if (status != CLI_OK)
        return status;
    options.list = json ? json_array() : NULL;
    options.damaged = json ? json_array() : NULL;
    if (json && (options.list == NULL || options.damaged == NULL))
        return cli_error(CLI_FAILED, "%s: out of memory", cli_ls.name);
    struct cli_where where;
    cli_where_open(&where, options.store, argv);
    options.where = &where;
    int error = cli_where_each(&where, show, &options);
    if (error == 0 && options.store == NULL)
        error = show_unmade(&options);
    cli_where_close(&where);
    if (error == ENOMEM)
        options.status = cli_error(CLI_FAILED, "%s: out of memory", cli_ls.name);
    else if (error != 0)
        options.status = cli_pool_failed(&cli_ls, error);
    int printed = json ? cli_print_pools(options.list, options.damaged) : cli_flush(CLI_OK);
    return printed != CLI_OK ? printed : options.status;
}

const struct cli_command cli_ls = {
    .name = "ls",
    .synopsis = "[-q | --json]",
    .about = "list the pools",
    .run = run,
    .help =
        "  -q, --quiet   names only\n"
        "  --json        one JSON object\n"
        "  --store S     where the pools live, instead of $BERTH_STORE\n"
        "\n"
        "Pools that are declared elsewhere are listed too, and those that nobody has used yet.\n"
        "A file that is damaged or of another version is named on standard error;\n"
        "berth rm --force removes it.\n"
        "\n"
        "Exit status: 0; 2 bad usage; 125 berth itself failed.\n",
};
