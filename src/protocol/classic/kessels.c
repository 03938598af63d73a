/*
 * J. L. W. Kessels, Arbitration Without Common Modifiable Variables, Acta Informatica 17(2), 1982:
 * an algorithm for two processes in which each variable is written by one of them alone, and a
 * tournament of them for n. Process 0 wants the two turns to be equal, process 1 to be different,
 * which stands for one variable "turn" that both would write.
 *
 *     process 0:                             process 1:
 *         b0 := true;                            b1 := true;
 *         t0 := t1;                              t1 := not t0;
 *         wait until not b1 or t0 /= t1;         wait until not b0 or t0 = t1;
 *         critical section                       critical section
 *         b0 := false                            b1 := false
 *
 * The tournament: the processes are the leaves of a binary tree, numbered as in a heap (the root is
 * 1, the parent of v is v / 2). At each node the two that come from below run the algorithm above,
 * as process 0 and 1 of it; a process that is through at the root is in. The way back is from the
 * root down.
 *
 * Departures from the paper:
 *  1. Variables are those of a place in the tree, and each of them is written by one process at a
 *     time. To the checker they are shared cells.
 *  2. A wait reads b, and then t where that is needed; what it wrote to its own t is known to it.
 */
#define NAME kessels
#define CELLS(cell, cells, registers) cells(b, 2 * n, 2) cells(t, 2 * n, 2)
#define LOCALS(local) local(place, 2 * n) local(mine, 2)
#include "step/step.h"

enum { ITSELF, T_FIRST, SAME_AIM };

#define SIDE (place & 1)
#define RIVAL (place ^ 1)

ENTRY
    word theirs;
    for (place = n + ME; place > 1; place >>= 1) {
        if (!VARIANT(T_FIRST))
            WRITE(b, b[place], 1);
        READ(read_t, theirs, t[RIVAL]);
        mine = VARIANT(SAME_AIM) ? theirs : theirs ^ SIDE;
        WRITE(t, t[place], mine);
        if (VARIANT(T_FIRST))
            WRITE(b, b[place], 1);
        for (;;) {
            READ(wait_b, theirs, b[RIVAL]);
            if (!theirs)
                break;
            READ(wait_t, theirs, t[RIVAL]);
            if (theirs != (mine ^ SIDE))
                break;
            RELAX;
        }
        FORGET(mine);
    }
    FORGET(place);
END

EXIT
    /* the places from the root down: 1 has no rival */
    for (place = 0; (n + ME) >> place > 1;)
        place++;
    while (place > 0) {
        place--;
        WRITE(leave, b[(n + ME) >> place], 0);
    }
END

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Kessels 1982"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Kessels 1982"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "Kessels 1982"},
    {CHECK_BOUNDED_WAITING, NOT_CLAIMED, "found by the checker", .fails_from_n = 3},
    {CHECK_FIFO, NOT_CLAIMED, "found by the checker", .fails_from_n = 2},
    {CHECK_NO_MEMORY, CLAIMED, "Kessels 1982"},
    {CHECK_VALUES, CLAIMED, .why = "bits", .has_bound = true},
};

static const struct protocol_claim t_first[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "with b after t", .refuted_from_n = 2},
};

static const struct protocol_claim same_aim[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "with the same aim for both", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1}, 104, 208},
    {{.n = 3, .l = 1, .k = 1}, 3952, 11856},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "Kessels' tournament", CLAIMS(claims), EXPECTED(expected)},
    [T_FIRST] = {"t-first", "broken: b is written after t", CLAIMS(t_first)},
    [SAME_AIM] = {"same-aim", "broken: both copy the other's turn", CLAIMS(same_aim)},
};

static uint64_t values(const struct step_params *params)
{
    (void)params;
    return 2;
}

PROTOCOL(.name = "kessels", .title = "Kessels' tournament", .citation = "Kessels 1982", .min_n = 2,
         .max_n = 8, .default_n = 3, .max_l = 1, .values = values, .values_source = "bits",
         VARIANTS(variants))
#include "step/end.h"
