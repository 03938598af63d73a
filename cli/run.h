/* The parts of `berth run`: the command's environment, and the command's process. */
#ifndef BERTH_CLI_RUN_H
#define BERTH_CLI_RUN_H

#include "berth.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* ---- run_pools.c ---- */

struct run_pool {
    const char *name;
    unsigned slots; /* so many are asked for */
    unsigned of;    /* so many has the pool */
    berth_pool *handle;
    berth_grant *grants;
};

struct run_pools {
    size_t count;
    struct run_pool *pool; /* room for BERTH_MAX_WANTS */
};

/* How long to wait. */
struct run_patience {
    bool none;
    const struct timespec *deadline; /* NULL: as long as it takes */
};

/* NAME or NAME:SLOTS; the text is cut up. False: it is neither. */
bool run_pools_add(struct run_pools *pools, char *text);

/* Whether it is about one slot of one pool, as it is mostly. */
bool run_pools_single(const struct run_pools *pools);

/* These give what the calls of berth.h give. After an error, too, the pools are to be closed. */
int run_pools_open(struct run_pools *pools, const berth_options *options);
int run_pools_acquire(struct run_pools *pools, const struct run_patience *patience);
int run_pools_close(struct run_pools *pools);

bool run_pools_can_be_lost(const struct run_pools *pools);

/* What is asked for, as the library wants to have it. */
void run_pools_want(const struct run_pools *pools, berth_want wants[BERTH_MAX_WANTS]);

/* ---- run_loan.c ---- */

/* As run_pools_acquire; slots of the runs around this one are borrowed, unless it wants its `own`. */
int run_loan_acquire(struct run_pools *pools, const struct run_patience *patience, bool own);

/* Lends the slots to the command, and says so in this process's own environment. From here on closing the
 * pools gives the slots back: it does not wait for what a run that was left behind has borrowed. */
int run_loan_environment(const struct run_pools *pools);

/* How deep in the slot this run is; 0: the slot is its own. */
unsigned run_loan_level(const struct run_pool *pool);

/* ---- run_environment.c ---- */

/* Whether this is NAME=TEMPLATE with nothing in braces but {slot}, {slots}, {token} and {pool}, which
 * are of the first pool, or {NAME.slot} and so on of the pool NAME; "{{" stands for a brace. */
bool run_assignable(const char *assignment, const struct run_pools *pools);

/* Adds BERTH_POOL and so on, then each NAME=TEMPLATE of the list that NULL ends, to this process's
 * own environment: the search of PATH follows it, as with env(1). 0 or an errno value. */
int run_environment(const struct run_pools *pools, const char *const assignments[]);

/* Writes the numbers of the slots that are held, with commas between. */
void run_put_slots(FILE *out, const struct run_pool *pool);

/* ---- run_child.c ---- */

struct run_child {
    pid_t pid;
    sigset_t watched; /* the signals that run_wait waits for; they are blocked from run_start on */
};

/* What the command keeps of berth run. */
struct run_keep {
    size_t count;
    int fd[BERTH_MAX_WANTS]; /* stay open in it */
    bool tied;               /* it does not outlive this process */
    /* Called in the new process, as the last thing before it becomes the command; where it gives another
     * value than 0, an errno value, it does not. Nothing but system calls. */
    int (*last)(void *context);
    void *context;
};

/* Starts argv, found as execvp finds it, with the signal mask and dispositions that this process was
 * started with. 0, and the child runs; or -1, with errno: there is no process for it; or the errno
 * value of exec. */
int run_start(struct run_child *child, char *const argv[], const struct run_keep *keep);

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

/* Slots that can be lost. The child is asked to end (TERM) when no more than a quarter of the lease is
 * left, and is killed when nothing is. */
struct run_lease {
    const struct run_pools *pools;
    uint64_t whole;      /* the most nanoseconds that were ever left */
    uint64_t good_until; /* CLOCK_BOOTTIME, as of when the command was started */
    bool lost;           /* or as good as: the child was told to end */
    bool too_late;       /* it was over before the command was started */
};

/* To be called before pools of that store are opened; nothing is done where none can be lost. This process's descendants are its command's, and are known
 * by a word in their environment. */
void run_lease_mark(const char *store);

/* Before the command is started: false, if the slot has been lost already. */
bool run_lease_begin(struct run_lease *lease);
/* For run_keep.last: the lease is not over, and the guardian knows of this process. */
int run_lease_last(void *lease);

struct timespec run_lease_look(const struct run_child *child, void *lease);

/* When the child has ended: whether the slot may have been somebody else's before that. Then nothing of
 * the command is left, but for *refused, a process that cannot be killed; 0: there is none. */
bool run_lease_lost(const struct run_lease *lease, pid_t *refused);

#endif
