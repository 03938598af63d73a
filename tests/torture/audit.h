/* After a round: is everything as if nothing had happened? */
#ifndef BERTH_TORTURE_AUDIT_H
#define BERTH_TORTURE_AUDIT_H

#include "board.h"
#include "plan.h"

/* In a process of its own, since a call may not return. Everybody is dead: the pool shows nobody, a
 * newcomer gets all slots at once, at this size and at others; it can be removed, and nothing is
 * left of it. What is wrong is on the board. */
void audit(const struct plan *plan, struct board *board);

#endif
