/*
 * The keeper: a process that has the server's descriptors too, and does nothing. If the server is
 * killed, or ends while it has clients, the keeper closes all of them except the clients' FIFOs, so
 * that slots are free at once; and it carries tokens that come back to where they are read, until
 * the clients have ended. So no client gets a broken pipe.
 */
#ifndef BERTH_CLI_JOBSERVER_KEEPER_H
#define BERTH_CLI_JOBSERVER_KEEPER_H

#include <sys/types.h>

/* Before there are threads. 0, or an errno value. */
int keeper_start(pid_t *keeper);
/* The server ends, and has no clients. */
void keeper_stop(pid_t keeper);

#endif
