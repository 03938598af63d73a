#include "witnesses.h"

unsigned complaints, replayed;

bool has_witness(enum check_property property)
{
    return property != CHECK_NO_MEMORY && property != CHECK_VALUES;
}

/* Depth of the first state with more than l critical, by a search of its own over describe. */
static size_t exclusion_depth(const struct check_model *model)
{
    const unsigned words = model->words;
    struct check_budget budget = budget_of(256);
    struct check_set seen;
    size_t room = 1 << 18, count = 1, depth = 0, level_end = 1;
    uint64_t(*queue)[CHECK_MAX_WORDS] = calloc(room, sizeof *queue);
    assert_non_null(queue);
    assert_true(check_set_open(&seen, &budget, words, 2 * room));
    model->initial(model, queue[0]);
    check_set_add(&seen, queue[0], check_set_home(check_set_hash(queue[0], words), seen.capacity));
    for (size_t at = 0; at < count; at++) {
        if (at == level_end) {
            depth++;
            level_end = count;
        }
        if (check_clash(model, queue[at], check_critical_set(model, queue[at])))
            break;
        for (unsigned e = 0; e < model->n * model->kinds; e++) {
            struct check_note note;
            uint64_t next[CHECK_MAX_WORDS];
            if (!model->describe(model, queue[at], e, next, &note) ||
                !check_set_add(&seen, next,
                               check_set_home(check_set_hash(next, words), seen.capacity)))
                continue;
            assert_true(count < room);
            memcpy(queue[count++], next, sizeof next);
        }
    }
    check_set_close(&seen);
    free(queue);
    return depth;
}

void replay_one(const struct check_model *model, const struct check_result *result,
                const char *name, bool symmetry)
{
    char complaint[400];
    if (result->answer != CHECK_FAILS || !has_witness(result->query.property))
        return;
    if (strcmp(result->about, "it has an exit region") == 0)
        return; /* a property of the program, not of a schedule */
    replayed++;
    bool good = replay_witness(model, result, complaint, sizeof complaint);
    if (good && result->query.property == CHECK_EXCLUSION &&
        result->witness.length != exclusion_depth(model)) {
        snprintf(complaint, sizeof complaint, "%zu steps, but %zu are enough",
                 result->witness.length, exclusion_depth(model));
        good = false;
    }
    if (good)
        return;
    complaints++;
    print_error("%s, n = %u, l = %u, k = %u%s: %s: %s\n", name, model->n, model->l, model->k,
                symmetry ? "" : ", without symmetry", check_property_name(result->query.property),
                complaint);
}
