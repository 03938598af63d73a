/* Must not be proved: exclusion. As clash.c, where processes are told apart. */
#define NAME trap_clash_with_names
#define CELLS(cell, cells, registers) cell(taken, l + 1)
#define HAS_CLASH
#define HAS_NAMES
#define HAS_PROOF
#include "step/step.h"
ENTRY
    TEST(take, v, taken)
        ON(v < l, v + 1);
    END_TEST
END
EXIT
    word e;
    UPDATE(give, e, taken, e - 1);
END
CLASH
    return (inside & (inside - 1)) != 0;
END_CLASH
#ifdef STEP_RULES
PROOF
    INVARIANT("who is critical has taken", taken == IN(CRITICAL) + IN(EXIT));
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-clash-with-names", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 8,
         .default_n = 2, .max_l = 4, .anonymous = true, VARIANTS(variants))
#include "step/end.h"
