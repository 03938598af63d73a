/*
 * The words for one access natively, where the cells are the parts of one variable (HAS_LOCK): each
 * reads or changes one part, in a step that copies the whole variable and makes the copy current
 * (see lock.h). The local work comes after that, so that it is not done twice.
 */
#ifndef BERTH_STEP_PART_H
#define BERTH_STEP_PART_H

/* clang-format off: the words open and close braces in pairs of macros */
#ifdef TRANSFORMED
/* What the transformation does in the same step; false: the step has to wait. */
static inline bool step_join(const struct step_params *params, struct step_variable *V);
#define STEP_JOINS (!my->joins || step_join(params, &step_copy))
#define STEP_JOINED (my->joins = false)
#else
#define STEP_JOINS true
#define STEP_JOINED ((void)0)
#endif

#define STEP_TAKE                                                                                  \
    for (;;) {                                                                                     \
        struct step_variable step_copy STEP_UNREAD;                                                \
        bool step_waits;                                                                           \
        const word step_seen = step_lock(shared, params, &step_copy);                              \
        if (!STEP_JOINS) {                                                                         \
            os_wait(&shared->current, step_seen, &step_round);                                     \
            continue;                                                                              \
        }
/* Another process changed the variable first: start again. */
#define STEP_GIVE                                                                                  \
    if (!step_unlock(shared, params, step_me, step_seen, &step_copy, &step_waits))                 \
        continue;                                                                                  \
    STEP_JOINED;                                                                                   \
    if (step_waits)                                                                                \
        os_wait(&shared->current, step_seen, &step_round);                                         \
    else                                                                                           \
        step_round = 0;
#define STEP_TAKEN }

#define READ(label, variable, member)                                                              \
    STEP_TAKE                                                                                      \
    const word step_value = step_copy.member;                                                      \
    STEP_GIVE                                                                                      \
    variable = step_value;                                                                         \
    break;                                                                                         \
    STEP_TAKEN

#define WRITE(label, member, value)                                                                \
    STEP_TAKE                                                                                      \
    step_copy.member = (value);                                                                    \
    STEP_GIVE                                                                                      \
    break;                                                                                         \
    STEP_TAKEN

#define AWAIT(label, name, member, condition)                                                      \
    STEP_TAKE                                                                                      \
    const word name = step_copy.member;                                                            \
    STEP_GIVE                                                                                      \
    if (condition) {                                                                               \
        step_round = 0;                                                                            \
        break;                                                                                     \
    }                                                                                              \
    STEP_TAKEN

#define TEST(label, name, member)                                                                  \
    STEP_TAKE                                                                                      \
    word *const step_part = &step_copy.member;                                                     \
    const word name = *step_part;
#define ON(condition, value, ...)                                                                  \
    if (condition) {                                                                               \
        *step_part = (value);                                                                      \
        STEP_GIVE                                                                                  \
        __VA_ARGS__;                                                                               \
        break;                                                                                     \
    }
#define END_TEST                                                                                   \
    STEP_GIVE                                                                                      \
    STEP_TAKEN
/* clang-format on */

#endif
