/*
 * The rules of a protocol variant, as its file's third expansion wrote them at build time
 * (step/end_rules.hh). The text is what the file uses,
 *
 *     (words "WORD"...)                 HAS_ words, and .fields of PROTOCOL that it sets:
 *                                       known_words.c
 *
 * and a list for each variant:
 *
 *     (variant NUMBER
 *       (cell NAME VALUES FIRST)          a shared variable, holds 0 .. VALUES - 1, at first FIRST
 *       (names)                           processes are told apart: `me` is the one that moves
 *       (array NAME COUNT VALUES)         shared variables, all 0 at first; (@ NAME INDEX) in terms
 *       (local NAME VALUES)               a local variable; with "split" behind it, places are told
 *                                         apart by whether it is 0
 *       (values TERM)                     how many values the protocol claims to need
 *       (whole TERM)                      the cells are parts of one variable with this many values
 *       (uncounted)                       they are, and no term says how many values it has
 *       (place NUMBER PC REGION FROM "LABEL" LOCAL...)
 *                                         a place of a process, and the region that it has in what
 *                                         the protocol is made from; only the locals that are named
 *                                         can be other than 0 there
 *       (rule FROM TO "LABEL" "FILE" LINE (when TEST...) (cell NAME TERM)... (local NAME TERM)...)
 *                                         a step: where all tests hold, in this order, cells and
 *                                         locals become this; a cell that is not named stays, a
 *                                         local becomes 0. In terms, a local is my.NAME. With
 *                                         arrays also (store NAME INDEX TERM)..., an element
 *                                         becomes this, and (takeout NAME INDEX LENGTH)..., the
 *                                         element is taken out of the first LENGTH ones: what
 *                                         follows moves up, and 0 is last. A FILE that is . is the
 *                                         protocol's own
 *       (counted NAME)                    (@ |many NAME| VALUE) is how many of the array's elements
 *                                         have this value
 *       (invariant "NAME" CONDITION)...   and what else is said in PROOF, (pigeonholes "NAME" LOW
 *                                         HIGH HOLE LIMIT) for one
 *
 *       (cannot)                          nothing is proved of this variant
 *
 *     and where variables have parts, processes are killed, or subroutines are called,
 *
 *       (constant NAME TERM CONDITION)    a size that is not n, l or k: what it is in the checker's
 *                                         model, and what is assumed of it
 *       (array NAME COUNT VALUES TERM)    at first the element $e is this
 *       (part NAME OF)                    a variable is a part of one of the checker's, the lowest
 *                                         bits first
 *       (witness NAME)                    the array is not the checker's: only PROOF speaks of it
 *       (holds TERM)                      the slot that a process which is critical holds
 *       (slots TERM)                      how many slots there are, where that is not l
 *       (kills)                           any process may be killed at any place
 *       (dies (store NAME INDEX TERM)...) any process may die at any place: it is in its remainder
 *                                         then, its locals are 0, and elements become this
 *       (subs NAME...)                    subroutines, counted from 1
 *       (sub PLACE NUMBER)                the place is in this subroutine, counted from 1
 *       (context NUMBER REGION PC...)     from where the innermost subroutine was called: the place
 *                                         in the section, and in each subroutine around it or 0
 *       (call CONTEXT "LABEL")...         the labels of the calls that made the context
 *       (at PLACE CONTEXT LOCAL... (LOCAL VALUE)...)
 *                                         a process can be there in this context: these locals can
 *                                         have any value, these have this one, and all others are 0
 *       (rule ... (in CONTEXT...) (to CONTEXT))
 *                                         a step in these contexts, which leads to that one, or
 *                                         stays; a local that is not named stays, those in
 *                                         (clear LOCAL...) become 0
 *       (rule ... (choice 0 or 1))        it is made by a process that chooses so
 *       (broken ...)                      as a rule: a step that must not be possible
 *     )
 */
#ifndef BERTH_PROVE_READ_H
#define BERTH_PROVE_READ_H

#include "prove/list.h"
#include "prove/term.h"

enum {
    PROVE_MAX_CELLS = 8,
    PROVE_MAX_ARRAYS = 12,
    PROVE_MAX_LOCALS = 16,
    PROVE_MAX_PLACES = 64,
    PROVE_MAX_CONTEXTS = 80,
    PROVE_MAX_SUBS = 16,
    PROVE_MAX_SPOTS = 256,
    PROVE_MAX_CONSTANTS = 8,
    PROVE_MAX_PARTS = 4,
    PROVE_MAX_RULES = 1024,
    PROVE_MAX_TESTS = 64,
    PROVE_MAX_SAID = 96,
    PROVE_MAX_RANK = 32,
    PROVE_MAX_MORE = 4,
};

enum prove_region { /* the doorway is a part of the trying region */
                    PROVE_REMAINDER,
                    PROVE_TRYING,
                    PROVE_CRITICAL,
                    PROVE_EXIT,
                    PROVE_REGIONS,
                    PROVE_DEAD = PROVE_REGIONS, /* in no region */
                    PROVE_CALLED,               /* the context says in which */
};

/* A part of one of the checker's variables. */
struct prove_part {
    const char *of;                 /* its name; NULL: it is all of it */
    unsigned parts;                 /* that are below it, */
    prove_t below[PROVE_MAX_PARTS]; /* and how many values they have */
};

struct prove_cell {
    const char *name;
    unsigned symbol;
    prove_t values, first; /* values NULL: there is no largest one */
    struct prove_part part;
};

struct prove_array { /* as a function */
    const char *name;
    unsigned symbol;
    prove_t count, values; /* NULL: there is no largest one */
    prove_t first;         /* of $e; NULL: 0 */
    bool sequence;         /* elements are taken out of it */
    bool witness;          /* only PROOF speaks of it */
    bool many;             /* how often each value is in the array of the number `counts` */
    unsigned counts;
    struct prove_part part;
};

struct prove_local {
    const char *name;
    unsigned symbol; /* of my.NAME */
    prove_t values;  /* NULL: there is no largest one */
    bool splits;     /* where it is carried, it is not 0 */
    struct prove_part part;
};

struct prove_constant {
    const char *name;
    unsigned symbol;
    prove_t in_model, condition;
};

struct prove_context {
    enum prove_region region;
    bool doorway;
    unsigned count;
    int64_t pc[PROVE_MAX_SUBS]; /* in the section, and in each subroutine */
    unsigned calls;
    const char *call[PROVE_MAX_SUBS];
};

/* A place and a context in which a process can be. */
struct prove_spot {
    unsigned place, context;
    bool carries[PROVE_MAX_LOCALS];
    int64_t value[PROVE_MAX_LOCALS]; /* of those that it does not carry */
};

struct prove_place {
    int64_t number, pc;
    enum prove_region region;
    enum prove_region from; /* the same, but in a transformation */
    const char *label;      /* "" in the remainder and in the critical region */
    char name[64];          /* unique */
    bool carries[PROVE_MAX_LOCALS];
    unsigned carried; /* how many */
    unsigned sub;     /* that it is in, counted from 1; 0: in none */
    bool doorway;
};

struct prove_rule {
    unsigned from, to; /* indices of places */
    const char *label, *file;
    int64_t line;
    unsigned tests;
    prove_t test[PROVE_MAX_TESTS];
    prove_t cell[PROVE_MAX_CELLS];   /* NULL: stays */
    prove_t index[PROVE_MAX_ARRAYS]; /* of the element that changes; NULL: none */
    prove_t stored[PROVE_MAX_ARRAYS];
    prove_t taken_of[PROVE_MAX_ARRAYS]; /* or the element is taken out of a prefix of this length */
    unsigned mores; /* elements that change after one of the same array, in this order */
    struct {
        unsigned array;
        prove_t index, stored;
    } more[PROVE_MAX_MORE];
    prove_t local[PROVE_MAX_LOCALS]; /* NULL: 0, or where there are contexts: stays */
    bool broken;                     /* it must not be possible */
    int choice;                      /* that it is made by; -1: any */
    bool in[PROVE_MAX_CONTEXTS];
    int to_context; /* -1: stays */
};

enum prove_saying {
    PROVE_INVARIANT,
    PROVE_WAITING_INVARIANT,
    PROVE_HELPER,
    PROVE_ORDER_INVARIANT,
    PROVE_ASSUMED,
    PROVE_PIGEONHOLES,
    PROVE_KNOWN_ALONE,
};

struct prove_said {
    enum prove_saying kind;
    const char *name;
    prove_t condition;
    prove_t as_said; /* the same, in the words of the file */
    /* PIGEONHOLES: each number from `low` to `high` - 1 has a `hole` below `limit` to itself. */
    prove_t low, high, hole, limit;
};

struct prove_reading {
    struct prove_pool *pool;
    const char *source;             /* the protocol's file */
    const struct prove_list *words; /* that the file uses */
    bool cannot;                    /* PROOF is not about this variant */
    bool names;                     /* processes are told apart */
    bool uncounted; /* the cells are one variable, and how many values it has is not known */
    bool kills, deaths;
    bool positions; /* something is looked for in an array */
    unsigned constants, contexts, spots, subs;
    const char *sub[PROVE_MAX_SUBS];
    struct prove_constant constant[PROVE_MAX_CONSTANTS];
    struct prove_context context[PROVE_MAX_CONTEXTS];
    struct prove_spot spot[PROVE_MAX_SPOTS];
    unsigned cells, arrays, locals, places, rules, saids, ranks, lockouts;
    struct prove_cell cell[PROVE_MAX_CELLS];
    struct prove_array array[PROVE_MAX_ARRAYS];
    struct prove_local local[PROVE_MAX_LOCALS];
    struct prove_place place[PROVE_MAX_PLACES];
    struct prove_rule rule[PROVE_MAX_RULES];
    struct prove_rule killed; /* where processes are killed, or die: from any place */
    struct prove_said said[PROVE_MAX_SAID];
    prove_t rank[PROVE_MAX_RANK];
    prove_t lockout[PROVE_MAX_RANK];
    prove_t crowd;  /* how two cannot be critical (CROWD); or NULL */
    prove_t seat;   /* a number below l that each critical process has for itself (SEAT); or NULL */
    prove_t holds;  /* its slot; or NULL */
    prove_t slots;  /* how many there are; NULL: l */
    prove_t each;   /* RANK_OF_EACH, or NULL */
    prove_t number; /* NUMBERED, or NULL */
    unsigned blocked;
    prove_t blocker[PROVE_MAX_RANK]; /* BLOCKED_BY: a process, and what it has less of */
    prove_t released;                /* RELEASED, or NULL */
    prove_t enabled;                 /* ENABLED, or NULL */
    prove_t taken;                   /* TAKEN_BY: a process, or NULL */
    unsigned owns;
    prove_t own[PROVE_MAX_RANK]; /* OWN_RANK */
    unsigned leaves, enters;
    prove_t leave[PROVE_MAX_RANK], enter[PROVE_MAX_RANK]; /* LEAVES_ALONE, ENTERS_ALONE */
    /* FALLS_FOR_EACH and FALLS_FOR_ALL; LET_IN, or NULL, with LET_IN_RANK; TRYING_RANK */
    unsigned fall_each, fall_all, lets, tryings;
    prove_t falls_each[PROVE_MAX_RANK], falls_all[PROVE_MAX_RANK];
    prove_t let_in, let[PROVE_MAX_RANK], trying[PROVE_MAX_RANK];
    prove_t values; /* or NULL */
    prove_t
        whole; /* how many values all cells together have, where they are one variable; or NULL */
};

/* NULL, or a sentence that says what is wrong with the text. */
const char *prove_read(struct prove_reading *reading, struct prove_pool *pool, const char *text,
                       unsigned variant);

/* The rules of the protocol in this source file, as they were compiled in; NULL: there are none. */
const char *prove_rules_text(const char *file);

#endif
