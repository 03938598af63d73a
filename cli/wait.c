/* berth wait: until nobody holds a slot of some pools and nobody waits for one. */
#include "job.h"
#include "pool_command.h"
#include "where.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

/* ---- for a job ---- */

enum { SHORTEST_MS = 5, LONGEST_MS = 200 };

static bool is_over(const struct cli_job *job)
{
    return job->state == CLI_JOB_ENDED || job->state == CLI_JOB_LOST;
}

/* Waits for a job, if the word is the number of one: *status is then the job's, or what is wrong.
 * */
static bool wait_for_job(const struct cli_wait *wait, int *status)
{
    struct cli_job job;
    unsigned number;
    int folder, error;
    struct timespec start = {0};
    if (wait->count != 1 || !cli_job_number(wait->name[0], &number) ||
        cli_jobs_folder("wait", false, &folder) != 0)
        return false;
    error = cli_job_look(folder, number, &job);
    const bool found = error == 0;
    clock_gettime(CLOCK_MONOTONIC, &start);
    *status = CLI_OK;
    for (double pause = SHORTEST_MS / 1e3; error == 0 && !is_over(&job);) {
        const double left = wait->seconds - cli_elapsed(CLOCK_MONOTONIC, &start);
        if (wait->limited && left <= 0) {
            *status = cli_error(CLI_NOT_IN_TIME, "wait: job %u has not ended", number);
            break;
        }
        const double now = wait->limited && left < pause ? left : pause;
        nanosleep(&(struct timespec){.tv_nsec = (long)(now * 1e9)}, NULL);
        pause = pause * 2 < LONGEST_MS / 1e3 ? pause * 2 : LONGEST_MS / 1e3;
        error = cli_job_look(folder, number, &job);
    }
    close(folder);
    if (found && *status == CLI_OK && error == 0 && job.state == CLI_JOB_ENDED)
        *status = (int)job.status;
    else if (found && *status == CLI_OK)
        *status = cli_error(CLI_FAILED, "wait: job %u was killed, and left no status", number);
    return found;
}

/* ---- for pools ---- */

static int run(int argc, char **argv)
{
    struct cli_where where;
    struct cli_wait wait = {.where = &where};
    const char *store = NULL, *busy;
    int status = cli_wait_parse(&cli_wait, argc, argv, &wait, &store);
    if (status != CLI_OK)
        return status;
    if (store == NULL && wait_for_job(&wait, &status))
        return status;
    cli_where_open(&where, store, argv);
    const int error = cli_wait_for(&wait, &busy);
    if (error == EBUSY)
        status = cli_error(CLI_NOT_IN_TIME, "wait: pool %s is still in use", busy);
    else if (error != 0)
        status = cli_where_failed(&where, &cli_wait, busy, error);
    cli_where_close(&where);
    return status;
}

const struct cli_command cli_wait = {
    .name = "wait",
    .synopsis = "JOB | POOL... [-w TIME]",
    .about = "wait until a detached run has ended, or nobody uses a pool",
    .run = run,
    .help =
        "  -w TIME, --timeout, --wait   at most this long: 30, 0.5, 5m, 1h30m\n"
        "  --store S                    where the pools live, instead of $BERTH_STORE\n"
        "\n"
        "For a job (berth run -d), until it has ended; the exit status is then the job's own.\n"
        "For a pool, until nobody holds a slot nor waits for one; with several pools, until each\n"
        "has been found unused, one after the other.\n"
        "\n"
        "Exit status: 0, or that of the job; 1 there is no such pool; 75 not in time; 2 bad usage;\n"
        "125 berth itself failed, or the job was killed and left no status.\n",
};
