/* The properties that can be decided of a model; definitions are beside each decision procedure. */
#ifndef BERTH_CHECK_PROPERTY_H
#define BERTH_CHECK_PROPERTY_H

#include "check/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum check_property {
    CHECK_EXCLUSION,
    CHECK_DISTINCT_SLOTS,
    CHECK_NO_SLOT_LOST,
    CHECK_DEADLOCK_FREE,
    CHECK_KL_DEADLOCK_FREE,
    CHECK_LOCKOUT_FREE,
    CHECK_FINITE_WAITING,
    CHECK_BOUNDED_WAITING,
    CHECK_LINEAR_WAITING,
    CHECK_FIFO,
    CHECK_NO_MEMORY,
    CHECK_FINITE_WAITING_ENABLING,
    CHECK_BOUNDED_WAITING_ENABLING,
    CHECK_FIFO_ENABLING,
    CHECK_L_FULL,
    CHECK_QUEUELIKE,
    CHECK_WAIT_FREE_DOORWAY,
    CHECK_FIRST_IN_FIRST_ENABLED,
    CHECK_STRONG_FIRST_IN_FIRST_ENABLED,
    CHECK_OVERTAKING,
    CHECK_L_LOCKOUT_FREE,
    CHECK_VALUES,
    CHECK_WINDOW,     /* the first invariant of the protocol */
    CHECK_INVARIANTS, /* all of them */
    CHECK_RESPONSIVE,
    CHECK_PRECEDENCE,
    CHECK_ACYCLIC,
    CHECK_COMPARABLE,
    CHECK_STABLE,
    CHECK_REENTRY,
    CHECK_BOUNDED_RECOVERY,
    CHECK_BOUNDED_EXIT,
    CHECK_BOUNDED_ABORT,
    CHECK_OWN,         /* what the protocol file states itself */
    CHECK_RMR_PASSAGE, /* remote references, where they are counted (remote.c) */
    CHECK_RMR_SUPER_PASSAGE,
    CHECK_PROPERTIES,
};

/* The name in output, such as "lockout-free". */
const char *check_property_name(enum check_property property);
/* What it means, in one sentence for readers who do not know the papers; NULL: see CHECKER.md. */
const char *check_property_meaning(enum check_property property);
/* The region that it is about: where nobody is ever in it, the property holds and says nothing.
 * CHECK_REMAINDER: it is not about one, or about the trying region, where everybody comes. */
enum check_region check_property_region(enum check_property property);
bool check_property_find(const char *name, enum check_property *property);

#endif
