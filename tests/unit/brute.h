/*
 * The properties again, from their definitions, by other algorithms than the checker's: plain
 * enumeration of the states, closure of the successor relation by Warshall's algorithm, enumeration
 * of the sets of processes that halt, and iteration to a fixed point instead of components. Slow,
 * and meant to be plainly right. Definitions in our words, after Burns et al. 1982 and Fischer,
 * Lynch, Burns, Borodin 1979.
 */
#ifndef BERTH_TESTS_BRUTE_H
#define BERTH_TESTS_BRUTE_H

#include "table_model.h"

enum { BRUTE_STATES = 512, BRUTE_EDGES = 3 * TABLE_PROCESSES, BRUTE_WORDS = BRUTE_STATES / 64 };
enum { BRUTE_CODES = 1 << 21, BRUTE_NONE = UINT16_MAX };

struct relation {
    uint64_t row[BRUTE_STATES][BRUTE_WORDS];
};

struct brute {
    const struct table *table;
    unsigned n, l, k, edges, count;
    unsigned steps; /* edges below this number are steps, the rest are faults */
    uint16_t next[BRUTE_STATES][BRUTE_EDGES]; /* BRUTE_NONE: no such edge */
    uint8_t value[BRUTE_STATES];
    uint8_t local[BRUTE_STATES][TABLE_PROCESSES];
    uint8_t region[BRUTE_STATES][TABLE_PROCESSES];
    uint8_t enabled[BRUTE_STATES], leaving[BRUTE_STATES];     /* CEn, REn: sets of processes */
    uint8_t allocated[BRUTE_STATES], releasing[BRUTE_STATES]; /* C-, R-allocation */
};

static inline enum check_region brute_region(const struct brute *brute, unsigned u, unsigned p)
{
    return (enum check_region)brute->region[u][p];
}

static inline bool brute_tries(const struct brute *brute, unsigned u, unsigned p)
{
    return check_trying(brute_region(brute, u, p));
}

static inline bool brute_fails_at(const struct brute *brute, unsigned u, unsigned p)
{
    return brute_tries(brute, u, p) || brute_region(brute, u, p) == CHECK_EXIT;
}

static inline bool brute_chooses(const struct brute *brute, unsigned e)
{
    return e >= brute->n && e < brute->steps;
}

bool brute_explore(struct brute *brute, const struct table *table);

/* State u as the checker packs it. */
void brute_pack(const struct brute *brute, unsigned u, uint64_t *state);

uint64_t brute_transitions(const struct brute *brute);

static inline bool related(const struct relation *relation, unsigned u, unsigned v)
{
    return relation->row[u][v / 64] >> v % 64 & 1;
}

static inline void relate(struct relation *relation, unsigned u, unsigned v)
{
    relation->row[u][v / 64] |= UINT64_C(1) << v % 64;
}

/* Warshall: from one state to another by one step or more. */
void brute_closure(struct relation *relation, unsigned count);

/* A part of the graph: what a schedule may use. */
struct part {
    bool inside[BRUTE_STATES];
    unsigned halted; /* these processes do not move */
    bool no_faults, keeps_regions;
};

bool part_has(const struct brute *brute, const struct part *part, unsigned u, unsigned e);

void part_closure(const struct brute *brute, const struct part *part, struct relation *reach);

/* u and v lie on one cycle. */
static inline bool together(const struct relation *reach, unsigned u, unsigned v)
{
    return related(reach, u, v) && related(reach, v, u);
}

/* u lies on a cycle, and no state with a smaller number lies on the same: one of each will do. */
bool begins_cycle(const struct relation *reach, unsigned u);

/* From u an infinite schedule can go back to u for ever, with every process that is not halted
 * moving again and again. */
bool goes_on_for_ever(const struct brute *brute, const struct part *part,
                      const struct relation *reach, unsigned u);

unsigned brute_in(const struct brute *brute, unsigned u, enum check_region region);

/* C1: never more than l in the critical region. */
bool brute_exclusion(const struct brute *brute);

/* C5 of Burns et al.: each process is seen in one local state of its remainder region. */
bool brute_no_memory(const struct brute *brute);

/* Nobody critical holds a slot that another critical process holds, or that does not exist. */
bool brute_distinct_slots(const struct brute *brute);

/* From every state, steps of living processes, without kills, lead to one where all slots are
 * filled. */
bool brute_no_slot_lost(const struct brute *brute);

/* C2 of Burns et al.: with somebody outside its remainder, somebody changes its region at last, if
 * a process halts only in its remainder region or dead. */
bool brute_deadlock_free(const struct brute *brute);

/* C3: nobody stays in its trying or exit region for ever, if a process halts only in its
 * remainder. */
bool brute_lockout_free(const struct brute *brute);

/* Definition 2.2 of Afek et al.: no process that moves for ever stays in its trying or exit region,
 * if fewer than l processes halt outside of their remainder. */
bool brute_l_lockout_free(const struct brute *brute);

#endif
