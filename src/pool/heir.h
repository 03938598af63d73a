/*
 * A handle's heir: its file once more, open for reading only, for a command to inherit. While a
 * copy of it is open anywhere, the seat lives, and what the handle lends and has borrowed is kept,
 * as by a copy of the descriptor of berth_fd. But a process that has a copy, perhaps with fewer
 * rights than this one, can neither write to the file nor truncate it.
 *
 * The heir shares with the handle: the heirs' byte of the seat, and the levels of its loans.
 */
#ifndef BERTH_POOL_HEIR_H
#define BERTH_POOL_HEIR_H

#include "os/range_lock.h"
#include "pool/handle.h"

/* Makes the heir, unless there is one. The descriptor is close-on-exec; -1: there is no /proc, or
 * errno says what else is missing. Only for pools in a file. */
int heir_fd(berth_pool *pool);

/* Shares the range with the heir, if there is one, or takes it away. With the list of loans
 * locked. */
int heir_share(berth_pool *pool, struct os_range range);
void heir_drop(berth_pool *pool, struct os_range range);

/* Copies of the heir keep nothing any more. In a child made by fork (not `mine`) only its copy is
 * closed. */
void heir_close(berth_pool *pool, bool mine);

#endif
