/*
 * A stage for small plays with a pool: actors are processes that do what they are told, one call of
 * the library at a time, and can be told to stop or to kill themselves at a kill point. The driver
 * is the only one that tells, waits and judges.
 */
#ifndef BERTH_TORTURE_STAGE_H
#define BERTH_TORTURE_STAGE_H

#include "points.h"

#include "berth.h"

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

enum { ACTORS = 4, ACTOR_GRANTS = 8, VICTIM = 0 };

enum command {
    TO_OPEN,
    TO_ACQUIRE,
    TO_TRY,
    TO_WAIT_FOR, /* acquire_until, this many milliseconds ahead */
    TO_RELEASE,  /* what it got last */
    TO_RESIZE,   /* to this many slots */
    TO_GO_ROUND, /* this many times: release, acquire */
    TO_GIVE_UP,  /* this many times: acquire_until with no time at all */
    TO_CLOSE,
};

enum deed { NOTHING, STOPS, DIES_THERE };

/* What an actor does at the n-th passage of a point. */
struct arm {
    enum deed deed;
    unsigned point, passage;
};

struct actor {
    _Alignas(128) _Atomic(uint64_t) asked, done; /* commands, counted */
    enum command command;
    unsigned argument;
    int error;              /* of the last command */
    _Atomic(unsigned) held; /* grants */
    struct arm arm[2];
    _Atomic(unsigned) passed[POINTS_MAX];
};

struct stage {
    struct points points;
    char store[64];
    const char *name;
    unsigned slots, seats;
    struct actor *actor; /* shared */
    pid_t pid[ACTORS];   /* 0: not started, or dead and waited for */
    bool halted[ACTORS]; /* it has stopped */
    uint64_t patience;   /* seconds after which somebody is stuck */
    bool failed;
    char text[256]; /* why */
    double worst;   /* seconds until the slots were available again */
};

bool stage_make(struct stage *stage, const char *source);

/* A new pool, and nobody on stage; everything of the last play is gone afterwards. */
bool stage_set(struct stage *stage, unsigned slots, unsigned seats);
bool stage_clear(struct stage *stage);

/* Arms an actor that has been given nothing to do yet; in at most two ways. */
void stage_arm(struct stage *stage, unsigned who, enum deed deed, const char *point,
               unsigned passage);

/* Tells an actor, which is started if it has not been; what a dead one is told is lost. */
void tell(struct stage *stage, unsigned who, enum command command, unsigned argument);

/* Waits until it has done it, is dead, or has stopped. False: it is dead. */
bool finish(struct stage *stage, unsigned who);

/* Both. */
bool act(struct stage *stage, unsigned who, enum command command, unsigned argument);

/* Waits until it sleeps in the queue, has got the slot, has stopped, or is dead. */
void fall_asleep(struct stage *stage, unsigned who);

void kill_actor(struct stage *stage, unsigned who);
void continue_actor(struct stage *stage, unsigned who);

/* After a play: each that still waits gets its slot, and all slots are available. */
void stage_judge(struct stage *stage);

__attribute__((format(printf, 2, 3))) void stage_fail(struct stage *stage, const char *format, ...);

/* In a new process: does what it is told, for ever. */
_Noreturn void actor_live(const struct stage *stage, unsigned who);

#endif
