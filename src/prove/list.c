#include "prove/list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct prove_pool *pool;
    const char *at;
    bool bad;
};

static void skip(struct reader *reader)
{
    for (;;) {
        reader->at += strspn(reader->at, " \t\r\n");
        if (*reader->at != ';')
            return;
        reader->at += strcspn(reader->at, "\n");
    }
}

static const char *text(struct reader *reader, const char *from, size_t length)
{
    char *copy = prove_alloc(reader->pool, length + 1);
    if (copy == NULL) {
        reader->bad = true;
        return "";
    }
    memcpy(copy, from, length);
    return copy;
}

static const char *atom(struct reader *reader, bool *quoted)
{
    const char *from = reader->at;
    *quoted = *from == '"';
    if (*from == '"' || *from == '|') {
        const char *end = strchr(from + 1, *from);
        if (end == NULL) {
            reader->bad = true;
            return "";
        }
        reader->at = end + 1;
        return text(reader, from + 1, (size_t)(end - from) - 1);
    }
    const size_t length = strcspn(from, " \t\r\n()\"|;");
    reader->at += length;
    return text(reader, from, length);
}

/* The lists and atoms up to a closing parenthesis or the end. */
static const struct prove_list *lists(struct reader *reader, unsigned depth)
{
    const struct prove_list *first = NULL, **last = &first;
    if (depth > 10000)
        reader->bad = true;
    for (skip(reader); !reader->bad && *reader->at != '\0' && *reader->at != ')'; skip(reader)) {
        struct prove_list *made = prove_alloc(reader->pool, sizeof *made);
        if (made == NULL) {
            reader->bad = true;
            return NULL;
        }
        if (*reader->at == '(') {
            reader->at++;
            made->first = lists(reader, depth + 1);
            reader->bad |= *reader->at != ')';
            if (!reader->bad)
                reader->at++;
        } else {
            made->atom = atom(reader, &made->quoted);
        }
        *last = made;
        last = &made->next;
    }
    return first;
}

const struct prove_list *prove_lists(struct prove_pool *pool, const char *text_of)
{
    struct reader reader = {.pool = pool, .at = text_of};
    const struct prove_list *first = lists(&reader, 0);
    return reader.bad || *reader.at != '\0' ? NULL : first;
}

const struct prove_list *prove_nth(const struct prove_list *list, unsigned n)
{
    const struct prove_list *each = list == NULL ? NULL : list->first;
    while (each != NULL && n-- > 0)
        each = each->next;
    return each;
}

const char *prove_atom(const struct prove_list *list, unsigned n)
{
    const struct prove_list *item = prove_nth(list, n);
    return item == NULL ? NULL : item->atom;
}

bool prove_begins(const struct prove_list *list, const char *atom_of)
{
    const char *first = prove_atom(list, 0);
    return first != NULL && strcmp(first, atom_of) == 0;
}

bool prove_integer(const struct prove_list *list, int64_t *number)
{
    bool minus = false;
    if (list == NULL)
        return false;
    if (list->atom == NULL) {
        if (!prove_begins(list, "-") || prove_nth(list, 2) != NULL)
            return false;
        minus = true;
        list = prove_nth(list, 1);
    }
    if (list == NULL || list->atom == NULL || list->quoted || list->atom[0] < '0' ||
        list->atom[0] > '9')
        return false;
    char *end;
    errno = 0;
    const long long value = strtoll(list->atom, &end, 10);
    *number = minus ? -value : value;
    return errno == 0 && *end == '\0';
}

static const struct {
    const char *name;
    enum prove_op op;
    unsigned least, most; /* arguments */
} operators[] = {
    {"+", PROVE_ADD, 1, 1000},   {"*", PROVE_MUL, 2, 2},    {"div", PROVE_DIV, 2, 2},
    {"mod", PROVE_MOD, 2, 2},    {"ite", PROVE_ITE, 3, 3},  {"=", PROVE_EQ, 2, 2},
    {"<", PROVE_LT, 2, 2},       {"<=", PROVE_LE, 2, 2},    {"not", PROVE_NOT, 1, 1},
    {"and", PROVE_AND, 1, 1000}, {"or", PROVE_OR, 1, 1000}, {"position", PROVE_POSITION, 3, 3},
};

prove_t prove_term_of(struct prove_pool *pool, const struct prove_list *list)
{
    int64_t number;
    if (list == NULL)
        return NULL;
    if (prove_integer(list, &number))
        return prove_number(pool, number);
    if (list->atom != NULL) {
        if (strcmp(list->atom, "true") == 0 || strcmp(list->atom, "false") == 0)
            return prove_bool(pool, list->atom[0] == 't');
        return prove_variable(pool, prove_symbol(pool, list->atom));
    }
    if (prove_begins(list, "@")) {
        const struct prove_list *function = prove_nth(list, 1);
        prove_t to = prove_term_of(pool, prove_nth(list, 2));
        return function == NULL || function->atom == NULL || to == NULL
                   ? NULL
                   : prove_apply(pool, prove_symbol(pool, function->atom), to);
    }
    for (unsigned o = 0; o < sizeof operators / sizeof operators[0]; o++) {
        if (!prove_begins(list, operators[o].name))
            continue;
        unsigned count = 0;
        for (const struct prove_list *each = list->first->next; each != NULL; each = each->next)
            count++;
        if (count < operators[o].least || count > operators[o].most)
            return NULL;
        prove_t *arg = prove_alloc(pool, count * sizeof(prove_t));
        if (arg == NULL)
            return NULL;
        count = 0;
        for (const struct prove_list *each = list->first->next; each != NULL; each = each->next) {
            arg[count] = prove_term_of(pool, each);
            if (arg[count++] == NULL)
                return NULL;
        }
        if (operators[o].op == PROVE_POSITION && arg[0]->op != PROVE_SYMBOL)
            return NULL;
        return prove_make(pool, operators[o].op, count, arg);
    }
    return NULL;
}
