/*
 * The guardian: a process that outlives its holder by a moment. It has a pidfd of the holder. If
 * the holder ends without a message, the guardian ends its lease, so that others do not have to
 * wait until it expires. It also kills the holder's ward, a process and its descendants, when the
 * lease is over and the holder has not done so itself, for instance because it was stopped.
 *
 * Where the holder is `berth run`, all of its descendants are its command's. It puts a mark into
 * the environment, which the command inherits: so the guardian also finds descendants whose parents
 * have died, or that have left their session.
 */
#ifndef BERTH_STORE_ETCD_GUARD_H
#define BERTH_STORE_ETCD_GUARD_H

#include "store/store.h"

#include <pthread.h>

enum guard_word {
    GUARD_CHARGE, /* lease and good_until; the store's address and the pool's name follow */
    GUARD_LEASE,  /* lease, good_until and ward_until */
    GUARD_WARD,   /* with a pidfd; without one, there is no ward any more */
    GUARD_BYE,    /* there is nothing left to do */
    /* Of a slot and its token. The file of its loans (store/chain.h) comes with it: */
    GUARD_LENT,     /* by another open file. When the holder is dead, the borrower is waited for */
    GUARD_BORROWED, /* by the borrower's own, so that the loan is kept until the ward is dead */
    GUARD_RETURNED, /* no file: neither of the two any more */
};

#define GUARD_PROGRAM "berth-guardian"
#define GUARD_MARK                                                                                 \
    "BERTH_RUN_ID" /* PID.NUMBER, with the holder's PID; then those of the runs around it */

#define GUARD_CGROUP "BERTH_RUN_CGROUP"  /* the folder of the command's cgroup, if it has one */
#define GUARD_CGROUP_PREFIX "berth-run-" /* of its name; the mark's PID.NUMBER comes after it */

enum {
    GUARD_TEXT = 8192,
    GUARD_FOLDER = 4096,
    GUARD_PASSWORD = 256,
    GUARD_MARKS = 4096,
    GUARD_CHANNEL = 3,
    GUARD_HOLDER = 4
}; /* the guardian's descriptors */

struct guard_message {
    uint32_t word;
    uint32_t slot;
    int64_t lease;
    uint64_t good_until; /* STORE_CLOCK: of the lease */
    uint64_t ward_until; /* the same; UINT64_MAX: the ward works in borrowed slots */
    uint64_t token;
    char store[GUARD_TEXT];        /* GUARD_CHARGE */
    char folder[GUARD_FOLDER];     /* GUARD_CHARGE: paths in the address are relative to it */
    char name[BERTH_NAME_MAX + 1]; /* GUARD_CHARGE */
    char password[GUARD_PASSWORD]; /* GUARD_CHARGE; empty: none, or in the address */
};

/* A file that it was told of. */
struct guard_loan {
    struct guard_loan *next;
    enum guard_word word;
    unsigned slot;
    uint64_t token;
    int fd; /* not closed here */
};

struct guard {
    int channel; /* -1: there is no guardian. Stays the same number if it is replaced */
    int pid;
    int ward;          /* a pidfd, from 1 on; 0: none */
    uint64_t again_at; /* STORE_CLOCK: one that ends at once is not replaced at once */
    int64_t lease;     /* what it was told last */
    uint64_t good_until, ward_until;
    struct guard_loan *loans;
    bool bye; /* it was told that there is nothing left to do */
};

/* Starts a guardian. ENOSYS: it is not installed. */
int guard_start(struct guard *guard, const struct guard_message *charge, char reason[STORE_REASON]);
/* The ward is killed when `ward_until` has come. */
void guard_lease(struct guard *guard, int64_t lease, uint64_t good_until, uint64_t ward_until);
/* GUARD_LENT or GUARD_BORROWED; the file stays open until guard_returned. 0 or ENOMEM. */
int guard_loan(struct guard *guard, enum guard_word word, unsigned slot, uint64_t token, int fd);
void guard_returned(struct guard *guard, unsigned slot, uint64_t token);
/* From now on it kills this process when the lease is over; 0: none. 0 or an errno value. */
int guard_ward(struct guard *guard, int pid);
/* It has ended too early: starts another one, at once or, if that has happened often, later.
 * `mutex` is taken to tell it what the others have been told. */
void guard_again(struct guard *guard, const struct guard_message *charge, pthread_mutex_t *mutex);
/* There is nothing left for it to do: it ends, and is waited for in guard_end. */
void guard_bye(struct guard *guard);
void guard_end(struct guard *guard, bool nothing_left);

#endif
