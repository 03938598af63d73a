/*
 * A place where pools live, other than a directory of this machine: what the library asks of it.
 *
 * Every function that can fail gives 0 or an errno value as berth.h has them, and then leaves a
 * sentence without a full stop in `reason`.
 */
#ifndef BERTH_STORE_STORE_H
#define BERTH_STORE_STORE_H

#include "berth.h"
#include "store/chain.h"

#include <stdbool.h>
#include <string.h>

enum { STORE_REASON = 1024, STORE_INTERFACE = 4 };

/* By which a lease is counted: it goes on while the machine is suspended, as the store's does. */
#define STORE_CLOCK CLOCK_BOOTTIME

/* A flag in the users that `look` gives: the pid is in this process's own namespace. Not for users
 * of the library. */
#define STORE_USER_HERE (1U << 31)

/* A flag in options: the pool is the head of a lane, POOL@LANE, a name that no other pool can have;
 * berth_list then gives these and no others. Not for users of the library. */
#define STORE_LANE (1U << 29)

/* How long to wait for a slot. */
struct store_patience {
    bool none;                       /* EBUSY where there is no free slot */
    const struct timespec *deadline; /* CLOCK_MONOTONIC; ETIMEDOUT. NULL: as long as it takes */
    /* NULL, or asked from time to time: whether it can stop waiting. Then it ends with ETIMEDOUT,
     * or with a slot that has come anyway. */
    bool (*instead)(void *context);
    void *context;            /* for `instead` */
    const volatile int *stop; /* of pools in a file: ECANCELED when it is not 0; or NULL */
    /* acquire, wait: the thread can be cancelled while it waits. Then acquire leaves nothing
     * behind, and the ticket of wait is still to be given up. */
    bool can_be_cancelled;
};

struct store_operations {
    unsigned interface; /* STORE_INTERFACE: what follows is as in this file */

    int (*open)(void **handle, const char *store, const char *name, const berth_options *options,
                char reason[STORE_REASON]);
    int (*acquire)(void *handle, struct store_patience patience, berth_grant *grant,
                   char reason[STORE_REASON]);
    /* Slots of several pools of one store. A ticket is drawn, and waited for, or given up where the
     * patience is `none`; once, whatever comes of it. All of them are drawn between entering the
     * store's door and leaving it. ESTALE: the store was out of reach for so long that it is not
     * certain whether the order is right; all of it has to be given up and done again. */
    int (*enter_door)(void *handle, struct store_patience patience, int64_t *door,
                      char reason[STORE_REASON]);
    int (*leave_door)(void *handle, int64_t door, char reason[STORE_REASON]);
    int (*draw)(void *handle, struct store_patience patience, void **ticket,
                char reason[STORE_REASON]);
    int (*wait)(void *handle, void *ticket, struct store_patience patience, berth_grant *grant,
                char reason[STORE_REASON]);
    bool (*is_together)(void *handle, void *other); /* whether they are of one store */

    int (*release)(void *handle, const berth_grant *grant, char reason[STORE_REASON]);
    /* Loans (pool/loan.h). The file that has the chain of a slot which is held: it begins with a
     * page (chain.h), and is closed with the grant. */
    int (*lend)(void *handle, const berth_grant *grant, int *fd, char reason[STORE_REASON]);
    bool (*lends)(void *handle, const struct chain_page *page); /* whether it is of the same pool */
    /* The slot was borrowed, by locks of `fd`, which is the store's to close from now on, unless
     * this fails: good_for, lost_fd, ward and look then know the loan. */
    int (*borrow)(void *handle, const berth_grant *grant, unsigned level, int fd,
                  char reason[STORE_REASON]);
    void (*give_back)(void *handle, const berth_grant *grant);

    int (*resize)(void *handle, unsigned slots, char reason[STORE_REASON]);
    int (*describe)(void *handle, int pid, const char *command, char reason[STORE_REASON]);
    unsigned (*slots)(void *handle); /* as far as the handle knows */
    int (*good_for)(void *handle, const berth_grant *grant, struct timespec *left,
                    char reason[STORE_REASON]);
    int (*lost_fd)(void *handle);
    int (*ward)(void *handle, int pid, char reason[STORE_REASON]);
    int (*close)(void *handle, char reason[STORE_REASON]);
    void (*abandon)(
        void *handle); /* in a child after fork: its copy is freed, nothing is given up */

    int (*look)(berth_view *view, const char *store, const char *name, char reason[STORE_REASON]);
    int (*list)(const char *store, int (*each)(const char *name, void *context), void *context,
                char reason[STORE_REASON]);
    int (*remove)(const char *store, const char *name, char reason[STORE_REASON]);

    /* For the guardian: ends the lease of a process that is dead, and serves the clients that
     * waited for its slots. */
    int (*end_lease)(const char *store, const char *name, int64_t lease, char reason[STORE_REASON]);
};

/* The name of the library that holds an etcd store, and of the symbol in it. */
#define STORE_ETCD_LIBRARY "libberth-etcd.so.0"
#define STORE_ETCD_SYMBOL "berth_store_etcd"

/* How the address of a store on etcd begins, and whether this is one. */
#define STORE_ETCD_SCHEME "etcd://"
static inline bool store_is_etcd(const char *store)
{
    return strncmp(store, STORE_ETCD_SCHEME, sizeof STORE_ETCD_SCHEME - 1) == 0;
}

/* The operations of that store, loaded if need be. ENOSYS: they are not installed, or this program
 * cannot load anything. */
int store_load_etcd(const struct store_operations **operations, char reason[STORE_REASON]);

#endif
