/*
 * The model expansion of the notation (see step.h): the words of a protocol file as resumable
 * functions over an unpacked frame. Plain C: no libc, recursion, globals or function pointers.
 */
#ifndef BERTH_STEP_MODEL_H
#define BERTH_STEP_MODEL_H

#include "check/model.h"
#include "step/frame.h"

/* clang-format off: the sections open and close braces in pairs of macros */
#define STEP_MEMBER_CELL(name, values) word name;
#define STEP_MEMBER_CELLS(name, count, values) STEP_WORDS(name, STEP_ARRAY);
#define STEP_MEMBER_REGISTERS(name, values) STEP_WORDS(name, STEP_ARRAY);
#define step_variable step_shared /* LOCK's is the whole frame */
struct step_shared {
    STEP_CELLS(STEP_MEMBER_CELL, STEP_MEMBER_CELLS, STEP_MEMBER_REGISTERS)
    word step_kills;  /* kills so far, where the fault is kill */
    word step_failed; /* what BROKEN was told of */
    STEP_WORDS(step_alive, CHECK_MAX_PROCESSES);
};

#define SHARED(member) (shared->member)

#define STEP_ARGUMENTS                                                                             \
    struct step_run *run, const struct step_params *params, struct step_shared *shared,            \
        struct step_local *my, word step_me
#define STEP_PASS run, params, shared, my, step_me
#define STEP_INLINE static inline __attribute__((always_inline))

enum step_result { STEP_SUSPENDED, STEP_DONE };

/* A resumable function: `base` is the counter from which its places are numbered, `start` the place
 * of its first statement, `counter` where its place is kept. */
#define STEP_BEGIN(base, start, counter)                                                           \
    {                                                                                              \
        enum { step_base = (base) };                                                               \
        step_place *const step_pc = &my->counter;                                                  \
        STEP_NAMES                                                                                 \
        LOCALS(STEP_DECLARE_LOCAL)                                                                 \
        LOCAL_ARRAYS(STEP_DECLARE_LOCAL_ARRAY)                                                     \
        (void)run, (void)shared;                                                                   \
        switch (*step_pc) {                                                                        \
        case (start):;

#define STEP_FINISH                                                                                \
    goto step_end; /* not a warning where nothing else goes there */                               \
    }                                                                                              \
REMAINDER:                                                                                         \
    run->left = true;                                                                              \
    goto step_end;                                                                                 \
TRYING:                                                                                            \
    run->waits = true;                                                                             \
    goto step_end;                                                                                 \
CRITICAL:                                                                                          \
    run->entered = true;                                                                           \
step_end:                                                                                          \
    LOCALS(STEP_SAVE_LOCAL)                                                                        \
    *step_pc = 0;                                                                                  \
    return STEP_DONE;                                                                              \
    goto step_suspend;                                                                             \
step_suspend:                                                                                      \
    LOCALS(STEP_SAVE_LOCAL)                                                                        \
    return STEP_SUSPENDED;                                                                         \
    }

#define SUB(name, ...)                                                                             \
    enum { STEP_JOIN(step_base_, name) = __COUNTER__ };                                            \
    STEP_INLINE enum step_result name(STEP_ARGUMENTS, ##__VA_ARGS__)                               \
        STEP_BEGIN(STEP_JOIN(step_base_, name), 0, STEP_JOIN(pc_, name))
#define END_SUB(name)                                                                              \
    STEP_FINISH                                                                                    \
    enum { STEP_JOIN(step_places_, name) = __COUNTER__ - STEP_JOIN(step_base_, name) };

#ifdef HAS_DOORWAY
#define STEP_FIRST STEP_DOORWAY
#define DOORWAY                                                                                    \
    enum { STEP_DOORWAY = __COUNTER__ };                                                           \
    STEP_INLINE enum step_result step_doorway(STEP_ARGUMENTS) STEP_BEGIN(STEP_FIRST, 0, pc)
#define WAITING                                                                                    \
    enum { STEP_ENTRY = __COUNTER__ };                                                             \
    STEP_INLINE enum step_result step_entry(STEP_ARGUMENTS)                                        \
        STEP_BEGIN(STEP_FIRST, STEP_ENTRY - STEP_FIRST, pc)
#else
#define STEP_FIRST STEP_ENTRY
#define ENTRY                                                                                      \
    enum { STEP_ENTRY = __COUNTER__ };                                                             \
    STEP_INLINE enum step_result step_entry(STEP_ARGUMENTS) STEP_BEGIN(STEP_FIRST, 0, pc)
#endif

#define EXIT                                                                                       \
    enum { STEP_EXIT = __COUNTER__ };                                                              \
    STEP_INLINE enum step_result step_exit(STEP_ARGUMENTS)                                         \
        STEP_BEGIN(STEP_FIRST, STEP_EXIT - STEP_FIRST, pc)
#define REVIVAL                                                                                    \
    enum { STEP_REVIVAL = __COUNTER__ };                                                           \
    STEP_INLINE enum step_result step_revival(STEP_ARGUMENTS)                                      \
        STEP_BEGIN(STEP_FIRST, STEP_REVIVAL - STEP_FIRST, pc)
#define END STEP_FINISH

#define DEATH STEP_INLINE enum step_result step_death(STEP_ARGUMENTS) STEP_BEGIN(STEP_FIRST, 0, pc)

/* A step is over where the next access would be made; and where only settled steps are wanted, it
 * does not begin unless SETTLED has let it. */
#ifdef HAS_SETTLED
#define STEP_UNWANTED (run->moved || run->settled)
#define SETTLED(condition) STEP_SETTLED_(__COUNTER__, condition)
#define STEP_SETTLED_(counter, condition)                                                          \
    do {                                                                                           \
        if (0)                                                                                     \
        case (counter)-step_base:                                                                  \
            run->settled &= !(condition);                                                          \
        if (STEP_UNWANTED) {                                                                       \
            *step_pc = (counter)-step_base;                                                        \
            goto step_suspend;                                                                     \
        }                                                                                          \
    } while (0)
#define STEP_RESUME                                                                                \
    if (run->settled)                                                                              \
        goto step_suspend;
#else
#define STEP_UNWANTED run->moved
#define STEP_RESUME
#endif

#define STEP_POINT(name) STEP_POINT_(__COUNTER__, name)
#define STEP_POINT_(counter, name)                                                                 \
    if (STEP_UNWANTED) {                                                                           \
        *step_pc = (counter)-step_base;                                                            \
        goto step_suspend;                                                                         \
    }                                                                                              \
    case (counter)-step_base:                                                                      \
        STEP_RESUME                                                                                \
        run->moved = true;                                                                         \
        run->here = (counter)-step_base;                                                           \
        if (run->note != NULL)                                                                     \
            step_say(run->note, (name), __FILE__, __LINE__);

/* The busy wait: the step is over and will be made again. */
#define STEP_AGAIN                                                                                 \
    {                                                                                              \
        *step_pc = run->here;                                                                      \
        goto step_suspend;                                                                         \
    }

#define READ(label, variable, member)                                                              \
    do {                                                                                           \
        STEP_POINT(#label)                                                                         \
        variable = step_load(run, &shared->member);                                                \
    } while (0)

#define WRITE(label, member, value)                                                                \
    do {                                                                                           \
        STEP_POINT(#label)                                                                         \
        step_store(run, &shared->member, (value), CHECK_WRITE);                                    \
    } while (0)

#define WRITE_LATE WRITE

#define AWAIT(label, name, member, condition)                                                      \
    do {                                                                                           \
        STEP_POINT(#label)                                                                         \
        const word name = step_load(run, &shared->member);                                         \
        if (!(condition))                                                                          \
            STEP_AGAIN                                                                             \
    } while (0)

#define TEST(label, name, member)                                                                  \
    {                                                                                              \
        STEP_POINT(#label)                                                                         \
        word *const step_cell = &shared->member;                                                   \
        const word name = step_load(run, step_cell);                                               \
        do {
#define ON(condition, value, ...)                                                                  \
    if (condition) {                                                                               \
        step_store(run, step_cell, (value), CHECK_UPDATE);                                         \
        __VA_ARGS__;                                                                               \
        break;                                                                                     \
    }
#define END_TEST                                                                                   \
    STEP_AGAIN                                                                                     \
    }                                                                                              \
    while (0)                                                                                      \
        ;                                                                                          \
    }

#define CAS(label, done, member, expected, value)                                                  \
    do {                                                                                           \
        STEP_POINT(#label)                                                                         \
        done = step_load(run, &shared->member) == (expected);                                      \
        if (done)                                                                                  \
            step_store(run, &shared->member, (value), CHECK_UPDATE);                               \
    } while (0)

#define UPDATE(label, variable, member, value)                                                     \
    do {                                                                                           \
        STEP_POINT(#label)                                                                         \
        variable = step_load(run, &shared->member);                                                \
        const word step_value = (value);                                                           \
        if (step_value != variable)                                                                \
            step_store(run, &shared->member, step_value, CHECK_UPDATE);                            \
    } while (0)

/* The variable is the whole frame. */
#define LOCK(name)                                                                                 \
    {                                                                                              \
        STEP_POINT(#name)                                                                          \
        struct step_variable *const V = step_take_all(run, shared);                                \
        {
#define UNLOCK                                                                                     \
    }                                                                                              \
    }

#define SUPERVISOR(name)                                                                           \
    STEP_INLINE void step_supervisor(struct step_run *run, const struct step_params *params,       \
                                     struct step_shared *shared, struct step_private *X,           \
                                     word step_me)                                                 \
    {                                                                                              \
        STEP_NAMES                                                                                 \
        if (run->note != NULL)                                                                     \
            step_say(run->note, #name, __FILE__, __LINE__);                                        \
        struct step_variable *const V = step_take_all(run, shared);
#define END_SUPERVISOR }

#define ALIVE(label, variable, p)                                                                  \
    do {                                                                                           \
        STEP_POINT(#label)                                                                         \
        variable = step_load(run, &shared->step_alive[p]);                                         \
    } while (0)

#define RECORD(member, value)                                                                      \
    do {                                                                                           \
        const word step_recorded = (value);                                                        \
        if (step_recorded != shared->member)                                                       \
            step_record(run, &shared->member, step_recorded);                                      \
    } while (0)
#define BROKEN(set) RECORD(step_failed, shared->step_failed | (set))

#define OWN(member) (shared->member)
#define FORGET(variable) ((variable) = 0)
#define DIES(member, value) step_store(run, &shared->member, (value), CHECK_FAULT)
#define LIMIT(condition)                                                                           \
    if (!(condition)) {                                                                            \
        run->barred = true;                                                                        \
        goto step_suspend;                                                                         \
    }

#define MAY(reason) (run->asked = true, run->choice)
#define DUE(reason) true
#define PAUSE(member) ((void)0)
#define RELAX ((void)0)
#define WAKE(member) ((void)0)
#define AGAIN for (;;)
#define AGAIN_UP_TO(most) for (;;)
#define PROGRESS ((void)0)
#define TRUST(condition) (run->broken |= !(condition))

#define CALL(label, sub, ...) STEP_CALL_(__COUNTER__, sub, STEP_PASS, __VA_ARGS__)
#define CALL0(label, sub) STEP_CALL_(__COUNTER__, sub, STEP_PASS)
#define STEP_CALL_(counter, sub, ...)                                                              \
    do {                                                                                           \
    case (counter)-step_base:;                                                                     \
        LOCALS(STEP_SAVE_LOCAL)                                                                    \
        enum step_result step_called = sub(__VA_ARGS__);                                           \
        LOCALS(STEP_LOAD_LOCAL)                                                                    \
        if (step_called == STEP_SUSPENDED) {                                                       \
            *step_pc = (counter)-step_base;                                                        \
            goto step_suspend;                                                                     \
        }                                                                                          \
    } while (0)

#ifdef STEP_BARE
#define STEP_PROTOCOL(name, ...)
#else
#define STEP_PROTOCOL(name, ...)                                                                   \
    static const struct protocol name = {.file = __BASE_FILE__, __VA_ARGS__};
#endif

/* clang-format on */

#endif
