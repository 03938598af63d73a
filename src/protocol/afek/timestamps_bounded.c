/*
 * Bounded concurrent timestamps (bounded.inc). Y. Afek, D. Dolev, E. Gafni, M. Merritt, N. Shavit
 * 1994 need such a system and give none; they cite several.
 *
 * The rule by which a label is chosen is checked separately in the variant "rule": a snapshot is
 * one step there, and the write is one step too. It is compared with the unbounded system. In that
 * one, y may be any value larger than those that were read; so think of real values for the labels
 * that stand there, in the labels' order. Process i, which has taken its snapshot and not written
 * yet, must be given a value above the largest that it saw. Let cut(i) be those whose value is not
 * above that: all, at the snapshot; one that writes later falls below the cut only if it is put
 * below one that is, since its value is otherwise chosen as high as its neighbour allows. So the
 * bounded run is one of the unbounded system as well if and only if, at each write, (a) the labels
 * are totally ordered, and (b) the one that is written comes after all of the cut. A Scan is a
 * snapshot too; it returns the order that stands there.
 *
 * With the snapshot of snapshot.inc, which is atomic, a run is a run of "rule" (variant ""). There,
 * and with a snapshot in one step ("atomic"), Proposition 3.1 is looked at directly (history.inc).
 */
#define NAME timestamps_bounded
#define CELLS(cell, cells, registers)                                                              \
    registers(r, REAL ? REGISTER_VALUES : 1) registers(q, REAL ? BIT(n) : 1)                       \
        cell(all, REAL ? 1 : BIT(n * VALUE_BITS)) cell(cut, PARTIAL ? BIT(n * n) : 1)              \
            cell(begun, params->limit + 1) HISTORY(cell, cells)
#define LOCALS(local)                                                                              \
    local(j, REAL ? n + 1 : 1) local(f, REAL ? BIT(n) : 1) local(hb, REAL ? BIT(n) : 1)            \
        local(tog, REAL ? BIT(n) : 1) local(bad, REAL ? BIT(n) : 1)                                \
            local(moved, REAL ? BIT(n) : 1)                                                        \
            local(v, REAL ? BIT(n * VALUE_BITS) : 1) /* a view */                                  \
            local(y, BIT(VALUE_BITS))                /* the label to be written */                 \
            local(pending, 2)                        /* x has been chosen */                       \
            local(tmp, 1)                            /* what a Scan returns; within one step */    \
            local(after, 1)
#define SUBS(sub) sub(snap) sub(prepare) sub(bounded_label) sub(scan)
#define HAS_DOORWAY
#define HAS_INITIAL
#define HAS_CHOICE
#define HAS_MEMORY
#define HAS_NORMAL
#define HAS_HISTORY
#define HAS_PROMISES
#define BIT(p) ((word)1 << (p))
enum {
    ITSELF,
    ATOMIC,
    COLLECT,
    CUT,
    THREE_SYMBOLS,
    FOUR_SYMBOLS,
    COUNTS_ITSELF,
    COUNTS_ITSELF_AND_ONE,
    ONE_MORE,
    ONE_LESS,
    RELABELS_ALWAYS,
    WHOLE_CYCLE,
    BOTTOM_UP,
    SHORT,
};
#define REAL (params->variant == ITSELF || params->variant == COLLECT)
#define PARTIAL (params->variant >= CUT) /* the rule alone, by the cut */
#define FOLLOWED (!PARTIAL)              /* with what history.inc remembers */
#define RULE(what) (params->variant == (what))
#define LEVELS (RULE(SHORT) ? n - 2 : n - 1)
#define VALUE_BITS value_bits(params->n)
#include "protocol/afek/history.inc"
#define LABEL bounded_label
#include "step/step.h"

#include "protocol/afek/bounded.inc"
#include "protocol/afek/history_events.inc"
#define SNAP_WITHOUT(part) (RULE(COLLECT) && (part) == AGREEMENT)
#include "protocol/afek/snapshot.inc"

INITIAL
    const struct label first = {{3, 1, 1, 1, 1, 1, 1}}; /* for all: views are all alike */
    const word x = packed(params, &first);
    word view = 0;
    for (word p = 0; p < n; p++)
        view |= x << p * VALUE_BITS;
    if (!REAL)
        SHARED(all) = view;
    for (word p = 0; p < n && REAL; p++)
        SHARED(r[p]) = RULE(COLLECT) ? x : REGISTER(x, 0, 0, view);
END_INITIAL

/* ---- the cut ---- */

#ifdef STEP_MODEL
static inline bool is_total(const struct step_params *params, const word *view)
{
    for (word a = 0; a < params->n; a++) {
        for (word b = 0; b < params->n; b++) {
            for (word c = 0; c < params->n; c++) {
                if (a != b && b != c && a != c && comes_before(params, view[a], a, view[b], b) &&
                    comes_before(params, view[b], b, view[c], c) &&
                    comes_before(params, view[c], c, view[a], a))
                    return false;
            }
        }
    }
    return true;
}

/* Whether a member of the set comes after process `me`. */
static inline bool some_after(const struct step_params *params, const word *view, word set, word me)
{
    for (word p = 0; p < params->n; p++) {
        if (p != me && HAS(set, p) && comes_before(params, view[me], me, view[p], p))
            return true;
    }
    return false;
}

/* ME has just written. */
STEP_INLINE void look_at_cut(STEP_ARGUMENTS)
{
    word view[CHECK_MAX_PROCESSES], cut = shared->cut;
    (void)my;
    unpack_view(params, shared->all, view);
    const bool good = is_total(params, view) &&
                      !some_after(params, view, ROW(cut, step_me), step_me);
    for (word p = 0; p < params->n; p++) {
        const word others = ROW(cut, p) & ~BIT(step_me);
        const bool below = some_after(params, view, others, step_me);
        if (p == step_me)
            cut = WITH_ROW(cut, p, 0);
        else if (others != 0)
            cut = WITH_ROW(cut, p, others | (below ? BIT(step_me) : 0));
    }
    RECORD(cut, cut);
    if (!good)
        BROKEN(BIT(5));
}
#define AFTER_READ                                                                                 \
    if (PARTIAL)                                                                                   \
    RECORD(cut, WITH_ROW(shared->cut, ME, ALL))
#define AFTER_WRITE                                                                                \
    if (PARTIAL)                                                                                   \
    look_at_cut(STEP_PASS)
#else
#define AFTER_READ ((void)0)
#define AFTER_WRITE ((void)0)
#endif

/* ---- Label and Scan ---- */

#include "protocol/afek/bounded_label.inc"

SUB(scan)
    word view[8], labels;
    if (REAL) {
        CALL0(S, snap);
        labels = v;
        FORGET(v);
    } else {
        READ(S, labels, all);
    }
    unpack_view(params, labels, view);
    for (word i = 0; i < n; i++) {
        for (word p = 0; p < n; p++)
            tmp |= (word)(i != p && comes_before(params, view[i], i, view[p], p)) << (i * n + p);
    }
END_SUB(scan)

#define WANTS_SCAN (!PARTIAL && MAY(scan))
#define BEFORE_FIRST                                                                               \
    LIMIT(shared->begun < params->limit);                                                          \
    RECORD(begun, RULE(ITSELF) && params->limit < STEP_NO_LIMIT ? shared->begun + 1 : 0)
#include "protocol/afek/client.inc"

#ifdef STEP_MODEL
/* The first symbols are all in the cycle, and to turn the cycle changes nothing: states in which
 * all first symbols are turned by the same are one. The one that is kept has process 0's label in
 * the first third of them. A label is turned by adding a third of the labels to its number. */
NORMAL
    const word count = label_count(params), third = count / 3;
    if (REAL)
        return false;
    const word top = VIEWED(SHARED(all), 0) / third;
    if (top == 0)
        return false;
    const word turn = (3 - top) * third;
    word turned = 0;
    for (word p = 0; p < n; p++) {
        turned |= (VIEWED(SHARED(all), p) + turn) % count << p * VALUE_BITS;
        if (each[p].pc_bounded_label != 0 && each[p].pending)
            each[p].y = (each[p].y + turn) % count;
    }
    SHARED(all) = turned;
    return true;
END_NORMAL
#endif

static const struct protocol_claim claims[] = {
    {CHECK_INVARIANTS, CLAIMED, "Definition 3.1, safety; Proposition 3.1"},
    {CHECK_WAIT_FREE_DOORWAY, CLAIMED, "Definition 3.1, liveness", .uncut = true},
};
static const struct protocol_claim rule[] = {
    {CHECK_INVARIANTS, CLAIMED, "Definition 3.1, safety"},
};
static const struct protocol_claim broken[] = {
    {CHECK_INVARIANTS, CLAIMED, .why = "a wrong rule", .refuted_from_n = 3},
};
static const struct protocol_claim early[] = {
    {CHECK_INVARIANTS, CLAIMED, .why = "a wrong rule", .refuted_from_n = 2},
};
static const struct protocol_claim late[] = {
    {CHECK_INVARIANTS, CLAIMED, .why = "a wrong rule", .refuted_from_n = 4},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1, .limit = STEP_NO_LIMIT}, 222867, 487591},
    {{.n = 3, .l = 1, .k = 1, .limit = 3}, 64672, 141069},
};
static const struct protocol_expected expected_rule[] = {
    {{.n = 2, .l = 1, .k = 1, .limit = 4}, 6, 12},
    {{.n = 3, .l = 1, .k = 1, .limit = 4}, 3114, 9342},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "labels from a recursive tournament, on a real snapshot", CLAIMS(claims),
                EXPECTED(expected)},
    [ATOMIC] = {"atomic", "the same, a snapshot being one step", CLAIMS(claims), .unlimited = true},
    [COLLECT] = {"collect", "broken: the labels are read one by one, without a snapshot",
                 CLAIMS(broken), .unlimited = true},
    [CUT] = {"rule", "the rule alone, against the unbounded system", CLAIMS(rule),
             EXPECTED(expected_rule), .unlimited = true},
    [THREE_SYMBOLS] = {"three-symbols", "broken: a cycle alone, without 1 and 2", CLAIMS(broken),
                       .unlimited = true},
    [FOUR_SYMBOLS] = {"four-symbols", "broken: one symbol before the cycle, not two",
                      CLAIMS(broken), .unlimited = true},
    [COUNTS_ITSELF] = {"counts-itself", "broken: a process counts itself", CLAIMS(broken),
                       .unlimited = true},
    [COUNTS_ITSELF_AND_ONE] = {"counts-itself-and-one",
                               "broken: and needs one more for a full block", CLAIMS(broken),
                               .unlimited = true},
    [ONE_MORE] = {"one-more", "broken: a block has room for one more", CLAIMS(broken),
                  .unlimited = true},
    [ONE_LESS] = {"one-less", "broken: a block has room for one less", CLAIMS(broken),
                  .unlimited = true},
    [RELABELS_ALWAYS] = {"relabels-always",
                         "broken: the process with the largest label takes a new one too",
                         CLAIMS(early), .unlimited = true},
    [WHOLE_CYCLE] = {"whole-cycle", "broken: the whole cycle counts as one block", CLAIMS(broken),
                     .unlimited = true},
    [BOTTOM_UP] = {"bottom-up", "broken: the level is looked for from within", CLAIMS(late),
                   .unlimited = true},
    [SHORT] = {"short", "broken: labels of n - 2 symbols", CLAIMS(broken), .unlimited = true},
};

/* What r has: a label, n bits of a handshake and a toggle, and a view of n labels. */
static uint64_t values(const struct step_params *params)
{
    uint64_t count = label_count(params) << (params->n + 1);
    for (unsigned p = 0; p < params->n; p++)
        count *= label_count(params);
    return count;
}

PROTOCOL(.name = "timestamps-bounded", .title = "Concurrent timestamps, bounded",
         .citation = "after Gawlick, Lynch, Shavit 1992; for Afek et al. 1994", .min_n = 2,
         .max_n = 5, .default_n = 2, .max_l = 1, .is_object = true, .default_limit = 4,
         .invariants = {"Proposition 3.1 (1)", "Proposition 3.1 (2)", "Proposition 3.1 (3)",
                        "Proposition 3.1 (4)", "Proposition 3.1 (5)",
                        "the unbounded system can do the same"},
         .values = values, .values_source = "L = 3 * 5^(n-2) labels, 2^(n+1) L^(n+1)",
         VARIANTS(variants))
#include "step/end.h"
