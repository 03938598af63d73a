/* Whether processes that are declared to be interchangeable really are. */
#ifndef BERTH_CHECK_ALIKE_H
#define BERTH_CHECK_ALIKE_H

#include "check/exploration.h"
#include "check/slip.h"

/* Looks at the first 2,000 states: whether processes that change places do the same as before, if
 * the model is `anonymous`, or keeps one of the states that differ by an exchange (has `named`).
 * CHECK_OUT_OF_RANGE: they do not; `slip` says which, and how to get there. CHECK_COMPLETE is not a
 * proof; but a wrong claim shows early, because all processes begin in the same state. */
enum check_end check_alike(const struct check_model *model, const struct check_limits *limits,
                           struct check_slip *slip);

#endif
