/* The rules of the catalogue's protocols, as they were made when this was built (tools/rules). */
#ifndef BERTH_PROVE_RULES_H
#define BERTH_PROVE_RULES_H

#include "os/text_file.h"

extern const struct text_file prove_rules[];
extern const size_t prove_rules_count;

#endif
