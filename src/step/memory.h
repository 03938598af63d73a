/*
 * Memory that is not what the papers take it for: a model over the states of another one, with
 * something behind each of them, such as the stores that wait in a buffer.
 *
 *  - Stores that wait (params->memory, tso.c).
 *  - Registers whose reads may overlap a write (params->registers, registers.c).
 *  - Which references are remote (params->remote, remote.c).
 *  - How often a process may leave its remainder (params->passages).
 *
 * For stores that wait and registers that are being written, each process has an agent: a
 * supervisor that makes what happens to them without the process.
 */
#ifndef BERTH_STEP_MEMORY_H
#define BERTH_STEP_MEMORY_H

#include "step/frame.h"

/* Makes what the parameters ask for out of a model that has been made; NULL, or why it cannot be. */
const char *step_memory_open(struct step_model *model);
/* Frees what there is of it. */
void step_memory_close(struct step_model *model);

/* How many stores of process p wait. */
unsigned step_memory_waiting(const struct step_model *model, const uint64_t *state, unsigned p);

/* Whether somebody wanted to store while as many stores waited as may: longer buffers might do more. */
bool step_memory_was_full(const struct step_model *model);

#endif
