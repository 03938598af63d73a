/*
 * The processes and numbers that occur in an obligation, where processes are told apart (names.c).
 * An invariant of all processes is used for those that occur in the obligation: the one that moves,
 * I and J, and whatever the step or the goal applies a function to. So there are no quantifiers,
 * and nothing is left for the solver to find.
 */
#ifndef BERTH_PROVE_NAMES_SCOPE_H
#define BERTH_PROVE_NAMES_SCOPE_H

#include "prove/obligation.h"
#include "prove/position.h"
#include "prove/turns.h"

enum { PROVE_MOST_TERMS = 24 };

struct prove_terms {
    unsigned count;
    prove_t term[PROVE_MOST_TERMS];
};

struct prove_scope {
    struct prove_system *system;
    struct prove_terms processes, numbers, turns;
    struct prove_positions positions;
    bool at_place; /* where subroutines are called, the place of the process that moves is known: */
    unsigned place;
    const struct prove_conjunct *without; /* what is to be shown here, by counting: nothing
                                             that is counted is assumed; or NULL */
};

prove_t prove_is_process(struct prove_system *system, prove_t term);
/* Whether the function is one of processes, not of numbers. */
bool prove_is_of_processes(const struct prove_system *system, int64_t function);

/* A term with `who` in place of the process `from`. */
prove_t prove_of_process(struct prove_system *system, prove_t term, unsigned from, prove_t who);
/* It is not in its remainder; it waits, in its trying region past the doorway. */
prove_t prove_is_outside(struct prove_system *system, prove_t who);
prove_t prove_is_waiting(struct prove_system *system, prove_t who);
/* It is in its doorway, or in a subroutine that was called from there; and whether anybody can be
 * there between two steps. */
prove_t prove_is_in_doorway(struct prove_system *system, prove_t who);
bool prove_has_doorway(const struct prove_reading *reading);
/* I, outside its remainder, can change something by its next step. */
prove_t prove_can_move(struct prove_system *system);
/* It is in this region, called from there or not. */
prove_t prove_is_in_region(struct prove_system *system, enum prove_region region, prove_t who);

/* Whether a process occurs in it that is neither I nor J. */
bool prove_speaks_of_others(struct prove_system *system, prove_t condition);

/* Whether only I occurs in it, and nothing that a step of another process could change. */
bool prove_is_own(struct prove_system *system, prove_t term);

/* The step as processes see it that do not move: what it does to shared variables. Says whether no
 * earlier step looks the same to them. */
bool prove_seen_by_others(struct prove_system *system, const struct prove_step *step,
                          struct prove_step *seen);

/* A term in which the process that moves is at this place. */
prove_t prove_at_place(struct prove_system *system, prove_t term, unsigned place);

/* A term of I, of which the process that moves takes the place: before its step and after it. */
prove_t prove_of_me(struct prove_system *system, prove_t term);
prove_t prove_me_before(struct prove_system *system, const struct prove_step *step, prove_t term);
prove_t prove_me_after(struct prove_system *system, const struct prove_step *step, prove_t term);

/* The scope of an obligation about I, J (`of`) and the process that moves. */
struct prove_scope prove_scope_make(struct prove_system *system, unsigned of,
                                    const struct prove_step *step);
/* What is assumed: that they are processes, and the invariant for all in the scope. */
prove_t prove_scope_assumed(struct prove_scope *scope, unsigned of, const struct prove_step *step,
                            prove_t goal);
/* Names the positions in an obligation, and says what is true of them. */
void prove_scope_finish(struct prove_scope *scope, struct prove_obligation *made);

/* Where values are counted (HOW_MANY): what is true of the counts, what a store does to them, and
 * what is true of them before a step. */
void prove_add_counted(struct prove_system *system);
void prove_count_values(struct prove_system *system, struct prove_step *step, unsigned array,
                        prove_t index, prove_t value);
prove_t prove_counted_before(struct prove_system *system, const struct prove_step *step,
                             const struct prove_terms *numbers);

/* An obligation without a step: where `when` holds, so does `goal`. */
void prove_oblige_goal(struct prove_obligations *list, struct prove_system *system, unsigned of,
                       prove_t when, prove_t goal, const char *text);
/* The same, where this conjunct is not assumed. */
void prove_oblige_goal_without(struct prove_obligations *list, struct prove_system *system,
                               const struct prove_conjunct *without, unsigned of, prove_t when,
                               prove_t goal, const char *text);
/* Where `when` holds before the step, of I and J (`of`), which do not move, and of the process that
 * does, `goal` holds after it. `seen` is the step, or what I and J see of it. */
void prove_oblige_after(struct prove_obligations *list, struct prove_system *system,
                        enum prove_kind kind, const struct prove_step *step,
                        const struct prove_step *seen, unsigned of, prove_t when, prove_t goal,
                        const char *text);
/* The same; the invariant is also used for what occurs in `spoken`, a condition before the step. */
void prove_oblige_ranked(struct prove_obligations *list, struct prove_system *system,
                         enum prove_kind kind, const struct prove_step *step,
                         const struct prove_step *seen, unsigned of, prove_t when, prove_t goal,
                         prove_t spoken, const char *text);

/* A tuple of natural numbers is less after a step than before it, lexicographically; or, `equal`,
 * the same. */
prove_t prove_is_lower(struct prove_pool *pool, unsigned count, const prove_t *before,
                       const prove_t *after, bool equal);

#endif
