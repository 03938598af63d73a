/*
 * berth top. sample.c asks the pools, lines.c makes text of what they say, rows.c gives each part
 * its place on the screen; none of them knows of terminals. screen.c draws, keys.c acts, terminal.c
 * handles signals and the terminal's state, and once.c is what is printed where there is none.
 */
#ifndef BERTH_CLI_TOP_TOP_H
#define BERTH_CLI_TOP_TOP_H

#include "lanes.h"
#include "pool_command.h"
#include "pool_lines.h"
#include "where.h"

#include "pool/history.h"

#include <wchar.h>

struct top_options {
    const char *pool; /* NULL: all of them */
    berth_options how;
    double delay;
    bool once;
};

/* ---- sample.c ---- */

/* Grants in a second, from two looks at a pool. */
struct top_rate {
    bool known;
    double per_second;
    bool looked; /* what follows is set */
    struct pool_history history;
    struct timespec at; /* CLOCK_MONOTONIC */
};

struct top_pool {
    char name[BERTH_NAME_MAX + 2]; /* one that is too long stays too long */
    berth_view *view;              /* NULL: problem says why */
    struct cli_lanes lanes;        /* with the view */
    char problem[200];             /* a sentence */
    int error;
    struct top_rate rate;
};

struct top {
    struct top_options options;
    const struct cli_where
        *where; /* where pools are declared; NULL: all are where the options say */
    struct top_pool *pool;
    size_t count;
    size_t selected;   /* of the pools */
    int error;         /* of listing the store */
    char problem[200]; /* that, or what else there is to say in a line */
};

/* Enters a look at `at`. No rate where this is the first, where the pool is not the one of the last
 * look, or where no time has passed. */
void top_rate_enter(struct top_rate *rate, const struct pool_history *history,
                    const struct timespec *at);

/* berth_look and pool_history. If a file is truncated while it is read, that is EPROTO and not a
 * crash, because of top_look_prepare. The reason goes to `problem`. */
void top_look_prepare(void);

/* Looks at all pools. ENOMEM, or 0: an error of a single pool is kept with that pool. A pool that
 * no longer exists is dropped, with a message in `problem`, unless it was asked for by name. */
int top_look(struct top *top);
/* Selects the pool with the most waiters, and of several with as many, the one with the most
 * holders. */
void top_select_busiest(struct top *top);
void top_free(struct top *top);

/* ---- lines.c ---- */

enum { TOP_LINE = 512 };

/* The text in wide characters that can be shown in this locale and take up room, others as '?'; at
 * most `columns` of them. `wide` has room for columns + 1. Returns the columns used. */
unsigned top_clean(wchar_t *wide, const char *text, unsigned columns);

/* The table of pools: `names` is how wide the column of names is. */
unsigned top_name_width(const struct top *top, unsigned columns);
const char *top_pools_heading(char line[TOP_LINE], unsigned names);
const char *top_pool_line(char line[TOP_LINE], const struct top *top, size_t pool, unsigned names);

/* The lines of a pool's slots and of its queue, by number, and how many there are. */
size_t top_slot_lines(const berth_view *view);
const char *top_slot_line(char line[TOP_LINE], const berth_view *view, size_t number);
size_t top_queue_lines(const struct top_pool *pool);
const char *top_queue_line(char line[TOP_LINE], const struct top_pool *pool, size_t number);

/* 0.25, 12.5, 3.1k, 2.0M. */
enum { TOP_NUMBER = 16 };
const char *top_number(char text[TOP_NUMBER], double number);

/* ---- rows.c ---- */

/* Rows of the screen, from the top: a title, the pools under a heading, the slots under one, the
 * queue under one, and a line at the bottom. Where a screen is very low, lines and headings are
 * left out. */
struct top_layout {
    bool framed; /* title, headings and the line at the bottom are there */
    unsigned pools, slots, queue;
};

struct top_layout top_layout_of(unsigned rows, size_t pools, size_t slot_lines, size_t queue_lines);

/* The first line to be shown, as near to `wanted` as can be without a gap at the end. */
size_t top_scrolled(size_t wanted, size_t lines, unsigned rows);

/* ---- once.c: two looks, and one table ---- */

int top_text(struct top *top);

#endif
