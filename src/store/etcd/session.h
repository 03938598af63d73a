/*
 * A handle on a pool in etcd. One thread of its own drives the connection, renews the lease and
 * turns the machines; the threads of the program hand it machines and wait for them.
 */
#ifndef BERTH_STORE_ETCD_SESSION_H
#define BERTH_STORE_ETCD_SESSION_H

#include "os/clock.h"
#include "store/etcd/intake.h"
#include "store/etcd/guard.h"
#include "store/etcd/lease.h"
#include "store/etcd/link.h"
#include "store/etcd/machine.h"
#include "store/etcd/moment.h"

#include <pthread.h>

/* What the session's thread does with a task. */
enum task_state {
    TASK_QUEUED,  /* it is to be started when there is a lease, not before `start_at`; nothing of it
                   * is in the store */
    TASK_ASKING,  /* a request of it is under way */
    TASK_WAITING, /* for mail, or until the machine's next time */
    TASK_ENDED,   /* its result is in the machine */
};

/* The thread that called. It goes from each of these to a later one, never back. */
enum task_caller {
    CALLER_WAITS, /* for the result */
    CALLER_FREED, /* it gets `freed_error` instead, and goes */
    CALLER_GONE,  /* nobody waits: the task is freed when it has ended */
};

/* What the machine of a task is turned for. */
enum task_aim {
    AIM_RESULT,
    AIM_CLEAN_UP,  /* an acquire has failed, and takes back what there is of it in the store */
    AIM_GIVE_BACK, /* it has got a slot that nobody wants any more */
};

/* A machine, and the thread that waits for it. */
struct session_task {
    struct machine machine;
    struct session *session;
    struct session_task *next;
    struct link_call call; /* TASK_ASKING */
    enum task_state state;
    enum task_caller caller;
    enum task_aim aim;
    bool once;              /* it is not started again with another lease: ESTALE */
    struct moment deadline; /* of an acquire */
    uint64_t begun;         /* when the caller came: its patience begins */
    uint64_t start_at;
    int freed_error;
    char freed_reason[MACHINE_REASON];
    int64_t seen; /* the store's revision, when its request was sent */
    pthread_cond_t finished;
};

enum { SESSION_WHY = 512 };

/* A grant of this handle. It stays here until it has been given back, even if it is lost before. */
struct session_grant {
    struct session_grant *next;
    char entry[LAYOUT_ENTRY];
    int64_t token;
    unsigned slot;
    bool releasing;   /* somebody is giving it back */
    bool at_once;     /* it was not waited for: there is no mail */
    bool unsure;      /* an earlier attempt to do so may have been carried out */
    const char *lost; /* why it is not held any more, as `why` has it; NULL: it is */
    char why[SESSION_WHY];
    int64_t watch;           /* the number of the watch of its key; 0: there is none */
    uint64_t watch_at;       /* when to set up one */
    struct chain_page *page; /* of the file of its loans; NULL: it has none */
    int loan_fd;             /* with it */
};

/* A slot that this handle has borrowed from another handle on this machine. */
struct session_loan {
    struct session_loan *next;
    berth_grant grant;
    unsigned level;
    int fd;
    const struct chain_page *page; /* the lender's */
    bool lost;
};

/* The watches for those who wait (news_watch.c). */
struct session_news {
    int64_t slots, pool; /* their numbers; 0: there is none */
    int64_t from;        /* the revision that both were asked to begin with; 0: the next one */
    unsigned created;    /* how many of the two are there, */
    int64_t told_from;   /* and report everything from this revision on */
};

enum session_state {
    SESSION_IDLE,     /* there is no lease, and nobody needs one */
    SESSION_LEASING,  /* a lease is asked for */
    SESSION_ENTERING, /* the machine `enter` turns */
    SESSION_OPEN,
    SESSION_FAILED, /* `error` */
};

/* How long the store may fail before an acquire fails, or opening a pool with a store of which some
 * server answers. */
#define SESSION_OUTAGE (60 * (uint64_t)OS_SECOND)

struct session {
    struct address address;
    struct guard_message *charge; /* the guardian's */
    struct link link;
    struct machine_seat seat;
    struct lease lease;
    struct guard guard;
    enum session_state state;
    struct session_task enter;
    struct session_task *tasks;
    struct session_grant *grants;
    struct session_loan *loans;
    struct link_call lease_call, watch_call, check_call, revoke_call;
    bool watching;         /* there is a stream of watches */
    bool watch_cancelled;  /* one of them was ended by the store: all are to be made again */
    bool watch_missed;     /* mail */
    unsigned watch_asked;  /* watches that were asked for, and are not there yet */
    int64_t watch_numbers; /* given so far */
    int64_t watch_mail;    /* the number of the watch for mail; 0: there is none */
    int64_t mail_from;     /* the first revision of which it tells */
    uint64_t watch_at;     /* not before */
    struct session_news news;
    bool check_due;      /* what happened to the keys of the slots may have been missed */
    bool checking;       /* check_call is under way */
    int64_t check_seen;  /* the store's revision when it was sent */
    bool revoking_alone; /* revoke_call is under way */
    uint64_t check_at;   /* not before */
    unsigned drops;      /* of the link, as far as they were noticed */
    int64_t revision;    /* the highest that the store has shown */
    uint64_t cluster;    /* the store's own number; 0: not known yet */
    bool was_open;       /* the pool has been created once, and is not created again */
    bool closing;        /* the thread is to end */
    bool ending;         /* the lease is ended, and no other is asked for */
    bool revoking, revoked;
    char not_renewed[STORE_REASON]; /* why the last renewal failed; empty: it did not */
    int error;
    char reason[STORE_REASON];
    int wake_fd, lost_fd, timer_fd;
    struct moment timer;    /* when it goes off */
    uint64_t trouble_since; /* when a lease was asked for that the pool is not open with yet; 0 */
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t opened;
};

int session_open(struct session **session, const char *store, const char *name,
                 const berth_options *options, char reason[STORE_REASON]);
int session_close(struct session *session, char reason[STORE_REASON]);
void session_abandon(struct session *session);

/* Runs a machine until it has finished; `deadline` as in the task. The result is in *machine. */
int session_turn(struct session *session, struct machine *machine, struct moment deadline,
                 char reason[STORE_REASON]);
/* The same for an acquire that a loan may make unnecessary: see struct store_patience. */
int session_turn_or(struct session *session, struct machine *machine, struct moment deadline,
                    const struct store_patience *patience, char reason[STORE_REASON]);

/* The same in two halves: it is turned until it has its place in line, or is at its end; and then
 * to its end, or, where the patience is `none`, until it has left the line. Where the thread is
 * cancelled meanwhile, that is still to be done. */
int session_begin(struct session *session, const struct machine *machine, struct moment deadline,
                  struct session_task **task, char reason[STORE_REASON]);
int session_finish(struct session_task *task, const struct store_patience *patience,
                   struct machine *machine, char reason[STORE_REASON]);

/* The same, without waiting for it, and whatever comes out. */
int session_turn_alone(struct session *session, const struct machine *machine, uint64_t start_at,
                       char reason[STORE_REASON]);

/* Gives a grant back; 0 and it is not there any more. The same with EPERM: it was lost. After any
 * other error it is still held, and this can be repeated. */
int session_release(struct session *session, const berth_grant *grant, struct patience patience,
                    bool leaving, char reason[STORE_REASON]);

/* ---- for open.c ---- */

/* What the session's own thread does, until session->closing. It alone reads and writes the
 * connection. */
void *session_thread(void *session);
/* With the mutex held: wakes the thread to look for work. */
void session_wake(struct session *session);

/* ---- session_lease.c: with the mutex held ---- */

/* The lease: asked for where somebody needs one, renewed, lost. The next time goes into *until. */
void session_lease_keep(struct session *session, uint64_t now, struct moment *until);
/* Loses the lease if it is over. */
void session_lease_look(struct session *session, uint64_t now);
/* Whether there is a lease that can be relied on. */
bool session_lease_good(const struct session *session, uint64_t now);
/* Ends the lease in the store; the answer sets session->revoked. */
void session_lease_end(struct session *session, uint64_t now);

/* ---- watch.c ---- */

/* With the mutex held: watches mail as long as somebody waits for it. The next time goes into
 * *until. */
void watch_keep(struct session *session, uint64_t now, struct moment *until);
void watch_drop(struct session *session);
/* Asks for a watch of one key, from that revision on (0: from now on). Its number, or 0. */
int64_t watch_key(struct session *session, uint64_t now, const char *key, int64_t from);
/* Any other one. */
int64_t watch_create(struct session *session, uint64_t now, Etcd__WatchCreateRequest *request);
void watch_end(struct session *session, int64_t number);

/* ---- news_watch.c: with the mutex held ---- */

/* Makes sure that waiters are notified. The next time goes into *until. */
void news_keep(struct session *session, uint64_t now, struct moment *until);
/* A watch was made; maybe one of these. */
void news_created(struct session *session, const Etcd__WatchResponse *response);
/* Whether that is the number of one of these; and what it tells. */
bool news_is(const struct session *session, int64_t number);
void news_changed(struct session *session, const Etcd__WatchResponse *response);
/* They are not there any more. */
void news_forget(struct session *session, uint64_t now);

/* ---- holding.c: with the mutex held ---- */

/* NULL: there is no memory for it. */
struct session_grant *holding_add(struct session *session, const struct machine *machine,
                                  uint64_t now);
struct session_grant *holding_find(struct session *session, const berth_grant *grant);
void holding_remove(struct session *session, struct session_grant *grant);
/* The slot is somebody else's, or will be. */
void holding_lose(struct session *session, struct session_grant *grant, const char *why);
void holding_lose_all(struct session *session, const char *why);
/* Something happened to the key of a slot. */
void holding_changed(struct session *session, const Etcd__KeyValue *kv);
/* Watches the keys of the slots that are held, and looks at them where something may have been
 * missed. */
void holding_keep(struct session *session, uint64_t now, struct moment *until);
/* Whether it is not certain that the slots are still held: then the lease is not to be renewed. */
bool holding_uncertain(const struct session *session);
bool holding_any(const struct session *session);
/* Something that the handle has was lost: the guardian's ward is not to wait. */
void holding_tell(struct session *session);

/* ---- loans.c: slots that are lent and borrowed. With the mutex held ---- */

int loans_lend(struct session *session, const berth_grant *grant, int *fd,
               char reason[STORE_REASON]);
bool loans_same_pool(struct session *session, const struct chain_page *page);
int loans_borrow(struct session *session, const berth_grant *grant, unsigned level, int fd,
                 char reason[STORE_REASON]);
void loans_give_back(struct session *session, const berth_grant *grant);
struct session_loan *loans_find(struct session *session, const berth_grant *grant);
/* Until when the loan can be relied on; 0: not any more. */
uint64_t loans_good_until(const struct session_loan *loan, uint64_t now);
/* The lease was renewed, or lost: the pages of what is lent say so. */
void loans_renewed(struct session *session);
void loans_grant_ends(struct session *session, struct session_grant *grant);
/* Looks at what was borrowed. The next time goes into *until. */
void loans_look(struct session *session, uint64_t now, struct moment *until);
/* Tells the guardian until when the lease is good, and what its ward works with. */
void loans_tell_guard(struct session *session);

/* ---- response_header.c: with the mutex held ---- */

/* What an answer says of the store; `seen` is what was known when the request was sent. False: it
 * is another store, or an earlier state of it, and the lease has been given up. */
bool header_take(struct session *session, const Etcd__ResponseHeader *header, int64_t seen);
/* The same, where the revision is that of the member that answered, and may lag behind. */
bool header_take_lagging(struct session *session, const Etcd__ResponseHeader *header);

/* ---- task.c: with the mutex held ---- */

/* Begins to turn the task's machine. */
void task_start(struct session_task *task, uint64_t now);
/* Does what the machine of `task` wants next. */
void task_next(struct session_task *task, enum machine_next next, uint64_t now);
/* Gives up the request of `task` that is under way, if there is one. */
void task_interrupt(struct session_task *task);
/* Says whether the task was started under the lease that there is now, and has not ended. */
bool task_is_turning(const struct session_task *task);
/* Says whether the task has its place in line, and waits for mail. */
bool task_waits(const struct session_task *task);
/* Ends the task with an error and its reason. */
void task_fail(struct session_task *task, int error, const char *reason);
/* Puts the task back to its beginning: its lease has ended, and all that it had in the store. */
void task_requeue(struct session_task *task);
/* Lets the caller go, with that error; the task goes on without it. */
void task_free_caller(struct session_task *task, int error, const char *reason);
/* Gives back the slot that the task has got. */
void task_give_back(struct session_task *task, uint64_t now);
/* Takes the task out of the list. */
void task_unlist(struct session_task *task);
/* Starts tasks, wakes those whose time has come, and frees those that have ended and that nobody
 * waits for. The earliest time to come again goes into *until. */
void tasks_tick(struct session *session, uint64_t now, struct moment *until);
/* Says whether a task waits for a lease. */
bool tasks_want_lease(const struct session *session);
/* Says whether a task that nobody waits for may still have, or get, a slot. */
bool tasks_settle(const struct session *session);
/* The lease has ended: acquires begin again, and the others fail. */
void tasks_lose(struct session *session);

/* The lease has ended, or is given up. `why` completes "slot 0 of pool x was lost: ". */
void session_lose(struct session *session, const char *why);

#endif
