/*
 * LOCK and UNLOCK natively: one variable of many words, read and changed in one atomic step without
 * a lock, so that a process that stops in the middle does not block the others.
 *
 * The variable is an immutable record; `current` says which one, with a version. Each process has
 * two records of its own to write into, one of which is not current. A step copies the current
 * record, works on the copy, writes the result into a record of its own, and makes it current by
 * compare-and-swap. A process that copies while the record is written again sees `current` changed
 * afterwards (the fences are those of a sequence lock) and copies once more.
 *
 * The body of a step may run several times; local variables are put back before it runs again.
 */
#ifndef BERTH_STEP_LOCK_H
#define BERTH_STEP_LOCK_H

/* clang-format off: a list of members is no expression */
#define STEP_PART_CELL(name, values) word name;
#define STEP_PART_CELLS(name, count, values) word name[STEP_ARRAY];
#define STEP_PART_REGISTERS(name, values) word name[STEP_ARRAY];
struct step_variable {
    STEP_CELLS(STEP_PART_CELL, STEP_PART_CELLS, STEP_PART_REGISTERS)
};

struct step_record {
    STEP_CELLS(STEP_MEMBER_CELL, STEP_MEMBER_CELLS, STEP_MEMBER_REGISTERS)
};
/* clang-format on */

enum { STEP_RECORD_BITS = 8, STEP_RECORDS = 2 * (STEP_ARRAY + 1) }; /* and a supervisor's */
_Static_assert(STEP_RECORDS <= 1 << STEP_RECORD_BITS, "a record has a number");

struct step_shared {
    _Atomic(word) current; /* version, and the number of the record */
    struct step_record record[STEP_RECORDS];
};

/* For INITIAL, which comes before everything else. */
#define SHARED(member) (shared->record[0].member)

#define STEP_RECORD(shared, current) (&(shared)->record[(current) & ((1 << STEP_RECORD_BITS) - 1)])

/* For each word of the variable that is in use: `act` on the word in the record and in the copy. */
#define STEP_EACH_CELL(name, values) STEP_ACT(record->name, V->name)
#define STEP_EACH_CELLS(name, count, values)                                                       \
    for (word i = 0; i < (count); i++)                                                             \
    STEP_ACT(record->name[i], V->name[i])
#define STEP_EACH_REGISTERS(name, values) STEP_EACH_CELLS(name, n, values)

/* Copies the variable; gives `current` as it was throughout. */
static inline word step_lock(struct step_shared *shared, const struct step_params *params,
                             struct step_variable *V)
{
    const word step_me = 0;
    STEP_NAMES
    for (;;) {
        const word seen = atomic_load(&shared->current);
        const struct step_record *record = STEP_RECORD(shared, seen);
#define STEP_ACT(there, here) here = atomic_load_explicit(&there, memory_order_relaxed);
        STEP_CELLS(STEP_EACH_CELL, STEP_EACH_CELLS, STEP_EACH_REGISTERS)
#undef STEP_ACT
        atomic_thread_fence(memory_order_acquire);
        if (atomic_load(&shared->current) == seen)
            return seen;
    }
}

/* Makes V the variable, if it is still what was `seen`, or leaves it where V is that already;
 * *waits: nothing has changed. */
static inline bool step_unlock(struct step_shared *shared, const struct step_params *params,
                               word step_me, word seen, const struct step_variable *V, bool *waits)
{
    STEP_NAMES
    struct step_record *record = STEP_RECORD(shared, seen);
    bool same = true;
    /* If the record is being written again this may be wrong, but then `current` has changed. */
#define STEP_ACT(there, here) same &= here == atomic_load_explicit(&there, memory_order_relaxed);
    STEP_CELLS(STEP_EACH_CELL, STEP_EACH_CELLS, STEP_EACH_REGISTERS)
#undef STEP_ACT
    *waits = same;
    atomic_thread_fence(memory_order_acquire);
    if (same)
        return atomic_load(&shared->current) == seen;
    const word mine = 2 * ME + (record == &shared->record[2 * ME]);
    record = &shared->record[mine];
    atomic_thread_fence(memory_order_release);
#define STEP_ACT(there, here) atomic_store_explicit(&there, here, memory_order_relaxed);
    STEP_CELLS(STEP_EACH_CELL, STEP_EACH_CELLS, STEP_EACH_REGISTERS)
#undef STEP_ACT
    word expected = seen;
    const word version = (seen >> STEP_RECORD_BITS) + 1;
    return atomic_compare_exchange_strong(&shared->current, &expected,
                                          version << STEP_RECORD_BITS | mine);
}

/* clang-format off: LOCK opens braces that UNLOCK closes */
#define STEP_RESTORE_LOCAL(name, values) name = step_before.name;
#define STEP_KEEP_LOCAL(name, values) step_before.name = name;
#define STEP_RESTORE_ARRAY(name, count, values)                                                    \
    for (word i = 0; i < (count); i++)                                                             \
        name[i] = step_before.name[i];
#define STEP_KEEP_ARRAY(name, count, values)                                                       \
    for (word i = 0; i < (count); i++)                                                             \
        step_before.name[i] = name[i];

/* An analyser does not see that only words which are in use are read. */
#ifdef __clang_analyzer__
#define STEP_UNREAD = {0}
#else
#define STEP_UNREAD
#endif

#define LOCK(label)                                                                                \
    {                                                                                              \
        struct step_variable step_copy STEP_UNREAD, *const V = &step_copy;                         \
        struct step_local step_before;                                                             \
        LOCALS(STEP_KEEP_LOCAL)                                                                    \
        LOCAL_ARRAYS(STEP_KEEP_ARRAY)                                                              \
        (void)step_before;                                                                         \
        for (;;) {                                                                                 \
            const word step_seen = step_lock(shared, params, V);                                   \
            {
/* A step that does not change the variable counts as waiting. */
#define UNLOCK                                                                                     \
    }                                                                                              \
    bool step_waits;                                                                               \
    if (step_unlock(shared, params, step_me, step_seen, V, &step_waits)) {                         \
        if (step_waits)                                                                            \
            os_wait(&shared->current, step_seen, &step_round);                                     \
        else                                                                                       \
            step_round = 0;                                                                        \
        break;                                                                                     \
    }                                                                                              \
    LOCALS(STEP_RESTORE_LOCAL)                                                                     \
    LOCAL_ARRAYS(STEP_RESTORE_ARRAY)                                                               \
    }                                                                                              \
    }
#define SUPERVISOR(label)                                                                          \
    static inline void step_supervisor(struct step_shared *shared, struct step_private *private,   \
                                       const struct step_params *params, word step_me)             \
    {                                                                                              \
        STEP_NAMES                                                                                 \
        struct step_variable step_copy, *const V = &step_copy;                                     \
        struct step_private step_mine, *const X = &step_mine;                                      \
        unsigned step_round = 0;                                                                   \
        for (bool step_waits, step_done = false; !step_done;) {                                    \
            const word step_seen = step_lock(shared, params, V);                                   \
            step_mine = *private;                                                                  \
            {
#define END_SUPERVISOR                                                                             \
    }                                                                                              \
    step_done = step_unlock(shared, params, step_me, step_seen, V, &step_waits);                   \
    if (step_done && step_waits)                                                                   \
        os_wait(&shared->current, step_seen, &step_round);                                         \
    }                                                                                              \
    *private = step_mine;                                                                          \
    }
/* clang-format on */

#endif
