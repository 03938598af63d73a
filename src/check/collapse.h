/*
 * A model whose states are made of numbers of parts.
 *
 * A state of the original model is split: the local state of each process, and all the rest, the
 * shared part. There are far fewer parts than states, so each is stored once (part_table.h), and a
 * state is the number of its shared part and of each local state: exact, and two words where the
 * original takes six or eight. A move mostly changes one local state and the shared part at most,
 * and only what has changed is looked up again.
 *
 * It is for models that cannot be compiled into tables (compact.h): all that it needs to know of
 * the original is where the local states lie.
 */
#ifndef BERTH_CHECK_COLLAPSE_H
#define BERTH_CHECK_COLLAPSE_H

#include "check/model.h"
#include "check/part_table.h"

enum { CHECK_LOCAL_BITS = 20, CHECK_LOCAL_WORDS = 8 };

struct check_collapse {
    struct check_model model; /* first: callbacks get a pointer to it */
    const struct check_model *raw;
    struct check_parts shared, local; /* one table for the local states of all processes */
    uint8_t *region;                  /* by local state */
    struct check_field shared_field;
    uint64_t mask[CHECK_MAX_WORDS]; /* of each original word, what belongs to the shared part */
    unsigned shared_words;
    uint8_t shared_word[CHECK_MAX_WORDS];
    _Atomic(bool) broken; /* more parts than can be numbered, or no memory for them */
};

/* Whether that makes states smaller. */
bool check_can_collapse(const struct check_model *raw);

/* False: no memory. */
bool check_collapse_open(struct check_collapse *collapse, const struct check_model *raw,
                         struct check_budget *budget);
void check_collapse_close(struct check_collapse *collapse);

/* What the tables of parts take. */
uint64_t check_collapse_bytes(const struct check_collapse *collapse);

#endif
