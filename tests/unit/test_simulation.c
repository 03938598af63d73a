/*
 * Systems without their supervisor, at sizes that cannot be explored: long random runs, in which
 * fewer than k processes sleep at a time, and in every state that they come to, the invariants of
 * the protocol. Among those is that each step from the state is one step or two of the system with
 * the supervisor ((S2) and (S3) of Lemma 4.2); that supervisor's steps never stop coming (S4) is
 * looked at here. Each broken variant has to be detected.
 */
#include "support.h"

#include "fields.h"

#include "protocol/checked.h"

#include <stdlib.h>

static struct step_model model;

static bool has_cell(const char *name)
{
    for (unsigned c = 0; c < model.check.cells; c++) {
        if (strcmp(model.check.cell[c].name, name) == 0)
            return true;
    }
    return false;
}

static uint64_t cell(const uint64_t *state, const char *name)
{
    for (unsigned c = 0; c < model.check.cells; c++) {
        if (strcmp(model.check.cell[c].name, name) == 0)
            return check_get(state, model.check.cell[c].field);
    }
    return 0;
}

static uint64_t status_of(const uint64_t *state, uint64_t slot)
{
    for (unsigned c = 0; c < model.check.cells; c++) {
        if (strcmp(model.check.cell[c].name, "status") == 0 &&
            (uint64_t)model.check.cell[c].index == slot)
            return check_get(state, model.check.cell[c].field);
    }
    return 0;
}

/* Whether p has quit and has the state of the stage before. */
static bool is_behind(const uint64_t *state, unsigned p)
{
    enum { PREVIOUS = 3 };
    const uint64_t slot = local_of(&model, state, p, "s");
    return slot != 0 && status_of(state, slot - 1) == PREVIOUS &&
           !local_of(&model, state, p, "prevhelper");
}

struct seen {
    unsigned long steps, distributed, supervisor, received, entries, longest;
    uint64_t violated;
    bool crowded, stuck, broken, disordered;
};

static bool asleep(const uint64_t *until, unsigned p, unsigned long now)
{
    return until[p] > now;
}

/* Now and then a process that tries falls asleep for a while, if fewer than k - 1 do already. */
static void doze(const uint64_t *state, unsigned n, uint64_t *until, unsigned long now,
                 struct dice *dice)
{
    unsigned sleepers = 0;
    for (unsigned p = 0; p < n; p++)
        sleepers += asleep(until, p, now);
    const unsigned p = dice_below(dice, n);
    if (sleepers + 1 < model.check.k && dice_below(dice, 300) == 0 &&
        check_trying(check_region_of(&model.check, state, p)))
        until[p] = now + 1 + dice_below(dice, 12000);
}

/* A run; it ends where something is wrong, invariants that are `ignored` apart. In an eager one
 * those that have quit mostly go first, so that they keep up. */
static void run(uint64_t seed, unsigned long steps, bool eager, uint64_t ignored, struct seen *seen)
{
    enum { PATIENCE = 3000 }; /* a sleep may last longer */
    const struct check_model *check = &model.check;
    const unsigned n = check->n > 0 ? check->n : 1;
    struct dice dice = {seed};
    uint64_t state[CHECK_MAX_WORDS], next[CHECK_MAX_WORDS], until[CHECK_MAX_PROCESSES] = {0};
    unsigned long since = 0, arrived[CHECK_MAX_PROCESSES] = {0};
    const bool eliminated = has_cell("loccur");
    check->initial(check, state);
    for (; seen->steps < steps; seen->steps++) {
        doze(state, n, until, seen->steps, &dice);
        unsigned p = dice_below(&dice, n), critical = 0;
        for (unsigned q = 0; eager && q < check->n; q++) {
            if (is_behind(state, q) && !asleep(until, q, seen->steps) &&
                cell(state, "stateholders") < check->k && dice_below(&dice, 30) > 0)
                p = q;
        }
        /* Mostly those that try go on, so that many try at a time. */
        const enum check_region region = check_region_of(check, state, p);
        if (asleep(until, p, seen->steps) ||
            (region == CHECK_CRITICAL && dice_below(&dice, 40) > 0))
            continue;
        struct check_note note;
        if (!check->describe(check, state, p, next, &note)) {
            seen->broken = true;
            return;
        }
        for (unsigned q = 0; q < check->n; q++)
            critical += check_region_of(check, next, q) == CHECK_CRITICAL;
        const bool enters =
            region != CHECK_CRITICAL && check_region_of(check, next, p) == CHECK_CRITICAL;
        seen->entries += enters;
        if (region == CHECK_REMAINDER)
            arrived[p] = seen->steps + 1;
        for (unsigned q = 0; q < check_workers(check) && enters; q++)
            seen->disordered |=
                check_trying(check_region_of(check, next, q)) && arrived[q] < arrived[p];
        const bool share = eliminated ? cell(state, "loccur") == 0 : p == check_workers(check);
        const bool fewer = cell(next, "stateholders") < cell(state, "stateholders");
        const bool more = cell(next, "stateholders") > cell(state, "stateholders");
        seen->distributed += !share;
        seen->received += !share && more && cell(state, "locprev") == 1;
        seen->supervisor += share || fewer;
        since = share || fewer || !eliminated ? 0 : since + 1;
        seen->longest = since > seen->longest ? since : seen->longest;
        seen->crowded |= critical > check->l;
        seen->stuck |= since > PATIENCE;
        seen->violated |= check->violated(check, next) & ~ignored;
        memcpy(state, next, sizeof state);
        if (seen->crowded || seen->stuck || seen->violated != 0)
            return;
    }
}

static void make(const char *name, unsigned n, unsigned l, unsigned k)
{
    make_model(&model, name, (struct step_params){.n = n, .l = l, .k = k});
}

/* In the order of arrival, one slot is given strictly. */
static bool in_order(const char *name)
{
    return model.check.l == 1 &&
           (strncmp(name, "flbb-fifo", 9) == 0 || strncmp(name, "flbb-line", 9) == 0);
}

static bool is_wrong(const struct seen *seen)
{
    return seen->crowded || seen->stuck || seen->broken || seen->violated != 0;
}

/* How long, by hand: BERTH_TEST_STEPS=100000000. */
static unsigned long wanted(unsigned long steps)
{
    const char *text = getenv("BERTH_TEST_STEPS");
    return text != NULL ? strtoul(text, NULL, 10) : steps;
}

struct size {
    const char *name;
    unsigned n, l, k;
    bool eager;
};

static void walk(const struct size *size, uint64_t seed, struct seen *seen)
{
    make(size->name, size->n, size->l, size->k);
    run(seed, wanted(SANITIZED ? 30000 : 150000), size->eager, 0, seen);
    print_message("%s n=%u l=%u k=%u: %lu steps, %lu of them distributed, %lu with one of the "
                  "supervisor's, at most %lu apart; %lu times the state was passed on; %lu "
                  "entries\n",
                  size->name, size->n, size->l, size->k, seen->steps, seen->distributed,
                  seen->supervisor, seen->longest, seen->received, seen->entries);
    if (is_wrong(seen))
        print_error("violated %llx, crowded %d, stuck %d, broken %d\n",
                    (unsigned long long)seen->violated, seen->crowded, seen->stuck, seen->broken);
    assert_false(is_wrong(seen));
    assert_false(seen->disordered && in_order(size->name));
    assert_true(seen->supervisor > (SANITIZED ? 200 : 1000));
    assert_true(seen->entries > (SANITIZED ? 4 : 20));
}

static void it_is_simulatable(void **unused)
{
    static const struct size sizes[] = {{"flbb-buckets", 8, 2, 3},    {"flbb-line", 5, 1, 2},
                                        {"flbb-line/short", 6, 1, 2}, {"flbb-line", 6, 2, 2},
                                        {"flbb-line/short", 7, 1, 3}, {"flbb-line", 8, 2, 4}};
    (void)unused;
    for (unsigned s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        struct seen seen = {0};
        walk(&sizes[s], 50 + s, &seen);
    }
}

static void it_simulates(void **unused)
{
    static const struct size sizes[] = {
        {"flbb-robust", 4, 1, 2},       {"flbb-robust", 5, 1, 2},      {"flbb-robust", 6, 2, 2},
        {"flbb-robust", 7, 1, 3},       {"flbb-fifo", 5, 1, 2},        {"flbb-fifo/short", 5, 1, 2},
        {"flbb-robust", 9, 3, 2, true}, {"flbb-robust", 7, 1, 3, true}};
    (void)unused;
    for (unsigned s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        struct seen seen = {0};
        walk(&sizes[s], 100 + s, &seen);
        assert_true(seen.distributed > seen.steps / 20);
        assert_true(seen.received > 100);
    }
}

static void broken_ones_are_found_out(void **unused)
{
    static const struct size systems[] = {
        {"flbb-robust/late", 4, 1, 2, false},      {"flbb-robust/unready", 4, 1, 2, false},
        {"flbb-robust/unemptied", 4, 1, 2, false}, {"flbb-robust/uncounted", 4, 1, 2, false},
        {"flbb-robust/at-once", 5, 1, 2, false},   {"flbb-robust/all-count", 5, 1, 2, false},
        {"flbb-robust/never", 9, 3, 2, true},      {"flbb-line/color-alone", 5, 1, 3, false},
        {"flbb-line/one-bit", 5, 1, 4, false},
    };
    (void)unused;
    for (unsigned i = 0; i < sizeof systems / sizeof systems[0]; i++) {
        struct seen seen = {0};
        make(systems[i].name, systems[i].n, systems[i].l, systems[i].k);
        /* That free slots are alike is about how states are told apart, and how many have the state
         * is what some of them count otherwise: no faults by themselves. */
        uint64_t ignored = 0;
        for (unsigned v = 0; v < model.check.invariants; v++) {
            const char *name = model.check.invariant_name[v];
            ignored |= (uint64_t)(strcmp(name, "free") == 0 || strcmp(name, "stateholders") == 0)
                       << v;
        }
        run(200, wanted(SANITIZED ? 100000 : 600000), systems[i].eager, ignored, &seen);
        print_message(
            "%s, n = %u: after %lu steps; violated %llx, crowded %d, stuck %d, broken %d\n",
            systems[i].name, systems[i].n, seen.steps, (unsigned long long)seen.violated,
            seen.crowded, seen.stuck, seen.broken);
        assert_true(is_wrong(&seen));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_simulatable),
        cmocka_unit_test(it_simulates),
        cmocka_unit_test(broken_ones_are_found_out),
    };
    return cmocka_run_group_tests(tests, no_huge_pages, NULL);
}
