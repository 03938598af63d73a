#include "interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

static _Atomic(unsigned) interrupts;

static void on_interrupt(int number)
{
    if (atomic_fetch_add(&interrupts, 1) >= 2)
        _exit(128 + number);
}

const _Atomic(unsigned) *cli_catch_interrupts(void)
{
    struct sigaction action = {.sa_handler = on_interrupt};
    sigemptyset(&action.sa_mask);
    return sigaction(SIGINT, &action, NULL) == 0 && sigaction(SIGTERM, &action, NULL) == 0
               ? &interrupts
               : NULL;
}

bool cli_shows_progress(double seconds, double *last)
{
    if (seconds - *last < 0.5 || !isatty(STDERR_FILENO))
        return false;
    *last = seconds;
    fputs("\r\033[K", stderr);
    return true;
}

void cli_clear_progress(double last)
{
    if (last > 0)
        fputs("\r\033[K", stderr);
}
