/* Terms and conditions for people: in the words of the notation. */
#ifndef BERTH_PROVE_SHOWN_H
#define BERTH_PROVE_SHOWN_H

#include "prove/term.h"

/* Writes the term, as PROOF says it, into `text`; what does not fit ends in "...". */
void prove_shown(const struct prove_pool *pool, prove_t term, char *text, size_t size);

#endif
