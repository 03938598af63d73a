#include "stress/signals.h"

#include <stddef.h>
#include <time.h>

/* Those signals that end a process by default and that users send. A signal that is ignored, as
 * with nohup, stays ignored. */
static bool choose(sigset_t *set)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++) {
        struct sigaction action;
        if (sigaction(ending[i], NULL, &action) != 0)
            return false;
        if (action.sa_handler != SIG_IGN)
            sigaddset(set, ending[i]);
    }
    return true;
}

bool stress_signals_take(struct stress_signals *signals)
{
    /* Where SIGCHLD is ignored, children cannot be waited for; the program that started us may have
     * left it like that. */
    struct sigaction by_default = {.sa_handler = SIG_DFL};
    if (!choose(&signals->waited_for) ||
        sigaction(SIGCHLD, &by_default, &signals->child_before) != 0)
        return false;
    if (sigprocmask(SIG_BLOCK, &signals->waited_for, &signals->mask_before) == 0)
        return true;
    sigaction(SIGCHLD, &signals->child_before, NULL);
    return false;
}

void stress_signals_give_back(const struct stress_signals *signals)
{
    /* The mask first: a SIGCHLD that is left over from our children is dropped by the default. */
    sigprocmask(SIG_SETMASK, &signals->mask_before, NULL);
    sigaction(SIGCHLD, &signals->child_before, NULL);
}

int stress_signals_wait(const struct stress_signals *signals, double seconds)
{
    if (seconds < 0)
        seconds = 0;
    struct timespec timeout = {.tv_sec = (time_t)seconds};
    timeout.tv_nsec = (long)((seconds - (double)timeout.tv_sec) * 1e9);
    int signal = sigtimedwait(&signals->waited_for, NULL, &timeout);
    return signal > 0 ? signal : 0; /* else the time is over, or another signal cut it short */
}
