/* Must not be proved: exclusion. All processes are taken to have the same number. */
#define NAME trap_assumed_of_two
#define CELLS(cell, cells, registers) cell(v, 2)
#define HAS_NAMES
#define HAS_PROOF
#include "step/step.h"
ENTRY
    word e;
    READ(W1, e, v);
END
EXIT
    word e;
    READ(X1, e, v);
END
#ifdef STEP_RULES
PROOF
    ASSUMED("one process", I == J);
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-assumed-of-two", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 8,
         .default_n = 2, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
