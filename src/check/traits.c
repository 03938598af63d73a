#include "check/traits.h"

enum {
    STATE = CHECK_OF_STATES | CHECK_EDGELESS | CHECK_TO_LIMIT | CHECK_ON_DEVICE,
    SCAN = CHECK_EDGELESS | CHECK_TO_LIMIT | CHECK_ON_DEVICE,
    ENABLED = CHECK_OF_ENABLED | CHECK_UNFOLDED,
    STEPS = CHECK_BOUNDED | CHECK_IN_STEPS,
};

static const struct {
    unsigned traits;
    enum check_region about; /* CHECK_REMAINDER: no region, or one where everybody comes */
} table[CHECK_PROPERTIES] = {
    [CHECK_EXCLUSION] = {STATE | CHECK_SAME_FOLDED, CHECK_CRITICAL},
    [CHECK_DISTINCT_SLOTS] = {STATE | CHECK_SAME_FOLDED, CHECK_CRITICAL},
    [CHECK_NO_SLOT_LOST] = {SCAN | CHECK_SAME_FOLDED | CHECK_OF_ABSENCE},
    [CHECK_DEADLOCK_FREE] = {CHECK_UNFOLDED | CHECK_TO_LIMIT},
    [CHECK_KL_DEADLOCK_FREE] = {CHECK_OF_ENABLED},
    [CHECK_LOCKOUT_FREE] = {CHECK_UNFOLDED},
    [CHECK_FINITE_WAITING] = {CHECK_UNFOLDED, CHECK_CRITICAL},
    [CHECK_BOUNDED_WAITING] = {CHECK_UNFOLDED | CHECK_BOUNDED, CHECK_CRITICAL},
    [CHECK_LINEAR_WAITING] = {CHECK_BOUNDED, CHECK_CRITICAL},
    [CHECK_FIFO] = {CHECK_UNFOLDED | CHECK_TO_LIMIT, CHECK_CRITICAL},
    [CHECK_NO_MEMORY] = {SCAN},
    [CHECK_FINITE_WAITING_ENABLING] = {ENABLED},
    [CHECK_BOUNDED_WAITING_ENABLING] = {ENABLED | CHECK_BOUNDED},
    [CHECK_FIFO_ENABLING] = {ENABLED},
    [CHECK_L_FULL] = {CHECK_OF_ENABLED},
    [CHECK_QUEUELIKE] = {CHECK_OF_ENABLED, CHECK_CRITICAL},
    [CHECK_WAIT_FREE_DOORWAY] = {CHECK_BOUNDED},
    [CHECK_FIRST_IN_FIRST_ENABLED] = {ENABLED | CHECK_IN_STEPS},
    [CHECK_STRONG_FIRST_IN_FIRST_ENABLED] = {ENABLED | CHECK_OF_ABSENCE},
    [CHECK_OVERTAKING] = {CHECK_OF_ENABLED | CHECK_BOUNDED, CHECK_CRITICAL},
    [CHECK_L_LOCKOUT_FREE] = {CHECK_UNFOLDED},
    [CHECK_VALUES] = {SCAN},
    [CHECK_WINDOW] = {STATE},
    [CHECK_INVARIANTS] = {STATE | CHECK_SAME_FOLDED},
    [CHECK_RESPONSIVE] = {CHECK_BOUNDED},
    [CHECK_PRECEDENCE] = {CHECK_TO_LIMIT},
    [CHECK_ACYCLIC] = {SCAN},
    [CHECK_COMPARABLE] = {SCAN},
    [CHECK_STABLE] = {CHECK_TO_LIMIT},
    [CHECK_REENTRY] = {CHECK_TO_LIMIT, CHECK_DEAD},
    [CHECK_BOUNDED_RECOVERY] = {STEPS, CHECK_DEAD},
    [CHECK_BOUNDED_EXIT] = {STEPS, CHECK_CRITICAL},
    [CHECK_BOUNDED_ABORT] = {STEPS},
    [CHECK_OWN] = {STATE},
    [CHECK_RMR_PASSAGE] = {CHECK_BOUNDED},
    [CHECK_RMR_SUPER_PASSAGE] = {CHECK_BOUNDED},
};

static bool states_a_run(const struct check_model *model)
{
    for (unsigned q = 0; q < model->own_properties; q++) {
        if (model->own_property[q].kind >= CHECK_AFTER)
            return true;
    }
    return false;
}

bool check_has_trait(const struct check_model *model, enum check_property property,
                     enum check_trait trait)
{
    const unsigned of_states = CHECK_EDGELESS | CHECK_TO_LIMIT | CHECK_ON_DEVICE;
    unsigned traits = table[property].traits;
    if (property == CHECK_OWN && states_a_run(model))
        traits &= ~of_states;
    if (property == CHECK_INVARIANTS && model->ahead != NULL) {
        traits &= ~(of_states | CHECK_SAME_FOLDED);
        traits |= CHECK_OF_ENABLED | CHECK_OF_ABSENCE;
    }
    return (traits & trait) != 0;
}

bool check_is_bounded(enum check_property property)
{
    return (table[property].traits & CHECK_BOUNDED) != 0;
}

bool check_counts_steps(enum check_property property)
{
    return (table[property].traits & CHECK_IN_STEPS) != 0;
}

bool check_is_of_states(enum check_property property)
{
    return (table[property].traits & CHECK_OF_STATES) != 0;
}

enum check_region check_property_region(enum check_property property)
{
    return table[property].about;
}
