/* The words of the notation that the prover knows (known_words.c). */
#ifndef BERTH_PROVE_KNOWN_WORDS_H
#define BERTH_PROVE_KNOWN_WORDS_H

#include "check/property.h"
#include "prove/read.h"

bool prove_word_is_known(const char *word);

/* A word that the file uses, with which the property means something else than what is proved here,
 * or which is not known; NULL: there is none. */
const char *prove_word_changing(const struct prove_reading *reading, enum check_property property);

#endif
