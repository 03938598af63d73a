/* Words, numbers and names of a table's text, and where in it an error is. */
#include "refute/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool reader_fail(struct reader *reader, unsigned line, const char *format, ...)
{
    int used = snprintf(reader->error, reader->error_size, "%s:%u: ", reader->file, line);
    va_list arguments;
    va_start(arguments, format);
    if (used >= 0 && (size_t)used < reader->error_size)
        vsnprintf(reader->error + used, reader->error_size - (size_t)used, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- words ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

enum token reader_word(struct reader *reader)
{
    while (reader->at < reader->end && is_blank(*reader->at))
        reader->at++;
    if (reader->at < reader->end && *reader->at == '#') {
        while (reader->at < reader->end && *reader->at != '\n')
            reader->at++;
    }
    if (reader->at == reader->end || *reader->at == '\n')
        return END_OF_LINE;
    size_t length = 0;
    while (reader->at < reader->end && !is_blank(*reader->at) && *reader->at != '\n') {
        const unsigned char c = (unsigned char)*reader->at++;
        if (c <= ' ' || c > '~') {
            reader_fail(reader, reader->line, "byte 0x%02x has no place in a table", c);
            return BAD;
        }
        if (length == sizeof reader->word - 1) {
            reader_fail(reader, reader->line, "a word of more than %d characters: %.16s...",
                        TABLE_NAME - 1, reader->word);
            return BAD;
        }
        reader->word[length++] = (char)c;
        reader->word[length] = '\0';
    }
    return WORD;
}

bool reader_expect(struct reader *reader, const char *what)
{
    enum token token = reader_word(reader);
    if (token == END_OF_LINE)
        return reader_fail(reader, reader->line, "%s is missing", what);
    return token == WORD;
}

bool reader_end(struct reader *reader)
{
    enum token token = reader_word(reader);
    if (token == WORD)
        return reader_fail(reader, reader->line, "nothing was expected here: %s", reader->word);
    return token == END_OF_LINE;
}

bool reader_number(struct reader *reader, const char *what, unsigned least, unsigned most,
                   unsigned *number)
{
    if (!reader_expect(reader, what))
        return false;
    unsigned long value = 0;
    for (const char *c = reader->word; *c != '\0'; c++) {
        if (*c < '0' || *c > '9' || value > 100000)
            return reader_fail(reader, reader->line, "not a number from %u to %u: %s", least, most,
                               reader->word);
        value = 10 * value + (unsigned long)(*c - '0');
    }
    if (value < least || value > most)
        return reader_fail(reader, reader->line, "not a number from %u to %u: %s", least, most,
                           reader->word);
    *number = (unsigned)value;
    return true;
}

/* ---- names ---- */

bool names_open(struct names *names, unsigned most)
{
    *names = (struct names){.most = most, .slots = 2 * most};
    names->name = calloc(most, sizeof *names->name);
    names->slot = calloc(names->slots, sizeof *names->slot);
    return names->name != NULL && names->slot != NULL;
}

/* Where the name is, or belongs. */
static unsigned names_place(const struct names *names, const char *name)
{
    uint32_t hash = 2166136261;
    for (const char *c = name; *c != '\0'; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619;
    unsigned place = hash % names->slots;
    while (names->slot[place] != 0 && strcmp(names->name[names->slot[place] - 1], name) != 0)
        place = (place + 1) % names->slots;
    return place;
}

unsigned names_find(const struct names *names, const char *name)
{
    const unsigned slot = names->slot[names_place(names, name)];
    return slot == 0 ? NAME_NONE : slot - 1U;
}

bool names_add(struct names *names, const char *name)
{
    if (names->count == names->most)
        return false;
    snprintf(names->name[names->count], sizeof names->name[0], "%s", name);
    names->slot[names_place(names, name)] = (uint16_t)(names->count + 1);
    names->count++;
    return true;
}
