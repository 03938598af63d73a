/* Must not be proved: no deadlock. A process may choose for ever to look again. */
#define NAME trap_chooses
#define CELLS(cell, cells, registers) cell(v, 2)
#define LOCALS(local) local(q, 2)
#define HAS_CHOICE
#define HAS_PROOF
#define HAS_NAMES
#define STEP_MAY_wait false
#include "step/step.h"
ENTRY
    word e;
    AGAIN {
        READ(W1, e, v);
        if (!MAY(wait))
            break;
    }
END
EXIT
    WRITE(X1, v, 0);
END
#ifdef STEP_RULES
PROOF
    RANK_OF_EACH(0 * I);
    BLOCKED_BY(I, I);
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_DEADLOCK_FREE, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-chooses", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 4,
         .default_n = 2, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
