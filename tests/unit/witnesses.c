#include "witnesses.h"

#include "visited.h"

unsigned complaints, replayed;

bool has_witness(enum check_property property)
{
    return property != CHECK_NO_MEMORY && property != CHECK_VALUES;
}

/* Depth of the first state with more than l critical, by a search of its own over describe. */
static size_t exclusion_depth(const struct check_model *model)
{
    struct visited visited;
    uint64_t next[CHECK_MAX_WORDS];
    size_t depth = 0, level_end = 1;
    visited_open(&visited, model->words);
    model->initial(model, next);
    visited_add(&visited, next);
    for (size_t at = 0; at < visited.count; at++) {
        if (at == level_end) {
            depth++;
            level_end = visited.count;
        }
        if (check_clash(model, visited.state[at], check_critical_set(model, visited.state[at])))
            break;
        for (unsigned e = 0; e < model->n * model->kinds; e++) {
            struct check_note note;
            if (model->describe(model, visited.state[at], e, next, &note))
                visited_add(&visited, next);
        }
    }
    visited_close(&visited);
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
