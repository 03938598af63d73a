/*
 * The text of a table, read strictly: every line has to be understood, every entry of delta given
 * once, and every step lead where the papers let it: from R and T to T or C, from C and E to E or R.
 */
#include "refute/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct otherwise { /* STATE * -> ... */
    unsigned line;
    bool stays; /* V is left as it is */
    struct table_entry to;
};

struct parser {
    struct reader reader;
    struct table *table;
    struct names values, states;
    bool initial_given, slots_given, begun;
    unsigned program_line;       /* 0: no program yet */
    uint32_t programs_given;     /* by process */
    unsigned program;            /* the one that is being read */
    struct otherwise *otherwise; /* by state */
    bool *mentioned;             /* by state */
    uint8_t region[TABLE_MAX_STATES];
};

/* ---- names ---- */

static bool add_name(struct parser *parser, struct names *names, const char *what)
{
    const char *name = parser->reader.word;
    if (strcmp(name, "*") == 0 || strcmp(name, "->") == 0)
        return reader_fail(&parser->reader, parser->reader.line, "%s is no name", name);
    if (names_find(names, name) != NAME_NONE)
        return reader_fail(&parser->reader, parser->reader.line, "%s %s is there already", what,
                           name);
    return names_add(names, name) ||
           reader_fail(&parser->reader, parser->reader.line, "more than %u %ss", names->most, what);
}

static bool read_names(struct parser *parser, struct names *names, const char *what, int region)
{
    if (!reader_expect(&parser->reader, "a name"))
        return false;
    for (enum token token = WORD; token != END_OF_LINE; token = reader_word(&parser->reader)) {
        if (token == BAD || !add_name(parser, names, what))
            return false;
        if (region >= 0)
            parser->region[names->count - 1] = (uint8_t)region;
    }
    return true;
}

static bool read_known(struct parser *parser, const struct names *names, const char *what,
                       unsigned *number)
{
    if (!reader_expect(&parser->reader, what))
        return false;
    *number = names_find(names, parser->reader.word);
    return *number != NAME_NONE || reader_fail(&parser->reader, parser->reader.line,
                                               "there is no %s %s", what, parser->reader.word);
}

/* ---- what comes before the programs ---- */

static bool read_claims(struct parser *parser)
{
    struct table *table = parser->table;
    enum token token;
    while ((token = reader_word(&parser->reader)) == WORD) {
        enum check_property property;
        if (!check_property_find(parser->reader.word, &property) || property == CHECK_WINDOW ||
            property == CHECK_DISTINCT_SLOTS || property == CHECK_VALUES)
            return reader_fail(&parser->reader, parser->reader.line,
                               "there is no property %s to claim", parser->reader.word);
        for (size_t c = 0; c < table->variant.claim_count; c++) {
            if (table->claims[c].property == property)
                return reader_fail(&parser->reader, parser->reader.line, "%s is claimed already",
                                   parser->reader.word);
        }
        table->claims[table->variant.claim_count++] =
            (struct protocol_claim){property, CLAIMED, "the table"};
    }
    return token == END_OF_LINE;
}

/* Everything is declared: makes room for delta. */
static bool close_declarations(struct parser *parser)
{
    struct table *table = parser->table;
    if (table->processes == 0)
        return reader_fail(&parser->reader, parser->reader.line,
                           "processes are missing before the program");
    if (parser->values.count == 0)
        return reader_fail(&parser->reader, parser->reader.line,
                           "values are missing before the program");
    unsigned first = 0;
    while (first < parser->states.count && parser->region[first] != CHECK_REMAINDER)
        first++;
    if (first == parser->states.count)
        return reader_fail(&parser->reader, parser->reader.line,
                           "a remainder state is missing before the program");
    table->first_state = first;
    table->values = parser->values.count;
    table->states = parser->states.count;
    const size_t room = (size_t)1 << check_bits_for(table->states);
    table->region = calloc(room, 1);
    parser->otherwise = calloc(table->states, sizeof *parser->otherwise);
    parser->mentioned = calloc(table->states, sizeof *parser->mentioned);
    if (table->region == NULL || parser->otherwise == NULL || parser->mentioned == NULL)
        return reader_fail(&parser->reader, parser->reader.line, "out of memory");
    memcpy(table->region, parser->region, table->states);
    return true;
}

/* ---- programs ---- */

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

/* The program that was read last is at its end: nothing may be missing. */
static bool close_program(struct parser *parser)
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

static bool open_program(struct parser *parser)
{
    struct table *table = parser->table;
    const bool first = parser->program_line == 0;
    if (first ? !close_declarations(parser) : !close_program(parser))
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

/* STATE VALUE -> VALUE STATE; the state has been read. */
static bool read_row(struct parser *parser)
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
    if (!read_known(parser, &parser->states, "local state", &to) || !reader_end(&parser->reader))
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

/* ---- the file ---- */

static bool read_declaration(struct parser *parser, bool *known)
{
    struct table *table = parser->table;
    static const struct {
        const char *name;
        int region;
    } regions[] = {{"remainder", CHECK_REMAINDER},
                   {"trying", CHECK_WAITING},
                   {"critical", CHECK_CRITICAL},
                   {"exit", CHECK_EXIT}};
    const char *name = parser->reader.word;
    *known = true;
    for (unsigned r = 0; r < sizeof regions / sizeof regions[0]; r++) {
        if (strcmp(name, regions[r].name) == 0)
            return read_names(parser, &parser->states, "local state", regions[r].region);
    }
    if (strcmp(name, "values") == 0)
        return read_names(parser, &parser->values, "value", -1);
    if (strcmp(name, "initial") == 0) {
        if (parser->initial_given)
            return reader_fail(&parser->reader, parser->reader.line,
                               "the initial value is given already");
        parser->initial_given = true;
        return read_known(parser, &parser->values, "value", &table->first_value) &&
               reader_end(&parser->reader);
    }
    if (strcmp(name, "processes") == 0) {
        if (table->processes != 0)
            return reader_fail(&parser->reader, parser->reader.line, "processes are given already");
        return reader_number(&parser->reader, "a number", 1, CHECK_MAX_PROCESSES,
                             &table->processes) &&
               reader_end(&parser->reader);
    }
    if (strcmp(name, "slots") == 0) {
        if (parser->slots_given)
            return reader_fail(&parser->reader, parser->reader.line, "slots are given already");
        parser->slots_given = true;
        return reader_number(&parser->reader, "a number", 1, CHECK_MAX_PROCESSES, &table->slots) &&
               reader_end(&parser->reader);
    }
    if (strcmp(name, "claims") == 0)
        return read_claims(parser);
    *known = false;
    return true;
}

static bool read_line(struct parser *parser)
{
    bool known = false;
    switch (reader_word(&parser->reader)) {
    case END_OF_LINE: return true;
    case BAD: return false;
    case WORD: break;
    }
    if (!parser->begun) { /* the first line */
        unsigned version;
        parser->begun = true;
        if (strcmp(parser->reader.word, "berth-table") != 0)
            return reader_fail(&parser->reader, parser->reader.line,
                               "a table begins with the line: berth-table 1");
        return reader_number(&parser->reader, "the version", 1, 1, &version) &&
               reader_end(&parser->reader);
    }
    if (strcmp(parser->reader.word, "program") == 0)
        return open_program(parser);
    if (parser->program_line != 0)
        return read_row(parser);
    if (!read_declaration(parser, &known))
        return false;
    return known || reader_fail(&parser->reader, parser->reader.line, "%s is no declaration",
                                parser->reader.word);
}

static bool read_table(struct parser *parser)
{
    struct table *table = parser->table;
    bool memory = names_open(&parser->values, TABLE_MAX_VALUES);
    memory = names_open(&parser->states, TABLE_MAX_STATES) && memory;
    table->value_name = parser->values.name;
    table->state_name = parser->states.name;
    if (!memory)
        return reader_fail(&parser->reader, 0, "out of memory");
    while (parser->reader.at < parser->reader.end) {
        parser->reader.line++;
        if (!read_line(parser))
            return false;
        if (parser->reader.at < parser->reader.end)
            parser->reader.at++; /* past the end of the line */
    }
    if (parser->program_line == 0)
        return reader_fail(&parser->reader, parser->reader.line > 0 ? parser->reader.line : 1,
                           "there is no program");
    if (!close_program(parser))
        return false;
    for (unsigned p = 0; !table->alike && p < table->processes; p++) {
        if ((parser->programs_given >> p & 1) == 0)
            return reader_fail(&parser->reader, parser->reader.line, "process %u has no program",
                               p);
    }
    return true;
}

bool table_parse(struct table *table, const char *name, const char *text, size_t size, char *error,
                 size_t error_size)
{
    *table = (struct table){.slots = 1};
    snprintf(table->name, sizeof table->name, "%s", name);
    struct parser parser = {.table = table,
                            .reader = {.file = table->name,
                                       .at = text,
                                       .end = text + size,
                                       .error = error,
                                       .error_size = error_size}};
    bool read = read_table(&parser);
    free(parser.values.slot);
    free(parser.states.slot);
    free(parser.otherwise);
    free(parser.mentioned);
    if (!read) {
        table_free(table);
        return false;
    }
    table->variant.name = "";
    table->variant.about = "a transition table";
    table->variant.claims = table->claims;
    table->protocol =
        (struct protocol){.name = table->name,
                          .title = "A transition table",
                          .citation = "a transition table",
                          .min_n = table->alike ? 1 : table->processes,
                          .max_n = table->alike ? CHECK_MAX_PROCESSES : table->processes,
                          .default_n = table->processes,
                          .max_l = CHECK_MAX_PROCESSES,
                          .anonymous = table->alike,
                          .variants = &table->variant,
                          .variant_count = 1};
    table->model = (struct protocol_model){.protocol = &table->protocol};
    return true;
}
