/*
 * Multiplication of two unknowns is not left to the solver. A product with n is `times`, a function
 * of which it is told what it needs: for any two numbers x, y that it is applied to, times(y) is
 * times(x) + n if y = x + 1, at least that if y > x, and at least times(x) + 2 n if y > x + 1. All
 * of it is true of x * n. A quotient by n is a number q with a rest.
 */
#include "prove/smt.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PRODUCTS = 32 };

struct products {
    struct prove_pool *pool;
    unsigned n; /* symbol */
    unsigned factors, quotients;
    prove_t factor[2 * MAX_PRODUCTS];
    prove_t divided[MAX_PRODUCTS];
    prove_t quotient[MAX_PRODUCTS]; /* symbols */
    bool other;                     /* products of another kind */
    bool quantified;                /* a goal says that there are values for constants */
    unsigned terms;                 /* ids below this are known to the following */
    unsigned char *uses;            /* how often a term occurs in others: 0, 1, or more */
    bool *named;                    /* it is called t<id> in this assertion */
    unsigned *since;                /* the ids that are named in this assertion */
    unsigned sinces;
};

static unsigned found(prove_t *list, unsigned *count, unsigned most, prove_t term, bool *full)
{
    for (unsigned i = 0; i < *count; i++) {
        if (list[i] == term)
            return i;
    }
    if (*count == most) {
        *full = true;
        return 0;
    }
    list[*count] = term;
    return (*count)++;
}

static bool is_n(const struct products *products, prove_t term)
{
    return term->op == PROVE_SYMBOL && (unsigned)term->number == products->n;
}

/* What a product with n is taken of; NULL: it is none. */
static prove_t factor_of(const struct products *products, prove_t term)
{
    if (term->op != PROVE_MUL || term->arg[0]->op == PROVE_NUMBER ||
        term->arg[1]->op == PROVE_NUMBER)
        return NULL;
    return is_n(products, term->arg[1])   ? term->arg[0]
           : is_n(products, term->arg[0]) ? term->arg[1]
                                          : NULL;
}

static bool is_quotient(const struct products *products, prove_t term)
{
    return (term->op == PROVE_DIV || term->op == PROVE_MOD) && is_n(products, term->arg[1]);
}

static prove_t quotient_of(const struct products *products, prove_t term)
{
    for (unsigned q = 0; q < products->quotients; q++) {
        if (products->divided[q] == term->arg[0])
            return products->quotient[q];
    }
    return NULL;
}

static void collect(struct products *products, prove_t term)
{
    if (products->uses[term->id] < 2)
        products->uses[term->id]++;
    if (products->uses[term->id] > 1)
        return; /* seen */
    for (unsigned i = 0; i < term->count; i++)
        collect(products, term->arg[i]);
    prove_t factor = factor_of(products, term);
    if (factor != NULL) {
        found(products->factor, &products->factors, 2 * MAX_PRODUCTS, factor, &products->other);
        return;
    }
    if (is_quotient(products, term)) {
        const unsigned before = products->quotients;
        const unsigned at = found(products->divided, &products->quotients, MAX_PRODUCTS,
                                  term->arg[0], &products->other);
        if (products->quotients > before) {
            char name[32];
            snprintf(name, sizeof name, "quotient%u", at);
            products->quotient[at] =
                prove_variable(products->pool, prove_symbol(products->pool, name));
            found(products->factor, &products->factors, 2 * MAX_PRODUCTS, products->quotient[at],
                  &products->other);
        }
        return;
    }
    products->other |=
        (term->op == PROVE_MUL && term->arg[0]->op != PROVE_NUMBER &&
         term->arg[1]->op != PROVE_NUMBER) ||
        ((term->op == PROVE_DIV || term->op == PROVE_MOD) && term->arg[1]->op != PROVE_NUMBER);
}

static void write_symbol(FILE *stream, const struct prove_pool *pool, unsigned symbol)
{
    fprintf(stream, "|%s|", pool->name[symbol]);
}

static void write_number(FILE *stream, int64_t number)
{
    if (number < 0)
        fprintf(stream, "(- %lld)", -(long long)number);
    else
        fprintf(stream, "%lld", (long long)number);
}

static void write_term(FILE *stream, const struct products *products, prove_t term)
{
    static const char *const names[PROVE_OPS] = {
        [PROVE_ADD] = "+",   [PROVE_MUL] = "*",   [PROVE_DIV] = "div", [PROVE_MOD] = "mod",
        [PROVE_ITE] = "ite", [PROVE_EQ] = "=",    [PROVE_LT] = "<",    [PROVE_LE] = "<=",
        [PROVE_NOT] = "not", [PROVE_AND] = "and", [PROVE_OR] = "or",   [PROVE_IMPLIES] = "=>",
    };
    prove_t factor = factor_of(products, term);
    if (term->id < products->terms && products->named[term->id]) {
        fprintf(stream, "t%u", term->id);
    } else if (term->op == PROVE_NUMBER) {
        write_number(stream, term->number);
    } else if (term->op == PROVE_SYMBOL) {
        write_symbol(stream, products->pool, (unsigned)term->number);
    } else if (term->op == PROVE_TRUE || term->op == PROVE_FALSE) {
        fprintf(stream, term->op == PROVE_TRUE ? "true" : "false");
    } else if (factor != NULL) {
        fprintf(stream, "(times ");
        write_term(stream, products, factor);
        fprintf(stream, ")");
    } else if (is_quotient(products, term) && quotient_of(products, term) != NULL) {
        prove_t quotient = quotient_of(products, term);
        if (term->op == PROVE_DIV) {
            write_term(stream, products, quotient);
            return;
        }
        fprintf(stream, "(- ");
        write_term(stream, products, term->arg[0]);
        fprintf(stream, " (times ");
        write_term(stream, products, quotient);
        fprintf(stream, "))");
    } else if (term->op == PROVE_APPLY) {
        fprintf(stream, "(");
        write_term(stream, products, term->arg[0]);
        fprintf(stream, " ");
        write_term(stream, products, term->arg[1]);
        fprintf(stream, ")");
    } else {
        fprintf(stream, "(%s", names[term->op]);
        for (unsigned i = 0; i < term->count; i++) {
            fprintf(stream, " ");
            write_term(stream, products, term->arg[i]);
        }
        fprintf(stream, ")");
    }
}

/* Names what occurs more than once in a term, before it is written. (By let: a solver that is given
 * definitions reads them again at each place where they are used.) */
static void name_shared(FILE *stream, struct products *products, prove_t term)
{
    if (term->count == 0 || term->id >= products->terms || products->named[term->id])
        return;
    for (unsigned i = 0; i < term->count; i++)
        name_shared(stream, products, term->arg[i]);
    if (products->uses[term->id] < 2)
        return;
    fprintf(stream, "(let ((t%u ", term->id);
    write_term(stream, products, term);
    fprintf(stream, "))\n");
    products->named[term->id] = true;
    products->since[products->sinces++] = term->id;
}

static void write_assertion(FILE *stream, struct products *products, prove_t term, bool negated)
{
    fprintf(stream, "(assert ");
    name_shared(stream, products, term);
    fprintf(stream, negated ? "(not " : "");
    write_term(stream, products, term);
    fprintf(stream, negated ? ")" : "");
    while (products->sinces > 0) {
        products->named[products->since[--products->sinces]] = false;
        fprintf(stream, ")");
    }
    fprintf(stream, ")\n");
}

/* That the goal does not hold. */
static void write_negated(FILE *stream, struct products *products,
                          const struct prove_obligation *obligation)
{
    const struct prove_system *system = obligation->system;
    const unsigned each[] = {system->i, system->j, system->any, system->turn};
    if (obligation->exist == 0 && obligation->for_all == NULL) {
        write_assertion(stream, products, obligation->goal, true);
        return;
    }
    fprintf(stream, "(assert ");
    if (obligation->exist > 0)
        fprintf(stream, "(forall (");
    for (unsigned e = 0; e < obligation->exist; e++)
        fprintf(stream, "(|%s| Int)", system->pool->name[obligation->exists[e]]);
    fprintf(stream, "%s(not (and ", obligation->exist > 0 ? ") " : "");
    write_term(stream, products, obligation->goal);
    if (obligation->for_all != NULL) {
        fprintf(stream, " (forall (");
        for (unsigned e = 0; e < sizeof each / sizeof each[0]; e++)
            fprintf(stream, "(|%s| Int)", system->pool->name[each[e]]);
        fprintf(stream, ") ");
        write_term(stream, products, obligation->for_all);
        fprintf(stream, ")");
    }
    fprintf(stream, "))%s)\n", obligation->exist > 0 ? ")" : "");
}

static bool is_quantified(const struct prove_obligation *obligation)
{
    return obligation->exist > 0 || obligation->for_all != NULL;
}

/* What is true of products with n, for those that occur. */
static void write_products(FILE *stream, struct products *products)
{
    prove_t list[2 * MAX_PRODUCTS + 2];
    unsigned count = 0;
    if (products->factors == 0)
        return;
    list[count++] = prove_number(products->pool, 0);
    list[count++] = prove_number(products->pool, 1);
    for (unsigned f = 0; f < products->factors; f++)
        list[count++] = products->factor[f];
    fprintf(stream, "; times(x) = x * n, as far as it matters\n(assert (= (times 0) 0))\n");
    for (unsigned x = 0; x < count; x++) {
        for (unsigned y = 0; y < count; y++) {
            if (x == y)
                continue;
            prove_t next = prove_add(products->pool, list[x], prove_number(products->pool, 1));
            prove_t is_next = prove_eq(products->pool, list[y], next);
            prove_t less = prove_lt(products->pool, list[x], list[y]);
            prove_t much_less = prove_lt(products->pool, next, list[y]);
            for (unsigned part = 0; part < 3; part++) {
                fprintf(stream, "(assert (=> ");
                write_term(stream, products, part == 0 ? is_next : part == 1 ? less : much_less);
                fprintf(stream, part == 0 ? " (= (times " : " (>= (times ");
                write_term(stream, products, list[y]);
                fprintf(stream, ") (+ (times ");
                write_term(stream, products, list[x]);
                fprintf(stream, ") |n|%s))))\n", part == 2 ? " |n|" : "");
            }
        }
    }
    for (unsigned q = 0; q < products->quotients; q++) {
        fprintf(stream, "(assert (let ((rest (- ");
        write_term(stream, products, products->divided[q]);
        fprintf(stream, " (times ");
        write_term(stream, products, products->quotient[q]);
        fprintf(stream, ")))) (and (<= 0 rest) (< rest |n|))))\n");
    }
}

/* A conjunction is asserted part by part: easier to read. */
static void write_assertions(FILE *stream, struct products *products, prove_t term)
{
    if (term->op == PROVE_AND) {
        for (unsigned i = 0; i < term->count; i++)
            write_assertions(stream, products, term->arg[i]);
        return;
    }
    write_assertion(stream, products, term, false);
}

static void write_declarations(FILE *stream, const struct prove_system *system,
                               struct products *products)
{
    fprintf(stream, "(set-logic %s)\n",
            products->quantified                             ? "ALL"
            : products->other                                ? "QF_UFNIA"
            : products->factors > 0 || system->functions > 0 ? "QF_UFLIA"
                                                             : "QF_LIA");
    const unsigned sizes[] = {system->n, system->l, system->k};
    for (unsigned s = 0; s < 3; s++)
        fprintf(stream, "(declare-const |%s| Int)\n", system->pool->name[sizes[s]]);
    for (unsigned v = 0; v < system->variables; v++)
        fprintf(stream, "(declare-const |%s| Int)\n", system->pool->name[system->variable[v]]);
    for (unsigned f = 0; f < system->functions; f++)
        fprintf(stream, "(declare-fun |%s| (Int) Int)\n", system->pool->name[system->function[f]]);
    for (unsigned q = 0; q < products->quotients; q++)
        fprintf(stream, "(declare-const |%s| Int)\n",
                system->pool->name[products->quotient[q]->number]);
    if (products->factors > 0)
        fprintf(stream, "(declare-fun times (Int) Int)\n");
    write_products(stream, products);
}

static void write_all(FILE *stream, const struct prove_obligation *obligation,
                      const struct prove_question *question, struct products *products)
{
    struct prove_system *system = obligation->system;
    const unsigned sizes[] = {system->n, system->l, system->k};
    collect(products, obligation->assume);
    collect(products, obligation->goal);
    products->quantified = is_quantified(obligation);
    fprintf(stream, "; %s: %s\n; It holds if this has no solution (unsat).\n",
            system->protocol->name, obligation->text);
    if (question->values)
        fprintf(stream, "(set-option :produce-models true)\n");
    write_declarations(stream, system, products);
    write_assertions(stream, products, obligation->assume);
    if (question->also != NULL)
        write_assertions(stream, products, question->also);
    write_negated(stream, products, obligation);
    fprintf(stream, "%s\n", question->check != NULL ? question->check : "(check-sat)");
    if (!question->values)
        return;
    fprintf(stream, "(get-value (");
    for (unsigned s = 0; s < 3; s++)
        fprintf(stream, " |%s|", system->pool->name[sizes[s]]);
    for (unsigned v = 0; v < system->variables; v++)
        fprintf(stream, " |%s|", system->pool->name[system->variable[v]]);
    for (unsigned f = 0; system->functions > 0 && f <= system->reading->locals; f++) {
        const unsigned who[] = {system->me, system->i, system->j};
        for (unsigned w = 0; w < 3; w++)
            fprintf(stream, " (|%s| |%s|)", system->pool->name[system->function[f]],
                    system->pool->name[who[w]]);
    }
    fprintf(stream, "))\n");
}

/* ---- several at once ---- */

/* assumed[id]: how many of the obligations, from the first on, assume the condition. The term is
 * what the one after the first `before` assumes. */
static void count_assumed(unsigned *assumed, unsigned before, prove_t term)
{
    for (unsigned i = 0; term->op == PROVE_AND && i < term->count; i++)
        count_assumed(assumed, before, term->arg[i]);
    if (term->op != PROVE_AND && assumed[term->id] == before)
        assumed[term->id] = before + 1;
}

/* Of what the term says, asserts what all `count` obligations assume; or, `others`, the rest. */
static void write_assumed(FILE *stream, struct products *products, const unsigned *assumed,
                          unsigned count, bool others, prove_t term)
{
    for (unsigned i = 0; term->op == PROVE_AND && i < term->count; i++)
        write_assumed(stream, products, assumed, count, others, term->arg[i]);
    if (term->op == PROVE_AND || (assumed[term->id] == count) == others)
        return;
    write_assertions(stream, products, term);
}

static void write_several(FILE *stream, const struct prove_obligation *obligation, unsigned count,
                          const char *check, struct products *products, const unsigned *assumed)
{
    write_declarations(stream, obligation->system, products);
    write_assumed(stream, products, assumed, count, false, obligation->assume);
    for (unsigned o = 0; o < count; o++) {
        fprintf(stream, "(push 1)\n");
        write_assumed(stream, products, assumed, count, true, obligation[o].assume);
        write_negated(stream, products, &obligation[o]);
        fprintf(stream, "%s\n(pop 1)\n", check);
    }
}

static bool begin(struct products *products, const struct prove_system *system)
{
    const unsigned terms = system->pool->terms;
    *products = (struct products){.pool = system->pool, .n = system->n, .terms = terms};
    products->uses = calloc(terms, 1);
    products->named = calloc(terms, 1);
    products->since = calloc(terms, sizeof *products->since);
    return products->uses != NULL && products->named != NULL && products->since != NULL;
}

static void end(struct products *products)
{
    free(products->uses);
    free(products->named);
    free(products->since);
}

bool prove_write_smt_list(FILE *stream, const struct prove_obligation *obligation, unsigned count,
                          const char *check)
{
    struct products products;
    const bool begun = begin(&products, obligation->system);
    unsigned *assumed = calloc(obligation->system->pool->terms, sizeof *assumed);
    bool made = begun && assumed != NULL;
    for (unsigned o = 0; made && o < count; o++) {
        collect(&products, obligation[o].assume);
        collect(&products, obligation[o].goal);
        count_assumed(assumed, o, obligation[o].assume);
        products.quantified |= is_quantified(&obligation[o]);
    }
    if (made && products.factors > 0) { /* what is said of products is for one question */
        for (unsigned o = 0; o < count; o++) {
            if (o > 0)
                fprintf(stream, "(reset)\n");
            made &=
                prove_write_smt(stream, &obligation[o], &(struct prove_question){.check = check});
        }
    } else if (made) {
        write_several(stream, obligation, count, check, &products, assumed);
    }
    end(&products);
    free(assumed);
    return made && !prove_pool_failed(obligation->system->pool);
}

bool prove_write_smt(FILE *stream, const struct prove_obligation *obligation,
                     const struct prove_question *question)
{
    struct products products;
    const bool made = begin(&products, obligation->system);
    if (made)
        write_all(stream, obligation, question, &products);
    end(&products);
    return made && !prove_pool_failed(obligation->system->pool);
}
