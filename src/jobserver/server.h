/* The jobserver's thread, which serves accounts until it is stopped. */
#ifndef BERTH_JOBSERVER_SERVER_H
#define BERTH_JOBSERVER_SERVER_H

#include "jobserver/account.h"

struct jobserver;

/* 0, or an errno value. */
int jobserver_start(struct jobserver **server);
/* Accounts that are still there are closed. */
void jobserver_stop(struct jobserver *server);
/* The same, where the pools' handles are not closed, but left to the clients: account_retire. */
void jobserver_leave(struct jobserver *server);

/* The account's options are those of account_open, except `wake`. */
int jobserver_add(struct jobserver *server, struct account **account,
                  const struct account_options *options);
/* It is served no more, and closed. */
void jobserver_remove(struct jobserver *server, struct account *account);

/* What it has at this moment. */
struct account_sum jobserver_sum(struct jobserver *server, const struct account *account);

#endif
