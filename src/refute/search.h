/*
 * All protocols of two processes with a few values of V and a few local states, up to the names of
 * values and of states: which properties are there at all?
 *
 * Entries of delta are chosen when a run comes to them, so what is enumerated is what can be
 * reached, and a table that differs where nobody comes is not another one. A value or a state that
 * has not been used before is the next one by number, so that no two tables differ by names alone.
 * A table is cut off, with all that would have become of it, when what there is of it violates what
 *   is asked for.
 */
#ifndef BERTH_REFUTE_SEARCH_H
#define BERTH_REFUTE_SEARCH_H

#include <stdbool.h>
#include <stdatomic.h>
#include <stdint.h>

enum {
    SEARCH_VALUES = 4,
    SEARCH_STATES = 10,
    SEARCH_NODES = SEARCH_VALUES * SEARCH_STATES * SEARCH_STATES,
};

/* What a protocol needs in addition to exclusion in order not to be cut off. */
enum search_goal { SEARCH_DEADLOCK_FREE, SEARCH_LOCKOUT_FREE, SEARCH_BOUNDED_WAITING };

struct search_size {
    unsigned values, remainder, trying, critical, exit;
    bool distinct; /* each process has its own program */
    enum search_goal goal;
};

/* Sets of properties that a protocol has, all with exclusion and without deadlock. */
enum { SEARCH_LOCKOUT = 1, SEARCH_BOUNDED = 2, SEARCH_SETS = 4 };

struct search_entry {
    uint8_t value, state; /* SEARCH_UNSET: not chosen */
};
#define SEARCH_UNSET UINT8_MAX

struct search_protocol {
    struct search_size size;
    uint8_t region[SEARCH_STATES]; /* enum check_region */
    unsigned states, values;       /* local states there are; values that are used */
    unsigned used[2];              /* local states that are used, by program */
    struct search_entry next[2][SEARCH_STATES][SEARCH_VALUES]; /* by program */
    unsigned has;                                              /* SEARCH_LOCKOUT, SEARCH_BOUNDED */
};

struct search_result {
    double tables;   /* how many there are in all, counting renamed ones too */
    uint64_t chosen; /* entries that were chosen: the size of the search */
    uint64_t cut[4]; /* for exclusion, deadlock, lockout, waiting without bound */
    uint64_t complete;
    uint64_t found[SEARCH_VALUES + 1][SEARCH_SETS]; /* by values that are used, exactly */
    bool has_example[SEARCH_VALUES + 1][SEARCH_SETS];
    struct search_protocol example[SEARCH_VALUES + 1][SEARCH_SETS]; /* one with the fewest states */
    bool all;                                                       /* it was searched to the end */
};

/* Called with every protocol that is found; may be NULL. */
typedef void search_visit(const struct search_protocol *protocol, void *context);

/* What ends a search before its end, and who is told how far it is; {0}: nothing and nobody. */
struct search_limits {
    double seconds;                      /* the most that it may take; 0: no limit */
    const _Atomic(unsigned) *interrupts; /* how many times it was asked to end; or NULL */
    void (*progress)(const struct search_result *so_far, double seconds,
                     void *context); /* or NULL */
    void *context;
};

/* NULL, or a sentence that says why there was no search. */
const char *search_run(const struct search_size *size, const struct search_limits *limits,
                       search_visit *visit, void *context, struct search_result *result);

#endif
