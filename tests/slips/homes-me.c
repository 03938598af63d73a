/*
 * HOMES that speaks of ME: it is asked for each variable, and of no process.
 *
 * berth: check
 * status: 2
 * says: aggregate value
 * says: does not compile
 */
#define NAME slip
#define CELLS(cell, cells, registers) cells(F, n, 2)
#define LOCALS(local) 
#define HOMES(home) home(F, ME)
#include "step/step.h"
ENTRY
 TEST(t, v, F[0])
 ON(v == 0, 1);
 END_TEST
END
EXIT
 WRITE(g, F[0], 0);
END
static const struct protocol_claim claims[] = {{CHECK_EXCLUSION, CLAIMED, "x"}, {CHECK_DEADLOCK_FREE, CLAIMED, "x"}, {CHECK_LOCKOUT_FREE, CLAIMED, "x"}};
static const struct protocol_variant variants[] = {{"", "outside", CLAIMS(claims)}};
PROTOCOL(.name = "slip", .title = "t", .citation = "c", .min_n = 2, .max_n = 4, .default_n = 2, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
