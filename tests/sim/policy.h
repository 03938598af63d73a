/* Which thread moves next, and what happens to the others: at random, or one deviation after the
 * other. */
#ifndef BERTH_SIM_POLICY_H
#define BERTH_SIM_POLICY_H

#include "sim.h"

/* What the scheduler may do to the processes that are killable. */
enum {
    POLICY_KILLS = 1,
    POLICY_STOPS = 2,
    POLICY_SIGNALS = 4,
};

/* A thread that can move, or a process that is being ended. */
struct policy_mover {
    struct sim_thread *thread;
    struct sim_process *dying;
};

/* Programs that have opened their pools wait for this moment, so that they all call at once. */
#define POLICY_LATE (SIM_BEGINNING + 5 * SIM_MS)

enum { POLICY_POINTS = 1 << 16, POLICY_DEVIATIONS = 8 };

/* At the point with this number, not the usual but choice number `option` (from 1). */
struct policy_deviation {
    unsigned point, option;
};

struct policy {
    bool systematic;
    bool gives_way;
    bool late;          /* nothing happens to anybody before POLICY_LATE */
    bool inside;        /* opening and closing are no places to deviate */
    unsigned may;       /* POLICY_... */
    unsigned typical;   /* length of a slice */
    unsigned kills;     /* that are left */
    uint64_t next_deed; /* the step at which something happens to somebody */
    uint64_t next_time; /* the time at which the policy wants to be asked again */
    /* systematic */
    struct policy_deviation deviation[POLICY_DEVIATIONS];
    unsigned deviations, point;
    unsigned next_option;                 /* of a deviation that is under way; 0: none */
    unsigned char options[POLICY_POINTS]; /* how many choices there were at each point */
};
extern struct policy policy;

void policy_begin_random(unsigned may);
void policy_begin_systematic(unsigned may, bool inside, const struct policy_deviation *deviation,
                             unsigned deviations);
/* Systematic: a point has been reached. True: somebody else moves here. */
bool policy_point(void);
void policy_interfere(void);
unsigned policy_pick(const struct policy_mover *mover, unsigned count);

#endif
