#include "prove/read_parts.h"
#include "prove/rules.h"

#include <stdio.h>
#include <string.h>

const char prove_malformed[] = "the rules that were compiled in cannot be read";
const char prove_too_large[] = "the protocol has too many rules, places or variables";

/* A range with a limit in it is only for the checker: the prover has no limit. */
static prove_t values_of(struct prove_reading *reading, prove_t values)
{
    struct prove_pool *pool = reading->pool;
    const unsigned limit = prove_symbol(pool, "limit");
    bool *used = prove_alloc(pool, pool->names * sizeof *used);
    if (used == NULL || values == NULL)
        return values;
    prove_symbols_of(values, used);
    return used[limit] ? NULL : values;
}

static const char *read_cell(struct prove_reading *reading, const struct prove_list *list)
{
    if (reading->cells == PROVE_MAX_CELLS)
        return prove_too_large;
    struct prove_cell *cell = &reading->cell[reading->cells++];
    cell->name = prove_atom(list, 1);
    cell->values = prove_term_of(reading->pool, prove_nth(list, 2));
    cell->first = prove_term_of(reading->pool, prove_nth(list, 3));
    if (cell->name == NULL || cell->values == NULL || cell->first == NULL)
        return prove_malformed;
    cell->symbol = prove_symbol(reading->pool, cell->name);
    cell->values = values_of(reading, cell->values);
    return NULL;
}

static const char *read_array(struct prove_reading *reading, const struct prove_list *list)
{
    if (reading->arrays == PROVE_MAX_ARRAYS)
        return prove_too_large;
    struct prove_array *array = &reading->array[reading->arrays++];
    array->name = prove_atom(list, 1);
    array->count = prove_term_of(reading->pool, prove_nth(list, 2));
    array->values = prove_term_of(reading->pool, prove_nth(list, 3));
    if (array->name == NULL || array->count == NULL || array->values == NULL)
        return prove_malformed;
    array->values = values_of(reading, array->values);
    array->count = values_of(reading, array->count);
    array->first =
        prove_nth(list, 4) == NULL ? NULL : prove_term_of(reading->pool, prove_nth(list, 4));
    array->symbol = prove_symbol(reading->pool, array->name);
    return NULL;
}

static const char *read_local(struct prove_reading *reading, const struct prove_list *list)
{
    char name[64];
    if (reading->locals == PROVE_MAX_LOCALS)
        return prove_too_large;
    struct prove_local *local = &reading->local[reading->locals++];
    local->name = prove_atom(list, 1);
    local->values = prove_term_of(reading->pool, prove_nth(list, 2));
    if (local->name == NULL || local->values == NULL)
        return prove_malformed;
    local->values = values_of(reading, local->values);
    local->splits = prove_nth(list, 3) != NULL;
    snprintf(name, sizeof name, "my.%s", local->name);
    local->symbol = prove_symbol(reading->pool, name);
    return NULL;
}

static int local_named(const struct prove_reading *reading, const char *name)
{
    for (unsigned v = 0; name != NULL && v < reading->locals; v++) {
        if (strcmp(reading->local[v].name, name) == 0)
            return (int)v;
    }
    return -1;
}

static bool region_named(const char *name, enum prove_region *region)
{
    static const struct {
        const char *name;
        enum prove_region region;
    } regions[] = {
        {"remainder", PROVE_REMAINDER}, {"doorway", PROVE_TRYING}, {"waiting", PROVE_TRYING},
        {"critical", PROVE_CRITICAL},   {"exit", PROVE_EXIT},      {"dead", PROVE_DEAD},
        {"called", PROVE_CALLED},
    };
    for (unsigned r = 0; r < sizeof regions / sizeof regions[0]; r++) {
        if (strcmp(regions[r].name, name) == 0) {
            *region = regions[r].region;
            return true;
        }
    }
    return false;
}

static const char *read_place(struct prove_reading *reading, const struct prove_list *list)
{
    const char *region = prove_atom(list, 3), *from = prove_atom(list, 4);
    if (reading->places == PROVE_MAX_PLACES)
        return prove_too_large;
    struct prove_place *place = &reading->place[reading->places];
    place->label = prove_atom(list, 5);
    if (!prove_integer(prove_nth(list, 1), &place->number) ||
        !prove_integer(prove_nth(list, 2), &place->pc) || region == NULL || from == NULL ||
        place->label == NULL)
        return prove_malformed;
    if (!region_named(region, &place->region) || !region_named(from, &place->from))
        return prove_malformed;
    if (place->region == PROVE_DEAD && !reading->kills)
        return "a process can be dead: that is not proved yet";
    for (const struct prove_list *each = prove_nth(list, 6); each != NULL; each = each->next) {
        const int local = local_named(reading, each->atom);
        if (local < 0)
            return prove_malformed;
        place->carries[local] = true;
        place->carried++;
    }
    place->doorway = strcmp(region, "doorway") == 0;
    snprintf(place->name, sizeof place->name, "%s",
             place->label[0] == '\0' ? region : place->label);
    reading->places++;
    return NULL;
}

static int place_numbered(const struct prove_reading *reading, const struct prove_list *list)
{
    int64_t number;
    if (!prove_integer(list, &number))
        return -1;
    for (unsigned p = 0; p < reading->places; p++) {
        if (reading->place[p].number == number)
            return (int)p;
    }
    return -1;
}

/* In which contexts, to which one, by which choice. */
static const char *read_circumstances(struct prove_rule *rule, const struct prove_list *list)
{
    int64_t number;
    for (const struct prove_list *each = prove_nth(list, 1); each != NULL; each = each->next) {
        if (!prove_integer(each, &number) || number < 0 || number >= PROVE_MAX_CONTEXTS)
            return prove_malformed;
        if (prove_begins(list, "in"))
            rule->in[number] = true;
        else if (prove_begins(list, "to"))
            rule->to_context = (int)number;
        else
            rule->choice = (int)number;
    }
    return NULL;
}

static const char *read_cleared(struct prove_reading *reading, struct prove_rule *rule,
                                const struct prove_list *list)
{
    for (const struct prove_list *each = prove_nth(list, 1); each != NULL; each = each->next) {
        const int local = local_named(reading, each->atom);
        if (local < 0)
            return prove_malformed;
        rule->local[local] = prove_number(reading->pool, 0);
    }
    return NULL;
}

/* One more element of an array that has been changed already. */
static const char *read_more(struct prove_reading *reading, struct prove_rule *rule, unsigned array,
                             const struct prove_list *list)
{
    prove_t index = prove_term_of(reading->pool, prove_nth(list, 2));
    prove_t stored = prove_term_of(reading->pool, prove_nth(list, 3));
    if (rule->mores == PROVE_MAX_MORE)
        return prove_too_large;
    rule->more[rule->mores].array = array;
    rule->more[rule->mores].index = index;
    rule->more[rule->mores++].stored = stored;
    return index == NULL || stored == NULL || rule->taken_of[array] != NULL ? prove_malformed
                                                                            : NULL;
}

static const char *read_effect(struct prove_reading *reading, struct prove_rule *rule,
                               const struct prove_list *list)
{
    if (prove_begins(list, "in") || prove_begins(list, "to") || prove_begins(list, "choice"))
        return read_circumstances(rule, list);
    if (prove_begins(list, "clear"))
        return read_cleared(reading, rule, list);
    const char *name = prove_atom(list, 1);
    prove_t value = prove_term_of(reading->pool, prove_nth(list, 2));
    const int local = local_named(reading, name);
    if (name == NULL || value == NULL)
        return prove_malformed;
    for (unsigned a = 0; prove_begins(list, "store") && a < reading->arrays; a++) {
        if (strcmp(reading->array[a].name, name) != 0)
            continue;
        if (rule->index[a] != NULL)
            return read_more(reading, rule, a, list);
        rule->index[a] = value;
        rule->stored[a] = prove_term_of(reading->pool, prove_nth(list, 3));
        return rule->stored[a] == NULL ? prove_malformed : NULL;
    }
    for (unsigned a = 0; prove_begins(list, "takeout") && a < reading->arrays; a++) {
        if (strcmp(reading->array[a].name, name) != 0)
            continue;
        if (rule->index[a] != NULL)
            return prove_malformed;
        rule->index[a] = value;
        rule->taken_of[a] = prove_term_of(reading->pool, prove_nth(list, 3));
        reading->array[a].sequence = true;
        return rule->taken_of[a] == NULL ? prove_malformed : NULL;
    }
    if (prove_begins(list, "local")) {
        if (local < 0)
            return prove_malformed;
        rule->local[local] = value;
        return NULL;
    }
    for (unsigned c = 0; c < reading->cells; c++) {
        if (strcmp(reading->cell[c].name, name) == 0) {
            rule->cell[c] = value;
            return NULL;
        }
    }
    return prove_malformed;
}

static const char *read_rule(struct prove_reading *reading, const struct prove_list *list)
{
    const int from = place_numbered(reading, prove_nth(list, 1));
    const int to = place_numbered(reading, prove_nth(list, 2));
    if (reading->rules == PROVE_MAX_RULES)
        return prove_too_large;
    struct prove_rule *rule = &reading->rule[reading->rules++];
    rule->label = prove_atom(list, 3);
    rule->file = prove_atom(list, 4);
    if (rule->file != NULL && strcmp(rule->file, ".") == 0)
        rule->file = reading->source;
    if (from < 0 || to < 0 || rule->label == NULL || rule->file == NULL ||
        !prove_integer(prove_nth(list, 5), &rule->line) ||
        !prove_begins(prove_nth(list, 6), "when"))
        return prove_malformed;
    rule->from = (unsigned)from;
    rule->to = (unsigned)to;
    rule->broken = prove_begins(list, "broken");
    rule->choice = rule->to_context = -1;
    for (const struct prove_list *each = prove_nth(prove_nth(list, 6), 1); each != NULL;
         each = each->next) {
        if (rule->tests == PROVE_MAX_TESTS)
            return prove_too_large;
        rule->test[rule->tests] = prove_term_of(reading->pool, each);
        if (rule->test[rule->tests++] == NULL)
            return prove_malformed;
    }
    for (const struct prove_list *each = prove_nth(list, 7); each != NULL; each = each->next) {
        const char *error = read_effect(reading, rule, each);
        if (error != NULL)
            return error;
    }
    return NULL;
}

/* From any place to the remainder. */
static const char *read_death(struct prove_reading *reading, const struct prove_list *list)
{
    struct prove_rule *rule = &reading->killed;
    reading->deaths = true;
    *rule = (struct prove_rule){
        .label = "dies", .file = "", .choice = -1, .to_context = reading->contexts > 0 ? 0 : -1};
    for (const struct prove_list *each = prove_nth(list, 1); each != NULL; each = each->next) {
        const char *error =
            prove_begins(each, "store") ? read_effect(reading, rule, each) : prove_malformed;
        if (error != NULL)
            return error;
    }
    return NULL;
}

static const char *read_constant(struct prove_reading *reading, const struct prove_list *list)
{
    if (reading->constants == PROVE_MAX_CONSTANTS)
        return prove_too_large;
    struct prove_constant *constant = &reading->constant[reading->constants++];
    constant->name = prove_atom(list, 1);
    constant->in_model = prove_term_of(reading->pool, prove_nth(list, 2));
    constant->condition = prove_term_of(reading->pool, prove_nth(list, 3));
    if (constant->name == NULL || constant->in_model == NULL || constant->condition == NULL)
        return prove_malformed;
    constant->symbol = prove_symbol(reading->pool, constant->name);
    return NULL;
}

static const char *set_part(struct prove_part *part, const struct prove_part *before,
                            prove_t values, const char *of)
{
    *part = (struct prove_part){.of = of};
    if (before == NULL || before->of == NULL || strcmp(before->of, of) != 0)
        return NULL;
    if (before->parts + 1 > PROVE_MAX_PARTS || values == NULL)
        return prove_malformed;
    *part = *before;
    part->below[part->parts++] = values;
    return NULL;
}

/* It is the last variable that was read; the parts below it came right before. */
static const char *read_part(struct prove_reading *reading, const struct prove_list *list)
{
    const char *name = prove_atom(list, 1), *of = prove_atom(list, 2);
    if (name == NULL || of == NULL)
        return prove_malformed;
    struct prove_cell *cell = &reading->cell[reading->cells - (reading->cells > 0)];
    struct prove_array *array = &reading->array[reading->arrays - (reading->arrays > 0)];
    struct prove_local *local = &reading->local[reading->locals - (reading->locals > 0)];
    if (reading->locals > 0 && strcmp(local->name, name) == 0)
        return set_part(&local->part, reading->locals > 1 ? &local[-1].part : NULL,
                        reading->locals > 1 ? local[-1].values : NULL, of);
    if (reading->arrays > 0 && strcmp(array->name, name) == 0)
        return set_part(&array->part, reading->arrays > 1 ? &array[-1].part : NULL,
                        reading->arrays > 1 ? array[-1].values : NULL, of);
    if (reading->cells > 0 && strcmp(cell->name, name) == 0)
        return set_part(&cell->part, reading->cells > 1 ? &cell[-1].part : NULL,
                        reading->cells > 1 ? cell[-1].values : NULL, of);
    return prove_malformed;
}

static const char *read_sub(struct prove_reading *reading, const struct prove_list *list)
{
    const int place = place_numbered(reading, prove_nth(list, 1));
    int64_t sub;
    if (place < 0 || !prove_integer(prove_nth(list, 2), &sub) || sub < 1 || sub >= PROVE_MAX_SUBS)
        return prove_malformed;
    reading->place[place].sub = (unsigned)sub;
    return NULL;
}

static const char *read_context(struct prove_reading *reading, const struct prove_list *list)
{
    if (reading->contexts == PROVE_MAX_CONTEXTS)
        return prove_too_large;
    struct prove_context *context = &reading->context[reading->contexts++];
    const char *region = prove_atom(list, 2);
    if (region == NULL || !region_named(region, &context->region))
        return prove_malformed;
    context->doorway = strcmp(region, "doorway") == 0;
    for (const struct prove_list *each = prove_nth(list, 3); each != NULL; each = each->next) {
        if (context->count == PROVE_MAX_SUBS ||
            !prove_integer(each, &context->pc[context->count++]))
            return prove_malformed;
    }
    return NULL;
}

static const char *read_call(struct prove_reading *reading, const struct prove_list *list)
{
    int64_t context;
    if (!prove_integer(prove_nth(list, 1), &context) || context < 0 ||
        context >= (int64_t)reading->contexts || prove_atom(list, 2) == NULL)
        return prove_malformed;
    struct prove_context *around = &reading->context[context];
    if (around->calls == PROVE_MAX_SUBS)
        return prove_too_large;
    around->call[around->calls++] = prove_atom(list, 2);
    return NULL;
}

static const char *read_spot(struct prove_reading *reading, const struct prove_list *list)
{
    int64_t context;
    const int place = place_numbered(reading, prove_nth(list, 1));
    if (reading->spots == PROVE_MAX_SPOTS)
        return prove_too_large;
    struct prove_spot *spot = &reading->spot[reading->spots++];
    if (place < 0 || !prove_integer(prove_nth(list, 2), &context) || context < 0 ||
        context >= (int64_t)reading->contexts)
        return prove_malformed;
    spot->place = (unsigned)place;
    spot->context = (unsigned)context;
    for (const struct prove_list *each = prove_nth(list, 3); each != NULL; each = each->next) {
        const int local =
            local_named(reading, each->atom != NULL ? each->atom : prove_atom(each, 0));
        if (local < 0)
            return prove_malformed;
        spot->carries[local] = each->atom != NULL;
        if (each->atom == NULL && !prove_integer(prove_nth(each, 1), &spot->value[local]))
            return prove_malformed;
    }
    return NULL;
}

static const char *read_cannot(struct prove_reading *reading, const struct prove_list *list)
{
    (void)list;
    reading->cannot = true;
    return "PROOF is not about this variant";
}

/* One word, with nothing after it. */
static const char *read_mark(struct prove_reading *reading, const struct prove_list *list)
{
    reading->names |= prove_begins(list, "names");
    reading->uncounted |= prove_begins(list, "uncounted");
    reading->kills |= prove_begins(list, "kills");
    return NULL;
}

/* One term. */
static const char *read_quantity(struct prove_reading *reading, const struct prove_list *list)
{
    prove_t *quantity = prove_begins(list, "holds")    ? &reading->holds
                        : prove_begins(list, "slots")  ? &reading->slots
                        : prove_begins(list, "values") ? &reading->values
                                                       : &reading->whole;
    *quantity = prove_term_of(reading->pool, prove_nth(list, 1));
    return *quantity == NULL ? prove_malformed : NULL;
}

/* It is the last array that was read. */
static const char *read_witness(struct prove_reading *reading, const struct prove_list *list)
{
    (void)list;
    if (reading->arrays == 0)
        return prove_malformed;
    reading->array[reading->arrays - 1].witness = true;
    return NULL;
}

static const char *read_subs(struct prove_reading *reading, const struct prove_list *list)
{
    reading->subs = 1; /* 0: the section */
    for (const struct prove_list *each = prove_nth(list, 1); each != NULL; each = each->next) {
        if (reading->subs == PROVE_MAX_SUBS)
            return prove_too_large;
        reading->sub[reading->subs++] = each->atom;
    }
    return NULL;
}

static const char *read_item(struct prove_reading *reading, const struct prove_list *item)
{
    static const struct {
        const char *word;
        const char *(*read)(struct prove_reading *reading, const struct prove_list *list);
    } words[] = {
        {"cannot", read_cannot},   {"names", read_mark},     {"uncounted", read_mark},
        {"kills", read_mark},      {"holds", read_quantity}, {"slots", read_quantity},
        {"values", read_quantity}, {"whole", read_quantity}, {"constant", read_constant},
        {"cell", read_cell},       {"array", read_array},    {"witness", read_witness},
        {"local", read_local},     {"part", read_part},      {"place", read_place},
        {"rule", read_rule},       {"broken", read_rule},    {"dies", read_death},
        {"subs", read_subs},       {"sub", read_sub},        {"context", read_context},
        {"call", read_call},       {"at", read_spot},
    };
    for (unsigned w = 0; w < sizeof words / sizeof words[0]; w++) {
        if (prove_begins(item, words[w].word))
            return words[w].read(reading, item);
    }
    return prove_read_proof(reading, item);
}

/* Where a label occurs more than once, the places are told apart by their numbers. */
static void name_places(struct prove_reading *reading)
{
    for (unsigned p = 0; p < reading->places; p++) {
        struct prove_place *place = &reading->place[p];
        unsigned same = 0;
        for (unsigned q = 0; q < reading->places; q++)
            same += strcmp(reading->place[q].label, place->label) == 0;
        if (same == 1 || (place->label[0] == '\0' && place->number == place->pc))
            continue;
        const size_t used = strlen(place->name);
        snprintf(place->name + used, sizeof place->name - used, ":%lld", (long long)place->number);
    }
}

const char *prove_read(struct prove_reading *reading, struct prove_pool *pool, const char *text,
                       unsigned variant)
{
    memset(reading, 0, sizeof *reading);
    reading->pool = pool;
    reading->source = "";
    for (const struct prove_list *list = prove_lists(pool, text); list != NULL; list = list->next) {
        int64_t number;
        if (prove_begins(list, "source") && prove_atom(list, 1) != NULL)
            reading->source = prove_atom(list, 1);
        if (prove_begins(list, "words"))
            reading->words = list;
        if (prove_begins(list, "cannot"))
            return prove_atom(list, 1) == NULL ? prove_malformed : prove_atom(list, 1);
        if (!prove_begins(list, "variant") || !prove_integer(prove_nth(list, 1), &number) ||
            number != (int64_t)variant)
            continue;
        for (const struct prove_list *item = prove_nth(list, 2); item != NULL; item = item->next) {
            const char *error = read_item(reading, item);
            if (error != NULL)
                return error;
        }
        name_places(reading);
        reading->positions = strstr(text, "(position ") != NULL;
        if (prove_pool_failed(pool))
            return "out of memory";
        return reading->places == 0 || reading->rules == 0 || reading->place[0].number != 0 ||
                       reading->words == NULL
                   ? prove_malformed
                   : NULL;
    }
    return prove_malformed;
}

/* The compiler may have been given the file by a longer path than the rules name. */
static bool is_source(const char *text, const char *file)
{
    static const char begins[] = "(source \"";
    if (strncmp(text, begins, sizeof begins - 1) != 0)
        return false;
    const char *name = text + sizeof begins - 1;
    const size_t length = strcspn(name, "\""), path = strlen(file);
    return path >= length && strncmp(file + path - length, name, length) == 0 &&
           (path == length || file[path - length - 1] == '/');
}

const char *prove_rules_text(const char *file)
{
    for (size_t f = 0; f < prove_rules_count; f++) {
        if (is_source(prove_rules[f].text, file))
            return prove_rules[f].text;
    }
    return NULL;
}
