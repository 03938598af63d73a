#include "prove/shown.h"

#include <stdarg.h>
#include <string.h>

struct writer {
    const struct prove_pool *pool;
    char *text;
    size_t size, used;
};

static void put(struct writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void put(struct writer *writer, const char *format, ...)
{
    va_list arguments;
    if (writer->used >= writer->size)
        return;
    va_start(arguments, format);
    const int length =
        vsnprintf(writer->text + writer->used, writer->size - writer->used, format, arguments);
    va_end(arguments);
    writer->used = length < 0 ? writer->size : writer->used + (size_t)length;
}

/* How tightly the operation binds: what binds less needs parentheses within it. */
static int binds(prove_t term)
{
    switch (term->op) {
    case PROVE_OR: return 1;
    case PROVE_AND: return 2;
    case PROVE_EQ:
    case PROVE_LT:
    case PROVE_LE: return 3;
    case PROVE_ADD: return 4;
    case PROVE_MUL:
    case PROVE_DIV:
    case PROVE_MOD: return 5;
    case PROVE_NOT: return term->arg[0]->op == PROVE_EQ ? 3 : 6;
    default: return 7;
    }
}

static void write_term(struct writer *writer, prove_t term);

static void write_within(struct writer *writer, prove_t term, int least)
{
    const bool apart = binds(term) < least;
    put(writer, apart ? "(" : "");
    write_term(writer, term);
    put(writer, apart ? ")" : "");
}

static void write_between(struct writer *writer, prove_t term, const char *sign)
{
    for (unsigned i = 0; i < term->count; i++) {
        put(writer, "%s", i > 0 ? sign : "");
        write_within(writer, term->arg[i],
                     binds(term) + (term->op >= PROVE_EQ && term->op <= PROVE_LE));
    }
}

static void write_symbol(struct writer *writer, const char *name)
{
    static const struct {
        const char *name, *shown;
    } words[] = {{"$i", "I"},      {"$j", "J"},           {"$k", "ANY"}, {"$t", "ANY_TURN"},
                 {"$w", "VACANT"}, {"$behind", "BEHIND"}, {"me", "ME"}};
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
        if (strcmp(words[w].name, name) == 0) {
            put(writer, "%s", words[w].shown);
            return;
        }
    }
    if (name[0] == '#')
        put(writer,
            name[1] == ':'   ? "IN(%s)"
            : name[1] == '!' ? "TRANSFORMED_IN(%s)"
                             : "AT(%s)",
            name + 1 + (name[1] == ':' || name[1] == '!'));
    else
        put(writer, "%s", name);
}

/* An array's element, or what is said of a process. */
static void write_applied(struct writer *writer, const char *name, prove_t of)
{
    static const struct {
        const char *begins, *word;
    } words[] = {{"@:", "IS_IN"},     {"@!", "IS_TRANSFORMED_IN"},
                 {"@/", "IS_WITHIN"}, {"@^", "IS_CALLED_AT"},
                 {"@", "IS_AT"},      {".", "MINE"},
                 {"its.", "MINE"}};
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
        const size_t length = strlen(words[w].begins);
        if (strncmp(name, words[w].begins, length) != 0)
            continue;
        put(writer, "%s(", words[w].word);
        write_term(writer, of);
        put(writer, ", %s)", name + length);
        return;
    }
    put(writer, "%s[", name);
    write_term(writer, of);
    put(writer, "]");
}

/* A sum, with what is taken away after what is added. */
static void write_sum(struct writer *writer, prove_t term)
{
    bool first = true;
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < term->count; i++) {
            prove_t part = term->arg[i];
            const bool number = part->op == PROVE_NUMBER && part->number < 0;
            const bool times = part->op == PROVE_MUL && part->arg[0]->op == PROVE_NUMBER &&
                               part->arg[0]->number == -1;
            if ((number || times) != (round == 1))
                continue;
            put(writer, "%s",
                first             ? (number || times ? "-" : "")
                : number || times ? " - "
                                  : " + ");
            if (number)
                put(writer, "%lld", -(long long)part->number);
            else
                write_within(writer, times ? part->arg[1] : part, 5);
            first = false;
        }
    }
}

static void write_function(struct writer *writer, const char *name, prove_t term)
{
    put(writer, "%s(", name);
    for (unsigned i = 0; i < term->count; i++) {
        put(writer, "%s", i > 0 ? ", " : "");
        write_term(writer, term->arg[i]);
    }
    put(writer, ")");
}

static bool is_one_or_zero(prove_t term)
{
    return term->arg[1]->op == PROVE_NUMBER && term->arg[1]->number == 1 &&
           term->arg[2]->op == PROVE_NUMBER && term->arg[2]->number == 0;
}

/* What is said of a process is a number, 1 or 0: that it is 1 is said without that. */
static prove_t said_of_process(const struct prove_pool *pool, prove_t term)
{
    for (unsigned a = 0; term->op == PROVE_EQ && a < 2; a++) {
        prove_t part = term->arg[a], other = term->arg[1 - a];
        const char *name = part->op == PROVE_APPLY    ? pool->name[part->arg[0]->number]
                           : part->op == PROVE_SYMBOL ? pool->name[part->number]
                                                      : "";
        if ((name[0] == '@' || strcmp(name, "$behind") == 0 || strcmp(name, "returned") == 0) &&
            other->op == PROVE_NUMBER && other->number == 1)
            return part;
    }
    return NULL;
}

static void write_term(struct writer *writer, prove_t term)
{
    prove_t said = said_of_process(writer->pool, term);
    if (said != NULL) {
        write_term(writer, said);
        return;
    }
    switch (term->op) {
    case PROVE_NUMBER: put(writer, "%lld", (long long)term->number); break;
    case PROVE_SYMBOL: write_symbol(writer, writer->pool->name[term->number]); break;
    case PROVE_TRUE: put(writer, "true"); break;
    case PROVE_FALSE: put(writer, "false"); break;
    case PROVE_ADD: write_sum(writer, term); break;
    case PROVE_MUL: write_between(writer, term, " * "); break;
    case PROVE_DIV: write_between(writer, term, " / "); break;
    case PROVE_MOD: write_between(writer, term, " % "); break;
    case PROVE_EQ: write_between(writer, term, " == "); break;
    case PROVE_LT: write_between(writer, term, " < "); break;
    case PROVE_LE: write_between(writer, term, " <= "); break;
    case PROVE_AND: write_between(writer, term, " && "); break;
    case PROVE_OR: write_between(writer, term, " || "); break;
    case PROVE_APPLY:
        write_applied(writer, writer->pool->name[term->arg[0]->number], term->arg[1]);
        break;
    case PROVE_NOT:
        if (term->arg[0]->op == PROVE_EQ && said_of_process(writer->pool, term->arg[0]) == NULL) {
            write_between(writer, term->arg[0], " != ");
            break;
        }
        put(writer, "!");
        write_within(writer, term->arg[0], said_of_process(writer->pool, term->arg[0]) ? 0 : 7);
        break;
    case PROVE_ITE:
        if (is_one_or_zero(term)) {
            put(writer, "ONE(");
            write_term(writer, term->arg[0]);
            put(writer, ")");
        } else {
            write_function(writer, "EITHER", term);
        }
        break;
    case PROVE_IMPLIES: write_function(writer, "implies", term); break;
    default: write_function(writer, "POSITION", term); break;
    }
}

void prove_shown(const struct prove_pool *pool, prove_t term, char *text, size_t size)
{
    struct writer writer = {.pool = pool, .text = text, .size = size};
    text[0] = '\0';
    write_term(&writer, term);
    if (writer.used >= size && size > 4)
        memcpy(text + size - 4, "...", 4);
}
