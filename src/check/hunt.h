/* Looks for bad components of a part of the graph, and for the shortest way into one of them. */
#ifndef BERTH_CHECK_HUNT_H
#define BERTH_CHECK_HUNT_H

#include "check/witness.h"

struct check_hunt {
    const struct check_condensed *condensed; /* the part */
    bool (*bad)(const void *context, const struct check_component *component);
    const void *context;
    struct check_cycle cycle; /* the witness's */
};

enum check_hunted { CHECK_NOTHING_FOUND, CHECK_FOUND, CHECK_HUNT_NO_MEMORY };

/* All components are looked at, so that the way into the bad ones is the shortest there is. */
enum check_hunted check_hunt(const struct check_hunt *hunt, struct check_witness *witness);

/* The same in a part whose components have not been found yet. */
enum check_hunted check_hunt_in(const struct check_view *view, struct check_hunt hunt,
                                struct check_witness *witness);

#endif
