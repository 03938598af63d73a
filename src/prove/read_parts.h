/* What the source files of prove/read.h share. */
#ifndef BERTH_PROVE_READ_PARTS_H
#define BERTH_PROVE_READ_PARTS_H

#include "prove/read.h"

extern const char prove_malformed[], prove_too_large[]; /* errors */

/* ---- read_proof.c ---- */

/* An item that PROOF says. NULL, or what is wrong with it; prove_malformed: it is none of them. */
const char *prove_read_proof(struct prove_reading *reading, const struct prove_list *item);

#endif
