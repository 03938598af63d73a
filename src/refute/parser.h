/* The two halves of reading a table: the declarations and the file (parse.c), the programs
 * (program.c). */
#ifndef BERTH_REFUTE_PARSER_H
#define BERTH_REFUTE_PARSER_H

#include "refute/reader.h"

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

/* Declarations are closed; a line "program" has been begun. */
bool program_open(struct parser *parser);
/* A row; its first word, the state, has been read. */
bool program_row(struct parser *parser);
/* The program that was read last is at its end, if there is one: nothing may be missing. */
bool program_close(struct parser *parser);

#endif
