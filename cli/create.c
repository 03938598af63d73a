/* berth create: makes a pool before it is used; those that are declared, for instance. */
#include "make.h"
#include "pool_command.h"
#include "store/store.h"
#include "suggest.h"
#include "where.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

struct options {
    const char *store;
    unsigned slots, mode, seats; /* 0: not given */
    bool has_group, declared;
    gid_t group;
    struct cli_where where;
};

/* ---- arguments ---- */

static int take_option(int option, char **argv, struct options *options)
{
    switch (option) {
    case 'j':
        return cli_number(optarg, 1, BERTH_MAX_SLOTS, &options->slots)
                   ? CLI_OK
                   : cli_usage(&cli_create, "not a number of slots from 1 to %d: %s",
                               (int)BERTH_MAX_SLOTS, optarg);
    case 'm':
        return cli_mode(optarg, &options->mode)
                   ? CLI_OK
                   : cli_usage(&cli_create, "not an octal mode up to 0777: %s", optarg);
    case 'g':
        options->has_group = true;
        return cli_group(optarg, &options->group)
                   ? CLI_OK
                   : cli_usage(&cli_create, "no such group: %s", optarg);
    case 'S':
        return cli_number(optarg, 1, BERTH_MAX_SEATS, &options->seats)
                   ? CLI_OK
                   : cli_usage(&cli_create, "not a number of seats from 1 to %d: %s",
                               (int)BERTH_MAX_SEATS, optarg);
    case 'D': options->declared = true; return CLI_OK;
    case CLI_OPTION_STORE: options->store = optarg; return CLI_OK;
    default: return cli_unknown_option(&cli_create, argv);
    }
}

static int parse(int argc, char **argv, struct options *options)
{
    static const struct option long_options[] = {{"slots", required_argument, NULL, 'j'},
                                                 {"mode", required_argument, NULL, 'm'},
                                                 {"group", required_argument, NULL, 'g'},
                                                 {"seats", required_argument, NULL, 'S'},
                                                 {"declared", no_argument, NULL, 'D'},
                                                 {CLI_LONG_OPTION_STORE},
                                                 {NULL, 0, NULL, 0}};
    int option, status = CLI_OK;
    opterr = 0;
    while (status == CLI_OK &&
           (option = getopt_long(argc, argv, "j:m:g:", long_options, NULL)) != -1)
        status = take_option(option, argv, options);
    if (status != CLI_OK)
        return status;
    if (options->declared && (options->slots | options->mode | options->seats) != 0)
        return cli_usage(&cli_create, "--declared makes pools as they are declared");
    if (options->declared ? optind != argc : optind + 1 != argc)
        return cli_usage(&cli_create, options->declared ? "--declared or a pool, not both"
                                      : optind == argc  ? "a pool is missing"
                                                        : "one pool at a time");
    return CLI_OK;
}

/* ---- making it ---- */

/* What is there already with other numbers is not touched, unless it is declared: then it becomes
 * what is declared, if this user may do that. */
static int adapt(const char *name, const berth_options *how, const gid_t *group, bool declared)
{
    berth_pool *pool;
    char has[32];
    berth_options existing = {
        .store = how->store, .command = how->command, .mode = 0666, .flags = BERTH_EXISTING};
    int error = berth_open(&pool, name, &existing);
    if (error != 0)
        return cli_pool_failed(&cli_create, error);
    const unsigned slots = berth_slots(pool);
    if (how->slots != 0 && slots != how->slots && !declared) {
        berth_close(pool);
        return cli_error(CLI_OTHERWISE,
                         "create: pool %s exists with %s (berth resize %s %u changes that)", name,
                         cli_slots(has, slots), name, how->slots);
    }
    if (how->slots != 0 && slots != how->slots)
        error = berth_resize(pool, how->slots);
    if (error == 0)
        error = cli_share(pool, name, how->mode, group);
    const int status = error == 0 ? CLI_OK : cli_pool_failed(&cli_create, error);
    error = berth_close(pool);
    return error == 0 ? status : cli_pool_failed(&cli_create, error);
}

static int create(const struct options *options, const char *name)
{
    const struct cli_declared *declared = cli_where_declared(&options->where, name);
    const gid_t *group = options->has_group ? &options->group : NULL;
    berth_options how = {.store = cli_where_store(&options->where, name),
                         .slots = options->slots,
                         .mode = options->mode,
                         .seats = options->seats,
                         .command = "berth create"};
    const int status_of_declaration = cli_declaration_check(declared, "create");
    if (status_of_declaration != CLI_OK)
        return status_of_declaration;
    if (declared != NULL) {
        how.slots = how.slots != 0 ? how.slots : declared->slots;
        how.mode = how.mode != 0 ? how.mode : declared->mode;
        group = group == NULL && declared->has_group ? &declared->group : group;
    }
    berth_pool *pool;
    int error = cli_make(&pool, name, &how, group);
    if (error == EEXIST || error == EPERM)
        return adapt(name, &how, group, declared != NULL && options->slots == 0);
    if (error != 0)
        return cli_pool_failed(&cli_create, error);
    error = cli_share(pool, name, how.mode, group); /* it may have been there */
    const int status = error == 0 ? CLI_OK : cli_pool_failed(&cli_create, error);
    error = berth_close(pool);
    return error == 0 ? status : cli_pool_failed(&cli_create, error);
}

/* Says so if a pool for everybody is declared without a group: it is for root's then. */
static void warn_of_no_group(const struct cli_declared *pool)
{
    if (!pool->by_user && pool->mode == 0660 && !pool->has_group && pool->problem[0] == '\0' &&
        !store_is_etcd(pool->store))
        cli_error(CLI_OK,
                  "create: pool %s: %s names no group, so nobody else may use it (group = GROUP "
                  "allows a group, mode = 0666 everybody)",
                  pool->name, pool->file);
}

static int create_declared(const struct options *options)
{
    int worst = CLI_OK;
    for (size_t i = 0; i < options->where.all.count; i++) {
        const struct cli_declared *pool = &options->where.all.pool[i];
        const char *name = pool->name;
        if (pool->guessed || cli_where_declared(&options->where, name) != pool)
            continue; /* another file comes first */
        warn_of_no_group(&options->where.all.pool[i]);
        const int status = create(options, name);
        worst = status > worst ? status : worst;
    }
    return worst;
}

static int run(int argc, char **argv)
{
    struct options options = {0};
    int status = parse(argc, argv, &options);
    if (status != CLI_OK)
        return status;
    cli_where_open(&options.where, options.store, argv);
    status = options.declared ? create_declared(&options) : create(&options, argv[optind]);
    cli_where_close(&options.where);
    return status;
}

const struct cli_command cli_create = {
    .name = "create",
    .synopsis = "POOL [-j SLOTS] [-m MODE] [-g GROUP] [--seats N]\n"
                "       berth create --declared",
    .about = "make a pool before it is used, for others too",
    .run = run,
    .help =
        "  -j SLOTS, --slots    1, unless the pool is declared\n"
        "  -m MODE, --mode      its permissions, octal; 0600\n"
        "  -g GROUP, --group    the group that its file belongs to\n"
        "  --seats N            how many may use it or wait for it at once; 1024\n"
        "  --declared           make all pools that are declared, and give those that exist the\n"
        "                       slots, the mode and the group that are declared\n"
        "  --store S            where the pools live, instead of $BERTH_STORE\n"
        "\n"
        "Pools are declared in /etc/berth/pools.d/*.conf and ~/.config/berth/pools.d/*.conf:\n"
        "see man 5 berth-pools.\n"
        "\n"
        "Exit status: 0; 1 it exists with another number of slots; 2 bad usage; 125 berth\n"
        "itself failed.\n",
};
