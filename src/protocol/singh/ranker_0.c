/*
 * Singh 1993, section 9.1: the ranker that the paper writes as an empty set, with responsiveness
 * and precedence only. See rank.inc.
 *
 * The paper composes the programs for two processes by union. Then u turns black as soon as the
 * first of its pairs is done, while it has no rank yet with respect to the others: with three
 * processes precedence fails (variant union). Here u turns black when all pairs are done.
 *
 * The paper does not ask stability of this ranker. Its implementation has it nevertheless.
 */
#define NAME ranker_0
#define RANKER STEP_RANKER_0
enum { ITSELF, UNION, WRITTEN_LATE };
#define BLACK_FIRST VARIANT(WRITTEN_LATE)
#define PAIR_BY_PAIR VARIANT(UNION)
#include "protocol/singh/ranker.inc"

static const struct protocol_claim claims[] = {
    {CHECK_RESPONSIVE, CLAIMED, "section 9.1", .why = "4 steps for a pair", .has_bound = true,
     .bound_n = 2},
    {CHECK_PRECEDENCE, CLAIMED, "section 9.1"},
    {CHECK_ACYCLIC, NOT_CLAIMED, .why = "section 5.2 asks more for it", .fails_from_n = 3},
    {CHECK_COMPARABLE, NOT_CLAIMED, .why = "section 5.3 asks more for it", .fails_from_n = 2},
    {CHECK_STABLE, CLAIMED, "found", .why = "the numbers of a pair only grow"},
    {CHECK_VALUES, CLAIMED, "departure 4: three for each pair, with the state", .has_bound = true},
};

static const struct protocol_claim by_union[] = {
    {CHECK_RESPONSIVE, CLAIMED, "section 9.1"},
    {CHECK_PRECEDENCE, CLAIMED, "section 9.1", .why = "this ranker composes", .refuted_from_n = 3},
};

static const struct protocol_claim written_late[] = {
    {CHECK_PRECEDENCE, CLAIMED, "section 9.1", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1, .ranker = STEP_RANKER_0}, 105, 210},
    {{.n = 3, .l = 1, .k = 1, .ranker = STEP_RANKER_0}, 16690, 50070},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "ranker 0, black when all pairs are done", CLAIMS(claims), EXPECTED(expected)},
    [UNION] = {"union", "as printed, black when one pair is done", CLAIMS(by_union)},
    [WRITTEN_LATE] = {"black-first", "broken: turns black before its rank is written",
                      CLAIMS(written_late)},
};

static uint64_t values(const struct step_params *params)
{
    uint64_t values = 3;
    for (unsigned p = 1; p < params->n; p++)
        values *= 3;
    return values;
}

PROTOCOL(.name = "ranker-0", .title = "Ranker 0: precedence alone",
         .citation = "Singh 1993, section 9.1", .min_n = 2, .max_n = 8, .default_n = 2, .max_l = 1,
         .ranker = STEP_RANKER_0, .counts_for_ever = true, .values = values,
         .values_source = "three numbers for each pair", VARIANTS(variants))
#include "step/end.h"
