/*
 * A bounded atomic snapshot (see snapshot.inc) under the most general client: each process makes
 * any sequence of updates and snapshots.
 *
 * That it is atomic means: what a snapshot returns were the values of all processes at one instant
 * between its first access and its last (an update takes effect when r is written). Values here are
 * 0 and 1, chosen freely, and it is looked at one vector only, all ones. That is enough: if a
 * snapshot returns values that never stood there together, then colour the writes that it returned
 * 1 and all other writes 0; the run with these values is one that is explored, in it the snapshot
 * returns all ones, and all ones never stood there while it lasted. At first all values are 1; any
 * other beginning is reached by updates.
 *
 * Operations are counted, and no more than `limit` may begin in all.
 */
#define NAME snapshot
#define CELLS(cell, cells, registers)                                                              \
    registers(r, REGISTER_VALUES) registers(q, BIT(n)) cell(begun, params->limit + 1)              \
        cell(seen, BIT(n)) cell(scanning, BIT(n))
#define LOCALS(local)                                                                              \
    local(j, n + 1) local(f, BIT(n)) local(hb, BIT(n)) local(tog, BIT(n)) local(bad, BIT(n))       \
        local(moved, BIT(n)) local(v, BIT(n * VALUE_BITS))
#define SUBS(sub) sub(snap) sub(prepare)
#define HAS_DOORWAY
#define HAS_INITIAL
#define HAS_CHOICE
#define HAS_HISTORY
#define HAS_PROMISES
#define BIT(p) ((word)1 << (p))
#ifdef STEP_MODEL
#define VALUE_BITS 1
#else
#define VALUE_BITS 4
#endif
enum { ITSELF };
#define SNAP_WITHOUT(what) VARIANT(what)
#include "step/step.h"

#include "protocol/afek/snapshot.inc"

#ifdef STEP_NATIVE
static _Thread_local unsigned turn;
#define STEP_MAY_update (turn++ % 3 == 0)
#define NEW_VALUE ((VIEWED(v, ME) + 1) & VALUE_MASK)
#else
#define NEW_VALUE (MAY(one) ? 1 : 0)
#endif

INITIAL
    for (word i = 0; i < n; i++) {
        SHARED(r[i]) = REGISTER(1, 0, 0, 0);
        for (word p = 0; p < n; p++)
            SHARED(r[i]) |= (word)1 << (VALUE_BITS + n + 1 + p * VALUE_BITS);
    }
END_INITIAL

/* Whether all values stand at 1; and, after a write, all those that are under way and see it. */
#ifdef STEP_MODEL
static inline bool all_ones(const struct step_params *params, const struct step_shared *shared)
{
    for (word i = 0; i < params->n; i++) {
        if (VALUE_OF(shared->r[i]) == 0)
            return false;
    }
    return true;
}
#define NOTE_ONES(who) RECORD(seen, shared->seen | (all_ones(params, shared) ? (who) : 0))
#else
#define NOTE_ONES(who) ((void)0)
#endif

/* The program sees less: nobody else writes my value, so that a view of mine shows it as it is. */
#ifdef STEP_MODEL
#define IS_WRONG(v) ((v) == BIT(n) - 1 && (shared->seen >> ME & 1) == 0)
#else
#define IS_WRONG(v) (VIEWED(v, ME) != VALUE_OF(OWN(r[ME])))
#endif

/* In the variants that leave something out, except the second move, process 0 takes snapshots and
 * the others update: that is enough to see it go wrong, and less to explore. */
#define HAS_ROLES (!VARIANT(ITSELF) && !VARIANT(SECOND_MOVE))
#define ONLY_SCANS (HAS_ROLES && ME == 0)
#define ONLY_UPDATES (HAS_ROLES && ME != 0)

DOORWAY
    LIMIT(shared->begun < params->limit);
    RECORD(begun, params->limit < STEP_NO_LIMIT ? shared->begun + 1 : 0);
    if (ONLY_SCANS ? false : ONLY_UPDATES ? true : MAY(update)) {
        CALL0(update, prepare);
        WRITE(W, r[ME], REGISTER(NEW_VALUE, f, !TOGGLE(OWN(r[ME])), v));
        NOTE_ONES(shared->scanning);
        FORGET(f);
    } else {
        RECORD(scanning, shared->scanning | BIT(ME));
        NOTE_ONES(BIT(ME));
        CALL0(snapshot, snap);
        if (IS_WRONG(v))
            BROKEN(1);
        RECORD(scanning, shared->scanning & ~BIT(ME));
        RECORD(seen, shared->seen & ~BIT(ME));
    }
    FORGET(v);
    goto REMAINDER;
END

WAITING
END

EXIT
END

static const struct protocol_claim claims[] = {
    {CHECK_INVARIANTS, CLAIMED, "Afek, Attiya, Dolev, Gafni, Merritt, Shavit 1993"},
    {CHECK_WAIT_FREE_DOORWAY, CLAIMED, .why = "at most n rounds", .uncut = true},
};
/* With up to 6 operations for two processes, 5 for three. */
static const struct protocol_claim from_two[] = {
    {CHECK_INVARIANTS, CLAIMED, .why = "with a part left out", .refuted_from_n = 2},
};
static const struct protocol_claim from_three[] = {
    {CHECK_INVARIANTS, CLAIMED, .why = "with a part left out", .refuted_from_n = 3},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1, .limit = 4}, 21057, 37808},
    {{.n = 2, .l = 1, .k = 1, .limit = STEP_NO_LIMIT}, 1361632, 3157568},
    {{.n = 3, .l = 1, .k = 1, .limit = 3}, 44539, 85124},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "the bounded snapshot", CLAIMS(claims), EXPECTED(expected)},
    [HANDSHAKES] = {"no-handshake", "broken: handshake bits are not looked at", CLAIMS(from_three)},
    [TOGGLES] = {"no-toggle", "broken: toggles are not looked at", CLAIMS(from_three)},
    [SECOND_MOVE] = {"borrow-at-once",
                     "broken: the view of a process that was seen to write once is borrowed",
                     CLAIMS(from_two)},
    [Q_IN_TIME] = {"late-answer", "broken: q is written between the two collects",
                   CLAIMS(from_three)},
};

PROTOCOL(.name = "snapshot", .title = "A bounded atomic snapshot from single-writer registers",
         .citation = "after Afek, Attiya, Dolev, Gafni, Merritt, Shavit 1993", .min_n = 2,
         .max_n = 6, .default_n = 2, .max_l = 1, .is_object = true, .default_limit = 6,
         .invariants = {"what a snapshot returns stood there at one instant"}, VARIANTS(variants))
#include "step/end.h"
