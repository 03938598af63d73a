/* Walking the catalogue at sizes that a test can afford. */
#ifndef BERTH_TESTS_CATALOGUE_H
#define BERTH_TESTS_CATALOGUE_H

#include "support.h"

#include "protocol/checked.h"

/* The number of states, or 0 if there are more than `most`, or the parameters do not do. */
uint64_t count_states(const struct protocol_choice *choice, const struct step_params *params,
                      uint64_t most);

typedef void catalogue_visit(const struct protocol_choice *choice, const struct step_params *params,
                             void *context);

/* Every protocol and variant at n = `first` .. `last`, and l = 1, 2 where it has slots, as long as
 * it has no more than `most` states; scaled_full(most), where the effort is not the usual one. At
 * least one size of each is visited, or large.c lists it as one with more states; else the test
 * fails. */
void for_each_small(unsigned first, unsigned last, unsigned most,
                    bool (*wanted)(const struct protocol_choice *choice), catalogue_visit *visit,
                    void *context);

#endif
