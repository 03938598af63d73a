/*
 * The native expansion of the notation (see step.h): each READ, WRITE and TEST is sequentially
 * consistent C11 atomics, the code between is plain C, and nothing is left of the rest.
 */
#ifndef BERTH_STEP_NATIVE_H
#define BERTH_STEP_NATIVE_H

#ifdef STEP_OWN /* what a loaded file finds in the program is called so there */
#define os_wait_slowly berth_own_wait
#define os_yield berth_own_yield
#endif
#include "os/backoff.h"

#include <stdatomic.h>

/* clang-format off: the sections open and close braces in pairs of macros */
#define STEP_MEMBER_CELL(name, values) _Atomic(word) name;
#define STEP_MEMBER_CELLS(name, count, values) _Atomic(word) name[STEP_ARRAY];
#define STEP_MEMBER_REGISTERS(name, values) _Atomic(word) name[STEP_ARRAY];
#ifdef HAS_LOCK
#include "step/lock.h"
#else
#define SHARED(member) (shared->member)
#ifndef STEP_OWN_SHARED /* defined by an includer that has its shared variables elsewhere */
struct step_shared {
    STEP_CELLS(STEP_MEMBER_CELL, STEP_MEMBER_CELLS, STEP_MEMBER_REGISTERS)
};
#endif
#endif

#define STEP_ARGUMENTS                                                                             \
    struct step_shared *shared, struct step_local *my, const struct step_params *params,           \
        word step_me
#define STEP_PASS shared, my, params, step_me
#define STEP_INLINE static inline __attribute__((always_inline))

#define STEP_BEGIN                                                                                 \
    {                                                                                              \
        STEP_NAMES                                                                                 \
        LOCALS(STEP_DECLARE_LOCAL)                                                                 \
        LOCAL_ARRAYS(STEP_DECLARE_LOCAL_ARRAY)                                                     \
        unsigned step_round = 0; /* how long it has been waiting */                                \
        enum step_way step_way = STEP_ON;                                                          \
        (void)shared, (void)my, (void)step_round;

/* A section gives where it leads to. */
enum step_way { STEP_ON, STEP_TO_CRITICAL, STEP_TO_REMAINDER, STEP_TO_TRYING };

#define STEP_FINISH                                                                                \
    goto step_end;                                                                                 \
CRITICAL:                                                                                          \
    step_way = STEP_TO_CRITICAL;                                                                   \
    goto step_end;                                                                                 \
TRYING:                                                                                            \
    step_way = STEP_TO_TRYING;                                                                     \
    goto step_end;                                                                                 \
REMAINDER:                                                                                         \
    step_way = STEP_TO_REMAINDER;                                                                  \
step_end:                                                                                          \
    LOCALS(STEP_SAVE_LOCAL)                                                                        \
    return step_way;                                                                               \
    }

#define SUB(name, ...) STEP_INLINE enum step_way name(STEP_ARGUMENTS, ##__VA_ARGS__) STEP_BEGIN
#define END_SUB(name) STEP_FINISH
#define DOORWAY STEP_INLINE enum step_way step_doorway(STEP_ARGUMENTS) STEP_BEGIN
#define WAITING STEP_INLINE enum step_way step_entry(STEP_ARGUMENTS) STEP_BEGIN
#define ENTRY STEP_INLINE enum step_way step_entry(STEP_ARGUMENTS) STEP_BEGIN
#define EXIT STEP_INLINE enum step_way step_exit(STEP_ARGUMENTS) STEP_BEGIN
#define DEATH STEP_INLINE enum step_way step_death(STEP_ARGUMENTS) STEP_BEGIN
#define REVIVAL STEP_INLINE enum step_way step_revival(STEP_ARGUMENTS) STEP_BEGIN
#define END STEP_FINISH

/* Where a process can be killed on purpose: the torture counts and kills at each access, just
 * before it ("D1") and just after ("D1+"). Otherwise there is only the access. */
#ifdef STEP_KILL_POINTS
void step_kill_point(const char *label, unsigned line);
#define STEP_HOOK(label, ...)                                                                      \
    do {                                                                                           \
        step_kill_point(#label, __LINE__);                                                         \
        __VA_ARGS__;                                                                               \
        step_kill_point(#label "+", __LINE__);                                                     \
    } while (0)
#else
#define STEP_HOOK(label, ...) __VA_ARGS__
#endif

#ifdef HAS_LOCK
#include "step/part.h"
#else
#define READ(label, variable, member) STEP_HOOK(label, variable = atomic_load(&shared->member))
#define WRITE(label, member, value) STEP_HOOK(label, atomic_store(&shared->member, (value)))

#define WRITE_LATE(label, member, value)                                                           \
    STEP_HOOK(label, atomic_store_explicit(&shared->member, (value), memory_order_release))

#define AWAIT(label, name, member, condition)                                                      \
    for (;;) {                                                                                     \
        const word name = atomic_load(&shared->member);                                            \
        if (condition) {                                                                           \
            step_round = 0;                                                                        \
            break;                                                                                 \
        }                                                                                          \
        os_wait(&shared->member, name, &step_round);                                               \
    }

/* An alternative that leaves the value as it is needs no store: the load was the access. It does
 * count as waiting, as does a test that no alternative fits. */
#define TEST(label, name, member)                                                                  \
    {                                                                                              \
        _Atomic(word) *const step_cell = &shared->member;                                          \
        for (;;) {                                                                                 \
            const word name = atomic_load(step_cell);                                              \
            const word step_seen = name;
#define ON(condition, value, ...)                                                                  \
    if (condition) {                                                                               \
        word step_found = step_seen;                                                               \
        const word step_value = (value);                                                           \
        if (step_value == step_seen)                                                               \
            os_wait(step_cell, step_seen, &step_round);                                            \
        else if (atomic_compare_exchange_strong(step_cell, &step_found, step_value))               \
            step_round = 0;                                                                        \
        else                                                                                       \
            continue;                                                                              \
        __VA_ARGS__;                                                                               \
        break;                                                                                     \
    }
#define END_TEST                                                                                   \
    os_wait(step_cell, step_seen, &step_round);                                                    \
    }                                                                                              \
    }
#endif

#define CAS(label, done, member, expected, value)                                                  \
    do {                                                                                           \
        word step_expected = (expected);                                                           \
        STEP_HOOK(label, done = atomic_compare_exchange_strong(&shared->member, &step_expected,    \
                                                               (value)));                          \
    } while (0)

/* A process that finds the value it wants leaves the cell alone. */
#define UPDATE(label, variable, member, value)                                                     \
    STEP_HOOK(                                                                                     \
        label, do {                                                                                \
            word step_found = atomic_load(&shared->member);                                        \
            for (;;) {                                                                             \
                variable = step_found;                                                             \
                const word step_value = (value);                                                   \
                if (step_value == step_found ||                                                    \
                    atomic_compare_exchange_weak(&shared->member, &step_found, step_value))        \
                    break;                                                                         \
            }                                                                                      \
        } while (0))

#define MAY(reason) STEP_MAY_##reason
#define DUE(reason) STEP_DUE_##reason
#define PAUSE(member) /* only within AGAIN; waiting is no failed round */                          \
    STEP_HOOK(PAUSE, STEP_PAUSE(&shared->member), step_rounds = 0)
#define RELAX os_relax_again(&step_round)
#define WAKE(member) STEP_HOOK(WAKE, STEP_WAKE(&shared->member))
#define PROGRESS (step_rounds = 0) /* only within AGAIN */

#ifdef HAS_TRUST
enum { STEP_ROUNDS = 1 << 12 };
#define TRUST(condition)                                                                           \
    do {                                                                                           \
        if (__builtin_expect(!(condition), 0)) {                                                   \
            my->broken = true;                                                                     \
            goto step_end;                                                                         \
        }                                                                                          \
    } while (0)
#define AGAIN AGAIN_UP_TO(STEP_ROUNDS)
#define AGAIN_UP_TO(most)                                                                          \
    for (unsigned step_rounds = 0;; step_rounds++)                                                 \
        if (__builtin_expect(step_rounds >= (most), 0)) {                                          \
            my->broken = true;                                                                     \
            goto step_end;                                                                         \
        } else
#define STEP_IF_BROKEN                                                                             \
    if (__builtin_expect(my->broken, 0))                                                           \
        goto step_end;
#else
#define AGAIN for (unsigned step_rounds = 0;; step_rounds++)
#define STEP_IF_BROKEN
#endif

#define RECORD(member, value) ((void)0)
#define BROKEN(set) (my->failed |= (set))

/* Relaxed: a process reads what it wrote itself. */
#define OWN(member) atomic_load_explicit(&shared->member, memory_order_relaxed)
#define SETTLED(condition) ((void)0)
#define FORGET(variable) ((variable) = 0) /* mostly a dead store: the compiler drops it */
#define GHOST(variable, value) ((void)0)
#define DIES(member, value) atomic_store(&shared->member, (value))
#define LIMIT(condition) ((void)0)

#define CALL(label, sub, ...) STEP_CALL_(sub, STEP_PASS, __VA_ARGS__)
#define CALL0(label, sub) STEP_CALL_(sub, STEP_PASS)
#define STEP_CALL_(sub, ...)                                                                       \
    do {                                                                                           \
        LOCALS(STEP_SAVE_LOCAL)                                                                    \
        sub(__VA_ARGS__);                                                                          \
        LOCALS(STEP_LOAD_LOCAL)                                                                    \
        STEP_IF_BROKEN                                                                             \
    } while (0)

/* Whether process p is alive. A file that includes a protocol with ALIVE defines STEP_ALIVE. */
#define ALIVE(label, variable, p) STEP_HOOK(label, variable = STEP_ALIVE(p))

#define STEP_PROTOCOL(name, ...)                                                                   \
    static const struct protocol name __attribute__((unused)) = {__VA_ARGS__};

/* clang-format on */

#endif
