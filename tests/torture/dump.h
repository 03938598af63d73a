/* Prints the pool and the board for people to read, when something went wrong. */
#ifndef BERTH_TORTURE_DUMP_H
#define BERTH_TORTURE_DUMP_H

#include "board.h"

#include <stdio.h>

void dump_board(FILE *out, const struct board *board, unsigned places);
void dump_pool(FILE *out, const char *store, const char *name);

#endif
