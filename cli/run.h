/* The parts of `berth run`: the command's environment, and the command's process. */
#ifndef BERTH_CLI_RUN_H
#define BERTH_CLI_RUN_H

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

struct run_child {
    pid_t pid;
    sigset_t watched; /* the signals that run_wait waits for; they are blocked from run_start on */
};

/* Starts argv, found as execvp finds it, with the signal mask and dispositions that this process was
 * started with. `keep` stays open in it; -1: nothing does. 0, and the child runs; or -1, with errno:
 * there is no process for it; or the errno value of exec. */
int run_start(struct run_child *child, char *const argv[], int keep);

/* Waits until the child has ended and forwards signals meanwhile. Its status, as wait(2) gives it. */
int run_wait(const struct run_child *child);

#endif
