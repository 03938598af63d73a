/* At the end of a file: whatever a HAS_ line announces is there (needs.h). */
#ifndef BERTH_STEP_END_NEEDS_H
#define BERTH_STEP_END_NEEDS_H

#ifdef HAS_INITIAL
_Static_assert(HAS_INITIAL_is_defined_but_there_is_no_INITIAL, "");
#endif
#ifdef HAS_ACTIVE
_Static_assert(HAS_ACTIVE_is_defined_but_there_is_no_ACTIVE, "");
#endif
#ifdef HAS_INVARIANTS
_Static_assert(HAS_INVARIANTS_is_defined_but_there_is_no_INVARIANTS, "");
#endif
#ifdef HAS_SLOT
_Static_assert(HAS_SLOT_is_defined_but_there_is_no_HOLDS, "");
#endif
#ifdef HAS_AHEAD
_Static_assert(HAS_AHEAD_is_defined_but_there_is_no_AHEAD, "");
#endif
#ifdef HAS_SLOTS
_Static_assert(HAS_SLOTS_is_defined_but_there_is_no_SLOTS, "");
#endif
#ifdef HAS_NORMAL
_Static_assert(HAS_NORMAL_is_defined_but_there_is_no_NORMAL, "");
#endif
#ifdef HAS_ORBIT
_Static_assert(HAS_ORBIT_is_defined_but_there_is_no_ORBIT, "");
#endif
#ifdef HAS_CLASH
_Static_assert(HAS_CLASH_is_defined_but_there_is_no_CLASH, "");
#endif
#ifdef HAS_RANKS
_Static_assert(HAS_RANKS_is_defined_but_there_is_no_RANKS, "");
#endif
#ifdef HAS_SHOW
_Static_assert(HAS_SHOW_is_defined_but_there_is_no_SHOW, "");
#endif
#ifdef HAS_DEATH
_Static_assert(HAS_DEATH_is_defined_but_there_is_no_DEATH, "");
#endif
#ifdef HAS_REVIVAL
_Static_assert(HAS_REVIVAL_is_defined_but_there_is_no_REVIVAL, "");
#endif
#ifdef HAS_SUPERVISOR
_Static_assert(HAS_SUPERVISOR_is_defined_but_there_is_no_SUPERVISOR, "");
#endif
#ifdef HAS_PROPERTIES
_Static_assert(HAS_PROPERTIES_is_defined_but_there_is_no_PROPERTIES, "");
#endif
#ifdef HAS_DOORWAY
_Static_assert(HAS_DOORWAY_is_defined_but_there_is_no_DOORWAY, "");
#endif
#ifdef HAS_DOORWAY
_Static_assert(HAS_DOORWAY_is_defined_but_there_is_no_WAITING, "");
#endif

#endif
