/*
 * What is compared: a way to hand out slots among processes, described once. Every harness takes
 * any of them. A new one is one file and a line in the list in subject.c.
 */
#ifndef BERTH_BENCH_SUBJECT_H
#define BERTH_BENCH_SUBJECT_H

#include "berth.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BENCH_SLOTS = 4 }; /* most slots that a harness asks for */

enum { BENCH_SHARED = 4096 }; /* bytes of shared memory that a place has */

/* A subject that has been set up with a number of slots. The driver sets it up before it forks, so
 * that descriptors and addresses mean the same in every process. */
struct bench_place {
    const struct bench_subject *subject;
    unsigned slots;
    const char *directory; /* for temporary files */
    char name[24];         /* nobody else's in that directory */
    void *shared;          /* BENCH_SHARED bytes, zero at first */
};

/* One process's way to a place. */
struct bench_seat {
    const struct bench_place *place;
    union {
        int fd;
        struct {
            berth_pool *pool;
            berth_grant grant;
        } berth;
    } own;
};

/* All functions give 0 or an errno value. */
struct bench_subject {
    const char *name;
    const char *about;
    const char *missing; /* why it is not in this build; NULL: it is */
    unsigned most;       /* slots */
    bool recovers;       /* the slot of a killed holder comes back by itself */
    bool spins;          /* waits without sleeping */

    int (*make)(struct bench_place *place);
    void (*unmake)(struct bench_place *place);

    int (*join)(struct bench_seat *seat);
    int (*acquire)(struct bench_seat *seat);
    int (*try_acquire)(struct bench_seat *seat); /* EBUSY: no slot is free now */
    int (*release)(struct bench_seat *seat);
    void (*leave)(struct bench_seat *seat);

    /* `count` times acquire and release, as close together as a user could write them. */
    int (*pairs)(struct bench_seat *seat, uint64_t count);

    /* The place in the order of arrival of the slot that is held; NULL: it tells nobody. */
    uint64_t (*ticket)(const struct bench_seat *seat);
};

/* Where there is nothing to do to join or to leave. */
int bench_join_nothing(struct bench_seat *seat);
void bench_leave_nothing(struct bench_seat *seat);

/* Defines NAME_pairs in a subject's file, where the compiler sees the two calls and inlines them:
 * the measured loop has no call through a pointer in it. */
#define BENCH_PAIRS(name)                                                                          \
    static int name##_pairs(struct bench_seat *seat, uint64_t count)                               \
    {                                                                                              \
        int error = 0;                                                                             \
        while (count-- > 0 && error == 0) {                                                        \
            error = name##_acquire(seat);                                                          \
            if (error == 0)                                                                        \
                error = name##_release(seat);                                                      \
        }                                                                                          \
        return error;                                                                              \
    }

extern const struct bench_subject bench_berth, bench_sem, bench_sysv, bench_robust, bench_flock,
    bench_pipe, bench_ticket, bench_relay;

enum { BENCH_SUBJECTS = 8 };
extern const struct bench_subject *const bench_subjects[BENCH_SUBJECTS];

#endif
