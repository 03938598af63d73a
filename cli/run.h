/* The parts of `berth run`: the command's environment, and the command's process. */
#ifndef BERTH_CLI_RUN_H
#define BERTH_CLI_RUN_H

#include "berth.h"
#include "job.h"
#include "where.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* ---- run_pools.c ---- */

struct run_pool {
    char name[BERTH_NAME_MAX + 2]; /* one that is too long stays too long */
    unsigned slots;                /* that are asked for */
    char size[16];                 /* or a size, as it was given; empty: none */
    unsigned of;                   /* that the pool has */
    berth_pool *handle;
    berth_grant *grants;
    const struct cli_declared *declared; /* NULL: it is not */
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

/* NAME or NAME:SLOTS, `length` characters of the text. False: it is neither. */
bool run_pools_add(struct run_pools *pools, const char *text, size_t length);

/* Makes slots of sizes, by the units that are declared. CLI_OK, or a status after saying what is
 * wrong. */
int run_pools_measure(struct run_pools *pools, const struct cli_where *where);

/* Whether it is about one slot of one pool, as it is mostly. */
bool run_pools_single(const struct run_pools *pools);

/* These give what the calls of berth.h give. */
int run_pools_acquire(struct run_pools *pools, const struct run_patience *patience);
int run_pools_close(struct run_pools *pools);
/* Closes none of them: the command's tree keeps the slots, as if this process had been killed. */
void run_pools_leave(struct run_pools *pools);

bool run_pools_can_be_lost(const struct run_pools *pools);

/* What is asked for, as the library wants to have it. */
void run_pools_want(const struct run_pools *pools, berth_want wants[BERTH_MAX_WANTS]);

/* ---- run_lane.c ---- */

struct run_lane_head {
    const struct run_pool *pool;
    const char *store;
    char lane[BERTH_NAME_MAX + 1], name[BERTH_NAME_MAX + 1]; /* of the lane, and of its pool */
    unsigned width, mode;
    berth_grant grant;
};

/* The lanes that a run stands in, one for each of its pools that has one, and their heads. */
struct run_lanes {
    struct run_lane_head of[BERTH_MAX_WANTS];
    struct run_pool head[BERTH_MAX_WANTS];
    struct run_pools heads; /* in `head`: handles and grants */
    bool waits;             /* it waits there, or has given up there */
};

/* ---- run_options.c ---- */

struct run_options {
    struct run_pool pool[BERTH_MAX_WANTS];
    struct run_pools pools; /* in `pool` */
    const char *store;
    struct cli_where where;
    bool existing;        /* a pool that does not exist is not made */
    unsigned slots, mode; /* 0: not given */
    bool at_once;         /* -n, or -w 0 */
    bool limited;         /* -w */
    double seconds;
    int conflict_status; /* -1: not given */
    bool close, verbose, quiet;
    bool own;                      /* a slot of its own, in another run too */
    bool jobserver;                /* more slots are served to the command, as tokens */
    char lane[BERTH_NAME_MAX + 1]; /* empty: not given */
    unsigned width;                /* of the lane; 0: not given */
    struct run_lanes lanes;
    const char *when; /* a command for the shell; NULL: not given */
    bool detached;
    struct cli_job_files job; /* of a detached run; the journal is -1 otherwise */
    const char *log;          /* of --log; NULL: not given */
    struct run_record *record;
    enum cli_tree tree;       /* CLI_TREE_UNSAID: not given */
    double limit;             /* seconds that the command may run; 0: any */
    double grace;             /* seconds between TERM and KILL */
    const char *form;         /* of it; NULL: whichever the command understands */
    bool help;                /* asked for: nothing else counts */
    const char **assignments; /* of --env; NULL, or ended by NULL */
    const char *string;       /* of -c */
    char **argv;              /* the command; with -c, that is: */
    char *shell[4];
};

/* CLI_OK, or a status after saying what is wrong. */
int run_options_parse(struct run_options *options, int argc, char **argv);

/* Whether nothing but errors is said: -q, or -E without -v. */
bool run_is_silent(const struct run_options *options);

/* Looks at --env once more when the pools are open. CLI_OK, or a status after saying what is
 * wrong. */
int run_options_check(const struct run_options *options);

/* Becomes the head of its lanes, if the run stands in any; the pools, which are open, are closed
 * then. 0, EBUSY or ETIMEDOUT; or -1 after saying what is wrong, and then *status. */
int run_lane_enter(struct run_options *options, const char *description,
                   const struct run_patience *patience, int *status);
/* Makes way for the next of each lane. */
void run_lane_leave(struct run_lanes *lanes);
/* Tells runs inside this one that they must not wait in lanes of these pools. 0 or an errno
 * value. */
int run_lane_environment(const struct run_pools *pools);

/* ---- run_when.c ---- */

/* Waits, with the slots, until the command of --when succeeds. 0; EBUSY, where the patience is
 * none; or ETIMEDOUT. */
int run_when(const struct run_options *options, const struct run_patience *patience);

/* ---- run_detach.c ---- */

/* Makes this run a job: the caller's process prints its number and ends here; the one that returns
 * is another, without a terminal, and writes to the job's log. CLI_OK, or a status after saying
 * what is wrong. `description` is what `berth jobs` shows. */
int run_detach(struct run_options *options, const char *description);
/* Notes that the command runs, and how berth run ends. They do nothing where there is no job. */
void run_detach_runs(const struct run_options *options, pid_t worker);
void run_detach_ends(const struct run_options *options, int status);

/* ---- run_log.c ---- */

/* Opens the file of --log, if it is given. CLI_OK, or a status after saying why not. */
int run_log_open(struct run_options *options, const char *description);
/* It has its slots; and it has ended: the line is written. */
void run_log_granted(const struct run_options *options);
void run_log_write(struct run_options *options, int status);

/* ---- run_open.c ---- */

/* Opens the pools, makes those that have to be made, and compares their slots with -j. Where all
 * seats of a pool are taken, it waits for one, as long as the patience goes. 0, EBUSY or ETIMEDOUT
 * with the library's reason; or -1 after saying what is wrong, and then *status. The caller closes
 * the pools after an error, too. */
int run_pools_open(struct run_options *options, const char *description,
                   const struct run_patience *patience, int *status);

/* ---- run_line.c ---- */

/* Says from a second on what this process waits for, until run_line_end: a line that is kept up to
 * date at a terminal, and one now and then elsewhere. At the end a look at the pools may still be
 * under way; run_line_join waits for that, before `options` end. */
void run_line_start(const struct run_options *options);
void run_line_end(void);
void run_line_join(void);

/* Says why there was no slot, and who waits and holds instead. */
void run_line_gave_up(const struct run_options *options, const char *reason);

/* ---- run_loan.c ---- */

/* As run_pools_acquire; slots of the runs around this one are borrowed, unless it wants its
 * `own`. */
int run_loan_acquire(struct run_pools *pools, const struct run_patience *patience, bool own);

/* Lends the slots to the command, and says so in this process's own environment. From here on
 * closing the pools gives the slots back: it does not wait for what a run that was left behind has
 * borrowed. */
int run_loan_environment(const struct run_pools *pools);

/* Whether a run around this one may lend slots of the pool. */
bool run_loan_is_lent(const char *pool);

/* Has the command keep the slots, and what is lent of them, if this process is killed; in a way
 * that gives it no right to change the pool, if there is a /proc. */
struct run_keep;
void run_loan_keep(const struct run_pools *pools, struct run_keep *keep);

/* How deep in the slot this run is; 0: the slot is its own. */
unsigned run_loan_level(const struct run_pool *pool);

/* ---- run_each.c ---- */

/* The slots of pools for the limit of each user. */
struct run_each {
    struct run_pool pool[BERTH_MAX_WANTS];
    struct run_pools pools; /* in `pool` */
};

/* Opens them, where pools are declared with such a limit. CLI_OK, or a status after saying what is
 * wrong; run_pools_close closes them then, too. */
int run_each_open(struct run_each *each, const struct run_options *options,
                  const char *description);
/* Takes slots of them. What the calls of berth.h give. */
int run_each_acquire(struct run_each *each, const struct run_options *options,
                     const struct run_patience *patience);
/* Tells runs in the command which have been taken. 0 or an errno value. */
int run_each_environment(const struct run_each *each);

/* ---- run_environment.c ---- */

/* Whether this is NAME=TEMPLATE with nothing in braces other than {slot}, {slots}, {token}, {pool}
 * and {device}, which are of the first pool, or {NAME.slot} and so on of the pool NAME; "{{" stands
 * for a brace. Of pools that are open, {device} has to be declared. */
bool run_assignable(const char *assignment, const struct run_pools *pools);

/* Adds BERTH_POOL and so on, then each NAME=TEMPLATE of the list that NULL ends, to this process's
 * own environment: the search of PATH follows it, as with env(1). 0 or an errno value. */
int run_environment(const struct run_pools *pools, const char *const assignments[]);

bool run_has_devices(const struct run_pool *pool);

/* Writes the numbers of the slots that are held, with commas between. */
void run_put_slots(FILE *out, const struct run_pool *pool);

/* ---- run_child.c ---- */

struct run_child {
    pid_t pid;
    sigset_t watched;  /* the signals that run_wait waits for; they are blocked from run_start on */
    int called_off;    /* a signal came before the command was started: there is no child */
    int stopped_by;    /* the signal that has stopped it, or 0 */
    bool told_to_stop; /* berth run was, by the terminal or by kill */
    bool adopts;       /* orphans: this is the first process of a container */
    bool ended;        /* and was reaped: its number may be another process's */
};

/* What the command keeps of berth run. */
struct run_keep {
    size_t count;
    int fd[BERTH_MAX_WANTS]; /* stay open in it */
    bool tied;               /* it is killed when this process dies */
    /* Called in the new process, as the last thing before it becomes the command; where it gives
     * another value than 0, an errno value, it does not. It may only make system calls. */
    int (*last)(void *context);
    void *context;
};

/* Starts argv, found as execvp finds it, with the signal mask and dispositions that this process
 * was started with. 0, and the child runs or was called off; or -1, with errno: there is no process
 * for it; or the errno value of exec. */
int run_start(struct run_child *child, char *const argv[], const struct run_keep *keep);

/* A duty while the child runs: `look` is called at once, then whenever the time that it gave is
 * over, and sometimes in between. */
struct run_duty {
    struct timespec (*look)(const struct run_child *child, void *context);
    void *context;
    bool adopts; /* processes that have lost their parents come to berth run */
};

/* Waits until the child has ended; until then forwards signals, and stops when the child stops. Its
 * status, as wait(2) gives it. `duty` may be NULL. */
int run_wait(struct run_child *child, const struct run_duty *duty);

/* ---- run_tree.c ---- */

/* What becomes of the processes that the command leaves behind, and of the command at its limit. */
struct run_tree {
    enum cli_tree mode;
    bool watched;             /* this process can find them */
    bool speaks;              /* a line says that something is left */
    double grace;             /* seconds between TERM and KILL */
    unsigned long long since; /* what started before (os_family_now) is not the command's */
    uint64_t limit;           /* CLOCK_MONOTONIC; 0: none */
    uint64_t kill_at;         /* the same, where it is being ended */
    bool is_over, is_ending;  /* the limit; the tree */
    bool refused;             /* it was said that one cannot be killed */
    struct run_duty inner;    /* another duty while it runs */
};

/* Before the command is started. */
void run_tree_begin(struct run_tree *tree, const struct run_options *options);
/* A duty: the inner one, and the limit. `context` is a struct run_tree. */
struct timespec run_tree_look(const struct run_child *child, void *context);
/* The command has ended: ends what it has left, or waits for it. */
void run_tree_end(struct run_tree *tree, struct run_child *child);

/* ---- run_file.c ---- */

struct run_file {
    const struct run_pools *pools;
    bool told; /* that a file is gone */
};

/* From now on a pool whose file is truncated ends this process with a sentence and CLI_FAILED. A
 * SIGBUS that somebody sends goes to the child, if it is not 0. */
void run_file_watch(pid_t child);

/* A duty: says so, within a second, if the file of a pool is deleted. `context` is a struct
 * run_file. */
struct timespec run_file_look(const struct run_child *child, void *context);

/* ---- run_jobserver.c ---- */

struct jobserver;

/* A jobserver for the command's tree, on the handle that holds its slot. */
struct run_jobserver {
    struct jobserver *server; /* NULL: there is none */
    struct pipes_folder *folder;
    bool stays; /* the command keeps its slots if this process ends before it */
};

/* Whether this is a form that a jobserver can have: fifo or fds. */
bool run_jobserver_form(const char *text);

/* Where one is asked for: starts it, tells the command of it in MAKEFLAGS, takes -j out of the
 * command's arguments, and has the command keep what it needs. CLI_OK, or a status after saying
 * what is wrong. */
int run_jobserver_begin(struct run_jobserver *jobserver, const struct run_options *options,
                        struct run_keep *keep);
/* When the command has ended. What its tree was given is released by closing the pool.
 * False: a signal ended it that no program answers, and its tree may work on. Do not close the pool
 * then: the tree has what it needs to keep its slots, until its last process has ended. */
bool run_jobserver_end(struct run_jobserver *jobserver, int signal);

/* ---- run_signals.c ---- */

/* Forwards a signal that came to this process, if the child is to have it. */
void run_forward(struct run_child *child, const siginfo_t *info);

/* Stops this process, if the child has stopped and a shell is to see it; returns when it goes
 * on. */
void run_stop_along(struct run_child *child);

/* Stops this process by the signal, as if it had not been blocked; returns when it goes on. */
void run_stop_self(int number);
bool run_is_ignored(int number);

/* Dies of the signal, without a core. If it cannot, returns the corresponding exit status. */
int run_end_by(int number);

/* The first process of a container obeys signals and reaps orphans while it waits for a slot; does
 * nothing elsewhere. run_start ends it. */
void run_signals_begin_init(void);
void run_signals_end_init(void);

/* ---- run_cgroup.c ---- */

/* Makes one for the command, if that can be done. It has a number of its own. */
void run_cgroup_make(const char *number);
/* Starts a process in it, as vfork does, which calls the function and ends with its result. -1:
 * there is none, or no process can be started there. */
pid_t run_cgroup_start(int (*function)(void *), void *argument);
/* Kills all that are in it. False: there is none, or some are left. */
bool run_cgroup_kill(void);
void run_cgroup_remove(void);

/* ---- run_lease.c ---- */

/* Slots that can be lost. The child is asked to end (TERM) when no more than a quarter of the lease
 * is left, and is killed when nothing is. */
struct run_lease {
    const struct run_pools *pools;
    uint64_t whole;      /* the most nanoseconds that were ever left */
    uint64_t good_until; /* CLOCK_BOOTTIME, as of when the command was started */
    bool lost;           /* or about to be: the child was told to end */
    bool too_late;       /* it was over before the command was started */
};

/* Call it before pools of that store are opened; it does nothing if no slot can be lost. All
 * descendants of this process are its command's, and are recognized by a mark in their
 * environment. */
void run_lease_prepare(const char *store);

/* Before the command is started: false, if the slot has been lost already. */
bool run_lease_begin(struct run_lease *lease);
/* For run_keep.last: the lease is not over, and the guardian knows of this process. */
int run_lease_last(void *lease);

/* The command has ended. A run that it has left behind may work in its slot, which no other process
 * can keep: prints that and waits for it. A signal that comes during the wait is sent to what is
 * left. */
void run_lease_wait(const struct run_lease *lease, const struct run_child *child);

struct timespec run_lease_look(const struct run_child *child, void *lease);

/* When the child has ended: whether another client may have had the slot before that. Then nothing
 * of the command is left except *refused, a process that cannot be killed; 0: there is none. */
bool run_lease_lost(const struct run_lease *lease, pid_t *refused);

#endif
