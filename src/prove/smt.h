/* Obligations as SMT-LIB. */
#ifndef BERTH_PROVE_SMT_H
#define BERTH_PROVE_SMT_H

#include "prove/obligation.h"

/* Writes the question whether `assume`, `also` and not `goal` have a solution. The obligation is
 * discharged by the answer "unsat". False: no memory, and what was written is no question. */
struct prove_question {
    prove_t also;      /* or NULL */
    const char *check; /* the command that asks; NULL: (check-sat) */
    bool values;       /* ask what the solution is */
};
bool prove_write_smt(FILE *stream, const struct prove_obligation *obligation,
                     const struct prove_question *question);

/* The same for several obligations of one system, one question after the other: what they all
 * assume is said once, and the solver keeps what it has made of it. `check` asks each time. */
bool prove_write_smt_list(FILE *stream, const struct prove_obligation *obligation, unsigned count,
                          const char *check);

#endif
