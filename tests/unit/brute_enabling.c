#include "brute_enabling.h"

/* i is able: its next step leads into region `goal`, from R or T into C or from E into R. */
static bool brute_able(const struct brute *brute, unsigned u, unsigned i, enum check_region goal)
{
    const unsigned v = brute->next[u][i];
    enum check_region now = brute_region(brute, u, i);
    bool from =
        goal == CHECK_CRITICAL ? now == CHECK_REMAINDER || check_trying(now) : now == CHECK_EXIT;
    return v != BRUTE_NONE && from && brute_region(brute, v, i) == goal;
}

/* i is enabled: able after every finite schedule without i. By walking all of them. */
static bool brute_always_able(const struct brute *brute, unsigned u, unsigned i,
                              enum check_region goal)
{
    bool seen[BRUTE_STATES] = {false};
    uint16_t stack[BRUTE_STATES];
    unsigned top = 0;
    stack[top++] = (uint16_t)u;
    seen[u] = true;
    while (top > 0) {
        const unsigned a = stack[--top];
        if (!brute_able(brute, a, i, goal))
            return false;
        for (unsigned e = 0; e < brute->edges; e++) {
            const unsigned b = brute->next[a][e];
            if (e % brute->n == i || b == BRUTE_NONE || seen[b])
                continue;
            seen[b] = true;
            stack[top++] = (uint16_t)b;
        }
    }
    return true;
}

/*
 * i is enabled in own steps: it is trying, and in every continuation in which it is neither killed
 * nor chooses otherwise it enters its critical region after finitely many steps of its own. most[u]
 * is the largest number of them, by iteration from 0; one that exceeds the number of states has
 * gone round a cycle, and to leave the trying region for another than the critical one is never to
 * enter.
 */
static void brute_sure_to_enter(struct brute *brute, unsigned i)
{
    enum { NEVER = 2 * BRUTE_STATES };
    unsigned most[BRUTE_STATES] = {0};
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned u = brute->count; u-- > 0;) {
            unsigned worst = 0;
            for (unsigned e = 0; e < brute->edges && brute_tries(brute, u, i); e++) {
                const unsigned v = brute->next[u][e];
                if (v == BRUTE_NONE || (e % brute->n == i && e != i))
                    continue;
                const unsigned after = brute_tries(brute, v, i)                      ? most[v]
                                       : brute_region(brute, v, i) == CHECK_CRITICAL ? 0
                                                                                     : NEVER;
                const unsigned steps = after + (e == i);
                worst = steps > worst ? steps : worst;
            }
            if (worst > brute->count)
                worst = NEVER;
            changed |= worst != most[u];
            most[u] = worst;
        }
    }
    for (unsigned u = 0; u < brute->count; u++) {
        if (brute_tries(brute, u, i) && most[u] != NEVER)
            brute->enabled[u] |= (uint8_t)(1U << i);
    }
}

/*
 * A set G of processes in T is group-enabled if in every schedule in which each member of G
 * appears, at least |G| distinct processes step from T into C; the allocation is the size of the
 * largest. Schedules in which a member appears first by a choice to give up, or dies before it has
 * appeared, are left out. falls_short[u][left][gone]: from u some schedule makes all of `left`
 * appear and, with those of `gone` before, fewer than `size` processes have stepped.
 */
static void brute_allocate(const struct brute *brute, enum check_region from, enum check_region to,
                           uint8_t *allocation)
{
    enum { SETS = 1 << TABLE_PROCESSES };
    static bool falls_short[BRUTE_STATES][SETS][SETS];
    const unsigned sets = 1U << brute->n;
    unsigned most = 0;
    for (unsigned u = 0; u < brute->count; u++)
        most = brute_in(brute, u, from) > most ? brute_in(brute, u, from) : most;
    memset(allocation, 0, brute->count);
    for (unsigned size = 1; size <= most; size++) {
        memset(falls_short, 0, sizeof falls_short);
        for (bool changed = true; changed;) {
            changed = false;
            for (unsigned u = brute->count; u-- > 0;) {
                for (unsigned left = 0; left < sets; left++) {
                    for (unsigned gone = 0; gone < sets; gone++) {
                        if (falls_short[u][left][gone] ||
                            (unsigned)__builtin_popcount(gone) >= size)
                            continue;
                        bool is = left == 0;
                        for (unsigned e = 0; e < brute->edges && !is; e++) {
                            const unsigned v = brute->next[u][e], p = e % brute->n;
                            if (v == BRUTE_NONE)
                                continue;
                            const enum check_region then =
                                check_paper_region(brute_region(brute, v, p));
                            bool leaves = check_paper_region(brute_region(brute, u, p)) == from &&
                                          then != from;
                            bool steps = leaves && then == to;
                            const bool faults = e >= brute->steps;
                            const bool gives_up = brute_chooses(brute, e) && leaves && !steps;
                            if (left >> p & 1 && (faults || gives_up))
                                continue;
                            is = falls_short[v][left & ~(1U << p)][gone | (unsigned)steps << p];
                        }
                        falls_short[u][left][gone] = is;
                        changed |= is;
                    }
                }
            }
        }
        for (unsigned u = 0; u < brute->count; u++) {
            unsigned candidates = 0;
            for (unsigned p = 0; p < brute->n; p++)
                candidates |= (unsigned)(check_paper_region(brute_region(brute, u, p)) == from)
                              << p;
            for (unsigned group = 1; group < sets; group++) {
                if ((group & ~candidates) == 0 && (unsigned)__builtin_popcount(group) == size &&
                    !falls_short[u][group][0])
                    allocation[u] = (uint8_t)size;
            }
        }
    }
}

void brute_enable(struct brute *brute, bool allocation)
{
    for (unsigned u = 0; u < brute->count; u++) {
        for (unsigned p = 0; p < brute->n && !brute->table->check.own_steps; p++) {
            brute->enabled[u] |= (uint8_t)(brute_always_able(brute, u, p, CHECK_CRITICAL) << p);
            brute->leaving[u] |= (uint8_t)(brute_always_able(brute, u, p, CHECK_REMAINDER) << p);
        }
    }
    for (unsigned p = 0; p < brute->n && brute->table->check.own_steps; p++)
        brute_sure_to_enter(brute, p);
    if (allocation) {
        brute_allocate(brute, CHECK_WAITING, CHECK_CRITICAL, brute->allocated);
        brute_allocate(brute, CHECK_EXIT, CHECK_REMAINDER, brute->releasing);
    }
}

bool brute_l_full(const struct brute *brute)
{
    for (unsigned u = 0; u < brute->count; u++) {
        int room = (int)brute->l - (int)brute_in(brute, u, CHECK_CRITICAL);
        int trying = (int)brute_in(brute, u, CHECK_WAITING);
        if (__builtin_popcount(brute->enabled[u]) != (room < trying ? room : trying))
            return false;
    }
    return true;
}

/* Fewer than k of the halted processes are in T or E, and none is a supervisor. */
static bool k_admissible(const struct brute *brute, unsigned u, unsigned halted)
{
    unsigned failing = 0;
    for (unsigned p = 0; p < brute->n; p++) {
        if (halted >> p & 1 && brute_region(brute, u, p) == CHECK_SUPERVISOR)
            return false;
    }
    for (unsigned p = 0; p < brute->n; p++)
        failing += halted >> p & 1 && brute_fails_at(brute, u, p);
    return failing < brute->k;
}

bool brute_unenabled(const struct brute *brute, unsigned u, unsigned i)
{
    return (brute_tries(brute, u, i) && (brute->enabled[u] >> i & 1) == 0) ||
           (brute_region(brute, u, i) == CHECK_EXIT && (brute->leaving[u] >> i & 1) == 0 &&
            !brute->table->check.own_steps);
}

bool brute_finite_waiting(const struct brute *brute,
                          bool (*waits)(const struct brute *brute, unsigned u, unsigned i))
{
    static struct relation reach;
    for (unsigned i = 0; i < brute->n; i++) {
        for (unsigned halted = 0; halted < 1U << brute->n; halted++) {
            struct part part = {.halted = halted};
            for (unsigned u = 0; u < brute->count; u++)
                part.inside[u] = waits(brute, u, i);
            part_closure(brute, &part, &reach);
            for (unsigned u = 0; u < brute->count; u++) {
                if (!begins_cycle(&reach, u) || !k_admissible(brute, u, halted) ||
                    !goes_on_for_ever(brute, &part, &reach, u))
                    continue;
                for (unsigned j = 0; j < brute->n; j++) {
                    bool rests = false, enters = false;
                    for (unsigned a = 0; a < brute->count && j != i; a++) {
                        bool on = together(&reach, u, a);
                        rests |= on && brute_region(brute, a, j) == CHECK_REMAINDER;
                        enters |= on && brute_region(brute, a, j) == CHECK_CRITICAL;
                    }
                    if (rests && enters)
                        return false;
                }
            }
        }
    }
    return true;
}

bool brute_kl_deadlock_free(const struct brute *brute, bool *constant)
{
    static struct relation reach;
    bool result = true;
    for (unsigned halted = 0; halted < 1U << brute->n; halted++) {
        struct part part = {.halted = halted, .no_faults = true, .keeps_regions = true};
        memset(part.inside, true, sizeof part.inside);
        part_closure(brute, &part, &reach);
        for (unsigned u = 0; u < brute->count; u++) {
            if (!begins_cycle(&reach, u))
                continue;
            for (unsigned a = 0; a < brute->count; a++) {
                if (together(&reach, u, a) && (brute->allocated[u] != brute->allocated[a] ||
                                               brute->releasing[u] != brute->releasing[a]))
                    *constant = false;
            }
            bool free_slot = brute_in(brute, u, CHECK_WAITING) > brute->allocated[u] &&
                             brute->allocated[u] + brute_in(brute, u, CHECK_CRITICAL) < brute->l;
            bool hangs = brute_in(brute, u, CHECK_EXIT) > brute->releasing[u];
            if ((free_slot || hangs) && k_admissible(brute, u, halted) &&
                goes_on_for_ever(brute, &part, &reach, u))
                result = false;
        }
    }
    return result;
}

bool brute_held_up(const struct brute *brute, unsigned u, unsigned i)
{
    return brute_region(brute, u, i) == CHECK_WAITING && (brute->enabled[u] >> i & 1) == 0;
}

bool brute_first_enabled(const struct brute *brute, bool strong)
{
    static struct relation reach;
    for (unsigned i = 0; i < brute->n; i++) {
        memset(&reach, 0, sizeof reach);
        for (unsigned u = 0; u < brute->count; u++) {
            relate(&reach, u, u);
            for (unsigned e = 0; e < brute->edges && brute_held_up(brute, u, i); e++) {
                const unsigned v = brute->next[u][e];
                if (v != BRUTE_NONE && brute_held_up(brute, v, i))
                    relate(&reach, u, v);
            }
        }
        brute_closure(&reach, brute->count);
        for (unsigned u = 0; u < brute->count; u++) {
            for (unsigned v = 0; v < brute->count; v++) {
                for (unsigned j = 0;
                     brute_held_up(brute, u, i) && related(&reach, u, v) && j < brute->n; j++) {
                    if (j != i && brute_region(brute, u, j) == CHECK_REMAINDER &&
                        (brute_region(brute, v, j) == CHECK_CRITICAL ||
                         (strong && brute_region(brute, v, j) == CHECK_WAITING &&
                          brute->enabled[v] >> j & 1)))
                        return false;
                }
            }
        }
    }
    return true;
}

unsigned brute_steps_when_enabled(const struct brute *brute)
{
    unsigned bound = 0;
    for (unsigned i = 0; i < brute->n; i++) {
        unsigned most[BRUTE_STATES] = {0};
        for (bool changed = true; changed;) {
            changed = false;
            for (unsigned u = 0; u < brute->count; u++) {
                unsigned worst = 0;
                if (brute_region(brute, u, i) != CHECK_WAITING || (brute->enabled[u] >> i & 1) == 0)
                    continue;
                for (unsigned e = 0; e < brute->edges; e++) {
                    const unsigned v = brute->next[u][e];
                    if (v == BRUTE_NONE || (e % brute->n == i && e != i))
                        continue;
                    const unsigned steps = (e == i) + most[v];
                    worst = steps > worst ? steps : worst;
                }
                changed |= worst != most[u];
                most[u] = worst;
                bound = worst > bound ? worst : bound;
            }
        }
    }
    return bound;
}
