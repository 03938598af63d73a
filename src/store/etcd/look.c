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

static const Etcd__KeyValue *find_client(const Etcd__RangeResponse *clients, const char *entry)
{
    const size_t length = strcspn(entry, ".");
    for (size_t i = 0; i < clients->n_kvs; i++) {
        layout_key key;
        if (key_text(clients->kvs[i], key) && strlen(layout_last(key)) == length &&
            strncmp(layout_last(key), entry, length) == 0)
            return clients->kvs[i];
    }
    return NULL;
}

static void take_time(berth_user *user, int64_t ms)
{
    user->since.tv_sec = (time_t)(ms / 1000);
    user->since.tv_nsec = (long)(ms % 1000 * 1000000);
}

static void take_client(berth_user *user, const Berth__Client *client)
{
    user->pid = client->pid;
    if (client->place != 0 && client->place == place_here())
        user->flags |= STORE_USER_HERE;
    snprintf(user->host, sizeof user->host, "%s", client->host);
    const size_t room = sizeof user->command - 1;
    const size_t length = client->command.len < room ? client->command.len : room;
    memcpy(user->command, client->command.data, length);
    for (char *c = user->command; c < user->command + length; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = ' ';
    }
}

static void describe(berth_user *user, const Etcd__RangeResponse *clients, const char *entry,
                     int64_t since_ms)
{
    take_time(user, since_ms);
    const Etcd__KeyValue *kv = find_client(clients, entry);
    Berth__Client *client =
        kv != NULL ? berth__client__unpack(NULL, kv->value.len, kv->value.data) : NULL;
    if (client == NULL)
        return;
    take_client(user, client);
    berth__client__free_unpacked(client, NULL);
}

/* One more in the list; NULL if there is no memory. */
static berth_user *add(berth_user **list, size_t *count)
{
    list[*count] = calloc(1, sizeof *list[*count]);
    return list[*count] == NULL ? NULL : list[(*count)++];
}

static void take_holders(berth_view *view, const Etcd__RangeResponse *slots,
                         const Etcd__RangeResponse *clients)
{
    for (size_t i = 0; i < slots->n_kvs; i++) {
        const Etcd__KeyValue *kv = slots->kvs[i];
        Berth__Holder *holder = berth__holder__unpack(NULL, kv->value.len, kv->value.data);
        unsigned number;
        layout_key key;
        berth_user *user = NULL;
        if (holder != NULL && key_text(kv, key) && layout_slot_of(key, &number))
            user = add(view->holders, &view->holder_count);
        if (user != NULL) {
            user->number = number;
            user->token = (uint64_t)kv->mod_revision;
            describe(user, clients, holder->entry, holder->since_ms);
        }
        if (holder != NULL)
            berth__holder__free_unpacked(holder, NULL);
    }
}

static void take_waiters(berth_view *view, const Etcd__RangeResponse *waiters,
                         const Etcd__RangeResponse *clients)
{
    for (size_t i = 0; i < waiters->n_kvs; i++) {
        const Etcd__KeyValue *kv = waiters->kvs[i];
        Berth__Waiter *waiter = berth__waiter__unpack(NULL, kv->value.len, kv->value.data);
        layout_key key;
        berth_user *user =
            waiter != NULL && key_text(kv, key) ? add(view->waiters, &view->waiter_count) : NULL;
        if (user != NULL) {
            user->number = (unsigned)view->waiter_count;
            describe(user, clients, layout_last(key), waiter->since_ms);
        }
        if (waiter != NULL)
            berth__waiter__free_unpacked(waiter, NULL);
    }
}

/* ---- loans ---- */

static const berth_user *holder_of(const berth_view *view, const Berth__Loan *loan)
{
    for (size_t i = 0; i < view->holder_count; i++) {
        const berth_user *holder = view->holders[i];
        if (holder != NULL && holder->number == loan->slot &&
            holder->token == (uint64_t)loan->token)
            return holder;
    }
    return NULL;
}

/* In its place in the list: by slot, then by level. False: there is no memory. */
static bool add_loan(berth_view *view, const Berth__Client *client, const Berth__Loan *from)
{
    // NOLINTNEXTLINE(bugprone-sizeof-expression)
    berth_loan **more = realloc(view->loans, (view->loan_count + 1) * sizeof *more);
    if (more == NULL)
        return false;
    view->loans = more;
    berth_loan *loan = calloc(1, sizeof *loan);
    if (loan == NULL)
        return false;
    loan->level = from->level;
    loan->user.number = from->slot;
    loan->user.token = (uint64_t)from->token;
    take_time(&loan->user, client->opened_ms);
    take_client(&loan->user, client);
    size_t at = view->loan_count++;
    for (;
         at > 0 && (more[at - 1]->user.number > from->slot ||
                    (more[at - 1]->user.number == from->slot && more[at - 1]->level > from->level));
         at--)
        more[at] = more[at - 1];
    more[at] = loan;
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

static bool take_loans(berth_view *view, const Etcd__RangeResponse *clients)
{
    bool room = true;
    for (size_t i = 0; i < clients->n_kvs && room; i++) {
        const Etcd__KeyValue *kv = clients->kvs[i];
        Berth__Client *client = berth__client__unpack(NULL, kv->value.len, kv->value.data);
        for (size_t k = 0; client != NULL && k < client->n_loans && room; k++) {
            if (client->loans[k]->level > 0 && holder_of(view, client->loans[k]) != NULL)
                room = add_loan(view, client, client->loans[k]);
        }
        if (client != NULL)
            berth__client__free_unpacked(client, NULL);
    }
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
    Berth__Pool *pool = berth__pool__unpack(NULL, kv->value.len, kv->value.data);
    if (pool == NULL || pool->format != LAYOUT_FORMAT || part[0] == NULL || part[1] == NULL ||
        part[2] == NULL) {
        if (pool != NULL)
            berth__pool__free_unpacked(pool, NULL);
        snprintf(reason, STORE_REASON, "pool %s is damaged, or of another version of berth", name);
        return EPROTO;
    }
    view->slots = pool->slots;
    view->seats = BERTH_MAX_SEATS;
    berth__pool__free_unpacked(pool, NULL);
    // NOLINTNEXTLINE(bugprone-sizeof-expression)
    view->holders = calloc(part[0]->n_kvs + 1, sizeof *view->holders);
    // NOLINTNEXTLINE(bugprone-sizeof-expression)
    view->waiters = calloc(part[1]->n_kvs + 1, sizeof *view->waiters);
    if (view->holders == NULL || view->waiters == NULL) {
        snprintf(reason, STORE_REASON, "there is no memory for what pool %s looks like", name);
        return ENOMEM;
    }
    take_holders(view, part[0], part[2]);
    take_waiters(view, part[1], part[2]);
    if (take_loans(view, part[2]))
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
        if (key_text(pools->kvs[i], key))
            error = each(layout_last(key), context);
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
    Berth__Pool *pool = berth__pool__unpack(NULL, kv->value.len, kv->value.data);
    *seconds = pool != NULL ? pool->ttl : 0;
    if (*seconds < looking->plain.address.ttl)
        *seconds = looking->plain.address.ttl;
    if (pool != NULL)
        berth__pool__free_unpacked(pool, NULL);
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
