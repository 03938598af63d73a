/* One participant: entry, critical section, exit, and again. */
#ifndef BERTH_STRESS_PARTICIPANT_H
#define BERTH_STRESS_PARTICIPANT_H

#include "stress/arena.h"

/* Returns when the board says stop. It may be killed at any instant instead. */
/* The supervisor's steps, until all participants are done. */
void stress_supervise(const struct stress_arena *arena);

void stress_participate(const struct stress_arena *arena, unsigned me, uint64_t seed);

#endif
