/*
 * The occupancy page: the process in each slot, written by the holders themselves. It is what says
 * whether a slot was ever given twice, so it depends on the library in nothing.
 *
 * A holder writes its identity as soon as it has the slot and takes it away as late as it can
 * before it gives the slot back. A killed holder's identity stays. The next one finds it, and
 * asks the kernel: the slot may be handed on only after the kernel has begun to tear the process
 * down.
 */
#ifndef BERTH_TORTURE_OCCUPANCY_H
#define BERTH_TORTURE_OCCUPANCY_H

#include "self.h"

/* False: a living process is in there, or the token has not grown; the board tells. */
bool occupancy_enter(const struct self *self, unsigned slot, uint64_t token);
void occupancy_leave(const struct self *self, unsigned slot);

#endif
