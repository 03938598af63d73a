/*
 * A model compiled into tables while it is explored.
 *
 * A process's *unit* is its local state together with the registers that it alone writes. Units are
 * numbered as they turn up, and a compact state is the numbers of the processes' units with the
 * shared variables that several processes write. What a process does next, and to which cell,
 * depends on its unit alone; so a step is a function of the unit and of the value in that cell, and
 * is looked up in a table. The first time, the original model is asked.
 *
 * The compact model is the same system, state for state; it is smaller and faster.
 */
#ifndef BERTH_CHECK_COMPACT_H
#define BERTH_CHECK_COMPACT_H

#include "check/coverage.h"
#include "check/units.h"

#include <pthread.h>

struct check_compact {
    struct check_model model; /* first: callbacks get a pointer to it */
    const struct check_model *raw;
    struct check_budget *budget;
    unsigned unit_bits;
    unsigned tables; /* 1 or n */
    struct check_units units[CHECK_MAX_PROCESSES];
    unsigned registers[CHECK_MAX_PROCESSES]; /* how many each process owns */
    uint16_t register_cell[CHECK_MAX_PROCESSES][CHECK_MAX_REGISTERS];
    uint8_t register_of[CHECK_MAX_CELLS]; /* a cell's place among its owner's */
    /* The tables of each process, and where its unit lies in a state: at hand for expanding. */
    const struct check_next *step[CHECK_MAX_PROCESSES];
    _Atomic(uint64_t) *next[CHECK_MAX_PROCESSES];
    uint8_t unit_word[CHECK_MAX_PROCESSES], unit_shift[CHECK_MAX_PROCESSES];
    unsigned shared; /* cells without an owner */
    struct {
        uint64_t mask;
        uint16_t cell;
        uint8_t word, shift;
    } shared_cell[CHECK_MAX_CELLS];
    unsigned owned; /* cells with one: the value is in a table of the owner's units */
    struct {
        const uint32_t *value;
        uint16_t cell, owner;
    } owned_cell[CHECK_MAX_CELLS];
    uint8_t cell_word[CHECK_MAX_CELLS + 1], cell_shift[CHECK_MAX_CELLS + 1];
    struct check_coverage coverage; /* of the steps that the tables have */
    pthread_mutex_t lock;           /* held while a table is written */
    _Atomic(bool) full;   /* more units than unit_bits can number: wider states are needed */
    _Atomic(bool) broken; /* no memory, or the original model has an error here */
};

/* Whether the model can be compiled. */
bool check_can_compact(const struct check_model *raw);

/* Makes the compact model with states of `words` words. False: it does not fit, or no memory. */
bool check_compact_open(struct check_compact *compact, const struct check_model *raw,
                        struct check_budget *budget, unsigned words);
void check_compact_close(struct check_compact *compact);

#endif
