/* What the tests of the third reading share: what a protocol is called, what a state says, and the
 * states of a small system, each once. */
#ifndef BERTH_TEST_RULE_STATES_H
#define BERTH_TEST_RULE_STATES_H

#include "support.h"

#include "protocol/checked.h"

#include <stdlib.h>
#include <string.h>

const char *full_name(const struct protocol_choice *choice);

int64_t local_value(const struct step_model *model, const uint64_t *local, const char *name);

struct states {
    size_t count, most, slots;
    uint64_t *word;
    size_t *slot; /* number + 1 */
};

struct states states_begin(unsigned words, size_t most);

void states_end(struct states *states);

void states_add(struct states *states, unsigned words, const uint64_t *state);

#endif
