/* A step that must not be made: which one, and the shortest schedule that leads there. */
#ifndef BERTH_CHECK_SLIP_H
#define BERTH_CHECK_SLIP_H

#include "check/graph.h"
#include "check/witness.h"

struct check_slip {
    bool found;
    unsigned process;
    char label[64]; /* of the access in whose step it happens */
    const char *file;
    unsigned line;
    char text[256];               /* what the process does: "stores 5 into V, which holds 0 .. 3" */
    struct check_witness witness; /* up to the state before the step */
};

/* `bad`: a state of the graph in which some move is an error. */
void check_slip_find(const struct check_graph *graph, const uint64_t *bad, struct check_slip *slip);

#endif
