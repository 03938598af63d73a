/*
 * Singh 1993, section 5.2: several producers, on ranker A. Slots may be filled at the same time;
 * then their order is open, but there must be one: on ranker 0 the ranks of three slots can form a
 * cycle, and the consumer goes round it for ever (-n 4 -l 3 --ranker 0). See buffer.inc.
 */
#define NAME concurrent_producer_consumer
#include "protocol/singh/buffer.inc"

static const struct protocol_claim claims[] = {
    {CHECK_DISTINCT_SLOTS, CLAIMED, "section 5.2"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "section 5.2"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "section 5.2"},
    {CHECK_FIFO, CLAIMED, "section 5.2", .why = "precedence"},
};

static const struct protocol_claim first_found[] = {
    {CHECK_DISTINCT_SLOTS, CLAIMED, "section 5.2"},
    {CHECK_FIFO, CLAIMED, "section 5.2", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 3, .l = 2, .k = 1, .ranker = STEP_RANKER_A}, 1212, 3664},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "several producers, on ranker A", CLAIMS(claims), EXPECTED(expected)},
    [FIRST_FOUND] = {"first-found", "broken: takes the first full slot that it finds",
                     CLAIMS(first_found)},
};

PROTOCOL(.name = "concurrent-producer-consumer", .title = "Producers and a consumer",
         .citation = "Singh 1993, section 5.2", .min_n = 2, .max_n = 6, .default_n = 3, .min_l = 2,
         .max_l = 6, .cuts_off = true, .takes_ranker = true, .takes_reads = true,
         .ranker = STEP_RANKER_A, .ranks_things = true, VARIANTS(variants))
#include "step/end.h"
