/*
 * Singh 1993, section 7.4: mutual exclusion with time-outs, on ranker S. A process that waits may
 * give up and rest again. See hungry.inc.
 *
 * lockout-free is meant as in section 7.4: a process that does not time out eventually enters,
 * whatever the others do. Nothing makes a process time out: to make it a fair statement, as UNITY
 * would, makes everybody time out at last and so proves nothing (variant forced, which keeps its
 * claims on every ranker). With a ranker that is not stable a grey process has to be waited for,
 * and one that times out again and again is grey whenever it is looked at: --ranker c.
 */
#define NAME mutex_timeout
#include "protocol/singh/timeout.inc"

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1, .ranker = STEP_RANKER_S}, 447, 948},
    {{.n = 3, .l = 1, .k = 1, .ranker = STEP_RANKER_S}, 168516, 569906},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "on ranker S", CLAIMS(claims), EXPECTED(expected)},
    [FORCED] = {"forced", "time-outs are no choice: as soon as it would have to wait",
                CLAIMS(forced)},
    [GREY_COMPARED] = {"grey-compared", "broken: on ranker C, and compares with grey processes",
                       CLAIMS(grey_compared)},
};

PROTOCOL(.name = "mutex-timeout", .title = "Mutual exclusion with time-outs",
         .citation = "Singh 1993, section 7.4", .min_n = 2, .max_n = 8, .default_n = 2, .max_l = 1,
         .cuts_off = true, .takes_ranker = true, .takes_reads = true, .ranker = STEP_RANKER_S,
         VARIANTS(variants))
#include "step/end.h"
