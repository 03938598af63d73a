/*
 * The native expansion of the notation (see step.h): each READ, WRITE and TEST is sequentially
 * consistent C11 atomics, the code between is plain C, and nothing is left of the rest.
 */
#ifndef BERTH_STEP_NATIVE_H
#define BERTH_STEP_NATIVE_H

#include "os/wait.h"

#include <stdatomic.h>

/* clang-format off: the sections open and close braces in pairs of macros */
#define STEP_MEMBER_CELL(name, values) _Atomic(word) name;
#define STEP_MEMBER_CELLS(name, count, values) _Atomic(word) name[STEP_ARRAY];
#define STEP_MEMBER_REGISTERS(name, values) _Atomic(word) name[STEP_ARRAY];
struct step_shared {
    CELLS(STEP_MEMBER_CELL, STEP_MEMBER_CELLS, STEP_MEMBER_REGISTERS)
};

#define STEP_ARGUMENTS                                                                             \
    struct step_shared *shared, struct step_local *my, const struct step_params *params,           \
        word step_me
#define STEP_PASS shared, my, params, step_me
#define STEP_INLINE static inline __attribute__((always_inline))

#define STEP_BEGIN                                                                                 \
    {                                                                                              \
        STEP_NAMES                                                                                 \
        LOCALS(STEP_DECLARE_LOCAL)                                                                 \
        unsigned step_round = 0; /* how long it has been waiting */                                \
        (void)shared, (void)my, (void)step_round;

#define STEP_FINISH                                                                                \
    goto step_end;                                                                                 \
CRITICAL:                                                                                          \
REMAINDER:                                                                                         \
step_end:                                                                                          \
    LOCALS(STEP_SAVE_LOCAL)                                                                        \
    return;                                                                                        \
    }

#define SUB(name, ...) STEP_INLINE void name(STEP_ARGUMENTS, ##__VA_ARGS__) STEP_BEGIN
#define END_SUB(name) STEP_FINISH
#define DOORWAY STEP_INLINE void step_doorway(STEP_ARGUMENTS) STEP_BEGIN
#define WAITING STEP_INLINE void step_entry(STEP_ARGUMENTS) STEP_BEGIN
#define ENTRY STEP_INLINE void step_entry(STEP_ARGUMENTS) STEP_BEGIN
#define EXIT STEP_INLINE void step_exit(STEP_ARGUMENTS) STEP_BEGIN
#define DEATH STEP_INLINE void step_death(STEP_ARGUMENTS) STEP_BEGIN
#define END STEP_FINISH

#define READ(label, variable, member) variable = atomic_load(&shared->member)
#define WRITE(label, member, value) atomic_store(&shared->member, (value))

#define AWAIT(label, name, member, condition)                                                      \
    for (;;) {                                                                                     \
        const word name = atomic_load(&shared->member);                                            \
        if (condition) {                                                                           \
            step_round = 0;                                                                        \
            break;                                                                                 \
        }                                                                                          \
        os_wait(&shared->member, name, &step_round);                                               \
    }

/* An alternative that leaves the value as it is needs no store: the load was the access. It is a
 * sign of waiting, though, as is a test that no alternative fits. */
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

/* Relaxed: a process reads what it wrote itself. */
#define OWN(member) atomic_load_explicit(&shared->member, memory_order_relaxed)
#define FORGET(variable) ((variable) = 0) /* a dead store: the compiler drops it */
#define DIES(member, value) atomic_store(&shared->member, (value))
#define LIMIT(condition) ((void)0)

#define CALL(label, sub, ...) STEP_CALL_(sub, STEP_PASS, __VA_ARGS__)
#define CALL0(label, sub) STEP_CALL_(sub, STEP_PASS)
#define STEP_CALL_(sub, ...)                                                                       \
    do {                                                                                           \
        LOCALS(STEP_SAVE_LOCAL)                                                                    \
        sub(__VA_ARGS__);                                                                          \
        LOCALS(STEP_LOAD_LOCAL)                                                                    \
    } while (0)

/* Whether process p is alive: whoever includes a protocol that asks says how that is found out. */
#define ALIVE(label, variable, p) variable = STEP_ALIVE(p)

#define PROTOCOL(...)                                                                              \
    static const struct protocol step_protocol __attribute__((unused)) = {__VA_ARGS__};

/* clang-format on */

#endif
