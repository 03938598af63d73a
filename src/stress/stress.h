/*
 * Running a protocol's native expansion on real threads and real processes, with real kills and
 * with processes that stop. A run is evidence and never proof: it looks at the schedules that this
 * machine happens to produce.
 */
#ifndef BERTH_STRESS_STRESS_H
#define BERTH_STRESS_STRESS_H

#include "step/protocol.h"

#include <stdbool.h>
#include <stdint.h>

/* The set of participants in the critical section is one word. */
enum { STRESS_MAX_N = 64 };

enum stress_mode { STRESS_THREADS, STRESS_PROCESSES };

struct stress_plan {
    const struct protocol_native *native;
    struct step_params params;          /* n <= STRESS_MAX_N */
    const struct protocol_native *gate; /* an l-exclusion protocol around it; NULL: none */
    struct step_params gate_params;
    bool object; /* not a lock: an operation that leads back to the remainder counts as an entry */
    enum stress_mode mode;
    bool kill;       /* kill participants at random; processes only, and native->can_die */
    bool recover;    /* with `kill`: nothing is done for the dead, and one that comes back recovers;
                         native->revive */
    bool sleep;      /* stop participants at random, for a moment; processes only */
    unsigned asleep; /* with `sleep`: this many are stopped for ever in their trying region */
    double seconds;  /* how long */
    uint64_t entries; /* or, where not 0, until there are this many in all */
    uint64_t seed;
    void (*progress)(double seconds, void *context); /* how long it has run; or NULL */
    void *progress_context;
};

struct stress_report {
    double seconds;   /* until the participants were asked to stop */
    uint64_t entries; /* critical sections that were left again */

    uint64_t gave_up; /* calls of entry that led to none */

    /* Entries that met more than l - 1 others inside, or one that they exclude. */
    uint64_t violations;

    /* Critical sections whose increment of a plain variable was lost to another's. Counted for
     * l = 1 and without kills only, where all exclude each other: the killed take theirs with
     * them. */
    bool counts_lost;
    uint64_t lost;

    /* An entry is overtaken by those that called entry later and got in earlier. It is measured
     * from the call, since the end of a doorway cannot be seen from outside: so races within the
     * doorway, which no protocol claims to decide by arrival, count too. */
    uint64_t analysed; /* only the first entries, this many */
    uint64_t overtaken, overtaken_max;

    uint64_t kills;
    uint64_t naps;           /* stops for a moment */
    unsigned asleep;         /* stopped for ever */
    bool fell_asleep;        /* as many as were meant to be */
    bool counts_progress;    /* with `sleep` only: */
    uint64_t least_progress; /* entries since the last fell asleep, of the one that has fewest */
    unsigned stuck; /* participants that were asked to stop and did not end, except those asleep */

    int interrupted; /* the signal that ended the run early, which is counted so far; 0: none */
};

struct stress_failure {
    char text[160]; /* what berth could not do, and why */
};

/* Blocks until the run is over, and leaves no process behind. The caller must be single-threaded:
 * it is forked. False: berth failed, see `failure`. */
bool stress_run(const struct stress_plan *plan, struct stress_report *report,
                struct stress_failure *failure);

/* No violation, nothing lost, no participant stuck, and at least one entry; with sleepers, every
 * participant that is awake has entered. */
bool stress_holds(const struct stress_report *report);

#endif
