/* The parts of `berth run`: the command's environment, and the command's process. */
#ifndef BERTH_CLI_RUN_H
#define BERTH_CLI_RUN_H

#include "berth.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- run_environment.c ---- */

/* What the command is told about its slot. */
struct run_slot {
    const char *pool;
    unsigned slot, slots;
    uint64_t token;
};

/* Whether this is NAME=TEMPLATE with nothing in braces but {slot}, {slots}, {token}, {pool}; "{{"
 * stands for a brace. */
bool run_assignable(const char *assignment);

/* Adds BERTH_POOL and so on, then each NAME=TEMPLATE of the list that NULL ends, to this process's
 * own environment: the search of PATH follows it, as with env(1). 0 or an errno value. */
int run_environment(const struct run_slot *slot, const char *const assignments[]);

/* ---- run_child.c ---- */

enum { RUN_TIED = -2 };

struct run_child {
    pid_t pid;
    sigset_t watched; /* the signals that run_wait waits for; they are blocked from run_start on */
};

/* Starts argv, found as execvp finds it, with the signal mask and dispositions that this process was
 * started with. `keep` stays open in it; -1: nothing does; RUN_TIED: nor does it outlive this process. 0, and the child runs; or -1, with errno:
 * there is no process for it; or the errno value of exec. */
int run_start(struct run_child *child, char *const argv[], int keep);

/* Something to be seen to while the child runs: `look` is called at once, then whenever the time that
 * it gave is over, and now and then besides. */
struct run_duty {
    struct timespec (*look)(const struct run_child *child, void *context);
    void *context;
};

/* Waits until the child has ended and forwards signals meanwhile. Its status, as wait(2) gives it.
 * `duty` may be NULL. */
int run_wait(const struct run_child *child, const struct run_duty *duty);

/* ---- run_lease.c ---- */

/* A slot that can be lost. The child is asked to end (TERM) when no more than a quarter of the lease is
 * left, and is killed when nothing is. */
struct run_lease {
    berth_pool *pool;
    const berth_grant *grant;
    uint64_t whole; /* the most nanoseconds that were ever left */
    bool lost;      /* or as good as: the child was told to end */
};

struct timespec run_lease_look(const struct run_child *child, void *lease);

/* When the child has ended: whether the slot may have been somebody else's before that. */
bool run_lease_lost(const struct run_lease *lease);

#endif
