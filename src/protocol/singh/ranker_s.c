/* Singh 1993, section 9.4: ranker S, which is ranker C whose ranks never go up. See rank.inc. */
#define NAME ranker_s
#define RANKER STEP_RANKER_S
enum { ITSELF, RESTART };
#define FROM_SCRATCH VARIANT(RESTART)
#include "protocol/singh/ranker.inc"

static const struct protocol_claim claims[] = {
    {CHECK_RESPONSIVE, CLAIMED, "section 9.4", .why = "3n steps", .has_bound = true, .bound_n = 3},
    {CHECK_PRECEDENCE, CLAIMED, "section 9.4"},
    {CHECK_ACYCLIC, CLAIMED, "section 9.4"},
    {CHECK_COMPARABLE, CLAIMED, "section 9.4"},
    {CHECK_STABLE, CLAIMED, "section 9.4"},
};

static const struct protocol_claim restart[] = {
    {CHECK_COMPARABLE, CLAIMED, "section 9.4"},
    {CHECK_STABLE, CLAIMED, "section 9.4", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1, .ranker = STEP_RANKER_S}, 285, 570},
    {{.n = 3, .l = 1, .k = 1, .ranker = STEP_RANKER_S}, 66870, 200610},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "ranker S", CLAIMS(claims), EXPECTED(expected)},
    [RESTART] = {"restart", "broken: forgets its old rank, as ranker C does", CLAIMS(restart)},
};

PROTOCOL(.name = "ranker-s", .title = "Ranker S: acyclic, comparable and stable",
         .citation = "Singh 1993, section 9.4", .min_n = 2, .max_n = 8, .default_n = 2, .max_l = 1,
         .cuts_off = true, .ranker = STEP_RANKER_S, VARIANTS(variants))
#include "step/end.h"
