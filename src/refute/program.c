/* The programs of a table: every entry of delta is given once, and every step leads where the
 * papers let it: from R and T to T or C, from C and E to E or R. */
#include "refute/parser.h"

#include <stdlib.h>
#include <string.h>

static const char *region_letter(unsigned region)
{
    return region == CHECK_REMAINDER  ? "remainder"
           : region == CHECK_WAITING  ? "trying"
           : region == CHECK_CRITICAL ? "critical"
                                      : "exit";
}

/* Conditions (a) to (d) of the papers' model. */
static bool may_lead(unsigned from, unsigned to)
{
    return from == CHECK_REMAINDER || from == CHECK_WAITING
               ? to == CHECK_WAITING || to == CHECK_CRITICAL
               : to == CHECK_EXIT || to == CHECK_REMAINDER;
}

bool program_close(struct parser *parser)
{
    struct table *table = parser->table;
    if (parser->program_line == 0)
        return true;
    for (unsigned s = 0; s < table->states; s++) {
        const struct otherwise *otherwise = &parser->otherwise[s];
        for (unsigned v = 0; v < table->values; v++) {
            struct table_entry *entry = table_entry(table, parser->program, s, v);
            if (entry->value != NAME_NONE)
                continue;
            if (otherwise->line != 0) {
                *entry = otherwise->to;
                if (otherwise->stays)
                    entry->value = (uint16_t)v;
            } else if (parser->mentioned[s]) {
                return reader_fail(&parser->reader, parser->program_line,
                                   "the program does not say what %s does with %s",
                                   parser->states.name[s], parser->values.name[v]);
            } else { /* this program does not use the state */
                *entry = (struct table_entry){(uint16_t)v, (uint16_t)s};
            }
        }
    }
    memset(parser->otherwise, 0, table->states * sizeof *parser->otherwise);
    memset(parser->mentioned, 0, table->states * sizeof *parser->mentioned);
    return true;
}

bool program_open(struct parser *parser)
{
    struct table *table = parser->table;
    const bool first = parser->program_line == 0;
    if (!program_close(parser))
        return false;
    if (!first && table->alike)
        return reader_fail(&parser->reader, parser->reader.line,
                           "there is a program for all processes already");
    enum token token = reader_word(&parser->reader);
    if (token == BAD)
        return false;
    if (token == END_OF_LINE) {
        if (!first)
            return reader_fail(&parser->reader, parser->reader.line,
                               "the number of the process is missing");
        table->alike = true;
    } else {
        char *end;
        unsigned long p = strtoul(parser->reader.word, &end, 10);
        if (parser->reader.word[0] < '0' || parser->reader.word[0] > '9' || *end != '\0' ||
            p >= table->processes)
            return reader_fail(&parser->reader, parser->reader.line,
                               "not a process from 0 to %u: %s", table->processes - 1,
                               parser->reader.word);
        if (parser->programs_given >> p & 1)
            return reader_fail(&parser->reader, parser->reader.line,
                               "process %lu has a program already", p);
        parser->programs_given |= UINT32_C(1) << p;
        parser->program = (unsigned)p;
        if (!reader_end(&parser->reader))
            return false;
    }
    parser->program_line = parser->reader.line;
    parser->mentioned[table->first_state] = true;
    if (!first)
        return true;
    table->programs = table->alike ? 1 : table->processes;
    const size_t entries = (size_t)table->programs * table->states * table->values;
    if (entries > TABLE_MAX_ENTRIES)
        return reader_fail(&parser->reader, parser->reader.line, "%zu entries are more than %d",
                           entries, (int)TABLE_MAX_ENTRIES);
    table->next = malloc(entries * sizeof *table->next);
    if (table->next == NULL)
        return reader_fail(&parser->reader, parser->reader.line, "out of memory");
    for (size_t e = 0; e < entries; e++)
        table->next[e] = (struct table_entry){NAME_NONE, 0};
    return true;
}

bool program_row(struct parser *parser)
{
    struct table *table = parser->table;
    unsigned from, to, value = 0, left = 0;
    from = names_find(&parser->states, parser->reader.word);
    if (from == NAME_NONE)
        return reader_fail(&parser->reader, parser->reader.line, "there is no local state %s",
                           parser->reader.word);
    if (!reader_expect(&parser->reader, "a value"))
        return false;
    const bool every = strcmp(parser->reader.word, "*") == 0;
    if (!every && (value = names_find(&parser->values, parser->reader.word)) == NAME_NONE)
        return reader_fail(&parser->reader, parser->reader.line, "there is no value %s",
                           parser->reader.word);
    if (!reader_expect(&parser->reader, "->"))
        return false;
    if (strcmp(parser->reader.word, "->") != 0)
        return reader_fail(&parser->reader, parser->reader.line, "-> was expected, not %s",
                           parser->reader.word);
    if (!reader_expect(&parser->reader, "a value"))
        return false;
    const bool stays = strcmp(parser->reader.word, "*") == 0;
    if (!stays && (left = names_find(&parser->values, parser->reader.word)) == NAME_NONE)
        return reader_fail(&parser->reader, parser->reader.line, "there is no value %s",
                           parser->reader.word);
    if (!reader_expect(&parser->reader, "local state"))
        return false;
    to = names_find(&parser->states, parser->reader.word);
    if (to == NAME_NONE)
        return reader_fail(&parser->reader, parser->reader.line, "there is no local state %s",
                           parser->reader.word);
    if (!reader_end(&parser->reader))
        return false;
    if (!may_lead(table->region[from], table->region[to]))
        return reader_fail(&parser->reader, parser->reader.line,
                           "a step may not lead from %s (%s) to %s (%s)", parser->states.name[from],
                           region_letter(table->region[from]), parser->states.name[to],
                           region_letter(table->region[to]));
    parser->mentioned[from] = parser->mentioned[to] = true;
    struct table_entry entry = {(uint16_t)(stays ? value : left), (uint16_t)to};
    if (every) {
        if (parser->otherwise[from].line != 0)
            return reader_fail(&parser->reader, parser->reader.line,
                               "%s has a row for every other value at line %u",
                               parser->states.name[from], parser->otherwise[from].line);
        parser->otherwise[from] = (struct otherwise){parser->reader.line, stays, entry};
        return true;
    }
    struct table_entry *place = table_entry(table, parser->program, from, value);
    if (place->value != NAME_NONE)
        return reader_fail(&parser->reader, parser->reader.line,
                           "what %s does with %s was said before", parser->states.name[from],
                           parser->values.name[value]);
    *place = entry;
    return true;
}
