/*
 * What berth.h promises. It watches the calls from outside, knows who is alive from the kernel that
 * it is part of, and knows nothing of tickets, rings and seats.
 */
#ifndef BERTH_SIM_ORACLE_H
#define BERTH_SIM_ORACLE_H

#include "berth.h"
#include "sim.h"

enum {
    ORACLE_SLOTS = 16, /* no simulated pool has more */
    ORACLE_POOLS = 32,
    ORACLE_WANTS = 2,
    ORACLE_LEVELS = 6, /* of loans, with the holder's; no script nests deeper */
    ORACLE_LENDERS = 4,
    ORACLE_CALLS = 128,
};

/* How long a slot that no living process holds may stay so while somebody waits for it: what
 * docs/RECOVERY.md says of the slowest look, and what the look itself takes. */
#define ORACLE_BOUND (60 * SIM_MS)
/* How late a call may notice that its deadline is over. */
#define ORACLE_LATE (100 * SIM_MS)
/* Within this time everybody knows that the pool's file was removed. */
#define ORACLE_REMOVED (1100 * SIM_MS)

enum oracle_kind {
    ORACLE_ACQUIRE,
    ORACLE_TRY,
    ORACLE_UNTIL,
    ORACLE_RELEASE,
    ORACLE_RESIZE,
    ORACLE_CLOSE,
    ORACLE_OPEN,
    ORACLE_OTHER,
};

struct oracle_pool;

/* A process that lends: its level in a slot. */
struct oracle_lender {
    struct oracle_pool *pool;
    unsigned slot, level;
    uint64_t token;
    struct sim_ofd *ofd;
    uint64_t serial;
};

/* A call that is under way. */
struct sim_call {
    bool used;
    bool ghost; /* its process is dead; its ticket lives as long as the handle's file is open */
    enum oracle_kind kind;
    struct sim_thread *thread;
    uint64_t began;    /* number of events before it */
    uint64_t deadline; /* of CLOCK_MONOTONIC */
    unsigned wants;
    struct oracle_want {
        struct oracle_pool *pool;
        struct sim_ofd *ofd; /* of the handle, */
        uint64_t serial;     /* and which of that name it is */
        unsigned slots;
        uint64_t floor;   /* the newest token before */
        unsigned highest; /* slots that the pool had meanwhile */
    } want[ORACLE_WANTS];
    struct oracle_lender lender[ORACLE_LENDERS]; /* around its process */
    unsigned lenders;
    uint64_t unlent;    /* since when one of them lends, and nobody has borrowed; 0: not so */
    uint64_t drawn;     /* number of events when it surely had its tickets; 0: not yet */
    uint64_t overtaken; /* when a later call was served before it; 0: none was */
    uint64_t hopeless;  /* since when it wants more than there is */
    uint64_t removed;   /* since when the file has no name */
    bool alone;         /* nothing else happened in its pool so far, and a slot was available */
    bool was_stopped;
    bool overlapped; /* of a resize: by another one */
};

struct oracle_holder {
    enum { ORACLE_NOBODY, ORACLE_HOLDS, ORACLE_RELEASES } state;
    struct sim_ofd *ofd;
    uint64_t serial; /* of the open file */
    uint64_t token;
    unsigned pid;
};

struct oracle_pool {
    struct sim_inode *inode;
    uint64_t number;       /* of the inode: it may be another pool's meanwhile */
    unsigned fewest, most; /* slots; they differ while somebody resizes, and after it was killed */
    struct oracle_holder holder[ORACLE_SLOTS];
    struct oracle_holder loan[ORACLE_SLOTS][ORACLE_LEVELS]; /* by level, from 1 on */
    uint64_t newest;                                        /* token */
    uint64_t changes;
    uint64_t starved_since; /* a slot is free and somebody waits; 0: not so */
    struct {
        uint64_t began, token;
    } log[64];
    unsigned logged;
};

struct oracle {
    struct oracle_pool pool[ORACLE_POOLS];
    struct sim_call call[ORACLE_CALLS];
    uint64_t events, last_tick;
    unsigned grants, refusals, timeouts, recoveries;
    uint64_t bound;            /* ORACLE_BOUND, unless the script knows better */
    bool removals_are_noticed; /* EIDRM is looked for */
};
extern struct oracle oracle;

void oracle_begin(void);

/* ---- told by the kernel ---- */
/* `killed`: it did not end, or leave its call, by itself. */
void oracle_thread_is_gone(struct sim_thread *thread, bool killed);
void oracle_process_stops(struct sim_process *process);
void oracle_sleeps(const void *cell);
void oracle_tick(bool now);
void oracle_unlinks(const struct sim_inode *inode); /* the library does */

/* ---- told by the programs, by way of api.c ---- */
struct oracle_pool *oracle_pool_of(struct sim_inode *inode, unsigned slots);
struct sim_call *oracle_call(enum oracle_kind kind, uint64_t deadline);
void oracle_wants(struct sim_call *call, struct oracle_pool *pool, struct sim_ofd *ofd,
                  unsigned slots);
/* The call waits from now on. */
void oracle_goes(struct sim_call *call);
void oracle_granted(struct sim_call *call, struct oracle_pool *pool, struct sim_ofd *ofd,
                    const berth_grant *grant);
void oracle_refused(struct sim_call *call, int error);
/* The grant is a loan, and that of the process at this level of the slot. */
void oracle_borrowed(struct sim_call *call, struct oracle_pool *pool, struct sim_ofd *ofd,
                     const berth_grant *grant, unsigned level);
/* Before a loan is given back, and after. */
void oracle_gives_back(struct oracle_pool *pool, const struct sim_ofd *ofd,
                       const berth_grant *grant, unsigned level);
void oracle_gave_back(struct oracle_pool *pool, const struct sim_ofd *ofd, const berth_grant *grant,
                      unsigned level);
void oracle_ends(struct sim_call *call);
/* Before a slot is given back, and after. */
void oracle_releases(struct oracle_pool *pool, unsigned slot);
void oracle_released(struct oracle_pool *pool, unsigned slot);
void oracle_closes(struct oracle_pool *pool, const struct sim_ofd *ofd);
void oracle_resizes(struct oracle_pool *pool, unsigned slots);
void oracle_resized(struct oracle_pool *pool, unsigned slots);
unsigned oracle_free(const struct oracle_pool *pool);
/* The pool in this file, if nobody is in a call about it, nor died in one; NULL otherwise. */
const struct oracle_pool *oracle_quiet(const struct sim_inode *inode);
unsigned oracle_holders(const struct oracle_pool *pool);

#endif
