#include "brute.h"

/* All but the supervisor. */
static unsigned brute_workers(const struct brute *brute)
{
    return brute->n - brute->table->check.supervisors;
}

/* A process at rest: in its remainder, or dead. */
static bool brute_rests(const struct brute *brute, unsigned u, unsigned p)
{
    return brute_region(brute, u, p) == CHECK_REMAINDER || brute_region(brute, u, p) == CHECK_DEAD;
}

/* ---- the reachable states; false: too many ---- */

static unsigned brute_code(const struct brute *brute, unsigned value, const uint8_t *local)
{
    unsigned code = value;
    for (unsigned p = 0; p < brute->n; p++)
        code = code * TABLE_LOCALS + local[p];
    return code;
}

static enum check_region region_of(const struct brute *brute, unsigned u, unsigned p)
{
    return brute->table->check.supervisors > 0 && p == brute->n - 1
               ? CHECK_SUPERVISOR
               : (enum check_region)brute->table->region[brute->local[u][p]];
}

bool brute_explore(struct brute *brute, const struct table *table)
{
    static uint16_t number[BRUTE_CODES];
    memset(brute, 0, sizeof *brute);
    memset(number, 0xff, sizeof number);
    brute->table = table;
    brute->n = table->check.n;
    brute->l = table->check.l;
    brute->k = table->check.k;
    brute->edges = brute->n * table->check.kinds;
    brute->steps = brute->n * (table->check.has_choice ? 2 : 1);
    brute->value[0] = (uint8_t)table->first_value;
    number[brute_code(brute, brute->value[0], brute->local[0])] = 0;
    brute->count = 1;
    for (unsigned u = 0; u < brute->count; u++) {
        for (unsigned e = 0; e < brute->edges; e++) {
            const unsigned p = e % brute->n, v = brute->value[u], x = brute->local[u][p];
            brute->next[u][e] = BRUTE_NONE;
            if (e >= brute->steps ? x == table->dead : x == 0 && table->barred[p][v])
                continue;
            if (brute_chooses(brute, e) && !table->asks[p][v][x])
                continue;
            struct entry to = e >= brute->steps
                                  ? (struct entry){table->after_death[v][x], table->dead}
                              : e >= brute->n ? table->other[p][v][x]
                                              : table->next[p][v][x];
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
        for (unsigned p = 0; p < brute->n; p++)
            brute->region[u][p] = (uint8_t)region_of(brute, u, p);
    }
    return true;
}

void brute_pack(const struct brute *brute, unsigned u, uint64_t *state)
{
    const struct check_model *model = &brute->table->check;
    for (unsigned w = 0; w < model->words; w++)
        state[w] = CHECK_PRESENT;
    check_put(state, model->cell[0].field, brute->value[u]);
    for (unsigned p = 0; p < brute->n; p++)
        check_put(state, model->block[p], brute->local[u][p]);
}

uint64_t brute_transitions(const struct brute *brute)
{
    uint64_t count = 0;
    for (unsigned u = 0; u < brute->count; u++) {
        for (unsigned e = 0; e < brute->edges; e++)
            count += brute->next[u][e] != BRUTE_NONE;
    }
    return count;
}

/* ---- relations ---- */

void brute_closure(struct relation *relation, unsigned count)
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

bool part_has(const struct brute *brute, const struct part *part, unsigned u, unsigned e)
{
    const unsigned v = brute->next[u][e], p = e % brute->n;
    return v != BRUTE_NONE && part->inside[u] && part->inside[v] && (part->halted >> p & 1) == 0 &&
           (!part->no_faults || e < brute->steps) &&
           (!part->keeps_regions || check_paper_region(brute_region(brute, u, p)) ==
                                        check_paper_region(brute_region(brute, v, p)));
}

void part_closure(const struct brute *brute, const struct part *part, struct relation *reach)
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

bool begins_cycle(const struct relation *reach, unsigned u)
{
    bool first = related(reach, u, u);
    for (unsigned a = 0; a < u && first; a++)
        first = !together(reach, u, a);
    return first;
}

bool goes_on_for_ever(const struct brute *brute, const struct part *part,
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

unsigned brute_in(const struct brute *brute, unsigned u, enum check_region region)
{
    unsigned count = 0;
    for (unsigned p = 0; p < brute->n; p++)
        count += check_paper_region(brute_region(brute, u, p)) == region;
    return count;
}

bool brute_exclusion(const struct brute *brute)
{
    for (unsigned u = 0; u < brute->count; u++) {
        if (brute_in(brute, u, CHECK_CRITICAL) > brute->l)
            return false;
    }
    return true;
}

bool brute_no_memory(const struct brute *brute)
{
    for (unsigned u = 0; u < brute->count; u++) {
        for (unsigned p = 0; p < brute->n; p++) {
            if (brute_region(brute, u, p) == CHECK_REMAINDER && brute->local[u][p] != 0)
                return false;
        }
    }
    return true;
}

/* ---- slots ---- */

bool brute_distinct_slots(const struct brute *brute)
{
    for (unsigned u = 0; u < brute->count; u++) {
        for (unsigned p = 0; p < brute->n; p++) {
            const unsigned slot = brute->table->slot[p][brute->value[u]][brute->local[u][p]];
            if (brute_region(brute, u, p) != CHECK_CRITICAL)
                continue;
            if (slot >= brute->l)
                return false;
            for (unsigned q = 0; q < brute->n; q++) {
                if (q != p && brute_region(brute, u, q) == CHECK_CRITICAL &&
                    brute->table->slot[q][brute->value[u]][brute->local[u][q]] == slot)
                    return false;
            }
        }
    }
    return true;
}

/* All slots are filled, or every living process has one. */
static bool brute_filled(const struct brute *brute, unsigned u)
{
    const unsigned critical = brute_in(brute, u, CHECK_CRITICAL);
    const unsigned slots =
        brute->table->check.slots != NULL ? brute->table->slots[brute->value[u]] : brute->l;
    return critical >= slots || critical == brute_workers(brute) - brute_in(brute, u, CHECK_DEAD);
}

bool brute_no_slot_lost(const struct brute *brute)
{
    static struct relation reach;
    memset(&reach, 0, sizeof reach);
    for (unsigned u = 0; u < brute->count; u++) {
        relate(&reach, u, u);
        for (unsigned e = 0; e < brute->steps; e++) {
            const unsigned v = brute->next[u][e], p = e % brute->n;
            if (v != BRUTE_NONE && brute_region(brute, u, p) != CHECK_DEAD &&
                brute_region(brute, v, p) != CHECK_DEAD)
                relate(&reach, u, v);
        }
    }
    brute_closure(&reach, brute->count);
    for (unsigned u = 0; u < brute->count; u++) {
        bool can = false;
        for (unsigned v = 0; v < brute->count; v++)
            can |= related(&reach, u, v) && brute_filled(brute, v);
        if (!can)
            return false;
    }
    return true;
}

/* ---- for ever ---- */

bool brute_deadlock_free(const struct brute *brute)
{
    static struct relation reach;
    for (unsigned halted = 0; halted < 1U << brute->n; halted++) {
        struct part part = {.halted = halted, .no_faults = true, .keeps_regions = true};
        memset(part.inside, true, sizeof part.inside);
        part_closure(brute, &part, &reach);
        for (unsigned u = 0; u < brute->count; u++) {
            bool admissible = true;
            for (unsigned p = 0; p < brute->n; p++)
                admissible &= (halted >> p & 1) == 0 || brute_rests(brute, u, p);
            if (admissible && begins_cycle(&reach, u) &&
                brute_in(brute, u, CHECK_REMAINDER) + brute_in(brute, u, CHECK_DEAD) <
                    brute_workers(brute) &&
                goes_on_for_ever(brute, &part, &reach, u))
                return false;
        }
    }
    return true;
}

bool brute_lockout_free(const struct brute *brute)
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
                    admissible &= (halted >> p & 1) == 0 || brute_rests(brute, u, p);
                if (admissible && begins_cycle(&reach, u) &&
                    goes_on_for_ever(brute, &part, &reach, u))
                    return false;
            }
        }
    }
    return true;
}

bool brute_l_lockout_free(const struct brute *brute)
{
    static struct relation reach;
    for (unsigned i = 0; i < brute->n; i++) {
        for (unsigned halted = 0; halted < 1U << brute->n; halted++) {
            struct part part = {.halted = halted};
            if (halted >> i & 1)
                continue;
            for (unsigned u = 0; u < brute->count; u++)
                part.inside[u] = brute_fails_at(brute, u, i);
            part_closure(brute, &part, &reach);
            for (unsigned u = 0; u < brute->count; u++) {
                unsigned faulty = 0;
                for (unsigned p = 0; p < brute->n; p++)
                    faulty += halted >> p & 1 && !brute_rests(brute, u, p);
                if (faulty < brute->l && begins_cycle(&reach, u) &&
                    goes_on_for_ever(brute, &part, &reach, u))
                    return false;
            }
        }
    }
    return true;
}
