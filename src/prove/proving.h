/* A claim and the groups of obligations that it rests on. */
#ifndef BERTH_PROVE_PROVING_H
#define BERTH_PROVE_PROVING_H

#include "prove/prove.h"

/* All obligations; written to files, where that is asked for. NULL, or what is wrong. */
const char *prove_make_groups(struct prove_run *run);

/* Whether what the line is about is proved; the line says what it rests on, or why not. */
bool prove_decide(struct prove_run *run, struct prove_line *line);

#endif
