/* Random walks, for sizes that cannot be explored: they may find a violation, and prove nothing. */
#ifndef BERTH_CLI_WALK_H
#define BERTH_CLI_WALK_H

#include "cli.h"

struct cli_walks {
    unsigned steps; /* of each walk; 0: some thousand */
    unsigned seed;
    double seconds; /* 0: ten */
};

int cli_walk(const struct protocol_choice *choice, const struct step_model *model,
             const struct cli_walks *walks, const _Atomic(unsigned) *interrupts, bool json);

#endif
