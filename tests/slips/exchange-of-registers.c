/*
 * Processes that have registers are exchanged: nobody would move the registers.
 *
 * berth: check
 * status: 2
 * says: does not exchange registers
 * says: does not compile
 */
#define NAME slip
#define CELLS(cell, cells, registers) cell(V, COUNTS(2)) registers(mine, COUNTS(2))
#define LOCALS(local) local(seen, COUNTS(2))
#define HAS_NORMAL
#define HAS_ORBIT
#include "step/step.h"
#define COUNTS(values) (values)
#define SEAT_IN_COUNTS(values) NAMES_NOBODY
#define NAMES_NOBODY(w) STEP_NO_SEAT
#define SORT_FIRST seen
#include "step/exchange.h"
ENTRY
 TEST(t, v, V)
 ON(v == 0, 1);
 END_TEST
END
EXIT
 WRITE(g, V, 0);
END
NORMAL
 if (params->symmetric)
  SORT_PROCESSES;
 return true;
END_NORMAL
ORBIT
 return EXCHANGES;
END_ORBIT
static const struct protocol_claim claims[] = {{CHECK_EXCLUSION, CLAIMED, "x"}, {CHECK_DEADLOCK_FREE, CLAIMED, "x"}, {CHECK_LOCKOUT_FREE, CLAIMED, "x"}};
static const struct protocol_variant variants[] = {{"", "outside", CLAIMS(claims)}};
PROTOCOL(.name = "slip", .title = "t", .citation = "c", .min_n = 2, .max_n = 4, .default_n = 2, .max_l = 1, .symmetric = true, VARIANTS(variants))
#include "step/end.h"
