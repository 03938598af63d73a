/*
 * Memory that is weaker than the papers assume: a model whose states are those of another model
 * with more after them, such as the stores that wait in a buffer.
 *
 *  - Stores that wait (params->memory, tso.c).
 *  - Registers whose reads may overlap a write (params->registers, registers.c).
 *  - Which references are remote (params->remote, remote.c).
 *  - How often a process may leave its remainder (params->passages).
 *
 * For stores that wait and registers that are being written, each process has an agent: a
 * supervisor whose steps are what happens to them without the process.
 */
#ifndef BERTH_STEP_MEMORY_H
#define BERTH_STEP_MEMORY_H

#include "step/frame.h"

/* Puts a finished model inside the memory that the parameters ask for. NULL, or why it cannot. */
const char *step_memory_open(struct step_model *model);
/* Frees it; also where it was only partly made. */
void step_memory_close(struct step_model *model);

/* How many stores of process p wait. */
unsigned step_memory_waiting(const struct step_model *model, const uint64_t *state, unsigned p);

/* Whether a process wanted to store while its buffer was full: longer buffers might show more. */
bool step_memory_was_full(const struct step_model *model);

#endif
