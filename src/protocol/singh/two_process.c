/*
 * Singh 1993, section 5.1 names mutual exclusion of two processes as a problem that ranker 0
 * solves, and gives no program. This is ours: the guard of section 7, with a tie broken by number,
 * since ranker 0 leaves ties (variant no-tie-break: both wait for ever).
 */
#define NAME two_process
enum { ITSELF, NO_TIE_BREAK };
#define GREY_COUNTS false
#define TIES_BY_NUMBER (!VARIANT(NO_TIE_BREAK))
#include "protocol/singh/application.inc"
#include "protocol/singh/hungry.inc"
#include "protocol/singh/normal.inc"

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "section 5.1"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "section 5.1"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "section 5.1"},
    {CHECK_FIFO, CLAIMED, "precedence"},
    {CHECK_WAIT_FREE_DOORWAY, CLAIMED, "responsiveness"},
};

static const struct protocol_claim no_tie_break[] = {
    {CHECK_EXCLUSION, CLAIMED, "section 5.1"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "section 5.1", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1, .ranker = STEP_RANKER_0}, 228, 456},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "on ranker 0", CLAIMS(claims), EXPECTED(expected)},
    [NO_TIE_BREAK] = {"no-tie-break", "broken: a process of equal rank is waited for",
                      CLAIMS(no_tie_break)},
};

PROTOCOL(.name = "two-process", .title = "Mutual exclusion of two by ranks",
         .citation = "Singh 1993, section 5.1", .min_n = 2, .max_n = 2, .default_n = 2, .max_l = 1,
         .cuts_off = true, .takes_ranker = true, .takes_reads = true, .ranker = STEP_RANKER_0,
         VARIANTS(variants))
#include "step/end.h"
