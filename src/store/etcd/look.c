#include "store/etcd/look.h"

#include "os/clock.h"
#include "store/etcd/machine_parts.h"
#include "store/etcd/place.h"
#include "store/etcd/plain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A connection, a request that is being built, and its answer. */
struct looking {
    struct plain plain;
    struct layout layout;
    struct build *build;
    Etcd__TxnResponse *txn;
};

static void end(struct looking *looking)
{
    if (looking == NULL)
        return;
    if (looking->txn != NULL)
        etcd__txn_response__free_unpacked(looking->txn, NULL);
    free(looking->build);
    plain_close(&looking->plain);
    free(looking);
}

static int begin(struct looking **result, const char *store, const char *name,
                 char reason[STORE_REASON])
{
    struct looking *looking = calloc(1, sizeof *looking);
    struct build *build = build_new();
    if (looking == NULL || build == NULL) {
        free(looking);
        free(build);
        snprintf(reason, STORE_REASON, "there is no memory to look at a pool");
        return ENOMEM;
    }
    const int error = plain_open(&looking->plain, store, reason);
    if (error != 0) {
        free(build);
        free(looking);
        return error;
    }
    looking->build = build;
    layout_copy(looking->layout.prefix, sizeof looking->layout.prefix,
                looking->plain.address.prefix);
    snprintf(looking->layout.name, sizeof looking->layout.name, "%s", name);
    *result = looking;
    return 0;
}

static int ask(struct looking *looking, char reason[STORE_REASON])
{
    return plain_txn(&looking->plain, looking->build->txn, &looking->txn, reason);
}

/* ---- a pool ---- */

/* A client's key, and where its value is. */
struct look_client {
    char name[LAYOUT_CLIENT];
    const Etcd__KeyValue *kv;
};

struct look_clients {
    struct look_client *all; /* by name */
    size_t count;
};

static int by_name(const void *one, const void *other)
{
    return strcmp(((const struct look_client *)one)->name,
                  ((const struct look_client *)other)->name);
}

static bool sort_clients(struct look_clients *clients, const struct layout *layout,
                         const Etcd__RangeResponse *range)
{
    clients->all = calloc(range->n_kvs + 1, sizeof *clients->all);
    if (clients->all == NULL)
        return false;
    for (size_t i = 0; i < range->n_kvs; i++) {
        struct look_client *client = &clients->all[clients->count];
        client->kv = range->kvs[i];
        clients->count += intake_client_key(layout, client->kv, client->name);
    }
    qsort(clients->all, clients->count, sizeof *clients->all, by_name);
    return true;
}

/* Gives the client that an entry is of; NULL: it is not there. */
static const Etcd__KeyValue *find_client(const struct look_clients *clients, const char *entry)
{
    struct look_client wanted = {0};
    memcpy(wanted.name, entry, LAYOUT_CLIENT - 1);
    const struct look_client *found =
        bsearch(&wanted, clients->all, clients->count, sizeof wanted, by_name);
    return found != NULL ? found->kv : NULL;
}

static void take_time(berth_user *user, int64_t ms)
{
    user->since.tv_sec = (time_t)(ms / 1000);
    user->since.tv_nsec = (long)(ms % 1000 * 1000000);
}

static void take_client(berth_user *user, const struct intake_client *client)
{
    user->pid = client->pid;
    if (client->place != 0 && client->place == place_here())
        user->flags |= STORE_USER_HERE;
    snprintf(user->host, sizeof user->host, "%s", client->host);
    snprintf(user->command, sizeof user->command, "%s", client->command);
}

static void describe(berth_user *user, const struct look_clients *clients, const char *entry,
                     int64_t since_ms)
{
    struct intake_client client;
    take_time(user, since_ms);
    const Etcd__KeyValue *kv = find_client(clients, entry);
    if (kv != NULL && intake_client(kv, &client))
        take_client(user, &client);
}

/* One more in the list; NULL if there is no memory. */
static berth_user *add(berth_user **list, size_t *count)
{
    list[*count] = calloc(1, sizeof *list[*count]);
    return list[*count] == NULL ? NULL : list[(*count)++];
}

static bool take_holders(berth_view *view, const struct layout *layout,
                         const Etcd__RangeResponse *slots, const struct look_clients *clients)
{
    for (size_t i = 0; i < slots->n_kvs; i++) {
        const Etcd__KeyValue *kv = slots->kvs[i];
        struct intake_holder holder;
        unsigned number;
        if (!intake_holder(kv, &holder) || !intake_slot_key(layout, LAYOUT_SLOTS, kv, &number))
            continue;
        berth_user *user = add(view->holders, &view->holder_count);
        if (user == NULL)
            return false;
        user->number = number;
        user->token = (uint64_t)kv->mod_revision;
        describe(user, clients, holder.entry, holder.since_ms);
    }
    return true;
}

static bool take_waiters(berth_view *view, const struct layout *layout,
                         const Etcd__RangeResponse *waiters, const struct look_clients *clients)
{
    for (size_t i = 0; i < waiters->n_kvs; i++) {
        char entry[LAYOUT_ENTRY];
        int64_t since_ms;
        if (!intake_entry_key(layout, LAYOUT_WAITERS, waiters->kvs[i], entry) ||
            !intake_waiter(waiters->kvs[i], &since_ms))
            continue;
        berth_user *user = add(view->waiters, &view->waiter_count);
        if (user == NULL)
            return false;
        user->number = (unsigned)view->waiter_count;
        describe(user, clients, entry, since_ms);
    }
    return true;
}

/* ---- loans ---- */

/* More than can be of as many slots as there can be. */
enum { LOANS_SHOWN = 4 * BERTH_MAX_SLOTS };

/* Gives the token of each slot's holder; 0: it has none. */
static void take_tokens(const berth_view *view, uint64_t token[BERTH_MAX_SLOTS])
{
    memset(token, 0, BERTH_MAX_SLOTS * sizeof *token);
    for (size_t i = 0; i < view->holder_count; i++) {
        const berth_user *holder = view->holders[i];
        if (holder != NULL && holder->number < BERTH_MAX_SLOTS)
            token[holder->number] = holder->token;
    }
}

static int by_slot_and_level(const void *one, const void *other)
{
    const berth_loan *a = *(berth_loan *const *)one, *b = *(berth_loan *const *)other;
    if (a->user.number != b->user.number)
        return a->user.number < b->user.number ? -1 : 1;
    return (a->level > b->level) - (a->level < b->level);
}

/* Adds the loans of a client, of slots that are still held. False: there is no memory. */
static bool add_loans(berth_view *view, const uint64_t token[BERTH_MAX_SLOTS],
                      const struct intake_client *client)
{
    for (size_t k = 0; k < client->loan_count && view->loan_count < LOANS_SHOWN; k++) {
        if (token[client->loan[k].slot] == 0 ||
            token[client->loan[k].slot] != (uint64_t)client->loan[k].token)
            continue;
        berth_loan *loan = calloc(1, sizeof *loan);
        if (loan == NULL)
            return false;
        view->loans[view->loan_count++] = loan;
        loan->level = client->loan[k].level;
        loan->user.number = client->loan[k].slot;
        loan->user.token = (uint64_t)client->loan[k].token;
        take_time(&loan->user, client->opened_ms);
        take_client(&loan->user, client);
    }
    return true;
}

/* A lender that has ended has left its borrower alone, at its level. */
static void mark_left(berth_view *view)
{
    for (size_t i = 0; i < view->loan_count; i++) {
        const berth_loan *before = i > 0 ? view->loans[i - 1] : NULL;
        berth_loan *loan = view->loans[i];
        const unsigned least =
            before != NULL && before->user.number == loan->user.number ? before->level + 1 : 1;
        loan->left = loan->level > least;
    }
}

static bool take_loans(berth_view *view, const struct look_clients *clients)
{
    uint64_t token[BERTH_MAX_SLOTS];
    bool room = true;
    take_tokens(view, token);
    // NOLINTNEXTLINE(bugprone-sizeof-expression)
    view->loans = calloc(LOANS_SHOWN, sizeof *view->loans);
    if (view->loans == NULL)
        return false;
    for (size_t i = 0; i < clients->count && room; i++) {
        struct intake_client client;
        if (intake_client(clients->all[i].kv, &client))
            room = add_loans(view, token, &client);
    }
    // NOLINTNEXTLINE(bugprone-sizeof-expression)
    qsort(view->loans, view->loan_count, sizeof *view->loans, by_slot_and_level);
    mark_left(view);
    return room;
}

static void ask_folder(struct looking *looking, char folder, bool by_creation)
{
    layout_key key, stop;
    layout_in(&looking->layout, folder, "", key);
    layout_end(key, stop);
    build_get(looking->build, looking->build->txn, false, key,
              (struct build_range){.end = stop, .by_creation = by_creation});
}

static int take_view(struct looking *looking, berth_view *view, const char *name,
                     char reason[STORE_REASON])
{
    const Etcd__TxnResponse *txn = looking->txn;
    const Etcd__RangeResponse *part[3] = {0};
    for (size_t i = 0; i < 3 && txn->n_responses == 4; i++)
        part[i] = range_of(txn->responses[1 + i]);
    const Etcd__KeyValue *kv = txn->n_responses == 4 ? only_value(txn->responses[0]) : NULL;
    if (kv == NULL) {
        snprintf(reason, STORE_REASON, "there is no pool %s in %s", name, view->store);
        return ENOENT;
    }
    struct intake_pool pool;
    if (!intake_pool(kv, &pool) || part[0] == NULL || part[1] == NULL || part[2] == NULL) {
        snprintf(reason, STORE_REASON, "pool %s is damaged, or of another version of berth", name);
        return EPROTO;
    }
    view->slots = pool.slots;
    view->seats = BERTH_MAX_SEATS;
    struct look_clients clients = {0};
    // NOLINTNEXTLINE(bugprone-sizeof-expression)
    view->holders = calloc(part[0]->n_kvs + 1, sizeof *view->holders);
    // NOLINTNEXTLINE(bugprone-sizeof-expression)
    view->waiters = calloc(part[1]->n_kvs + 1, sizeof *view->waiters);
    const bool whole = view->holders != NULL && view->waiters != NULL &&
                       sort_clients(&clients, &looking->layout, part[2]) &&
                       take_holders(view, &looking->layout, part[0], &clients) &&
                       take_waiters(view, &looking->layout, part[1], &clients) &&
                       take_loans(view, &clients);
    free(clients.all);
    if (whole)
        return 0;
    snprintf(reason, STORE_REASON, "there is no memory for what pool %s looks like", name);
    return ENOMEM;
}

int look_pool(berth_view *view, const char *store, const char *name, char reason[STORE_REASON])
{
    struct looking *looking = NULL;
    int error = begin(&looking, store, name, reason);
    if (error != 0)
        return error;
    view->store = strdup(looking->plain.address.shown);
    if (view->store == NULL) {
        end(looking);
        snprintf(reason, STORE_REASON, "there is no memory for what pool %s looks like", name);
        return ENOMEM;
    }
    layout_key key;
    layout_pool(&looking->layout, key);
    build_get(looking->build, looking->build->txn, false, key, (struct build_range){0});
    ask_folder(looking, LAYOUT_SLOTS, false);
    ask_folder(looking, LAYOUT_WAITERS, true);
    ask_folder(looking, LAYOUT_CLIENTS, false);
    error = ask(looking, reason);
    if (error == 0)
        error = take_view(looking, view, name, reason);
    end(looking);
    return error;
}

/* ---- all of them ---- */

int look_list(const char *store, int (*each)(const char *name, void *context), void *context,
              char reason[STORE_REASON])
{
    struct looking *looking = NULL;
    int error = begin(&looking, store, "", reason);
    if (error != 0)
        return error;
    layout_key key, stop;
    layout_pool(&looking->layout, key);
    layout_end(key, stop);
    build_get(looking->build, looking->build->txn, false, key,
              (struct build_range){.end = stop, .keys_only = true});
    error = ask(looking, reason);
    const Etcd__RangeResponse *pools =
        error == 0 && looking->txn->n_responses == 1 ? range_of(looking->txn->responses[0]) : NULL;
    for (size_t i = 0; pools != NULL && i < pools->n_kvs && error == 0; i++) {
        if (intake_pool_key(&looking->layout, pools->kvs[i], key))
            error = each(key, context);
    }
    end(looking);
    return error;
}

/* ---- removal ---- */

/* What its answer says otherwise, in this order. */
enum { THE_POOL, ITS_CLIENTS, ITS_ORPHANS, REMOVAL_ANSWERS };

/* If nobody has it open. No slot of it was in use when its client's lease ended, unless that was at
 * `revision` or before. */
static void build_removal(struct looking *looking, int64_t revision)
{
    const struct layout *layout = &looking->layout;
    struct build *build = looking->build;
    layout_key key, stop;
    layout_pool(layout, key);
    build_if_present(build, build->txn, key);
    build_delete(build, build->txn, false, key, NULL);
    build_get(build, build->txn, true, key, (struct build_range){0});
    layout_in(layout, LAYOUT_CLIENTS, "", key);
    layout_end(key, stop);
    build_if_none(build, build->txn, key, stop);
    build_get(build, build->txn, true, key, (struct build_range){.end = stop, .count_only = true});
    layout_in(layout, LAYOUT_USED, "", key);
    layout_end(key, stop);
    build_if_none_since(build, build->txn, key, stop, revision);
    build_get(build, build->txn, true, key, (struct build_range){.end = stop, .count_only = true});
    /* Whatever else there may be of it: no client has left anything, but a stranger may have. */
    snprintf(key, sizeof key, "%suse/%s/", layout->prefix, layout->name);
    layout_end(key, stop);
    build_delete(build, build->txn, false, key, stop);
}

/* EAGAIN: there are slots whose holders may still count on them, for *seconds. */
static int read_removal(const struct looking *looking, unsigned *seconds, char reason[STORE_REASON])
{
    const Etcd__TxnResponse *txn = looking->txn;
    const char *name = looking->layout.name;
    if (txn->succeeded)
        return 0;
    const bool whole = txn->n_responses == REMOVAL_ANSWERS;
    const Etcd__KeyValue *kv = whole ? only_value(txn->responses[THE_POOL]) : NULL;
    const Etcd__RangeResponse *clients = whole ? range_of(txn->responses[ITS_CLIENTS]) : NULL;
    if (kv == NULL) {
        snprintf(reason, STORE_REASON, "there is no pool %s", name);
        return ENOENT;
    }
    if (clients == NULL || clients->count > 0) {
        snprintf(reason, STORE_REASON, "somebody has the pool %s open", name);
        return EBUSY;
    }
    struct intake_pool pool;
    *seconds = intake_pool(kv, &pool) ? pool.ttl : 0;
    if (*seconds < looking->plain.address.ttl)
        *seconds = looking->plain.address.ttl;
    return EAGAIN;
}

static int remove_once(struct looking *looking, int64_t revision, unsigned *seconds,
                       char reason[STORE_REASON])
{
    build_removal(looking, revision);
    const int error = ask(looking, reason);
    return error != 0 ? error : read_removal(looking, seconds, reason);
}

/* What was asked and answered is forgotten. */
static int ask_anew(struct looking *looking, char reason[STORE_REASON])
{
    etcd__txn_response__free_unpacked(looking->txn, NULL);
    looking->txn = NULL;
    free(looking->build);
    looking->build = build_new();
    if (looking->build != NULL)
        return 0;
    snprintf(reason, STORE_REASON, "there is no memory to remove a pool");
    return ENOMEM;
}

/* A client whose lease has ended may count on its slot a while longer (orphans.c). Its pool is not
 * removed before that is over: another one of that name would have the slot free at once. */
int look_remove(const char *store, const char *name, char reason[STORE_REASON])
{
    struct looking *looking = NULL;
    int error = begin(&looking, store, name, reason);
    if (error != 0)
        return error;
    unsigned seconds = 0;
    error = remove_once(looking, 0, &seconds, reason);
    while (error == EAGAIN) {
        const int64_t seen = looking->txn->header->revision;
        const struct timespec until =
            os_timespec(os_now(STORE_CLOCK) + seconds * (uint64_t)OS_SECOND);
        while (clock_nanosleep(STORE_CLOCK, TIMER_ABSTIME, &until, NULL) == EINTR)
            ;
        error = ask_anew(looking, reason);
        if (error == 0)
            error = remove_once(looking, seen, &seconds, reason);
    }
    end(looking);
    return error;
}
