/* The jobserver: a thread that serves one account until it is stopped. */
#ifndef BERTH_JOBSERVER_SERVER_H
#define BERTH_JOBSERVER_SERVER_H

#include "jobserver/account.h"

struct jobserver;

/* Opens the account that `options` describes and starts to serve it; `wake` among the options is
 * the server's own. 0, or an errno value. */
int jobserver_start(struct jobserver **server, const struct account_options *options);
/* Ends the thread and closes the account. What its clients have comes back when the pool's handle
 * is closed. */
void jobserver_stop(struct jobserver *server);
/* Ends the thread and closes the account where the pool's handle is not closed, but left to the
 * clients: account_retire. */
void jobserver_leave(struct jobserver *server);

const struct pipes *jobserver_pipes(const struct jobserver *server);
/* Tells what the account has at this moment. */
struct account_sum jobserver_sum(struct jobserver *server);

#endif
