/* The plays: in each, the victim makes other accesses of the protocol. */
#ifndef BERTH_TORTURE_SCENARIOS_H
#define BERTH_TORTURE_SCENARIOS_H

#include "stage.h"

struct scenario {
    const char *name;
    unsigned slots, seats;
    void (*play)(struct stage *stage);
};

extern const struct scenario scenarios[];
extern const unsigned scenario_count;

#endif
