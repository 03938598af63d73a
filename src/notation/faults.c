/*
 * A state has the shared variables, the LOCALs and the place of each process, and nothing else.
 * What a step does must not depend on anything that is not in it: a plain C variable that was set
 * before the last access, a variable of the file, a function of a library.
 */
#include "notation/faults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct notation_token *at(const struct notation_file *file, size_t t)
{
    static const struct notation_token none = {.kind = NOTATION_SIGN, .at = ""};
    return t < file->tokens.count ? &file->tokens.token[t] : &none;
}

static bool is_one_of(const struct notation_token *token, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (notation_is(token, *words))
            return true;
    }
    return false;
}

/* Says what is wrong at a token. `format` may name it by one %.*s. True. */
static bool blame(const struct notation_file *file, const struct notation_token *token,
                  struct notation_fault *fault, const char *text)
{
    fault->file = file->tokens.file[token->file];
    fault->line = token->line;
    snprintf(fault->text, sizeof fault->text, "%.*s %s", (int)token->length, token->at, text);
    return true;
}

/* ---- values that do not live over an access ---- */

/* For each variable, the access over which its value was lost; NULL: it has one. */
struct values {
    const struct notation_token *lost_by[NOTATION_VARIABLES];
    bool known; /* somebody comes here */
};

static bool lose(struct values *to, const struct values *from, unsigned variables)
{
    bool changed = !to->known;
    to->known = true;
    for (unsigned v = 0; v < variables; v++) {
        if (to->lost_by[v] == NULL && from->lost_by[v] != NULL) {
            to->lost_by[v] = from->lost_by[v];
            changed = true;
        }
    }
    return changed;
}

/* Goes through a node. NULL, or the event that uses a value which is lost. */
static const struct notation_event *go_through(const struct notation_section *section,
                                               const struct notation_node *node,
                                               struct values *values)
{
    for (size_t e = 0; e < node->events; e++) {
        const struct notation_event *event = &node->event[e];
        switch (event->kind) {
        case NOTATION_POINTS:
            for (unsigned v = 0; v < section->variables; v++)
                values->lost_by[v] = event->where;
            break;
        case NOTATION_SETS: values->lost_by[event->variable] = NULL; break;
        case NOTATION_USES:
        default:
            if (values->lost_by[event->variable] != NULL)
                return event;
        }
    }
    return NULL;
}

static bool blame_lost(const struct notation_file *file, const struct notation_section *section,
                       const struct notation_event *event, const struct notation_token *by,
                       struct notation_fault *fault)
{
    char text[192];
    const struct notation_variable *variable = &section->variable[event->variable];
    const bool local = strcmp(variable->what, "array") == 0;
    snprintf(
        text, sizeof text,
        "is a plain %s, and has no value where the access %.*s (line %u) is made or behind it: "
        "declare it after that, or make it one of the %s",
        variable->what, (int)by->length, by->at, by->line, local ? "LOCAL_ARRAYS" : "LOCALS");
    return blame(file, event->where, fault, text);
}

/* A fixed point over the graph; a value is lost if it is on some way. */
static bool find_lost(const struct notation_file *file, const struct notation_section *section,
                      struct notation_fault *fault)
{
    struct values *in = calloc(section->nodes, sizeof *in);
    bool changed = in != NULL, found = false;
    if (in != NULL)
        in[0].known = true;
    while (changed && !found) {
        changed = false;
        for (size_t node = 0; node < section->nodes && !found; node++) {
            const struct notation_node *now = &section->node[node];
            struct values out = in[node];
            if (!in[node].known)
                continue;
            const struct notation_event *event = go_through(section, now, &out);
            if (event != NULL)
                found = blame_lost(file, section, event, out.lost_by[event->variable], fault);
            for (size_t e = 0; e < now->nexts && !found; e++)
                changed |= lose(&in[now->next[e]], &out, section->variables);
        }
    }
    free(in);
    return found;
}

/* ---- names ---- */

/* Names that are followed by a bracket and are no function of somebody else's. */
static const char *const words[] = {"if",
                                    "while",
                                    "for",
                                    "switch",
                                    "return",
                                    "sizeof",
                                    "_Alignof",
                                    "typeof",
                                    "__typeof__",
                                    "__attribute__",
                                    "__extension__",
                                    "_Static_assert",
                                    "__typeof",
                                    "_Generic",
                                    "do",
                                    "else",
                                    "READ",
                                    "WRITE",
                                    "WRITE_LATE",
                                    "AWAIT",
                                    "TEST",
                                    "ON",
                                    "CAS",
                                    "UPDATE",
                                    "LOCK",
                                    "ALIVE",
                                    "CALL",
                                    "CALL0",
                                    "OWN",
                                    "SHARED",
                                    "FORGET",
                                    "GHOST",
                                    "RECORD",
                                    "WITNESS",
                                    "BROKEN",
                                    "TRUST",
                                    "LIMIT",
                                    "SETTLED",
                                    "MAY",
                                    "DUE",
                                    "PAUSE",
                                    "WAKE",
                                    "DIES",
                                    "VARIANT",
                                    "POSITION",
                                    "TAKE_OUT",
                                    "SEQUENCES",
                                    "FOR_EACH",
                                    "AGAIN_UP_TO",
                                    "AGAIN",
                                    "END_TEST",
                                    "IS_RESTING",
                                    "IS_TRYING",
                                    "IS_WAITING",
                                    "IS_CRITICAL",
                                    "IS_LEAVING",
                                    "LOCAL",
                                    "AT",
                                    "ALWAYS",
                                    "NEVER",
                                    "AFTER",
                                    "USES",
                                    "CHOOSE",
                                    "STATE",
                                    "PAIR",
                                    "LEADS_TO",
                                    "ALWAYS_EVENTUALLY",
                                    NULL};

static bool starts_with(const struct notation_token *token, const char *start)
{
    return token->length >= strlen(start) && memcmp(token->at, start, strlen(start)) == 0;
}

static bool is_subroutine(const struct notation_file *file, const struct notation_token *name)
{
    for (size_t s = 0; s < file->sections; s++) {
        if (file->section[s].is_sub && notation_same(file->section[s].name, name))
            return true;
    }
    return false;
}

static const struct notation_function *find_function(const struct notation_file *file,
                                                     const struct notation_token *name)
{
    for (size_t f = 0; f < file->functions; f++) {
        if (notation_same(file->function[f].name, name))
            return &file->function[f];
    }
    return NULL;
}

static bool is_member(const struct notation_file *file, size_t t)
{
    return t > 0 && (notation_is(at(file, t - 1), ".") || notation_is(at(file, t - 1), "->"));
}

/* Those of the compiler's functions whose value follows from their arguments. */
static bool is_pure_builtin(const struct notation_token *name)
{
    static const char *const starts[] = {
        "__builtin_popcount", "__builtin_ctz",      "__builtin_clz",        "__builtin_ffs",
        "__builtin_parity",   "__builtin_bswap",    "__builtin_expect",     "__builtin_unreachable",
        "__builtin_mem",      "__builtin_types_",   "__builtin_constant_p", "__builtin_choose_expr",
        "__builtin_add_over", "__builtin_sub_over", "__builtin_mul_over"};
    for (size_t s = 0; s < sizeof starts / sizeof starts[0]; s++) {
        if (starts_with(name, starts[s]))
            return true;
    }
    return false;
}

/* Whether a call at token `t` leads out of the file. */
static bool calls_out(const struct notation_file *file, size_t t)
{
    const struct notation_token *name = at(file, t);
    return name->kind == NOTATION_NAME && notation_is(at(file, t + 1), "(") &&
           !is_member(file, t) && !is_one_of(name, words) && find_function(file, name) == NULL &&
           !is_subroutine(file, name) && !starts_with(name, "step_") && !is_pure_builtin(name) &&
           !notation_is(name, "const");
}

static bool is_global(const struct notation_file *file, const struct notation_token *name)
{
    for (size_t g = 0; g < file->globals; g++) {
        if (file->global[g].name != name && notation_same(file->global[g].name, name))
            return true;
    }
    return false;
}

/* The text of a macro that was expanded names what the author has written differently. */
static bool blame_call(const struct notation_file *file, const struct notation_token *name,
                       struct notation_fault *fault)
{
    struct notation_token said = *name;
    if (notation_is(name, "__assert_fail")) {
        said.at = "assert()";
        said.length = (unsigned)strlen(said.at);
    }
    return blame(file, &said, fault,
                 "is called: what a state leads to may depend on this file alone (for what has "
                 "to hold there is TRUST)");
}

/* What must not be in the code of any section or function that the model runs. */
static bool find_in_code(const struct notation_file *file, size_t from, size_t to,
                         struct notation_fault *fault)
{
    for (size_t t = from; t < to; t++) {
        const struct notation_token *token = at(file, t);
        if (token->kind != NOTATION_NAME || is_member(file, t))
            continue;
        if (notation_is(token, "static") || notation_is(token, "_Thread_local") ||
            notation_is(token, "extern")) {
            size_t end = t;
            bool constant = false;
            for (; end < to && !notation_is(at(file, end), ";") && !notation_is(at(file, end), "=");
                 end++)
                constant |= notation_is(at(file, end), "const");
            const struct notation_token *name = at(file, end - 1);
            for (size_t n = t; n < end; n++) { /* of an array */
                if (notation_is(at(file, n), "[")) {
                    name = at(file, n - 1);
                    break;
                }
            }
            if (!constant)
                return blame(file, name, fault,
                             "keeps its value from step to step and is no part of a state: make "
                             "it a shared variable or one of the LOCALS");
        }
        if (is_global(file, token))
            return blame(file, token, fault,
                         "is a variable of the file, which is no part of a state: make it a "
                         "shared variable (CELLS) or one of the LOCALS");
        if (calls_out(file, t))
            return blame_call(file, token, fault);
    }
    return false;
}

static bool find_in_functions(const struct notation_file *file, struct notation_fault *fault)
{
    bool *used = calloc(file->functions + 1, sizeof *used);
    bool more = used != NULL, found = false;
    for (size_t s = 0; s < file->sections && used != NULL; s++) {
        const struct notation_section *section = &file->section[s];
        for (size_t t = section->from; t < section->to && !section->is_free; t++) {
            const struct notation_function *function = find_function(file, at(file, t));
            if (function != NULL)
                used[function - file->function] = true;
        }
    }
    while (more) {
        more = false;
        for (size_t f = 0; f < file->functions; f++) {
            for (size_t t = file->function[f].from; used[f] && t < file->function[f].to; t++) {
                const struct notation_function *function = find_function(file, at(file, t));
                if (function != NULL && !used[function - file->function])
                    used[function - file->function] = more = true;
            }
        }
    }
    for (size_t f = 0; f < file->functions && !found && used != NULL; f++)
        found = used[f] && find_in_code(file, file->function[f].from, file->function[f].to, fault);
    free(used);
    return found;
}

/* ---- sections with steps ---- */

static const char *const own_names[] = {"step_me", "step_cells", "step_pc", "step_base", NULL};

/* What the macros of the notation hide. */
static bool find_hidden(const struct notation_file *file, const struct notation_section *section,
                        struct notation_fault *fault)
{
    for (size_t t = section->from; t < section->to; t++) {
        const struct notation_token *token = at(file, t);
        if (token->kind != NOTATION_NAME || is_member(file, t))
            continue;
        if (is_one_of(token, own_names))
            return blame(file, token, fault,
                         "is a name of berth's own, and not for protocol files");
        if (section->has_steps && notation_is(token, "my") && notation_is(at(file, t + 1), "->"))
            return blame(file, at(file, t + 2), fault,
                         "is accessed as my->: in a section with steps a local variable has its "
                         "name alone, and what my-> sets is overwritten");
        if (section->has_steps && notation_is(token, "my"))
            return blame(file, token, fault,
                         "is not for sections with steps, where a local variable has its name "
                         "alone: what is set by it is overwritten");
        if (notation_is(token, "asm") || notation_is(token, "__asm__") ||
            notation_is(token, "__asm"))
            return blame(file, token, fault,
                         "is not for protocol files: nobody knows what it does");
    }
    return false;
}

static bool find_shadow(const struct notation_file *file, const struct notation_section *section,
                        struct notation_fault *fault)
{
    for (unsigned v = 0; v < section->variables; v++) {
        const struct notation_token *name = section->variable[v].name;
        if (notation_declares(file, "local", name) || notation_declares(file, "array", name))
            return blame(file, name, fault,
                         "is one of the LOCALS already: what is declared here (by AWAIT, TEST or "
                         "as a variable) is another variable, which hides it; READ sets it");
    }
    return false;
}

/* DEATH has no steps: what it stores is a part of the death. */
static bool find_access_in_death(const struct notation_file *file,
                                 const struct notation_section *section,
                                 struct notation_fault *fault)
{
    for (size_t node = 0; node < section->nodes && notation_is(section->name, "DEATH"); node++) {
        if (section->node[node].word != NULL)
            return blame(file, section->node[node].word, fault,
                         "is an access, and DEATH has none: what a death stores is DIES(cell, "
                         "value)");
    }
    return false;
}

static bool find_unreached(const struct notation_file *file, const struct notation_section *section,
                           struct notation_fault *fault)
{
    for (size_t node = 0; node < section->nodes; node++) {
        if (section->node[node].word != NULL && !section->node[node].reached)
            return blame(file, section->node[node].label, fault,
                         "is the label of an access that is never reached");
    }
    return false;
}

/* ---- the data of the file ---- */

/* .bound without .has_bound, in the innermost braces. */
static bool find_bound(const struct notation_file *file, struct notation_fault *fault)
{
    for (size_t t = 0; t + 1 < file->tokens.count; t++) {
        if (!notation_is(at(file, t), ".") ||
            !(notation_is(at(file, t + 1), "bound") || notation_is(at(file, t + 1), "bound_n")))
            continue;
        size_t open = t;
        for (unsigned depth = 0; open > 0; open--) {
            depth += notation_is(at(file, open), "}");
            if (notation_is(at(file, open), "{") && depth-- == 0)
                break;
        }
        const size_t behind = notation_behind(&file->tokens, open, file->tokens.count);
        bool says = false, values = false;
        for (size_t u = open; u < behind; u++) {
            says |= notation_is(at(file, u), "has_bound");
            values |= notation_is(at(file, u), "CHECK_VALUES");
        }
        if (!says && !values)
            return blame(file, at(file, t + 1), fault,
                         "is given without .has_bound = true, and would not be looked at");
    }
    return false;
}

static const struct notation_section *section_called(const struct notation_file *file,
                                                     const char *name)
{
    for (size_t s = 0; s < file->sections; s++) {
        if (!file->section[s].is_sub && notation_is(file->section[s].name, name))
            return &file->section[s];
    }
    return NULL;
}

/* A fault that no check ever has. */
static bool find_no_fault(const struct notation_file *file, struct notation_fault *fault)
{
    const struct notation_section *death = section_called(file, "DEATH");
    const struct notation_section *revival = section_called(file, "REVIVAL");
    /* A part that files share may have a section that only one of them needs. */
    if (death != NULL && death->name->file != 0)
        death = NULL;
    if (revival != NULL && revival->name->file != 0)
        revival = NULL;
    for (size_t t = 0; t + 1 < file->tokens.count; t++) {
        if (notation_is(at(file, t), ".") && notation_is(at(file, t + 1), "fault"))
            return false;
    }
    if (death != NULL)
        return blame(file, death->name, fault,
                     "is never made: PROTOCOL does not say .fault = STEP_FAULT_DEATH, or "
                     "STEP_FAULT_NONE if only --fault death is to make it");
    return revival != NULL &&
           blame(file, revival->name, fault,
                 "is never made: PROTOCOL does not say .fault = STEP_FAULT_KILL");
}

/* Variables that berth adds have these names. */
static bool find_taken_name(const struct notation_file *file, struct notation_fault *fault)
{
    static const char *const taken[] = {"alive", "kills", "broken", NULL};
    static const char *const kinds[] = {"cell", "cells", "registers", NULL};
    for (size_t t = 0; t + 2 < file->tokens.count; t++) {
        if (notation_is(at(file, t), "step_declares") && is_one_of(at(file, t + 1), kinds) &&
            is_one_of(at(file, t + 2), taken)) {
            blame(file, at(file, t + 2), fault,
                  "cannot be the name of a shared variable in CELLS: one that berth adds is called "
                  "that (alive, kills, broken)");
            fault->line = 0;
            return true;
        }
    }
    return false;
}

/* A variable of the file by way of a constant pointer to it. */
static bool find_address(const struct notation_file *file, struct notation_fault *fault)
{
    for (size_t t = 1; t < file->tokens.count; t++) {
        const struct notation_token *before = at(file, t - 1);
        bool inside = false;
        if (!notation_is(before, "&") || !is_global(file, at(file, t)))
            continue;
        for (size_t f = 0; f < file->functions; f++)
            inside |= t >= file->function[f].from && t < file->function[f].to;
        for (size_t s = 0; s < file->sections; s++)
            inside |= t >= file->section[s].from && t < file->section[s].to;
        if (!inside)
            return blame(file, at(file, t), fault,
                         "is a variable of the file, to which a constant points: it is no part of "
                         "a state");
    }
    return false;
}

bool notation_find_fault(const struct notation_file *file, struct notation_fault *fault)
{
    *fault = (struct notation_fault){0};
    if (find_taken_name(file, fault))
        return true;
    for (size_t s = 0; s < file->sections; s++) {
        const struct notation_section *section = &file->section[s];
        if (section->is_free)
            continue;
        if (find_in_code(file, section->from, section->to, fault) ||
            find_hidden(file, section, fault))
            return true;
        if (section->is_lost || !section->has_steps)
            continue;
        if (find_access_in_death(file, section, fault) || find_shadow(file, section, fault) ||
            find_lost(file, section, fault) || find_unreached(file, section, fault))
            return true;
    }
    return find_in_functions(file, fault) || find_address(file, fault) ||
           find_no_fault(file, fault) || find_bound(file, fault);
}
