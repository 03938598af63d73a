/*
 * A handle on a pool in etcd. One thread of its own drives the connection, renews the lease and
 * turns the machines; the threads of the program hand it machines and wait for them.
 */
#ifndef BERTH_STORE_ETCD_SESSION_H
#define BERTH_STORE_ETCD_SESSION_H

#include "store/etcd/guard.h"
#include "store/etcd/lease.h"
#include "store/etcd/link.h"
#include "store/etcd/machine.h"

#include <pthread.h>

/* A machine, and the thread that waits for it. */
struct session_task {
    struct machine machine;
    struct session *session;
    struct session_task *next;
    struct link_call call;
    uint64_t deadline; /* of an acquire; UINT64_MAX: none */
    uint64_t start_at; /* not before */
    bool once;         /* with the lease it ends: ESTALE */
    bool in_line;      /* an acquire: it has its place */
    bool turning;      /* it was started */
    bool under_way;    /* a request of it */
    bool done;
    bool given_up; /* it cannot leave the line properly: the waiting thread detaches it */
    bool cleaning; /* an acquire that has failed: it takes back what there is of it in the store */
    int given_error; /* the error that the waiting thread gets then */
    char given_reason[MACHINE_REASON];
    int64_t seen;  /* the store's revision, when its request was sent */
    bool detached; /* nobody waits for it any more */
    pthread_cond_t finished;
};

/* A grant of this handle. It stays here until it has been given back, even if it is lost before. */
struct session_grant {
    struct session_grant *next;
    char entry[LAYOUT_ENTRY];
    int64_t token;
    unsigned slot;
    bool releasing;          /* somebody is giving it back */
    bool at_once;            /* it was not waited for: there is no mail */
    bool unsure;             /* an earlier attempt to do so may have been carried out */
    const char *lost;        /* why it is not held any more; NULL: it is */
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
    int error;
    char reason[STORE_REASON];
    int wake_fd, lost_fd, timer_fd;
    uint64_t timer; /* when it goes off; 0: it does not */
    uint64_t polling_until;
    uint64_t trouble_since; /* with the lease */
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t opened;
};

int session_open(struct session **session, const char *store, const char *name,
                 const berth_options *options, char reason[STORE_REASON]);
int session_close(struct session *session, char reason[STORE_REASON]);
void session_abandon(struct session *session);

/* Runs a machine until it has finished; `deadline` as in the task. The result is in *machine. */
int session_turn(struct session *session, struct machine *machine, uint64_t deadline,
                 char reason[STORE_REASON]);
/* The same for an acquire that a loan may make unnecessary: see struct store_patience. */
int session_turn_or(struct session *session, struct machine *machine, uint64_t deadline,
                    const struct store_patience *patience, char reason[STORE_REASON]);

/* The same in two halves: it is turned until it has its place in line, or is at its end; and then
 * to its end, or, where the patience is `none`, until it has left the line. Where the thread is
 * cancelled meanwhile, that is still to be done. */
int session_begin(struct session *session, const struct machine *machine, uint64_t deadline,
                  struct session_task **task, char reason[STORE_REASON]);
int session_finish(struct session_task *task, const struct store_patience *patience,
                   struct machine *machine, char reason[STORE_REASON]);

/* The same, without waiting for it, and whatever comes out. */
int session_turn_alone(struct session *session, const struct machine *machine, uint64_t start_at,
                       char reason[STORE_REASON]);

/* Gives a grant back; 0 and it is not there any more. The same with EPERM: it was lost. After any
 * other error it is still held, and this can be repeated. */
int session_release(struct session *session, const berth_grant *grant, uint64_t patience,
                    bool leaving, char reason[STORE_REASON]);

/* ---- for open.c ---- */

/* What the session's own thread does, until session->closing. */
void *session_thread(void *session);
/* The same from here, before there is a thread, until the pool is open, or that has failed: so that
 * no thread has to wake another. */
int session_drive(struct session *session, char reason[STORE_REASON]);
/* With the mutex held: wakes the thread to look for work. */
void session_wake(struct session *session);
/* With the mutex held: sends what is to be sent from here, and wakes the thread if there is more to
 * do. */
void session_go_on(struct session *session);

/* ---- session_lease.c: with the mutex held ---- */

/* The lease: asked for where somebody needs one, renewed, lost. The next time goes into *until. */
void session_lease_keep(struct session *session, uint64_t now, uint64_t *until);
/* Loses the lease if it is over. */
void session_lease_look(struct session *session, uint64_t now);
/* Whether there is a lease that can be relied on. */
bool session_lease_good(const struct session *session, uint64_t now);
/* Ends the lease in the store; the answer sets session->revoked. */
void session_lease_end(struct session *session, uint64_t now);

/* ---- watch.c ---- */

/* With the mutex held: watches mail as long as somebody waits for it. The next time goes into
 * *until. */
void watch_keep(struct session *session, uint64_t now, uint64_t *until);
void watch_drop(struct session *session);
/* Asks for a watch of one key, from that revision on (0: from now on). Its number, or 0. */
int64_t watch_key(struct session *session, uint64_t now, const char *key, int64_t from);
/* Any other one. */
int64_t watch_create(struct session *session, uint64_t now, Etcd__WatchCreateRequest *request);
void watch_end(struct session *session, int64_t number);

/* ---- news_watch.c: with the mutex held ---- */

/* Makes sure that waiters are notified. The next time goes into *until. */
void news_keep(struct session *session, uint64_t now, uint64_t *until);
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
void holding_keep(struct session *session, uint64_t now, uint64_t *until);
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
void loans_look(struct session *session, uint64_t now, uint64_t *until);
/* Tells the guardian until when the lease is good, and what its ward works with. */
void loans_tell_guard(struct session *session);

/* ---- response_header.c: with the mutex held ---- */

/* What an answer says of the store; `seen` is what was known when the request was sent. False: it
 * is another store, or an earlier state of it, and the lease has been given up. */
bool header_take(struct session *session, const Etcd__ResponseHeader *header, int64_t seen);
/* The same, where the revision is that of the member that answered, and may lag behind. */
bool header_take_lagging(struct session *session, const Etcd__ResponseHeader *header);

/* ---- turn.c: with the mutex held ---- */

/* What comes next for a task. */
void task_next(struct session_task *task, enum machine_next next, uint64_t now);
void task_start(struct session_task *task, uint64_t now);
/* It is in line, and waits for mail. */
bool task_waits(const struct session_task *task);
/* Ticks, and deadlines. The earliest to come goes into *until. */
void tasks_tick(struct session *session, uint64_t now, uint64_t *until);
void task_end(struct session_task *task);
/* Whether one that nobody waits for may still have, or get, a slot. */
bool tasks_go_on(const struct session *session);
/* It has a slot that nobody wants: it gives that back. */
void task_pass_on(struct session_task *task, uint64_t now);
void tasks_lose(struct session *session);
/* The lease has ended, or is given up. `why` completes "slot 0 of pool x was lost: ". */
void session_lose(struct session *session, const char *why);

#endif
