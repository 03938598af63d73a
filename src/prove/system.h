/*
 * A protocol for every n, as a system of counters. Processes at the same place are alike: a state
 * is the cells and, for each place, how many processes are there. A place at which local variables
 * can be other than 0 (a role) has these as variables of its own; that at most one process is there
 * at a time is a part of what has to be proved. While nobody is there, they are 0.
 *
 * The marked system is the same with two processes picked out, a waiter and another one, whose
 * places are variables too; and with what bounded waiting is about: whether the other one has been
 * in its remainder since it was last counted, and how often it has come from there to its critical
 * region while the waiter stayed in its trying or exit region. In the watched system there is the
 * waiter alone.
 */
#ifndef BERTH_PROVE_SYSTEM_H
#define BERTH_PROVE_SYSTEM_H

#include "prove/read.h"
#include "step/protocol.h"

enum { PROVE_MAX_POSITIONS = 4 };
enum { PROVE_MAX_SETS = 32, PROVE_MAX_STEPS = 3 * PROVE_MAX_RULES, PROVE_MAX_VARIABLES = 256 };

enum prove_marks { PROVE_UNMARKED, PROVE_MARKED, PROVE_WATCHED };
/* What may occur in a condition, where processes are told apart: I, J, any number. */
enum {
    PROVE_OF_I = 1,
    PROVE_OF_J = 2,
    PROVE_OF_ANY = 4,
    PROVE_OF_SECOND = 8,
    PROVE_OF_TURN = 16, /* a number that is divided by a constant: turns.h */
};
enum prove_mover { PROVE_ANYBODY, PROVE_WAITER, PROVE_OTHER };

/* A step of the whole system: where `guard` holds, the variables named become these. */
struct prove_step {
    const struct prove_rule *rule;
    enum prove_mover mover;
    prove_t guard;
    prove_t anywhere; /* the same, wherever it was called from; or NULL */
    unsigned sets;
    struct {
        unsigned symbol;
        prove_t value;
    } set[PROVE_MAX_SETS];
    unsigned stores; /* where processes are told apart */
    struct prove_store {
        unsigned function;
        prove_t index, value; /* the element there becomes this */
        prove_t taken_of;     /* or, not NULL, it is taken out of a prefix of this length */
    } store[PROVE_MAX_SETS];
};

struct prove_conjunct {
    const char *name;
    prove_t condition;
    bool said;    /* in the file; else it comes with the reading */
    bool waiting; /* about the waiter and the other one; or about the order of I and J */
    bool assumed; /* it is not shown */
    const struct prove_said *counted; /* it follows by counting: PIGEONHOLES; or NULL */
    unsigned of;                      /* PROVE_OF_..., where processes are told apart */
};

struct prove_system {
    struct prove_reading *reading;
    struct prove_pool *pool;
    const struct protocol *protocol;
    enum prove_marks marks;
    unsigned n, l, k;                                  /* symbols */
    unsigned at[PROVE_MAX_PLACES];                     /* symbols of the counts */
    unsigned role[PROVE_MAX_PLACES][PROVE_MAX_LOCALS]; /* of the roles' variables */
    unsigned waiter, other, entries, returned;         /* in the marked system */
    /* Where processes are told apart: the one that moves, I, J, any number, a second one. */
    unsigned me, i, j, any, second, turn;
    unsigned vacant;               /* a slot that no critical process holds: names_alone.c */
    unsigned behind;               /* J has been in its remainder since I waits past its doorway */
    unsigned place_of;             /* the function from processes to places */
    unsigned context_of;           /* and, where subroutines are called, to contexts */
    unsigned quotient_of, rest_of; /* where numbers are divided by a constant: turns.c */
    unsigned local_of[PROVE_MAX_LOCALS]; /* and to their local variables */
    unsigned functions, function[PROVE_MAX_ARRAYS + PROVE_MAX_LOCALS + 4 + PROVE_MAX_POSITIONS];
    /* Where a position is sought (position.c): names for functions from a value to its place. */
    unsigned position_of[PROVE_MAX_POSITIONS];
    /* What a solution says of the one that moves, I and J: place, and each local variable. */
    unsigned shown[3][PROVE_MAX_LOCALS + 1];
    bool counts;                            /* PROOF has terms for how many processes are at a
                                             * place */
    bool seat_is_slot;                      /* SEAT is what HOLDS says */
    unsigned variables;                     /* all of the above but n, l, k; and cells */
    unsigned variable[PROVE_MAX_VARIABLES]; /* symbols */
    prove_t first[PROVE_MAX_VARIABLES];     /* their values at first */
    prove_t sizes;                          /* what n, l and k may be */
    unsigned steps;
    struct prove_step *step;
    unsigned conjuncts;
    struct prove_conjunct conjunct[PROVE_MAX_SAID + 256];
    unsigned ranks, lockouts, helpers;
    prove_t rank[PROVE_MAX_RANK];
    prove_t lockout[PROVE_MAX_RANK];    /* in the watched system */
    const char *helper[PROVE_MAX_SAID]; /* labels */
    prove_t helps[PROVE_MAX_SAID];
};

/* `without`: leave out the invariant of that name; or NULL. Gives NULL, or what is wrong. */
const char *prove_system_make(struct prove_system *system, struct prove_reading *reading,
                              const struct protocol *protocol, enum prove_marks marks,
                              const char *without);

/* The same where processes are told apart (names.c). */
const char *prove_names_make(struct prove_system *system, struct prove_reading *reading,
                             const struct protocol *protocol, const char *without);

/* The step of a process that dies, wherever it is (names_death.c). */
void prove_names_add_death(struct prove_system *system);
/* NULL, or what PROOF says that the arguments do not cover (names_misspoken.c). */
const char *prove_names_misspoken(struct prove_system *system);
/* NULL, or why the argument for RELEASED (names_released.c) does not hold here. */
const char *prove_names_misreleased(struct prove_system *system);

/* What both are made of: a variable of the state, with its first value; those of the cells, and n,
 * l and k; what a step sets, the last time if it is said twice. */
unsigned prove_add_variable(struct prove_system *system, const char *name, prove_t first);
void prove_add_cells(struct prove_system *system);
bool prove_is_variable(const struct prove_system *system, unsigned symbol);
void prove_set(struct prove_system *system, struct prove_step *step, unsigned symbol,
               prove_t value);
/* What a step stores into an element of an array, or makes of a process: never NULL. */
struct prove_store *prove_add_store(struct prove_system *system, struct prove_step *step,
                                    unsigned function, prove_t index, prove_t value);

/* What a word of PROOF stands for, where it is about how many; NULL: it is none. */
prove_t prove_meaning(struct prove_system *system, const char *name);
bool prove_region_named(const char *name, enum prove_region *region);
/* A place is in a region; or, `from`, in that region of what the protocol is made from. */
bool prove_is_in(const struct prove_system *system, unsigned p, enum prove_region region,
                 bool from);
/* What n, l and k may be. */
prove_t prove_sizes(struct prove_system *system);

/* All conjuncts. */
prove_t prove_invariant(struct prove_system *system);
/* A condition as it is after the step. */
prove_t prove_after(struct prove_system *system, const struct prove_step *step, prove_t condition);
/* An element of an array, which is a function, as it is after the step. */
prove_t prove_element_after(struct prove_pool *pool, const struct prove_step *step,
                            unsigned function, prove_t index);
/* The name of an array as it is after a step. A position in it is PROVE_POSITION of this name. */
unsigned prove_array_after(struct prove_pool *pool, unsigned function);
/* Whether the step changes anything at all. */
prove_t prove_changes(struct prove_system *system, const struct prove_step *step);
/* The waiter is in its trying or exit region. */
prove_t prove_waits(struct prove_system *system);
/* How many processes are in a region. */
prove_t prove_in_region(struct prove_system *system, enum prove_region region);
/* What must hold for C's unsigned arithmetic to be that of the integers in the step's tests. */
prove_t prove_wellformed_step(struct prove_system *system, const struct prove_step *step);

#endif
