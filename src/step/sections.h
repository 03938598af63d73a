/*
 * The sections that a protocol file has just defined, put together: one step of a process over an
 * unpacked frame in the model expansion, the whole entry in the native one.
 */
#ifndef BERTH_STEP_SECTIONS_H
#define BERTH_STEP_SECTIONS_H

#ifdef STEP_NATIVE
STEP_INLINE enum step_way step_acquire(STEP_ARGUMENTS)
{
#ifdef HAS_DOORWAY
    enum step_way way = step_doorway(STEP_PASS);
    if (way != STEP_ON)
        return way;
#endif
    return step_entry(STEP_PASS);
}
#else
enum {
    STEP_END = __COUNTER__,
    STEP_PC_CRITICAL = STEP_EXIT - STEP_FIRST,
    STEP_PC_DEAD = STEP_END - STEP_FIRST,
};

/* The region of a process by its main program counter. */
static inline enum check_region step_region(int pc)
{
    return pc == 0                        ? CHECK_REMAINDER
           : pc < STEP_ENTRY - STEP_FIRST ? CHECK_DOORWAY
           : pc < STEP_PC_CRITICAL        ? CHECK_WAITING
           : pc == STEP_PC_CRITICAL       ? CHECK_CRITICAL
           : pc < STEP_PC_DEAD            ? CHECK_EXIT
                                          : CHECK_DEAD;
}

#ifdef STEP_OWN_MODEL
#define STEP_LEFT_OVER(name, values)                                                               \
    if (my->name != 0) {                                                                           \
        step_slip(run, STEP_SLIP_REST, NULL, my->name);                                            \
        run->slip_name = #name, run->slip_index = -1;                                              \
    }
#else
#define STEP_LEFT_OVER(name, values)
#endif

/* The process is in its remainder; what HAS_MEMORY keeps may have any value. In a file that is
 * loaded, all other locals must have been forgotten: they might have been meant to stay. */
STEP_INLINE void step_rest(struct step_run *run, struct step_local *my)
{
    (void)run;
#ifdef HAS_MEMORY
    my->pc = 0;
#else
    LOCALS(STEP_LEFT_OVER)
    step_clear_local(my);
#endif
}

STEP_INLINE void step_move(STEP_ARGUMENTS)
{
    if (my->pc == STEP_PC_DEAD) { /* a killed process comes back */
        step_store(run, &shared->step_alive[step_me], 1, CHECK_FAULT);
#ifdef HAS_REVIVAL
        my->pc = STEP_REVIVAL - STEP_FIRST;
#else
        my->pc = 0;
#endif
        if (run->note != NULL)
            run->note->label = "revives";
        return;
    }
#ifdef HAS_DOORWAY
    if (my->pc < STEP_ENTRY - STEP_FIRST) {
        if (step_doorway(STEP_PASS) == STEP_SUSPENDED)
            return;
        if (run->left)
            step_rest(run, my);
        else
            my->pc = run->entered ? STEP_PC_CRITICAL : STEP_ENTRY - STEP_FIRST;
        if (run->left || run->entered)
            return;
    }
#endif
    if (my->pc < STEP_PC_CRITICAL) {
        if (step_entry(STEP_PASS) == STEP_SUSPENDED)
            return;
        my->pc = STEP_PC_CRITICAL;
        if (run->left)
            step_rest(run, my);
        return;
    }
#ifdef HAS_REVIVAL
    if (my->pc >= STEP_REVIVAL - STEP_FIRST) {
        if (step_revival(STEP_PASS) != STEP_DONE)
            return;
        if (run->entered)
            my->pc = STEP_PC_CRITICAL;
        else if (run->waits)
            my->pc = STEP_ENTRY - STEP_FIRST;
        else
            step_rest(run, my);
        return;
    }
#endif
    if (step_exit(STEP_PASS) == STEP_DONE)
        step_rest(run, my);
}

/* A death or a kill; false: not possible here. */
STEP_INLINE bool step_fail(STEP_ARGUMENTS)
{
    if (params->fault == STEP_FAULT_KILL) {
        if (my->pc == STEP_PC_DEAD || shared->step_kills >= params->kills)
            return false;
        step_clear_local(my);
        my->pc = STEP_PC_DEAD;
        step_store(run, &shared->step_kills, shared->step_kills + 1, CHECK_FAULT);
        step_store(run, &shared->step_alive[step_me], 0, CHECK_FAULT);
        if (run->note != NULL)
            run->note->label = "is killed";
        return true;
    }
    step_clear_local(my);
#ifdef HAS_DEATH
    step_death(STEP_PASS);
    step_clear_local(my);
#endif
    if (run->note != NULL)
        run->note->label = "dies";
    return true;
}
#endif

#endif
