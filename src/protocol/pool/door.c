/*
 * The door of a pool: a lock among processes that may be killed, on one word. Ours. A process that
 * wants slots of several pools draws all of its tickets behind the doors of these pools (several.c
 * says why).
 *
 * The word tells who is behind the door, and how often it has been entered. A process that finds
 * the door free, or the process behind it dead, enters by a compare-and-swap that also
 * counts up; so a process that was slow between its look and its compare-and-swap cannot take the
 * door from somebody who has come since (no-count). A process that comes back in the seat of a dead
 * one first makes sure that the door is not its own (no-sweep).
 *
 * It is not first come, first served: lockout-free is not claimed.
 */
#define NAME door
#define CELLS(cell, cells, registers) cell(door, (word)COUNTS << WHO_BITS)
#define LOCALS(local) local(d, (word)COUNTS << WHO_BITS) /* the door as it was read */
#define HAS_INITIAL
#define HAS_REVIVAL
#define HAS_CHOICE
#define HAS_NORMAL
#define HAS_SHOW
enum { COUNTS = 3 }; /* of the model: older than what is there, what is there, newer */
#if defined(STEP_NATIVE) && !defined(STEP_EMBEDDED)
#define STEP_ALIVE(p) true
#define STEP_MAY_give_up false
#define STEP_PAUSE(cell) os_wait(cell, atomic_load(cell), &step_round)
#define STEP_WAKE(cell) ((void)0)
#endif
#include "step/step.h"
#include "step/text.h"

#ifdef STEP_NATIVE
enum { WHO_BITS = 20 };
#else
enum { WHO_BITS = 3 };
#endif

/* count << WHO_BITS | seat + 1, or 0 where nobody is behind the door */
#define FREE ((word)0)
#define WHO(w) ((w) & (((word)1 << WHO_BITS) - 1))
#define COUNT(w) ((w) >> WHO_BITS)
#define DOOR(count, who) ((count) << WHO_BITS | (who))
#define ENTERED(w) DOOR(VARIANT(NO_COUNT) ? COUNT(w) : COUNT(w) + 1, ME + 1)

enum { ITSELF, NO_COUNT, NO_SWEEP };

INITIAL
    SHARED(door) = DOOR((word)1, FREE);
END_INITIAL

ENTRY
    word alive;
    bool done;
    AGAIN {
        READ(N1, d, door);
        alive = false;
        if (WHO(d) != FREE)
            ALIVE(N2, alive, WHO(d) - 1);
        done = false;
        if (!alive)
            CAS(N3, done, door, d, ENTERED(d));
        FORGET(d);
        if (done)
            break;
        if (MAY(give_up))
            goto REMAINDER;
        PAUSE(door);
    }
END

EXIT
    word e;
    UPDATE(N4, e, door, DOOR(COUNT(e), FREE));
    WAKE(door);
END

/* A process that takes the seat of one that was killed begins with this. */
REVIVAL
    word e;
    if (!VARIANT(NO_SWEEP))
        UPDATE(N5, e, door, WHO(e) == ME + 1 ? DOOR(COUNT(e), FREE) : e);
END

#ifdef STEP_MODEL
/* Counts only grow, so they matter only in that a copy is what is there now, or will never be. */
NORMAL
    const word now = SHARED(door);
    if (VARIANT(NO_COUNT))
        return false;
    SHARED(door) = DOOR((word)1, WHO(now));
    for (word p = 0; p < n; p++)
        each[p].d = each[p].d == now ? DOOR((word)1, WHO(now)) : WHO(each[p].d);
    return true;
END_NORMAL

SHOW
    if (cell[0] != 'd')
        step_text(text, size, "%u", (unsigned)value);
    else if (WHO(value) == FREE)
        step_text(text, size, "free (%u)", (unsigned)COUNT(value));
    else
        step_text(text, size, "seat %u (%u)", (unsigned)WHO(value) - 1, (unsigned)COUNT(value));
END_SHOW
#endif

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "the compare-and-swap fails if the door was entered since"},
    {CHECK_NO_SLOT_LOST, CLAIMED, .why = "the dead are seen"},
    {CHECK_DEADLOCK_FREE, CLAIMED, .why = "the dead are seen"},
    {CHECK_LOCKOUT_FREE, NOT_CLAIMED, .why = "a compare-and-swap may fail for ever"},
};
static const struct protocol_claim no_count[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "the dead process has come back and entered again",
     .refuted_from_n = 2},
};
static const struct protocol_claim no_sweep[] = {
    {CHECK_NO_SLOT_LOST, CLAIMED, .why = "the seat's earlier life is behind the door",
     .refuted_from_n = 2},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "the door of a pool", CLAIMS(claims)},
    [NO_COUNT] = {"no-count", "broken: it is not counted how often the door was entered",
                  CLAIMS(no_count)},
    [NO_SWEEP] = {"no-sweep", "broken: a process that comes back does not leave the door",
                  CLAIMS(no_sweep)},
};

PROTOCOL(.name = "door", .title = "The door of a pool, among processes that may be killed",
         .citation = "ours", .min_n = 2, .max_n = 5, .default_n = 3, .max_l = 1,
         .fault = STEP_FAULT_KILL, .own_steps = true, .counts_for_ever = true,
         .broken_from = NO_COUNT, VARIANTS(variants))
#include "step/end.h"
