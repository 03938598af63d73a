#include "notation/flow.h"

#include <stdlib.h>
#include <string.h>

/* ---- tokens ---- */

static const struct notation_token *at(const struct notation_tokens *tokens, size_t t)
{
    static const struct notation_token none = {.kind = NOTATION_SIGN, .at = ""};
    return t < tokens->count ? &tokens->token[t] : &none;
}

static bool is_open(const struct notation_token *token)
{
    return notation_is(token, "(") || notation_is(token, "[") || notation_is(token, "{");
}

static bool is_close(const struct notation_token *token)
{
    return notation_is(token, ")") || notation_is(token, "]") || notation_is(token, "}");
}

size_t notation_behind(const struct notation_tokens *tokens, size_t open, size_t to)
{
    unsigned depth = 0;
    for (size_t t = open; t < to; t++) {
        depth += is_open(at(tokens, t));
        depth -= is_close(at(tokens, t)) && depth > 0;
        if (depth == 0)
            return t + 1;
    }
    return to;
}

static bool is_one_of(const struct notation_token *token, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (notation_is(token, *words))
            return true;
    }
    return false;
}

/* ---- the parser of a section ---- */

struct scope {
    unsigned variables; /* that were there before */
    unsigned visible;
};

struct named_node {
    const struct notation_token *name;
    int node;
};

struct parser {
    struct notation_file *file;
    const struct notation_tokens *tokens;
    struct notation_section *section;
    size_t t, to;
    int now; /* the node that control is in; NOTATION_NOWHERE: it does not come here */
    int broken_to, continued_to, switched;
    unsigned visible[NOTATION_VARIABLES]; /* the variables in scope, innermost last */
    unsigned visibles;
    struct named_node *label;
    size_t labels;
    unsigned depth;
};

static void *grow(struct parser *parser, void *list, size_t count, size_t size)
{
    if (count != 0 && (count & (count - 1)) != 0)
        return list; /* room for a power of two */
    void *larger = realloc(list, (count == 0 ? 1 : 2 * count) * size);
    if (larger == NULL)
        parser->file->no_memory = true;
    return larger;
}

static bool is_over(const struct parser *parser)
{
    return parser->file->no_memory || parser->section->is_lost || parser->t >= parser->to;
}

static const struct notation_token *here(const struct parser *parser)
{
    return at(parser->tokens, parser->t < parser->to ? parser->t : parser->tokens->count);
}

static bool take(struct parser *parser, const char *sign)
{
    if (is_over(parser) || !notation_is(here(parser), sign))
        return false;
    parser->t++;
    return true;
}

/* What has to be there; otherwise the text is not understood. */
static void expect(struct parser *parser, const char *sign)
{
    if (!take(parser, sign))
        parser->section->is_lost = true;
}

static int new_node(struct parser *parser)
{
    struct notation_section *section = parser->section;
    void *larger = grow(parser, section->node, section->nodes, sizeof *section->node);
    if (larger == NULL)
        return 0;
    section->node = larger;
    section->node[section->nodes] = (struct notation_node){0};
    return (int)section->nodes++;
}

static void link_nodes(struct parser *parser, int from, int to)
{
    if (from == NOTATION_NOWHERE || to == NOTATION_NOWHERE || parser->file->no_memory)
        return;
    struct notation_node *node = &parser->section->node[from];
    int *larger = grow(parser, node->next, node->nexts, sizeof *node->next);
    if (larger == NULL)
        return;
    node->next = larger;
    node->next[node->nexts++] = to;
}

/* Goes on in a new node, which follows the one that control is in. */
static int begin_node(struct parser *parser)
{
    const int node = new_node(parser);
    link_nodes(parser, parser->now, node);
    parser->now = node;
    return node;
}

/* Control has to be somewhere, so that what cannot be reached is in the graph too. */
static void be_somewhere(struct parser *parser)
{
    if (parser->now == NOTATION_NOWHERE)
        parser->now = new_node(parser);
}

static void add_event(struct parser *parser, enum notation_event_kind kind, unsigned variable,
                      const struct notation_token *where)
{
    be_somewhere(parser);
    if (parser->file->no_memory)
        return;
    struct notation_node *node = &parser->section->node[parser->now];
    struct notation_event *larger = grow(parser, node->event, node->events, sizeof *node->event);
    if (larger == NULL)
        return;
    node->event = larger;
    node->event[node->events++] = (struct notation_event){kind, variable, where};
}

/* The variable of this name that is in scope; NOTATION_VARIABLES: there is none. */
static unsigned find_variable(const struct parser *parser, const struct notation_token *name)
{
    for (unsigned v = parser->visibles; v-- > 0;) {
        if (notation_same(parser->section->variable[parser->visible[v]].name, name))
            return parser->visible[v];
    }
    return NOTATION_VARIABLES;
}

static unsigned add_variable(struct parser *parser, const struct notation_token *name,
                             const char *what)
{
    struct notation_section *section = parser->section;
    if (section->variables == NOTATION_VARIABLES || parser->visibles == NOTATION_VARIABLES) {
        section->is_lost = true;
        return 0;
    }
    section->variable[section->variables] =
        (struct notation_variable){.name = name, .what = what, .is_whole = true};
    parser->visible[parser->visibles++] = section->variables;
    return section->variables++;
}

/* ---- expressions ---- */

static bool is_member(const struct parser *parser, size_t t)
{
    return t > 0 && (notation_is(at(parser->tokens, t - 1), ".") ||
                     notation_is(at(parser->tokens, t - 1), "->"));
}

/* Notes the variables that the tokens from `from` to `to` use, and after that those that they
 * set. */
static void note_expression(struct parser *parser, size_t from, size_t to)
{
    for (unsigned sets = 0; sets < 2; sets++) {
        for (size_t t = from; t < to; t++) {
            const struct notation_token *token = at(parser->tokens, t);
            const unsigned variable = token->kind == NOTATION_NAME && !is_member(parser, t)
                                          ? find_variable(parser, token)
                                          : NOTATION_VARIABLES;
            if (variable == NOTATION_VARIABLES)
                continue;
            const bool set = notation_is(at(parser->tokens, t + 1), "=") && t + 1 < to;
            if (set == (sets == 1))
                add_event(parser, set ? NOTATION_SETS : NOTATION_USES, variable, token);
        }
    }
}

/* The tokens up to this sign outside of brackets are an expression; takes the sign. */
static void take_expression(struct parser *parser, const char *sign)
{
    size_t end = parser->t;
    while (end < parser->to && !notation_is(at(parser->tokens, end), sign)) {
        if (is_close(at(parser->tokens, end))) {
            parser->section->is_lost = true;
            return;
        }
        end = is_open(at(parser->tokens, end)) ? notation_behind(parser->tokens, end, parser->to)
                                               : end + 1;
    }
    note_expression(parser, parser->t, end);
    parser->t = end;
    expect(parser, sign);
}

/* "(", an expression, ")"; gives the range of it. */
static void take_condition(struct parser *parser, size_t *from, size_t *to)
{
    expect(parser, "(");
    *from = parser->t;
    if (is_over(parser))
        return;
    take_expression(parser, ")");
    *to = parser->t - 1;
}

static bool is_always(const struct parser *parser, size_t from, size_t to, const char *constant)
{
    return to == from + 1 && notation_is(at(parser->tokens, from), constant);
}

/* ---- the arguments of a word ---- */

enum { MOST_ARGUMENTS = 12 };
struct argument {
    size_t from, to;
};
struct arguments {
    struct argument list[MOST_ARGUMENTS];
    unsigned count;
    size_t end; /* before the bracket */
};

/* Behind "(": divides what is there at commas. The last one has all that is left. */
static struct arguments take_arguments(struct parser *parser, unsigned most)
{
    struct arguments arguments = {0};
    const size_t open = parser->t;
    if (!take(parser, "(")) {
        parser->section->is_lost = true;
        return arguments;
    }
    const size_t behind = notation_behind(parser->tokens, open, parser->to);
    size_t from = parser->t;
    for (size_t t = parser->t; t < behind && arguments.count < most;) {
        const bool last = t + 1 == behind;
        if (last || (notation_is(at(parser->tokens, t), ",") && arguments.count + 1 < most)) {
            arguments.list[arguments.count++] = (struct argument){from, t};
            from = t + 1;
            t++;
        } else {
            t = is_open(at(parser->tokens, t)) ? notation_behind(parser->tokens, t, parser->to)
                                               : t + 1;
        }
    }
    arguments.end = behind - 1;
    parser->t = behind;
    return arguments;
}

static void note_argument(struct parser *parser, const struct arguments *arguments, unsigned a)
{
    if (a < arguments->count)
        note_expression(parser, arguments->list[a].from, arguments->list[a].to);
}

/* What a word sets: a name alone is set; of anything else the names are used. */
static void note_target(struct parser *parser, const struct arguments *arguments, unsigned a)
{
    if (a >= arguments->count)
        return;
    const struct argument *argument = &arguments->list[a];
    const unsigned variable = find_variable(parser, at(parser->tokens, argument->from));
    if (argument->to == argument->from + 1 && variable != NOTATION_VARIABLES)
        add_event(parser, NOTATION_SETS, variable, at(parser->tokens, argument->from));
    else
        note_expression(parser, argument->from, argument->to);
}

/* Begins the node of an access, in which a step begins. */
static int begin_access(struct parser *parser, const struct notation_token *word,
                        const struct arguments *arguments, unsigned cell)
{
    be_somewhere(parser);
    const int node = begin_node(parser);
    const struct notation_token *label =
        arguments->count > 0 ? at(parser->tokens, arguments->list[0].from) : word;
    if (parser->file->no_memory)
        return node;
    parser->section->node[node].word = word;
    parser->section->node[node].label = label;
    if (cell < arguments->count)
        parser->section->node[node].cell = at(parser->tokens, arguments->list[cell].from);
    add_event(parser, NOTATION_POINTS, 0, label);
    return node;
}

/* ---- words ---- */

static void parse_statement(struct parser *parser);

/* READ, WRITE and the like: which argument is the cell, what is set, and which are expressions. */
struct word {
    const char *name;
    unsigned arguments;
    int cell, target;
};

static const struct word accesses[] = {
    {"READ", 3, 2, 1},  {"WRITE", 3, 1, -1}, {"WRITE_LATE", 3, 1, -1}, {"CAS", 5, 2, 1},
    {"ALIVE", 3, 2, 1}, {"UPDATE", 4, 2, 1}, {"CALL", 12, 1, -1},      {"CALL0", 2, 1, -1},
};

static bool parse_access(struct parser *parser)
{
    const struct notation_token *word = here(parser);
    for (size_t w = 0; w < sizeof accesses / sizeof accesses[0]; w++) {
        const struct word *known = &accesses[w];
        if (!notation_is(word, known->name))
            continue;
        parser->t++;
        const struct arguments arguments = take_arguments(parser, known->arguments);
        const unsigned cell = (unsigned)known->cell;
        begin_access(parser, word, &arguments, cell);
        /* The value of an UPDATE may depend on the variable, which is set before. */
        const bool update = notation_is(word, "UPDATE");
        for (unsigned a = 1; a < arguments.count; a++) {
            if ((int)a != known->target && !(update && a == 3))
                note_argument(parser, &arguments, a);
        }
        if (known->target >= 0)
            note_target(parser, &arguments, (unsigned)known->target);
        if (update)
            note_argument(parser, &arguments, 3);
        begin_node(parser);
        take(parser, ";");
        return true;
    }
    return false;
}

/* AWAIT(label, name, cell, condition): the step is repeated. */
static void parse_await(struct parser *parser)
{
    const struct notation_token *word = here(parser);
    parser->t++;
    const struct arguments arguments = take_arguments(parser, 4);
    const int node = begin_access(parser, word, &arguments, 2);
    note_argument(parser, &arguments, 2);
    if (arguments.count == 4) {
        const unsigned before = parser->visibles;
        const unsigned name =
            add_variable(parser, at(parser->tokens, arguments.list[1].from), "variable");
        add_event(parser, NOTATION_SETS, name, parser->section->variable[name].name);
        note_argument(parser, &arguments, 3);
        parser->visibles = before;
    }
    link_nodes(parser, node, node);
    begin_node(parser);
    take(parser, ";");
}

/* ON(condition, value, action...): the action is statements. */
static void parse_on(struct parser *parser)
{
    parser->t++;
    const struct arguments arguments = take_arguments(parser, 3);
    be_somewhere(parser);
    const int before = parser->now;
    note_argument(parser, &arguments, 0);
    const int otherwise = new_node(parser);
    link_nodes(parser, before, otherwise);
    begin_node(parser);
    note_argument(parser, &arguments, 1);
    if (arguments.count == 3) {
        const size_t behind = parser->t, to = parser->to;
        parser->t = arguments.list[2].from;
        parser->to = arguments.list[2].to;
        while (!is_over(parser))
            parse_statement(parser);
        parser->t = behind;
        parser->to = to;
    }
    link_nodes(parser, parser->now, parser->broken_to);
    parser->now = otherwise;
    take(parser, ";");
}

/* TEST(label, name, cell) ... END_TEST: where no line applies, the test is made again. */
static void parse_test(struct parser *parser)
{
    const struct notation_token *word = here(parser);
    parser->t++;
    const struct arguments arguments = take_arguments(parser, 3);
    const int broken_to = parser->broken_to, behind = new_node(parser);
    const unsigned before = parser->visibles;
    const int node = begin_access(parser, word, &arguments, 2);
    note_argument(parser, &arguments, 2);
    if (arguments.count == 3) {
        const unsigned name =
            add_variable(parser, at(parser->tokens, arguments.list[1].from), "variable");
        add_event(parser, NOTATION_SETS, name, parser->section->variable[name].name);
    }
    parser->broken_to = behind;
    begin_node(parser);
    while (!is_over(parser) && !notation_is(here(parser), "END_TEST"))
        parse_statement(parser);
    expect(parser, "END_TEST");
    take(parser, ";");
    link_nodes(parser, parser->now, node);
    parser->broken_to = broken_to;
    parser->visibles = before;
    parser->now = behind;
}

/* LOCK(label) ... UNLOCK: one step. */
static void parse_lock(struct parser *parser)
{
    const struct notation_token *word = here(parser);
    const unsigned before = parser->visibles;
    parser->t++;
    const struct arguments arguments = take_arguments(parser, 1);
    begin_access(parser, word, &arguments, MOST_ARGUMENTS);
    while (!is_over(parser) && !notation_is(here(parser), "UNLOCK"))
        parse_statement(parser);
    expect(parser, "UNLOCK");
    take(parser, ";");
    parser->visibles = before;
    be_somewhere(parser);
    begin_node(parser);
}

/* SETTLED(condition): a step begins there as well. */
static void parse_settled(struct parser *parser)
{
    parser->t++;
    be_somewhere(parser);
    begin_node(parser);
    add_event(parser, NOTATION_POINTS, 0, here(parser));
    size_t from, to;
    take_condition(parser, &from, &to);
    take(parser, ";");
}

/* ---- statements ---- */

/* The body of a loop, from `head` on; `again`: where it goes at its end. */
static void parse_body(struct parser *parser, int again, int behind)
{
    const int broken_to = parser->broken_to, continued_to = parser->continued_to;
    parser->broken_to = behind;
    parser->continued_to = again;
    parse_statement(parser);
    link_nodes(parser, parser->now, again);
    parser->broken_to = broken_to;
    parser->continued_to = continued_to;
    parser->now = behind;
}

static void parse_if(struct parser *parser)
{
    size_t from = 0, to = 0;
    parser->t++;
    be_somewhere(parser);
    take_condition(parser, &from, &to);
    const int before = parser->now;
    begin_node(parser);
    parse_statement(parser);
    const int then = parser->now;
    parser->now = new_node(parser);
    link_nodes(parser, before, parser->now);
    if (take(parser, "else"))
        parse_statement(parser);
    const int otherwise = parser->now;
    if (then == NOTATION_NOWHERE && otherwise == NOTATION_NOWHERE)
        return;
    parser->now = new_node(parser);
    link_nodes(parser, then, parser->now);
    link_nodes(parser, otherwise, parser->now);
}

static void parse_while(struct parser *parser)
{
    size_t from = 0, to = 0;
    parser->t++;
    be_somewhere(parser);
    const int head = begin_node(parser), behind = new_node(parser);
    take_condition(parser, &from, &to);
    if (!is_always(parser, from, to, "1"))
        link_nodes(parser, head, behind);
    begin_node(parser);
    parse_body(parser, head, behind);
}

static void parse_do(struct parser *parser)
{
    size_t from = 0, to = 0;
    parser->t++;
    be_somewhere(parser);
    const int head = begin_node(parser), test = new_node(parser), behind = new_node(parser);
    parse_body(parser, test, behind);
    expect(parser, "while");
    parser->now = test;
    take_condition(parser, &from, &to);
    if (!is_always(parser, from, to, "0"))
        link_nodes(parser, test, head);
    if (!is_always(parser, from, to, "1"))
        link_nodes(parser, test, behind);
    parser->now = behind;
    take(parser, ";");
}

static bool parse_declaration(struct parser *parser);

static void parse_for(struct parser *parser)
{
    const unsigned before = parser->visibles;
    parser->t++;
    expect(parser, "(");
    be_somewhere(parser);
    if (!parse_declaration(parser))
        take_expression(parser, ";");
    const int head = begin_node(parser), behind = new_node(parser), step = new_node(parser);
    const size_t from = parser->t;
    if (!is_over(parser))
        take_expression(parser, ";");
    if (parser->t > from + 1)
        link_nodes(parser, head, behind);
    const int body = begin_node(parser);
    parser->now = step;
    if (!is_over(parser))
        take_expression(parser, ")");
    link_nodes(parser, step, head);
    parser->now = body;
    parse_body(parser, step, behind);
    parser->visibles = before;
}

/* FOR_EACH(i, count) */
static void parse_for_each(struct parser *parser)
{
    const unsigned before = parser->visibles;
    parser->t++;
    const struct arguments arguments = take_arguments(parser, 2);
    be_somewhere(parser);
    const int head = begin_node(parser), behind = new_node(parser);
    if (arguments.count == 2) {
        const unsigned name =
            add_variable(parser, at(parser->tokens, arguments.list[0].from), "variable");
        add_event(parser, NOTATION_SETS, name, parser->section->variable[name].name);
        note_argument(parser, &arguments, 1);
    }
    link_nodes(parser, head, behind);
    begin_node(parser);
    parse_body(parser, head, behind);
    parser->visibles = before;
}

/* AGAIN and AGAIN_UP_TO(most): an endless loop. */
static void parse_again(struct parser *parser)
{
    const bool counts = notation_is(here(parser), "AGAIN_UP_TO");
    parser->t++;
    be_somewhere(parser);
    if (counts) {
        size_t from, to;
        take_condition(parser, &from, &to);
    }
    const int head = begin_node(parser), behind = new_node(parser);
    begin_node(parser);
    parse_body(parser, head, behind);
}

static void parse_switch(struct parser *parser)
{
    size_t from, to;
    parser->t++;
    be_somewhere(parser);
    take_condition(parser, &from, &to);
    const int switched = parser->switched, broken_to = parser->broken_to;
    const int behind = new_node(parser);
    parser->switched = parser->now;
    parser->broken_to = behind;
    link_nodes(parser, parser->now, behind); /* no case may apply */
    parser->now = NOTATION_NOWHERE;
    parse_statement(parser);
    link_nodes(parser, parser->now, behind);
    parser->switched = switched;
    parser->broken_to = broken_to;
    parser->now = behind;
}

/* case X: and default: */
static void parse_case(struct parser *parser)
{
    while (!is_over(parser) && !notation_is(here(parser), ":"))
        parser->t++;
    expect(parser, ":");
    const int node = new_node(parser);
    link_nodes(parser, parser->now, node);
    link_nodes(parser, parser->switched, node);
    parser->now = node;
}

/* The node of a label of the file's own. */
static int label_node(struct parser *parser, const struct notation_token *name)
{
    for (size_t l = 0; l < parser->labels; l++) {
        if (notation_same(parser->label[l].name, name))
            return parser->label[l].node;
    }
    struct named_node *larger = grow(parser, parser->label, parser->labels, sizeof *parser->label);
    const int node = new_node(parser);
    if (larger == NULL)
        return node;
    parser->label = larger;
    parser->label[parser->labels++] = (struct named_node){name, node};
    return node;
}

static void leave_section(struct parser *parser)
{
    be_somewhere(parser);
    if (!parser->file->no_memory)
        parser->section->node[parser->now].leaves = true;
    parser->now = NOTATION_NOWHERE;
}

static void parse_goto(struct parser *parser)
{
    static const char *const regions[] = {"CRITICAL", "REMAINDER", "TRYING", NULL};
    parser->t++;
    const struct notation_token *name = here(parser);
    parser->t++;
    if (is_one_of(name, regions)) {
        leave_section(parser);
    } else {
        be_somewhere(parser);
        const int node = label_node(parser, name);
        link_nodes(parser, parser->now, node);
        parser->now = NOTATION_NOWHERE;
    }
    take(parser, ";");
}

static void parse_jump(struct parser *parser, int where)
{
    parser->t++;
    be_somewhere(parser);
    link_nodes(parser, parser->now, where);
    parser->now = NOTATION_NOWHERE;
    take(parser, ";");
}

static void parse_return(struct parser *parser)
{
    parser->t++;
    be_somewhere(parser);
    if (!is_over(parser) && !notation_is(here(parser), ";"))
        take_expression(parser, ";");
    else
        take(parser, ";");
    leave_section(parser);
}

static void parse_block(struct parser *parser)
{
    const unsigned before = parser->visibles;
    parser->t++;
    while (!is_over(parser) && !notation_is(here(parser), "}"))
        parse_statement(parser);
    expect(parser, "}");
    parser->visibles = before;
}

/* ---- declarations ---- */

static const char *const specifiers[] = {
    "const",  "volatile", "static",   "register", "auto",    "extern",   "_Atomic", "_Thread_local",
    "struct", "union",    "enum",     "unsigned", "signed",  "char",     "short",   "int",
    "long",   "float",    "double",   "_Bool",    "word",    "void",     "typedef", "__extension__",
    "bool",   "size_t",   "uint64_t", "uint32_t", "int64_t", "__int128", NULL};

/* Whether a declaration begins here: with a specifier, or with two names, of which the first may be
 * a type's. */
static bool is_declaration(const struct parser *parser)
{
    const struct notation_token *first = here(parser), *second = at(parser->tokens, parser->t + 1);
    static const char *const statements[] = {"goto", "return", "else", "case", "do", NULL};
    if (first->kind != NOTATION_NAME || is_one_of(first, statements))
        return false;
    return is_one_of(first, specifiers) || second->kind == NOTATION_NAME;
}

/* Takes one variable of a declaration: from `from` on, with its name at `name`, to the sign that
 * ends it. */
static void declare(struct parser *parser, size_t from, size_t name, const char *kind,
                    bool is_static)
{
    size_t end = name + 1;
    bool array = false, pointer = false, starts = false;
    for (size_t t = from; t < name; t++)
        pointer |= notation_is(at(parser->tokens, t), "*");
    while (end < parser->to && notation_is(at(parser->tokens, end), "[")) {
        const size_t behind = notation_behind(parser->tokens, end, parser->to);
        note_expression(parser, end, behind);
        array = true;
        end = behind;
    }
    starts = notation_is(at(parser->tokens, end), "=");
    size_t behind = end;
    while (behind < parser->to && !notation_is(at(parser->tokens, behind), ",") &&
           !notation_is(at(parser->tokens, behind), ";"))
        behind = is_open(at(parser->tokens, behind))
                     ? notation_behind(parser->tokens, behind, parser->to)
                     : behind + 1;
    note_expression(parser, end, behind);
    const unsigned variable = add_variable(parser, at(parser->tokens, name),
                                           array     ? "array"
                                           : pointer ? "pointer"
                                                     : kind);
    parser->section->variable[variable].is_static = is_static;
    parser->section->variable[variable].is_whole = !array;
    /* One without a value is the compiler's to find. */
    (void)starts;
    add_event(parser, NOTATION_SETS, variable, at(parser->tokens, name));
    parser->t = behind;
}

static bool parse_declaration(struct parser *parser)
{
    if (!is_declaration(parser))
        return false;
    const char *kind = "variable";
    bool is_static = false, is_const = false, type = false;
    /* The specifiers: as long as the next token is one, or nothing was named yet. */
    while (!is_over(parser)) {
        const struct notation_token *token = here(parser);
        is_static |= notation_is(token, "static") || notation_is(token, "_Thread_local");
        is_const |= notation_is(token, "const");
        if (notation_is(token, "volatile"))
            kind = "volatile variable";
        if (notation_is(token, "struct") || notation_is(token, "union") ||
            notation_is(token, "enum")) {
            if (!notation_is(token, "enum"))
                kind = "structure";
            parser->t++;
            if (here(parser)->kind == NOTATION_NAME)
                parser->t++;
            if (!is_over(parser) && notation_is(here(parser), "{"))
                parser->t = notation_behind(parser->tokens, parser->t, parser->to);
            type = true;
        } else if (is_one_of(token, specifiers)) {
            static const char *const qualifiers[] = {
                "const",  "volatile", "static",        "register",      "auto",
                "extern", "_Atomic",  "_Thread_local", "__extension__", NULL};
            type |= !is_one_of(token, qualifiers);
            parser->t++;
        } else if (!type && token->kind == NOTATION_NAME) {
            type = true; /* the name of a type */
            parser->t++;
        } else {
            break;
        }
    }
    while (!is_over(parser) && !notation_is(here(parser), ";")) {
        const size_t from = parser->t;
        size_t name = from;
        while (name < parser->to && at(parser->tokens, name)->kind != NOTATION_NAME &&
               !notation_is(at(parser->tokens, name), ";"))
            name++;
        while (is_one_of(at(parser->tokens, name), specifiers)) /* * const name */
            name++;
        if (name >= parser->to || at(parser->tokens, name)->kind != NOTATION_NAME) {
            parser->section->is_lost = true;
            return true;
        }
        declare(parser, from, name, kind, is_static && !is_const);
        take(parser, ",");
    }
    expect(parser, ";");
    return true;
}

/* A label of C: a name, a colon, and not a part of ?: */
static bool parse_label(struct parser *parser)
{
    if (here(parser)->kind != NOTATION_NAME || parser->t + 1 >= parser->to ||
        !notation_is(at(parser->tokens, parser->t + 1), ":"))
        return false;
    const int node = label_node(parser, here(parser));
    link_nodes(parser, parser->now, node);
    parser->now = node;
    parser->t += 2;
    return true;
}

static void parse_plain(struct parser *parser)
{
    size_t end = parser->t;
    while (end < parser->to && !notation_is(at(parser->tokens, end), ";") &&
           !is_close(at(parser->tokens, end)))
        end = is_open(at(parser->tokens, end)) ? notation_behind(parser->tokens, end, parser->to)
                                               : end + 1;
    note_expression(parser, parser->t, end);
    if (end == parser->t && end < parser->to && !notation_is(at(parser->tokens, end), ";"))
        parser->section->is_lost = true; /* a bracket that closes nothing */
    parser->t = end;
    take(parser, ";");
}

static void parse_known(struct parser *parser)
{
    const struct notation_token *token = here(parser);
    if (notation_is(token, "{"))
        parse_block(parser);
    else if (notation_is(token, "if"))
        parse_if(parser);
    else if (notation_is(token, "while"))
        parse_while(parser);
    else if (notation_is(token, "do"))
        parse_do(parser);
    else if (notation_is(token, "for"))
        parse_for(parser);
    else if (notation_is(token, "FOR_EACH"))
        parse_for_each(parser);
    else if (notation_is(token, "AGAIN") || notation_is(token, "AGAIN_UP_TO"))
        parse_again(parser);
    else if (notation_is(token, "switch"))
        parse_switch(parser);
    else if (notation_is(token, "case") || notation_is(token, "default"))
        parse_case(parser);
    else if (notation_is(token, "goto"))
        parse_goto(parser);
    else if (notation_is(token, "break"))
        parse_jump(parser, parser->broken_to);
    else if (notation_is(token, "continue"))
        parse_jump(parser, parser->continued_to);
    else if (notation_is(token, "return") || notation_is(token, "RETURN"))
        parse_return(parser);
    else if (notation_is(token, "AWAIT"))
        parse_await(parser);
    else if (notation_is(token, "TEST"))
        parse_test(parser);
    else if (notation_is(token, "ON"))
        parse_on(parser);
    else if (notation_is(token, "LOCK"))
        parse_lock(parser);
    else if (notation_is(token, "SETTLED"))
        parse_settled(parser);
    else if (notation_is(token, "else"))
        parser->section->is_lost = true; /* of no if */
    else if (!parse_access(parser) && !parse_label(parser) && !parse_declaration(parser))
        parse_plain(parser);
}

static void parse_statement(struct parser *parser)
{
    enum { DEEPEST = 200 };
    if (is_over(parser))
        return;
    if (++parser->depth > DEEPEST)
        parser->section->is_lost = true;
    const size_t before = parser->t;
    parse_known(parser);
    if (parser->t == before)
        parser->section->is_lost = true;
    parser->depth--;
}

static void mark_reached(struct notation_section *section, int node)
{
    if (section->node[node].reached)
        return;
    section->node[node].reached = true;
    for (size_t e = 0; e < section->node[node].nexts; e++)
        mark_reached(section, section->node[node].next[e]);
}

static void parse_section(struct notation_file *file, struct notation_section *section)
{
    struct parser parser = {.file = file,
                            .tokens = &file->tokens,
                            .section = section,
                            .t = section->from,
                            .to = section->to,
                            .broken_to = NOTATION_NOWHERE,
                            .continued_to = NOTATION_NOWHERE,
                            .switched = NOTATION_NOWHERE};
    parser.now = new_node(&parser);
    while (!is_over(&parser))
        parse_statement(&parser);
    if (!file->no_memory && parser.now != NOTATION_NOWHERE)
        section->node[parser.now].leaves = true;
    if (!file->no_memory && !section->is_lost)
        mark_reached(section, 0);
    free(parser.label);
}

/* ---- the file ---- */

struct known_section {
    const char *begin, *end;
    bool has_steps, is_free;
};
static const struct known_section known_sections[] = {
    {"ENTRY", "END", true, false},
    {"DOORWAY", "END", true, false},
    {"WAITING", "END", true, false},
    {"EXIT", "END", true, false},
    {"REVIVAL", "END", true, false},
    {"DEATH", "END", true, false},
    {"SUPERVISOR", "END_SUPERVISOR", false, false},
    {"INITIAL", "END_INITIAL", false, false},
    {"ACTIVE", "END_ACTIVE", false, false},
    {"INVARIANTS", "END_INVARIANTS", false, false},
    {"PROPERTIES", "END_PROPERTIES", false, false},
    {"HOLDS", "END_HOLDS", false, false},
    {"AHEAD", "END_AHEAD", false, false},
    {"SLOTS", "END_SLOTS", false, false},
    {"NORMAL", "END_NORMAL", false, false},
    {"ORBIT", "END_ORBIT", false, false},
    {"CLASH", "END_CLASH", false, false},
    {"RANKS", "END_RANKS", false, false},
    {"SHOW", "END_SHOW", false, true},
};

static void *grow_list(struct notation_file *file, void *list, size_t count, size_t size)
{
    void *larger = realloc(list, (count + 1) * size);
    if (larger == NULL)
        file->no_memory = true;
    return larger;
}

static struct notation_section *add_section(struct notation_file *file)
{
    struct notation_section *larger =
        grow_list(file, file->section, file->sections, sizeof *file->section);
    if (larger == NULL)
        return NULL;
    file->section = larger;
    file->section[file->sections] = (struct notation_section){0};
    return &file->section[file->sections++];
}

/* The next token from `t` on that is this word; the end: there is none. */
static size_t find_word(const struct notation_tokens *tokens, size_t t, const char *word)
{
    while (t < tokens->count && !notation_is(at(tokens, t), word))
        t++;
    return t;
}

/* Takes a section, if one begins at token `t`. The token behind it; `t`: there is none. */
static size_t take_section(struct notation_file *file, size_t t)
{
    const struct notation_tokens *tokens = &file->tokens;
    for (size_t s = 0; s < sizeof known_sections / sizeof known_sections[0]; s++) {
        const struct known_section *known = &known_sections[s];
        if (!notation_is(at(tokens, t), known->begin))
            continue;
        struct notation_section *section = add_section(file);
        if (section == NULL)
            return tokens->count;
        section->name = at(tokens, t);
        section->has_steps = known->has_steps;
        section->is_free = known->is_free;
        section->from = notation_is(at(tokens, t + 1), "(")
                            ? notation_behind(tokens, t + 1, tokens->count)
                            : t + 1;
        section->to = find_word(tokens, section->from, known->end);
        section->is_lost = section->to == tokens->count;
        return section->to + 1;
    }
    if (!notation_is(at(tokens, t), "SUB") || !notation_is(at(tokens, t + 1), "("))
        return t;
    struct notation_section *section = add_section(file);
    if (section == NULL)
        return tokens->count;
    section->name = at(tokens, t + 2);
    section->has_steps = section->is_sub = true;
    section->from = notation_behind(tokens, t + 1, tokens->count);
    section->to = find_word(tokens, section->from, "END_SUB");
    section->is_lost = section->to == tokens->count;
    return notation_is(at(tokens, section->to + 1), "(")
               ? notation_behind(tokens, section->to + 1, tokens->count)
               : section->to + 1;
}

/* A variable that no const is said of, or only what it points to. */
static bool is_changeable(const struct notation_tokens *tokens, size_t from, size_t name)
{
    bool constant = false;
    for (size_t t = from; t < name; t++) {
        if (notation_is(at(tokens, t), "const"))
            constant = true;
        else if (notation_is(at(tokens, t), "*"))
            constant = false;
    }
    return !constant;
}

static void add_global(struct notation_file *file, size_t from, size_t name)
{
    static const char *const others[] = {"typedef", "enum", "step_declares", NULL};
    for (size_t t = from; t < name; t++) {
        if (is_one_of(at(&file->tokens, t), others))
            return;
    }
    if (name <= from || at(&file->tokens, name)->kind != NOTATION_NAME ||
        !is_changeable(&file->tokens, from, name))
        return;
    struct notation_global *larger =
        grow_list(file, file->global, file->globals, sizeof *file->global);
    if (larger == NULL)
        return;
    file->global = larger;
    file->global[file->globals++] = (struct notation_global){at(&file->tokens, name)};
}

static void add_function(struct notation_file *file, size_t name, size_t from, size_t to)
{
    struct notation_function *larger =
        grow_list(file, file->function, file->functions, sizeof *file->function);
    if (larger == NULL)
        return;
    file->function = larger;
    file->function[file->functions++] =
        (struct notation_function){at(&file->tokens, name), from, to};
}

/* A declaration, a definition, or PROTOCOL(...), outside of the sections. The token behind it. */
static size_t take_outside(struct notation_file *file, size_t from)
{
    const struct notation_tokens *tokens = &file->tokens;
    size_t name = from, t = from;
    bool function = false;
    while (t < tokens->count) {
        const struct notation_token *token = at(tokens, t);
        if (notation_is(token, "PROTOCOL") || notation_is(token, "TRANSFORMED_PROTOCOL"))
            return notation_behind(tokens, t + 1, tokens->count);
        if (notation_is(token, "__attribute__") || notation_is(token, "_Static_assert")) {
            t = notation_behind(tokens, t + 1, tokens->count);
        } else if (notation_is(token, "struct") || notation_is(token, "union") ||
                   notation_is(token, "enum")) {
            t += at(tokens, t + 1)->kind == NOTATION_NAME ? 2 : 1;
            if (notation_is(at(tokens, t), "{"))
                t = notation_behind(tokens, t, tokens->count);
            name = from; /* of the type, if anything */
        } else if (notation_is(token, "(")) {
            function = at(tokens, t - 1)->kind == NOTATION_NAME;
            name = t - 1;
            t = notation_behind(tokens, t, tokens->count);
        } else if (notation_is(token, "{")) {
            const size_t behind = notation_behind(tokens, t, tokens->count);
            if (function)
                add_function(file, name, t, behind);
            return behind;
        } else if (notation_is(token, "=") || notation_is(token, ";") || notation_is(token, ",")) {
            if (!function)
                add_global(file, from, name);
            while (t < tokens->count && !notation_is(at(tokens, t), ";") &&
                   !notation_is(at(tokens, t), ","))
                t = is_open(at(tokens, t)) ? notation_behind(tokens, t, tokens->count) : t + 1;
            if (!notation_is(at(tokens, t), ","))
                return t + 1;
            name = from;
            function = false;
            t++;
        } else {
            if (token->kind == NOTATION_NAME)
                name = t;
            t = notation_is(token, "[") ? notation_behind(tokens, t, tokens->count) : t + 1;
        }
    }
    return t;
}

bool notation_read(struct notation_tokens *tokens, struct notation_file *file)
{
    *file = (struct notation_file){.tokens = *tokens};
    *tokens = (struct notation_tokens){0};
    for (size_t t = 0; t < file->tokens.count && !file->no_memory;) {
        const size_t behind = take_section(file, t);
        t = behind > t ? behind : take_outside(file, t);
    }
    for (size_t s = 0; s < file->sections && !file->no_memory; s++) {
        if (!file->section[s].is_lost)
            parse_section(file, &file->section[s]);
    }
    return !file->no_memory;
}

void notation_file_free(struct notation_file *file)
{
    for (size_t s = 0; s < file->sections; s++) {
        struct notation_section *section = &file->section[s];
        for (size_t node = 0; node < section->nodes; node++) {
            free(section->node[node].event);
            free(section->node[node].next);
        }
        free(section->node);
    }
    free(file->section);
    free(file->function);
    free(file->global);
    notation_scan_free(&file->tokens);
    *file = (struct notation_file){0};
}

bool notation_declares(const struct notation_file *file, const char *kind,
                       const struct notation_token *name)
{
    const struct notation_tokens *tokens = &file->tokens;
    for (size_t t = 0; t + 2 < tokens->count; t++) {
        if (notation_is(at(tokens, t), "step_declares") && notation_is(at(tokens, t + 1), kind) &&
            notation_same(at(tokens, t + 2), name))
            return true;
    }
    return false;
}
