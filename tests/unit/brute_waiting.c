#include "brute_waiting.h"

/*
 * The most that can be counted along a path that stays in `view` (its last state may be outside),
 * from a state of the view. Cycles of j: from a state with j in R to a later one with j in C. By
 * iteration from 0; a count that exceeds twice the number of states has gone round a cycle. Most
 * successors of a state have larger numbers than it has: so from the last state down.
 */
static struct counted brute_count(const struct brute *brute, const bool *view, enum count_what what,
                                  unsigned i, unsigned j)
{
    /* most[u][seen]: having just arrived at u, with j seen in R before since the last count. */
    static unsigned most[BRUTE_STATES][2];
    memset(most, 0, sizeof most);
    const unsigned cap = 2 * brute->count + 2;
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned u = brute->count; u-- > 0;) {
            for (unsigned seen = 0; seen < 2; seen++) {
                const enum check_region at = brute_region(brute, u, j);
                const unsigned gain = what == CYCLES_OF_J && seen && at == CHECK_CRITICAL;
                const unsigned then = at == CHECK_REMAINDER ? 1 : at == CHECK_CRITICAL ? 0 : seen;
                unsigned best = 0;
                for (unsigned e = 0; e < brute->edges && view[u]; e++) {
                    const unsigned v = brute->next[u][e];
                    if (v == BRUTE_NONE)
                        continue;
                    unsigned here = what == STEPS_OF_I && e % brute->n == i && e < brute->steps;
                    if (what == ENTRIES_OF_J)
                        here = e % brute->n == j && at != CHECK_CRITICAL &&
                               brute_region(brute, v, j) == CHECK_CRITICAL;
                    best = here + most[v][then] > best ? here + most[v][then] : best;
                }
                if (gain + best != most[u][seen]) {
                    most[u][seen] = gain + best;
                    changed = true;
                }
                if (most[u][seen] > cap)
                    return (struct counted){false, 0};
            }
        }
    }
    struct counted result = {true, 0};
    for (unsigned u = 0; u < brute->count; u++) {
        if (view[u] && most[u][0] > result.bound)
            result.bound = most[u][0];
    }
    return result;
}

struct counted brute_worst(const struct brute *brute, brute_waits *waits, enum count_what what)
{
    struct counted worst = {true, 0};
    for (unsigned i = 0; i < brute->n; i++) {
        bool view[BRUTE_STATES];
        for (unsigned u = 0; u < brute->count; u++)
            view[u] = waits(brute, u, i);
        for (unsigned j = 0; j < brute->n; j++) {
            if (j == i)
                continue;
            struct counted one = brute_count(brute, view, what, i, j);
            if (!one.bounded)
                return one;
            worst.bound = one.bound > worst.bound ? one.bound : worst.bound;
        }
    }
    return worst;
}

bool brute_past_doorway(const struct brute *brute, unsigned u, unsigned i)
{
    return brute_region(brute, u, i) == CHECK_WAITING;
}

bool brute_competes(const struct brute *brute, unsigned u, unsigned i)
{
    const struct table *table = brute->table;
    return brute_tries(brute, u, i) &&
           (table->check.active == NULL || table->competes[i][brute->local[u][i]]);
}

bool brute_fifo(const struct brute *brute, bool enabling)
{
    static struct relation reach;
    for (unsigned i = 0; i < brute->n; i++) {
        bool waits[BRUTE_STATES];
        memset(&reach, 0, sizeof reach);
        for (unsigned u = 0; u < brute->count; u++) {
            bool in_exit = brute_region(brute, u, i) == CHECK_EXIT;
            waits[u] = (in_exit || brute_past_doorway(brute, u, i)) &&
                       (!enabling || brute_unenabled(brute, u, i));
            for (unsigned e = 0; e < brute->edges && waits[u]; e++) {
                if (brute->next[u][e] != BRUTE_NONE)
                    relate(&reach, u, brute->next[u][e]);
            }
        }
        brute_closure(&reach, brute->count);
        for (unsigned u = 0; u < brute->count; u++) {
            for (unsigned v = 0; v < brute->count; v++) {
                for (unsigned j = 0; waits[u] && related(&reach, u, v) && j < brute->n; j++) {
                    if (j != i && brute_region(brute, u, j) == CHECK_REMAINDER &&
                        brute_region(brute, v, j) == CHECK_CRITICAL)
                        return false;
                }
            }
        }
    }
    return true;
}

struct counted brute_doorway(const struct brute *brute)
{
    struct counted worst = {true, 0};
    for (unsigned i = 0; i < brute->n; i++) {
        bool view[BRUTE_STATES];
        for (unsigned u = 0; u < brute->count; u++)
            view[u] = brute_region(brute, u, i) == CHECK_DOORWAY;
        struct counted one = brute_count(brute, view, STEPS_OF_I, i, i);
        worst.bounded = worst.bounded && one.bounded;
        worst.bound = one.bound + 1 > worst.bound ? one.bound + 1 : worst.bound;
    }
    return worst;
}

struct counted brute_overtaking(const struct brute *brute)
{
    enum { SETS = 1 << TABLE_PROCESSES };
    static unsigned most[BRUTE_STATES][SETS];
    const unsigned cap = brute->n * brute->count; /* a way through components counts less */
    struct counted result = {true, 0};
    for (unsigned i = 0; i < brute->n; i++) {
        memset(most, 0, sizeof most);
        for (bool changed = true; changed;) {
            changed = false;
            for (unsigned u = brute->count; u-- > 0;) { /* as above */
                unsigned rest = 0;
                if (!brute_held_up(brute, u, i))
                    continue;
                for (unsigned j = 0; j < brute->n; j++)
                    rest |= (unsigned)(j != i && brute_region(brute, u, j) == CHECK_REMAINDER) << j;
                for (unsigned set = 0; set < 1U << brute->n; set++) {
                    unsigned best = 0;
                    for (unsigned e = 0; e < brute->edges; e++) {
                        const unsigned v = brute->next[u][e], j = e % brute->n;
                        if (v == BRUTE_NONE || !brute_held_up(brute, v, i))
                            continue;
                        const bool enters = (set | rest) >> j & 1 && j != i &&
                                            brute_region(brute, u, j) != CHECK_CRITICAL &&
                                            brute_region(brute, v, j) == CHECK_CRITICAL;
                        const unsigned then = (set | rest) & ~((unsigned)enters << j);
                        best = enters + most[v][then] > best ? enters + most[v][then] : best;
                    }
                    changed |= best != most[u][set];
                    most[u][set] = best;
                    if (best > cap)
                        return (struct counted){false, 0};
                    result.bound = set == 0 && best > result.bound ? best : result.bound;
                }
            }
        }
    }
    return result;
}
