/*
 * Numbers that are divided by a constant (CONSTANT), which is any number: a ticket, and the length
 * of the ring in which it has a place. A quotient and a rest are functions of the number, and the
 * solver gets facts about any two tickets that occur in the obligation.
 */
#ifndef BERTH_PROVE_TURNS_H
#define BERTH_PROVE_TURNS_H

#include "prove/obligation.h"

/* Whether it is a quotient by a constant, or a rest. */
bool prove_is_turn(const struct prove_system *system, prove_t term);

/* Puts the functions in the place of quotients and rests in an obligation, and says what is true of
 * them. */
void prove_turns_finish(struct prove_system *system, struct prove_obligation *made);

#endif
