/*
 * The client's algorithm, without input and output: a machine is told what time it is, what was
 * answered and what happened, and says what to send next, or until when to wait, or that it is
 * done. The library drives it over a connection to etcd (session.c), the simulation over a store in
 * memory.
 *
 * The algorithm. A slot is held as long as its key is there; the key is under the holder's lease.
 *
 *  - ACQUIRE is one transaction. Where nobody waits and one of the slots that are tried is free, it
 *    puts the slot's key: acquired. Otherwise it puts an entry among the waiters, whose order is
 *    that of creation.
 *  - RELEASE is one transaction. Where nobody waits, it deletes the slot's key. Otherwise it reads
 *    the waiters, and a second transaction hands the slot over: the slot's key gets the first
 *    waiter's name and lease, its entry goes, and its mail says which slot it has. A slot with
 *    waiters is never free in between, and exactly one client is woken.
 *  - Crash recovery: the waiters find slots whose holders have died. Each AUDITs the pool and
 *    SERVEs the first in line: after it was told that a slot's key was deleted; now and then, where
 *    nobody tells it (news.c).
 *
 * A request whose answer was lost may or may not have been carried out, even later. Every request
 * can be repeated: those of RELEASE and SERVE ask for revisions that their first success changes,
 * and ACQUIRE asks for the revision of its client's key, which RECOVER changes before it looks.
 */
#ifndef BERTH_STORE_ETCD_MACHINE_H
#define BERTH_STORE_ETCD_MACHINE_H

#include "store/etcd/build.h"
#include "store/etcd/key_layout.h"
#include "store/etcd/moment.h"

#include <stdbool.h>
#include <stdint.h>

enum { MACHINE_REASON = 256, MACHINE_GUESSES = 4, MACHINE_SERVED = 8, MACHINE_LOANS = 16 };

/* A slot that the client has borrowed. */
struct machine_loan {
    unsigned slot, level;
    int64_t token;
};

/* A slot that has been seen in use and without a holder (orphans.c). */
struct machine_orphan {
    int64_t used; /* the revision of the key that says that it is in use; 0: it was not seen so */
    uint64_t since;
    int64_t gone; /* the revision at which its holder's key was deleted, as far as that was told */
    uint64_t gone_at;
};

/* What the client is told of the pool without asking (news.c): revisions. */
struct machine_news {
    int64_t told_from; /* the first one; 0: it is told nothing */
    int64_t held_at;   /* the last one at which a look showed every slot held */
    int64_t
        disturbed_at; /* the last one at which that may have ended, or a look showed otherwise */
};

/* What a handle knows of its pool; shared by its machines. */
struct machine_seat {
    struct layout layout;
    char client[LAYOUT_CLIENT];
    int64_t lease;
    int64_t client_revision; /* of its own key */
    unsigned ttl;            /* seconds of its lease */
    int64_t pool_revision;   /* of the pool's key, when `slots` and `pool_ttl` were read */
    unsigned slots;
    unsigned pool_ttl; /* seconds of the longest lease of any client */
    struct machine_orphan orphans[BERTH_MAX_SLOTS];
    struct machine_news news;
    unsigned last; /* the slot that it held last: tried first */
    uint64_t serial;
    uint64_t random;
    int64_t wall_ms; /* CLOCK_REALTIME less the machine's clock */

    unsigned
        wanted; /* slots of a pool that is to be created, or 0; then the number that the pool has */
    bool existing; /* do not create it */

    char host[BERTH_NAME_MAX];
    int pid;
    char command[BERTH_COMMAND_MAX];
    int64_t opened_ms;
    uint64_t place; /* the machine and the namespace that the pid is of; 0: not known */
    struct machine_loan loans[MACHINE_LOANS]; /* the first of them */
    size_t loan_count;

    bool looked; /* at the whole pool, at least once */

    uint64_t sent, audits; /* counted for tests and for the simulation */
};

enum machine_goal {
    MACHINE_ENTER,      /* the pool is there, and this client's key */
    MACHINE_ACQUIRE,    /* a slot */
    MACHINE_TRY,        /* a slot, or EBUSY */
    MACHINE_RELEASE,    /* of `slot` and `token` */
    MACHINE_SERVE,      /* serve every waiter that can be served */
    MACHINE_SWEEP,      /* the same; then wait for the slots that a smaller pool has no more */
    MACHINE_RESIZE,     /* to seat->wanted */
    MACHINE_DESCRIBE,   /* the client's key says what the seat says */
    MACHINE_ENTER_DOOR, /* the store's door is this client's: `token` */
    MACHINE_LEAVE_DOOR, /* of `token`; ESTALE: it was lost before */
    MACHINE_BARE,       /* `request`, once, and nothing else: to compare with */
};

enum machine_next {
    MACHINE_SEND, /* `request`; then machine_reply */
    MACHINE_WAIT, /* for mail, or until `wake_at` */
    MACHINE_DONE, /* `error` */
    MACHINE_LOST, /* the lease has ended: with a new lease and MACHINE_ENTER, start again */
};

/* How a request ended. */
enum machine_outcome {
    ANSWER_GIVEN,
    ANSWER_REFUSED, /* by the store: it was not carried out */
    ANSWER_UNSENT,  /* it was not carried out */
    ANSWER_UNKNOWN, /* it may have been carried out, or be about to */
};

struct machine_answer {
    enum machine_outcome outcome;
    const Etcd__TxnResponse *txn; /* ANSWER_GIVEN */
    int error;                    /* otherwise; ESTALE: the lease has ended */
    const char *reason;
};

/* A waiter that is to be given a slot. */
struct machine_served {
    char entry[LAYOUT_ENTRY];
    int64_t created, lease;
    unsigned slot;
};

struct machine {
    struct machine_seat *seat;
    struct patience patience; /* with the store, before it gives up */
    enum machine_goal goal;
    bool leaving; /* RELEASE: the client's key goes too */
    bool lost;    /* RELEASE: its lease has ended, and nobody works in the slot any more */
    bool no_mail; /* RELEASE: it was acquired without waiting, so there is no mail to delete */

    /* What it wants. */
    bool waits_for_mail;
    struct build *request; /* MACHINE_SEND; the sender frees it */
    struct moment wake_at; /* MACHINE_WAIT */
    int64_t watch_from;    /* if it is waiting for mail: none has come before this revision */
    uint64_t news_at; /* if it is waiting for mail: from when on it wants to be told of the pool */

    /* What comes out of it. */
    int64_t token, ticket;
    unsigned slot;
    int error;
    char reason[MACHINE_REASON];
    char entry[LAYOUT_ENTRY]; /* for RELEASE: of the grant */

    bool stake;  /* ACQUIRE, TRY: there may be something of it in the store, or will be */
    bool unsure; /* RELEASE: an earlier request may have been carried out */

    /* Its own. */
    bool giving_up;
    bool takes_over; /* TRY: slots whose holders' leases have ended */
    enum machine_next (*send)(struct machine *, uint64_t now);
    enum machine_next (*read)(struct machine *, uint64_t now, const Etcd__TxnResponse *);
    enum machine_next (*later)(struct machine *, uint64_t now); /* what to do at `wake_at` */
    uint64_t asked_at; /* when its request was made: set by the sender, or 0 */
    uint64_t trouble_since, rank, rank_at;
    struct moment look_at, rest_until; /* as wait_in_line has planned it */
    struct machine_served served;      /* the waiter that is being served */
    unsigned beaten; /* how many times in a row another client was faster to serve the waiter */
    unsigned tries, rounds, guesses, guess[MACHINE_GUESSES];
    bool no_space;
    bool doubts; /* ACQUIRE: its mail has named a slot that the pool had not */
};

/* `machine` is zero except seat, goal, patience and what the goal needs. */
enum machine_next machine_start(struct machine *machine, uint64_t now);
enum machine_next machine_reply(struct machine *machine, uint64_t now,
                                const struct machine_answer *answer);
/* The time `wake_at` has come. */
enum machine_next machine_tick(struct machine *machine, uint64_t now);
/* Mail for this machine's entry. An answer that is still to come is ignored. */
enum machine_next machine_mail(struct machine *machine, const Etcd__KeyValue *mail);
/* The watch was interrupted and is there again: mail may have been missed. Only while it waits. */
enum machine_next machine_look_again(struct machine *machine, uint64_t now);
/* The seat is told, from this revision on, of each slot's key that is deleted and of each change of
 * the pool's key; 0: not any more. Then each machine that waits has to plan its next look again. */
void machine_news_from(struct machine_seat *seat, int64_t from);
/* One of these. Then the same. */
void machine_news(struct machine_seat *seat, uint64_t now, const Etcd__KeyValue *kv);
/* Only while it waits: `wake_at` may be earlier. */
void machine_replan(struct machine *machine, uint64_t now);
/* Its lease has ended, and with it all that it had in the store. */
void machine_forget(struct machine *machine);
/* ACQUIRE or TRY has failed and may have left something in the store (`stake`): it goes on, to take
 * that back. It ends with ETIMEDOUT, or with a slot that is to be given back. */
enum machine_next machine_clean_up(struct machine *machine, uint64_t now);
/* Ends ACQUIRE: with what it has, or with ETIMEDOUT. While a request is under way, it ends
 * after the answer. */
enum machine_next machine_give_up(struct machine *machine, uint64_t now, bool under_way);

#endif
