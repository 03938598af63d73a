/* Where every decision of a run comes from. */
#ifndef BERTH_SIM_CHOICE_H
#define BERTH_SIM_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

void choice_seed(uint64_t seed);
uint64_t choice_bits(void);
/* 0 .. n - 1 */
unsigned choice_below(unsigned n);
/* True once in n times. */
bool choice_one_in(unsigned n);
/* About `typical`, sometimes much more or less. */
uint64_t choice_around(uint64_t typical);

#endif
