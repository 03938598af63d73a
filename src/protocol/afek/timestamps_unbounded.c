/*
 * Y. Afek, D. Dolev, E. Gafni, M. Merritt, N. Shavit, A Bounded First-In, First-Enabled Solution to
 * the l-Exclusion Problem, TOPLAS 16(3), 1994: the unbounded concurrent timestamp system, Figure 1,
 * under the most general client. See unbounded.inc for the departures from the paper, history.inc
 * for how Proposition 3.1 is looked at.
 */
#define NAME timestamps_unbounded
#define CELLS(cell, cells, registers) registers(lab, LABELS) HISTORY(cell, cells)
#define LOCALS(local)                                                                              \
    local(j, n + 1)                                                                                \
        local(most, LABELS)                   /* in a Label: what is to be written */              \
        local(t0, LABELS) local(t1, LABELS)   /* in a Scan: what has been read */                  \
        local(t2, n > 2 ? LABELS : 1) local(t3, n > 3 ? LABELS : 1)                                \
        local(tmp, 1)                         /* what it returns; within one step */               \
        local(after, 1)                       /* native only: those after me in the last Scan */
#define SUBS(sub) sub(unbounded_label) sub(scan)
#define HAS_DOORWAY
#define HAS_CHOICE
#define HAS_MEMORY
#define HAS_NORMAL
#define HAS_HISTORY
#define HAS_PROMISES
enum { LABELS = 16 };
#define FOLLOWED true
#define BIT(p) ((word)1 << (p))
#define READING (params->variant == LATEST_ONLY ? BY_PAIR : (enum reading)params->variant)
enum { LATEST_ONLY = 4 }; /* after the readings of unbounded.inc */
#include "protocol/afek/history.inc"
#define LABEL unbounded_label
#include "step/step.h"

#include "protocol/afek/unbounded.inc"
#include "protocol/afek/history_events.inc"

#define TEMP(p, of) (*((p) == 0 ? &of t0 : (p) == 1 ? &of t1 : (p) == 2 ? &of t2 : &of t3))

#define SEEN(p) (VARIANT(LATEST_ONLY) ? (p) == largest : TEMP(p, ))

SUB(scan)
    word value;
    TEMP(ME, ) = OWN(lab[ME]);
    for (j = 0; j < n; j++) {
        if (j != ME) {
            READ(S, value, lab[j]);
            TEMP(j, ) = value;
        }
    }
    word largest = 0;
    for (word p = 1; p < n; p++)
        largest = EARLIER(TEMP(largest, ), largest, TEMP(p, ), p) ? p : largest;
    for (word i = 0; i < n; i++) {
        for (word p = 0; p < n; p++)
            tmp |= (word)EARLIER(SEEN(i), i, SEEN(p), p) << (i * n + p);
    }
    for (j = 0; j < n; j++)
        FORGET(TEMP(j, ));
    FORGET(j);
END_SUB(scan)

#define WANTS_SCAN MAY(scan)
#define BEFORE_FIRST ((void)0)
#include "protocol/afek/client.inc"

#ifdef STEP_MODEL
NORMAL
    struct values values = {.count = 0};
    add_labels(&values, params, shared, each);
    for (word p = 0; p < n; p++) {
        for (word q = 0; q < each[p].j && each[p].pc_scan != 0; q++)
            add_value(&values, q == p ? SHARED(lab[p]) : TEMP(q, each[p].));
    }
    name_values(&values, params, shared, each);
    for (word p = 0; p < n; p++) {
        for (word q = 0; q < n && each[p].pc_scan != 0; q++) {
            if (q < each[p].j || q == p)
                TEMP(q, each[p].) = moved(&values, q == p ? SHARED(lab[p]) : TEMP(q, each[p].));
        }
    }
    move_labels(&values, params, shared, each);
    return true;
END_NORMAL
#endif

static const struct protocol_claim claims[] = {
    {CHECK_INVARIANTS, CLAIMED, "Proposition 3.1"},
    {CHECK_WAIT_FREE_DOORWAY, CLAIMED, "Definition 3.1, liveness"},
};

static const struct protocol_claim by_value[] = {
    {CHECK_INVARIANTS, CLAIMED, .why = "Figure 1, read literally", .refuted_from_n = 2},
};

static const struct protocol_claim latest_only[] = {
    {CHECK_INVARIANTS, CLAIMED, .why = "a Scan that orders too little", .refuted_from_n = 3},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1}, 56, 197},
    {{.n = 3, .l = 1, .k = 1}, 7711076, 27242147},
};

static const struct protocol_variant variants[] = {
    [BY_PAIR] = {"", "Figure 1: relabel unless (label, id) is the largest pair", CLAIMS(claims),
                 EXPECTED(expected)},
    [BY_VALUE] = {"by-value",
                  "Figure 1, read literally: relabel unless the label is a largest value",
                  CLAIMS(by_value)},
    [STRICTLY] = {"strictly", "relabel unless the label is larger than any other", CLAIMS(claims)},
    [ALWAYS] = {"always", "relabel always", CLAIMS(claims)},
    [LATEST_ONLY] = {"latest-only",
                     "broken: of those that are not the latest, a Scan knows the numbers only",
                     CLAIMS(latest_only)},
};

PROTOCOL(.name = "timestamps-unbounded", .title = "Concurrent timestamps, unbounded",
         .citation = "Afek, Dolev, Gafni, Merritt, Shavit 1994, Figure 1", .min_n = 2, .max_n = 4,
         .default_n = 2, .max_l = 1, .is_object = true, .counts_for_ever = true,
         .invariants = {"Proposition 3.1 (1)", "Proposition 3.1 (2)", "Proposition 3.1 (3)",
                        "Proposition 3.1 (4)", "Proposition 3.1 (5)"},
         VARIANTS(variants))
#include "step/end.h"
