/* Random systems: tables filled at random, and known systems with a few entries changed. */
#ifndef BERTH_TESTS_RANDOM_TABLE_H
#define BERTH_TESTS_RANDOM_TABLE_H

#include "table_model.h"

void random_fill(struct table *table, struct dice *dice, bool alike);

/* Local states: 0 is the remainder, and one or two of each of the others. */
void random_regions(struct table *table, struct dice *dice, bool doorway, bool exits,
                    unsigned most);

/* What to make: any of the kinds above, of a size that brute force can do. */
struct random_wish {
    unsigned n;
    bool alike, deaths, bars, doorway, exits;
    bool kills;      /* instead of deaths */
    bool choices;    /* some steps ask for one */
    bool quits;      /* some steps lead from T to R or E */
    bool supervisor; /* one more process, without regions */
    bool own_steps;  /* enabling is meant in own steps */
};

void random_table(struct table *table, struct dice *dice, struct random_wish wish);

#endif
