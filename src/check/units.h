/*
 * The tables of units (see compact.h): memory for as many as can be numbered is mapped at once, so
 * that nothing moves while others read; only what turns up takes memory.
 */
#ifndef BERTH_CHECK_UNITS_H
#define BERTH_CHECK_UNITS_H

#include "check/budget.h"
#include "check/model.h"

enum {
    CHECK_MAX_UNIT_BITS = 20,
    CHECK_MAX_REGISTERS = 8, /* of one process */
    CHECK_UNIT_LOCALS = 6,   /* words of a local state */
    CHECK_UNIT_WORDS = CHECK_UNIT_LOCALS + CHECK_MAX_REGISTERS,
};

struct check_next {
    uint32_t row;    /* where its row of `next` begins */
    uint16_t cell;   /* which cell its step accesses; the number of cells: none */
    uint16_t values; /* of that cell */
};

struct check_units { /* the units of one process, or of all where they are alike */
    _Atomic(uint32_t) count;
    uint64_t *key;                      /* CHECK_UNIT_WORDS for each: local state, then registers */
    uint8_t *region;                    /* enum check_region */
    struct check_next *step;            /* what it does next */
    uint32_t *reg[CHECK_MAX_REGISTERS]; /* the values of its registers */
    uint32_t *index;                    /* hash table of unit numbers + 1, `index_size` slots */
    uint64_t index_size;
    /* A row has an entry for each value of the cell, and one for the fault. 0: not yet known. */
    _Atomic(uint64_t) *next;
    uint64_t next_used, next_room;
    size_t bytes; /* mapped, except `next` */
};

/* Room for 2^bits units with this many registers. False: no memory. */
bool check_units_open(struct check_units *units, unsigned bits, unsigned registers);
void check_units_close(struct check_units *units, struct check_budget *budget);

#endif
