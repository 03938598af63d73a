/*
 * The holder's side of a lease (src/store/etcd/lease.h): two clocks that run alike, one at the
 * store and one at the holder, and messages that take their time.
 *
 * A lease lasts TICKS. `left[p]` is what is left of p's by the store's reckoning; at 0 its slot is
 * free for others. `good[p]` is what is left by p's own: it stops working before that is 0. A
 * renewal is sent (`asked[p]`: it is on its way, or its answer is), carried out by the store
 * (`done[p]`), and answered. `aged[p]` is what would be left by now if the renewal had been carried
 * out at the moment at which it was sent.
 *
 * Time passes for all at once: each tick takes one from every clock. It does not pass while
 * somebody works whose last tick it is: that a holder, or its guardian, stops in time is what is
 * assumed of them. All of this happens while another process waits, which makes these steps
 * on behalf of the world: one of them, chosen at will.
 *
 * from-reply: counts from the moment of the answer. The store began to count before that.
 */
#define NAME etcd_lease
#define TICKS 3
#define CELLS(cell, cells, registers)                                                              \
    cell(holder, n + 1) cells(left, n, TICKS + 1) cells(good, n, TICKS + 1)                        \
        cells(aged, n, TICKS + 1)                                                                  \
        cells(asked, n, 2) cells(done, n, 2) cells(works, n, 2)
#define LOCALS(local)
#define HAS_CHOICE
#define HAS_LOCK
#define STEP_MAY_pass_time false
#define STEP_MAY_send false
#define STEP_MAY_carry_out false
#define STEP_MAY_answer false
#include "step/step.h"

enum { ITSELF, FROM_REPLY, NO_STOP };

/* The holder, if it still has a lease; otherwise nobody. Processes are counted from 1. */
static inline word rightful(const struct step_variable *V)
{
    return V->holder != 0 && V->left[V->holder - 1] > 0 ? V->holder : 0;
}

static inline bool must_stop_first(const struct step_variable *V, word n)
{
    for (word p = 0; p < n; p++) {
        if (V->works[p] != 0 && V->good[p] == 1)
            return true;
    }
    return false;
}

static inline void tick(struct step_variable *V, word n)
{
    for (word p = 0; p < n; p++) {
        V->left[p] -= V->left[p] > 0;
        V->good[p] -= V->good[p] > 0;
        V->aged[p] -= V->aged[p] > 0;
    }
}

static inline void end_renewal(struct step_variable *V, word p)
{
    V->asked[p] = V->done[p] = V->aged[p] = 0;
}

ENTRY
    bool had;
    for (;;) {
        LOCK(acquire)
            had = rightful(V) == 0;
            if (had) {
                V->holder = ME + 1;
                V->left[ME] = V->good[ME] = TICKS; /* granted just now; its answer is at once */
                V->works[ME] = 1;
                end_renewal(V, ME);
            }
        UNLOCK
        if (had)
            break;
        if (MAY(pass_time)) {
            LOCK(tick)
                if (!must_stop_first(V, n) || VARIANT(NO_STOP))
                    tick(V, n);
            UNLOCK
        }
        if (MAY(send)) {
            LOCK(send)
                const word p = V->holder - 1;
                if (V->holder != 0 && V->works[p] != 0 && V->asked[p] == 0) {
                    V->asked[p] = 1;
                    V->aged[p] = TICKS;
                }
            UNLOCK
        }
        if (MAY(carry_out)) {
            LOCK(carry_out)
                const word p = V->holder - 1;
                if (V->holder != 0 && V->asked[p] != 0 && V->done[p] == 0 && V->left[p] > 0) {
                    V->left[p] = TICKS;
                    V->done[p] = 1;
                }
            UNLOCK
        }
        if (MAY(answer)) {
            LOCK(answer)
                const word p = V->holder - 1;
                if (V->holder != 0 && V->done[p] != 0) {
                    const word fresh = VARIANT(FROM_REPLY) ? TICKS : V->aged[p];
                    if (V->works[p] != 0 && fresh > V->good[p])
                        V->good[p] = fresh;
                    end_renewal(V, p);
                }
            UNLOCK
        }
    }
END

EXIT
    LOCK(release)
        if (V->holder == ME + 1)
            V->holder = 0;
        V->works[ME] = V->left[ME] = V->good[ME] = 0;
        end_renewal(V, ME);
    UNLOCK
END

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "the store's clock is never ahead of the holder's"},
};
static const struct protocol_claim from_reply[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "the store counts from before the answer",
     .refuted_from_n = 2},
};
static const struct protocol_claim no_stop[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "the holder works on when its time is over",
     .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1}, 199, 570},
    {{.n = 3, .l = 1, .k = 1}, 2371, 11112},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "a lease, counted from when the last renewal was sent", CLAIMS(claims),
                EXPECTED(expected)},
    [FROM_REPLY] = {"from-reply", "broken: counted from when the answer came", CLAIMS(from_reply)},
    [NO_STOP] = {"no-stop", "broken: the holder does not stop in time", CLAIMS(no_stop)},
};

PROTOCOL(.name = "etcd-lease", .title = "the holder's side of a lease",
         .citation = "ours; src/store/etcd/lease.h", .min_n = 2, .max_n = 4, .default_n = 2,
         .max_l = 1, .fault = STEP_FAULT_NONE, .broken_from = FROM_REPLY, VARIANTS(variants))
#include "step/end.h"
