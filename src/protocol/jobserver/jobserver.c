/*
 * The jobserver: slots of a pool as tokens in pipes. Ours. A client (make, ninja, cargo) takes a
 * token out of its pipe before it starts a job, and returns it when the job has ended. Nobody sees
 * that it wants one. What the server does about that is in rules.inc, J1 to J7; a server runs on
 * these very rules in src/jobserver. Here they are put among clients that take, return and die
 * whenever they like.
 *
 * What the pool does is taken for granted (pool.c): a line in arrival order, with one ticket at
 * most for each account, and a free slot goes to the first in line. What the kernel does too: a
 * read or a write of one token is one step, and a process that dies is gone for the server at some
 * later step.
 *
 * The server reads what has come back, looks what is in the pipe, and acts by what it saw: three
 * steps, one account after the other. In between a client may take the token that was seen, or
 * return another one, or die. The first two are in this order: a token that was taken and returned
 * between them in the other one (the variant stale) is seen twice, taken for an error, and lost.
 *
 * The pipes are of two kinds. Of a pair of pipes the client reads from one and writes to the other,
 * so that every token that it returns passes through the server: the protocol itself. Of a FIFO it
 * reads what it has written, unless the server is faster: the variant fifo. Then it is not
 * lockout-free, as a client may be faster for ever.
 *
 * The time that an offer stands is not part of the model. It is taken to be long enough for a
 * client that waits for a token to take it (wants, which the server does not know; natively a clock
 * tells `due`). The variant slow is without that: an offer may be taken back just as the client
 * reaches for it, and only the client's turn is lost.
 *
 *  A1  exclusion: a client that works has taken a token, and each is a slot. It is handed on only
 *      when it has been read out of the pipe, or when the client is gone, and its pipe with it.
 *  A2  no-slot-lost: slots that are neither free nor in line are in a pipe, with a client, or with
 *      the server; and each of these comes back.
 *  A3  lockout-free: an empty pipe has a ticket in line; what is ahead of it is finite, and each of
 *      them gets one slot, uses it for one job or not at all, and gives it back.
 */
#define NAME jobserver
#define CELLS(cell, cells, registers)                                                              \
    cells(pipe, n, l + 2) cells(returned, n, l + 2) cells(life, n, 3) cells(wants, n, 2)
#define LOCALS(local)
#define PRIVATE(local, array)                                                                      \
    local(free, l + 1) local(turn, n) local(stage, 3)                                              \
        local(heard, l + 2) local(idle, l + 2) local(gone, 2) /* what was seen */                  \
        local(length, n + 1) array(line, n, n + 1)                                                 \
        array(given, n, l + 1) array(came, n, l + 1) array(back, n, l + 1) array(fresh, n, 2)      \
        array(asks, n, 2) local(ready, 2)
#define HAS_LOCK
#define HAS_SUPERVISOR
#define HAS_INVARIANTS
#ifdef STEP_MODEL /* natively nobody is killed here; tests/torture/jobserver kills */
#define HAS_DEATH
#endif
#include "step/step.h"

enum {
    ITSELF,
    FIFO,
    SLOW,
    COUNTED,
    SAME_PIPE,
    NO_WATCH,
    KEEPS,
    LAST_FIRST,
    EARLY,
    STALE,
};

enum { NONE, LIVES, GONE }; /* a client's life */

#include "rules.inc"

/* ---- the pool, as far as it matters ---- */

#define SERVER                                                                                     \
    const struct step_params *params __attribute__((unused)),                                      \
        struct step_private *X __attribute__((unused))

/* Free slots go to the first in line. */
static inline void pool_serve(SERVER)
{
    while (X->free > 0 && X->length > 0) {
        const word c = X->line[0] - 1;
        for (word at = 1; at < X->length; at++)
            X->line[at - 1] = X->line[at];
        X->length -= 1;
        X->line[X->length] = 0;
        X->free -= 1;
        struct jobserver_book book = {X->given[c], X->came[c], X->back[c], X->fresh[c], X->asks[c]};
        jobserver_came(&book);
        X->given[c] = book.given;
        X->came[c] = book.came;
        X->asks[c] = book.asks;
    }
}

static inline void pool_join(SERVER, word c)
{
    word at = X->length;
    if (VARIANT(LAST_FIRST)) {
        for (; at > 0; at--)
            X->line[at] = X->line[at - 1];
    }
    X->line[at] = c + 1;
    X->length += 1;
}

static inline void pool_leave(SERVER, word c)
{
    word kept = 0;
    for (word at = 0; at < X->length; at++) {
        const word who = X->line[at];
        X->line[at] = 0;
        if (who != c + 1)
            X->line[kept++] = who;
    }
    X->length = kept;
}

static inline bool pool_others(SERVER, word c)
{
    for (word at = 0; at < X->length; at++) {
        if (X->line[at] != c + 1)
            return true;
    }
    return false;
}

/* ---- the server ---- */

#define BOOK(c)                                                                                    \
    (struct jobserver_book){X->given[c], X->came[c], X->back[c], X->fresh[c], X->asks[c]}

static inline void keep_book(SERVER, word c, const struct jobserver_book *book)
{
    X->given[c] = book->given;
    X->came[c] = book->came;
    X->back[c] = book->back;
    X->fresh[c] = book->fresh;
    X->asks[c] = book->asks;
}

/* What the kernel tells: what has come back, how many tokens are in the pipe, and whether it is
 * dead. */
static inline void hear(SERVER, struct step_variable *V, word c)
{
    X->heard = V->returned[c];
    V->returned[c] = 0;
}

static inline void look(SERVER, const struct step_variable *V, word c)
{
    X->idle = V->pipe[c];
    X->gone = V->life[c] == GONE && !VARIANT(NO_WATCH);
}

static inline void note_heard(SERVER, word c)
{
    struct jobserver_book book = BOOK(c);
    for (; X->heard > 0; X->heard -= 1)
        jobserver_returned(&book, X->idle);
    keep_book(params, X, c, &book);
}

static inline bool read_token(SERVER, struct step_variable *V, word c)
{
    if (V->pipe[c] == 0)
        return VARIANT(COUNTED); /* it was there when it was looked */
    V->pipe[c] -= 1;
    return true;
}

static inline void close_account(SERVER, struct step_variable *V, word c)
{
    X->free += X->given[c];
    pool_leave(params, X, c);
    V->life[c] = NONE;
    if (VARIANT(SAME_PIPE))
        return;
    V->pipe[c] = 0; /* nobody opens it again */
    V->returned[c] = 0;
}

/* True: the act succeeded. */
static inline bool act(SERVER, struct step_variable *V, word c, enum jobserver_act next)
{
    switch (next) {
    case JOBSERVER_CLOSE: close_account(params, X, V, c); break;
    case JOBSERVER_OFFER: V->pipe[c] += 1; break;
    case JOBSERVER_DROP:
    case JOBSERVER_TAKE: return read_token(params, X, V, c);
    case JOBSERVER_RELEASE: X->free += 1; break;
    case JOBSERVER_ASK: pool_join(params, X, c); break;
    case JOBSERVER_REST: break;
    }
    return true;
}

static inline void serve_account(SERVER, struct step_variable *V, word c)
{
    struct jobserver_book book = BOOK(c);
    const struct jobserver_sight sight = {
        .idle = X->idle,
        .gone = X->gone != 0,
        .others = pool_others(params, X, c) && !VARIANT(KEEPS),
        .due = VARIANT(SLOW) || V->wants[c] == 0,
        .may_ask = V->life[c] != NONE && book.given < params->l,
    };
    enum jobserver_act next = jobserver_decide(&book, &sight);
    jobserver_see(&book, &sight);
    if (VARIANT(EARLY) && next == JOBSERVER_ASK && V->pipe[c] < params->l) {
        V->pipe[c] += 1;
        return;
    }
    const bool done = act(params, X, V, c, next);
    jobserver_acted(&book, next, done);
    keep_book(params, X, c, &book);
    pool_serve(params, X);
}

SUPERVISOR(serve)
    const word c = X->turn;
    if (X->ready == 0) {
        X->ready = 1;
        X->free = l;
    }
    if (X->stage < 2) {
        if ((X->stage == 0) != VARIANT(STALE))
            hear(params, X, V, c);
        else
            look(params, X, V, c);
        X->stage += 1;
        if (X->stage == 2)
            note_heard(params, X, c);
    } else {
        serve_account(params, X, V, c);
        X->idle = X->gone = X->stage = 0;
        X->turn = c + 1 == n ? 0 : c + 1;
    }
END_SUPERVISOR

/* ---- a client ---- */

/* One whose number was another's before is a stranger to the server: it has to be rid of that one
 * first. */
ENTRY
    bool is_open, taken;
    do {
        LOCK(connect)
            if (V->life[ME] == NONE || VARIANT(NO_WATCH))
                V->life[ME] = LIVES;
            is_open = V->life[ME] == LIVES;
            V->wants[ME] = is_open;
        UNLOCK
    } while (!is_open);
    do {
        LOCK(take)
            taken = V->pipe[ME] > 0;
            if (taken) {
                V->pipe[ME] -= 1;
                V->wants[ME] = 0;
            }
        UNLOCK
    } while (!taken);
END

EXIT
    LOCK(give_back)
        if (VARIANT(FIFO))
            V->pipe[ME] += 1;
        else
            V->returned[ME] += 1;
    UNLOCK
END

#ifdef STEP_MODEL
/* What it had taken is gone with it. */
DEATH
    if (SHARED(life[ME]) == LIVES)
        DIES(life[ME], GONE);
    if (SHARED(wants[ME]) != 0)
        DIES(wants[ME], 0);
END

INVARIANTS
    word slots = X->ready != 0 ? X->free : l, wrong = 0;
    (void)each;
    for (word c = 0; c < n; c++) {
        const word out = IS_CRITICAL(c);
        const word heard = X->turn == c ? X->heard : 0;
        const word tokens =
            shared->pipe[c] + shared->returned[c] + heard + X->came[c] + X->back[c] + out;
        slots += X->given[c];
        wrong |= shared->life[c] == LIVES ? tokens != X->given[c] : tokens > X->given[c];
    }
    return (word)(slots != l) | wrong << 1;
END_INVARIANTS
#endif

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "A1"},    {CHECK_INVARIANTS, CLAIMED, "A1, A2"},
    {CHECK_NO_SLOT_LOST, CLAIMED, "A2"}, {CHECK_DEADLOCK_FREE, CLAIMED, "A3"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "A3"},
};
static const struct protocol_claim of_fifo[] = {
    {CHECK_EXCLUSION, CLAIMED, "A1"},
    {CHECK_INVARIANTS, CLAIMED, "A1, A2"},
    {CHECK_NO_SLOT_LOST, CLAIMED, "A2"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "A3"},
    {CHECK_LOCKOUT_FREE, NOT_CLAIMED, .why = "a client may be faster than the server for ever"},
};
static const struct protocol_claim of_slow[] = {
    {CHECK_EXCLUSION, CLAIMED, "A1"},
    {CHECK_INVARIANTS, CLAIMED, "A1, A2"},
    {CHECK_NO_SLOT_LOST, CLAIMED, "A2"},
    {CHECK_LOCKOUT_FREE, NOT_CLAIMED, .why = "an offer may be over before it is seen, each time"},
};
static const struct protocol_claim twice[] = {
    {CHECK_EXCLUSION, CLAIMED, "A1", .refuted_from_n = 2},
};
static const struct protocol_claim lost[] = {
    {CHECK_NO_SLOT_LOST, CLAIMED, "A2", .refuted_from_n = 2},
};
static const struct protocol_claim starved[] = {
    {CHECK_EXCLUSION, CLAIMED, "A1"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "A3", .refuted_from_n = 2},
};
static const struct protocol_claim starved_of_3[] = {
    {CHECK_EXCLUSION, CLAIMED, "A1"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "A3", .refuted_from_n = 3},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1, .fault = STEP_FAULT_DEATH}, 3674, 19714},
    {{.n = 3, .l = 1, .k = 1, .fault = STEP_FAULT_DEATH}, 84622, 598208},
};
static const struct protocol_expected expected_fifo[] = {
    {{.n = 2, .l = 1, .k = 1, .fault = STEP_FAULT_DEATH}, 3394, 18208},
    {{.n = 3, .l = 1, .k = 1, .fault = STEP_FAULT_DEATH}, 80851, 571478},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "a server that offers and takes back, and a pair of pipes for each client",
                CLAIMS(claims), EXPECTED(expected)},
    [FIFO] = {"fifo", "one FIFO for each client, which may read what it has written",
              CLAIMS(of_fifo), EXPECTED(expected_fifo)},
    [SLOW] = {"slow", "an offer may be taken back before a client that waits has seen it",
              CLAIMS(of_slow)},
    [COUNTED] = {"counted", "broken: a token that was seen in the pipe is taken to be there still",
                 CLAIMS(twice)},
    [SAME_PIPE] = {"same-pipe", "broken: the pipe of a dead client is used again", CLAIMS(twice)},
    [NO_WATCH] = {"no-watch", "broken: nobody looks whether a client is dead", CLAIMS(lost)},
    [KEEPS] = {"keeps", "broken: an offer that nobody uses stands for ever", CLAIMS(starved)},
    [LAST_FIRST] = {"last-first", "broken: the last to come is the first in line",
                    CLAIMS(starved_of_3)},
    [EARLY] = {"early", "broken: a token is offered before its slot has come", CLAIMS(twice)},
    [STALE] = {"stale", "broken: looks at the pipe before it reads what has come back",
               CLAIMS(lost)},
};

PROTOCOL(.name = "jobserver", .title = "Slots of a pool as tokens of GNU make's jobserver",
         .citation = "ours", .min_n = 2, .max_n = 4, .default_n = 2, .max_l = 3,
         .needs_l_below_n = true, .fault = STEP_FAULT_DEATH, .broken_from = COUNTED,
         .invariants = {"slots", "tokens"}, VARIANTS(variants))
#include "step/end.h"
