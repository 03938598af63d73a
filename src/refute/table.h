/*
 * A protocol given by its transition table, as Burns et al. and Fischer et al. define one: values
 * of one shared variable V, local states in the regions R, T, C and E, and a function delta from
 * what a process finds, the value and its own state, to what it leaves. berth-table(5) is the text
 * format.
 *
 * A table is a protocol like those of the catalogue: it has a name, may make claims, and is checked
 * by the same checker.
 */
#ifndef BERTH_REFUTE_TABLE_H
#define BERTH_REFUTE_TABLE_H

#include "protocol/checked.h"

enum {
    TABLE_MAX_VALUES = 4096,
    TABLE_MAX_STATES = 1024,
    TABLE_MAX_ENTRIES = 1 << 22, /* values * states * programs */
    TABLE_MAX_BYTES = 1 << 24,   /* of text */
    TABLE_NAME = 32,             /* room for a name */
};

struct table_entry {
    uint16_t value, state;
};

typedef char table_name[TABLE_NAME];

struct table {
    struct protocol protocol; /* first: a model finds its table by it */
    struct protocol_model model;
    struct protocol_variant variant;
    struct protocol_claim claims[CHECK_PROPERTIES];
    char name[128]; /* of the file */
    unsigned processes, slots;
    bool alike; /* all processes run program 0 */
    unsigned values, states, programs;
    unsigned first_value, first_state;
    table_name *value_name, *state_name;
    uint8_t *region;          /* enum check_region, by state; room for a power of two */
    struct table_entry *next; /* by program, state and value */
};

/* Where delta of the program is for a state and a value. */
static inline struct table_entry *table_entry(const struct table *table, unsigned program,
                                              unsigned state, unsigned value)
{
    return &table->next[((size_t)program * table->states + state) * table->values + value];
}

/* Reads a table from text. False: `error` says what is wrong, as "NAME:LINE: ..." */
bool table_parse(struct table *table, const char *name, const char *text, size_t size, char *error,
                 size_t error_size);
/* The same from a file; an error of the system has no line. */
bool table_load(struct table *table, const char *path, char *error, size_t error_size);
void table_free(struct table *table);

/* The table as a choice of the catalogue, and the parameters that the file gives. */
struct protocol_choice table_choice(const struct table *table);
struct step_params table_params(const struct table *table);

/* Makes the model. NULL, or a sentence that says why not. */
const char *table_make(struct step_model *model, const struct table *table,
                       const struct step_params *params);

#endif
