/*
 * What is to be known of each property beside how it is decided (decide.h) and shown (shows.h):
 * what that needs, where it can be done, and what its answer is about.
 */
#ifndef BERTH_CHECK_TRAITS_H
#define BERTH_CHECK_TRAITS_H

#include "check/model.h"
#include "check/property.h"

enum check_trait {
    CHECK_OF_STATES = 1 << 0,   /* one state can violate it, and then settles it */
    CHECK_EDGELESS = 1 << 1,    /* decided without following edges */
    CHECK_OF_ENABLED = 1 << 2,  /* about processes that are enabled */
    CHECK_SAME_FOLDED = 1 << 3, /* the same for all states that are exchanges of each other */
    CHECK_UNFOLDED = 1 << 4,    /* decided on a graph unfolded (folded.h) */
    CHECK_TO_LIMIT = 1 << 5,   /* a violation needs no entries without end, so that a limit hides it
                                   only if it is beyond the limit */
    CHECK_OF_ABSENCE = 1 << 6, /* a violation is that something cannot happen */
    CHECK_BOUNDED = 1 << 7,    /* its answer is a number, of which the least is looked for */
    CHECK_IN_STEPS = 1 << 8,   /* which is one of steps of one process */
    CHECK_ON_DEVICE = 1 << 9,  /* a GPU decides it */
};

/* Whether a property of this model has a trait. */
bool check_has_trait(const struct check_model *model, enum check_property property,
                     enum check_trait trait);
/* The same where no model matters. */
bool check_is_bounded(enum check_property property);
bool check_counts_steps(enum check_property property);
bool check_is_of_states(enum check_property property);

#endif
