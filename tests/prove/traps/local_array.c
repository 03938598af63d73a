/* Must not be proved: no exclusion. What is in a local array is forgotten by the reading. */
#define NAME trap_local_array
#define CELLS(cell, cells, registers) cell(v, 2)
#define LOCALS(local) local(q, 2)
#define LOCAL_ARRAYS(array) array(a, 2, 2)
#define HAS_PROOF
#define HAS_NAMES
#include "step/step.h"
ENTRY
    word e;
    READ(W1, e, v);
    a[0] = 1;
    AGAIN {
        READ(W2, e, v);
        if (a[0] == 1)
            break;
    }
    a[0] = 0;
END
EXIT
    WRITE(X1, v, 0);
END
#ifdef STEP_RULES
PROOF
    INVARIANT("nobody", !IS_IN(I, CRITICAL));
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-local-array", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 4,
         .default_n = 2, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
