/*
 * Reads what PROOF says of a protocol: invariants, ranks, and terms that have a name. What the
 * protocol is, read.c reads.
 */
#include "prove/read_parts.h"

#include <string.h>

/* False: the item is not about an invariant. True: *error is NULL, or says what is wrong with it.
 * The same with read_term and read_rank. */
static bool read_said(struct prove_reading *reading, const struct prove_list *item,
                      const char **error)
{
    static const struct {
        const char *word;
        enum prove_saying kind;
    } kinds[] = {
        {"invariant", PROVE_INVARIANT},   {"waiting", PROVE_WAITING_INVARIANT},
        {"order", PROVE_ORDER_INVARIANT}, {"helper", PROVE_HELPER},
        {"assumed", PROVE_ASSUMED},       {"alone", PROVE_KNOWN_ALONE},
    };
    unsigned k = 0;
    while (k < sizeof kinds / sizeof kinds[0] && !prove_begins(item, kinds[k].word))
        k++;
    if (k == sizeof kinds / sizeof kinds[0])
        return false;
    *error = prove_too_large;
    if (reading->saids == PROVE_MAX_SAID)
        return true;
    struct prove_said *said = &reading->said[reading->saids++];
    said->kind = kinds[k].kind;
    said->name = prove_atom(item, 1);
    said->condition = prove_term_of(reading->pool, prove_nth(item, 2));
    said->as_said = said->condition;
    *error = said->name == NULL || said->condition == NULL ? prove_malformed : NULL;
    return true;
}

/* All terms of an item, which is the only one of its kind. */
static const char *read_terms(struct prove_reading *reading, const struct prove_list *list,
                              prove_t *rank, unsigned *count)
{
    if (*count > 0)
        return "PROOF has more than one rank of a kind";
    for (const struct prove_list *each = prove_nth(list, 1); each != NULL; each = each->next) {
        if (*count == PROVE_MAX_RANK)
            return prove_too_large;
        rank[*count] = prove_term_of(reading->pool, each);
        if (rank[(*count)++] == NULL)
            return prove_malformed;
    }
    return NULL;
}

static bool read_term(struct prove_reading *reading, const struct prove_list *item,
                      const char **error)
{
    const struct {
        const char *word;
        unsigned at; /* where the term is in the item */
        prove_t *term;
    } terms[] = {
        {"crowd", 1, &reading->crowd},     {"seat", 1, &reading->seat},
        {"each", 1, &reading->each},       {"numbered", 1, &reading->number},
        {"taken", 1, &reading->taken},     {"released", 2, &reading->released},
        {"enabled", 2, &reading->enabled}, {"let-in", 2, &reading->let_in},
    };
    for (unsigned t = 0; t < sizeof terms / sizeof terms[0]; t++) {
        if (!prove_begins(item, terms[t].word))
            continue;
        *terms[t].term = prove_term_of(reading->pool, prove_nth(item, terms[t].at));
        *error = *terms[t].term == NULL ? prove_malformed : NULL;
        return true;
    }
    return false;
}

static bool read_rank(struct prove_reading *reading, const struct prove_list *item,
                      const char **error)
{
    const struct {
        const char *word;
        prove_t *rank;
        unsigned *count;
    } ranks[] = {
        {"rank", reading->rank, &reading->ranks},
        {"lockout", reading->lockout, &reading->lockouts},
        {"own", reading->own, &reading->owns},
        {"leaves", reading->leave, &reading->leaves},
        {"enters", reading->enter, &reading->enters},
        {"falls-each", reading->falls_each, &reading->fall_each},
        {"falls-all", reading->falls_all, &reading->fall_all},
        {"let-in-rank", reading->let, &reading->lets},
        {"trying-rank", reading->trying, &reading->tryings},
        {"blocked", reading->blocker, &reading->blocked},
    };
    for (unsigned r = 0; r < sizeof ranks / sizeof ranks[0]; r++) {
        if (!prove_begins(item, ranks[r].word))
            continue;
        *error = read_terms(reading, item, ranks[r].rank, ranks[r].count);
        return true;
    }
    return false;
}

/* (pigeonholes "name" low high hole limit): there are at most `limit` numbers from low to
 * high - 1. */
static const char *read_pigeonholes(struct prove_reading *reading, const struct prove_list *list)
{
    struct prove_pool *pool = reading->pool;
    if (reading->saids == PROVE_MAX_SAID)
        return prove_too_large;
    struct prove_said *said = &reading->said[reading->saids++];
    *said = (struct prove_said){.kind = PROVE_PIGEONHOLES,
                                .name = prove_atom(list, 1),
                                .low = prove_term_of(pool, prove_nth(list, 2)),
                                .high = prove_term_of(pool, prove_nth(list, 3)),
                                .hole = prove_term_of(pool, prove_nth(list, 4)),
                                .limit = prove_term_of(pool, prove_nth(list, 5))};
    if (said->name == NULL || said->low == NULL || said->high == NULL || said->hole == NULL ||
        said->limit == NULL)
        return prove_malformed;
    said->condition = prove_or(pool, prove_le(pool, said->high, said->low),
                               prove_le(pool, said->high, prove_add(pool, said->low, said->limit)));
    said->as_said = said->condition;
    return NULL;
}

/* More of the rank, which goes before what there is. */
static const char *read_before(struct prove_reading *reading, const struct prove_list *list)
{
    prove_t more[PROVE_MAX_RANK];
    unsigned count = 0;
    const char *error = read_terms(reading, list, more, &count);
    if (error != NULL || reading->ranks + count > PROVE_MAX_RANK)
        return error != NULL ? error : prove_too_large;
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
    const char *name = prove_atom(list, 1);
    unsigned of = 0;
    while (name != NULL && of < reading->arrays && strcmp(reading->array[of].name, name) != 0)
        of++;
    if (name == NULL || of == reading->arrays || reading->arrays == PROVE_MAX_ARRAYS)
        return name == NULL || of == reading->arrays ? prove_malformed : prove_too_large;
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

const char *prove_read_proof(struct prove_reading *reading, const struct prove_list *item)
{
    const char *error = NULL;
    if (read_said(reading, item, &error) || read_term(reading, item, &error) ||
        read_rank(reading, item, &error))
        return error;
    if (prove_begins(item, "pigeonholes"))
        return read_pigeonholes(reading, item);
    if (prove_begins(item, "before"))
        return read_before(reading, item);
    if (prove_begins(item, "counted"))
        return read_counted(reading, item);
    return prove_malformed;
}
