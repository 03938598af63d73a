/* Must not be proved: no exclusion. The supervisor opens the lock whenever it likes. */
#define NAME trap_supervisor
#define CELLS(cell, cells, registers) cell(v, 2)
#define LOCALS(local) local(q, 2)
#define PRIVATE(local, array) local(x, 2)
#define HAS_LOCK
#define HAS_SUPERVISOR
#define HAS_PROOF
#include "step/step.h"
SUPERVISOR(opens)
    V->v = 0;
    X->x = 0;
END_SUPERVISOR
ENTRY
    bool taken;
    do {
        LOCK(take)
            taken = V->v == 0;
            V->v = 1;
        UNLOCK
    } while (!taken);
END
EXIT
    LOCK(give)
        V->v = 0;
    UNLOCK
END
#ifdef STEP_RULES
PROOF
    INVARIANT("one", IN(CRITICAL) == v);
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-supervisor", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 4,
         .default_n = 2, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
