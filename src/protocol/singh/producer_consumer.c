/*
 * Singh 1993, section 5.1: one producer, on ranker 0.
 * One producer fills one slot at a time, so requests are serial, and precedence alone makes a total
 * order (section 5.1). See buffer.inc.
 */
#define NAME producer_consumer
#include "protocol/singh/buffer.inc"

static const struct protocol_claim claims[] = {
    {CHECK_DISTINCT_SLOTS, CLAIMED, "section 5.1"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "section 5.1"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "section 5.1"},
    {CHECK_FIFO, CLAIMED, "section 5.1", .why = "precedence"},
};

static const struct protocol_claim first_found[] = {
    {CHECK_DISTINCT_SLOTS, CLAIMED, "section 5.1"},
    {CHECK_FIFO, CLAIMED, "section 5.1", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 2, .k = 1, .ranker = STEP_RANKER_0}, 320, 640},
    {{.n = 2, .l = 3, .k = 1, .ranker = STEP_RANKER_0}, 32877, 65754},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "one producer, on ranker 0", CLAIMS(claims), EXPECTED(expected)},
    [FIRST_FOUND] = {"first-found", "broken: takes the first full slot that it finds",
                     CLAIMS(first_found)},
};

PROTOCOL(.name = "producer-consumer", .title = "Producer and consumer",
         .citation = "Singh 1993, section 5.1", .min_n = 2, .max_n = 2, .default_n = 2, .min_l = 2,
         .max_l = 6, .cuts_off = true, .takes_ranker = true, .takes_reads = true,
         .ranker = STEP_RANKER_0, .ranks_things = true, VARIANTS(variants))
#include "step/end.h"
