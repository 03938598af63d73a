/*
 * The lower bounds of two papers as adversaries. Each theorem says that a system with certain
 * properties has at least a certain number of values of its shared variable, and each proof takes a
 * system with fewer and makes a schedule under which one of the properties fails. That is what is
 * done here, to any model with one shared variable: docs/REFUTE.md goes through it theorem by
 * theorem.
 *
 * Wherever a proof says "by C2 there is a schedule such that", the schedule is run. If it does not
 * do what C2 promises, then that is the property that fails. So with too few values the outcome is
 * always a schedule; with enough of them it may be one, or the construction stops.
 *
 *   Burns, Jackson, Lynch, Fischer, Peterson 1982: Theorems 4.4, 4.5, 4.9, 4.10, 4.12
 *   Fischer, Lynch, Burns, Borodin 1979: Theorems 5.1, 5.2, 5.3
 */
#ifndef BERTH_REFUTE_REFUTE_H
#define BERTH_REFUTE_REFUTE_H

#include "check/replay.h"

enum refute_theorem {
    REFUTE_4_4,
    REFUTE_4_5,
    REFUTE_4_9,
    REFUTE_4_10,
    REFUTE_4_12,
    REFUTE_5_1,
    REFUTE_5_2,
    REFUTE_5_3,
    REFUTE_THEOREMS,
};

struct refute_about {
    const char *name;  /* "4.9" */
    const char *paper; /* authors and year */
    const char *says;  /* the bound, in words */
    enum check_property property[4];
    unsigned properties;
    /* The least number of values, or 0 where the theorem says nothing about such a system. */
    uint64_t (*bound)(unsigned n, unsigned l);
};
const struct refute_about *refute_about(enum refute_theorem theorem);
bool refute_find(const char *name, enum refute_theorem *theorem);

enum refute_end {
    REFUTE_BROKEN,    /* a property fails: `result` has the schedule */
    REFUTE_STOPPED,   /* the construction comes to an end without a contradiction */
    REFUTE_NOT_ABOUT, /* the theorem says nothing about this system */
    REFUTE_NO_MEMORY,
    REFUTE_NO_STEP, /* a process cannot make its step, or stores a value outside its range */
};

struct refute_point { /* an instantaneous description that the proof gives a name to */
    char name[12];
    char value[64]; /* of V, as text */
};

struct refute_outcome {
    enum refute_theorem theorem;
    enum refute_end end;
    uint64_t bound;
    char how[256];              /* which case of the proof, or where it stops */
    struct check_result result; /* which property fails, and the schedule */
    unsigned k;                 /* where the property is about failing processes */
    struct refute_point *point;
    size_t points, room;
    enum check_replayed replayed; /* what the checker says of the schedule */
    const char *why;
};

struct refute_limits {
    const struct check_limits *check; /* for replaying */
    size_t states;                    /* the most that an adversary may keep */
};

/* NULL, or a sentence that says why the papers' model does not cover this one. */
const char *refute_refuses(const struct check_model *model);

/* Runs one adversary, and replays its schedule, if it makes one. */
void refute_run(struct refute_outcome *outcome, enum refute_theorem theorem,
                const struct check_model *model, const struct refute_limits *limits);
void refute_outcome_free(struct refute_outcome *outcome);

#endif
