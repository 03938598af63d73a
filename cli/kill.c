/* berth kill: ends a detached run, or what holds a slot. */
#include "cli.h"
#include "job.h"
#include "pool_command.h"
#include "suggest.h"
#include "where.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <string.h>
#include <strings.h>
#include <sys/syscall.h>
#include <unistd.h>

/* TERM, SIGTERM or 15. */
static bool take_signal(const char *text, int *number)
{
    unsigned given;
    if (cli_number(text, 1, (unsigned)SIGRTMAX, &given)) {
        *number = (int)given;
        return true;
    }
    if (strncasecmp(text, "SIG", 3) == 0)
        text += 3;
    for (int i = 1; i < NSIG; i++) {
        const char *name = sigabbrev_np(i);
        if (name != NULL && strcasecmp(name, text) == 0) {
            *number = i;
            return true;
        }
    }
    return false;
}

static int kill_job(unsigned number, int signal)
{
    int folder, error = cli_jobs_folder("kill", false, &folder);
    if (error != 0 && error != ENOENT)
        return CLI_FAILED;
    if (error == 0) {
        error = cli_job_kill(folder, number, signal);
        close(folder);
    }
    if (error == 0)
        return CLI_OK;
    if (error == ENOENT)
        return cli_error(CLI_OTHERWISE, "kill: there is no job %u (berth jobs lists them)", number);
    if (error == ESRCH)
        return cli_error(CLI_OTHERWISE, "kill: job %u has ended", number);
    return cli_error(CLI_FAILED, "kill: job %u: %s", number, strerror(error));
}

/* ---- what holds a slot ---- */

/* The process that holds the slot; 0: none does. ENOSYS: it is on another machine. */
static int find_holder(const char *name, const char *store, unsigned slot, berth_user *found)
{
    berth_view *view;
    char host[BERTH_NAME_MAX] = "";
    const int error = berth_look(&view, name, &(berth_options){.store = store});
    *found = (berth_user){0};
    if (error != 0)
        return error;
    gethostname(host, sizeof host - 1);
    for (size_t i = 0; i < view->holder_count; i++) {
        if (view->holders[i]->number == slot)
            *found = *view->holders[i];
    }
    berth_view_free(view);
    return found->pid != 0 && found->host[0] != '\0' && strcmp(found->host, host) != 0 ? ENOSYS : 0;
}

/* The number is still that of the holder, if it holds the slot after it has been opened. */
static int kill_holder(const struct cli_where *where, const char *name, unsigned slot, int signal)
{
    const char *store = cli_where_store(where, name);
    berth_user before, after;
    int error = find_holder(name, store, slot, &before);
    if (error == ENOSYS)
        return cli_error(CLI_FAILED, "kill: slot %u of pool %s is held on another machine, %s",
                         slot, name, before.host);
    if (error != 0)
        return cli_where_failed(where, &cli_kill, name, error);
    if (before.pid == 0)
        return cli_error(CLI_OTHERWISE, "kill: nobody holds slot %u of pool %s", slot, name);
    const int descriptor = (int)syscall(SYS_pidfd_open, before.pid, 0);
    error = descriptor < 0 ? errno : 0;
    if (error == 0 && (find_holder(name, store, slot, &after) != 0 || after.pid != before.pid ||
                       after.token != before.token))
        error = ESRCH;
    if (error == 0 && syscall(SYS_pidfd_send_signal, descriptor, signal, NULL, 0) != 0)
        error = errno;
    if (descriptor >= 0)
        close(descriptor);
    if (error == ESRCH)
        return cli_error(CLI_OTHERWISE,
                         "kill: process %d, which held slot %u of pool %s, has ended", before.pid,
                         slot, name);
    if (error != 0)
        return cli_error(CLI_FAILED, "kill: process %d, which holds slot %u of pool %s: %s",
                         before.pid, slot, name, strerror(error));
    return CLI_OK;
}

static int run(int argc, char **argv)
{
    static const struct option long_options[] = {
        {"signal", required_argument, NULL, 's'}, {CLI_LONG_OPTION_STORE}, {NULL, 0, NULL, 0}};
    const char *store = NULL;
    int option, signal = SIGTERM;
    unsigned number;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "s:", long_options, NULL)) != -1) {
        if (option == 's' && !take_signal(optarg, &signal))
            return cli_usage(&cli_kill, "not a signal: %s", optarg);
        else if (option == CLI_OPTION_STORE)
            store = optarg;
        else if (option != 's')
            return cli_unknown_option(&cli_kill, argv);
    }
    if (optind + 1 == argc) {
        if (!cli_job_number(argv[optind], &number))
            return cli_usage(&cli_kill, "not a job: %s (a pool needs a slot, too)", argv[optind]);
        return kill_job(number, signal);
    }
    if (optind + 2 != argc)
        return cli_usage(&cli_kill, "a job is needed, or a pool and a slot");
    if (!cli_number(argv[optind + 1], 0, BERTH_MAX_SLOTS - 1, &number))
        return cli_usage(&cli_kill, "not a slot: %s", argv[optind + 1]);
    struct cli_where where;
    cli_where_open(&where, store, argv);
    const int status = kill_holder(&where, argv[optind], number, signal);
    cli_where_close(&where);
    return status;
}

const struct cli_command cli_kill = {
    .name = "kill",
    .synopsis = "[-s SIGNAL] JOB | POOL SLOT",
    .about = "end a detached run, or what holds a slot of a pool",
    .run = run,
    .help =
        "  -s SIGNAL, --signal   instead of TERM\n"
        "  --store S             where the pools live, instead of $BERTH_STORE\n"
        "\n"
        "A job that waits for its slots gives up its place. One that runs gets the signal as if\n"
        "its berth run had got it; berth run --tree=end ends all that it has started.\n"
        "\n"
        "Exit status: 0; 1 there is no such job or pool, or it has ended; 2 bad usage;\n"
        "125 berth itself failed.\n",
};
