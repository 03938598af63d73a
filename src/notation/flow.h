/*
 * What a protocol file consists of, and the way through each of its sections: statements and words
 * as nodes of a graph, expressions as lists of the names in them. Half a parser: it knows braces,
 * statements and the words of the notation, and leaves expressions to the C compiler.
 */
#ifndef BERTH_NOTATION_FLOW_H
#define BERTH_NOTATION_FLOW_H

#include "notation/scan.h"

#include <stdint.h>

enum { NOTATION_VARIABLES = 128, NOTATION_NOWHERE = -1 };

/* A plain C variable of a section: it has a value within one step only. */
struct notation_variable {
    const struct notation_token *name;
    const char *what; /* "array", "structure", "pointer", "volatile variable" or "variable" */
    bool is_static;
    bool is_whole; /* an assignment to its name gives all of it a value */
};

enum notation_event_kind {
    NOTATION_USES,
    NOTATION_SETS,
    NOTATION_POINTS, /* the end of a step: what follows may be made much later */
};
struct notation_event {
    enum notation_event_kind kind;
    unsigned variable;
    const struct notation_token *where;
};

struct notation_node {
    const struct notation_token *word;  /* of an access or a call; NULL: there is none */
    const struct notation_token *label; /* of an access */
    const struct notation_token *cell;  /* which it accesses; a subroutine, of a call */
    bool leaves;                        /* by goto CRITICAL, REMAINDER or TRYING, or at the end */
    struct notation_event *event;
    size_t events;
    int *next;
    size_t nexts;
    bool reached;
};

struct notation_section {
    const struct notation_token *name; /* ENTRY, or that of a subroutine */
    bool is_sub;
    bool has_steps;  /* ENTRY and the like; otherwise a section over states */
    bool is_free;    /* SHOW: it may call what it likes */
    size_t from, to; /* its tokens, without the first and the last word */
    struct notation_node *node;
    size_t nodes;
    struct notation_variable variable[NOTATION_VARIABLES];
    unsigned variables;
    bool is_lost; /* the text was not understood: the compiler will say why, or nobody knows */
};

struct notation_function {
    const struct notation_token *name;
    size_t from, to;
};

/* A variable of the file that is no constant. */
struct notation_global {
    const struct notation_token *name;
};

struct notation_file {
    struct notation_tokens tokens;
    struct notation_section *section;
    size_t sections;
    struct notation_function *function;
    size_t functions;
    struct notation_global *global;
    size_t globals;
    bool no_memory;
};

/* Reads what notation_scan has scanned; takes `tokens` over. False: there is no memory. */
bool notation_read(struct notation_tokens *tokens, struct notation_file *file);
void notation_file_free(struct notation_file *file);

/* Whether the file declares this name as a variable of this kind, such as "local" (CELLS, LOCALS
 * and so on). */
bool notation_declares(const struct notation_file *file, const char *kind,
                       const struct notation_token *name);

/* The token behind the bracket that closes the one at `open`; `to`: there is none before. */
size_t notation_behind(const struct notation_tokens *tokens, size_t open, size_t to);

#endif
