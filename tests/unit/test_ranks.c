/*
 * The properties of ranks, exclusion between some only, and orders of their own, against brute
 * force: on random systems whose processes are coloured and ranked at random. What is true of the
 * way to a state (precedes, before) is carried along here as the paper defines it, in a product
 * with the states.
 */
#include "brute.h"
#include "random_table.h"
#include "replay_ranks.h"
#include "witnesses.h"

#include "check/decide.h"

struct ranked {         /* colours and ranks of a table, by V and local states */
    struct table table; /* first */
    uint8_t colour[TABLE_LOCALS];
    bool lower[TABLE_VALUES][TABLE_LOCALS][TABLE_LOCALS];
    bool by_number; /* of processes with the same local state, the order is by number */
    bool served[TABLE_VALUES][TABLE_LOCALS];
    bool clash[TABLE_VALUES][1 << TABLE_PROCESSES];
};

static void ranks_at(const struct ranked *ranked, unsigned value, const uint8_t *local, unsigned n,
                     struct check_ranks *ranks)
{
    *ranks = (struct check_ranks){.count = n};
    for (unsigned u = 0; u < n; u++) {
        ranks->colour[u] = ranked->colour[local[u]];
        ranks->served |= (uint16_t)(ranked->served[value][local[u]] << u);
        for (unsigned v = 0; v < n; v++) {
            if (u != v && (ranked->lower[value][local[u]][local[v]] ||
                           (ranked->by_number && local[u] == local[v] && u > v)))
                ranks->lower[u] |= (uint16_t)(1U << v);
        }
    }
}

static void ranked_ranks(const struct check_model *model, const uint64_t *state,
                         struct check_ranks *ranks)
{
    uint8_t local[TABLE_PROCESSES];
    for (unsigned p = 0; p < model->n; p++)
        local[p] = (uint8_t)check_get(state, model->block[p]);
    ranks_at((const struct ranked *)model, (unsigned)check_get(state, model->cell[0].field), local,
             model->n, ranks);
}

static bool ranked_clash(const struct check_model *model, const uint64_t *state, uint64_t inside)
{
    return ((const struct ranked *)model)->clash[check_get(state, model->cell[0].field)][inside];
}

/* ---- brute force ---- */

typedef bool brute_pair(const struct brute *brute, unsigned at, unsigned u, unsigned v);

static struct check_ranks brute_ranks(const struct brute *brute, unsigned at)
{
    struct check_ranks ranks;
    ranks_at((const struct ranked *)brute->table, brute->value[at], brute->local[at], brute->n,
             &ranks);
    return ranks;
}

/* Whether a state can be reached with "u was there before v came", and is bad then: a search over
 * states with that bit, which is brought up to date at every step. */
static bool brute_before(const struct brute *brute, brute_pair *there, brute_pair *away,
                         brute_pair *bad)
{
    for (unsigned u = 0; u < brute->n; u++) {
        for (unsigned v = 0; v < brute->n; v++) {
            static bool seen[BRUTE_STATES][2];
            bool more = true;
            if (u == v)
                continue;
            memset(seen, 0, sizeof seen);
            seen[0][there(brute, 0, u, v) && away(brute, 0, u, v)] = true;
            while (more) {
                more = false;
                for (unsigned at = 0; at < 2 * brute->count; at++) {
                    for (unsigned e = 0; seen[at / 2][at % 2] && e < brute->edges; e++) {
                        const unsigned to = brute->next[at / 2][e];
                        if (to == BRUTE_NONE)
                            continue;
                        const bool before =
                            there(brute, to, u, v) && (at % 2 == 1 || away(brute, to, u, v));
                        more |= !seen[to][before];
                        seen[to][before] = true;
                    }
                }
            }
            for (unsigned at = 0; at < brute->count; at++) {
                if (seen[at][1] && bad(brute, at, u, v))
                    return true;
            }
        }
    }
    return false;
}

static bool u_black(const struct brute *brute, unsigned at, unsigned u, unsigned v)
{
    (void)v;
    return brute_ranks(brute, at).colour[u] == CHECK_BLACK;
}

static bool v_white(const struct brute *brute, unsigned at, unsigned u, unsigned v)
{
    (void)u;
    return brute_ranks(brute, at).colour[v] == CHECK_WHITE;
}

static bool v_black_not_lower(const struct brute *brute, unsigned at, unsigned u, unsigned v)
{
    const struct check_ranks ranks = brute_ranks(brute, at);
    return ranks.colour[v] == CHECK_BLACK && !is_lower(&ranks, v, u);
}

static bool v_served(const struct brute *brute, unsigned at, unsigned u, unsigned v)
{
    (void)u;
    return brute_ranks(brute, at).served >> v & 1;
}

static bool u_waits(const struct brute *brute, unsigned at, unsigned u, unsigned v)
{
    (void)v;
    return brute_region(brute, at, u) == CHECK_WAITING;
}

static bool u_not_out(const struct brute *brute, unsigned at, unsigned u, unsigned v)
{
    const enum check_region region = brute_region(brute, at, u);
    return u_waits(brute, at, u, v) || region == CHECK_CRITICAL || region == CHECK_EXIT;
}

static bool v_rests(const struct brute *brute, unsigned at, unsigned u, unsigned v)
{
    (void)u;
    return brute_region(brute, at, v) == CHECK_REMAINDER;
}

static bool v_enters(const struct brute *brute, unsigned at, unsigned u, unsigned v)
{
    (void)u;
    return brute_region(brute, at, v) == CHECK_CRITICAL;
}

static bool v_enters_against_u(const struct brute *brute, unsigned at, unsigned u, unsigned v)
{
    const struct ranked *ranked = (const struct ranked *)brute->table;
    return v_enters(brute, at, u, v) && ranked->clash[brute->value[at]][1U << u | 1U << v];
}

static bool brute_fifo_of(const struct brute *brute)
{
    const struct check_model *model = &brute->table->check;
    if (model->ranks_things)
        return !brute_before(brute, u_black, v_white, v_served);
    if (model->first_come)
        return !brute_before(brute, u_not_out, v_rests, v_enters);
    return !brute_before(brute, u_waits, v_rests, v_enters_against_u);
}

static bool brute_excludes(const struct brute *brute)
{
    const struct ranked *ranked = (const struct ranked *)brute->table;
    for (unsigned at = 0; at < brute->count; at++) {
        unsigned inside = 0;
        for (unsigned p = 0; p < brute->n; p++)
            inside |= (unsigned)(brute_region(brute, at, p) == CHECK_CRITICAL) << p;
        if (ranked->clash[brute->value[at]][inside])
            return false;
    }
    return true;
}

static bool brute_ties(const struct brute *brute)
{
    for (unsigned at = 0; at < brute->count; at++) {
        const struct check_ranks ranks = brute_ranks(brute, at);
        for (unsigned u = 0; u < brute->n; u++) {
            for (unsigned v = 0; v < brute->n; v++) {
                if (u != v && !is_lower(&ranks, u, v) && !is_lower(&ranks, v, u))
                    return true;
            }
        }
    }
    return false;
}

/* A way along lower ranks that comes back: from each, as long as there is one to go to. */
static bool leads_back(const struct check_ranks *ranks, unsigned from, unsigned to, unsigned left)
{
    for (unsigned v = 0; v < ranks->count; v++) {
        if (is_lower(ranks, from, v) &&
            (v == to || (left > 0 && leads_back(ranks, v, to, left - 1))))
            return true;
    }
    return false;
}

static bool brute_cycles(const struct brute *brute)
{
    for (unsigned at = 0; at < brute->count; at++) {
        const struct check_ranks ranks = brute_ranks(brute, at);
        for (unsigned u = 0; u < brute->n; u++) {
            if (leads_back(&ranks, u, u, brute->n))
                return true;
        }
    }
    return false;
}

/* black.u and v lower, unless u is white. */
static bool brute_shifts(const struct brute *brute)
{
    for (unsigned at = 0; at < brute->count; at++) {
        for (unsigned e = 0; e < brute->edges; e++) {
            if (brute->next[at][e] == BRUTE_NONE)
                continue;
            const struct check_ranks from = brute_ranks(brute, at);
            const struct check_ranks to = brute_ranks(brute, brute->next[at][e]);
            for (unsigned u = 0; u < brute->n; u++) {
                for (unsigned v = 0; v < brute->n; v++) {
                    const bool p = from.colour[u] == CHECK_BLACK && is_lower(&from, v, u);
                    const bool p_after = to.colour[u] == CHECK_BLACK && is_lower(&to, v, u);
                    if (u != v && p && from.colour[u] != CHECK_WHITE && !p_after &&
                        to.colour[u] != CHECK_WHITE)
                        return true;
                }
            }
        }
    }
    return false;
}

/* The most own steps of anybody from a state in which it asks for a rank: by rounds, each of which
 * looks one step further; more rounds than states mean that there is no end. -1: no bound; -2: it
 * gets on without turning black. */
static long brute_response(const struct brute *brute)
{
    long most = 0;
    for (unsigned i = 0; i < brute->n; i++) {
        static long best[BRUTE_STATES];
        static bool grey[BRUTE_STATES];
        bool more = true;
        for (unsigned at = 0; at < brute->count; at++) {
            best[at] = 0;
            grey[at] = asks_for_rank(brute_region(brute, at, i), brute_ranks(brute, at).colour[i]);
        }
        for (unsigned round = 0; more; round++) {
            more = false;
            for (unsigned at = 0; at < brute->count; at++) {
                for (unsigned e = 0; grey[at] && e < brute->edges; e++) {
                    const unsigned to = brute->next[at][e];
                    const bool own = e % brute->n == i && e < brute->steps;
                    if (to == BRUTE_NONE)
                        continue;
                    if (own && !grey[to] && brute_ranks(brute, to).colour[i] != CHECK_BLACK)
                        return -2;
                    const long steps = own + (grey[to] ? best[to] : 0);
                    more |= steps > best[at];
                    best[at] = steps > best[at] ? steps : best[at];
                }
            }
            if (round > brute->count + 1)
                return -1;
        }
        for (unsigned at = 0; at < brute->count; at++)
            most = best[at] > most ? best[at] : most;
    }
    return most;
}

/* ---- comparing ---- */

enum { ASKED = 7 };
static const enum check_property asked[ASKED] = {
    CHECK_EXCLUSION, CHECK_FIFO,       CHECK_RESPONSIVE, CHECK_PRECEDENCE,
    CHECK_ACYCLIC,   CHECK_COMPARABLE, CHECK_STABLE,
};

struct score {
    unsigned holding[ASKED], failing[ASKED];
};

static void compare_one(struct ranked *ranked, struct brute *brute, struct score *score)
{
    struct check_budget budget = budget_of(64);
    struct check_limits limits = limits_of(&budget, false);
    struct check_query queries[ASKED] = {{0}};
    struct check_result results[ASKED];
    struct check_report report;
    const long response = brute_response(brute);
    const bool holds[ASKED] = {
        brute_excludes(brute), brute_fifo_of(brute),
        response >= 0,         !brute_before(brute, u_black, v_white, v_black_not_lower),
        !brute_cycles(brute),  !brute_ties(brute),
        !brute_shifts(brute)};
    size_t count = 0;
    for (unsigned q = 0; q < ASKED; q++)
        queries[q].property = asked[q];
    assert_true(check_run(&ranked->table.check, &limits, queries, ASKED, results, &report));
    assert_int_equal(report.end, CHECK_COMPLETE);
    assert_int_equal(report.states, brute->count);
    for (; count < ASKED; count++) {
        const unsigned q = (unsigned)count;
        if (asked[q] == CHECK_RESPONSIVE && ranked->table.check.ranks_things) {
            assert_int_equal(results[q].answer, CHECK_UNDECIDED);
            continue;
        }
        if ((results[q].answer == CHECK_HOLDS) != holds[q])
            print_error("%s: brute force says otherwise\n", check_property_name(asked[q]));
        assert_int_equal(results[q].answer, holds[q] ? CHECK_HOLDS : CHECK_FAILS);
        if (asked[q] == CHECK_RESPONSIVE && holds[q])
            assert_int_equal(results[q].bound, response);
        score->holding[q] += holds[q];
        score->failing[q] += !holds[q];
        if (!holds[q] && !(asked[q] == CHECK_RESPONSIVE && response == -1))
            replay_one(&ranked->table.check, &results[q], "random", false);
    }
    for (unsigned q = 0; q < ASKED; q++)
        check_witness_free(&results[q].witness);
    assert_int_equal(atomic_load(&budget.used), 0);
}

/* Colours and ranks at random, of a kind that now and then has the property. */
static void rank_at_random(struct ranked *ranked, struct dice *dice)
{
    struct check_model *check = &ranked->table.check;
    const unsigned mood = dice_below(dice, 3), few = 1 + dice_below(dice, 40);
    for (unsigned x = 0; x < TABLE_LOCALS; x++) {
        switch (ranked->table.region[x]) {
        case CHECK_REMAINDER: ranked->colour[x] = CHECK_WHITE; break;
        case CHECK_DOORWAY: ranked->colour[x] = CHECK_GREY; break;
        default: ranked->colour[x] = CHECK_BLACK; break;
        }
        if (dice_below(dice, 8) == 0)
            ranked->colour[x] = (uint8_t)dice_below(dice, 3);
        for (unsigned v = 0; v < TABLE_VALUES; v++) {
            ranked->served[v][x] =
                ranked->table.region[x] == CHECK_CRITICAL && dice_below(dice, few) == 0;
            for (unsigned y = 0; y < TABLE_LOCALS; y++)
                ranked->lower[v][x][y] = mood == 0   ? dice_below(dice, 2) == 0
                                         : mood == 1 ? x < y
                                                     : dice_below(dice, few) == 0;
        }
    }
    for (unsigned v = 0; v < TABLE_VALUES; v++) {
        for (unsigned set = 0; set < 1U << TABLE_PROCESSES; set++)
            ranked->clash[v][set] = (set & (set - 1)) != 0 && dice_below(dice, few) == 0;
    }
    ranked->by_number = mood == 1;
    check->ranks = ranked_ranks;
    check->clash = ranked_clash;
    check->first_come = dice_below(dice, 3) == 0;
    check->ranks_things = dice_below(dice, 3) == 0;
}

static void random_ranks(void **unused)
{
    (void)unused;
    static struct ranked ranked;
    static struct brute brute;
    struct dice dice = {31};
    struct score score = {0};
    unsigned systems = 0;
    complaints = 0;
    while (systems < scaled(500)) {
        struct random_wish wish = {.n = 2 + dice_below(&dice, 2),
                                   .choices = dice_below(&dice, 2) == 0,
                                   .deaths = dice_below(&dice, 3) == 0,
                                   .quits = dice_below(&dice, 2) == 0,
                                   .doorway = true,
                                   .exits = dice_below(&dice, 2) == 0};
        random_table(&ranked.table, &dice, wish);
        rank_at_random(&ranked, &dice);
        if (!brute_explore(&brute, &ranked.table))
            continue;
        systems++;
        compare_one(&ranked, &brute, &score);
    }
    for (unsigned q = 0; q < ASKED; q++) {
        print_message("%s: %u hold, %u fail\n", check_property_name(asked[q]), score.holding[q],
                      score.failing[q]);
        assert_true(score.holding[q] >= systems / 50);
        assert_true(score.failing[q] >= systems / 50);
    }
    assert_int_equal(complaints, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_ranks)};
    return cmocka_run_group_tests(tests, no_huge_pages, NULL);
}
