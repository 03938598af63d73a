/* berth jobs: the detached runs of this user. */
#include "cli.h"
#include "job.h"
#include "pool_command.h"
#include "suggest.h"

#include "os/foreign.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct listing {
    json_t *list; /* NULL: print text */
    bool heading;
};

static const char *const states[] = {
    [CLI_JOB_WAITS] = "waiting", [CLI_JOB_RUNS] = "running", [CLI_JOB_ORPHANED] = "orphaned",
    [CLI_JOB_ENDED] = "ended",   [CLI_JOB_LOST] = "lost",
};

static double seconds_of(const struct cli_job *job)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t until = job->end_ms != 0
                               ? job->end_ms
                               : (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
    const uint64_t from = job->run_ms != 0 ? job->run_ms : job->submitted_ms;
    return until > from ? (double)(until - from) / 1e3 : 0;
}

static void print_job(const struct cli_job *job, struct listing *listing)
{
    char state[32], time[32], command[BERTH_COMMAND_MAX];
    const bool known = job->state == CLI_JOB_ENDED;
    if (!listing->heading)
        printf("%5s  %-9s  %-16s  %9s  %s\n", "job", "state", "pool", "for", "command");
    listing->heading = true;
    snprintf(state, sizeof state, "%s", known ? "" : states[job->state]);
    if (known && job->status > 128)
        snprintf(state, sizeof state, "SIG%s",
                 sigabbrev_np((int)job->status - 128) != NULL ? sigabbrev_np((int)job->status - 128)
                                                              : "?");
    else if (known)
        snprintf(state, sizeof state, "exit %u", job->status);
    if (job->state == CLI_JOB_LOST)
        snprintf(time, sizeof time, "-");
    else
        snprintf(time, sizeof time, "%.0f s", seconds_of(job));
    os_clean(command, sizeof command, (struct os_foreign){job->command, strlen(job->command)});
    printf("%5u  %-9s  %-16s  %9s  %s\n", job->number, state,
           job->slots[0] != '\0' ? job->slots : job->pools, time, command);
}

static json_t *ms_json(uint64_t ms)
{
    char text[64];
    struct tm parts;
    const time_t seconds = (time_t)(ms / 1000);
    if (ms == 0 || gmtime_r(&seconds, &parts) == NULL)
        return json_null();
    const size_t length = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(text + length, sizeof text - length, ".%03uZ", (unsigned)(ms % 1000));
    return json_string(text);
}

static json_t *job_json(const struct cli_job *job)
{
    char command[BERTH_COMMAND_MAX];
    os_clean(command, sizeof command, (struct os_foreign){job->command, strlen(job->command)});
    return json_pack("{s:i, s:s, s:s, s:s, s:s, s:i, s:i, s:o, s:o, s:o, s:o}", "job",
                     (int)job->number, "state", states[job->state], "pools", job->pools, "slots",
                     job->slots, "command", command, "pid", (int)job->pid, "worker",
                     (int)job->worker, "submitted", ms_json(job->submitted_ms), "started",
                     ms_json(job->run_ms), "ended", ms_json(job->end_ms), "status",
                     job->state == CLI_JOB_ENDED ? json_integer(job->status) : json_null());
}

static void show(const struct cli_job *job, void *context)
{
    struct listing *listing = context;
    if (listing->list != NULL)
        json_array_append_new(listing->list, job_json(job));
    else
        print_job(job, listing);
}

static int run(int argc, char **argv)
{
    static const struct option long_options[] = {{"json", no_argument, NULL, 'J'},
                                                 {NULL, 0, NULL, 0}};
    struct listing listing = {0};
    int option, folder;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        if (option != 'J')
            return cli_unknown_option(&cli_jobs, argv);
        if (listing.list == NULL)
            listing.list = json_array();
    }
    if (optind < argc)
        return cli_usage(&cli_jobs, "unexpected argument: %s", argv[optind]);
    const int error = cli_jobs_folder("jobs", false, &folder);
    if (error != 0 && error != ENOENT)
        return CLI_FAILED;
    if (error == 0) {
        cli_jobs_each(folder, show, &listing);
        close(folder);
    }
    if (listing.list == NULL)
        return cli_flush(CLI_OK);
    return cli_print_json(json_pack("{s:o}", "jobs", listing.list));
}

const struct cli_command cli_jobs = {
    .name = "jobs",
    .synopsis = "[--json]",
    .about = "the detached runs of this user (berth run -d)",
    .run = run,
    .help =
        "  --json   one JSON object\n"
        "\n"
        "A job is waiting (for its slots) or running; then \"exit N\" or the signal that ended it;\n"
        "orphaned, if its berth run was killed and its command works on; or lost, if all of it\n"
        "was killed, or ended by a reboot. The last 100 that are over are kept.\n"
        "\n"
        "Exit status: 0; 2 bad usage; 125 berth itself failed.\n",
};
