/*
 * Positions in obligations. To the solver, the position of a value in an array of some length is a
 * function of the value, of which it is told what it needs: it is not negative and not above the
 * length; the value is there if it is below; and the value is at none of the numbers in question
 * that are less.
 */
#ifndef BERTH_PROVE_POSITION_H
#define BERTH_PROVE_POSITION_H

#include "prove/system.h"

struct prove_positions {
    struct prove_system *system;
    const struct prove_step *step; /* after which an array may be looked through; or NULL */
    unsigned arrays;
    struct {
        int64_t array; /* symbol: an array, or its name after the step */
        prove_t length;
    } in[PROVE_MAX_POSITIONS];
    unsigned count; /* of those that have been named */
    struct {
        unsigned in;
        prove_t value;
    } * all; /* in the pool */
};

/* The term with its positions named. Where there are too many, the pool has failed. */
prove_t prove_positions_name(struct prove_positions *positions, prove_t term);

/* One that was named, counted from 0; NULL: there are no more. */
prove_t prove_positions_get(const struct prove_positions *positions, unsigned which);

/* What is true of those that have been named, and of these numbers. */
prove_t prove_positions_facts(const struct prove_positions *positions, const prove_t *number,
                              unsigned numbers);

#endif
