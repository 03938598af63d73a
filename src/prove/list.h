/* Lists in parentheses: what the rules are written in, and what solvers answer in. */
#ifndef BERTH_PROVE_LIST_H
#define BERTH_PROVE_LIST_H

#include "prove/term.h"

struct prove_list {
    const char *atom; /* NULL: a list. Without the bars of |symbols| and the quotes of strings */
    bool quoted;      /* it was a string */
    const struct prove_list *first, *next;
};

/* All lists of a text, the first of them; NULL: there are none, or parentheses do not match. */
const struct prove_list *prove_lists(struct prove_pool *pool, const char *text);

const struct prove_list *prove_nth(const struct prove_list *list, unsigned n); /* from 0; or NULL */
const char *prove_atom(const struct prove_list *list, unsigned n);  /* of that one; or NULL */
bool prove_begins(const struct prove_list *list, const char *atom); /* a list that begins so */
bool prove_integer(const struct prove_list *list, int64_t *number); /* 3, (- 3) */

#endif
