/*
 * Y. Afek, D. Dolev, E. Gafni, M. Merritt, N. Shavit, A Bounded First-In, First-Enabled Solution to
 * the l-Exclusion Problem, TOPLAS 16(3), 1994, Figure 2: l-exclusion from single-writer registers.
 * A process raises a flag, takes a timestamp, and waits until fewer than l of those that were there
 * before it have an earlier timestamp. Up to l - 1 processes may stop for ever, anywhere.
 *
 * Departures from the paper:
 *  1. S, y and Test leave out the process itself, which would never count, and reads are in
 *     ascending order.
 *  2. Line 7 is a Scan of those that are still in question, and a pass through lines 6 and 7 ends
 *     as soon as fewer than l are: the rest of it could not change the outcome.
 *  3. Timestamps are those of Figure 1 (unbounded.inc) or bounded ones (bounded.inc). To the
 *     checker, a snapshot of the bounded ones is one step in the variant "one-step".
 *
 * What the paper has: Lemmas 4.1, 4.3 and 4.4, the bounded form of 4.4, and Definition 5.1 for
 * Figure 1. What is ours: which process waits for which (AHEAD), and what happens when a line is
 * left out or moved (the variants): each breaks some claim, but for the order of lines 6 and 7.
 */
#define NAME fife
#define CELLS(cell, cells, registers)                                                              \
    registers(x, 2) registers(lab, UNBOUNDED ? LABELS : 1)                                         \
        registers(r, REAL ? REGISTER_VALUES : 1) registers(q, REAL ? BIT(n) : 1)                   \
            cell(all, UNBOUNDED || REAL ? 1 : BIT(n * VALUE_BITS))
#define LOCALS(local)                                                                              \
    local(S, BIT(n)) local(Test, BIT(n)) local(most, UNBOUNDED ? LABELS : 1) local(j, n + 1)       \
        local(f, REAL ? BIT(n) : 1) local(hb, REAL ? BIT(n) : 1) local(tog, REAL ? BIT(n) : 1)     \
            local(bad, REAL ? BIT(n) : 1) local(moved, REAL ? BIT(n) : 1)                          \
                local(v, UNBOUNDED ? 1 : BIT(n * VALUE_BITS))                                      \
                    local(y, UNBOUNDED ? 1 : BIT(VALUE_BITS)) local(pending, UNBOUNDED ? 1 : 2)
#define SUBS(sub) sub(unbounded_label) sub(snap) sub(prepare) sub(bounded_label)
#define USES(sub) USES_##sub
#define USES_unbounded_label UNBOUNDED
#define USES_snap REAL
#define USES_prepare REAL
#define USES_bounded_label (!UNBOUNDED)
#define HAS_DOORWAY
#define HAS_INITIAL
#define HAS_NORMAL
#define HAS_AHEAD
#define BIT(p) ((word)1 << (p))
#define LABELS (params->n < 5 ? 16 : 32)
enum { TIMESTAMPS };                    /* the option */
enum { WITH_UNBOUNDED, WITH_BOUNDED }; /* its values */
#define VALUE_BITS value_bits(params->n)
#define UNBOUNDED (params->option[TIMESTAMPS] == WITH_UNBOUNDED)
#ifdef STEP_NATIVE
#define REAL (!UNBOUNDED)
#else
#define REAL (!UNBOUNDED && params->variant != ONE_STEP)
#endif
#define READING BY_PAIR
#define FORESEEN (params->abridged && VARIANT(ITSELF))
#define AFTER_READ ((void)0)
#define AFTER_WRITE ((void)0)
enum {
    ITSELF,
    ONE_STEP,
    NO_EXIT_LABEL,
    NO_S,
    LABEL_BEFORE_FLAG,
    EXIT_LABEL_FIRST,
    NO_SECOND_LOOK,
    S_BEFORE_LABEL,
    NO_LABEL,
    ONE_TOO_MANY,
    SCAN_FIRST,
};
#include "step/step.h"

#include "protocol/afek/sets.inc"
#include "protocol/afek/unbounded.inc"
#include "protocol/afek/bounded.inc"
#include "protocol/afek/snapshot.inc"
#include "protocol/afek/bounded_label.inc"

INITIAL
    for (word i = 0; i < n && REAL; i++)
        SHARED(r[i]) = REGISTER(0, 0, 0, 0); /* everybody has label number 0, and so in all views */
END_INITIAL

#define IS_MANY(set) (size_of(set) >= l + VARIANT(ONE_TOO_MANY))

/* Those of a set of processes that come before `me` by the labels of a snapshot. */
static inline word earlier_in(const struct step_params *params, word set, word labels, word me)
{
    word view[8];
    unpack_view(params, labels, view);
    for (word p = 0; p < params->n; p++) {
        if (set & BIT(p) && !comes_before(params, view[p], p, view[me], me))
            set &= ~BIT(p);
    }
    return set;
}

/* The lines of Figure 2 that are used more than once here. */
#define LABEL(line)                                                                                \
    if (UNBOUNDED)                                                                                 \
        CALL0(line, unbounded_label);                                                              \
    else                                                                                           \
        CALL0(line, bounded_label)

#define LINE_4                                                                                     \
    for (j = 0; j < n; j++) {                                                                      \
        if (j != ME) {                                                                             \
            READ(4, flag, x[j]);                                                                   \
            S |= flag ? BIT(j) : 0;                                                                \
        }                                                                                          \
    }                                                                                              \
    FORGET(j)

#define LINE_6                                                                                     \
    for (j = 0; j < n && IS_MANY(Test); j++) {                                                     \
        if (Test & BIT(j)) {                                                                       \
            READ(6, flag, x[j]);                                                                   \
            if (!flag)                                                                             \
                Test &= ~BIT(j);                                                                   \
        }                                                                                          \
    }                                                                                              \
    FORGET(j)

#define LINE_7                                                                                     \
    for (j = 0; j < n && IS_MANY(Test) && UNBOUNDED; j++) {                                        \
        if (Test & BIT(j)) {                                                                       \
            READ(7, other, lab[j]);                                                                \
            if (!EARLIER(other, j, OWN(lab[ME]), ME))                                              \
                Test &= ~BIT(j);                                                                   \
        }                                                                                          \
    }                                                                                              \
    FORGET(j);                                                                                     \
    if (IS_MANY(Test) && REAL) {                                                                   \
        CALL0(7, snap);                                                                            \
        Test = earlier_in(params, Test, v, ME);                                                    \
        FORGET(v);                                                                                 \
    } else if (IS_MANY(Test) && !UNBOUNDED) {                                                      \
        READ(7, other, all);                                                                       \
        Test = earlier_in(params, Test, other, ME);                                                \
    }

DOORWAY
    word flag;
    if (!VARIANT(LABEL_BEFORE_FLAG))
        WRITE(1, x[ME], 1);
    if (VARIANT(S_BEFORE_LABEL)) {
        LINE_4;
    }
    if (!VARIANT(NO_LABEL)) {
        LABEL(2);
    }
    if (VARIANT(LABEL_BEFORE_FLAG))
        WRITE(1, x[ME], 1);
    if (VARIANT(NO_S)) {
        S = BIT(n) - 1 - BIT(ME);
    }
    else if (!VARIANT(S_BEFORE_LABEL)) {
        LINE_4;
    }
END

/* A pass has failed: natively, sleep a little on the flag of one that is ahead. */
#ifdef STEP_NATIVE
#define BACK_OFF                                                                                   \
    if (IS_MANY(Test))                                                                             \
    os_wait(&shared->x[__builtin_ctzll(Test)], 1, &step_round)
#else
#define BACK_OFF ((void)0)
#endif

WAITING
    word flag, other;
    do {
        Test = S;
        if (VARIANT(SCAN_FIRST)) {
            LINE_7
        }
        if (!VARIANT(NO_SECOND_LOOK)) {
            LINE_6;
        }
        if (!VARIANT(SCAN_FIRST)) {
            LINE_7
        }
        BACK_OFF;
    } while (IS_MANY(Test));
    FORGET(S);
    FORGET(Test);
END

EXIT
    if (VARIANT(EXIT_LABEL_FIRST)) {
        LABEL(12);
    }
    WRITE(11, x[ME], 0);
    if (!VARIANT(NO_EXIT_LABEL) && !VARIANT(EXIT_LABEL_FIRST)) {
        LABEL(12);
    }
END

#ifdef STEP_MODEL
#include "protocol/afek/fife_normal.inc"

/* Those that were there before ME, are there, and have an earlier timestamp. With bounded
 * timestamps it is the labels that are written, not those that somebody is about to write. */
AHEAD
    word ahead = 0;
    for (word p = 0; p < n; p++) {
        bool earlier;
        if (UNBOUNDED)
            earlier = EARLIER(shared->lab[p], p, shared->lab[ME], ME);
        else if (REAL)
            earlier = comes_before(params, VALUE_OF(shared->r[p]), p, VALUE_OF(shared->r[ME]), ME);
        else
            earlier = comes_before(params, VIEWED(shared->all, p), p, VIEWED(shared->all, ME), ME);
        ahead |= my->S & BIT(p) && shared->x[p] && earlier ? BIT(p) : 0;
    }
    return ahead;
END_AHEAD
#endif

#include "protocol/afek/fife_claims.inc"
#include "step/end.h"
