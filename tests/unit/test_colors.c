/*
 * The colours of Lemma 4.5 (docs/FLBB-FIFO.md), at a size that cannot be explored. In every
 * conversation two processes sleep, the first and the last of those that are talked to, and wake up
 * afterwards. So both keep their colour, the first goes through while the last stays behind with
 * it. If the map were kept as long as somebody has the colour, each conversation would leave one
 * more colour behind, and no number of them would be enough.
 */
#include "support.h"

#include "fields.h"

#include "protocol/checked.h"

enum { N = 15, NOBODY = N + 1 };

static struct step_model model;

static uint64_t cell(const uint64_t *state, const char *name, unsigned index)
{
    for (unsigned c = 0; c < model.check.cells; c++) {
        if (strcmp(model.check.cell[c].name, name) == 0 && index-- == 0)
            return check_get(state, model.check.cell[c].field);
    }
    fail_msg("no variable %s", name);
    return 0;
}

static uint64_t supervisors(const uint64_t *state, const char *name, unsigned index)
{
    for (unsigned f = 0; f < model.privates; f++) {
        if (strcmp(model.private_name[f], name) == 0 && index-- == 0)
            return check_get(state, model.private[f]);
    }
    fail_msg("the supervisor has no variable %s", name);
    return 0;
}

/* The process that has the ticket at this place of the hidden part. */
static unsigned who(const uint64_t *state, unsigned place)
{
    for (unsigned p = 0; p < N; p++) {
        if (check_trying(check_region_of(&model.check, state, p)) &&
            local_of(&model, state, p, "c") == supervisors(state, "color", place) &&
            local_of(&model, state, p, "r") == supervisors(state, "number", place))
            return p;
    }
    fail_msg("nobody has the ticket at place %u", place);
    return NOBODY;
}

static void choose_sleepers(const uint64_t *state, unsigned sleeper[2])
{
    unsigned asked = 0;
    for (unsigned i = 0; i < supervisors(state, "hidden", 0); i++) {
        const uint64_t color = supervisors(state, "color", i);
        if (cell(state, "map", (unsigned)color) != 0 || color == cell(state, "issue", 0))
            continue;
        if (asked++ == 0)
            sleeper[0] = who(state, i);
        sleeper[1] = who(state, i);
    }
}

struct seen {
    unsigned conversations, served;
    bool disordered, ran_out;
};

static bool step(uint64_t *state, unsigned p)
{
    uint64_t next[CHECK_MAX_WORDS];
    struct check_note note;
    if (!model.check.describe(&model.check, state, p, next, &note))
        return false;
    memcpy(state, next, sizeof next);
    return true;
}

/* All arrive, and each goes through once. */
static struct seen serve(const char *name)
{
    struct seen seen = {0};
    uint64_t state[CHECK_MAX_WORDS];
    unsigned sleeper[2] = {NOBODY, NOBODY};
    bool talked = false;
    make_model(&model, name, (struct step_params){.n = N, .l = 1, .k = 3});
    model.check.initial(&model.check, state);
    for (unsigned p = 0; p < N; p++)
        assert_true(step(state, p));
    for (unsigned round = 0; round < 20000 && seen.served < N; round++) {
        if (!step(state, N)) {
            seen.ran_out = true;
            break;
        }
        const bool talk = cell(state, "talk", 0) != 0;
        if (talk && !talked) {
            seen.conversations++;
            choose_sleepers(state, sleeper);
        } else if (!talk) {
            sleeper[0] = sleeper[1] = NOBODY;
        }
        talked = talk;
        for (unsigned p = 0; p < N; p++) {
            const enum check_region before = check_region_of(&model.check, state, p);
            if (p == sleeper[0] || p == sleeper[1] || before == CHECK_REMAINDER)
                continue;
            assert_true(step(state, p));
            if (before == CHECK_CRITICAL)
                seen.disordered |= p != seen.served++;
        }
    }
    print_message("%s: %u conversations, %u of %u served%s\n", name, seen.conversations,
                  seen.served, N, seen.ran_out ? ", then there was no colour left" : "");
    return seen;
}

static void there_are_enough(void **unused)
{
    (void)unused;
    const struct seen seen = serve("flbb-line/short");
    assert_int_equal(seen.served, N);
    assert_false(seen.disordered);
    assert_true(seen.conversations > 5);
}

static void there_are_not_if_maps_are_kept(void **unused)
{
    (void)unused;
    const struct seen seen = serve("flbb-line/kept");
    assert_true(seen.ran_out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_are_enough),
        cmocka_unit_test(there_are_not_if_maps_are_kept),
    };
    return cmocka_run_group_tests(tests, no_huge_pages, NULL);
}
