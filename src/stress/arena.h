/* The memory of one run: a mapping that all participants share, threads and processes alike. */
#ifndef BERTH_STRESS_ARENA_H
#define BERTH_STRESS_ARENA_H

#include "stress/stress.h"

#include <stdatomic.h>
#include <stddef.h>

/* How many entries are kept for the analysis of the order; later ones are counted only. */
enum { STRESS_LOG = 1 << 20 };

enum { STRESS_LINE = 128 }; /* two cache lines: processors fetch them in pairs */

/* A participant's own corner. `entries` outlives a killed participant: its successor goes on. */
struct stress_place {
    _Alignas(STRESS_LINE) _Atomic(uint64_t) entries;
    _Atomic(uint64_t) gave_up; /* entries that led to nothing */
    _Atomic(uint64_t) turn;    /* another one each time it leaves its critical section, or dies */
    _Atomic(bool) done;        /* it was asked to stop and did */
    _Atomic(bool) trying;      /* it is in its entry */
    _Atomic(bool) killed;      /* its successor has to recover first */
};

struct stress_board {
    _Alignas(STRESS_LINE) _Atomic(bool) stop; /* asks the participants to stop between entries */
    _Atomic(unsigned) ready; /* participants that have begun, killed ones included */
    _Atomic(int) error;      /* why a thread could not be made; 0: nothing went wrong */

    _Alignas(STRESS_LINE) _Atomic(uint64_t) arrivals; /* drawn just before the call of entry */

    /* Bit i: participant i is in its critical section. Count and flags are one word, so that no
     * instant of a kill leaves the two apart, and the driver can take the bit of the dead back. */
    _Alignas(STRESS_LINE) _Atomic(uint64_t) inside;
    _Atomic(uint64_t) violations;
    _Atomic(bool) broken; /* a participant saw an invariant of the protocol fail */
    _Atomic(uint64_t) entered;
    _Atomic(uint64_t) held;  /* slots, where they have numbers */
    volatile uint64_t plain; /* incremented with only the protocol for synchronisation */

    struct stress_place place[STRESS_MAX_N];
};

/* The pointers are into the mapping; a forked process has it at the same address. */
struct stress_arena {
    const struct stress_plan *plan;
    void *mapping;
    size_t size;
    struct stress_board *board;
    void *shared; /* the protocol's */
    char *local;
    size_t local_stride;
    void *private;     /* the supervisor's variables, where there is a supervisor */
    void *gate_shared; /* of the protocol around it */
    char *gate_local;
    size_t gate_stride;
    uint32_t *log; /* in order of entry: 1 + the arrival number; 0: killed before it was written */
};

/* False with errno set. */
bool stress_arena_make(struct stress_arena *arena, const struct stress_plan *plan);
void stress_arena_free(struct stress_arena *arena);

void *stress_arena_local(const struct stress_arena *arena, unsigned me);

#endif
