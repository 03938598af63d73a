/* The processes of a run: one for each participant, or one for all of them as threads. */
#ifndef BERTH_STRESS_CREW_H
#define BERTH_STRESS_CREW_H

#include "stress/arena.h"

#include <sys/types.h>

struct stress_crew {
    const struct stress_arena *arena;
    pid_t driver;
    unsigned size;  /* processes that participants run in */
    unsigned whole; /* and one more for a supervisor; it is not killed and not stopped */
    pid_t pid[STRESS_MAX_N + 1]; /* 0: ended, and waited for */
    uint64_t random, kills, naps;
    uint64_t asleep; /* those stopped for ever, one bit each */
    pid_t napping;   /* the process that is stopped for a moment; 0: none */
};

/* Where one of these returns false, see `failure`; stress_crew_end must still be called. */
bool stress_crew_start(struct stress_crew *crew, const struct stress_arena *arena,
                       struct stress_failure *failure);

/* Records those that have ended. Only those that were asked to stop may end. */
bool stress_crew_sweep(struct stress_crew *crew, struct stress_failure *failure);

/* A process for each participant only: kills one at random and starts its successor. */
bool stress_crew_kill_one(struct stress_crew *crew, struct stress_failure *failure);

/* A process for each participant only: stops one at random, or continues the one that the previous
 * call has stopped. */
bool stress_crew_nap(struct stress_crew *crew, struct stress_failure *failure);

/* A process for each participant only: stops one at random for ever, if it is in its entry. That is
 * its trying region; or it has just got in and has not said so, and holds a slot. */
bool stress_crew_lull(struct stress_crew *crew, struct stress_failure *failure);

unsigned stress_crew_asleep(const struct stress_crew *crew);
bool stress_crew_sleeps(const struct stress_crew *crew, unsigned index);

/* Except those asleep. */
bool stress_crew_is_over(const struct stress_crew *crew);

/* Kills all that are left, and waits for them. */
void stress_crew_end(struct stress_crew *crew);

#endif
