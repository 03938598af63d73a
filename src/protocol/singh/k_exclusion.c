/*
 * Singh 1993, section 8: resource allocation, which is l-exclusion, on ranker S; l is K in the
 * paper. A process enters when it has checked off n - l of the others. See hungry.inc.
 *
 * Without stability a grey process has to be waited for, and while l - 1 others come and go, one
 * can be grey whenever it is looked at: --ranker c locks out.
 */
#define NAME k_exclusion
enum { ITSELF, ONE_LESS, GREY_COMPARED };
#define RANKER (VARIANT(GREY_COMPARED) ? STEP_RANKER_C : params->ranker)
#define GREY_COUNTS (VARIANT(GREY_COMPARED) || RANKER == STEP_RANKER_S)
#define ENOUGH (number_in(checked) + l + VARIANT(ONE_LESS) >= n)
#include "protocol/singh/application.inc"

static inline word number_in(word set)
{
    word count = 0;
    for (; set != 0; set &= set - 1)
        count++;
    return count;
}

#include "protocol/singh/hungry.inc"
#include "protocol/singh/normal.inc"

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "section 8.3"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "section 8.3"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "section 8.3"},
    {CHECK_WAIT_FREE_DOORWAY, CLAIMED, "responsiveness"},
};

static const struct protocol_claim one_less[] = {
    {CHECK_EXCLUSION, CLAIMED, "section 8.3", .refuted_from_n = 2},
};

static const struct protocol_claim grey_compared[] = {
    {CHECK_EXCLUSION, CLAIMED, "section 8.3", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1, .ranker = STEP_RANKER_S}, 356, 712},
    {{.n = 3, .l = 2, .k = 1, .ranker = STEP_RANKER_S}, 108981, 326943},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "on ranker S", CLAIMS(claims), EXPECTED(expected)},
    [ONE_LESS] = {"one-less", "broken: n - l - 1 checked off are enough", CLAIMS(one_less)},
    [GREY_COMPARED] = {"grey-compared", "broken: on ranker C, and compares with grey processes",
                       CLAIMS(grey_compared)},
};

PROTOCOL(.name = "k-exclusion", .title = "K-exclusion by ranks",
         .citation = "Singh 1993, section 8", .min_n = 2, .max_n = 8, .default_n = 3,
         .needs_l_below_n = true, .max_l = 7, .cuts_off = true, .takes_ranker = true,
         .takes_reads = true, .ranker = STEP_RANKER_S, VARIANTS(variants))
#include "step/end.h"
