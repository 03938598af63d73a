/* A protocol's model by name, and by name a process's local variables in a state of it. Includes
 * after cmocka. */
#ifndef BERTH_TESTS_FIELDS_H
#define BERTH_TESTS_FIELDS_H

#include "protocol/checked.h"

#include <string.h>

/* The sizes that are not 0 take the place of the defaults. */
void make_model(struct step_model *model, const char *name, struct step_params sizes);

uint64_t local_of(const struct step_model *model, const uint64_t *state, unsigned p,
                  const char *name);

#endif
