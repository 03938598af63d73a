/*
 * A system given by a table: n processes over one shared variable V. A step of process p in local
 * state x that finds the value v is looked up in next[p][v][x]. The local state is the program
 * counter, so the region of each local state is the same for all processes. Local state 0 is the
 * initial one and in the remainder region. Where the table has choices, a step may ask for one; its
 * other outcome is looked up in other[p][v][x].
 */
#ifndef BERTH_TESTS_TABLE_MODEL_H
#define BERTH_TESTS_TABLE_MODEL_H

#include "support.h"

enum { TABLE_PROCESSES = 5, TABLE_LOCALS = 8, TABLE_VALUES = 64 };

struct entry {
    uint8_t value, local;
};

struct table {
    struct check_model check; /* first: the callbacks get a pointer to it */
    unsigned values, locals;
    unsigned first_value;
    uint8_t region[TABLE_LOCALS]; /* enum check_region */
    struct entry next[TABLE_PROCESSES][TABLE_VALUES][TABLE_LOCALS];
    struct entry other[TABLE_PROCESSES][TABLE_VALUES][TABLE_LOCALS];
    bool asks[TABLE_PROCESSES][TABLE_VALUES][TABLE_LOCALS]; /* for a choice */
    bool barred[TABLE_PROCESSES][TABLE_VALUES];             /* may not leave local state 0 */
    bool competes[TABLE_PROCESSES][TABLE_LOCALS];           /* what `active` says */
    uint8_t after_death[TABLE_VALUES][TABLE_LOCALS];        /* V when somebody dies */
    uint8_t dead; /* the local state that death leads to: 0, or one in the region of the dead */
    uint8_t slot[TABLE_PROCESSES][TABLE_VALUES][TABLE_LOCALS]; /* what `slot` says */
    uint8_t slots[TABLE_VALUES];                               /* what `slots` says */
};

uint64_t table_active(const struct check_model *model, const uint64_t *state);

unsigned table_slots(const struct check_model *model, const uint64_t *state);

/* Sets everything up but the table itself. The fields are spread over `words` words. */
void table_begin(struct table *table, unsigned n, unsigned values, unsigned locals, unsigned words);

/* One more process, without regions; its part of the table is to be filled in. */
void table_add_supervisor(struct table *table);

static inline void table_allow_death(struct table *table)
{
    table->check.has_fault = true;
    table->check.kinds++;
}

/* Death leads to a local state of its own, from where the next step is the revival. */
void table_allow_kills(struct table *table);

static inline void table_allow_choices(struct table *table)
{
    table->check.has_choice = true;
    table->check.kinds++;
}

/* One entry, the same for all processes. */
static inline void table_set(struct table *table, unsigned value, unsigned local, unsigned to_value,
                             unsigned to_local)
{
    for (unsigned p = 0; p < table->check.n; p++)
        table->next[p][value][local] = (struct entry){(uint8_t)to_value, (uint8_t)to_local};
}

/* One entry of the other outcomes, the same for all processes. */
void table_choose(struct table *table, unsigned value, unsigned local, unsigned to_value,
                  unsigned to_local);

/* Local states of the systems below; `DOOR` and `LEAVE` only where they are asked for, `IN_1` in a
 * pool alone. */
enum { REST, TRY, IN, DOOR, LEAVE, IN_1, SYSTEM_LOCALS };

void table_regions(struct table *table);

/* V counts the slots that are held: a process that finds one free takes it. A process that tries
 * may give up, where choices are allowed; so in the systems below. */
void table_semaphore(struct table *table, unsigned n, unsigned l, bool exits, unsigned words);

/* V is the set of slots that are held, of two: a process that finds one free takes it. IN has slot
 * 0 and IN_1 slot 1. */
void table_pool(struct table *table, unsigned n, unsigned words);

/* V is the queue of all processes that try or are in, by their numbers; the first l may enter. */
struct queue_code {
    unsigned count;
    unsigned length[TABLE_VALUES];
    unsigned member[TABLE_VALUES][TABLE_PROCESSES];
};

void table_queue(struct table *table, unsigned n, unsigned l, bool doorway, bool exits,
                 unsigned words);

/* The table as text, so that a failing example can be read. */
void table_print(const struct table *table);

#endif
