/*
 * berth run -d: the run becomes a job (job.h), which has no terminal. There is no daemon: the job
 * is this program, in a process of its own.
 */
#include "pool_command.h"
#include "run.h"

#include "os/family.h"
#include "os/io.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SIGNAL_STATUS = 128 };

static uint64_t now_ms(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ---- a signal while it waits for its slots ---- */

static int journal_of_signal = -1;

/* The journal has the end of a job that was told to end before it had a slot. */
static void note_and_leave(int number)
{
    char line[64] = "ended ";
    struct timespec now = {0};
    size_t used = 6;
    clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t numbers[] = {(uint64_t)(SIGNAL_STATUS + number),
                                (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000};
    for (unsigned i = 0; i < 2; i++) {
        char digits[24];
        size_t count = 0;
        for (uint64_t rest = numbers[i]; rest > 0; rest /= 10)
            digits[count++] = (char)('0' + rest % 10);
        while (count > 0)
            line[used++] = digits[--count];
        line[used++] = i == 0 ? ' ' : '\n';
    }
    (void)!write(journal_of_signal, line, used);
    _exit(SIGNAL_STATUS + number);
}

static void heed_signals(int journal)
{
    static const int ending[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
    const struct sigaction action = {.sa_handler = note_and_leave};
    struct sigaction before;
    journal_of_signal = journal;
    for (unsigned i = 0; i < sizeof ending / sizeof ending[0]; i++) {
        if (sigaction(ending[i], &action, &before) == 0 && before.sa_handler == SIG_IGN)
            sigaction(ending[i], &before, NULL);
    }
}

/* ---- becoming a job ---- */

/* Mistakes are said to the caller, and no job is made for them. Not of pools in etcd: threads do
 * not come along. */
static int look_before(struct run_options *options, const char *description)
{
    int status = CLI_OK;
    for (size_t i = 0; i < options->pools.count; i++) {
        const char *store = cli_where_store(&options->where, options->pools.pool[i].name);
        const char *where = store != NULL ? store : getenv("BERTH_STORE");
        if (where != NULL && strncmp(where, "etcd:", 5) == 0)
            return CLI_OK;
    }
    const struct run_patience patience = {.none = true};
    const int error = run_pools_open(options, description, &patience, &status);
    run_pools_close(&options->pools);
    return error < 0 ? status : CLI_OK; /* a pool without a free seat is waited for */
}

static void put_pools(char text[static CLI_JOB_TEXT], const struct run_pools *pools)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < pools->count && used < CLI_JOB_TEXT; i++) {
        const struct run_pool *pool = &pools->pool[i];
        const int length = pool->slots > 1 ? snprintf(text + used, CLI_JOB_TEXT - used, "%s%s:%u",
                                                      i > 0 ? "," : "", pool->name, pool->slots)
                                           : snprintf(text + used, CLI_JOB_TEXT - used, "%s%s",
                                                      i > 0 ? "," : "", pool->name);
        used += length > 0 ? (size_t)length : 0;
    }
}

static void begin_journal(const struct run_options *options, const char *description)
{
    char pools[CLI_JOB_TEXT], directory[PATH_MAX];
    const int journal = options->job.journal;
    put_pools(pools, &options->pools);
    cli_job_note(journal, "job %d %" PRIu64, (int)getpid(), now_ms());
    cli_job_note(journal, "pools %s", pools);
    cli_job_note(journal, "in %s", getcwd(directory, sizeof directory) != NULL ? directory : "-");
    cli_job_note(journal, "command %s", description);
}

static bool leave_terminal(const struct run_options *options)
{
    const int nothing = os_open(AT_FDCWD, "/dev/null", O_RDONLY, 0);
    return setsid() >= 0 && nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 &&
           dup2(options->job.log, STDOUT_FILENO) >= 0 && dup2(options->job.log, STDERR_FILENO) >= 0;
}

int run_detach(struct run_options *options, const char *description)
{
    int folder, error;
    const int status = look_before(options, description);
    if (status != CLI_OK)
        return status;
    if (cli_jobs_folder("run", true, &folder) != 0)
        return CLI_FAILED;
    error = cli_job_make(folder, &options->job);
    close(folder);
    if (error != 0)
        return cli_error(CLI_FAILED, "run: cannot make a job: %s", strerror(error));
    const pid_t pid = fork();
    if (pid < 0) {
        cli_error(CLI_OK, "run: cannot start a process: %s", strerror(errno));
        cli_job_note(options->job.journal, "ended %d %" PRIu64, CLI_FAILED, now_ms());
        _exit(CLI_FAILED);
    }
    if (pid > 0) { /* the locks are the child's, too, and stay */
        printf("%u\n", options->job.number);
        _exit(cli_flush(CLI_OK));
    }
    begin_journal(options, description);
    if (!leave_terminal(options))
        return cli_error(CLI_FAILED, "run: cannot leave the terminal: %s", strerror(errno));
    heed_signals(options->job.journal);
    return CLI_OK;
}

/* ---- what becomes of it ---- */

void run_detach_runs(const struct run_options *options, pid_t worker)
{
    char *text = NULL;
    size_t size;
    FILE *out = options->job.journal >= 0 ? open_memstream(&text, &size) : NULL;
    if (out == NULL)
        return;
    for (size_t i = 0; i < options->pools.count; i++) {
        const struct run_pool *pool = &options->pools.pool[i];
        fprintf(out, "%s%s:", i > 0 ? "," : "", pool->name);
        for (unsigned s = 0; s < pool->slots; s++)
            fprintf(out, "%s%u", s > 0 ? "+" : "", pool->grants[s].slot);
    }
    if (fclose(out) == 0)
        cli_job_note(options->job.journal, "runs %d %llu %" PRIu64 " %s", (int)worker,
                     os_family_started(worker), now_ms(), text);
    free(text);
}

void run_detach_ends(const struct run_options *options, int status)
{
    if (options->job.journal >= 0)
        cli_job_note(options->job.journal, "ended %d %" PRIu64, status & 255, now_ms());
}
