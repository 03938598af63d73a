/*
 * A handle on a pool in etcd. One thread of its own drives the connection, renews the lease and turns
 * the machines; the threads of the program hand it machines and wait for them.
 */
#ifndef BERTH_STORE_ETCD_SESSION_H
#define BERTH_STORE_ETCD_SESSION_H

#include "store/etcd/guard.h"
#include "store/etcd/lease.h"
#include "store/etcd/link.h"
#include "store/etcd/machine.h"

#include <pthread.h>

/* A machine, and who waits for it. */
struct session_task {
    struct machine machine;
    struct session *session;
    struct session_task *next;
    struct link_call call;
    uint64_t deadline; /* of an acquire; UINT64_MAX: none */
    bool once;         /* with the lease it ends: ESTALE */
    bool in_line;      /* an acquire: it has its place */
    bool turning;      /* it was started */
    bool under_way;    /* a request of it */
    bool done;
    bool given_up; /* it cannot leave in good order: whoever waits for it is to detach it */
    bool detached; /* nobody waits for it any more */
    pthread_cond_t finished;
};

/* A grant of this handle. */
struct session_grant {
    struct session_grant *next;
    char entry[LAYOUT_ENTRY];
    int64_t token, lease;
    unsigned slot;
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
    struct link link;
    struct machine_seat seat;
    struct lease lease;
    struct guard guard;
    enum session_state state;
    struct session_task enter;
    struct session_task *tasks;
    struct session_grant *grants;
    struct link_call lease_call, watch_call;
    bool watching, watch_made, watch_cancelled, watch_missed;
    uint64_t watch_at; /* not before */
    bool was_open;     /* once: the pool need not be created any more */
    bool closing;      /* the thread is to end */
    bool revoking, revoked;
    int error;
    char reason[STORE_REASON];
    int wake_fd, lost_fd;
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

/* Turns a machine to its end; `deadline` as in the task. The result is in *machine. */
int session_turn(struct session *session, struct machine *machine, uint64_t deadline,
                 char reason[STORE_REASON]);

/* The same in two halves: it is turned until it has its place in line, or is at its end; and then to
 * its end, or, if that is to be `now`, until it has left the line. */
int session_begin(struct session *session, const struct machine *machine, uint64_t deadline,
                  struct session_task **task, char reason[STORE_REASON]);
int session_finish(struct session_task *task, bool now, struct machine *machine,
                   char reason[STORE_REASON]);

/* The same, without waiting for it, and whatever comes out. */
int session_turn_alone(struct session *session, const struct machine *machine,
                       char reason[STORE_REASON]);

/* With the mutex held. */
struct session_grant **session_find(struct session *session, const berth_grant *grant);

/* ---- for open.c ---- */

/* What the session's own thread does, until session->closing. */
void *session_thread(void *session);
/* With the mutex held: it is to look what there is to do. */
void session_wake(struct session *session);
/* With the mutex held: sends what is to be sent from here, and wakes the thread if there is more to do. */
void session_go_on(struct session *session);

/* ---- tenure.c: with the mutex held ---- */

/* The lease: asked for where somebody needs one, renewed, lost. The next time goes into *until. */
void tenure_keep(struct session *session, uint64_t now, uint64_t *until);
/* Ends the lease in the store; the answer sets session->revoked. */
void tenure_end(struct session *session, uint64_t now);

/* ---- watch.c ---- */

/* With the mutex held: sees to it that mail is watched, as long as somebody waits for it. */
void watch_keep(struct session *session, uint64_t now);
void watch_drop(struct session *session);

/* ---- turn.c: with the mutex held ---- */

/* What comes next for a task. */
void task_next(struct session_task *task, enum machine_next next, uint64_t now);
void task_start(struct session_task *task, uint64_t now);
/* Ticks, and deadlines. The earliest to come goes into *until. */
void tasks_tick(struct session *session, uint64_t now, uint64_t *until);
void task_end(struct session_task *task);
void tasks_lose(struct session *session);
/* The lease has ended. */
void session_lose(struct session *session);

#endif
