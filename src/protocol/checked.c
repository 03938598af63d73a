#include "protocol/checked.h"

#include "check/traits.h"
#include "protocol/own.h"
#include "step/memory.h"

#include <stdio.h>
#include <string.h>

/* The variant of `protocol` that the rest of a name, "" or "/printed", stands for. */
static bool find_variant(const struct protocol_model *model, const struct protocol_native *native,
                         const char *rest, struct protocol_choice *choice)
{
    const struct protocol *protocol = model->protocol;
    const char *variant = rest[0] == '/' ? rest + 1 : rest;
    if (rest[0] == '/' && *variant == '\0')
        return false;
    for (unsigned v = 0; v < protocol->variant_count; v++) {
        if (strcmp(protocol->variants[v].name, variant) == 0) {
            *choice = (struct protocol_choice){model, native, protocol, v};
            return true;
        }
    }
    return false;
}

static bool starts_with(const char *name, const char *start)
{
    const size_t length = strlen(start);
    return strncmp(name, start, length) == 0 && (name[length] == '\0' || name[length] == '/');
}

bool protocol_find(const char *name, struct protocol_choice *choice)
{
    if (protocol_own.path != NULL && starts_with(name, protocol_own.path))
        return find_variant(protocol_own.model, protocol_own.native,
                            name + strlen(protocol_own.path), choice);
    for (size_t i = 0; i < protocol_count; i++) {
        const char *of = protocol_models[i]->protocol->name;
        if (starts_with(name, of) &&
            find_variant(protocol_models[i], protocol_natives[i], name + strlen(of), choice))
            return true;
    }
    return false;
}

const struct protocol *protocol_namesake(const struct protocol_choice *choice)
{
    const bool loaded = protocol_own.path != NULL && choice->model == protocol_own.model;
    for (size_t i = 0; i < protocol_count && !loaded; i++) {
        const struct protocol *other = protocol_models[i]->protocol;
        if (other != choice->protocol && strcmp(other->name, choice->protocol->name) == 0)
            return other;
    }
    return NULL;
}

void protocol_full_name(const struct protocol_choice *choice, char *text, size_t size)
{
    const char *variant = choice->protocol->variants[choice->variant].name;
    snprintf(text, size, "%s%s%s", choice->protocol->name, *variant != '\0' ? "/" : "", variant);
}

struct step_params protocol_defaults(const struct protocol_choice *choice)
{
    const struct protocol *protocol = choice->protocol;
    return (struct step_params){.n = protocol->default_n,
                                .l = protocol->min_l > 1 ? protocol->min_l : 1,
                                .k = protocol->fault == STEP_FAULT_SLEEP ? 2 : 1,
                                .variant = choice->variant,
                                .limit = protocol->default_limit,
                                .kills = protocol->fault == STEP_FAULT_KILL ? 2 : 1,
                                .fault = protocol->fault,
                                .ranker = protocol->ranker,
                                .graph = protocol->graph};
}

const char *protocol_refuse(const struct protocol_choice *choice,
                            const struct step_params *params, char *buffer, size_t size)
{
    const struct protocol *protocol = choice->protocol;
    if (params->n < protocol->min_n || params->n > protocol->max_n) {
        if (protocol->min_n == protocol->max_n)
            snprintf(buffer, size, "%s is for n = %u", protocol->name, protocol->min_n);
        else
            snprintf(buffer, size, "%s is for n from %u to %u, not %u", protocol->name,
                     protocol->min_n, protocol->max_n, params->n);
        return buffer;
    }
    const unsigned min_l = protocol->min_l > 1 ? protocol->min_l : 1;
    if (!protocol->is_object && (params->l < min_l || params->l > protocol->max_l)) {
        if (protocol->max_l == 1)
            snprintf(buffer, size, "%s is for mutual exclusion: l = 1, not %u", protocol->name,
                     params->l);
        else
            snprintf(buffer, size, "%s is for l from %u to %u, not %u", protocol->name, min_l,
                     protocol->max_l, params->l);
        return buffer;
    }
    if (protocol->needs_l_below_n && params->l >= params->n) {
        snprintf(buffer, size, "%s needs l < n: l = %u and n = %u do not do", protocol->name,
                 params->l, params->n);
        return buffer;
    }
    if (params->k < 1 || params->k > params->n) {
        snprintf(buffer, size, "k must be from 1 to n = %u, not %u", params->n, params->k);
        return buffer;
    }
    if (protocol->max_k > 0 && params->k > protocol->max_k) {
        snprintf(buffer, size, "%s is for k up to %u, not %u", protocol->name, protocol->max_k,
                 params->k);
        return buffer;
    }
    for (unsigned o = 0; o < STEP_MAX_OPTIONS; o++) {
        if (params->option[o] > 0 && params->option[o] >= protocol_values(&protocol->options[o])) {
            snprintf(buffer, size, "option %u of %s has no value %u", o, protocol->name,
                     params->option[o]);
            return buffer;
        }
    }
    if (params->fault == STEP_FAULT_DEATH && !choice->model->can_die) {
        snprintf(buffer, size, "%s says nothing about death: try --fault none or sleep",
                 protocol->name);
        return buffer;
    }
    if (params->fault == STEP_FAULT_KILL && protocol->fault != STEP_FAULT_KILL) {
        snprintf(buffer, size, "%s cannot recover from kills: try --fault none or sleep",
                 protocol->name);
        return buffer;
    }
    return NULL;
}

const char *protocol_verdict_name(enum protocol_verdict verdict)
{
    static const char *const names[] = {"as-claimed", "refuted", "incomplete"};
    return names[verdict];
}

const char *protocol_basis(const struct protocol_claim *claim, char text[PROTOCOL_BASIS])
{
    if (claim->source == NULL || claim->why == NULL)
        return claim->source != NULL ? claim->source : claim->why;
    snprintf(text, PROTOCOL_BASIS, "%s: %s", claim->source, claim->why);
    return text;
}

static bool beyond_k(const struct protocol_claim *claim, const struct step_params *params)
{
    return claim->up_to_k != 0 && params->k > claim->up_to_k;
}

enum protocol_stance protocol_stance(const struct protocol_claim *claim,
                                     const struct step_params *params)
{
    return beyond_k(claim, params) ? NOT_CLAIMED : claim->stance;
}

enum check_answer protocol_expects(const struct protocol_claim *claim,
                                   const struct step_params *params)
{
    const unsigned n = params->n;
    const bool reached = claim->fails_from_n != 0 && n >= claim->fails_from_n &&
                         (claim->until == 0 || n <= claim->until) && params->l >= claim->from_l &&
                         (claim->beyond_l == 0 || n >= params->l + claim->beyond_l) &&
                         params->k >= claim->from_k;
    if (beyond_k(claim, params))
        return claim->fails_from_k != 0 && params->k >= claim->fails_from_k ? CHECK_FAILS
                                                                            : CHECK_UNDECIDED;
    if (claim->stance == CLAIMED)
        return reached ? CHECK_FAILS : CHECK_HOLDS;
    return reached || claim->fails_from_n == 0 ? CHECK_FAILS : CHECK_UNDECIDED;
}

/* Whether a limit cut off the runs that the claim is about, which is made of all runs or none. */
static bool is_cut_off(const struct protocol_line *line)
{
    return line->result.answer == CHECK_UNDECIDED && line->result.cut && line->claim != NULL &&
           line->claim->uncut;
}

static enum protocol_verdict judge(const struct protocol_line *line,
                                   const struct step_params *params)
{
    const struct protocol_claim *claim = line->claim;
    const enum check_answer answer = line->result.answer;
    if (answer == CHECK_UNDECIDED)
        return line->stance == NOT_CLAIMED && is_cut_off(line) ? PROTOCOL_AS_CLAIMED
                                                               : PROTOCOL_INCOMPLETE;
    if (claim == NULL)
        return PROTOCOL_AS_CLAIMED;
    /* A claim that the file says is refuted from here on, and is not: the file is wrong. */
    if (line->stance == CLAIMED)
        return answer == CHECK_HOLDS && protocol_expects(claim, params) != CHECK_FAILS
                   ? PROTOCOL_AS_CLAIMED
                   : PROTOCOL_REFUTED;
    if (answer == CHECK_HOLDS && protocol_expects(claim, params) == CHECK_FAILS)
        return PROTOCOL_REFUTED;
    return PROTOCOL_AS_CLAIMED;
}

static const struct protocol_claim *claim_of(const struct protocol_variant *variant,
                                             enum check_property property)
{
    for (size_t c = 0; c < variant->claim_count; c++) {
        if (variant->claims[c].property == property)
            return &variant->claims[c];
    }
    return NULL;
}

/* What a file states itself it claims, whether it says so or not. */
static const struct protocol_claim *implied_claim(const struct protocol_choice *choice,
                                                  const struct check_model *check,
                                                  enum check_property property)
{
    static const struct protocol_claim own = {CHECK_OWN, CLAIMED, "stated in the file"};
    static const struct protocol_claim invariants = {CHECK_INVARIANTS, CLAIMED,
                                                     "stated in the file"};
    const bool loaded = protocol_own.path != NULL && choice->model == protocol_own.model;
    if (property == CHECK_OWN && check->own != NULL)
        return &own;
    if (property == CHECK_INVARIANTS && loaded && check->violated != NULL)
        return &invariants;
    return NULL;
}

/* Properties that apply to this model, other than those it makes claims about. */
static bool applies(const struct check_model *check, enum check_property property,
                    const struct protocol_model *model)
{
    return property != CHECK_WINDOW && property != CHECK_OWN && property != CHECK_INVARIANTS &&
           check_applies(check, property) &&
           (property != CHECK_WAIT_FREE_DOORWAY || model->has_doorway);
}

/* The properties that are asked for, if not all. */
static uint64_t wanted_of(const struct protocol_choice *choice, const struct check_model *check,
                          uint64_t only)
{
    const struct protocol_variant *variant = &choice->protocol->variants[choice->variant];
    uint64_t wanted = only;
    for (unsigned p = 0; only == 0 && p < CHECK_PROPERTIES; p++) {
        const bool claimed = claim_of(variant, (enum check_property)p) != NULL ||
                             implied_claim(choice, check, (enum check_property)p) != NULL;
        wanted |= (uint64_t)claimed << p;
    }
    return wanted;
}

/* Whether a variant is broken on purpose. */
static bool is_broken(const struct protocol_choice *choice)
{
    const unsigned broken_from = choice->protocol->broken_from;
    return broken_from != 0 && choice->variant >= broken_from;
}

/* Whether the initial state tells no processes apart: else an exchange leads out of what can be
 * reached. */
static bool begins_alike(const struct check_model *check)
{
    uint64_t state[CHECK_MAX_WORDS];
    check->initial(check, state);
    return check->orbit == NULL || check->orbit(check, state) == 1;
}

/* Whether what is asked of states may tell processes apart, which nobody has looked at in a file
 * that is loaded: CLASH, INVARIANTS, RANKS, HOLDS and SLOTS may name them. */
static bool may_name(const struct protocol_choice *choice, const struct check_model *check,
                     uint64_t wanted)
{
    const bool loaded = protocol_own.path != NULL && choice->model == protocol_own.model;
    const uint64_t of_sections = UINT64_C(1) << CHECK_INVARIANTS | UINT64_C(1) << CHECK_WINDOW |
                                 UINT64_C(1) << CHECK_OWN | UINT64_C(1) << CHECK_DISTINCT_SLOTS;
    return loaded && (check->clash != NULL || check->ranks != NULL || check->ahead != NULL ||
                      check->slots != NULL || (wanted & of_sections) != 0);
}

/* Exchanges processes from state to state, where the protocol knows how and all that is asked can
 * be decided like that. What is decided of states alone has no names for a witness: if it fails,
 * all is decided once more without. */
static void exchange_processes(struct protocol_checked *checked, uint64_t wanted)
{
    const struct protocol_choice *choice = &checked->choice;
    struct check_model *check = &checked->model.check;
    if (!choice->protocol->symmetric ||
        choice->protocol->variants[choice->variant].tells_apart || checked->model.memory != NULL ||
        may_name(choice, check, wanted))
        return;
    /* In a variant that is broken on purpose NORMAL may make a difference. */
    check->expand_exchanging = is_broken(choice) ? NULL : checked->model.expand_exchanging;
    check->named = is_broken(choice) ? NULL : &checked->named.check;
    checked->exchanged = true;
    for (unsigned p = 0; p < CHECK_PROPERTIES; p++)
        checked->exchanged &= (wanted >> p & 1) == 0 || check_decided_folded(check, p);
    checked->model.params.symmetric = checked->exchanged;
    checked->exchanged = checked->exchanged && begins_alike(check);
    checked->model.params.symmetric = checked->exchanged;
    if (checked->exchanged) {
        check->anonymous = false; /* NORMAL exchanges all of them */
    } else {
        check->expand_exchanging = NULL;
        check->named = NULL;
    }
}

/* Whether what was found has to be found again without exchanges: it has a witness that does not
 * name processes. */
static bool wants_names(const struct protocol_checked *checked, const struct check_result *results)
{
    if (!checked->exchanged || checked->report.abandoned || checked->report.unlike)
        return false;
    for (size_t i = 0; i < checked->lines; i++) {
        if (results[i].answer == CHECK_FAILS &&
            check_same_folded(&checked->model.check, results[i].query.property))
            return true;
    }
    return checked->report.end == CHECK_OUT_OF_RANGE;
}

/* The properties whose failure in one state settles the verdict. */
static uint64_t settling(const struct protocol_checked *checked, const struct check_query *queries,
                         uint64_t only)
{
    uint64_t set = 0;
    for (size_t q = 0; q < checked->lines; q++) {
        const struct protocol_line *line = &checked->line[q];
        const enum check_property property = queries[q].property;
        const bool counts = line->claim == NULL ? only != 0 : line->stance == CLAIMED;
        if (counts && check_is_of_states(property))
            set |= UINT64_C(1) << property;
    }
    return set;
}

static bool all_options_are_first(const struct step_params *params)
{
    for (unsigned o = 0; o < STEP_MAX_OPTIONS; o++) {
        if (params->option[o] != 0)
            return false;
    }
    return true;
}

/* What has been found stays found, though not with a witness, if there was no memory or time to
 * find it again. */
static void keep_answers(struct check_result *results, const struct check_result *found,
                         size_t lines)
{
    for (size_t i = 0; i < lines; i++) {
        if (results[i].answer == CHECK_UNDECIDED && found[i].answer != CHECK_UNDECIDED)
            results[i] = found[i];
    }
}

/* `found`: NULL, and then processes may be exchanged, if nothing else is against it; or what has
 * been found with exchanges. */
static const char *check_made(struct protocol_checked *checked,
                              const struct protocol_choice *choice,
                              const struct step_params *params, const struct check_limits *limits,
                              uint64_t only, bool all, const struct check_result *found)
{
    const struct protocol_variant *variant = &choice->protocol->variants[choice->variant];
    const uint64_t asked = wanted_of(choice, &checked->model.check, only);
    checked->choice = *choice;
    if (found == NULL && limits->symmetry && !all)
        exchange_processes(checked, asked);
    if (!limits->symmetry) /* then all are asked, and each has its own table */
        checked->model.check.anonymous = false;
    /* What is settled may not be there. */
    checked->model.params.abridged = limits->symmetry && choice->protocol->abridges &&
                                     checked->model.memory == NULL &&
                                     all_options_are_first(params) && !is_broken(choice);
    checked->model.params.terse = checked->model.params.abridged && choice->protocol->is_terse &&
                                  choice->variant == 0 && !all &&
                                  asked == UINT64_C(1) << CHECK_EXCLUSION;
    if (choice->protocol->values != NULL)
        checked->values_claimed = choice->protocol->values(params);

    struct check_query queries[PROTOCOL_MAX_LINES];
    struct check_result results[PROTOCOL_MAX_LINES];
    for (unsigned p = 0; p < CHECK_PROPERTIES; p++) {
        const struct protocol_claim *claim = claim_of(variant, (enum check_property)p);
        if (claim == NULL)
            claim = implied_claim(choice, &checked->model.check, (enum check_property)p);
        bool wanted = only != 0 ? only >> p & 1
                                : claim != NULL ||
                                      (all && applies(&checked->model.check, (enum check_property)p,
                                                      choice->model));
        /* A process that may not leave its remainder any more does not fill a slot. */
        if (!wanted || (only == 0 && params->passages > 0 &&
                        !check_is_of_states((enum check_property)p)))
            continue;
        queries[checked->lines] = (struct check_query){.property = (enum check_property)p};
        const bool incomparable = p == CHECK_VALUES && claim != NULL && claim->bound == 0 &&
                                  checked->values_claimed == 0; /* it has more than 64 bits */
        if (claim != NULL && claim->has_bound && !incomparable) {
            queries[checked->lines].has_bound = true;
            queries[checked->lines].bound =
                p == CHECK_VALUES && claim->bound == 0 ? checked->values_claimed
                                                       : claim->bound + claim->bound_n * params->n;
        }
        struct protocol_line *line = &checked->line[checked->lines++];
        line->claim = claim;
        if (claim != NULL)
            line->stance = protocol_stance(claim, params);
    }
    checked->named = checked->model;
    checked->named.params.symmetric = false;
    checked->named.check.expand_exchanging = NULL;
    struct check_limits limited = *limits;
    limited.stop_at = limits->early ? settling(checked, queries, only) : 0;
    if (!check_run(&checked->model.check, &limited, queries, checked->lines, results,
                   &checked->report))
        return "there is no memory to begin with";

    if (wants_names(checked, results)) {
        for (size_t r = 0; r < checked->lines; r++)
            check_witness_free(&results[r].witness);
        check_witness_free(&checked->report.slip.witness);
        memset(checked, 0, sizeof *checked);
        const char *error = choice->model->make(&checked->model, params);
        return error != NULL ? error
                             : check_made(checked, choice, params, limits, only, all, results);
    }
    if (found != NULL)
        keep_answers(results, found, checked->lines);
    /* Witnesses are of the model that exchanges nothing. */
    if (!checked->report.abandoned) {
        checked->model.params.symmetric = false;
        checked->model.check.expand_exchanging = NULL;
        checked->model.check.named = NULL;
    }
    bool incomplete = checked->report.end != CHECK_COMPLETE;
    bool refuted = checked->report.end == CHECK_OUT_OF_RANGE;
    for (size_t i = 0; i < checked->lines; i++) {
        /* With steps left out, nobody knows how many there are. */
        if (check_counts_steps(results[i].query.property))
            results[i].has_bound &= !checked->model.params.abridged;
        checked->line[i].result = results[i];
        if (only == 0 && is_cut_off(&checked->line[i]))
            checked->line[i].stance = NOT_CLAIMED;
        if (results[i].query.property == CHECK_VALUES && results[i].has_bound)
            checked->values = results[i].bound;
        enum protocol_verdict verdict = judge(&checked->line[i], params);
        refuted |= verdict == PROTOCOL_REFUTED;
        incomplete |= verdict == PROTOCOL_INCOMPLETE;
    }
    checked->verdict = refuted      ? PROTOCOL_REFUTED
                       : incomplete ? PROTOCOL_INCOMPLETE
                                    : PROTOCOL_AS_CLAIMED;
    return NULL;
}

const char *protocol_check_made(struct protocol_checked *checked,
                                const struct protocol_choice *choice,
                                const struct step_params *params,
                                const struct check_limits *limits, uint64_t only, bool all)
{
    return check_made(checked, choice, params, limits, only, all, NULL);
}

const char *protocol_check(struct protocol_checked *checked, const struct protocol_choice *choice,
                           const struct step_params *params, const struct check_limits *limits,
                           uint64_t only, bool all)
{
    memset(checked, 0, sizeof *checked);
    const char *error = choice->model->make(&checked->model, params);
    return error != NULL ? error
                         : protocol_check_made(checked, choice, params, limits, only, all);
}

void protocol_checked_free(struct protocol_checked *checked)
{
    for (size_t i = 0; i < checked->lines; i++)
        check_witness_free(&checked->line[i].result.witness);
    check_witness_free(&checked->report.slip.witness);
    step_memory_close(&checked->model);
}
