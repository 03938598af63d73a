#include "prove/read.h"

#include "prove/rules.h"

#include <stdio.h>
#include <string.h>

static const char malformed[] = "the rules that were compiled in cannot be read";
static const char too_large[] = "the protocol has too many rules, places or variables";

static const char *atom_at(const struct prove_list *list, unsigned n)
{
    const struct prove_list *item = prove_nth(list, n);
    return item == NULL ? NULL : item->atom;
}

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
        return too_large;
    struct prove_cell *cell = &reading->cell[reading->cells++];
    cell->name = atom_at(list, 1);
    cell->values = prove_term_of(reading->pool, prove_nth(list, 2));
    cell->first = prove_term_of(reading->pool, prove_nth(list, 3));
    if (cell->name == NULL || cell->values == NULL || cell->first == NULL)
        return malformed;
    cell->symbol = prove_symbol(reading->pool, cell->name);
    cell->values = values_of(reading, cell->values);
    return NULL;
}

static const char *read_array(struct prove_reading *reading, const struct prove_list *list)
{
    if (reading->arrays == PROVE_MAX_ARRAYS)
        return too_large;
    struct prove_array *array = &reading->array[reading->arrays++];
    array->name = atom_at(list, 1);
    array->count = prove_term_of(reading->pool, prove_nth(list, 2));
    array->values = prove_term_of(reading->pool, prove_nth(list, 3));
    if (array->name == NULL || array->count == NULL || array->values == NULL)
        return malformed;
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
        return too_large;
    struct prove_local *local = &reading->local[reading->locals++];
    local->name = atom_at(list, 1);
    local->values = prove_term_of(reading->pool, prove_nth(list, 2));
    if (local->name == NULL || local->values == NULL)
        return malformed;
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
    const char *region = atom_at(list, 3), *from = atom_at(list, 4);
    if (reading->places == PROVE_MAX_PLACES)
        return too_large;
    struct prove_place *place = &reading->place[reading->places];
    place->label = atom_at(list, 5);
    if (!prove_integer(prove_nth(list, 1), &place->number) ||
        !prove_integer(prove_nth(list, 2), &place->pc) || region == NULL || from == NULL ||
        place->label == NULL)
        return malformed;
    if (!region_named(region, &place->region) || !region_named(from, &place->from))
        return malformed;
    if (place->region == PROVE_DEAD && !reading->kills)
        return "a process can be dead: that is not proved yet";
    for (const struct prove_list *each = prove_nth(list, 6); each != NULL; each = each->next) {
        const int local = local_named(reading, each->atom);
        if (local < 0)
            return malformed;
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
            return malformed;
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
            return malformed;
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
        return too_large;
    rule->more[rule->mores].array = array;
    rule->more[rule->mores].index = index;
    rule->more[rule->mores++].stored = stored;
    return index == NULL || stored == NULL || rule->taken_of[array] != NULL ? malformed : NULL;
}

static const char *read_effect(struct prove_reading *reading, struct prove_rule *rule,
                               const struct prove_list *list)
{
    if (prove_begins(list, "in") || prove_begins(list, "to") || prove_begins(list, "choice"))
        return read_circumstances(rule, list);
    if (prove_begins(list, "clear"))
        return read_cleared(reading, rule, list);
    const char *name = atom_at(list, 1);
    prove_t value = prove_term_of(reading->pool, prove_nth(list, 2));
    const int local = local_named(reading, name);
    if (name == NULL || value == NULL)
        return malformed;
    for (unsigned a = 0; prove_begins(list, "store") && a < reading->arrays; a++) {
        if (strcmp(reading->array[a].name, name) != 0)
            continue;
        if (rule->index[a] != NULL)
            return read_more(reading, rule, a, list);
        rule->index[a] = value;
        rule->stored[a] = prove_term_of(reading->pool, prove_nth(list, 3));
        return rule->stored[a] == NULL ? malformed : NULL;
    }
    for (unsigned a = 0; prove_begins(list, "takeout") && a < reading->arrays; a++) {
        if (strcmp(reading->array[a].name, name) != 0)
            continue;
        if (rule->index[a] != NULL)
            return malformed;
        rule->index[a] = value;
        rule->taken_of[a] = prove_term_of(reading->pool, prove_nth(list, 3));
        reading->array[a].sequence = true;
        return rule->taken_of[a] == NULL ? malformed : NULL;
    }
    if (prove_begins(list, "local")) {
        if (local < 0)
            return malformed;
        rule->local[local] = value;
        return NULL;
    }
    for (unsigned c = 0; c < reading->cells; c++) {
        if (strcmp(reading->cell[c].name, name) == 0) {
            rule->cell[c] = value;
            return NULL;
        }
    }
    return malformed;
}

static const char *read_rule(struct prove_reading *reading, const struct prove_list *list)
{
    const int from = place_numbered(reading, prove_nth(list, 1));
    const int to = place_numbered(reading, prove_nth(list, 2));
    if (reading->rules == PROVE_MAX_RULES)
        return too_large;
    struct prove_rule *rule = &reading->rule[reading->rules++];
    rule->label = atom_at(list, 3);
    rule->file = atom_at(list, 4);
    if (rule->file != NULL && strcmp(rule->file, ".") == 0)
        rule->file = reading->source;
    if (from < 0 || to < 0 || rule->label == NULL || rule->file == NULL ||
        !prove_integer(prove_nth(list, 5), &rule->line) ||
        !prove_begins(prove_nth(list, 6), "when"))
        return malformed;
    rule->from = (unsigned)from;
    rule->to = (unsigned)to;
    rule->broken = prove_begins(list, "broken");
    rule->choice = rule->to_context = -1;
    for (const struct prove_list *each = prove_nth(prove_nth(list, 6), 1); each != NULL;
         each = each->next) {
        if (rule->tests == PROVE_MAX_TESTS)
            return too_large;
        rule->test[rule->tests] = prove_term_of(reading->pool, each);
        if (rule->test[rule->tests++] == NULL)
            return malformed;
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
            prove_begins(each, "store") ? read_effect(reading, rule, each) : malformed;
        if (error != NULL)
            return error;
    }
    return NULL;
}

static const char *read_constant(struct prove_reading *reading, const struct prove_list *list)
{
    if (reading->constants == PROVE_MAX_CONSTANTS)
        return too_large;
    struct prove_constant *constant = &reading->constant[reading->constants++];
    constant->name = atom_at(list, 1);
    constant->in_model = prove_term_of(reading->pool, prove_nth(list, 2));
    constant->condition = prove_term_of(reading->pool, prove_nth(list, 3));
    if (constant->name == NULL || constant->in_model == NULL || constant->condition == NULL)
        return malformed;
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
        return malformed;
    *part = *before;
    part->below[part->parts++] = values;
    return NULL;
}

/* It is the last variable that was read; the parts below it came right before. */
static const char *read_part(struct prove_reading *reading, const struct prove_list *list)
{
    const char *name = atom_at(list, 1), *of = atom_at(list, 2);
    if (name == NULL || of == NULL)
        return malformed;
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
    return malformed;
}

static const char *read_sub(struct prove_reading *reading, const struct prove_list *list)
{
    const int place = place_numbered(reading, prove_nth(list, 1));
    int64_t sub;
    if (place < 0 || !prove_integer(prove_nth(list, 2), &sub) || sub < 1 || sub >= PROVE_MAX_SUBS)
        return malformed;
    reading->place[place].sub = (unsigned)sub;
    return NULL;
}

static const char *read_context(struct prove_reading *reading, const struct prove_list *list)
{
    if (reading->contexts == PROVE_MAX_CONTEXTS)
        return too_large;
    struct prove_context *context = &reading->context[reading->contexts++];
    const char *region = atom_at(list, 2);
    if (region == NULL || !region_named(region, &context->region))
        return malformed;
    context->doorway = strcmp(region, "doorway") == 0;
    for (const struct prove_list *each = prove_nth(list, 3); each != NULL; each = each->next) {
        if (context->count == PROVE_MAX_SUBS ||
            !prove_integer(each, &context->pc[context->count++]))
            return malformed;
    }
    return NULL;
}

static const char *read_call(struct prove_reading *reading, const struct prove_list *list)
{
    int64_t context;
    if (!prove_integer(prove_nth(list, 1), &context) || context < 0 ||
        context >= (int64_t)reading->contexts || atom_at(list, 2) == NULL)
        return malformed;
    struct prove_context *around = &reading->context[context];
    if (around->calls == PROVE_MAX_SUBS)
        return too_large;
    around->call[around->calls++] = atom_at(list, 2);
    return NULL;
}

static const char *read_spot(struct prove_reading *reading, const struct prove_list *list)
{
    int64_t context;
    const int place = place_numbered(reading, prove_nth(list, 1));
    if (reading->spots == PROVE_MAX_SPOTS)
        return too_large;
    struct prove_spot *spot = &reading->spot[reading->spots++];
    if (place < 0 || !prove_integer(prove_nth(list, 2), &context) || context < 0 ||
        context >= (int64_t)reading->contexts)
        return malformed;
    spot->place = (unsigned)place;
    spot->context = (unsigned)context;
    for (const struct prove_list *each = prove_nth(list, 3); each != NULL; each = each->next) {
        const int local = local_named(reading, each->atom != NULL ? each->atom : atom_at(each, 0));
        if (local < 0)
            return malformed;
        spot->carries[local] = each->atom != NULL;
        if (each->atom == NULL && !prove_integer(prove_nth(each, 1), &spot->value[local]))
            return malformed;
    }
    return NULL;
}

static const char *read_said(struct prove_reading *reading, const struct prove_list *list)
{
    if (reading->saids == PROVE_MAX_SAID)
        return too_large;
    struct prove_said *said = &reading->said[reading->saids++];
    said->kind = prove_begins(list, "invariant") ? PROVE_INVARIANT
                 : prove_begins(list, "waiting") ? PROVE_WAITING_INVARIANT
                 : prove_begins(list, "order")   ? PROVE_ORDER_INVARIANT
                 : prove_begins(list, "assumed") ? PROVE_ASSUMED
                 : prove_begins(list, "alone")   ? PROVE_KNOWN_ALONE
                                                 : PROVE_HELPER;
    said->name = atom_at(list, 1);
    said->condition = prove_term_of(reading->pool, prove_nth(list, 2));
    return said->name == NULL || said->condition == NULL ? malformed : NULL;
}

/* (pigeonholes "name" low high hole limit): there are at most `limit` numbers from low to
 * high - 1. */
static const char *read_pigeonholes(struct prove_reading *reading, const struct prove_list *list)
{
    struct prove_pool *pool = reading->pool;
    if (reading->saids == PROVE_MAX_SAID)
        return too_large;
    struct prove_said *said = &reading->said[reading->saids++];
    *said = (struct prove_said){.kind = PROVE_PIGEONHOLES,
                                .name = atom_at(list, 1),
                                .low = prove_term_of(pool, prove_nth(list, 2)),
                                .high = prove_term_of(pool, prove_nth(list, 3)),
                                .hole = prove_term_of(pool, prove_nth(list, 4)),
                                .limit = prove_term_of(pool, prove_nth(list, 5))};
    if (said->name == NULL || said->low == NULL || said->high == NULL || said->hole == NULL ||
        said->limit == NULL)
        return malformed;
    said->condition = prove_or(pool, prove_le(pool, said->high, said->low),
                               prove_le(pool, said->high, prove_add(pool, said->low, said->limit)));
    return NULL;
}

static const char *read_rank(struct prove_reading *reading, const struct prove_list *list,
                             prove_t *rank, unsigned *count)
{
    if (*count > 0)
        return "PROOF has more than one rank of a kind";
    for (const struct prove_list *each = prove_nth(list, 1); each != NULL; each = each->next) {
        if (*count == PROVE_MAX_RANK)
            return too_large;
        rank[*count] = prove_term_of(reading->pool, each);
        if (rank[(*count)++] == NULL)
            return malformed;
    }
    return NULL;
}

/* More of the rank, which goes before what there is. */
static const char *read_before(struct prove_reading *reading, const struct prove_list *list)
{
    prove_t more[PROVE_MAX_RANK];
    unsigned count = 0;
    const char *error = read_rank(reading, list, more, &count);
    if (error != NULL || reading->ranks + count > PROVE_MAX_RANK)
        return error != NULL ? error : too_large;
    for (unsigned r = reading->ranks; r-- > 0;)
        reading->rank[r + count] = reading->rank[r];
    for (unsigned r = 0; r < count; r++)
        reading->rank[r] = more[r];
    reading->ranks += count;
    return NULL;
}

/* Whether a rule changes several elements of the array. */
static bool has_more(const struct prove_reading *reading, unsigned array)
{
    bool any = false;
    for (unsigned r = 0; r < reading->rules; r++) {
        for (unsigned m = 0; m < reading->rule[r].mores; m++)
            any |= reading->rule[r].more[m].array == array;
    }
    return any;
}

/* How often each value is in an array, which is 0 at first: an array too. */
static const char *read_counted(struct prove_reading *reading, const struct prove_list *list)
{
    struct prove_pool *pool = reading->pool;
    const char *name = atom_at(list, 1);
    unsigned of = 0;
    while (name != NULL && of < reading->arrays && strcmp(reading->array[of].name, name) != 0)
        of++;
    if (name == NULL || of == reading->arrays || reading->arrays == PROVE_MAX_ARRAYS)
        return name == NULL || of == reading->arrays ? malformed : too_large;
    const struct prove_array *counted = &reading->array[of];
    if (counted->first != NULL || counted->count == NULL || counted->values == NULL ||
        counted->sequence || has_more(reading, of))
        return "HOW_MANY is of an array, 0 at first, of which a step changes one element at most";
    char *many = prove_alloc(pool, strlen(name) + sizeof "many ");
    if (many == NULL)
        return "out of memory";
    memcpy(many, "many ", sizeof "many " - 1);
    memcpy(many + sizeof "many " - 1, name, strlen(name) + 1);
    prove_t e = prove_variable(pool, prove_symbol(pool, "$e")), zero = prove_number(pool, 0);
    reading->array[reading->arrays++] = (struct prove_array){
        .name = many,
        .symbol = prove_symbol(pool, many),
        .count = counted->values,
        .first = prove_ite(pool, prove_eq(pool, e, zero), counted->count, zero),
        .witness = true,
        .many = true,
        .counts = of};
    return NULL;
}

static const char *read_item(struct prove_reading *reading, const struct prove_list *item)
{
    if (prove_begins(item, "cannot")) {
        reading->cannot = true;
        return "PROOF is not about this variant";
    }
    if (prove_begins(item, "cell"))
        return read_cell(reading, item);
    if (prove_begins(item, "array"))
        return read_array(reading, item);
    if (prove_begins(item, "names")) {
        reading->names = true;
        return NULL;
    }
    if (prove_begins(item, "crowd")) {
        reading->crowd = prove_term_of(reading->pool, prove_nth(item, 1));
        return reading->crowd == NULL ? malformed : NULL;
    }
    if (prove_begins(item, "seat")) {
        reading->seat = prove_term_of(reading->pool, prove_nth(item, 1));
        return reading->seat == NULL ? malformed : NULL;
    }
    if (prove_begins(item, "holds")) {
        reading->holds = prove_term_of(reading->pool, prove_nth(item, 1));
        return reading->holds == NULL ? malformed : NULL;
    }
    if (prove_begins(item, "slots")) {
        reading->slots = prove_term_of(reading->pool, prove_nth(item, 1));
        return reading->slots == NULL ? malformed : NULL;
    }
    if (prove_begins(item, "uncounted")) {
        reading->uncounted = true;
        return NULL;
    }
    if (prove_begins(item, "local"))
        return read_local(reading, item);
    if (prove_begins(item, "place"))
        return read_place(reading, item);
    if (prove_begins(item, "rule") || prove_begins(item, "broken"))
        return read_rule(reading, item);
    if (prove_begins(item, "kills")) {
        reading->kills = true;
        return NULL;
    }
    if (prove_begins(item, "dies"))
        return read_death(reading, item);
    if (prove_begins(item, "witness") && reading->arrays > 0) {
        reading->array[reading->arrays - 1].witness = true;
        return NULL;
    }
    if (prove_begins(item, "constant"))
        return read_constant(reading, item);
    if (prove_begins(item, "part"))
        return read_part(reading, item);
    if (prove_begins(item, "sub"))
        return read_sub(reading, item);
    if (prove_begins(item, "call"))
        return read_call(reading, item);
    if (prove_begins(item, "subs")) {
        reading->subs = 1; /* 0: the section */
        for (const struct prove_list *each = prove_nth(item, 1); each != NULL; each = each->next) {
            if (reading->subs == PROVE_MAX_SUBS)
                return too_large;
            reading->sub[reading->subs++] = each->atom;
        }
        return NULL;
    }
    if (prove_begins(item, "context"))
        return read_context(reading, item);
    if (prove_begins(item, "at"))
        return read_spot(reading, item);
    if (prove_begins(item, "rank"))
        return read_rank(reading, item, reading->rank, &reading->ranks);
    if (prove_begins(item, "each")) {
        reading->each = prove_term_of(reading->pool, prove_nth(item, 1));
        return reading->each == NULL ? malformed : NULL;
    }
    if (prove_begins(item, "released")) {
        reading->released = prove_term_of(reading->pool, prove_nth(item, 2));
        return reading->released == NULL ? malformed : NULL;
    }
    if (prove_begins(item, "enabled")) {
        reading->enabled = prove_term_of(reading->pool, prove_nth(item, 2));
        return reading->enabled == NULL ? malformed : NULL;
    }
    if (prove_begins(item, "taken")) {
        reading->taken = prove_term_of(reading->pool, prove_nth(item, 1));
        return reading->taken == NULL ? malformed : NULL;
    }
    if (prove_begins(item, "counted"))
        return read_counted(reading, item);
    if (prove_begins(item, "own"))
        return read_rank(reading, item, reading->own, &reading->owns);
    if (prove_begins(item, "leaves"))
        return read_rank(reading, item, reading->leave, &reading->leaves);
    if (prove_begins(item, "enters"))
        return read_rank(reading, item, reading->enter, &reading->enters);
    if (prove_begins(item, "falls-each"))
        return read_rank(reading, item, reading->falls_each, &reading->fall_each);
    if (prove_begins(item, "falls-all"))
        return read_rank(reading, item, reading->falls_all, &reading->fall_all);
    if (prove_begins(item, "let-in")) {
        reading->let_in = prove_term_of(reading->pool, prove_nth(item, 2));
        return reading->let_in == NULL ? malformed : NULL;
    }
    if (prove_begins(item, "let-in-rank"))
        return read_rank(reading, item, reading->let, &reading->lets);
    if (prove_begins(item, "trying-rank"))
        return read_rank(reading, item, reading->trying, &reading->tryings);
    if (prove_begins(item, "blocked"))
        return read_rank(reading, item, reading->blocker, &reading->blocked);
    if (prove_begins(item, "numbered")) {
        reading->number = prove_term_of(reading->pool, prove_nth(item, 1));
        return reading->number == NULL ? malformed : NULL;
    }
    if (prove_begins(item, "before"))
        return read_before(reading, item);
    if (prove_begins(item, "lockout"))
        return read_rank(reading, item, reading->lockout, &reading->lockouts);
    if (prove_begins(item, "values")) {
        reading->values = prove_term_of(reading->pool, prove_nth(item, 1));
        return reading->values == NULL ? malformed : NULL;
    }
    if (prove_begins(item, "whole")) {
        reading->whole = prove_term_of(reading->pool, prove_nth(item, 1));
        return reading->whole == NULL ? malformed : NULL;
    }
    if (prove_begins(item, "invariant") || prove_begins(item, "waiting") ||
        prove_begins(item, "order") || prove_begins(item, "helper") ||
        prove_begins(item, "assumed") || prove_begins(item, "alone"))
        return read_said(reading, item);
    if (prove_begins(item, "pigeonholes"))
        return read_pigeonholes(reading, item);
    return malformed;
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
        if (prove_begins(list, "source") && atom_at(list, 1) != NULL)
            reading->source = atom_at(list, 1);
        if (prove_begins(list, "cannot"))
            return atom_at(list, 1) == NULL ? malformed : atom_at(list, 1);
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
        return reading->places == 0 || reading->rules == 0 || reading->place[0].number != 0
                   ? malformed
                   : NULL;
    }
    return malformed;
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
