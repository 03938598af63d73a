#include "fields.h"

#include "support.h"

void make_model(struct step_model *model, const char *name, struct step_params sizes)
{
    struct protocol_choice choice;
    assert_true(protocol_find(name, &choice));
    struct step_params params = protocol_defaults(&choice);
    params.n = sizes.n != 0 ? sizes.n : params.n;
    params.l = sizes.l != 0 ? sizes.l : params.l;
    params.k = sizes.k != 0 ? sizes.k : params.k;
    params.kills = sizes.kills != 0 ? sizes.kills : params.kills;
    params.limit = sizes.limit != 0 ? sizes.limit : params.limit;
    assert_null(choice.model->make(model, &params));
}

uint64_t local_of(const struct step_model *model, const uint64_t *state, unsigned p,
                  const char *name)
{
    uint64_t words[CHECK_MAX_WORDS];
    model->check.local_state(&model->check, state, p, words);
    for (unsigned f = 0; f < model->locals; f++) {
        const struct check_field field = model->local[f];
        if (strcmp(model->local_name[f], name) == 0)
            return words[field.word] >> field.shift & field.mask;
    }
    fail_msg("no local variable %s", name);
    return 0;
}
