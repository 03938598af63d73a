/* z3 and cvc5, each a process of its own. */
#ifndef BERTH_PROVE_SOLVER_H
#define BERTH_PROVE_SOLVER_H

#include "prove/obligation.h"

enum prove_solver { PROVE_Z3, PROVE_CVC5, PROVE_SOLVERS };
const char *prove_solver_name(enum prove_solver solver);
bool prove_solver_found(enum prove_solver solver); /* on the path */

enum prove_answer {
    PROVE_UNKNOWN,    /* no answer in time, or none that can be understood */
    PROVE_DISCHARGED, /* it holds */
    PROVE_BROKEN,     /* it does not: there is a state */
};

struct prove_verdict {
    enum prove_answer answer;
    int64_t *value; /* PROVE_BROKEN: by symbol, in the pool */
};

/* Asks about all of a list, in one process. Gives how many at the start of the list are discharged:
 * up to the first that is not, or for which there is no answer. */
unsigned prove_ask_all(enum prove_solver solver, const struct prove_obligations *list,
                       unsigned seconds);

/* Asks about one obligation; for a state with as few processes as possible where there is one. */
struct prove_verdict prove_ask(enum prove_solver solver, const struct prove_obligation *obligation,
                               unsigned seconds);

#endif
