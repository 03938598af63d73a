/*
 * Singh 1993, section 7.4: dining philosophers with time-outs on any graph, on ranker S. See
 * hungry.inc, and mutex_timeout.c for what lockout-free means where time-outs are a choice.
 */
#define NAME dining_timeout
#define HAS_CLASH
#include "protocol/singh/timeout.inc"

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1, .ranker = STEP_RANKER_S, .graph = STEP_GRAPH_RING}, 447, 948},
    {{.n = 3, .l = 1, .k = 1, .ranker = STEP_RANKER_S, .graph = STEP_GRAPH_RING}, 168516, 569906},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "on ranker S", CLAIMS(claims), EXPECTED(expected)},
    [FORCED] = {"forced", "time-outs are no choice: as soon as it would have to wait",
                CLAIMS(forced)},
    [GREY_COMPARED] = {"grey-compared", "broken: on ranker C, and compares with grey neighbours",
                       CLAIMS(grey_compared)},
};

PROTOCOL(.name = "dining-timeout", .title = "Dining philosophers with time-outs",
         .citation = "Singh 1993, section 7.4", .min_n = 2, .max_n = 8, .default_n = 3, .max_l = 1,
         .cuts_off = true, .takes_ranker = true, .takes_graph = true, .takes_reads = true,
         .ranker = STEP_RANKER_S, .graph = STEP_GRAPH_RING, VARIANTS(variants))
#include "step/end.h"
