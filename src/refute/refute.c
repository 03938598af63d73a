#include "refute/adversary.h"

#include <stdlib.h>
#include <string.h>

#define BURNS "Burns, Jackson, Lynch, Fischer, Peterson 1982"
#define FLBB "Fischer, Lynch, Burns, Borodin 1979"

static uint64_t choose_2(uint64_t m)
{
    return m < 2 ? 0 : m * (m - 1) / 2;
}

static uint64_t bound_4_4(unsigned n, unsigned l)
{
    return l == 1 && n >= 2 ? 2 : 0;
}

static uint64_t bound_4_5(unsigned n, unsigned l)
{
    return l == 1 ? n : 0;
}

static uint64_t bound_4_9(unsigned n, unsigned l)
{
    return l == 1 && n >= 2 ? n + 1 : 0;
}

/* The largest k with (k^2 - k) / 2 - 1 <= n, which is what sqrt(2n) + 1/2 comes to. */
static uint64_t bound_4_10(unsigned n, unsigned l)
{
    uint64_t k = 3;
    while ((k * k + k) / 2 - 1 <= n)
        k++;
    return l == 1 && n >= 2 ? k : 0;
}

static uint64_t bound_4_12(unsigned n, unsigned l)
{
    return l == 1 ? (n + 1) / 2 : 0;
}

static uint64_t bound_5_1(unsigned n, unsigned l)
{
    return l < n ? (uint64_t)l * (n - l) : 0;
}

static uint64_t bound_5_2(unsigned n, unsigned l)
{
    return n >= l + 2 ? l * choose_2(n - l - 1) : 0;
}

static const struct refute_about theorems[REFUTE_THEOREMS] = {
    {"4.4", BURNS, "2 values", {CHECK_EXCLUSION, CHECK_DEADLOCK_FREE}, 2, bound_4_4},
    {"4.5",
     BURNS,
     "N values",
     {CHECK_EXCLUSION, CHECK_DEADLOCK_FREE, CHECK_BOUNDED_WAITING},
     3,
     bound_4_5},
    {"4.9",
     BURNS,
     "N + 1 values",
     {CHECK_EXCLUSION, CHECK_DEADLOCK_FREE, CHECK_BOUNDED_WAITING},
     3,
     bound_4_9},
    {"4.10",
     BURNS,
     "k values for N >= (k^2 - k)/2 - 1",
     {CHECK_EXCLUSION, CHECK_LOCKOUT_FREE},
     2,
     bound_4_10},
    {"4.12",
     BURNS,
     "N/2 values while P0 is critical",
     {CHECK_EXCLUSION, CHECK_LOCKOUT_FREE, CHECK_NO_MEMORY},
     3,
     bound_4_12},
    {"5.1",
     FLBB,
     "l(N - l) values",
     {CHECK_EXCLUSION, CHECK_KL_DEADLOCK_FREE, CHECK_BOUNDED_WAITING},
     3,
     bound_5_1},
    {"5.2", FLBB, "l(N - l - 1)(N - l - 2)/2 values", {CHECK_QUEUELIKE}, 1, bound_5_2},
    {"5.3",
     FLBB,
     "l(N - l) values",
     {CHECK_EXCLUSION, CHECK_KL_DEADLOCK_FREE, CHECK_BOUNDED_WAITING_ENABLING},
     3,
     bound_5_1},
};

const struct refute_about *refute_about(enum refute_theorem theorem)
{
    return &theorems[theorem];
}

bool refute_find(const char *name, enum refute_theorem *theorem)
{
    for (unsigned t = 0; t < REFUTE_THEOREMS; t++) {
        if (strcmp(theorems[t].name, name) == 0) {
            *theorem = (enum refute_theorem)t;
            return true;
        }
    }
    return false;
}

const char *refute_refuses(const struct check_model *model)
{
    uint64_t state[CHECK_MAX_WORDS];
    if (model->cells == 0 || (!model->one_variable && model->cells != 1) ||
        model->cell[0].owner >= 0)
        return "the papers' processes share one variable, and these have several";
    if (model->has_choice)
        return "the papers' processes are deterministic, and these make choices";
    if (model->has_fault)
        return "the papers' processes do not die";
    if (!model->local_moves && !model->one_variable)
        return "what a process does here depends on more than the variable and its own state";
    model->initial(model, state);
    for (unsigned p = 0; p < model->n; p++) {
        if (check_region_of(model, state, p) != CHECK_REMAINDER)
            return "not all processes begin in their remainder region";
    }
    return NULL;
}

void refute_run(struct refute_outcome *outcome, enum refute_theorem theorem,
                const struct check_model *model, const struct refute_limits *limits)
{
    static void (*const proofs[REFUTE_THEOREMS])(struct adversary * adversary) = {
        adversary_4_4,  adversary_4_5, adversary_4_9, adversary_4_10,
        adversary_4_12, adversary_5_1, adversary_5_2, adversary_5_3};
    *outcome = (struct refute_outcome){.theorem = theorem, .end = REFUTE_STOPPED, .why = ""};
    outcome->bound = theorems[theorem].bound(model->n, model->l);
    /* What fails where nobody makes progress: the form of C2 that the theorem asks for, or C3. */
    const bool lockout = theorem == REFUTE_4_10 || theorem == REFUTE_4_12;
    const bool kl = theorem == REFUTE_5_1 || theorem == REFUTE_5_3;
    struct adversary adversary = {
        .model = model,
        .outcome = outcome,
        .most = limits->states,
        .deadlock = lockout ? CHECK_LOCKOUT_FREE
                    : kl    ? CHECK_KL_DEADLOCK_FREE
                            : CHECK_DEADLOCK_FREE,
        .k = theorem == REFUTE_5_3 ? model->l : 1, /* the least that the theorem is about */
    };
    if (outcome->bound == 0) {
        outcome->end = REFUTE_NOT_ABOUT;
        say(&adversary, "it says nothing about n = %u, l = %u", model->n, model->l);
        return;
    }
    struct states values;
    states_open(&values, model->cells, limits->states);
    adversary.values = model->cells > 1 ? &values : NULL;
    proofs[theorem](&adversary);
    states_close(&values);
    if (outcome->end == REFUTE_BROKEN)
        outcome->replayed = check_replay(model, outcome->result.query.property, outcome->k,
                                         &outcome->result.witness, limits->check, &outcome->why);
}

void refute_outcome_free(struct refute_outcome *outcome)
{
    check_witness_free(&outcome->result.witness);
    free(outcome->point);
    outcome->point = NULL;
    outcome->points = outcome->room = 0;
}
