#include "check/property.h"

#include <string.h>

static const char *const names[CHECK_PROPERTIES] = {
    [CHECK_EXCLUSION] = "exclusion",
    [CHECK_DISTINCT_SLOTS] = "distinct-slots",
    [CHECK_NO_SLOT_LOST] = "no-slot-lost",
    [CHECK_DEADLOCK_FREE] = "deadlock-free",
    [CHECK_KL_DEADLOCK_FREE] = "kl-deadlock-free",
    [CHECK_LOCKOUT_FREE] = "lockout-free",
    [CHECK_BOUNDED_WAITING] = "bounded-waiting",
    [CHECK_LINEAR_WAITING] = "linear-waiting",
    [CHECK_FIFO] = "fifo",
    [CHECK_NO_MEMORY] = "no-memory",
    [CHECK_FINITE_WAITING_ENABLING] = "finite-waiting-enabling",
    [CHECK_BOUNDED_WAITING_ENABLING] = "bounded-waiting-enabling",
    [CHECK_FIFO_ENABLING] = "fifo-enabling",
    [CHECK_L_FULL] = "l-full",
    [CHECK_QUEUELIKE] = "queuelike",
    [CHECK_WAIT_FREE_DOORWAY] = "wait-free-doorway",
    [CHECK_FIRST_IN_FIRST_ENABLED] = "first-in-first-enabled",
    [CHECK_STRONG_FIRST_IN_FIRST_ENABLED] = "strong-first-in-first-enabled",
    [CHECK_OVERTAKING] = "overtaking",
    [CHECK_L_LOCKOUT_FREE] = "l-lockout-free",
    [CHECK_VALUES] = "values",
    [CHECK_WINDOW] = "window",
};

const char *check_property_name(enum check_property property)
{
    return names[property];
}

bool check_property_find(const char *name, enum check_property *property)
{
    for (unsigned p = 0; p < CHECK_PROPERTIES; p++) {
        if (strcmp(names[p], name) == 0) {
            *property = (enum check_property)p;
            return true;
        }
    }
    return false;
}
