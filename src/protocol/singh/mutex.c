/*
 * Singh 1993, section 7: mutual exclusion, which is dining philosophers where everybody is
 * everybody's neighbour, on ranker C. See hungry.inc.
 *
 * What the checker found: which reads and which rankers will do is in docs/results/RESULTS.md. A
 * grey process has to be waited for; to compare with its old rank breaks exclusion (variant
 * grey-compared).
 */
#define NAME mutex
enum { ITSELF, GREY_COMPARED };
#define GREY_COUNTS VARIANT(GREY_COMPARED)
#include "protocol/singh/application.inc"
#include "protocol/singh/hungry.inc"
#include "protocol/singh/normal.inc"

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "section 7.3"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "section 7.3"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "section 7.3"},
    {CHECK_FIFO, CLAIMED, "precedence"},
    {CHECK_WAIT_FREE_DOORWAY, CLAIMED, "responsiveness"},
};

static const struct protocol_claim grey_compared[] = {
    {CHECK_EXCLUSION, CLAIMED, "section 7.3", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1, .ranker = STEP_RANKER_C}, 404, 820},
    {{.n = 3, .l = 1, .k = 1, .ranker = STEP_RANKER_C}, 187285, 572773},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "on ranker C", CLAIMS(claims), EXPECTED(expected)},
    [GREY_COMPARED] = {"grey-compared",
                       "broken: compares with grey processes, as if it were on ranker S",
                       CLAIMS(grey_compared)},
};

PROTOCOL(.name = "mutex", .title = "Mutual exclusion by ranks", .citation = "Singh 1993, section 7",
         .min_n = 2, .max_n = 8, .default_n = 2, .max_l = 1, .cuts_off = true, .takes_ranker = true,
         .takes_reads = true, .ranker = STEP_RANKER_C, VARIANTS(variants))
#include "step/end.h"
