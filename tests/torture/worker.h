/* What a tortured process does: it opens the pool, takes and gives back slots in one or more
 * threads, forks, closes, and begins again, until it is killed. */
#ifndef BERTH_TORTURE_WORKER_H
#define BERTH_TORTURE_WORKER_H

#include "plan.h"
#include "self.h"

/* In a new process, whose life is on the board already. Returns when trouble has been found. */
void worker_live(const struct plan *plan, struct board *board, unsigned place, uint64_t seed);

/* The thread that is running, for the kill points; NULL where nobody may be killed. */
struct self *worker_self(void);

/* This process is not to be killed at a kill point: it is a child that somebody waits for. */
void worker_spare(void);

/* One in this many passages of a kill point kills. */
unsigned worker_odds(void);

#endif
