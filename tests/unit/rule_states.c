#include "rule_states.h"

const char *full_name(const struct protocol_choice *choice)
{
    static char name[128];
    protocol_full_name(choice, name, sizeof name);
    return name;
}

int64_t local_value(const struct step_model *model, const uint64_t *local, const char *name)
{
    for (unsigned f = 0; f < model->locals; f++) {
        if (strcmp(model->local_name[f], name) == 0)
            return (int64_t)(local[model->local[f].word] >> model->local[f].shift &
                             model->local[f].mask);
    }
    fail_msg("no local variable %s", name);
    return 0;
}

struct states states_begin(unsigned words, size_t most)
{
    struct states states = {.most = most, .slots = 2 * most + 1};
    states.word = malloc(most * words * sizeof *states.word);
    states.slot = calloc(states.slots, sizeof *states.slot);
    assert_non_null(states.word);
    assert_non_null(states.slot);
    return states;
}

void states_end(struct states *states)
{
    free(states->word);
    free(states->slot);
}

void states_add(struct states *states, unsigned words, const uint64_t *state)
{
    uint64_t h = 0;
    for (unsigned w = 0; w < words; w++)
        h = (h ^ state[w]) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
    size_t at = h % states->slots;
    for (; states->slot[at] != 0; at = (at + 1) % states->slots) {
        if (memcmp(states->word + (states->slot[at] - 1) * words, state, words * sizeof *state) ==
            0)
            return;
    }
    assert_true(states->count < states->most);
    memcpy(states->word + states->count * words, state, words * sizeof *state);
    states->slot[at] = ++states->count;
}
