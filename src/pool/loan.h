/*
 * Loans: a slot that is lent to a run inside the command that has it. The algorithm is
 * protocol/pool/loan.c; here are the kernel's locks that it is about, and the handle's list of what
 * it lends and borrows. Where the locks lie is in store/chain.h. A name is the seat of a handle,
 * and a number that no other run is likely to have drawn.
 *
 * A slot of a pool in a directory has its chain in the pool's file, and stays with a borrower whose
 * lenders have left. A slot of another store has it in a file of its own, which borrowers find by
 * the lender's number (/proc/PID/fd/FD); it is never left to a borrower, so that a process that
 * releases it waits.
 */
#ifndef BERTH_POOL_LOAN_H
#define BERTH_POOL_LOAN_H

#include "pool/handle.h"
#include "store/chain.h"

enum {
    LOAN_NAME_BITS = CHAIN_NAME_BITS,
    LOAN_SEAT_BITS = 17,
    LOAN_LEVELS_END = CHAIN_LEVELS_END,    /* levels are below this */
    LOAN_LAST_LEVEL = LOAN_LEVELS_END - 1, /* from which nothing is borrowed any more */
};

/* A slot that this handle lends, or has borrowed. */
struct loan {
    struct loan *next;
    berth_grant grant;
    unsigned level; /* 0: it is the handle's own */
    uint64_t name;
    int fd; /* of the file that has its chain; not this list's to close */
};

/* Where a lender is, as its command's environment tells. */
struct loan_lender {
    unsigned slot, level;
    uint64_t name, token;
    bool over;        /* there is nothing to borrow from it any more */
    int fd;           /* of the file that has the chain */
    int pid, file_fd; /* of another store: the lender, and its descriptor */
};

/* Whether somebody has borrowed the slot, so that it is not free though its holder's seat is dead.
 * Ask this after asking about the seat. */
bool loan_keeps(const struct pool_file *file, unsigned slot);

/* The same for the levels from `level` on. */
bool loan_keeps_from(const struct pool_file *file, unsigned slot, unsigned level);

/* The seat of the process at this level of the slot; false: nobody. */
bool loan_seat(const struct pool_file *file, unsigned slot, unsigned level, unsigned *seat);

/* Whether the handle lends the slot, or has borrowed it. */
bool loan_works_in(struct queue *queue, unsigned slot);

/* Borrows, if it can be done at once. EAGAIN: another run has it. ESTALE: the lender no longer
 * lends it. ENOMEM. No reason is left. */
int loan_borrow(berth_pool *pool, const struct loan_lender *lender, berth_grant *grant);

/* Whether the lender still has the slot, whether or not it is lent; lender->fd tells. */
bool loan_is_there(const berth_pool *pool, const struct loan_lender *lender);

/* Whether the handle lends the grant, or has borrowed it. */
bool loan_holds(berth_pool *pool, const berth_grant *grant);

/* Closes descriptors of the pool that this process has inherited: a process that can borrow nothing
 * and waits in line must not keep alive what it waits for. */
void loan_close_copies(const berth_pool *pool);

/* What a handle has in its list does not change in between. */
void loan_lock_list(struct queue *queue);
void loan_unlock_list(struct queue *queue);

/* With the list locked: shares the level of each loan with the handle's heir. */
int loan_share_all(berth_pool *pool);

/* What berth_release does with a grant that the queue does not know, because it is lent or
 * borrowed. */
int loan_release(berth_pool *pool, const berth_grant *grant);

/* Whether somebody works in what the handle lends. */
bool loan_is_out(berth_pool *pool, const berth_grant *grant);

/* In a child made by fork: only the list is freed. */
void loan_forget(berth_pool *pool);

/* Gives back all that the handle has borrowed, and what it lends as far as nobody has borrowed it.
 * False: some slot stays with its borrower, so that the handle must not give up what its seat has.
 * In another store it waits for its borrowers instead. */
bool loan_close(berth_pool *pool);

#endif
