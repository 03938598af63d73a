/*
 * Detached jobs: `berth run -d`. A job is a number, with two files in a folder of the user's:
 * N.job, a journal to which lines are only added, and N.log, what the command has written.
 *
 * The kernel knows what lives: the `berth run` of a job has a lock on the journal, which its
 * command does not inherit; and all that writes to the log has a lock on it. So a job whose
 * journal says no end runs while the first lock is held, has lost its `berth run` while the second
 * one alone is, and is over otherwise: killed, or ended by a reboot.
 */
#ifndef BERTH_CLI_JOB_H
#define BERTH_CLI_JOB_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { CLI_JOB_TEXT = 512, CLI_JOBS_KEPT = 100 };

enum cli_job_state {
    CLI_JOB_WAITS,    /* for its slots */
    CLI_JOB_RUNS,     /* with its `berth run` */
    CLI_JOB_ORPHANED, /* its `berth run` was killed, and what it had started lives */
    CLI_JOB_ENDED,    /* with a status */
    CLI_JOB_LOST,     /* without one: its `berth run` was killed, and nothing of it lives */
};

struct cli_job {
    unsigned number;
    enum cli_job_state state;
    pid_t pid;                                     /* of its `berth run` */
    pid_t worker;                                  /* its command; 0: not started */
    unsigned long long worker_started;             /* os_family_started of it */
    uint64_t submitted_ms, run_ms, end_ms;         /* CLOCK_REALTIME; 0: not yet */
    unsigned status;                               /* of one that has ended */
    char pools[CLI_JOB_TEXT], slots[CLI_JOB_TEXT]; /* gpu,license:2; and gpu:0,license:1+3 */
    char directory[CLI_JOB_TEXT], command[CLI_JOB_TEXT];
};

/* The folder of the jobs: $BERTH_JOBS, or in the user's home. With `make` it is made. 0, or an
 * errno value after a line on standard error that begins with the name. */
int cli_jobs_folder(const char *name, bool make, int *folder);
/* Whether the text is the number of a job. */
bool cli_job_number(const char *text, unsigned *number);

/* Reads the journal and looks at the locks. 0; ENOENT: there is no such job; or another errno
 * value. */
int cli_job_look(int folder, unsigned number, struct cli_job *job);
/* Calls `each` for all jobs, in the order of their numbers. */
void cli_jobs_each(int folder, void (*each)(const struct cli_job *job, void *context),
                   void *context);
/* Its log, for reading; -1 and errno. */
int cli_job_log(int folder, unsigned number);
/* Sends a signal to the job: to its `berth run`, or to what that has left. ESRCH: nothing of it
 * lives. */
int cli_job_kill(int folder, unsigned number, int signal);

/* ---- for berth run ---- */

/* A new job: its journal and its log, locked. Forgets old ones that have ended, where there are
 * more than CLI_JOBS_KEPT. */
struct cli_job_files {
    unsigned number;
    int journal, log;
};
int cli_job_make(int folder, struct cli_job_files *files);
/* Adds a line to the journal, in one piece. */
void cli_job_note(int journal, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
