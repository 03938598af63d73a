/* Singh 1993, section 9.2: ranker A, which is acyclic. See rank.inc. */
#define NAME ranker_a
#define RANKER STEP_RANKER_A
enum { ITSELF, WRITTEN_LATE };
#define BLACK_FIRST VARIANT(WRITTEN_LATE)
#include "protocol/singh/ranker.inc"

static const struct protocol_claim claims[] = {
    {CHECK_RESPONSIVE, CLAIMED, "section 9.2", .why = "3n steps", .has_bound = true, .bound_n = 3},
    {CHECK_PRECEDENCE, CLAIMED, "section 9.2"},
    {CHECK_ACYCLIC, CLAIMED, "section 9.2"},
    {CHECK_COMPARABLE, NOT_CLAIMED, "section 5.2", .why = "any number may have the highest",
     .fails_from_n = 2},
    {CHECK_STABLE, NOT_CLAIMED, "section 5.4", .fails_from_n = 2},
};

static const struct protocol_claim written_late[] = {
    {CHECK_PRECEDENCE, CLAIMED, "section 9.2", .refuted_from_n = 2},
    {CHECK_ACYCLIC, CLAIMED, "section 9.2"},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1, .ranker = STEP_RANKER_A}, 407, 824},
    {{.n = 3, .l = 1, .k = 1, .ranker = STEP_RANKER_A}, 326210, 1000509},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "ranker A", CLAIMS(claims), EXPECTED(expected)},
    [WRITTEN_LATE] = {"black-first", "broken: turns black before its rank is written",
                      CLAIMS(written_late)},
};

PROTOCOL(.name = "ranker-a", .title = "Ranker A: acyclic", .citation = "Singh 1993, section 9.2",
         .min_n = 2, .max_n = 8, .default_n = 2, .max_l = 1, .cuts_off = true,
         .ranker = STEP_RANKER_A, VARIANTS(variants))
#include "step/end.h"
