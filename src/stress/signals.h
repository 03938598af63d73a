/*
 * Signals as values: while a run lasts, those that would end the driver, and SIGCHLD, are blocked
 * and waited for. So the driver can end and reap its children before it obeys. Children inherit the
 * mask: only the driver handles a Ctrl-C at the terminal.
 */
#ifndef BERTH_STRESS_SIGNALS_H
#define BERTH_STRESS_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

struct stress_signals {
    sigset_t waited_for, mask_before;
    struct sigaction child_before;
};

/* False with errno set, and nothing changed. */
bool stress_signals_take(struct stress_signals *signals);
void stress_signals_give_back(const struct stress_signals *signals);

/* The signal that came within this many seconds; 0: none. */
int stress_signals_wait(const struct stress_signals *signals, double seconds);

#endif
