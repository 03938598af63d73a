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
#if defined(STEP_RULES) && defined(WITNESSES)
    WITNESSES(STEP_MEMBER_CELLS)
#endif
#if defined(STEP_OWN_MODEL) && !defined(STEP_DEVICE)
    const struct step_model *step_of; /* says which places are cells; NULL: it is not known */
#endif
};

/* Sections over states may use any index. Where the file is loaded, the program that has loaded it
 * ends if there is no such element. */
#if defined(STEP_OWN_MODEL) && !defined(STEP_DEVICE)
void berth_own_element(const char *name, const char *file, unsigned line);
static inline const void *step_seen(const struct step_shared *shared, const void *cell,
                                    const char *name, unsigned line)
{
    const ptrdiff_t offset = (const word *)cell - (const word *)shared;
    const struct step_model *model = shared->step_of;
    if (model != NULL &&
        (offset < 0 || offset >= STEP_MAX_OFFSETS || model->cell_at[offset] == STEP_NO_CELL))
        berth_own_element(name, __BASE_FILE__, line);
    return cell;
}
#define SHARED(member)                                                                             \
    (*(__typeof__(&shared->member))(uintptr_t)step_seen(shared, &shared->member, #member, __LINE__))
#define STEP_SEEN_BY(shared, model) ((shared)->step_of = (model))
#else
#define SHARED(member) (shared->member)
#define STEP_SEEN_BY(shared, model) ((void)0)
#endif

#define STEP_ARGUMENTS                                                                             \
    struct step_run *run, const struct step_params *params, struct step_shared *shared,            \
        struct step_local *my, word step_me
#define STEP_PASS run, params, shared, my, step_me
#ifdef STEP_DEVICE /* a GPU has little room for code: what is called from many places is called */
#define STEP_INLINE static inline
#else
#define STEP_INLINE static inline __attribute__((always_inline))
#endif

/* Within a section with steps of a file that is loaded the cells have another name, so that only
 * the words for an access reach them. Sections without steps may look at all of them. */
#ifdef STEP_OWN_MODEL
#define STEP_SECTION_ARGUMENTS                                                                     \
    struct step_run *run, const struct step_params *params, struct step_shared *step_cells,        \
        struct step_local *my, word step_me
#define STEP_PASS_ON run, params, step_cells, my, step_me
#define STEP_LOOK const struct step_shared *const shared __attribute__((unused)) = step_cells;
#else
#define step_cells shared
#define STEP_SECTION_ARGUMENTS STEP_ARGUMENTS
#define STEP_PASS_ON STEP_PASS
#define STEP_LOOK
#endif

enum step_result { STEP_SUSPENDED, STEP_DONE };

#ifdef STEP_OWN_MODEL
/* An access within a `switch` in the protocol file would put its place into that `switch`. No
 * variable has a value that large, so the compiler complains, and names this line. */
#define PLACE_NOT_WITHIN_A_SWITCH_OF_YOUR_OWN(place) (((__int128)1 << 64) + (place))
#define STEP_NOWHERE                                                                               \
    default:                                                                                       \
        step_slip(run, STEP_SLIP_PLACE, NULL, 0);                                                  \
        goto step_suspend;
#define STEP_HIDE                                                                                  \
    const struct a_shared_variable_takes_an_access_here_such_as_READ *const shared = NULL;         \
    (void)shared;
#else
#define PLACE_NOT_WITHIN_A_SWITCH_OF_YOUR_OWN(place) (place)
#define STEP_NOWHERE
#define STEP_HIDE
#endif

/* A resumable function: `base` is the counter from which its places are numbered, `start` the place
 * of its first statement, `counter` where its place is kept; `enters`: it may lead to the critical
 * region by goto. */
#define STEP_BEGIN(base, start, counter, enters)                                                   \
    {                                                                                              \
        enum { step_base = (base), step_enters = (enters) };                                       \
        step_place *const step_pc = &my->counter;                                                  \
        STEP_NAMES                                                                                 \
        LOCALS(STEP_DECLARE_LOCAL)                                                                 \
        LOCAL_ARRAYS(STEP_DECLARE_LOCAL_ARRAY)                                                     \
        STEP_HIDE(void) run, (void)step_cells;                                                     \
        switch (PLACE_NOT_WITHIN_A_SWITCH_OF_YOUR_OWN(*step_pc)) {                                 \
            STEP_NOWHERE                                                                           \
        case PLACE_NOT_WITHIN_A_SWITCH_OF_YOUR_OWN(start):;

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
    STEP_MAY_ENTER                                                                                 \
    run->entered = true;                                                                           \
    STEP_FINISH_SUB

#define STEP_FINISH_SUB                                                                            \
step_end:                                                                                          \
    STEP_SAVE_LOCALS                                                                               \
    *step_pc = 0;                                                                                  \
    return STEP_DONE;                                                                              \
    goto step_suspend;                                                                             \
step_suspend:                                                                                      \
    STEP_SAVE_LOCALS                                                                               \
    return STEP_SUSPENDED;                                                                         \
    }

#ifdef __OPTIMIZE__ /* where nothing goes there, nothing of it is left */
void step_goes_astray(void) __attribute__((
    error("goto CRITICAL is for ENTRY, DOORWAY, WAITING and REVIVAL, not for this section")));
#define STEP_MAY_ENTER                                                                             \
    if (!step_enters)                                                                              \
        step_goes_astray();
#else
#define STEP_MAY_ENTER
#endif

/* Neither region is gone to from a subroutine: it returns to where it was called. */
#define SUB(name, ...)                                                                             \
    enum { STEP_JOIN(step_base_, name) = __COUNTER__ };                                            \
    STEP_INLINE enum step_result name(STEP_SECTION_ARGUMENTS, ##__VA_ARGS__)                       \
        STEP_BEGIN(STEP_JOIN(step_base_, name), 0, STEP_JOIN(pc_, name), false)
#define END_SUB(name)                                                                              \
    goto step_end;                                                                                 \
    }                                                                                              \
    STEP_FINISH_SUB                                                                                \
    enum { STEP_JOIN(step_places_, name) = __COUNTER__ - STEP_JOIN(step_base_, name) };

#ifdef HAS_DOORWAY
#define STEP_FIRST STEP_DOORWAY
#else
#define STEP_FIRST STEP_ENTRY
#endif
#define DOORWAY                                                                                    \
    STEP_DOORWAY_IS_THERE                                                                          \
    enum { STEP_DOORWAY = __COUNTER__ };                                                           \
    STEP_INLINE enum step_result step_doorway(STEP_SECTION_ARGUMENTS)                              \
        STEP_BEGIN(STEP_FIRST, 0, pc, true)
#define WAITING                                                                                    \
    STEP_WAITING_IS_THERE                                                                          \
    enum { STEP_ENTRY = __COUNTER__ };                                                             \
    STEP_INLINE enum step_result step_entry(STEP_SECTION_ARGUMENTS)                                \
        STEP_BEGIN(STEP_FIRST, STEP_ENTRY - STEP_FIRST, pc, true)
#define ENTRY                                                                                      \
    STEP_ENTRY_IS_THERE                                                                            \
    enum { STEP_ENTRY = __COUNTER__ };                                                             \
    STEP_INLINE enum step_result step_entry(STEP_SECTION_ARGUMENTS)                                \
        STEP_BEGIN(STEP_FIRST, 0, pc, true)

#define EXIT                                                                                       \
    enum { STEP_EXIT = __COUNTER__ };                                                              \
    STEP_INLINE enum step_result step_exit(STEP_SECTION_ARGUMENTS)                                 \
        STEP_BEGIN(STEP_FIRST, STEP_EXIT - STEP_FIRST, pc, false)
#define REVIVAL                                                                                    \
    STEP_REVIVAL_IS_THERE                                                                          \
    enum { STEP_REVIVAL = __COUNTER__ };                                                           \
    STEP_INLINE enum step_result step_revival(STEP_SECTION_ARGUMENTS)                              \
        STEP_BEGIN(STEP_FIRST, STEP_REVIVAL - STEP_FIRST, pc, true)
#define END STEP_FINISH

#define DEATH                                                                                      \
    STEP_DEATH_IS_THERE                                                                            \
    STEP_INLINE enum step_result step_death(STEP_SECTION_ARGUMENTS)                                \
        STEP_BEGIN(STEP_FIRST, 0, pc, false)

/* A step is over where the next access would be made; and where only settled steps are wanted, it
 * does not begin unless SETTLED has let it. */
#ifdef HAS_SETTLED
#define STEP_UNWANTED (run->moved || run->settled)
#define SETTLED(condition) STEP_SETTLED_(__COUNTER__, condition)
#define STEP_SETTLED_(counter, condition)                                                          \
    do {                                                                                           \
        if (0)                                                                                     \
        case PLACE_NOT_WITHIN_A_SWITCH_OF_YOUR_OWN((counter)-step_base): {                         \
            STEP_LOOK                                                                              \
            run->settled &= !(condition);                                                          \
        }                                                                                          \
            if (STEP_UNWANTED) {                                                                   \
                *step_pc = (counter)-step_base;                                                    \
                goto step_suspend;                                                                 \
            }                                                                                      \
    } while (0)
#define STEP_RESUME                                                                                \
    if (run->settled)                                                                              \
        goto step_suspend;
#else
#define STEP_UNWANTED run->moved
#define STEP_RESUME
#define SETTLED(condition) STEP_WORD_NEEDS("SETTLED", "HAS_SETTLED")
#endif

#define STEP_POINT(name) STEP_POINT_(__COUNTER__, name)
#define STEP_POINT_(counter, name)                                                                 \
    if (STEP_UNWANTED) {                                                                           \
        *step_pc = (counter)-step_base;                                                            \
        goto step_suspend;                                                                         \
    }                                                                                              \
    case PLACE_NOT_WITHIN_A_SWITCH_OF_YOUR_OWN((counter)-step_base):                               \
        STEP_RESUME                                                                                \
        STEP_PASS_BY(point, "label", (name));                                                      \
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
        variable = step_load(run, &step_cells->member);                                            \
    } while (0)

#define WRITE(label, member, value)                                                                \
    do {                                                                                           \
        STEP_POINT(#label)                                                                         \
        step_store(run, &step_cells->member, (value), CHECK_WRITE);                                \
    } while (0)

#define WRITE_LATE(label, member, value)                                                           \
    do {                                                                                           \
        STEP_POINT(#label)                                                                         \
        step_orders(run, CHECK_LATE);                                                              \
        step_store(run, &step_cells->member, (value), CHECK_WRITE);                                \
    } while (0)

#define AWAIT(label, name, member, condition)                                                      \
    do {                                                                                           \
        STEP_POINT(#label)                                                                         \
        word name;                                                                                 \
        name = step_load(run, &step_cells->member);                                                \
        if (!(condition)) {                                                                        \
            STEP_PASS_BY(outcome, "waits", #condition);                                            \
            STEP_AGAIN                                                                             \
        }                                                                                          \
        STEP_PASS_BY(outcome, "goes on", #condition);                                              \
    } while (0)

#define TEST(label, name, member)                                                                  \
    {                                                                                              \
        STEP_POINT(#label)                                                                         \
        word *step_cell, name; /* an action may have steps: these are not jumped over */           \
        step_cell = &step_cells->member;                                                           \
        step_orders(run, CHECK_ATOMIC_CHANGE);                                                     \
        name = step_load(run, step_cell);                                                          \
        do {
#define ON(condition, value, ...)                                                                  \
    if (condition) {                                                                               \
        STEP_PASS_BY(outcome, "ON", #condition);                                                   \
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
        step_orders(run, CHECK_ATOMIC);                                                            \
        done = step_load(run, &step_cells->member) == (expected);                                  \
        if (done) {                                                                                \
            STEP_PASS_BY(outcome, "succeeds", #member);                                            \
            step_store(run, &step_cells->member, (value), CHECK_UPDATE);                           \
        } else {                                                                                   \
            STEP_PASS_BY(outcome, "fails", #member);                                               \
        }                                                                                          \
    } while (0)

#define UPDATE(label, variable, member, value)                                                     \
    do {                                                                                           \
        STEP_POINT(#label)                                                                         \
        step_orders(run, CHECK_ATOMIC_CHANGE);                                                     \
        variable = step_load(run, &step_cells->member);                                            \
        const word step_value = (value);                                                           \
        if (step_value != variable)                                                                \
            step_store(run, &step_cells->member, step_value, CHECK_UPDATE);                        \
    } while (0)

/* The variable is the whole frame. */
#ifdef HAS_LOCK
#define STEP_LOCK_IS_THERE
#else
#define STEP_LOCK_IS_THERE STEP_WORD_NEEDS("LOCK", "HAS_LOCK");
#endif
#define LOCK(name)                                                                                 \
    {                                                                                              \
        STEP_LOCK_IS_THERE                                                                         \
        STEP_POINT(#name)                                                                          \
        struct step_variable *const V = step_take_all(run, step_cells);                            \
        {
#define UNLOCK                                                                                     \
    }                                                                                              \
    }

#define SUPERVISOR(name)                                                                           \
    STEP_SUPERVISOR_IS_THERE                                                                       \
    STEP_INLINE void step_supervisor(struct step_run *run, const struct step_params *params,       \
                                     struct step_shared *shared, struct step_private *X,           \
                                     word step_me)                                                 \
    {                                                                                              \
        STEP_NAMES                                                                                 \
        if (run->note != NULL)                                                                     \
            step_say(run->note, #name, __FILE__, __LINE__);                                        \
        struct step_variable *const V = step_take_all(run, shared);
#define END_SUPERVISOR }

#ifdef STEP_RULES
#define STEP_ALIVE_OF(p) step_load(run, &step_cells->step_alive[p])
#else
#define STEP_ALIVE_OF(p) step_ask_alive(run, step_cells->step_alive, (p), n)
#endif
#define ALIVE(label, variable, p)                                                                  \
    do {                                                                                           \
        STEP_POINT(#label)                                                                         \
        variable = STEP_ALIVE_OF(p);                                                               \
    } while (0)

#if defined(HAS_HISTORY) || defined(HAS_PROMISES)
#define RECORD(member, value)                                                                      \
    do {                                                                                           \
        STEP_LOOK                                                                                  \
        const word step_recorded = (value);                                                        \
        if (step_recorded != shared->member)                                                       \
            step_record(run, &step_cells->member, step_recorded);                                  \
    } while (0)
#else
#define RECORD(member, value) STEP_WORD_NEEDS("RECORD", "HAS_HISTORY")
#endif
#ifdef HAS_PROMISES
#define BROKEN(set) RECORD(step_failed, shared->step_failed | (set))
#else
#define BROKEN(set) STEP_WORD_NEEDS("BROKEN", "HAS_PROMISES")
#endif

#if defined(HAS_OWNED_CELLS) || defined(STEP_RULES)
#define OWN(member) (step_cells->member)
#else
#define OWN(member) (*step_own(run, &step_cells->member, step_me))
#endif
#define FORGET(variable) ((variable) = 0)
#define GHOST(variable, value) ((variable) = (value))
#define DIES(member, value) step_store(run, &step_cells->member, (value), CHECK_FAULT)
#define LIMIT(condition)                                                                           \
    do {                                                                                           \
        STEP_LOOK                                                                                  \
        STEP_MARK("LIMIT", "", 0);                                                                 \
        if (!(condition)) {                                                                        \
            run->barred = true;                                                                    \
            goto step_suspend;                                                                     \
        }                                                                                          \
    } while (0)

#if defined(HAS_CHOICE) && defined(STEP_OWN_MODEL)
#define MAY(reason) step_ask(run, __LINE__)
#elif defined(HAS_CHOICE)
#define MAY(reason) (run->asked = true, run->choice)
#else
#define MAY(reason) (STEP_WORD_NEEDS("MAY", "HAS_CHOICE"), false)
#endif
#define DUE(reason) true
#define PAUSE(member) ((void)0)
#define RELAX ((void)0)
#define WAKE(member) ((void)0)
#define AGAIN for (;;)
#define AGAIN_UP_TO(most) for (;;)
#define PROGRESS ((void)0)
#ifdef HAS_TRUST
#define TRUST(condition) ((condition) ? (void)0 : step_slip(run, STEP_SLIP_TRUST, NULL, __LINE__))
#else
#define TRUST(condition) STEP_WORD_NEEDS("TRUST", "HAS_TRUST")
#endif

#define CALL(label, sub, ...)                                                                      \
    STEP_CALL_(__COUNTER__, sub, STEP_GIVEN(__VA_ARGS__), STEP_GIVEN_STILL(__VA_ARGS__),           \
               STEP_PASS_ON, __VA_ARGS__)
#define CALL0(label, sub) STEP_CALL_(__COUNTER__, sub, , , STEP_PASS_ON)
#define STEP_CALL_(counter, sub, given, still, ...)                                                \
    do {                                                                                           \
    case PLACE_NOT_WITHIN_A_SWITCH_OF_YOUR_OWN((counter)-step_base):;                              \
        STEP_SAVE_LOCALS                                                                           \
        given enum step_result step_called = sub(__VA_ARGS__);                                     \
        STEP_LOAD_LOCALS                                                                           \
        if (step_called == STEP_SUSPENDED) {                                                       \
            still;                                                                                 \
            *step_pc = (counter)-step_base;                                                        \
            goto step_suspend;                                                                     \
        }                                                                                          \
    } while (0)
/* The arguments are evaluated again when the call is resumed: they must not depend on what the
 * subroutine changes. */
#ifdef STEP_OWN_MODEL
#define STEP_GIVEN(...) const word step_given[] = {__VA_ARGS__};
#define STEP_GIVEN_STILL(...)                                                                      \
    step_compare(run, step_given, (const word[]){__VA_ARGS__},                                     \
                 sizeof step_given / sizeof step_given[0], __LINE__)
#else
#define STEP_GIVEN(...)
#define STEP_GIVEN_STILL(...)
#endif

#ifdef STEP_BARE
#define STEP_PROTOCOL(name, ...)
#else
#define STEP_PROTOCOL(name, ...)                                                                   \
    static const struct protocol name = {.file = __BASE_FILE__, __VA_ARGS__};
#endif

/* clang-format on */

#endif
