#include "where.h"

#include "pool_command.h"
#include "pool/outside.h"
#include "store/store.h"
#include "suggest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void cli_where_open(struct cli_where *where, const char *asked, char **argv)
{
    *where = (struct cli_where){.asked = asked, .argv = argv};
    if (asked == NULL)
        cli_declarations_read(&where->all);
}

void cli_where_close(struct cli_where *where)
{
    cli_declarations_free(&where->all);
}

const struct cli_declared *cli_where_declared(const struct cli_where *where, const char *name)
{
    return cli_declaration_of(&where->all, name);
}

int cli_where_check(const struct cli_where *where, const struct cli_command *command,
                    const char *name)
{
    return cli_declaration_check(cli_where_declared(where, name), command->name);
}

const char *cli_where_store(const struct cli_where *where, const char *name)
{
    const struct cli_declared *declared = cli_where_declared(where, name);
    if (declared == NULL || declared->store[0] == '\0')
        return where->asked;
    if (where->argv != NULL)
        cli_become_twin_for(declared->store, where->argv);
    return declared->store;
}

bool cli_where_has_force(const struct cli_where *where, const char *name)
{
    const char *named = cli_where_store(where, name);
    const char *store = named != NULL ? named : secure_getenv("BERTH_STORE");
    return store == NULL || !store_is_etcd(store);
}

/* ---- all of them ---- */

struct found {
    const char *store;
    char name[BERTH_NAME_MAX + 1];
};

struct finding {
    const struct cli_where *where;
    const char *store; /* that is being listed */
    struct found *found;
    size_t count, room;
};

static bool is_found(const struct finding *finding, const char *name)
{
    for (size_t i = 0; i < finding->count; i++) {
        if (strcmp(finding->found[i].name, name) == 0)
            return true;
    }
    return false;
}

static int find(const char *name, void *context)
{
    struct finding *finding = context;
    const char *store = cli_where_store(finding->where, name);
    const bool elsewhere = store != finding->store && (store == NULL || finding->store == NULL ||
                                                       strcmp(store, finding->store) != 0);
    const bool declared = cli_where_declared(finding->where, name) != NULL;
    /* Of another store than the default, only what is declared is of interest. */
    if (elsewhere || is_found(finding, name) ||
        (finding->store != finding->where->asked && !declared))
        return 0;
    if (finding->count == finding->room) {
        const size_t room = finding->room == 0 ? 16 : 2 * finding->room;
        struct found *more = reallocarray(finding->found, room, sizeof *more);
        if (more == NULL)
            return ENOMEM;
        finding->found = more;
        finding->room = room;
    }
    struct found *one = &finding->found[finding->count++];
    one->store = store;
    snprintf(one->name, sizeof one->name, "%s", name);
    return 0;
}

static int by_name(const void *left, const void *right)
{
    return strcmp(((const struct found *)left)->name, ((const struct found *)right)->name);
}

/* The stores of declared pools may not be there, or not be for this user: then they have no
 * pools. */
static int find_declared(struct finding *finding)
{
    const struct cli_declarations *all = &finding->where->all;
    int error = 0;
    for (size_t i = 0; i < all->count && error != ENOMEM; i++) {
        bool listed = all->pool[i].store[0] == '\0';
        for (size_t j = 0; j < i && !listed; j++)
            listed = strcmp(all->pool[i].store, all->pool[j].store) == 0;
        if (listed)
            continue;
        finding->store = cli_where_store(finding->where, all->pool[i].name);
        error = berth_list(&(berth_options){.store = finding->store}, find, finding);
    }
    return error == ENOMEM ? ENOMEM : 0;
}

/* Once more for its reason, which other calls may have replaced. */
static int find_no_more(const char *name, void *context)
{
    (void)name, (void)context;
    return 0;
}

int cli_where_each(const struct cli_where *where,
                   int (*each)(const char *name, const char *store, void *context), void *context)
{
    struct finding finding = {.where = where, .store = where->asked};
    /* A store that cannot be read does not hide the others, and is reported at the end. */
    const int refused = berth_list(&(berth_options){.store = where->asked}, find, &finding);
    int error = refused == ENOMEM ? ENOMEM : find_declared(&finding);
    if (finding.count > 1)
        qsort(finding.found, finding.count, sizeof *finding.found, by_name);
    for (size_t i = 0; i < finding.count && error == 0; i++)
        error = each(finding.found[i].name, finding.found[i].store, context);
    free(finding.found);
    if (error != 0 || refused == 0)
        return error;
    return berth_list(&(berth_options){.store = where->asked}, find_no_more, NULL);
}

/* ---- a name that is not there ---- */

static int offer(const char *name, const char *store, void *context)
{
    (void)store;
    cli_suggest(context, name);
    return 0;
}

int cli_where_failed(const struct cli_where *where, const struct cli_command *command,
                     const char *name, int error)
{
    char reason[1024];
    struct cli_suggestion suggestion = {.word = name};
    if (error != ENOENT)
        return cli_pool_failed(command, error);
    const int status = cli_where_check(where, command, name);
    if (status != CLI_OK)
        return status;
    snprintf(reason, sizeof reason, "%s", berth_reason());
    (void)cli_where_each(where, offer, &suggestion); /* no pools, no suggestions */
    return cli_error(cli_pool_status(error), "%s: %s%s", command->name, reason,
                     cli_suggested(&suggestion));
}

/* ---- another number of slots ---- */

static int resize_by_handle(const char *name, const berth_options *how, unsigned slots,
                            unsigned *former)
{
    berth_pool *pool;
    int error = berth_open(&pool, name, how);
    if (error != 0)
        return error;
    *former = berth_slots(pool);
    error = berth_resize(pool, slots);
    const int error_of_close = berth_close(pool);
    return error != 0 ? error : error_of_close;
}

int cli_where_resize(const struct cli_where *where, const struct cli_command *command,
                     const char *name, unsigned slots, unsigned *former)
{
    char description[64];
    const int status = cli_where_check(where, command, name);
    if (status != CLI_OK)
        return status;
    snprintf(description, sizeof description, "berth %s", command->name);
    const berth_options how = {.store = cli_where_store(where, name),
                               .mode = 0666,
                               .flags = BERTH_EXISTING,
                               .command = description};
    int error = resize_by_handle(name, &how, slots, former);
    if (error == EUSERS)
        error = pool_resize_from_outside(name, &how, slots, former);
    return error == 0 ? CLI_OK : cli_where_failed(where, command, name, error);
}
