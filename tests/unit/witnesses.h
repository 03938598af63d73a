/* Every witness is a schedule of the model and shows what it is said to show (replay_witness.h). */
#ifndef BERTH_TESTS_WITNESSES_H
#define BERTH_TESTS_WITNESSES_H

#include "replay_witness.h"

extern unsigned complaints, replayed;

bool has_witness(enum check_property property);

void replay_one(const struct check_model *model, const struct check_result *result,
                const char *name, bool symmetry);

#endif
