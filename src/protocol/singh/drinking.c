/*
 * Drinking philosophers. Singh 1993 names the problem (section 5.3: ranker C) and gives no program;
 * this is ours, after section 7. A process says which bottles it needs while it is white, before it
 * asks for a rank; it waits only for those that need a bottle that it needs too. See hungry.inc.
 *
 * What the checker found. The bottles of another may be read before its state and rank, by a step
 * of their own: a process that does not need the bottle then asks for its next rank after that, and
 * so comes later. A process that does not need the bottle must be passed when it is grey too: else
 * it can be grey whenever it is looked at, while it drinks of other bottles (variant grey-waited,
 * three on a path). What has been checked off need not stay so (variant forgetful): one that needs
 * the bottle and comes later does not get past, and is black and lower from then on.
 */
#define NAME drinking
enum { ITSELF, TIMEOUT, FORGETFUL, GREY_WAITED, GREY_COMPARED };
#define RANKER (VARIANT(TIMEOUT) ? STEP_RANKER_S : params->ranker)
#define GREY_COUNTS (VARIANT(GREY_COMPARED) || VARIANT(TIMEOUT))
#define TIMES_OUT VARIANT(TIMEOUT)
#define FORGETS_CHECKED VARIANT(FORGETFUL)
#define OTHERS OWN(need[ME])
#define LOOK sip
#define LOOKS_AT_BOTTLES
#define BEFORE CALL0(thirsty, choose);
#define HAS_NEEDS
#define APPLICATION_CELLS(cell, cells, registers) registers(need, (word)1 << n)
#define APPLICATION_SUBS(sub) sub(choose) sub(sip)
#define HAS_CLASH
#if defined(STEP_NATIVE)
#define STEP_MAY_drink ((RANK(OWN(w[ME])) + v) % 2 == 0) /* anything will do */
#endif
#define MORE_DEATHS DIES(need[ME], 0);
#include "protocol/singh/application.inc"
#include "protocol/singh/hungry.inc"

/* A bottle is needed by both of its neighbours. */
CLASH
    for (word u = 0; u < n; u++) {
        for (word v = 0; v < u; v++) {
            if ((inside >> u & inside >> v & 1) && (SHARED(need[u]) >> v & 1) &&
                (SHARED(need[v]) >> u & 1))
                return true;
        }
    }
    return false;
END_CLASH

#include "protocol/singh/normal.inc"

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "section 5.3"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "section 5.3"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "section 5.3"},
    {CHECK_FIFO, CLAIMED, "precedence"},
    {CHECK_WAIT_FREE_DOORWAY, CLAIMED, "responsiveness"},
};

static const struct protocol_claim timeout[] = {
    {CHECK_EXCLUSION, CLAIMED, "section 5.4"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "section 5.4"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "section 5.4"},
};

static const struct protocol_claim forgetful[] = {
    {CHECK_EXCLUSION, CLAIMED, "section 5.3"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "found"},
};

static const struct protocol_claim grey_waited[] = {
    {CHECK_EXCLUSION, CLAIMED, "section 5.3"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "section 5.3", .refuted_from_n = 3},
};

static const struct protocol_claim grey_compared[] = {
    {CHECK_EXCLUSION, CLAIMED, "section 5.3", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1, .ranker = STEP_RANKER_C, .graph = STEP_GRAPH_PATH}, 842, 1702},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "on ranker C", CLAIMS(claims), EXPECTED(expected)},
    [TIMEOUT] = {"timeout", "on ranker S; a waiter may give up", CLAIMS(timeout)},
    [FORGETFUL] = {"forgetful", "starts all over when it has to wait", CLAIMS(forgetful)},
    [GREY_WAITED] = {"grey-waited", "broken: waits for a grey process, whatever it needs",
                     CLAIMS(grey_waited)},
    [GREY_COMPARED] = {"grey-compared",
                       "broken: compares with grey neighbours, as if it were on ranker S",
                       CLAIMS(grey_compared)},
};

PROTOCOL(.name = "drinking", .title = "Drinking philosophers",
         .citation = "Singh 1993, section 5.3", .min_n = 2, .max_n = 8, .default_n = 2, .max_l = 1,
         .cuts_off = true, .takes_ranker = true, .takes_graph = true, .takes_reads = true,
         .ranker = STEP_RANKER_C, .graph = STEP_GRAPH_PATH, VARIANTS(variants))
#include "step/end.h"
