/* Breadth-first exploration of a model: all its reachable states, in a set. */
#ifndef BERTH_CHECK_EXPLORATION_H
#define BERTH_CHECK_EXPLORATION_H

#include "check/budget.h"
#include "check/model.h"
#include "check/property.h"
#include "check/set.h"

#include <stdatomic.h>

enum check_end {
    CHECK_COMPLETE,
    CHECK_OUT_OF_MEMORY,
    CHECK_OUT_OF_TIME,
    CHECK_TOO_MANY,     /* more than were asked for, or than 32-bit numbers, where they have any */
    CHECK_OUT_OF_RANGE, /* a protocol stored a value outside its declared range */
    CHECK_VIOLATED,     /* a state was found that settles what is asked: check_limits.stop_at */
    CHECK_INTERRUPTED,  /* by the caller */
};

struct check_progress {
    const char *phase; /* "exploring", "building the graph", "deciding" */
    uint64_t states, frontier, depth, bytes;
    double seconds;
    /* Where properties are decided: one that is being decided, how many are, and of how many. */
    const char *property;
    unsigned decided, of;
};

/* Another engine that explores: a GPU. */
struct check_query;
struct check_result;
struct check_report;
struct check_limits;
struct check_elsewhere {
    /* Whether it could decide this property of this model. */
    bool (*decides)(const struct check_model *model, enum check_property property);
    /* Answers `count` queries that it could decide; some may stay undecided. False: it did not
     * finish, and nothing of it is used; it has printed why. */
    bool (*run)(struct check_elsewhere *self, const struct check_model *model,
                const struct check_limits *limits, const struct check_query *queries, size_t count,
                struct check_result *results, struct check_report *report);
    /* Says in a sentence what is not done there. */
    void (*say)(struct check_elsewhere *self, const char *text);
};

struct check_limits {
    struct check_budget *budget;
    double seconds;   /* 0: none */
    uint64_t states;  /* stop when this many are stored; 0: none */
    unsigned threads; /* at least 1 */
    bool symmetry;    /* use it where it helps */
    bool keep_order;  /* keep the list of all states in the order in which they were found */
    bool plain;       /* no compact model */
    bool early;       /* end where a claimed property of single states fails (see `stop_at`) */
    uint64_t stop_at; /* properties of single states: the exploration ends where one fails */
    struct check_elsewhere *elsewhere;   /* is asked first; NULL: there is none */
    const _Atomic(unsigned) *interrupts; /* how many times it was asked to end; or NULL */
    void (*progress)(const struct check_progress *progress, void *context); /* or NULL */
    void *progress_context;
};

/* States that can have numbers of 32 bits, which they have where edges will be followed. Tests set
 * it to less. */
extern uint64_t check_most_numbers;

struct check_space {
    const struct check_model *model;
    struct check_set set;
    bool reduced;         /* the set holds canonical states only */
    uint64_t stored;      /* states in the set */
    uint64_t states;      /* that were expanded, without symmetry reduction */
    uint64_t transitions; /* from them; a busy wait is one, a death without effect is not */
    uint64_t expanded;    /* of those in the set */
    uint64_t depth;       /* levels of the search */
    bool barred;          /* a limit kept some process in its remainder */
    uint64_t *order;      /* all states as they were found, level by level; NULL unless asked for */
    uint64_t order_room;
    uint64_t bytes;                /* the most that the set and two levels of the search took */
    uint64_t bad[CHECK_MAX_WORDS]; /* where it ended out of range: the state with the error */
    enum check_end end;
};

/* False only when there was no memory for even the first table; otherwise `space` must be closed.*/
bool check_explore(struct check_space *space, const struct check_model *model,
                   const struct check_limits *limits);
void check_space_close(struct check_space *space);

double check_clock(void); /* seconds, monotonic */

#endif
