/*
 * Singh 1993, section 9.3: ranker C, which is ranker A with ties broken by a fixed order. See
 * rank.inc.
 *
 * What the checker found. C is not stable, as section 9.3 says. In the history given there, u and v
 * both end up with rank 0 after u had the higher rank; the paper has q.u.v false, but then v stays
 * lower than u. It shows what it is to show with q.u.v true, which is u = 1 and v = 0 here; the
 * checker finds another one that is as short, and tests/unit/test_rankers.c plays the paper's both
 * ways.
 */
#define NAME ranker_c
#define RANKER STEP_RANKER_C
enum { ITSELF, WRITTEN_LATE };
#define BLACK_FIRST VARIANT(WRITTEN_LATE)
#include "protocol/singh/ranker.inc"

static const struct protocol_claim claims[] = {
    {CHECK_RESPONSIVE, CLAIMED, "section 9.3", .why = "3n steps", .has_bound = true, .bound_n = 3},
    {CHECK_PRECEDENCE, CLAIMED, "section 9.3"},
    {CHECK_ACYCLIC, CLAIMED, "section 9.3"},
    {CHECK_COMPARABLE, CLAIMED, "section 9.3"},
    {CHECK_STABLE, NOT_CLAIMED, "section 9.3, the history of u and v", .fails_from_n = 2},
};

static const struct protocol_claim written_late[] = {
    {CHECK_PRECEDENCE, CLAIMED, "section 9.3", .refuted_from_n = 2},
    {CHECK_COMPARABLE, CLAIMED, "section 9.3"},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1, .ranker = STEP_RANKER_C}, 407, 824},
    {{.n = 3, .l = 1, .k = 1, .ranker = STEP_RANKER_C}, 326210, 1000509},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "ranker C", CLAIMS(claims), EXPECTED(expected)},
    [WRITTEN_LATE] = {"black-first", "broken: turns black before its rank is written",
                      CLAIMS(written_late)},
};

PROTOCOL(.name = "ranker-c", .title = "Ranker C: acyclic and comparable",
         .citation = "Singh 1993, section 9.3", .min_n = 2, .max_n = 8, .default_n = 2, .max_l = 1,
         .cuts_off = true, .ranker = STEP_RANKER_C, VARIANTS(variants))
#include "step/end.h"
