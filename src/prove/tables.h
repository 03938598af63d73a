/* A state of the checker as a system with names sees it: functions are tables. */
#ifndef BERTH_PROVE_TABLES_H
#define BERTH_PROVE_TABLES_H

#include "prove/system.h"
#include "step/frame.h"

struct prove_tables {
    const struct prove_system *system;
    int64_t *of; /* by symbol, as prove_evaluate takes it; and behind them the tables */
    size_t size;
};

/* False: no memory. To be freed in any case. */
bool prove_tables_make(struct prove_tables *tables, const struct prove_system *system);
void prove_tables_free(struct prove_tables *tables);

/* An element of a function; of an index that is far from all that there are, one that means
 * nothing. */
int64_t *prove_tables_element(const struct prove_tables *tables, unsigned function, int64_t index);

/* What the state is. False: a process is at a place that the rules do not know. */
bool prove_tables_fill(const struct prove_tables *tables, const struct step_model *model,
                       const uint64_t *state);

/* Makes the step, of which the guard holds, in `after`; and says in `before` what the arrays will
 * be, for conditions on the state after the step (prove_after). */
void prove_tables_step(const struct prove_tables *before, const struct prove_step *step,
                       const struct prove_tables *after);

#endif
