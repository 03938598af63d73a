/*
 * Singh 1993, section 7: dining philosophers on any graph, on ranker C. A philosopher compares with
 * its neighbours only; the ranker is for all. See hungry.inc.
 *
 * What the checker found. The printed rule for eating, "mode.u := e if all checked.u.v", lacks the
 * "h.u and black.u" of section 8. It makes no difference to a process with a neighbour; one without
 * may eat before it has a rank, and turns white from grey (variant printed, in which the last
 * philosopher sits alone).
 */
#define NAME dining
enum { ITSELF, PRINTED, GREY_COMPARED };
#define OTHERS seen_from(params, ME)
#define GREY_COUNTS VARIANT(GREY_COMPARED)
#define EATS_UNASKED VARIANT(PRINTED)
#define HAS_CLASH
#include "protocol/singh/application.inc"

static inline word seen_from(const struct step_params *params, word u)
{
    const word alone = (word)VARIANT(PRINTED) << (params->n - 1);
    return alone >> u & 1 ? 0 : step_neighbours(params, u) & ~alone;
}

#include "protocol/singh/neighbours.inc"
#include "protocol/singh/hungry.inc"
#include "protocol/singh/normal.inc"

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "section 7.3"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "section 7.3"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "section 7.3"},
    {CHECK_FIFO, CLAIMED, "precedence"},
    {CHECK_WAIT_FREE_DOORWAY, CLAIMED, "responsiveness"},
    {CHECK_RESPONSIVE, CLAIMED, "section 9.3"},
};

static const struct protocol_claim printed[] = {
    {CHECK_RESPONSIVE, CLAIMED, "section 9.3", .refuted_from_n = 2},
};

static const struct protocol_claim grey_compared[] = {
    {CHECK_EXCLUSION, CLAIMED, "section 7.3", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1, .ranker = STEP_RANKER_C, .graph = STEP_GRAPH_RING}, 404, 820},
    {{.n = 3, .l = 1, .k = 1, .ranker = STEP_RANKER_C, .graph = STEP_GRAPH_RING}, 187285, 572773},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "on ranker C", CLAIMS(claims), EXPECTED(expected)},
    [PRINTED] = {"printed",
                 "eats when all are checked off, hungry and black or not; the last one sits alone",
                 CLAIMS(printed)},
    [GREY_COMPARED] = {"grey-compared",
                       "broken: compares with grey neighbours, as if it were on ranker S",
                       CLAIMS(grey_compared)},
};

PROTOCOL(.name = "dining", .title = "Dining philosophers", .citation = "Singh 1993, section 7",
         .min_n = 2, .max_n = 8, .default_n = 3, .max_l = 1, .cuts_off = true, .takes_ranker = true,
         .takes_graph = true, .takes_reads = true, .ranker = STEP_RANKER_C,
         .graph = STEP_GRAPH_RING, VARIANTS(variants))
#include "step/end.h"
