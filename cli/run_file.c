#include "run.h"

#include "cli.h"

#include <errno.h>
#include <unistd.h>

static volatile pid_t command; /* that gets a SIGBUS which somebody has sent; 0: there is none */

/* The memory of a pool is gone, or somebody has sent the signal. */
static void handle_bus(int number, siginfo_t *info, void *context)
{
    static const char what[] = "berth: run: the file of a pool was truncated while it was in use\n";
    const int error = errno;
    (void)context;
    if (info->si_code <= 0) {
        if (command == 0)
            signal(number, SIG_DFL); /* and so it ends when the handler returns */
        kill(command != 0 ? command : getpid(), number);
        errno = error;
        return;
    }
    if (write(STDERR_FILENO, what, sizeof what - 1) < 0) {
        /* then it ends without a word */
    }
    _exit(CLI_FAILED);
}

void run_file_watch(pid_t child)
{
    command = child;
    sigaction(SIGBUS, &(struct sigaction){.sa_sigaction = handle_bus, .sa_flags = SA_SIGINFO},
              NULL);
}

/* A pool in a file is lost if somebody deletes the file: newcomers make another one, and know
 * nothing of this command. That is said once, and the command goes on. */
struct timespec run_file_look(const struct run_child *child, void *context)
{
    struct run_file *file = context;
    (void)child;
    for (size_t i = 0; i < file->pools->count && !file->told; i++) {
        const struct run_pool *pool = &file->pools->pool[i];
        struct timespec left;
        if (berth_good_for(pool->handle, &pool->grants[0], &left) != EIDRM)
            continue;
        file->told = true;
        cli_error(
            CLI_OK,
            "run: the file of the pool %s has been deleted: others may run beside this command",
            pool->name);
    }
    return (struct timespec){.tv_sec = file->told ? 3600 : 1};
}
