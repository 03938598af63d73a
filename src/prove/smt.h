/* Obligations as SMT-LIB. */
#ifndef BERTH_PROVE_SMT_H
#define BERTH_PROVE_SMT_H

#include "prove/obligation.h"

/* Writes the question whether `assume`, `also` (or NULL) and not `goal` have a solution; with
 * `values`, also what it is. The obligation is discharged by the answer "unsat". False: no memory, and
 * what was written is no question. */
bool prove_write_smt(FILE *stream, const struct prove_obligation *obligation, prove_t also,
                     bool values);

#endif
