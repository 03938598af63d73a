/* A state of counters, and the checker's states that it stands for. */
#ifndef BERTH_PROVE_REACH_H
#define BERTH_PROVE_REACH_H

#include "check/witness.h"
#include "prove/obligation.h"
#include "step/frame.h"

/* The counters of a packed state, by symbol. False: the state is none of theirs: a role has two
 * holders, or a process is at a place that the rules do not know. */
bool prove_counters_of(const struct prove_system *system, const struct step_model *model,
                       const uint64_t *state, int64_t *value);

enum prove_reached { PROVE_NOT_SOUGHT, PROVE_UNREACHABLE, PROVE_REACHED };

/* Explores the model and looks for a state with these counters: with a shortest run to it, which is
 * to be freed. PROVE_NOT_SOUGHT: more than `most` states, or no memory. */
enum prove_reached prove_reach(const struct prove_system *system, const struct step_model *model,
                               const int64_t *value, uint64_t most, struct check_witness *run);

/* The same where processes are told apart: for a state in which those that the obligation is about,
 * and the cells, are as `value` says, and in which what has to be shown does not hold. */
enum prove_reached prove_reach_names(const struct prove_obligation *obligation,
                                     const struct step_model *model, const int64_t *value,
                                     uint64_t most, struct check_witness *run);

/* Looks for a state in which something is not so that the system assumes of all states (ASSUMED):
 * its name, or NULL. A run to it, which is to be freed, is in `run`. */
const char *prove_reach_untrue(const struct prove_system *system, const struct step_model *model,
                               uint64_t most, struct check_witness *run);

#endif
