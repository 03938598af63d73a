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
    /* Symbols of which the goal says that there are values for them; and `for_all`, or NULL: a part
     * of the goal that then holds for all values of I, J, ANY and ANY_TURN. */
    unsigned exist;
    unsigned exists[PROVE_MAX_CONSTANTS];
    prove_t for_all;
    const char *conjunct; /* what is kept, where that is asked one by one; or NULL */
    /* Where processes are told apart, and not at first: `goal` as it can be evaluated in a state in
     * which the step can be made; or, without a step, in which `when` holds. Otherwise NULL. */
    prove_t shown, when;
    unsigned of;   /* PROVE_OF_...: whom it is about, other than the process that makes the step */
    char name[96]; /* a file name */
    char text[200];
};

struct prove_obligations {
    unsigned count, room;
    struct prove_obligation *all;
    bool failed; /* out of memory */
};

void prove_obligations_free(struct prove_obligations *list);

/* Whether it is about the process that moves (0), I (1), J (2), where they are told apart. */
static inline bool prove_is_about(const struct prove_obligation *obligation, unsigned who)
{
    return who == 0   ? obligation->step != NULL
           : who == 1 ? (obligation->of & PROVE_OF_I) != 0
                      : (obligation->of & PROVE_OF_J) != 0;
}

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
/* Somebody in T or E can change something, where a slot is free and somebody waits, or somebody is
 * in E. */
void prove_oblige_allocation(struct prove_obligations *list, struct prove_system *system);
/* Where a slot is free, each process that waits enters by its next step. */
void prove_oblige_entering(struct prove_obligations *list, struct prove_system *system);
/* In the watched system. Somebody who can move is prove_oblige_deadlock_free's business. */
void prove_oblige_lockout_free(struct prove_obligations *list, struct prove_system *system);
/* In the marked system: at most bound + bound_n * n entries. */
void prove_oblige_waiting(struct prove_obligations *list, struct prove_system *system,
                          uint64_t bound, uint64_t bound_n);

/* The same where processes are told apart. */
void prove_oblige_names_invariant(struct prove_obligations *list, struct prove_system *system);
/* A step of it keeps the invariant, and computes with what words can hold. */
void prove_oblige_names_kept(struct prove_obligations *list, struct prove_system *system,
                             const struct prove_step *step);
/* What is taken for granted (CONSTANTS, ASSUMED) can be so, for all sizes, in the initial state:
 * so nothing is proved from a contradiction. */
void prove_oblige_names_assumptions(struct prove_obligations *list, struct prove_system *system);
/* What the argument for a doorway of several steps needs: a process in it changes something by each
 * of its steps, and no step of another, also one that changes a region, makes its number higher. */
void prove_oblige_names_doorway(struct prove_obligations *list, struct prove_system *system);
/* What it trusts (TRUST) is so. */
void prove_oblige_names_trust(struct prove_obligations *list, struct prove_system *system);
void prove_oblige_names_exclusion(struct prove_obligations *list, struct prove_system *system);
void prove_oblige_names_deadlock_free(struct prove_obligations *list, struct prove_system *system);
/* Nobody is locked out, where a process is BLOCKED_BY one that lets it go (RELEASED). */
void prove_oblige_names_lockout_free(struct prove_obligations *list, struct prove_system *system);
/* As prove_oblige_allocation; where the processes are NUMBERED. */
void prove_oblige_names_allocation(struct prove_obligations *list, struct prove_system *system);
/* The same, by what falls until everything is calm, and by ranks of single processes then. */
void prove_oblige_names_calm(struct prove_obligations *list, struct prove_system *system);
/* First come, first served; where ENABLED is said, first come, first enabled. */
void prove_oblige_names_order(struct prove_obligations *list, struct prove_system *system);
/* What is enabled stays so, and enters after finitely many steps of its own. */
void prove_oblige_names_enabled(struct prove_obligations *list, struct prove_system *system);
/* The same where its next step has to enter. */
void prove_oblige_names_next(struct prove_obligations *list, struct prove_system *system);
/* As many are enabled as there are slots for; where SEAT and TAKEN_BY are said. */
void prove_oblige_names_full(struct prove_obligations *list, struct prove_system *system);
/* Whether the variable is a queue of names, of which as many values are claimed as there are
 * sequences of distinct numbers below n; and that it is such a sequence. */
bool prove_is_queue_of_names(const struct prove_system *system);
void prove_oblige_names_sequences(struct prove_obligations *list, struct prove_system *system);
/* A process that goes on alone comes out, and from its remainder in, if there is a slot for it. */
void prove_oblige_names_alone(struct prove_obligations *list, struct prove_system *system);

#endif
