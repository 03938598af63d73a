/* Must not be proved: exclusion, with four processes or more. Of these, 0 and 3 exclude each
 * other. */
#define NAME trap_clash4
#define CELLS(cell, cells, registers) cell(taken, l + 1)
#define HAS_CLASH
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
    return (inside & 9) == 9;
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
PROTOCOL(.name = "trap-clash4", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 8,
         .default_n = 2, .max_l = 4, .anonymous = true, VARIANTS(variants))
#include "step/end.h"
