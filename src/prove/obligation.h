/* What has to be shown for a property: each obligation is a sentence about integers without
 * quantifiers, and holds if `assume` and not `goal` has no solution. */
#ifndef BERTH_PROVE_OBLIGATION_H
#define BERTH_PROVE_OBLIGATION_H

#include "prove/system.h"

enum prove_kind {
    PROVE_AT_FIRST,   /* the invariant holds at first */
    PROVE_KEPT,       /* a step keeps it */
    PROVE_WELLFORMED, /* a step computes with what words can hold */
    PROVE_GOAL,       /* it implies the property */
    PROVE_RANKED,     /* a step that changes no region lowers the rank */
    PROVE_MOVES,      /* somebody outside its remainder can change something */
    PROVE_HELPED,     /* a step brings the waiter nearer, or leaves it to the helper */
};

struct prove_obligation {
    enum prove_kind kind;
    struct prove_system *system;
    const struct prove_step *step; /* or NULL */
    prove_t assume, goal;
    const char *conjunct; /* what is kept, where that is asked one by one; or NULL */
    char name[96];        /* a file name */
    char text[200];
};

struct prove_obligations {
    unsigned count, room;
    struct prove_obligation *all;
    bool failed; /* out of memory */
};

void prove_obligations_free(struct prove_obligations *list);

/* One more, which the caller fills in: never NULL. */
struct prove_obligation *prove_oblige(struct prove_obligations *list, struct prove_system *system,
                                      enum prove_kind kind, const struct prove_step *step);
/* `conjunct`, or NULL, and what is said of it. */
void prove_oblige_says(struct prove_obligation *made, const char *conjunct, const char *what);

/* The invariant at first and after each step. In the marked system, only what is said there. */
void prove_oblige_invariant(struct prove_obligations *list, struct prove_system *system);
void prove_oblige_exclusion(struct prove_obligations *list, struct prove_system *system);
void prove_oblige_values(struct prove_obligations *list, struct prove_system *system);
void prove_oblige_deadlock_free(struct prove_obligations *list, struct prove_system *system);
/* In the watched system. Somebody who can move is prove_oblige_deadlock_free's business. */
void prove_oblige_lockout_free(struct prove_obligations *list, struct prove_system *system);
/* In the marked system: at most bound + bound_n * n entries. */
void prove_oblige_waiting(struct prove_obligations *list, struct prove_system *system,
                          uint64_t bound, uint64_t bound_n);

/* The same where processes are told apart. */
void prove_oblige_names_invariant(struct prove_obligations *list, struct prove_system *system);
void prove_oblige_names_exclusion(struct prove_obligations *list, struct prove_system *system);

#endif
