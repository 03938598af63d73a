#include "protocol/own.h"

#include "protocol/checked.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct protocol_own protocol_own;

enum { MOST_SOURCES = 16 };

/* ---- what can be wrong with the data of a file ---- */

static const char *wrong_numbers(const struct protocol *protocol, char *text, size_t size)
{
    const unsigned min_l = protocol->min_l > 1 ? protocol->min_l : 1;
    if (protocol->name == NULL || protocol->name[0] == '\0')
        return "PROTOCOL has no .name";
    if (protocol->title == NULL || protocol->citation == NULL)
        return "PROTOCOL has no .title or no .citation";
    if (protocol->variant_count == 0 || protocol->variants == NULL)
        return "PROTOCOL has no VARIANTS; the first is the protocol itself";
    if (protocol->min_n < 1 || protocol->default_n < protocol->min_n ||
        protocol->max_n < protocol->default_n) {
        snprintf(text, size, "PROTOCOL needs 1 <= .min_n <= .default_n <= .max_n, not %u, %u, %u",
                 protocol->min_n, protocol->default_n, protocol->max_n);
        return text;
    }
    if (!protocol->is_object && protocol->max_l < min_l) {
        snprintf(text, size, "PROTOCOL has .max_l = %u: 1 is mutual exclusion", protocol->max_l);
        return text;
    }
    return NULL;
}

static const char *wrong_claims(const struct protocol_variant *variant, char *text, size_t size)
{
    const char *name = variant->name[0] != '\0' ? variant->name : "the protocol itself";
    for (size_t c = 0; c < variant->claim_count; c++) {
        const struct protocol_claim *claim = &variant->claims[c];
        if ((unsigned)claim->property >= CHECK_PROPERTIES) {
            snprintf(text, size, "variant %s: claim %zu is about no property", name, c + 1);
            return text;
        }
        if (claim->stance != CLAIMED && claim->stance != NOT_CLAIMED) {
            snprintf(text, size, "variant %s: %s is neither CLAIMED nor NOT_CLAIMED", name,
                     check_property_name(claim->property));
            return text;
        }
        if (claim->source == NULL && claim->why == NULL) {
            snprintf(text, size, "variant %s: the claim about %s has neither a source nor a .why", name,
                     check_property_name(claim->property));
            return text;
        }
        for (size_t d = 0; d < c; d++) {
            if (variant->claims[d].property != claim->property)
                continue;
            snprintf(text, size, "variant %s makes two claims about %s: \"%s\" and \"%s\"", name,
                     check_property_name(claim->property),
                     protocol_basis(&variant->claims[d], (char[PROTOCOL_BASIS]){0}),
                     protocol_basis(claim, (char[PROTOCOL_BASIS]){0}));
            return text;
        }
    }
    return NULL;
}

static const char *wrong_variants(const struct protocol *protocol, char *text, size_t size)
{
    for (size_t v = 0; v < protocol->variant_count; v++) {
        const struct protocol_variant *variant = &protocol->variants[v];
        if (variant->name == NULL || variant->about == NULL) {
            snprintf(text, size, "variant %zu has no name, or no line about it", v);
            return text;
        }
        if ((v == 0) != (variant->name[0] == '\0')) {
            snprintf(text, size,
                     v == 0 ? "the first variant is the protocol itself, and is called \"\""
                            : "variant %zu is called \"\", as only the first may be",
                     v);
            return text;
        }
        for (size_t w = 0; w < v; w++) {
            if (strcmp(protocol->variants[w].name, variant->name) == 0) {
                snprintf(text, size, "two variants are called \"%s\"", variant->name);
                return text;
            }
        }
        const char *wrong = wrong_claims(variant, text, size);
        if (wrong != NULL)
            return wrong;
    }
    return NULL;
}

/* Such as "state-rank": it can be typed, and completed in every shell. */
static bool is_option_word(const char *text)
{
    return text[0] != '\0' && text[0] != '-' &&
           text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0';
}

static bool has_good_values(const struct protocol_option *option)
{
    const unsigned count = protocol_values(option);
    for (unsigned v = 0; v < count; v++) {
        if (!is_option_word(option->values[v]))
            return false;
        for (unsigned w = 0; w < v; w++) {
            if (strcmp(option->values[v], option->values[w]) == 0)
                return false;
        }
    }
    return count > 1;
}

static const char *wrong_options(const struct protocol *protocol, char *text, size_t size)
{
    const unsigned count = protocol_options(protocol);
    for (unsigned o = 0; o < STEP_MAX_OPTIONS; o++) {
        const struct protocol_option *option = &protocol->options[o];
        if (o >= count && (option->name != NULL || option->values[0] != NULL)) {
            snprintf(text, size, "option %u of PROTOCOL has no name", count);
            return text;
        }
        if (o >= count)
            continue;
        if (!is_option_word(option->name)) {
            snprintf(text, size, "\"%s\" cannot be the name of an option: a-z, 0-9 and -",
                     option->name);
            return text;
        }
        if (option->about == NULL || option->argument == NULL ||
            !isupper((unsigned char)option->argument[0])) {
            snprintf(text, size, "the option %s needs a line about it, and an argument in capitals",
                     option->name);
            return text;
        }
        if (!has_good_values(option)) {
            snprintf(text, size,
                     "the option %s needs two values at least, each once, of a-z, 0-9 and -",
                     option->name);
            return text;
        }
        for (unsigned other = 0; other < o; other++) {
            if (strcmp(protocol->options[other].name, option->name) == 0) {
                snprintf(text, size, "two options are called %s", option->name);
                return text;
            }
        }
    }
    return NULL;
}

/* ---- what the code says, beside what the data says ---- */

/* Whether `constant`, such as LAST_FIRST, is the name of a variant, such as "last-first". */
static bool is_called(const char *constant, const char *name)
{
    for (; *constant != '\0' && *name != '\0'; constant++, name++) {
        const int c = *constant == '_' ? '-' : tolower((unsigned char)*constant);
        if (c != (*name == '_' ? '-' : tolower((unsigned char)*name)))
            return false;
    }
    return *constant == *name;
}

static const char *wrong_variant_mark(const struct protocol *protocol, const struct step_mark *mark,
                                      char *text, size_t size)
{
    if (mark->value < 0 || (size_t)mark->value >= protocol->variant_count) {
        snprintf(text, size, "line %u: VARIANT(%s) is variant %d, and there are %zu", mark->line,
                 mark->text, mark->value, protocol->variant_count);
        return text;
    }
    /* The protocol itself may be called anything that no variant is called. */
    for (size_t v = 0; v < protocol->variant_count; v++) {
        const bool called = is_called(mark->text, protocol->variants[v].name);
        if (called == ((size_t)mark->value == v) || (v == 0 && mark->value == 0) ||
            isdigit((unsigned char)mark->text[0]))
            continue;
        snprintf(text, size,
                 "line %u: VARIANT(%s) is variant %d, which is called \"%s\": the constants are in "
                 "the order of the variants, and called like them",
                 mark->line, mark->text, mark->value, protocol->variants[mark->value].name);
        return text;
    }
    return NULL;
}

static bool is_word(const struct step_mark *mark, const char *of)
{
    return strcmp(mark->word, of) == 0;
}

bool protocol_labels_twice(const struct protocol_model *model)
{
    for (const struct step_mark *mark = model->marks; mark < model->marks_end; mark++) {
        for (const struct step_mark *other = model->marks; other < mark; other++) {
            if (is_word(mark, "label") && is_word(other, "label") &&
                strcmp(other->text, mark->text) == 0 &&
                (other->line != mark->line || strcmp(other->file, mark->file) != 0))
                return true;
        }
    }
    return false;
}

static const char *wrong_place(const struct protocol_model *model, const struct step_mark *mark,
                               char *text, size_t size)
{
    for (const struct step_mark *other = model->marks; other < model->marks_end; other++) {
        if (is_word(other, "label") && strcmp(other->text, mark->text) == 0)
            return NULL;
    }
    snprintf(text, size, "line %u: AT(.., %s), and no access has that label", mark->line, mark->text);
    return text;
}

static const char *wrong_marks(const struct protocol_model *model, char *text, size_t size)
{
    const struct protocol *protocol = model->protocol;
    const char *wrong = NULL;
    for (const struct step_mark *mark = model->marks; mark < model->marks_end && wrong == NULL;
         mark++) {
        if (is_word(mark, "AT")) {
            wrong = wrong_place(model, mark, text, size);
        } else if (is_word(mark, "VARIANT")) {
            wrong = wrong_variant_mark(protocol, mark, text, size);
        } else if (is_word(mark, "ME") && protocol->anonymous) {
            snprintf(text, size,
                     "line %u uses ME, and PROTOCOL says .anonymous: processes that know who they "
                     "are cannot be exchanged",
                     mark->line);
            wrong = text;
        } else if (is_word(mark, "LIMIT") && protocol->default_limit == 0 && !protocol->cuts_off) {
            snprintf(text, size, "line %u uses LIMIT, and PROTOCOL has no .default_limit", mark->line);
            wrong = text;
        }
    }
    return wrong;
}

const char *protocol_wrong(const struct protocol_model *model, char *text, size_t size)
{
    const char *wrong = wrong_numbers(model->protocol, text, size);
    if (wrong == NULL)
        wrong = wrong_variants(model->protocol, text, size);
    if (wrong == NULL)
        wrong = wrong_options(model->protocol, text, size);
    if (wrong == NULL)
        wrong = wrong_marks(model, text, size);
    return wrong;
}

bool protocol_own_register(const char *path, const struct protocol_model *model,
                           const struct protocol_native *native, char *text, size_t size)
{
    const char *wrong = protocol_wrong(model, text, size);
    if (wrong != NULL) {
        if (wrong != text)
            snprintf(text, size, "%s", wrong);
        return false;
    }
    protocol_own = (struct protocol_own){path, model, native};
    return true;
}

/* ---- its text ---- */

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t size = 0, room = 0;
    if (file == NULL)
        return NULL;
    for (;;) {
        if (room - size < 2) {
            char *larger = realloc(text, room = room == 0 ? 1 << 16 : 2 * room);
            if (larger == NULL)
                break;
            text = larger;
        }
        const size_t got = fread(text + size, 1, room - size - 1, file);
        size += got;
        if (got == 0)
            break;
    }
    fclose(file);
    if (text != NULL)
        text[size] = '\0';
    return text;
}

const struct text_file *protocol_own_source(const char *path)
{
    static struct text_file sources[MOST_SOURCES];
    static size_t count;
    if (protocol_own.path == NULL)
        return NULL;
    for (size_t s = 0; s < count; s++) {
        if (strcmp(sources[s].path, path) == 0)
            return &sources[s];
    }
    char *text = count < MOST_SOURCES ? read_text(path) : NULL;
    char *name = text != NULL ? strdup(path) : NULL;
    if (name == NULL) {
        free(text);
        return NULL;
    }
    sources[count] = (struct text_file){name, text};
    return &sources[count++];
}
