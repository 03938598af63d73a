/*
 * The properties again, from their definitions, by other algorithms than the checker's: plain
 * enumeration of the states, closure of the successor relation by Warshall's algorithm, enumeration
 * of the sets of processes that halt, and iteration to a fixed point instead of components. Slow,
 * and meant to be plainly right. Definitions in our words, after Burns et al. 1982 and Fischer,
 * Lynch, Burns, Borodin 1979.
 */
#ifndef BERTH_TESTS_BRUTE_H
#define BERTH_TESTS_BRUTE_H

#include "table.h"

enum { BRUTE_STATES = 512, BRUTE_EDGES = 2 * TABLE_PROCESSES, BRUTE_WORDS = BRUTE_STATES / 64 };
enum { BRUTE_CODES = 1 << 21, BRUTE_NONE = UINT16_MAX };

struct relation {
    uint64_t row[BRUTE_STATES][BRUTE_WORDS];
};

struct brute {
    const struct table *table;
    unsigned n, l, k, edges, count;
    uint16_t next[BRUTE_STATES][BRUTE_EDGES]; /* BRUTE_NONE: no such edge */
    uint8_t value[BRUTE_STATES];
    uint8_t local[BRUTE_STATES][TABLE_PROCESSES];
    uint8_t enabled[BRUTE_STATES], leaving[BRUTE_STATES];     /* CEn, REn: sets of processes */
    uint8_t allocated[BRUTE_STATES], releasing[BRUTE_STATES]; /* C-, R-allocation */
};

static inline enum check_region brute_region(const struct brute *brute, unsigned u, unsigned p)
{
    return (enum check_region)brute->table->region[brute->local[u][p]];
}

static inline bool brute_tries(const struct brute *brute, unsigned u, unsigned p)
{
    return check_trying(brute_region(brute, u, p));
}

static inline bool brute_fails_at(const struct brute *brute, unsigned u, unsigned p)
{
    return brute_tries(brute, u, p) || brute_region(brute, u, p) == CHECK_EXIT;
}

/* ---- the reachable states; false: too many ---- */

static inline unsigned brute_code(const struct brute *brute, unsigned value, const uint8_t *local)
{
    unsigned code = value;
    for (unsigned p = 0; p < brute->n; p++)
        code = code * TABLE_LOCALS + local[p];
    return code;
}

static inline bool brute_explore(struct brute *brute, const struct table *table)
{
    static uint16_t number[BRUTE_CODES];
    memset(brute, 0, sizeof *brute);
    memset(number, 0xff, sizeof number);
    brute->table = table;
    brute->n = table->check.n;
    brute->l = table->check.l;
    brute->k = table->check.k;
    brute->edges = brute->n * table->check.kinds;
    brute->value[0] = (uint8_t)table->first_value;
    number[brute_code(brute, brute->value[0], brute->local[0])] = 0;
    brute->count = 1;
    for (unsigned u = 0; u < brute->count; u++) {
        for (unsigned e = 0; e < brute->edges; e++) {
            const unsigned p = e % brute->n, v = brute->value[u], x = brute->local[u][p];
            brute->next[u][e] = BRUTE_NONE;
            if (e < brute->n ? x == 0 && table->barred[p][v] : x == 0)
                continue;
            struct entry to =
                e < brute->n ? table->next[p][v][x] : (struct entry){table->after_death[v], 0};
            uint8_t local[TABLE_PROCESSES];
            memcpy(local, brute->local[u], sizeof local);
            local[p] = to.local;
            unsigned code = brute_code(brute, to.value, local);
            if (number[code] == BRUTE_NONE) {
                if (brute->count == BRUTE_STATES)
                    return false;
                number[code] = (uint16_t)brute->count;
                brute->value[brute->count] = to.value;
                memcpy(brute->local[brute->count++], local, sizeof local);
            }
            brute->next[u][e] = number[code];
        }
    }
    return true;
}

/* State u as the checker packs it. */
static inline void brute_pack(const struct brute *brute, unsigned u, uint64_t *state)
{
    const struct check_model *model = &brute->table->check;
    for (unsigned w = 0; w < model->words; w++)
        state[w] = CHECK_PRESENT;
    check_put(state, model->cell[0].field, brute->value[u]);
    for (unsigned p = 0; p < brute->n; p++)
        check_put(state, model->block[p], brute->local[u][p]);
}

static inline uint64_t brute_transitions(const struct brute *brute)
{
    uint64_t count = 0;
    for (unsigned u = 0; u < brute->count; u++) {
        for (unsigned e = 0; e < brute->edges; e++)
            count += brute->next[u][e] != BRUTE_NONE;
    }
    return count;
}

/* ---- relations ---- */

static inline bool related(const struct relation *relation, unsigned u, unsigned v)
{
    return relation->row[u][v / 64] >> v % 64 & 1;
}

static inline void relate(struct relation *relation, unsigned u, unsigned v)
{
    relation->row[u][v / 64] |= UINT64_C(1) << v % 64;
}

/* Warshall: from one state to another by one step or more. */
static inline void brute_closure(struct relation *relation, unsigned count)
{
    for (unsigned via = 0; via < count; via++) {
        for (unsigned u = 0; u < count; u++) {
            if (!related(relation, u, via))
                continue;
            for (unsigned w = 0; w < (count + 63) / 64; w++)
                relation->row[u][w] |= relation->row[via][w];
        }
    }
}

/* A part of the graph: what a schedule may use. */
struct part {
    bool inside[BRUTE_STATES];
    unsigned halted; /* these processes do not move */
    bool no_faults, keeps_regions;
};

static inline bool part_has(const struct brute *brute, const struct part *part, unsigned u,
                            unsigned e)
{
    const unsigned v = brute->next[u][e], p = e % brute->n;
    return v != BRUTE_NONE && part->inside[u] && part->inside[v] && (part->halted >> p & 1) == 0 &&
           (!part->no_faults || e < brute->n) &&
           (!part->keeps_regions || check_paper_region(brute_region(brute, u, p)) ==
                                        check_paper_region(brute_region(brute, v, p)));
}

static inline void part_closure(const struct brute *brute, const struct part *part,
                                struct relation *reach)
{
    memset(reach, 0, sizeof *reach);
    for (unsigned u = 0; u < brute->count; u++) {
        for (unsigned e = 0; e < brute->edges; e++) {
            if (part_has(brute, part, u, e))
                relate(reach, u, brute->next[u][e]);
        }
    }
    brute_closure(reach, brute->count);
}

/* u and v lie on one cycle. */
static inline bool together(const struct relation *reach, unsigned u, unsigned v)
{
    return related(reach, u, v) && related(reach, v, u);
}

/* u lies on a cycle, and no state with a smaller number lies on the same: one of each will do. */
static inline bool begins_cycle(const struct relation *reach, unsigned u)
{
    bool first = related(reach, u, u);
    for (unsigned a = 0; a < u && first; a++)
        first = !together(reach, u, a);
    return first;
}

/* From u an infinite schedule can go back to u for ever, with every process that is not halted moving
 * again and again. */
static inline bool goes_on_for_ever(const struct brute *brute, const struct part *part,
                                    const struct relation *reach, unsigned u)
{
    unsigned moving = 0;
    for (unsigned a = 0; a < brute->count; a++) {
        for (unsigned e = 0; together(reach, u, a) && e < brute->edges; e++) {
            if (part_has(brute, part, a, e) && together(reach, u, brute->next[a][e]))
                moving |= 1U << e % brute->n;
        }
    }
    return moving != 0 && (moving | part->halted) == (1U << brute->n) - 1;
}

/* ---- single states ---- */

static inline unsigned brute_in(const struct brute *brute, unsigned u, enum check_region region)
{
    unsigned count = 0;
    for (unsigned p = 0; p < brute->n; p++)
        count += check_paper_region(brute_region(brute, u, p)) == region;
    return count;
}

/* C1: never more than l in the critical region. */
static inline bool brute_exclusion(const struct brute *brute)
{
    for (unsigned u = 0; u < brute->count; u++) {
        if (brute_in(brute, u, CHECK_CRITICAL) > brute->l)
            return false;
    }
    return true;
}

/* C5 of Burns et al.: each process is seen in one local state of its remainder region. */
static inline bool brute_no_memory(const struct brute *brute)
{
    for (unsigned u = 0; u < brute->count; u++) {
        for (unsigned p = 0; p < brute->n; p++) {
            if (brute_region(brute, u, p) == CHECK_REMAINDER && brute->local[u][p] != 0)
                return false;
        }
    }
    return true;
}

/* ---- for ever ---- */

/* C2 of Burns et al.: with somebody outside its remainder, somebody changes its region at last, if
 * a process halts only in its remainder region. */
static inline bool brute_deadlock_free(const struct brute *brute)
{
    static struct relation reach;
    for (unsigned halted = 0; halted < 1U << brute->n; halted++) {
        struct part part = {.halted = halted, .no_faults = true, .keeps_regions = true};
        memset(part.inside, true, sizeof part.inside);
        part_closure(brute, &part, &reach);
        for (unsigned u = 0; u < brute->count; u++) {
            bool admissible = true;
            for (unsigned p = 0; p < brute->n; p++)
                admissible &=
                    (halted >> p & 1) == 0 || brute_region(brute, u, p) == CHECK_REMAINDER;
            if (admissible && begins_cycle(&reach, u) &&
                brute_in(brute, u, CHECK_REMAINDER) < brute->n &&
                goes_on_for_ever(brute, &part, &reach, u))
                return false;
        }
    }
    return true;
}

/* C3: nobody stays in its trying or exit region for ever, if a process halts only in its remainder. */
static inline bool brute_lockout_free(const struct brute *brute)
{
    static struct relation reach;
    for (unsigned i = 0; i < brute->n; i++) {
        for (unsigned halted = 0; halted < 1U << brute->n; halted++) {
            struct part part = {.halted = halted};
            for (unsigned u = 0; u < brute->count; u++)
                part.inside[u] = brute_fails_at(brute, u, i);
            part_closure(brute, &part, &reach);
            for (unsigned u = 0; u < brute->count; u++) {
                bool admissible = true;
                for (unsigned p = 0; p < brute->n; p++)
                    admissible &=
                        (halted >> p & 1) == 0 || brute_region(brute, u, p) == CHECK_REMAINDER;
                if (admissible && begins_cycle(&reach, u) &&
                    goes_on_for_ever(brute, &part, &reach, u))
                    return false;
            }
        }
    }
    return true;
}

/* ---- enabling ---- */

/* i is able: its next step leads into region `goal`, from R or T into C or from E into R. */
static inline bool brute_able(const struct brute *brute, unsigned u, unsigned i,
                              enum check_region goal)
{
    const unsigned v = brute->next[u][i];
    enum check_region now = brute_region(brute, u, i);
    bool from =
        goal == CHECK_CRITICAL ? now == CHECK_REMAINDER || check_trying(now) : now == CHECK_EXIT;
    return v != BRUTE_NONE && from && brute_region(brute, v, i) == goal;
}

/* i is enabled: able after every finite schedule without i. By walking all of them. */
static inline bool brute_always_able(const struct brute *brute, unsigned u, unsigned i,
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
 * A set G of processes in T is group-enabled if in every schedule in which each member of G appears,
 * at least |G| distinct processes step from T into C; the allocation is the size of the largest.
 * short[u][left][gone]: from u some schedule makes all of `left` appear and, with those of `gone`
 * before, fewer than `size` processes have stepped.
 */
static inline void brute_allocate(const struct brute *brute, enum check_region from,
                                  enum check_region to, uint8_t *allocation)
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
                            bool steps = check_paper_region(brute_region(brute, u, p)) == from &&
                                         brute_region(brute, v, p) == to;
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

static inline void brute_enable(struct brute *brute, bool allocation)
{
    for (unsigned u = 0; u < brute->count; u++) {
        for (unsigned p = 0; p < brute->n; p++) {
            brute->enabled[u] |= (uint8_t)(brute_always_able(brute, u, p, CHECK_CRITICAL) << p);
            brute->leaving[u] |= (uint8_t)(brute_always_able(brute, u, p, CHECK_REMAINDER) << p);
        }
    }
    if (allocation) {
        brute_allocate(brute, CHECK_WAITING, CHECK_CRITICAL, brute->allocated);
        brute_allocate(brute, CHECK_EXIT, CHECK_REMAINDER, brute->releasing);
    }
}

/* l-full: |CEn| = min(l - |C|, |T|), always. */
static inline bool brute_l_full(const struct brute *brute)
{
    for (unsigned u = 0; u < brute->count; u++) {
        int room = (int)brute->l - (int)brute_in(brute, u, CHECK_CRITICAL);
        int trying = (int)brute_in(brute, u, CHECK_WAITING);
        if (__builtin_popcount(brute->enabled[u]) != (room < trying ? room : trying))
            return false;
    }
    return true;
}

/* Fewer than k of the halted processes are in T or E. */
static inline bool k_admissible(const struct brute *brute, unsigned u, unsigned halted)
{
    unsigned failing = 0;
    for (unsigned p = 0; p < brute->n; p++)
        failing += halted >> p & 1 && brute_fails_at(brute, u, p);
    return failing < brute->k;
}

/* i waits for enabling: in T and not critical-enabled, or in E and not remainder-enabled. */
static inline bool brute_unenabled(const struct brute *brute, unsigned u, unsigned i)
{
    return (brute_tries(brute, u, i) && (brute->enabled[u] >> i & 1) == 0) ||
           (brute_region(brute, u, i) == CHECK_EXIT && (brute->leaving[u] >> i & 1) == 0);
}

/* C3': under a k-admissible schedule nobody waits for enabling for ever while another goes from its
 * remainder to its critical region again and again. */
static inline bool brute_finite_waiting(const struct brute *brute)
{
    static struct relation reach;
    for (unsigned i = 0; i < brute->n; i++) {
        for (unsigned halted = 0; halted < 1U << brute->n; halted++) {
            struct part part = {.halted = halted};
            for (unsigned u = 0; u < brute->count; u++)
                part.inside[u] = brute_unenabled(brute, u, i);
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

/*
 * C2 of Fischer et al.: no k-admissible infinite schedule without a change of region, along which
 * the allocations stay the same, and |T| > C-allocation with C-allocation + |C| < l, or |E| >
 * R-allocation. `*constant` becomes false where the allocation is not the same all around a cycle,
 * which the checker takes for granted.
 */
static inline bool brute_kl_deadlock_free(const struct brute *brute, bool *constant)
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

/* ---- counting ---- */

struct counted {
    bool bounded;
    unsigned bound;
};

enum count_what { CYCLES_OF_J, ENTRIES_OF_J, STEPS_OF_I };

/*
 * The most that can be counted along a path that stays in `view` (its last state may be outside),
 * from a state of the view. Cycles of j: from a state with j in R to a later one with j in C. By
 * iteration from 0; a count that exceeds twice the number of states has gone round a cycle.
 */
static inline struct counted brute_count(const struct brute *brute, const bool *view,
                                         enum count_what what, unsigned i, unsigned j)
{
    /* most[u][seen]: having just arrived at u, with j seen in R before since the last count. */
    static unsigned most[BRUTE_STATES][2];
    memset(most, 0, sizeof most);
    const unsigned cap = 2 * brute->count + 2;
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned u = 0; u < brute->count; u++) {
            for (unsigned seen = 0; seen < 2; seen++) {
                const enum check_region at = brute_region(brute, u, j);
                const unsigned gain = what == CYCLES_OF_J && seen && at == CHECK_CRITICAL;
                const unsigned then = at == CHECK_REMAINDER ? 1 : at == CHECK_CRITICAL ? 0 : seen;
                unsigned best = 0;
                for (unsigned e = 0; e < brute->edges && view[u]; e++) {
                    const unsigned v = brute->next[u][e];
                    if (v == BRUTE_NONE)
                        continue;
                    unsigned here = what == STEPS_OF_I && e == i;
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

typedef bool brute_waits(const struct brute *brute, unsigned u, unsigned i);

/* The worst over all pairs. */
static inline struct counted brute_worst(const struct brute *brute, brute_waits *waits,
                                         enum count_what what)
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

static inline bool brute_past_doorway(const struct brute *brute, unsigned u, unsigned i)
{
    return brute_region(brute, u, i) == CHECK_WAITING;
}

static inline bool brute_competes(const struct brute *brute, unsigned u, unsigned i)
{
    const struct table *table = brute->table;
    return brute_tries(brute, u, i) &&
           (table->check.active == NULL || table->competes[i][brute->local[u][i]]);
}

/*
 * First in, first out: while i waits past its doorway, nobody who is in its remainder then becomes
 * critical, at the latest by the step that ends the wait. Waiting in the exit region counts too (C5 of
 * Fischer et al. is 0-bounded waiting).
 */
static inline bool brute_fifo(const struct brute *brute, bool enabling)
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

/* The most steps of its own that a process takes from its remainder to the end of its doorway. */
static inline struct counted brute_doorway(const struct brute *brute)
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

#endif
