/* A process's local variables by name, in a state of a protocol's model. Includes after cmocka. */
#ifndef BERTH_TESTS_FIELDS_H
#define BERTH_TESTS_FIELDS_H

#include "step/frame.h"

#include <string.h>

static inline uint64_t local_of(const struct step_model *model, const uint64_t *state, unsigned p,
                                const char *name)
{
    uint64_t words[CHECK_MAX_WORDS];
    model->check.local_state(&model->check, state, p, words);
    for (unsigned f = 0; f < model->locals; f++) {
        const struct check_field field = model->local[f];
        if (strcmp(model->local_name[f], name) == 0)
            return words[field.word] >> field.shift & field.mask;
    }
    fail_msg("no local variable %s", name);
    return 0;
}

#endif
