/*
 * berth: l slots of a named resource, handed out in arrival order among threads and processes, any
 * of which may be killed at any instruction. No slot is lost, none is given twice.
 *
 *     berth_pool *pool;
 *     berth_grant grant;
 *     int error = berth_open(&pool, "gpu", &(berth_options){.slots = 4});
 *     if (error == 0)
 *         error = berth_acquire(pool, &grant);
 *     if (error == 0) {
 *         use_gpu(grant.slot);
 *         berth_release(pool, &grant);
 *     }
 *
 * Caveats
 *
 *  - A holder that is stopped (SIGSTOP, a debugger, a frozen container) is alive and keeps its
 *    slot.
 *  - The slot of a killed process comes back when the kernel has closed its files, which takes a
 *    while for a process with much memory.
 *  - A slot is kept as long as any process has the handle's file open. A child made by fork has a
 *    copy of it until it calls exec or exits (the file is close-on-exec): keep a fork short, or
 *    close the descriptor of berth_fd in the child.
 *  - After fork, a child must not use its copy of a handle: every call returns ECHILD, except
 *  berth_close, which closes the copy. The child opens the pool again.
 *  - A program that closes the descriptor of berth_fd keeps its slots until it closes the handle;
 *    but a call that has to look for dead holders can no longer do so, and returns EBADF.
 *  - If the pool's file is deleted while it is open (not by berth_remove, which refuses), newcomers
 *    create another file and do not know this one. Waiters get EIDRM within a second. A holder
 *    learns it from berth_lost_fd at once, from berth_good_for when it calls that, or from
 *    berth_release if a process was waiting.
 *  - A handle that is closed twice gives EBADF. A handle that one thread closes while another uses
 *    it is undefined, and so is a handle or grant at an invalid address.
 *  - berth_acquire and its siblings are cancellation points while they wait, and a thread that is
 *    cancelled there leaves nothing behind. (For a pool in etcd, berth_acquire_within is not one;
 *    berth_release never is.)
 *    No other function is one; what berth_list and berth_openers call is called with cancellation
 *    disabled.
 *    Asynchronous cancellation (PTHREAD_CANCEL_ASYNCHRONOUS) during any call is undefined.
 *  - A pool is a file that its processes map into memory. It must not be on a network file system:
 *    locks and memory are only shared among the processes of one machine.
 *  - A process that may write to a pool's file can damage the pool for all others; but it cannot
 *    make the library crash or access memory outside the file.
 *
 * Every function that can fail returns 0 or an errno value, and berth_reason() then says more. The
 * library never prints, exits, aborts, starts a thread, or installs a signal handler; a signal is
 * not a failure. (Pools in etcd do have threads.) All functions may be called from several threads
 * at once, except that a handle must not be in use when it is closed. NULL for a pointer that is
 * needed is EINVAL.
 */
#ifndef BERTH_H
#define BERTH_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BERTH_API __attribute__((visibility("default")))

enum {
    BERTH_MAX_SLOTS = 1024,
    BERTH_MAX_SEATS = 65536,
    BERTH_DEFAULT_SEATS = 1024,
    BERTH_NAME_MAX = 64,    /* characters in a pool's name */
    BERTH_COMMAND_MAX = 96, /* bytes that are kept of a command, with the final 0 */
    BERTH_MAX_WANTS = 64,   /* pools that can be asked at once */
};

/* A handle on a pool, shared by the threads of one process. It has a seat, by which others can tell
 * whether it is alive. */
typedef struct berth_pool berth_pool;

/* How to open a pool; NULL or zero in a member means the default. */
typedef struct berth_options {
    size_t size; /* sizeof(berth_options); 0: as in version 0.2, up to and with `reserved` */
    unsigned
        slots; /* create with this many, and refuse a pool that has another number (EEXIST); 0: as
                       it is, and 1 where it has to be created */
    unsigned seats;    /* of a pool that has to be created: handles open at once; default 1024 */
    unsigned mode;     /* of a file that has to be created; default 0600. More permission for others
                       than asked for here is refused (EPERM) in a pool that exists */
    unsigned flags;    /* BERTH_EXISTING, BERTH_TIMED */
    const char *store; /* where pools live: the absolute path of a directory, or etcd://...; NULL:
                            the environment's BERTH_STORE, or .local/state/berth in the user's
                            home */
    const char *command; /* what status shows for this handle; default: the program's name */
    const void *reserved[3];
} berth_options;

enum {
    BERTH_EXISTING = 1, /* do not create it: ENOENT */
    BERTH_TIMED = 2,    /* status shows since when a slot is held even if it was free and nobody had
                           to wait; that reads a clock, which costs as much as the slot itself */
    BERTH_FORCE = 4,    /* berth_remove: also what is damaged, or of another version */
};

/* A slot that is held. */
typedef struct berth_grant {
    uint64_t token;  /* grows from grant to grant: a fencing token for the protected resource */
    unsigned slot;   /* 0 .. slots - 1 */
    unsigned seat;   /* of the handle */
    uint64_t ticket; /* place in the arrival order */
    uint64_t reserved[3];
} berth_grant;

/*
 * Opens the pool `name` (letters, digits, '.', '_', '-'; no '.' or '-' first), creating it if it
 * does not exist. Where it fails, *pool is NULL. EINVAL: a bad name or option. EEXIST: it has
 * another number of slots. ENOENT: BERTH_EXISTING, and it does not exist. EUSERS: all seats are
 * taken. EPERM: the file or its directory is not to be trusted (owner, mode, symbolic link).
 * EPROTO: it is not a pool, or of another version, or damaged. EREMOTE: the store is on a network
 * file system. ENOSYS: the store needs a part that is not installed. Otherwise the error of the
 * system call.
 */
BERTH_API int berth_open(berth_pool **pool, const char *name, const berth_options *options);

/* Waits for a slot, in arrival order. EPROTO: the pool is damaged. EIDRM: its file was deleted.
 * EBADF: the handle is closed, or the program has closed its descriptor. ECHILD: the handle is a
 * parent's. A call that fails leaves nothing behind: neither a slot nor a place in the line. */
BERTH_API int berth_acquire(berth_pool *pool, berth_grant *grant);

/* Takes a slot if one is free and nobody waits for it; EBUSY if not. */
BERTH_API int berth_try_acquire(berth_pool *pool, berth_grant *grant);

/* Waits until CLOCK_MONOTONIC shows `deadline`; then gives up its place: ETIMEDOUT. Even if its
 * deadline is already over, a call looks once for the slots of dead holders. EINVAL: it is not a
 * time, or it is more than ten years ahead, as one of CLOCK_REALTIME is. */
BERTH_API int berth_acquire_until(berth_pool *pool, berth_grant *grant,
                                  const struct timespec *deadline);

/* The same with a time to wait instead of a deadline; of any length. */
BERTH_API int berth_acquire_for(berth_pool *pool, berth_grant *grant,
                                const struct timespec *timeout);

/* As berth_acquire_until, but the deadline may be NULL; and it gives up its place with ECANCELED
 * when *stop is not 0 any more. For languages whose threads cannot be cancelled. ENOTSUP: the pool
 * is in etcd. */
BERTH_API int berth_acquire_unless(berth_pool *pool, berth_grant *grant,
                                   const struct timespec *deadline, const volatile int *stop);

/* Makes all waits of the handle look at their *stop now. A wait that was just about to sleep may
 * miss this, and looks a little later: repeat the call until the wait is over. */
BERTH_API int berth_interrupt(berth_pool *pool);

/* Gives a slot back, to the next in line. Any thread of the process may do it. EPERM: this handle
 * does not hold it (any more). EIDRM: it was given back, but the pool's file had been deleted, so
 * others may have used the slot at the same time. For a pool in etcd, a release that fails because
 * no answer came can be repeated; EALREADY: another thread is releasing it. */
BERTH_API int berth_release(berth_pool *pool, const berth_grant *grant);

/* ---- slots of several pools at once ---- */

/* How many slots of this pool are wanted, and an array of that length for the grants. */
typedef struct berth_want {
    berth_pool *pool;
    unsigned slots;
    berth_grant *grants;
} berth_want;

/*
 * Waits until all of it is available; then all of it is held. Among calls that want the same, and
 * among them and those that want one slot, the order is that of arrival. Two such calls never wait
 * for each other, whatever the order of their pools; they may still deadlock over slots that they
 * held before the call. The slots that come first are held, and idle, until the last one has come.
 *
 * EINVAL: no pools or too many, no slots, or more than the pool has, also where it shrinks while
 * the call waits. EXDEV: the pools are not in one store. Else as berth_acquire.
 */
BERTH_API int berth_acquire_all(const berth_want *wants, size_t count);

/* Takes all of it, or nothing and EBUSY. */
BERTH_API int berth_try_acquire_all(const berth_want *wants, size_t count);

/* Waits until CLOCK_MONOTONIC shows `deadline`; then nothing is held: ETIMEDOUT. */
BERTH_API int berth_acquire_all_until(const berth_want *wants, size_t count,
                                      const struct timespec *deadline);

/* Waits for as long as `timeout`. */
BERTH_API int berth_acquire_all_for(const berth_want *wants, size_t count,
                                    const struct timespec *timeout);

/* Gives all of it back; if one cannot be given back, the rest still is. */
BERTH_API int berth_release_all(const berth_want *wants, size_t count);

/* ---- the handle ---- */

/* Gives back whatever the handle still holds, and the seat. In a child made by fork it closes the
 * child's copy and nothing else. EBADF: it is closed already. */
BERTH_API int berth_close(berth_pool *pool);

/* Changes the number of slots: more at once; fewer as they come free; 0 hands out no more until the
 * next resize. EINVAL: more than BERTH_MAX_SLOTS. */
BERTH_API int berth_resize(berth_pool *pool, unsigned slots);

/* How many slots the pool has now. */
BERTH_API unsigned berth_slots(const berth_pool *pool);

/* What status shows for this handle from now on: a process id, and a command line. */
BERTH_API int berth_describe(berth_pool *pool, int pid, const char *command);

/* The descriptor that the seat depends on: the seat lives as long as a copy of it is open anywhere.
 * It is close-on-exec; a program that execs another one, and leaves the slot to it, clears that
 * flag. */
BERTH_API int berth_fd(const berth_pool *pool);

/* ---- pools in a store that can be lost: etcd ---- */

/* How long the grant is good for if it is not renewed; the library renews it as long as it can
 * reach the store. Zero: it is lost, and another client may have the slot; whatever is done with it
 * has to be over by then. Some 68 years for a pool in a directory, whose slots are not lost; EIDRM
 * if its file has been deleted. ENOTRECOVERABLE: the store in etcd has gone back in time (a
 * snapshot was restored), and the handle cannot be used any more. EPERM: this handle does not hold
 * it. */
BERTH_API int berth_good_for(berth_pool *pool, const berth_grant *grant, struct timespec *left);

/* A descriptor that becomes readable when a grant of the handle is lost; for a pool in a directory,
 * when its file is deleted, or something else about it changes: berth_good_for then tells which. -1
 * if there is none. Only poll it; do not read or close it. */
BERTH_API int berth_lost_fd(berth_pool *pool);

/* The process `pid`, a child that works with the slot, is killed when the grant is lost, even if
 * this process is stopped or dead by then. One at a time; 0: none any more. Does nothing for a pool
 * in a directory. ESRCH: there is no such process. */
BERTH_API int berth_ward(berth_pool *pool, int pid);

/* ---- slots that are lent: nested calls ---- */

enum {
    BERTH_LOAN_MAX = 192, /* bytes of the text that names a loan, with the final 0 */
    BERTH_OWN = 1,        /* do not borrow */
    BERTH_TRY = 2,        /* do not wait */
};

/*
 * Lends the grant, which may itself be borrowed, to processes that are given the text: one process
 * at a time may borrow it by berth_acquire_within, and may lend it on; a handle borrows it once,
 * whichever of its threads ask. The text has no space in it. 255 processes can work in a slot, one
 * inside the other: what the innermost lends is not borrowed by anybody.
 *
 * The loan is kept by the kernel: it comes back when the borrower releases it or is dead, and ends
 * when the lender does. A grant that is lent is released as any other; berth_release then waits
 * until nobody borrows it, and lends it on while it waits. berth_close, exit and death do not wait:
 * then the slot is free when the borrower is done. EPERM: this handle does not hold it. EBADF, of
 * berth_release: the program has closed the descriptor of berth_fd, and whether the slot is
 * borrowed cannot be known; only closing the handle is left.
 *
 * In a pool in etcd only the lender holds the slot, and borrowers are processes of the same machine
 * and user: berth_close waits too; and when the lender is dead or loses the slot, so does the
 * borrower, which berth_good_for and berth_lost_fd tell it.
 */
BERTH_API int berth_lend(berth_pool *pool, const berth_grant *grant, char text[BERTH_LOAN_MAX]);

/*
 * As berth_acquire_all_until (or without a deadline, if that is NULL), in a process whose ancestors
 * hold slots of their own: `loans` are the texts that they were given by berth_lend, the latest
 * first, with spaces between. Slots of a pool that an ancestor lends are borrowed, if no other
 * process has borrowed them; otherwise the call waits for them or for slots of its own, whichever
 * come first. So no process waits for a slot that its own ancestor has. A text whose lender is gone
 * is ignored. A process that can borrow nothing of a pool, and so waits in its line, closes the
 * descriptors of that pool that it has inherited: it would keep alive what it waits for.
 *
 * With several pools, or several slots of one, either everything that ancestors can lend is
 * borrowed, and the rest waited for, or all of it is taken at once without a loan.
 *
 * EDEADLK: the call would wait for the ancestors themselves: more slots of a pool are wanted than
 * they lend; or, with BERTH_OWN, more than the pool has beside theirs; or 255 of them are in the
 * slot, and no other is free. EBUSY: with BERTH_TRY.
 */
BERTH_API int berth_acquire_within(const berth_want *wants, size_t count, const char *loans,
                                   const struct timespec *deadline, unsigned flags);

/* How many times the grant was lent on: 0 if it is this handle's own. */
BERTH_API int berth_loan_level(berth_pool *pool, const berth_grant *grant, unsigned *level);

/* ---- looking at a pool from outside ---- */

typedef struct berth_user {
    unsigned number; /* a holder's slot; a waiter's place, from 1 */
    int pid;
    uint64_t token;        /* of a holder */
    struct timespec since; /* CLOCK_REALTIME, to a few milliseconds; of a holder whose handle is not
                              BERTH_TIMED that hardly waited, perhaps when the handle was opened */
    char host[BERTH_NAME_MAX];
    char command[BERTH_COMMAND_MAX];
    unsigned flags; /* of those below, what is known */
    unsigned uid;   /* BERTH_USER_UID: the user who runs it */
} berth_user;

enum {
    BERTH_USER_UID = 1, /* uid is known: the process is on this machine, and not in a container */
    BERTH_USER_STOPPED = 2, /* it is stopped (SIGSTOP, Ctrl-Z, a debugger) */
    /* That this process uses the pool was seen. Otherwise pid and uid are what a user of the pool
     * has written: only root and the process's own user can see more. */
    BERTH_USER_SURE = 4,
};

/* A process that has borrowed a slot. */
typedef struct berth_loan {
    unsigned level; /* 1: from the holder; 2: from the one at level 1; and so on */
    int left;       /* not 0: the lender has ended, and has left the slot to this one */
    berth_user user;
} berth_loan;

/* A pool at one moment. */
typedef struct berth_view {
    unsigned slots;
    unsigned seats;
    size_t holder_count, waiter_count;
    berth_user **holders; /* by slot; there may be more in a berth_user than this header knows */
    berth_user **waiters; /* in order */
    char *store;
    size_t loan_count;
    berth_loan *
        *loans; /* by slot, then by level. A holder that has left a slot to its borrower is not
                           there any more: then `holders` shows the borrower */
} berth_view;

/* What a pool looks like now; needs permission to read it, takes no seat and changes nothing. The
 * slots and places of the dead are left out. Free it with berth_view_free. */
BERTH_API int berth_look(berth_view **view, const char *name, const berth_options *options);
BERTH_API void berth_view_free(berth_view *view);

/* Calls `each` for every process that has the pool open, whether it holds a slot, waits, or
 * neither, until it gives something other than 0, which is then the result. `number` is that of the
 * seat, `since` when it was opened. ENOSYS: the store does not tell. */
BERTH_API int berth_openers(const char *name, const berth_options *options,
                            int (*each)(const berth_user *user, void *context), void *context);

/* Calls `each` with the name of every pool of the store, in alphabetical order, until it gives
 * something other than 0, which is then the result. */
BERTH_API int berth_list(const berth_options *options, int (*each)(const char *name, void *context),
                         void *context);

/* Removes a pool that is not open in any process; EBUSY if it is. With BERTH_FORCE it also removes
 * a file that cannot be used as a pool, because it is damaged or of another version. */
BERTH_API int berth_remove(const char *name, const berth_options *options);

/* Why the last call of this thread that failed did: a sentence without a full stop. */
BERTH_API const char *berth_reason(void);

BERTH_API const char *berth_version(void);

#ifdef __cplusplus
}
#endif

#endif
