/*
 * An account: a client of the jobserver, or a tree of them, with what it was given.
 *
 * It has a handle on the pool and pipes, and is served by the rules that the protocol `jobserver` is made
 * of (src/protocol/jobserver/rules.inc).
 */
#ifndef BERTH_JOBSERVER_ACCOUNT_H
#define BERTH_JOBSERVER_ACCOUNT_H

#include "jobserver/asker.h"
#include "jobserver/pipes.h"

#include <stdint.h>

/* In nanoseconds. */
enum {
    ACCOUNT_OFFER = 50000000,     /* so long an offer stands if somebody else waits */
    ACCOUNT_LOOK = 10000000,      /* so often it is looked whether somebody waits */
    ACCOUNT_LONGEST = 1000000000, /* rest after offers that nobody took: it doubles up to this */
};
#define ACCOUNT_NEVER UINT64_MAX

struct account;

struct account_options {
    berth_pool *pool;
    enum pipes_form form;
    const struct pipes_folder *folder;
    const char *name; /* of the FIFO in the folder */
    unsigned most;    /* tokens at once; 0: as many as there are */
    bool none;        /* no tokens at all */
    unsigned own;     /* slots of the pool that its client has beside the tokens */
    int wake;         /* an eventfd: written to when the account is to be served */
};

/* 0, or an errno value. */
int account_open(struct account **account, const struct account_options *options);
/* The pipes are gone, and nothing is waited for. What was given is released by closing the pool's
 * handle, which is the caller's. */
void account_close(struct account *account);

const struct pipes *account_pipes(const struct account *account);

/* Does what is to be done now. When it wants to be served again at the latest, on CLOCK_MONOTONIC. */
uint64_t account_serve(struct account *account, uint64_t now);

/* A descriptor that becomes readable when a token comes back, or -1: to be polled. */
int account_returns(const struct account *account);

/* What it has now. */
struct account_sum {
    unsigned given, idle;
    bool asks;
};
struct account_sum account_sum(const struct account *account);

#endif
