/*
 * An invariant about process 1, where NORMAL exchanges processes.
 *
 * berth: check
 * status: 1
 * says: invariants                 fails
 */
#define NAME slip
#define CELLS(cell, cells, registers) cell(last, COMERS)
#define LOCALS(local) local(gone, COUNTS(2))
#define HAS_NORMAL
#define HAS_ORBIT
#define HAS_INVARIANTS
#include "step/step.h"
#define COMERS 16
#define COUNTS(values) (values)
#define SEAT_IN_COMERS(w) ((w) < 8 ? STEP_NO_SEAT : (w) & 7)
#define SEAT_IN_COUNTS(values) NAMES_NOBODY
#define NAMES_NOBODY(w) STEP_NO_SEAT
#define SORT_FIRST gone
#include "step/exchange.h"

ENTRY
    TEST(takes, v, last)
        ON(v == 0, 8 | ME);
    END_TEST
END

EXIT
    WRITE(gives, last, 0);
END

NORMAL
    if (params->symmetric)
        SORT_PROCESSES;
    return params->symmetric;
END_NORMAL

ORBIT
    return EXCHANGES;
END_ORBIT

INVARIANTS
    return critical == 1U << 1 && !IS_TRYING(0);
END_INVARIANTS

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "made for this test"},
};
static const struct protocol_variant variants[] = {
    {"", "a lock", CLAIMS(claims)},
};
PROTOCOL(.name = "slip", .title = "A slip", .citation = "made for this test", .min_n = 2, .max_n = 8,
         .default_n = 3, .max_l = 1, .symmetric = true, .invariants = {"never alone"}, VARIANTS(variants))
#include "step/end.h"
