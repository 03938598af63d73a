/* A handle taken over a fork: the child cannot use its copy, and the copy does no harm. */
#ifndef BERTH_TORTURE_FORKED_H
#define BERTH_TORTURE_FORKED_H

#include "plan.h"
#include "self.h"

#include "berth.h"

/* Forks, and waits for the child. `grant` is the parent's, held or not. */
void forked_over(struct self *self, const struct plan *plan, berth_pool *pool,
                 const berth_grant *grant);

#endif
