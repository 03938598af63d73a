#include "jobserver/account.h"

#include "pool/others.h"
#include "step/params.h"

#include <errno.h>
#include <stdlib.h>

#include "protocol/jobserver/rules.inc"

enum { ROUNDS = 4096 }; /* of one call: a client that keeps the server busy must not stop it */

struct account {
    berth_pool *pool;
    struct pipes pipes;
    struct asker asker;
    struct jobserver_book book;
    unsigned most, own;
    bool none;
    unsigned idle;       /* when it was looked last */
    uint64_t offered_at; /* the last offer */
    uint64_t least;      /* that an offer stands */
    uint64_t stands;     /* the next one */
    uint64_t rests, rests_until;
    enum account_kind kind;
    bool failed; /* the pool gives no more slots */
    berth_grant grants[BERTH_MAX_SLOTS];
};

int account_open(struct account **account, const struct account_options *options)
{
    struct account *new = calloc(1, sizeof *new);
    if (new == NULL)
        return ENOMEM;
    new->pool = options->pool;
    new->most = options->most;
    new->none = options->none;
    new->kind = options->kind;
    new->least = options->kind == ACCOUNT_POLLS ? ACCOUNT_OFFER_POLLS : ACCOUNT_OFFER_LEAST;
    new->rests = ACCOUNT_RESTS_LEAST;
    new->stands = new->least;
    new->own = options->own;
    int error = pipes_open(&new->pipes, options->form, options->folder);
    if (error == 0)
        error = asker_open(&new->asker, options->pool, options->wake);
    if (error != 0) {
        pipes_close(&new->pipes);
        free(new);
        return error;
    }
    *account = new;
    return 0;
}

void account_close(struct account *account)
{
    asker_close(&account->asker);
    pipes_close(&account->pipes);
    free(account);
}

const struct pipes *account_pipes(const struct account *account)
{
    return &account->pipes;
}

/* What a client may write to what it reads from can be seen there. */
void account_returns(const struct account *account, int polled[ACCOUNT_POLLED])
{
    const bool comes_back_here = account->pipes.form != PIPES_PAIR && account->idle == 0;
    polled[0] = comes_back_here ? account->pipes.offer : -1;
    polled[1] = account->pipes.back;
}

struct account_sum account_sum(const struct account *account)
{
    return (struct account_sum){.given = (unsigned)account->book.given,
                                .idle = account->idle,
                                .asks = account->book.asks != 0};
}

/* ---- what it sees ---- */

/* How many tokens there may be: the pool may have been resized. */
static word most(const struct account *account)
{
    const unsigned slots = berth_slots(account->pool);
    const unsigned left = slots > account->own ? slots - account->own : 0;
    if (account->none)
        return 0;
    return account->most > 0 && account->most < left ? account->most : left;
}

/* First what has come back, and then what is in the pipe: otherwise a token that a client takes and
 * returns in between would be seen in both places, and counted as one that it never had. */
static void hear(struct account *account)
{
    berth_grant grant;
    int error;
    switch (asker_look(&account->asker, &grant, &error)) {
    case ASKER_CAME:
        account->grants[account->book.given] = grant;
        jobserver_came(&account->book);
        break;
    case ASKER_FAILED:
        account->book.asks = 0;
        account->failed = true;
        break;
    case ASKER_RESTS:
    case ASKER_ASKS: break;
    }
    unsigned back = pipes_returned(&account->pipes);
    pipes_idle(&account->pipes, &account->idle);
    for (; back > 0; back--)
        jobserver_returned(&account->book, account->idle);
}

static struct jobserver_sight look(struct account *account, uint64_t now)
{
    const word limit = most(account);
    hear(account);
    return (struct jobserver_sight){
        .idle = account->idle,
        .others = pool_others_wait(account->pool) || account->book.given > limit,
        .due = now >= account->offered_at + account->stands,
        .may_ask = account->book.given < limit && now >= account->rests_until && !account->failed,
    };
}

/* ---- what it does ---- */

static bool act(struct account *account, enum jobserver_act act, uint64_t now)
{
    switch (act) {
    case JOBSERVER_OFFER: account->offered_at = now; return pipes_offer(&account->pipes);
    case JOBSERVER_DROP:
    case JOBSERVER_TAKE: return pipes_take(&account->pipes);
    case JOBSERVER_RELEASE:
        berth_release(account->pool, &account->grants[account->book.given - 1]);
        return true;
    case JOBSERVER_ASK: account->failed = asker_ask(&account->asker) != 0; return true;
    case JOBSERVER_CLOSE:
    case JOBSERVER_REST: break;
    }
    return true;
}

static uint64_t between(uint64_t least, uint64_t value, uint64_t most)
{
    return value < least ? least : value < most ? value : most;
}

static void learn(struct account *account, uint64_t stands)
{
    account->stands = between(account->least, stands, ACCOUNT_OFFER_MOST);
}

/* The pipe is empty: the offer has been taken, soon or late. */
static void note_taken(struct account *account, uint64_t now)
{
    const uint64_t stood = now - account->offered_at;
    account->rests_until = 0;
    account->rests = ACCOUNT_RESTS_LEAST;
    if (stood > account->stands / 2)
        learn(account, 2 * account->stands);
    else if (stood < account->stands / 8)
        learn(account, account->stands / 2);
}

/* Nobody took it. */
static void note_unused(struct account *account, uint64_t now)
{
    account->rests_until = now + account->rests * account->stands;
    account->rests = between(ACCOUNT_RESTS_LEAST, 2 * account->rests, ACCOUNT_RESTS_MOST);
    if (account->kind != ACCOUNT_SLEEPS)
        learn(account, 2 * account->stands);
}

static uint64_t next_look(const struct account *account, const struct jobserver_sight *sight,
                          uint64_t now)
{
    if (sight->idle > 0 && !(sight->others && account->book.fresh != 0 && !sight->due))
        return now + ACCOUNT_LOOK;
    if (sight->idle > 0)
        return account->offered_at + account->stands;
    return account->rests_until > now && account->book.asks == 0 ? account->rests_until
                                                                 : ACCOUNT_NEVER;
}

/* Removes tokens without a slot, too: no client may take them from the pipe. */
void account_retire(struct account *account)
{
    struct jobserver_book *book = &account->book;
    asker_end(&account->asker);
    hear(account);
    for (unsigned round = 0; round < ROUNDS && pipes_take(&account->pipes); round++)
        jobserver_returned(book, 0);
    for (word left = book->came + book->back; left > 0; left--)
        berth_release(account->pool, &account->grants[--book->given]);
    book->came = book->back = 0;
}

uint64_t account_serve(struct account *account, uint64_t now)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        const struct jobserver_sight sight = look(account, now);
        const enum jobserver_act next = jobserver_decide(&account->book, &sight);
        bool done = true;
        if (account->book.fresh != 0 && sight.idle == 0)
            note_taken(account, now);
        jobserver_see(&account->book, &sight);
        if (next == JOBSERVER_REST)
            return next_look(account, &sight, now);
        done = act(account, next, now);
        if (next == JOBSERVER_TAKE && done && account->book.fresh != 0 && sight.idle == 1)
            note_unused(account, now);
        jobserver_acted(&account->book, next, done);
        if (next == JOBSERVER_OFFER && !done)
            break; /* the pipe is full: a client fills it */
    }
    return now + ACCOUNT_LOOK;
}
