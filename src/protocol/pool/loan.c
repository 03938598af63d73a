/*
 * Loans: nested runs of one pool. Ours. A command that runs in a slot has that slot to lend; a run
 * inside it works in the lender's slot, or in a slot of its own, whichever comes first.
 *
 * What the pool does is taken for granted here (pool.c): a line in arrival order; slots, each with
 * a word that names its last holder by ticket and seat; and a living process that sees a dead
 * holder hands the slot on. The model has the locks that the kernel keeps for a loan, and says
 * which process reads them when.
 *
 * Each slot has a chain of locks, one for each level. Level 0 is held by the run that holds the
 * slot, level d + 1 by a run that borrows from the one at level d. With each lock goes the name of
 * its owner, which no other run has ever had. The environment of a command tells slot, level and
 * name of its run, and of those around it. The kernel drops a lock when its owner dies.
 *
 *  - To borrow from level d: take all levels from d + 1 on, in one step; see that level d is still
 *    held by that name; keep level d + 1, and drop the deeper ones, which the borrower may lend
 *    itself.
 *  - To end: take all deeper levels. If that succeeds nobody borrows, and nobody will: drop all of
 *    them, and release the slot. If not, either try again and again (the level stays lent, so that
 *    nobody inside ever waits for the slot itself), or stop lending (drop the own level), try once
 *    more, and leave. The slot stays with those who borrow, and is recovered when the last of them
 *    is gone.
 *  - A holder is dead if its seat is, and if no level of its slot's chain from 1 on is held: asked
 *    in this order. A newcomer that finds such a lock in a slot which the seat's former owner had
 *    takes another seat. (Here a process has l + 1 seats to choose from, which nobody else takes.)
 *
 *  N1  A borrower that saw level d held has had a lock in the chain since before that. So a process
 *      that finds the lender's seat dead after that finds the borrower's lock; and so does a lender
 *      that ends.
 *  N2  In a slot work the holder, its borrower, the borrower's borrower, and so on: each inside the
 *      one before. To those who come, a level is free only if all deeper ones are.
 *  N3  Progress: a run waits for a loan only if another run inside the same lender, or one that it
 *      left behind, has it; and the deepest of those waits for nobody.
 *
 * A process here is a run with its command: it lives as long as a copy of its open file, or of the
 * heir that its command inherits, does. Its
 * death drops its seat and its locks in one step, as the kernel does. What the environment tells is
 * the set `around` of the runs that this one is inside of; they leave it when they are over, as
 * nobody else has their names. That a word of a slot has changed since it was seen is known by
 * `seen`. What is history, and decides nothing: `nest`, who started this run; `at`, the slot that
 * it works in, and `depth`, its level.
 *
 * src/pool/loan.c includes this file for the subroutines borrow, reclaim, leave and keeps, with the
 * kernel's locks; the rest of it is what the library, the pool and the user do around them.
 */
#define NAME loan
#define LOCALS(local)                                                                              \
    local(s, l + 1)                /* a seat of mine */                                            \
        local(j, l + 1)            /* a slot, from 1: the one I work in, or one that I look at */  \
        local(d, LOAN_LEVELS + 1)  /* a level of its chain: the lender's, and then mine */         \
        local(f, LOAN_HOLDER)      /* whom its word named when I saw it */                         \
        local(own, 2)              /* I hold the slot */                                           \
        local(outcome, 3)
#define SUBS(sub) sub(borrow) sub(reclaim) sub(leave) sub(keeps) sub(sit) sub(look)
#ifdef LOAN_EMBEDDED
#define CELLS(cell, cells, registers)
#else
#define LOAN_HOLDER (n * (l + 1) + 1) /* 1 + process * (l + 1) + seat; 0: nobody */
#define LOAN_LEVELS n
#define CELLS(cell, cells, registers)                                                              \
    cells(holder, l, LOAN_HOLDER) cell(length, n + 1) cells(line, n, n + 1)                        \
        cells(seat, n, l + 2) cells(chain, l * n, n + 1) cells(lends, n, 2) cells(seen, n, l + 1)  \
            cells(nest, n, n + 1) cells(at, n, l + 1) cells(depth, n, n)                           \
                cells(around, n, (word)1 << n)
#ifdef STEP_MODEL /* natively nobody is killed here; tests/torture does that to the library */
#define HAS_DEATH
#endif
#define HAS_CHOICE
#define HAS_CLASH
#define HAS_LOCK
#define STEP_MAY_nest (step_me % 2 == 1)
#define STEP_MAY_leave_behind false
#define STEP_MAY_leave true
#endif
#include "step/step.h"

enum {
    ITSELF,
    NO_LOANS,
    STALE,
    ANY_NAME,
    CHECK_FIRST,
    HASTY,
    SEAT_ONLY,
    LOAN_FIRST,
    NO_QUESTION,
    ONE_LEVEL,
};

enum { NOTHING, LENT, OUT }; /* what came of borrowing, withdrawing, or asking */

/* ---- the locks of a chain: each of these is one step ---- */

#ifndef LOAN_EMBEDDED
#define LOAN_STATE                                                                                 \
    const struct step_params *params __attribute__((unused)), struct step_variable *V
#define CHAIN(j, d) (((j)-1) * params->n + (d))

/* Whether somebody else than `me` holds a lock in the chain, from level d up to below `end`. */
static inline bool chain_is_held(LOAN_STATE, word j, word d, word end, word me)
{
    for (; d < end; d++) {
        if (V->chain[CHAIN(j, d)] != 0 && V->chain[CHAIN(j, d)] != me + 1)
            return true;
    }
    return false;
}

static inline bool chain_take(LOAN_STATE, word j, word d, word end, word me)
{
    if (chain_is_held(params, V, j, d, end, me))
        return false;
    for (; d < end; d++)
        V->chain[CHAIN(j, d)] = me + 1;
    return true;
}

static inline void chain_drop(LOAN_STATE, word j, word d, word end, word me)
{
    for (; d < end; d++) {
        if (V->chain[CHAIN(j, d)] == me + 1)
            V->chain[CHAIN(j, d)] = 0;
    }
}

/* Whether this level is held by a run that `me` is inside of. */
static inline bool chain_lends(LOAN_STATE, word j, word d, word me)
{
    const word owner = V->chain[CHAIN(j, d)];
    return owner != 0 && (V->around[me] >> (owner - 1) & 1);
}

/* The levels of slot j from d up to below `end`: all of them, or nothing. */
#define LEVELS_END n
#define TAKE(label, taken, j, d, end)                                                              \
    LOCK(label)                                                                                    \
        taken = chain_take(params, V, j, d, end, ME);                                              \
    UNLOCK
#define DROP(label, j, d, end)                                                                     \
    LOCK(label)                                                                                    \
        chain_drop(params, V, j, d, end, ME);                                                      \
    UNLOCK
#define KEEP(label, j, d) /* of what was taken from level d on */                                  \
    LOCK(label)                                                                                    \
        chain_drop(params, V, j, (d) + 1, LEVELS_END, ME);                                         \
    UNLOCK
#define IS_HELD(label, held, j, d, end) /* one of them, by somebody else */                        \
    LOCK(label)                                                                                    \
        held = chain_is_held(params, V, j, d, end, ME);                                            \
    UNLOCK
#define IS_LENT(label, held, j, d) /* by one whom my environment names */                          \
    LOCK(label)                                                                                    \
        held = chain_lends(params, V, j, d, ME) ||                                                 \
               (VARIANT(ANY_NAME) && V->chain[CHAIN(j, d)] != 0);                                  \
    UNLOCK
#endif

/* ---- what the library has from here ---- */

/* From the run at level d of slot j. LENT: I am at level d + 1. OUT: somebody else is there, or
 * deeper. NOTHING: there is nothing to borrow any more. */
SUB(borrow)
    bool taken, held;
    if (VARIANT(CHECK_FIRST)) {
        IS_LENT(B0, held, j, d)
        outcome = NOTHING;
        if (!held)
            RETURN;
    }
    TAKE(B1, taken, j, d + 1, VARIANT(ONE_LEVEL) ? d + 2 : LEVELS_END)
    outcome = taken ? LENT : OUT;
    if (!taken) {
        if (VARIANT(CHECK_FIRST))
            RETURN;
        IS_LENT(B4, held, j, d) /* a stale name is no reason to wait */
        if (!held)
            outcome = NOTHING;
        RETURN;
    }
    if (!VARIANT(STALE) && !VARIANT(CHECK_FIRST)) {
        IS_LENT(B2, held, j, d)
        if (!held)
            outcome = NOTHING;
    }
    if (outcome == LENT) {
        KEEP(B3, j, d + 1)
    } else {
        DROP(B5, j, d + 1, LEVELS_END)
    }
END_SUB(borrow)

/* I am at level d of slot j, and my command has ended. NOTHING: nobody borrows from me, and nobody
 * will. OUT: somebody does, and I still lend it. */
SUB(reclaim)
    bool taken;
    TAKE(W1, taken, j, d + 1, LEVELS_END)
    outcome = taken ? NOTHING : OUT;
    if (taken) {
        DROP(W4, j, d, LEVELS_END)
    }
END_SUB(reclaim)

/* The same; OUT: somebody does, and the slot stays with them. */
SUB(leave)
    bool taken;
    DROP(W2, j, d, d + 1)
    TAKE(W3, taken, j, d + 1, LEVELS_END)
    outcome = taken ? NOTHING : OUT;
    if (taken) {
        DROP(W5, j, d + 1, LEVELS_END)
    }
END_SUB(leave)

/* The seat that slot j's word names is dead. OUT: the slot is still somebody's. */
SUB(keeps)
    bool held;
    IS_HELD(K1, held, j, 1, LEVELS_END)
    outcome = held ? OUT : NOTHING;
END_SUB(keeps)

#ifndef LOAN_EMBEDDED

/* ---- the pool, as far as it matters ---- */

#define HOLDER(p, seat) (1 + (p) * (params->l + 1) + (seat)-1)
#define PROCESS_OF(holder) (((holder)-1) / (params->l + 1))
#define SEAT_OF(holder) (((holder)-1) % (params->l + 1) + 1)

static inline bool is_seated(LOAN_STATE, word holder)
{
    return V->seat[PROCESS_OF(holder)] == SEAT_OF(holder);
}

/* The slot whose word names the process with its seat; from 1; 0: none. */
static inline word slot_of(LOAN_STATE, word p)
{
    for (word j = 0; j < params->l && V->seat[p] != 0; j++) {
        if (V->holder[j] == HOLDER(p, V->seat[p]))
            return j + 1;
    }
    return 0;
}

static inline word place_of(LOAN_STATE, word p) /* in line, from 1; 0: none */
{
    for (word at = 0; at < V->length; at++) {
        if (V->line[at] == p + 1)
            return at + 1;
    }
    return 0;
}

static inline void leave_line(LOAN_STATE, word p)
{
    const word place = place_of(params, V, p);
    if (place == 0)
        return;
    for (word at = place; at < V->length; at++)
        V->line[at - 1] = V->line[at];
    V->length -= 1;
    V->line[V->length] = 0;
}

/* Free slots go to the first in line. The dead are passed over. (To be stuck takes a run for each
 * slot, and one more: the variant without loans has one slot.) */
static inline void serve(LOAN_STATE)
{
    for (word j = 0; j < (VARIANT(NO_LOANS) ? 1 : params->l); j++) {
        while (V->holder[j] == 0 && V->length > 0) {
            const word p = V->line[0] - 1;
            leave_line(params, V, p);
            if (V->seat[p] != 0)
                V->holder[j] = HOLDER(p, V->seat[p]);
        }
    }
}

static inline void free_slot(LOAN_STATE, word j)
{
    V->holder[j - 1] = 0;
    for (word p = 0; p < params->n; p++)
        V->seen[p] = V->seen[p] == j ? 0 : V->seen[p];
    serve(params, V);
}

/* The run is over. */
static inline void end_life(LOAN_STATE, word me)
{
    V->seat[me] = V->nest[me] = 0;
    for (word p = 0; p < params->n; p++) {
        V->around[p] &= ~((word)1 << me);
        V->nest[p] = V->nest[p] == me + 1 ? 0 : V->nest[p];
    }
}

/* Whose command starts this run: the last of those that there are. */
static inline void nest_in(LOAN_STATE, word me)
{
    word outer = 0;
    for (word p = 0; p < params->n; p++) {
        if (p != me && V->lends[p] != 0)
            outer = p + 1;
    }
    V->nest[me] = outer;
    if (outer == 0)
        return;
    V->around[me] = V->around[outer - 1] | (word)1 << (outer - 1);
}

/* The deepest level of a slot that is held by a run around this one, from slot j on; false:
 * none. */
static inline bool find_lender(LOAN_STATE, word me, word *j, word *d)
{
    for (; *j <= params->l; (*j)++) {
        for (*d = params->n - 1; *d > 0; (*d)--) {
            if (chain_lends(params, V, *j, *d - 1, me)) {
                *d -= 1;
                return true;
            }
        }
    }
    *j = *d = 0;
    return false;
}

/* In slot j, at level d. At the deepest level that there is, it starts no runs. */
static inline void start_command(LOAN_STATE, word me, word j, word d)
{
    V->lends[me] = d + 1 < params->n;
    V->at[me] = j;
    V->depth[me] = d;
}

static inline bool has_children(LOAN_STATE, word me)
{
    for (word p = 0; p < params->n; p++) {
        if (V->nest[p] == me + 1)
            return true;
    }
    return false;
}

/* ---- a run ---- */

/* Takes its seat, and gives up what the former owner of the seat has left. */
SUB(sit)
    AGAIN {
        LOCK(S1)
            V->seat[ME] = s + 1;
            j = slot_of(params, V, ME);
            V->seen[ME] = j;
        UNLOCK
        if (j == 0)
            break;
        if (!VARIANT(NO_QUESTION))
            CALL0(S2, keeps);
        LOCK(S3)
            if (outcome == OUT) {
                V->seat[ME] = 0;
                s = s + 1;
            } else if (V->seen[ME] == j) { /* nobody else has handed it on */
                free_slot(params, V, j);
            }
            V->seen[ME] = 0;
        UNLOCK
        FORGET(j);
        FORGET(outcome);
    }
    FORGET(s);
END_SUB(sit)

/* Slots whose holder is dead are handed on. (To read the word and to ask for the seat in it are one
 * step here: R5 fails if the word has changed since.) */
SUB(look)
    for (j = 1; j <= l; j++) {
        LOCK(L2)
            f = V->holder[j - 1];
            if (!VARIANT(LOAN_FIRST) && f != 0 && is_seated(params, V, f))
                FORGET(f);
            V->seen[ME] = f != 0 ? j : 0;
        UNLOCK
        if (f == 0)
            continue;
        if (!VARIANT(LOAN_FIRST))
            FORGET(f);
        if (!VARIANT(SEAT_ONLY))
            CALL0(K1, keeps);
        if (VARIANT(LOAN_FIRST)) {
            LOCK(L3)
                if (is_seated(params, V, f))
                    outcome = OUT;
            UNLOCK
            FORGET(f);
        }
        LOCK(R5)
            if (outcome != OUT && V->seen[ME] == j)
                free_slot(params, V, j);
            V->seen[ME] = 0;
        UNLOCK
        FORGET(outcome);
    }
    FORGET(j);
END_SUB(look)

/* With the loan, if it is there; else with a place in line, until one of the two comes. If both
 * come, the loan goes back. */
ENTRY
    bool taken;
    LOCK(start)
        if (MAY(nest))
            nest_in(params, V, ME);
    UNLOCK
    CALL0(S1, sit);
    AGAIN {
        LOCK(B0)
            j = 1;
            if (VARIANT(NO_LOANS) || !find_lender(params, V, ME, &j, &d))
                FORGET(j);
        UNLOCK
        while (j != 0) {
            CALL0(B1, borrow);
            if (outcome == LENT)
                break;
            FORGET(outcome);
            if (j == l) {
                FORGET(j);
                FORGET(d);
                break;
            }
            LOCK(B6) /* there may be another */
                j = j + 1;
                find_lender(params, V, ME, &j, &d);
            UNLOCK
        }
        if (outcome == LENT) {
            LOCK(W4)
                leave_line(params, V, ME);
                own = slot_of(params, V, ME) != 0;
                d = own != 0 ? d : d + 1;
                if (own == 0)
                    start_command(params, V, ME, j, d);
            UNLOCK
            FORGET(outcome);
            if (own == 0)
                goto CRITICAL;
            DROP(both, j, d + 1, LEVELS_END)
            FORGET(own);
        }
        FORGET(d);
        FORGET(j);
        LOCK(W1)
            j = slot_of(params, V, ME);
            if (j == 0 && place_of(params, V, ME) == 0) {
                V->line[V->length] = ME + 1;
                V->length += 1;
                serve(params, V);
                j = slot_of(params, V, ME);
            }
            own = j != 0;
        UNLOCK
        if (j != 0)
            break;
        CALL0(L2, look);
    }
    do { /* it is free: its last holder dropped it before the slot was handed on */
        LOCK(lend)
            taken = chain_take(params, V, j, 0, 1, ME);
            if (taken)
                start_command(params, V, ME, j, d);
        UNLOCK
    } while (!taken);
END

/* The command has ended. It has waited for the runs in it, or has left them behind. */
EXIT
    bool alone;
    do {
        LOCK(end)
            V->lends[ME] = 0;
            V->at[ME] = V->depth[ME] = V->around[ME] = 0;
            alone = !has_children(params, V, ME);
        UNLOCK
    } while (!alone && !MAY(leave_behind));
    if (VARIANT(HASTY)) {
        DROP(W4, j, d, LEVELS_END)
    } else {
        do {
            FORGET(outcome);
            CALL0(W1, reclaim);
        } while (outcome == OUT && !MAY(leave));
        if (outcome == OUT) {
            CALL0(W2, leave);
        }
    }
    FORGET(d);
    LOCK(X3)
        if (own != 0 && outcome != OUT)
            free_slot(params, V, j);
        chain_drop(params, V, j, 0, n, ME);
        end_life(params, V, ME);
    UNLOCK
    FORGET(j);
    FORGET(own);
    FORGET(outcome);
END

#ifdef STEP_MODEL
/* The kernel closes its files. What it has left in words of the file stays there. */
#define GONE(cell)                                                                                 \
    if (SHARED(cell) != 0)                                                                         \
    DIES(cell, 0)
DEATH
    for (word i = 0; i < l * n; i++) {
        if (SHARED(chain[i]) == ME + 1)
            DIES(chain[i], 0);
    }
    GONE(seat[ME]);
    /* The rest is what nobody asks about any more. */
    word place = 0;
    while (place < SHARED(length) && SHARED(line[place]) != ME + 1)
        place++;
    for (word at = place; at < SHARED(length); at++)
        DIES(line[at], at + 1 < n ? SHARED(line[at + 1]) : 0);
    if (place < SHARED(length))
        DIES(length, SHARED(length) - 1);
    GONE(lends[ME]);
    GONE(seen[ME]);
    GONE(nest[ME]);
    GONE(at[ME]);
    GONE(depth[ME]);
    GONE(around[ME]);
    for (word p = 0; p < n; p++) {
        if (SHARED(nest[p]) == ME + 1)
            DIES(nest[p], 0);
        if (SHARED(around[p]) >> ME & 1)
            DIES(around[p], SHARED(around[p]) & ~((word)1 << ME));
    }
END
#endif

/* If two runs are in one slot, one is inside the other. */
#ifdef STEP_NATIVE
#define NOW(member) now.member
#else
#define NOW(member) SHARED(member)
#endif
CLASH
#ifdef STEP_NATIVE
    struct step_variable now;
    step_lock((struct step_shared *)(uintptr_t)shared, params, &now);
#endif
    for (word u = 0; u < n; u++) {
        for (word v = 0; v < n; v++) {
            if (u == v || !(inside >> u & 1) || !(inside >> v & 1) || NOW(at[u]) != NOW(at[v]) ||
                NOW(depth[u]) > NOW(depth[v]))
                continue;
            if (NOW(depth[u]) == NOW(depth[v]) ||
                !(NOW(around[v]) >> u & 1))
                return true;
        }
    }
    return false;
END_CLASH

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "N1, N2"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "N3"},
    {CHECK_NO_SLOT_LOST, CLAIMED, .why = "the living look"},
};
static const struct protocol_claim no_loans[] = {
    {CHECK_EXCLUSION, CLAIMED, "the pool's"},
    {CHECK_DEADLOCK_FREE, CLAIMED, .why = "a run waits for the slot that it is in",
     .refuted_from_n = 2},
};
static const struct protocol_claim clashes_of_2[] = {
    {CHECK_EXCLUSION, CLAIMED, "N1", .refuted_from_n = 2},
};
static const struct protocol_claim clashes_of_3[] = {
    {CHECK_EXCLUSION, CLAIMED, "N1", .refuted_from_n = 3},
};
static const struct protocol_claim no_name[] = {
    {CHECK_EXCLUSION, CLAIMED, "N2", .refuted_from_n = 2},
};
static const struct protocol_claim no_descent[] = {
    {CHECK_EXCLUSION, CLAIMED, "N2", .refuted_from_n = 3},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1, .fault = STEP_FAULT_DEATH}, 2857, 11536},
    {{.n = 2, .l = 2, .k = 1, .fault = STEP_FAULT_DEATH}, 29723, 120280},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "loans among nested runs", CLAIMS(claims), EXPECTED(expected)},
    [NO_LOANS] = {"no-loans", "broken: a nested run waits for a slot of its own", CLAIMS(no_loans)},
    [STALE] = {"stale", "broken: a borrower does not look whether the lender is there",
               CLAIMS(clashes_of_2)},
    [ANY_NAME] = {"any-name", "broken: any run at the lender's level is taken for the lender",
                  CLAIMS(no_name)},
    [CHECK_FIRST] = {"check-first", "broken: the lender is looked at before the lock is taken",
                     CLAIMS(clashes_of_2)},
    [HASTY] = {"hasty", "broken: the slot is released without a look at loans",
               CLAIMS(clashes_of_2)},
    [SEAT_ONLY] = {"seat-only", "broken: a slot is handed on when its holder's seat is dead",
                   CLAIMS(clashes_of_2)},
    [LOAN_FIRST] = {"loan-first", "broken: whether there is a loan is asked before the seat",
                    CLAIMS(clashes_of_3)},
    [NO_QUESTION] = {"no-question",
                     "broken: a newcomer gives up its seat's slots without asking for loans",
                     CLAIMS(clashes_of_2)},
    [ONE_LEVEL] = {"one-level", "broken: deeper levels may be somebody's", CLAIMS(no_descent)},
};

PROTOCOL(.name = "loan", .title = "Nested runs: slots that are lent", .citation = "ours",
         .min_n = 2, .max_n = 4, .default_n = 2, .max_l = 3, .fault = STEP_FAULT_DEATH,
         .broken_from = NO_LOANS, VARIANTS(variants))
#include "step/end.h"
#endif
