/*
 * Every decision procedure against brute force (brute.h), on one system or on many random ones:
 * uniformly random tables, and good systems with a few entries changed, so that for every property
 * there are many of both answers (which is asserted too).
 */
#ifndef BERTH_TESTS_COMPARE_H
#define BERTH_TESTS_COMPARE_H

#include "brute_waiting.h"
#include "random_table.h"

#include "check/compact.h"
#include "check/decide.h"

enum question {
    EXCLUSION,
    DISTINCT,
    NOT_LOST,
    DEADLOCK,
    LOCKOUT,
    FINITE,
    BOUNDED,
    LINEAR,
    FIFO,
    NO_MEMORY,
    DOORWAY,
    L_FULL,
    FINITE_ENABLING,
    BOUNDED_ENABLING,
    FIFO_ENABLING,
    KL_DEADLOCK,
    FIRST_ENABLED,
    STRONG_FIRST_ENABLED,
    L_LOCKOUT,
    OVERTAKING,
    QUEUELIKE,
    QUESTIONS,
};

struct answers {
    uint64_t states, transitions;
    bool holds[QUESTIONS];
    bool bounded[QUESTIONS];
    uint64_t bound[QUESTIONS];
    bool active_bounded;
    uint64_t active_bound;
};

void take(struct answers *answers, enum question q, const struct check_result *result);

/* The way that everybody goes. */
void ask_run(struct table *table, bool symmetry, bool compact, struct answers *answers);

void put(struct answers *answers, enum question q, struct counted counted);

struct tally {
    unsigned systems, holding[QUESTIONS], failing[QUESTIONS];
    uint64_t largest_bound;
};

/* How many threads decide. */
extern unsigned deciding_threads;

extern unsigned disagreements;

void compare(const struct table *table, const struct answers *brute, const struct answers *checker,
             unsigned questions, const char *way);

bool compare_all(struct table *table, struct tally *tally);

/* `both`: for every property there are enough systems that have it and enough that do not. */
void random_systems(uint64_t seed, unsigned count, struct random_wish wish, bool both);

#endif
