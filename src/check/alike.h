/* Whether processes that are said to be interchangeable are. */
#ifndef BERTH_CHECK_ALIKE_H
#define BERTH_CHECK_ALIKE_H

#include "check/exploration.h"
#include "check/slip.h"

/* Looks at the first few thousand states: whether two processes that change places do the same as
 * before. False: they do not; `slip` says which, and how to get there. That it is true is no proof;
 * a wrong claim shows early, because all processes begin alike. */
bool check_alike(const struct check_model *model, const struct check_limits *limits,
                 struct check_slip *slip);

#endif
