/*
 * An account: a client of the jobserver, or a tree of them, with what it was given.
 *
 * It has a handle on the pool and pipes, and is served by the rules that the protocol `jobserver`
 * is made of (src/protocol/jobserver/rules.inc).
 */
#ifndef BERTH_JOBSERVER_ACCOUNT_H
#define BERTH_JOBSERVER_ACCOUNT_H

#include "jobserver/asker.h"
#include "jobserver/pipes.h"

#include <stdint.h>

/* In nanoseconds. How long an offer stands while others wait is learnt: a client that sleeps at its
 * pipe takes a token at once, unless the machine is slow; one that looks there only when a job of
 * its own has ended takes it late. After an offer that nobody took, the next one comes later, the
 * longer the more often; and it stands longer, unless the client is known to sleep at its pipe. */
#define ACCOUNT_OFFER_LEAST (50ULL * 1000000)
#define ACCOUNT_OFFER_POLLS (800ULL * 1000000) /* of a client that is known to poll */
#define ACCOUNT_OFFER_MOST (1600ULL * 1000000)
#define ACCOUNT_RESTS_LEAST 4 /* times as long as the offer stood; it doubles */
#define ACCOUNT_RESTS_MOST 16
#define ACCOUNT_LOOK (10ULL * 1000000) /* the interval at which it looks whether others wait */
#define ACCOUNT_NEVER UINT64_MAX

/* How a client looks for tokens. */
enum account_kind {
    ACCOUNT_ANY,    /* it is not known */
    ACCOUNT_SLEEPS, /* it sleeps at its pipe while it wants one: make, cargo */
    ACCOUNT_POLLS,  /* it looks when a job of its own has ended: ninja */
};

struct account;

struct account_options {
    berth_pool *pool;
    enum pipes_form form;
    const struct pipes_folder *folder;
    unsigned most; /* tokens at once; 0: as many as there are */
    bool none;     /* no tokens at all */
    enum account_kind kind;
    unsigned own; /* slots of the pool that its client has beside the tokens */
    int wake;     /* an eventfd: written to when the account has to be served */
};

/* 0, or an errno value. */
int account_open(struct account **account, const struct account_options *options);
/* The pipes are gone, and nothing is waited for. What was given is released by closing the pool's
 * handle, which is the caller's. */
void account_close(struct account *account);
/* It has to be closed without closing the pool's handle: what its clients do not have at this
 * moment is released, and what they have stays with the handle. */
void account_retire(struct account *account);

const struct pipes *account_pipes(const struct account *account);

/* Does what is due now. When it wants to be served again, on CLOCK_MONOTONIC. */
uint64_t account_serve(struct account *account, uint64_t now);

/* Descriptors that become readable when a token comes back, or -1: to be polled. */
enum { ACCOUNT_POLLED = 2 };
void account_returns(const struct account *account, int polled[ACCOUNT_POLLED]);

/* What it has now. */
struct account_sum {
    unsigned given, idle;
    bool asks;
};
struct account_sum account_sum(const struct account *account);

#endif
