/*
 * Which sections and words need a HAS_ line, and that they have it. A section without its line
 * would be left out silently, and a line without its section would be an error in generated code.
 */
#ifndef BERTH_STEP_NEEDS_H
#define BERTH_STEP_NEEDS_H

/* A section or a word that needs a HAS_ line, without it; and, at the end of the file, the other
 * way round: the name of the constant is what the compiler complains about. */
#define STEP_NEEDS(what, flag)                                                                     \
    _Static_assert(0, what " needs #define " flag " above #include \"step/step.h\"")
#define STEP_WORD_NEEDS(what, flag)                                                                \
    ((void)sizeof(struct {                                                                         \
        STEP_NEEDS(what, flag);                                                                    \
        int step_unused;                                                                           \
    }))
#define STEP_IS_THERE(section, flag) enum { flag##_is_defined_but_there_is_no_##section = 1 };
#ifdef HAS_INITIAL
#define STEP_INITIAL_IS_THERE STEP_IS_THERE(INITIAL, HAS_INITIAL)
#else
#define STEP_INITIAL_IS_THERE STEP_NEEDS("INITIAL", "HAS_INITIAL");
#endif
#ifdef HAS_ACTIVE
#define STEP_ACTIVE_IS_THERE STEP_IS_THERE(ACTIVE, HAS_ACTIVE)
#else
#define STEP_ACTIVE_IS_THERE STEP_NEEDS("ACTIVE", "HAS_ACTIVE");
#endif
#ifdef HAS_INVARIANTS
#define STEP_INVARIANTS_IS_THERE STEP_IS_THERE(INVARIANTS, HAS_INVARIANTS)
#else
#define STEP_INVARIANTS_IS_THERE STEP_NEEDS("INVARIANTS", "HAS_INVARIANTS");
#endif
#ifdef HAS_SLOT
#define STEP_HOLDS_IS_THERE STEP_IS_THERE(HOLDS, HAS_SLOT)
#else
#define STEP_HOLDS_IS_THERE STEP_NEEDS("HOLDS", "HAS_SLOT");
#endif
#ifdef HAS_AHEAD
#define STEP_AHEAD_IS_THERE STEP_IS_THERE(AHEAD, HAS_AHEAD)
#else
#define STEP_AHEAD_IS_THERE STEP_NEEDS("AHEAD", "HAS_AHEAD");
#endif
#ifdef HAS_SLOTS
#define STEP_SLOTS_IS_THERE STEP_IS_THERE(SLOTS, HAS_SLOTS)
#else
#define STEP_SLOTS_IS_THERE STEP_NEEDS("SLOTS", "HAS_SLOTS");
#endif
#ifdef HAS_NORMAL
#define STEP_NORMAL_IS_THERE STEP_IS_THERE(NORMAL, HAS_NORMAL)
#else
#define STEP_NORMAL_IS_THERE STEP_NEEDS("NORMAL", "HAS_NORMAL");
#endif
#ifdef HAS_ORBIT
#define STEP_ORBIT_IS_THERE STEP_IS_THERE(ORBIT, HAS_ORBIT)
#else
#define STEP_ORBIT_IS_THERE STEP_NEEDS("ORBIT", "HAS_ORBIT");
#endif
#ifdef HAS_CLASH
#define STEP_CLASH_IS_THERE STEP_IS_THERE(CLASH, HAS_CLASH)
#else
#define STEP_CLASH_IS_THERE STEP_NEEDS("CLASH", "HAS_CLASH");
#endif
#ifdef HAS_RANKS
#define STEP_RANKS_IS_THERE STEP_IS_THERE(RANKS, HAS_RANKS)
#else
#define STEP_RANKS_IS_THERE STEP_NEEDS("RANKS", "HAS_RANKS");
#endif
#ifdef HAS_SHOW
#define STEP_SHOW_IS_THERE STEP_IS_THERE(SHOW, HAS_SHOW)
#else
#define STEP_SHOW_IS_THERE STEP_NEEDS("SHOW", "HAS_SHOW");
#endif
#ifdef HAS_DEATH
#define STEP_DEATH_IS_THERE STEP_IS_THERE(DEATH, HAS_DEATH)
#else
#define STEP_DEATH_IS_THERE STEP_NEEDS("DEATH", "HAS_DEATH");
#endif
#ifdef HAS_REVIVAL
#define STEP_REVIVAL_IS_THERE STEP_IS_THERE(REVIVAL, HAS_REVIVAL)
#else
#define STEP_REVIVAL_IS_THERE STEP_NEEDS("REVIVAL", "HAS_REVIVAL");
#endif
#ifdef HAS_SUPERVISOR
#define STEP_SUPERVISOR_IS_THERE STEP_IS_THERE(SUPERVISOR, HAS_SUPERVISOR)
#else
#define STEP_SUPERVISOR_IS_THERE STEP_NEEDS("SUPERVISOR", "HAS_SUPERVISOR");
#endif
#ifdef HAS_PROPERTIES
#define STEP_PROPERTIES_IS_THERE STEP_IS_THERE(PROPERTIES, HAS_PROPERTIES)
#else
#define STEP_PROPERTIES_IS_THERE STEP_NEEDS("PROPERTIES", "HAS_PROPERTIES");
#endif
#ifdef HAS_DOORWAY
#define STEP_DOORWAY_IS_THERE STEP_IS_THERE(DOORWAY, HAS_DOORWAY)
#define STEP_WAITING_IS_THERE STEP_IS_THERE(WAITING, HAS_DOORWAY)
#define STEP_ENTRY_IS_THERE                                                                        \
    _Static_assert(0, "with HAS_DOORWAY there are DOORWAY and WAITING, and no ENTRY");
#else
#define STEP_DOORWAY_IS_THERE STEP_NEEDS("DOORWAY", "HAS_DOORWAY");
#define STEP_WAITING_IS_THERE STEP_NEEDS("WAITING", "HAS_DOORWAY");
#define STEP_ENTRY_IS_THERE
#endif

#endif
