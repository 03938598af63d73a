/* The text of a table, read strictly: every line has to be understood. */
#include "refute/parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        return (parser->program_line != 0 || close_declarations(parser)) && program_open(parser);
    if (parser->program_line != 0)
        return program_row(parser);
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
    if (!program_close(parser))
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
