/*
 * What is checked of every grant: that its slot exists, that its token is new, and the order.
 *
 * Order. A call that began after another had returned, or had been seen to wait, has a later place:
 * a larger token. The first is checked at once, for every call. The second is checked after the
 * round, from a log; that somebody waits is seen in the build with kill points only
 * (order_seen_waiting).
 *
 * Slots. "Fewer as they come free": a release that began before the pool was made smaller may still
 * hand its slot on. So a slot beyond the pool's size is wrong only if nobody was left, before the
 * call began, in a call that had begun before the change ("settled").
 */
#ifndef BERTH_TORTURE_ORDER_H
#define BERTH_TORTURE_ORDER_H

#include "self.h"

#include "berth.h"

/* Around every call of the library that can change the pool. */
void order_call(struct self *self, enum board_call call);
void order_return(struct self *self);

/* After order_return of a call that gave a slot. False: the board tells what is wrong. */
bool order_granted(struct self *self, const berth_grant *grant);

/* This thread has left the doorway. May be called more than once in a call. */
void order_seen_waiting(struct self *self);

/* The size of the pool is about to change, and has become `slots`. By one process at a time. */
void order_resizing(struct self *self);
void order_resized(struct self *self, unsigned slots);

/* Analyses the log when nobody runs any more. False: the board shows that somebody was
 * overtaken. */
bool order_analyse(struct board *board, uint64_t *analysed);

#endif
