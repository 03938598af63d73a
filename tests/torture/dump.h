/* What there is to see of a pool, and of the board, when something went wrong: for people to read.
 * */
#ifndef BERTH_TORTURE_DUMP_H
#define BERTH_TORTURE_DUMP_H

#include "board.h"

#include <stdio.h>

void dump_board(FILE *out, const struct board *board, unsigned places);
void dump_pool(FILE *out, const char *store, const char *name);

#endif
